"""`--group-by`: documents of one author are not compared with each other."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from lookalike.errors import RecipeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pyarrow as pa

    from lookalike.result import Result

    Rule = Callable[[str], str | None]

__all__ = ["Authors", "author_rule", "by_author"]

_RULE = "dir, or a regular expression with one group, which is the author"


@dataclass(frozen=True, slots=True)
class Authors:
    """Who wrote what, and what was left out for it."""

    rule: str
    of: Rule
    """The author of a document, by its id; None if it has none that is known."""
    left_out: int
    """How many pairs had two documents of one author."""


def author_rule(given: str, paths: Sequence[str]) -> Rule:
    """Return the function that tells the author of a document by its id.

    `dir` is the folder right below a PATH: with essays/ that holds essays/ann/one.txt, the author is ann.

    >>> author_rule("dir", ["essays/"])("essays/ann/draft/one.txt")
    'ann'
    >>> author_rule(r"/(\\w+)_", [])("essays/ann_2.txt")
    'ann'
    """
    if given == "dir":
        folders = sorted((PurePath(path).as_posix() for path in paths), key=len, reverse=True)
        return lambda name: _folder(name, folders)
    try:
        pattern = re.compile(given)
    except re.error as error:
        raise RecipeError("--group-by", given, _RULE, str(error)) from None
    if pattern.groups != 1:
        raise RecipeError("--group-by", given, _RULE, "put the author in (brackets)")
    return lambda name: found[1] if (found := pattern.search(name)) else None


def _folder(name: str, folders: Iterable[str]) -> str | None:
    for folder in folders:
        inside = name.removeprefix(folder).lstrip("/") if folder != "." else name.removeprefix("./")
        if inside != name or folder == ".":
            return inside.split("/")[0] if "/" in inside else None
    return name.rpartition("/")[0] or None


def by_author(result: Result, given: str, rule: Rule) -> tuple[Result, Authors]:
    """Return the result without the pairs of one author, and who wrote what."""
    import pyarrow as pa
    import pyarrow.compute as pc

    # A document without an author is an author of its own.
    authors = pa.array(
        [rule(str(name)) or f"\0{number}" for number, name in enumerate(result.ids.to_pylist())], pa.large_string()
    )
    pairs = result.pairs.combine_chunks()
    ends = [pc.index_in(pairs[side], value_set=result.ids).combine_chunks() for side in "ab"]
    strangers = pc.not_equal(*(authors.take(end) for end in ends))
    left_out = pairs.num_rows - (pc.sum(strangers).as_py() or 0)
    if left_out:
        scores = pairs.filter(strangers)
        result = _with_pairs(result, [end.filter(strangers) for end in ends], scores)
    return result, Authors(given, rule, left_out)


def _with_pairs(result: Result, ends: list[pa.Array], scores: pa.Table) -> Result:
    from lookalike.result import Result as Made
    from lookalike.search.found import Found

    def shares(name: str) -> bytes:
        return array("d", scores[name].to_pylist()).tobytes()

    found = Found(
        classes=array("I", range(result.documents)).tobytes(),  # each document by itself: copies may be left out too
        a=array("I", ends[0].to_pylist()).tobytes(),
        b=array("I", ends[1].to_pylist()).tobytes(),
        jaccard=shares("jaccard"),
        containment_a=shares("containment_a"),
        containment_b=shares("containment_b"),
        candidates=result.candidates,
    )
    return Made(
        found=found,
        **{
            name: getattr(result, name)
            for name in (
                *("ids", "threshold", "recipe", "method", "metric", "bands", "recall", "linkage", "order"),
                *("skipped", "notes", "timings", "lengths", "old_from", "source"),
            )
        },
    )
