"""`--group-by`: documents of one author are not compared with each other."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from lookalike.errors import RecipeError
from lookalike.result.pairs import only_pairs
from lookalike.tables.wording import count
from lookalike.urls import is_url, shown_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lookalike.documents.metadata import Metadata
    from lookalike.result import Result

__all__ = ["KNOWN", "Authors", "Rule", "author_rule", "by_author", "known_rule", "left_out"]

_RULE = "dir, author, label, or a regular expression with one group, which is the author"
KNOWN: Final = ("author", "label")
"""Columns of --meta that can tell who belongs together."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How the author of a document is told."""

    given: str
    """As it was typed."""
    author: Callable[[int, str], str | None]
    """The author, by the number and the id of the document; None if it has none that is known."""


@dataclass(frozen=True, slots=True)
class Authors:
    """Who wrote what, and what was left out for it."""

    rule: Rule
    left_out: int
    """How many pairs had two documents of one author."""


def author_rule(given: str, paths: Sequence[str]) -> Rule:
    r"""Return the rule that tells the author of a document by its id.

    `dir` is the folder right below a PATH: with essays/ that holds essays/ann/one.txt, the author is ann.

    >>> author_rule("dir", ["essays/"]).author(0, "essays/ann/draft/one.txt")
    'ann'
    >>> author_rule(r"/(\w+)_", []).author(0, "essays/ann_2.txt")
    'ann'
    """
    if given in KNOWN:
        raise RecipeError("--group-by", given, "used with --meta FILE, which has that column")
    if given == "dir":
        folders = sorted((_plain(path) for path in paths), key=len, reverse=True)
        return Rule(given, lambda _, name: _folder(name, folders))
    try:
        pattern = re.compile(given)
    except re.error as error:
        raise RecipeError("--group-by", given, _RULE, str(error)) from None
    if pattern.groups != 1:
        raise RecipeError("--group-by", given, _RULE, "put the author in (brackets)")
    return Rule(given, lambda _, name: found[1] if (found := pattern.search(name)) else None)


def _plain(path: str) -> str:
    return shown_url(path).rstrip("/") if is_url(path) else PurePath(path).as_posix()


def known_rule(given: str, metadata: Mapping[int, Metadata]) -> Rule:
    """Return the rule that takes the author, or the label, from the metadata of documents by their numbers."""
    told = {number: values.author if given == "author" else values.label for number, values in metadata.items()}
    if not any(told.values()):
        raise RecipeError("--group-by", given, f"a column of the metadata, which has no {given}")
    return Rule(given, lambda number, _: told.get(number) or None)


def left_out(authors: Authors) -> str:
    """Say what --group-by did."""
    whom = "label" if authors.rule.given == "label" else "author"
    pairs = count(authors.left_out, "pair")
    return f"{pairs} between documents of one {whom} left out (--group-by {authors.rule.given})"


def _folder(name: str, folders: Iterable[str]) -> str | None:
    for folder in folders:
        if name.startswith(f"{folder}/"):
            name = name[len(folder) + 1 :]
            break
    return name.split("/")[0] if "/" in name else None


def by_author(result: Result, rule: Rule) -> tuple[Result, Authors]:
    """Return the result without the pairs of one author, and who wrote what."""
    # A document without an author is an author of its own.
    authors = [rule.author(number, str(name)) or f"\0{number}" for number, name in enumerate(result.id_of)]
    pairs = zip(result.listed.values("a"), result.listed.values("b"), strict=True)
    strangers = [authors[a] != authors[b] for a, b in pairs]
    left_out = strangers.count(False)
    return (only_pairs(result, strangers) if left_out else result), Authors(rule, left_out)
