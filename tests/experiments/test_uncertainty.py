"""Timing, with a clock that does what the test says."""

from __future__ import annotations

import gc
from itertools import chain, repeat
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike import reference
from lookalike.experiments import figures

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
    monkeypatch.setattr(figures, "process_time", lambda: clock.now)
    return clock


def quiet(_share: float) -> None:
    """Tell nobody."""


def test_each_round_is_kept_and_the_first_call_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = use(monkeypatch, 0.1, 5.0, 3.0, 4.0)
    assert figures.in_rounds([clock.work], quiet, rounds=3, least=0.0) == [pytest.approx([5.0, 3.0, 4.0])]
    assert clock.calls == 4


def test_works_take_turns() -> None:
    order: list[str] = []
    figures.in_rounds([lambda: order.append("a"), lambda: order.append("b")], quiet, rounds=3, least=0.0)
    assert "".join(order) == "aabbabab"  # the first round counts how often each has to be called


def test_short_work_is_repeated_until_the_clock_can_see_it(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = use(monkeypatch, 0.004, then=0.001)  # the first call is slower, and 0.1 s are wanted
    assert figures.in_rounds([clock.work], quiet, rounds=2, least=0.1) == [pytest.approx([0.001, 0.001])]
    assert clock.calls == 1 + 25 + 2 * 100


def test_the_garbage_collector_is_as_it_was_before() -> None:
    seen = []
    figures.in_rounds([lambda: seen.append(gc.isenabled())], quiet, rounds=1, least=0.0)
    assert not any(seen)
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError):
        figures.in_rounds([lambda: 1 / 0], quiet)
    assert gc.isenabled()


# -- spreads -----------------------------------------------------------------------------------------------------------


def test_one_spoiled_round_of_many_does_not_count() -> None:
    assert figures.Spread.of([1, 1, 1, 1, 1, 1, 1, 1, 50]) == (1, 1, 1)
    assert figures.Spread.of([1, 2, 50]) == (1, 2, 50), "of few rounds all count"


def test_what_slows_both_works_of_a_round_cancels() -> None:
    assert figures.Spread.of_ratios([2, 20, 4], [1, 10, 2]) == (2, 2, 2)


@pytest.mark.parametrize(
    ("spread", "at_least", "at_most"),
    [
        ((1.6, 1.7, 1.8), "holds", "does not hold"),
        ((0.8, 1.0, 1.1), "does not hold", "holds"),
        ((1.0, 1.6, 2.0), "undecided", "undecided"),
        ((1.3, 1.35, 1.4), "undecided", "undecided"),
    ],
)
def test_a_spread_across_a_cut_is_undecided(spread: tuple[float, float, float], at_least: str, at_most: str) -> None:
    found = figures.Spread(*spread)
    assert found.decide(holds_from=1.5, fails_to=1.2) == at_least
    assert found.decide_below(holds_to=1.2, fails_from=1.5) == at_most


def test_sets_and_texts_are_signed_by_the_core() -> None:
    recipe = la.Recipe(unit="char", k=3, sketch="classic", family="modular", hashes=16)
    text = "the printer opened his workshop"
    elements = [reference.elements(text, recipe)]
    from_text = figures.signing([text], recipe)().slots(0)
    assert figures.signing_sets([sorted(one) for one in elements], recipe)().slots(0) == from_text
