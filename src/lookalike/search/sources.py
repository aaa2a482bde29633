"""Where the text of one document comes from: it is compared with all others, however little each of them has of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lookalike import checks
from lookalike.errors import DocumentError
from lookalike.result.pairs import only_pairs
from lookalike.search.find import find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lookalike.recipe import Recipe
    from lookalike.result import Result
    from lookalike.result.sources import Sources

__all__ = ["find_sources", "sources"]

_ANY: Final = 1e-9
"""A threshold that one shared shingle reaches."""


def sources(
    text: str,
    documents: Any,
    *,
    name: str = "document",
    recipe: Recipe | None = None,
    least: int | None = None,
    ignore: Iterable[str] = (),
    skip: Iterable[str] = (),
    threads: int = 0,
) -> Sources:
    """Find all `documents` that have passages of a text, and how much of it is found in any of them.

    `documents` is what `find` takes: texts, a path, a table. `least` is the length of the shortest passage, by default
    8 words or 40 characters; `ignore` and `skip` leave text out, as in `find`.

    >>> text = "one two three four five six seven eight nine"
    >>> found = sources(text, ["zero one two three four five six seven eight"])
    >>> found.share, found.sources[0].passages
    (0.8888888888888888, (Passage(a_start=0, a_end=39, b_start=5, b_end=44, units=8),))
    """
    found = find_sources(text, documents, name=name, recipe=recipe, ignore=ignore, skip=skip, threads=threads)
    return found.sources(name, least=least)


def find_sources(
    text: str,
    documents: Any,
    *,
    name: str = "document",
    recipe: Recipe | None = None,
    ignore: Iterable[str] = (),
    skip: Iterable[str] = (),
    threads: int = 0,
    is_itself: Callable[[str | int], bool] | None = None,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> Result:
    """Do the search of `sources`: the pairs of the text with every document that shares a shingle with it.

    `is_itself` tells by its id whether one of the documents is the text itself, which is then left out.
    """
    if not checks.text("text", text).strip():
        raise DocumentError(name, "file", "is empty", "there is nothing to look for")
    asked: dict[str, Any] = {"recipe": recipe, "ignore": ignore, "skip": skip, "threads": threads}
    result = find({name: text}, _ANY, metric="containment", against=documents, progress=progress, **asked)
    if is_itself is None:
        return result
    own = {number for number, one in enumerate(result.id_of) if result.id_of.is_old(number) and is_itself(one)}
    return only_pairs(result, [b not in own for b in result.listed.values("b")]) if own else result
