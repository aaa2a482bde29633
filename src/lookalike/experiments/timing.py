"""How a time is measured: the best of several runs, each long enough for the clock."""

from __future__ import annotations

import gc
import math
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["best_time"]


def best_time(work: Callable[[], object], repeats: int = 5, least: float = 0.005) -> float:
    """Return the seconds of one call: the best of `repeats` runs, each of as many calls as take `least` seconds.

    The best, not the mean: what else the machine does can only add to a time. The first call, which fills caches, is
    not counted unless it is the only one.

    >>> best_time(lambda: sum(range(1000))) > 0
    True
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        first = _run(work, 1)
        calls = max(1, math.ceil(least / max(first, 1e-9)))
        if calls > 1:  # the first call is often slower than the others: count again with what they take
            calls = max(1, math.ceil(least * calls / max(_run(work, calls), 1e-9)))
        return min((_run(work, calls) / calls for _ in range(repeats)), default=first)
    finally:
        if collecting:
            gc.enable()


def _run(work: Callable[[], object], calls: int) -> float:
    start = perf_counter()
    for _ in range(calls):
        work()
    return perf_counter() - start
