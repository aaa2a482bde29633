"""Scores that count only what is shared in passages of some length.

A shared shingle counts if it lies in a shared passage of at least `least` units. Such a score is never higher than the
usual one, so the pairs that a search found are all that need another look.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from lookalike import _native, checks
from lookalike.documents.left_out import WALL, WALL_OF_B
from lookalike.errors import RecipeError
from lookalike.settings import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from lookalike.recipe import Recipe
    from lookalike.search.found import Found

__all__ = ["check_min_words", "in_long_passages", "rescored", "shingles_of"]

_HELD = 4096
"""Documents whose shingles are remembered while pairs are looked at."""


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


def shingles_of(text: str, recipe: Recipe, ignored: Iterable[int]) -> frozenset[int]:
    """Return the shingles of a text that count, as a search counts them."""
    _, elements = _native.sets_of([text], b"\1", settings(recipe), list(ignored), 1)
    return frozenset(array("Q", elements))


def in_long_passages(a: str, b: str, recipe: Recipe, least: int) -> set[int]:
    """Return the shingles that lie in passages of at least `least` units, as seen from either text."""
    core = settings(recipe)
    b = b.replace(WALL, WALL_OF_B)
    found: set[int] = set()
    for x, y in ((a, b), (b, a)):
        for start, end, *_ in _native.passages(x, y, core, least):
            found.update(_native.elements(x[start:end], core))
    return found


def rescored(found: Found, text_of: Callable[[int], str], recipe: Recipe, ignored: Sequence[int], least: int) -> Found:
    """Return the pairs with scores that count long passages only; copies are copies, however short."""

    @lru_cache(maxsize=_HELD)
    def shingles(number: int) -> AbstractSet[int]:
        return shingles_of(text_of(number), recipe, ignored)

    names = ("jaccard", "containment_a", "containment_b")
    scores = {name: array("d") for name in names}
    for a, b in zip(array("I", found.a), array("I", found.b), strict=True):
        of_a, of_b = shingles(a), shingles(b)
        shared = of_a & of_b
        if shared:
            shared &= in_long_passages(text_of(a), text_of(b), recipe, least)
        for name, all_of_them in zip(names, (len(of_a | of_b), len(of_a), len(of_b)), strict=True):
            scores[name].append(len(shared) / all_of_them if all_of_them else 0.0)
    made: dict[str, Any] = {name: values.tobytes() for name, values in scores.items()}
    return replace(found, **made)
