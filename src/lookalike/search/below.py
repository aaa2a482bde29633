"""Pairs that a search did not list because of its threshold, although they share passages."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from lookalike import checks
from lookalike.documents import Both, Kept
from lookalike.documents.memory import MemorySource
from lookalike.engine.strategy import Asked
from lookalike.errors import LookalikeError
from lookalike.presets import PRESETS
from lookalike.search.find import Task, assembled
from lookalike.search.inputs import Documents
from lookalike.search.run import Run
from lookalike.tables.found import MEASURES, Found
from lookalike.text.counted import check_min_words

if TYPE_CHECKING:
    from lookalike.documents import Source
    from lookalike.recipe import Recipe
    from lookalike.result import Result

__all__ = ["LEAST", "MOST_CHARACTERS", "MOST_DOCUMENTS", "count_more", "find_below", "search_lower", "shortest_passage"]

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


def find_below(result: Result) -> Result | None:
    """Search the documents of a small collection again for shared passages; None where that would take long.

    The recipe, and what does not count, are those of the result; a pair is listed if a tenth of its shorter document
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
    new, *old = (Documents(source, skip, None) for source in _sources(result))
    run = Run(asked, new, old[0] if old else None, 0, None, memory=None, work=None, order=None)
    task = Task(asked, None, "star", None, 0)
    return assembled(task, new, old[0] if old else None, run.search(), (), templates, started, run)


def search_lower(result: Result, *, threads: int = 0) -> Result:
    """Return the same result with the pairs below its threshold as well: `rethreshold` can then go down to `LOWEST`.

    The documents are searched again, exactly, with all that was left out before. What was not searched exactly, would
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
    opened = [Documents(part, uncounted.skip, None) for part in _sources(result)]
    old = opened[1] if len(opened) > 1 else None
    run = Run(asked, opened[0], old, checks.threads(threads), None, memory=None, work=None, order=result.order)
    try:
        searched = run.search()
    except (LookalikeError, OSError):  # the source is gone since; what was found stays
        return result
    if searched.found["hot"] or searched.lengths.tolist() != list(lengths):
        return result
    return result.with_lower(Found.of_core(searched.found), LOWEST)


def shortest_passage(recipe: Recipe) -> int:
    """Return how long a passage has to be that means something, in units of the recipe."""
    words = PRESETS["essays"].min_words or 1
    return words if recipe.unit == "word" else words * _LETTERS


def count_more(result: Result, below: Result) -> int:
    """Return how many pairs of the second search are not in the first."""
    listed = set(zip(result.listed.values("a"), result.listed.values("b"), strict=True))
    return sum(pair not in listed for pair in zip(below.listed.values("a"), below.listed.values("b"), strict=True))


def _is_quick(result: Result) -> bool:
    """Tell whether a second search takes no time that anybody would notice."""
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
    """Tell whether the texts are in memory, or in a table that native readers read."""
    if isinstance(source, Kept):
        return source.is_kept
    return isinstance(source, MemorySource) or source.tables() is not None
