"""Searches that build on `find`: pairs below the threshold that share passages, and the sources of one text."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from lookalike import checks
from lookalike.documents import Both, Kept
from lookalike.documents.in_memory import MemorySource
from lookalike.engine.strategy import Asked
from lookalike.errors import DocumentError, LookalikeError
from lookalike.presets import PRESETS
from lookalike.result.pairs import only_pairs
from lookalike.search.find import Task, assembled, find
from lookalike.search.intake import SearchInput
from lookalike.search.search_run import Run
from lookalike.tables.found import MEASURES, Found
from lookalike.text.excluded import check_min_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lookalike.documents import Source
    from lookalike.recipe import Recipe
    from lookalike.result import Result
    from lookalike.result.source_matches import Sources

__all__ = [
    "LEAST",
    "MOST_CHARACTERS",
    "MOST_DOCUMENTS",
    "count_more",
    "find_below",
    "find_sources",
    "search_lower",
    "shortest_passage",
    "sources",
]

LEAST: Final = PRESETS["essays"].threshold
"""The share of the shorter document that has to be in the other one."""
MOST_CHARACTERS: Final = 4_000_000
MOST_DOCUMENTS: Final = 5_000
"""Of larger collections nothing is looked for: this second search has to take less than a second."""
LOWEST: Final = 0.02
"""How far down `search_lower` looks: below it, a pair shares less than a sentence or two."""
MOST_SHINGLES: Final = 1_500_000
"""Shingles up to which it looks at all: that takes about a second."""
_LETTERS: Final = 5
"""Characters of a word, where passages are measured in characters."""

_ANY: Final = 1e-9
"""A threshold that one shared shingle reaches."""


def find_below(result: Result) -> Result | None:
    """Search the documents of a small collection again for shared passages; None where that would take long.

    The recipe and the excluded text are those of the result; a pair is listed if a tenth of its shorter document
    is in passages that it shares with the other.

    >>> import lookalike as la
    >>> copied = "the harbour master counts the boats at dawn and writes them into a large green book"
    >>> texts = [f"{copied} while {' '.join(f'{kind}{n}' for n in range(60))}" for kind in ("rope", "sail", "tar")]
    >>> result = la.find(texts)
    >>> result.pair_count, count_more(result, find_below(result))
    (0, 3)
    """
    if not _is_quick(result):
        return None
    started = time.perf_counter()
    recipe = result.recipe.replace(bag=False)
    skip, templates = result.uncounted.skip, result.uncounted.templates
    least = check_min_words(shortest_passage(recipe), recipe)
    asked = Asked(recipe, LEAST, metric="containment", ignored=result.ignored, skip=skip, min_words=least)
    run, new, old = _run_again(result, asked)
    task = Task(asked, None, "star", None, 0)
    return assembled(task, new, old, run.search(), (), templates, started, run)


def search_lower(result: Result, *, threads: int = 0) -> Result:
    """Return the same result with the pairs below its threshold as well: `rethreshold` can then go down to `LOWEST`.

    The documents are searched again, exactly, with the same text excluded. What was not searched exactly, would
    take long, or has more pairs than can be listed, comes back as it is.

    >>> import lookalike as la
    >>> result = search_lower(la.find(["one two three four five six seven", "zero one two three four five eight"]))
    >>> result.pair_count, result.rethreshold(0.02).pair_count
    (0, 1)
    """
    source, lengths = result.source, result.length_of
    size = 0 if lengths is None else sum(lengths)
    small = size <= MOST_SHINGLES * (6 if result.recipe.unit == "word" else 1) and result.documents <= MOST_DOCUMENTS
    exact = result.method in ("exact", "brute") and not result.limited and result.metric not in MEASURES
    if source is None or lengths is None or not small or not exact or result.searched_threshold <= LOWEST:
        return result
    uncounted = result.uncounted
    asked = Asked(
        *(result.recipe, LOWEST, 1.0, "exact", result.metric),
        ignored=result.ignored,
        skip=uncounted.skip,
        min_words=uncounted.min_words,
    )
    try:
        searched = _run_again(result, asked, threads=checks.threads(threads), order=result.order)[0].search()
    except (LookalikeError, OSError):  # the source is gone since; what was found stays
        return result
    if searched.found["hot"] or searched.lengths.tolist() != list(lengths):
        return result
    return result.with_lower(Found.of_core(searched.found), LOWEST)


def _run_again(
    result: Result, asked: Asked, *, threads: int = 0, order: Sequence[int] | None = None
) -> tuple[Run, SearchInput, SearchInput | None]:
    """Return a search of the documents of a result, which has not run yet; and its new and its old documents."""
    new, *others = (SearchInput(source, asked.skip, None) for source in _sources(result))
    old = others[0] if others else None
    return Run(asked, new, old, threads, None, memory=None, work=None, order=order), new, old


def shortest_passage(recipe: Recipe) -> int:
    """Return the length of the shortest meaningful passage, in units of the recipe."""
    words = PRESETS["essays"].min_words or 1
    return words if recipe.unit == "word" else words * _LETTERS


def count_more(result: Result, below: Result) -> int:
    """Return how many pairs of the second search are not in the first."""
    listed = set(zip(result.listed.values("a"), result.listed.values("b"), strict=True))
    return sum(pair not in listed for pair in zip(below.listed.values("a"), below.listed.values("b"), strict=True))


def _is_quick(result: Result) -> bool:
    """Return whether a second search is too quick to be noticed."""
    if result.metric == "containment" and result.threshold <= LEAST:
        return False  # there is nothing below
    if result.method not in ("exact", "brute") or result.limited or result.length_of is None:
        return False
    if result.documents > MOST_DOCUMENTS or sum(result.length_of) > MOST_CHARACTERS:
        return False
    return all(map(_is_at_hand, _sources(result)))


def _sources(result: Result) -> tuple[Source, ...]:
    if isinstance(result.source, Both):
        return result.source.sources
    return () if result.source is None else (result.source,)


def _is_at_hand(source: Source) -> bool:
    """Return whether the texts are in memory, or in a table that native readers read."""
    if isinstance(source, Kept):
        return source.is_kept
    return isinstance(source, MemorySource) or source.tables() is not None


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
