"""Scores that count only what is shared in passages of some length, for all pairs of a search.

Such a score is never higher than the usual one, so the pairs that a search found are all that need another look.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from lookalike.text.counted import in_long_passages, shingles_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet

    from lookalike.recipe import Recipe
    from lookalike.tables.found import Found

__all__ = ["rescored"]

_HELD = 4096
"""Documents whose shingles are remembered while pairs are looked at."""


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
