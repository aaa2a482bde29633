"""The suggested cut: where the distribution of best matches has its valley."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["suggested_cut"]

_STEPS: Final = 200
_FEWEST: Final = 12
"""Fewer documents than this have no distribution to speak of."""
_DEPTH: Final = 0.5
"""A valley is at most this share of the lower of the two hills beside it; anything flatter is a ripple."""


def suggested_cut(best: Sequence[float], low: float, unmatched: int = 0) -> float | None:
    """Return the threshold in the lowest valley of the scores, in whole per cents; None where there is none.

    `best` holds the best score of each document that has one, `low` is the threshold of the search, and `unmatched` is
    the number of documents whose best score is below it. The lowest valley, not the deepest: a cut that hides real
    copies is worse than one that shows a few pairs too many.

    >>> suggested_cut([0.31, 0.33, 0.34, 0.36, 0.38, 0.91, 0.93, 0.96] * 2, 0.3)
    0.65
    >>> suggested_cut([0.9, 0.91, 0.92, 0.93, 0.94, 0.95] * 2, 0.3) is None
    True
    """
    if len(best) + unmatched < _FEWEST or low >= 1.0:
        return None
    width = (1.0 - low) / 18
    places = [low + (1.0 - low) * step / _STEPS for step in range(_STEPS + 1)]
    heights = _smooth([*best, *[low - 1.5 * width] * unmatched], places, width)
    hills = list(map(min, _running_highest(heights, unmatched), _running_highest(heights[::-1])[::-1]))
    depths = [height / hill if hill > 0 else 1.0 for height, hill in zip(heights, hills, strict=True)]
    start = next((step for step, depth in enumerate(depths) if depth <= _DEPTH), None)
    if start is None:
        return None
    end = next((step for step in range(start, len(depths)) if depths[step] > _DEPTH), len(depths))
    # The floor of a wide valley is flat: its middle is as far as possible from both hills.
    least = min(depths[start:end])
    floor = [step for step in range(start, end) if depths[step] <= least + 0.01]
    cut = round(places[floor[len(floor) // 2]], 2)
    return cut if cut > low + 0.015 else None  # at the threshold itself there is nothing to suggest


def _smooth(values: Sequence[float], places: list[float], width: float) -> list[float]:
    """Return how many values lie near each place: a sum of bells."""
    counted = Counter(
        round(value, 3) for value in values
    )  # thousands of documents, at most a thousand different scores
    return [
        sum(times * math.exp(-0.5 * ((value - place) / width) ** 2) for value, times in counted.items())
        for place in places
    ]


def _running_highest(heights: list[float], highest: float = 0.0) -> list[float]:
    made = []
    for height in heights:
        highest = max(highest, height)
        made.append(highest)
    return made
