"""Two texts of which some parts do not count: quotes, references, template text, short passages.

Where only long passages count, a shared shingle counts if it lies in a run of at least so many units that both texts
have; docs/format.md §4.1 says it exactly.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lookalike import _native, checks
from lookalike.errors import RecipeError
from lookalike.recipe import settings
from lookalike.text.excluded import WALL_OF_B, Span, blanked, check_kinds, left_out, tally
from lookalike.text.uncounted import spans_of, template_shingles

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lookalike.recipe import Recipe

__all__ = ["Counted", "check_min_words", "count"]


@dataclass(frozen=True, slots=True)
class Counted:
    """What counts of two texts."""

    shared: int
    union: int
    shingles_a: int
    shingles_b: int
    estimate: float
    text_a: str
    """As long as the text itself, with walls in the place of what does not count, so that passages end there."""
    text_b: str
    spans: tuple[tuple[Span, ...], tuple[Span, ...]]
    words: tuple[dict[str, int], dict[str, int]]
    """Words that were left out of each, by reason."""


def count(a: str, b: str, recipe: Recipe, ignore: Iterable[str], skip: Iterable[str], min_words: int | None) -> Counted:
    """Compare two texts as a search would that leaves out the same."""
    kinds, least = check_kinds(skip), check_min_words(min_words, recipe)
    templates = template_shingles(recipe, ignore)
    seen = [blanked(text, left_out(text, kinds)) for text in (a, b)]
    core = _settings(recipe, sorted(templates), walls=bool(kinds), least=least)
    of_a, of_b = _shingles(seen, core)
    spans = [spans_of(text, recipe, kinds, templates, templates) for text in (a, b)]
    return Counted(
        shared=_native.shared_in_long_runs(seen[0], seen[1], core),
        union=len(of_a | of_b),
        shingles_a=len(of_a),
        shingles_b=len(of_b),
        estimate=_estimate(of_a, of_b, recipe),
        text_a=blanked(a, spans[0]),
        text_b=blanked(b, spans[1], WALL_OF_B),
        spans=(tuple(spans[0]), tuple(spans[1])),
        words=(tally(a, spans[0]), tally(b, spans[1])),
    )


def _settings(recipe: Recipe, ignored: list[int], *, walls: bool, least: int | None) -> _native.Strategy:
    """Return what a search has that leaves out the same; what it would do with a pair does not matter here."""
    how = {"threshold": 1.0, "method": "exact", "metric": "jaccard", "bands": 1, "rows": 1, "least": 0}
    return _native.Strategy(settings(recipe), ignored=ignored, walls=walls, min_units=least, **how)  # type: ignore[arg-type]


def _shingles(texts: list[str], core: _native.Strategy) -> tuple[frozenset[int], frozenset[int]]:
    """Return the shingles of two texts that count, as a search counts them."""
    offsets, elements = _native.sets_of(texts, core, 1)
    values, size = array("Q", elements), array("Q", offsets)[1]
    return frozenset(values[:size]), frozenset(values[size:])


def _estimate(of_a: frozenset[int], of_b: frozenset[int], recipe: Recipe) -> float:
    """Return what the signatures say; short passages count in them, because a signature knows no places."""
    matrix = _native.SignatureMatrix.of_sets([sorted(of_a), sorted(of_b)], settings(recipe), 1)
    return matrix.agreeing(0, 1) / recipe.hashes


def check_min_words(given: int | None, recipe: Recipe) -> int | None:
    """Return the length in units, or None if it changes nothing, because every shared shingle is as long.

    >>> from lookalike.recipe import Recipe
    >>> check_min_words(12, Recipe(k=5)), check_min_words(5, Recipe(k=5))
    (12, None)
    """
    if given is None:
        return None
    least = checks.whole("min_words", given, 1)
    if recipe.bag:
        raise RecipeError("min_words", given, "left out where repeated shingles count")
    return least if least > recipe.k else None
