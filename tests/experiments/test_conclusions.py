"""The eight conclusions of report A: measured as theory says, and judged by what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.experiments import conclusion_verdicts, conclusions
from lookalike.experiments.chance import mean_deviation, spread_of_deviation
from lookalike.experiments.conclusion_verdicts import judge_all, series
from lookalike.experiments.experiment import Setup, Table
from tests.statistics.bounds import SIGMAS, binomial_range

if TYPE_CHECKING:
    from collections.abc import Callable

QUICK = Setup(quick=True)


@pytest.fixture(scope="module")
def table() -> Table:
    return conclusions.EXPERIMENT.measure(QUICK, lambda _share: None)


def with_times(table: Table, conclusion: int, time: Callable[[str, float], float]) -> Table:
    """The table with other times: made of the series and x of each row of a conclusion."""
    rows = [
        (*row[:4], time(str(row[1]), float(row[2]))) if row[0] == conclusion and row[4] != "" else row
        for row in table.rows
    ]
    return Table(table.columns, rows)


def findings(table: Table) -> list[str]:
    return [verdict.finding for verdict in judge_all(table)]


def test_there_are_eight_verdicts_on_item_86(table: Table) -> None:
    verdicts = judge_all(table)
    assert [verdict.source for verdict in verdicts] == [f"report A, §9, conclusion {n}" for n in range(1, 9)]
    assert all(verdict.items == (86,) and verdict.numbers for verdict in verdicts)


def test_conclusions_without_times(table: Table) -> None:
    found = findings(table)
    assert [found[0], found[4], found[6]] == ["holds"] * 3


def test_errors_are_those_of_theory(table: Table) -> None:
    for hashes, error in series(table, 5, "measured").items():
        expected, spread = mean_deviation(0.6, int(hashes)), spread_of_deviation(0.6, int(hashes))
        assert abs(error - expected) <= SIGMAS * spread / 60**0.5 + 1e-9


@pytest.mark.parametrize("similarity", [0.5, 0.9])
def test_candidates_are_those_of_theory(table: Table, similarity: float) -> None:
    for bands, share in series(table, 7, f"pairs of similarity {similarity}").items():
        shape = la.Bands(int(bands), 200 // int(bands))
        least, most = binomial_range(100, shape.probability(similarity))
        assert least <= 100 * share <= most


def test_modular_is_judged_by_its_time(table: Table) -> None:
    assert findings(with_times(table, 3, lambda name, _x: 1.0 if name == "modular" else 2.0))[2] == "holds"
    assert findings(with_times(table, 3, lambda name, _x: 1.0 if name != "murmur3" else 2.0))[2] == "holds in part"
    assert findings(with_times(table, 3, lambda name, _x: 2.0 if name == "modular" else 1.0))[2] == "does not hold"


def test_a_larger_k_is_judged_by_times(table: Table) -> None:
    assert findings(with_times(table, 2, lambda _name, k: k))[1] == "holds"
    assert (
        findings(with_times(table, 2, lambda name, k: k if name == "exact comparison" else 1.0))[1] == "holds in part"
    )
    assert findings(with_times(table, 2, lambda _name, _k: 1.0))[1] == "does not hold"


def test_quadratic_is_told_from_exponential(table: Table) -> None:
    def quadratic(name: str, n: float) -> float:
        return {"all pairs, exact": n * n / 100, "all pairs of signatures": n * n / 1000 + n}.get(name, n)

    def exponential(name: str, n: float) -> float:
        return 2 ** (n / 25) if name == "all pairs, exact" else n

    judged = with_times(table, 4, quadratic)
    assert findings(judged)[7] == "holds in part"
    assert conclusion_verdicts.exponent(judged, "all pairs, exact") == pytest.approx(2)
    assert conclusion_verdicts.exponent(judged, "signatures and LSH") == pytest.approx(1)
    assert set(conclusion_verdicts.doublings(judged, "all pairs, exact").values()) == {4.0}
    assert findings(with_times(table, 4, exponential))[7] == "holds"
    assert findings(with_times(table, 4, lambda _name, _n: 1.0))[7] == "does not hold"


def test_lsh_matters_if_it_saves_more_and_more(table: Table) -> None:
    def same(_name: str, n: float) -> float:
        return n

    def saving(name: str, n: float) -> float:
        return n * n if name == "all pairs of signatures" else n

    assert findings(with_times(table, 4, same))[5] == "does not hold"
    assert findings(with_times(table, 4, saving))[5] == "holds"
