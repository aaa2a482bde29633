"""`--group-by`: documents of one author are not compared with each other."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from lookalike.errors import RecipeError
from lookalike.result.say import count
from lookalike.search.columns import as_bytes, compute, counting, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pyarrow as pa

    from lookalike.result import Result

__all__ = ["Authors", "Rule", "author_rule", "by_author", "left_out"]

_RULE = "dir, or a regular expression with one group, which is the author"


@dataclass(frozen=True, slots=True)
class Rule:
    """How the author of a document is told."""

    given: str
    """As it was typed."""
    author: Callable[[str], str | None]
    """The author, by the id of the document; None if it has none that is known."""


@dataclass(frozen=True, slots=True)
class Authors:
    """Who wrote what, and what was left out for it."""

    rule: Rule
    left_out: int
    """How many pairs had two documents of one author."""


def author_rule(given: str, paths: Sequence[str]) -> Rule:
    r"""Return the rule that tells the author of a document by its id.

    `dir` is the folder right below a PATH: with essays/ that holds essays/ann/one.txt, the author is ann.

    >>> author_rule("dir", ["essays/"]).author("essays/ann/draft/one.txt")
    'ann'
    >>> author_rule(r"/(\w+)_", []).author("essays/ann_2.txt")
    'ann'
    """
    if given == "dir":
        folders = sorted((PurePath(path).as_posix() for path in paths), key=len, reverse=True)
        return Rule(given, lambda name: _folder(name, folders))
    try:
        pattern = re.compile(given)
    except re.error as error:
        raise RecipeError("--group-by", given, _RULE, str(error)) from None
    if pattern.groups != 1:
        raise RecipeError("--group-by", given, _RULE, "put the author in (brackets)")
    return Rule(given, lambda name: found[1] if (found := pattern.search(name)) else None)


def left_out(authors: Authors) -> str:
    """Say what --group-by did."""
    return (
        f"{count(authors.left_out, 'pair')} between documents of one author left out (--group-by {authors.rule.given})"
    )


def _folder(name: str, folders: Iterable[str]) -> str | None:
    for folder in folders:
        if name.startswith(f"{folder}/"):
            name = name[len(folder) + 1 :]
            break
    return name.split("/")[0] if "/" in name else None


def by_author(result: Result, rule: Rule) -> tuple[Result, Authors]:
    """Return the result without the pairs of one author, and who wrote what."""
    import pyarrow as pa

    pc = compute()
    # A document without an author is an author of its own.
    names = [rule.author(str(name)) or f"\0{number}" for number, name in enumerate(result.ids.to_pylist())]
    authors = pa.array(names, pa.large_string())
    pairs = result.pairs
    a, b = (pc.index_in(whole(pairs[side]), value_set=result.ids).cast(pa.uint32()) for side in "ab")
    strangers = pc.not_equal(authors.take(a), authors.take(b))
    kept = pairs.set_column(0, "a", a).set_column(1, "b", b).filter(strangers)
    left_out = pairs.num_rows - kept.num_rows
    return (_with_pairs(result, kept) if left_out else result), Authors(rule, left_out)


def _with_pairs(result: Result, pairs: pa.Table) -> Result:
    """Return the result with these pairs alone; each document stands by itself, because a copy may be left out too."""
    from lookalike.result import Result as Made
    from lookalike.search.found import Found

    columns = {name: as_bytes(pairs[name]) for name in pairs.column_names}
    kept = (
        *("ids", "threshold", "recipe", "method", "metric", "bands", "recall", "linkage", "order"),
        *("skipped", "notes", "timings", "lengths", "old_from", "ignored", "source"),
    )
    found = Found(classes=as_bytes(counting(result.documents)), candidates=result.candidates, **columns)
    made = Made(found=found, **{name: getattr(result, name) for name in kept})
    return made if result.audited is None else made.with_audit(result.audited)
