"""Timing, with a clock that does what the test says."""

from __future__ import annotations

import gc
from itertools import chain, repeat
from typing import TYPE_CHECKING

import pytest

from lookalike.experiments import timing

if TYPE_CHECKING:
    from collections.abc import Iterable


class Clock:
    """Each call of the work takes the next of these seconds."""

    def __init__(self, seconds: Iterable[float]) -> None:
        self.now = 0.0
        self.calls = 0
        self._seconds = iter(seconds)

    def work(self) -> None:
        self.calls += 1
        self.now += next(self._seconds)


def use(monkeypatch: pytest.MonkeyPatch, *seconds: float, then: float = 0.0) -> Clock:
    clock = Clock(chain(seconds, repeat(then)))
    monkeypatch.setattr(timing, "perf_counter", lambda: clock.now)
    return clock


def test_the_best_of_the_runs_counts_and_the_first_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = use(monkeypatch, 0.1, 5.0, 3.0, 4.0)
    assert timing.best_time(clock.work, repeats=3) == pytest.approx(3.0)
    assert clock.calls == 4


def test_without_repeats_the_first_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = use(monkeypatch, 7.0)
    assert timing.best_time(clock.work, repeats=0) == 7.0
    assert clock.calls == 1


def test_short_work_is_repeated_until_the_clock_can_see_it(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = use(monkeypatch, 0.004, then=0.001)  # the first call is slower, and 0.1 s are wanted
    assert timing.best_time(clock.work, repeats=2, least=0.1) == pytest.approx(0.001)
    assert clock.calls == 1 + 25 + 2 * 100


def test_the_garbage_collector_is_as_it_was_before() -> None:
    seen = []
    timing.best_time(lambda: seen.append(gc.isenabled()), repeats=1, least=0.0)
    assert not any(seen)
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError):
        timing.best_time(lambda: 1 / 0)
    assert gc.isenabled()
