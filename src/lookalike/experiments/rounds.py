"""Times of many pieces of work that are compared with each other: measured in rounds, not one after the other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lookalike.experiments.experiment import each
from lookalike.experiments.timing import best_time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lookalike.experiments.experiment import Progress

__all__ = ["best_times"]


def best_times(
    works: Sequence[Callable[[], object]], progress: Progress, *, rounds: int = 5, least: float = 0.0005
) -> list[float]:
    """Return the seconds of one call of each work: the best of several rounds through all of them.

    A machine that is busy for a second then spoils one round of many works, not all rounds of a few, and what the best
    of the rounds shows is a difference of the works.

    >>> times = best_times([lambda: sum(range(100)), lambda: sum(range(10_000))], lambda share: None)
    >>> times[0] < times[1]
    True
    """
    best = [math.inf] * len(works)
    for place in each([place for _ in range(rounds) for place in range(len(works))], progress):
        best[place] = min(best[place], best_time(works[place], 1, least))
    return best
