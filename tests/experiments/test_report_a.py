"""The experiments of report A: numbers that must come out, and verdicts that follow the numbers."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.experiments import report_a
from lookalike.experiments.catalogue import by_id
from lookalike.experiments.experiment import Setup, Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from lookalike.experiments.experiment import Cell, Finding

QUICK = Setup(quick=True)


@cache
def measured(name: str, seed: int = 1) -> Table:
    return by_id(name).measure(Setup(seed=seed, quick=True), lambda _share: None)


def findings(name: str, table: Table) -> list[Finding]:
    return [verdict.finding for verdict in by_id(name).judge(table, QUICK)]


def changed(table: Table, column: str, change: Callable[[dict[str, Cell]], Cell]) -> Table:
    """The table with other values in one column, made from the rows as they were."""
    place, names = table.position(column), [each.name for each in table.columns]
    rows = []
    for row in table.rows:
        value = change(dict(zip(names, row, strict=True)))
        rows.append((*row[:place], value, *row[place + 1 :]))
    return Table(table.columns, rows)


# -- the same seed, the same numbers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["similarity-by-k", "approaches", "preprocessing", "exact-times"])
def test_a_seed_decides_all_but_times(name: str) -> None:
    first, second = measured(name), by_id(name).measure(QUICK, lambda _share: None)
    steady = [column.name for column in first.columns if not column.timed]
    assert steady
    assert {column: first.values(column) for column in steady} == {column: second.values(column) for column in steady}


def test_another_seed_makes_other_numbers() -> None:
    assert measured("similarity-by-k").rows != measured("similarity-by-k", 2).rows
    assert measured("precision").rows != measured("precision", 2).rows


# -- item 70 -----------------------------------------------------------------------------------------------------------


def test_similarities_of_190_pairs() -> None:
    table = measured("similarity-by-k").where(kind="shuffles")
    assert table.distinct("k") == list(range(1, 21))
    assert all(len(table.where(k=k).rows) == 190 for k in range(1, 21))
    assert set(table.where(k=1).numbers("similarity")) == {1.0}, "shuffles have the same letters"
    assert all(0 <= value <= 1 for value in table.numbers("similarity"))


def test_similarity_is_judged_by_the_table() -> None:
    table = measured("similarity-by-k")
    assert findings("similarity-by-k", table)[0] == "holds"
    rising = changed(table, "similarity", lambda row: float(row["k"]) / 20)
    assert findings("similarity-by-k", rising)[0] == "does not hold"
    assert findings("similarity-by-k", changed(table, "similarity", lambda _row: 0.0))[2] == "holds"
    assert findings("similarity-by-k", changed(table, "similarity", lambda _row: 0.1))[2:4] == ["does not hold"] * 2


# -- items 71 and 104 --------------------------------------------------------------------------------------------------


def test_hash_times_are_judged_by_times() -> None:
    table = measured("hash-times")
    assert len(table.rows) == 2 * 2 * 6 * 5
    report = changed(table, "time", lambda row: float(row["k"]) ** 0.5 * (1 if row["family"] == "modular" else 3))
    assert findings("hash-times", report) == ["holds"] * 4
    equal = changed(table, "time", lambda _row: 1.0)
    assert findings("hash-times", equal)[:3] == ["does not hold", "holds", "does not hold"]


# -- items 52, 72, 101, 103 --------------------------------------------------------------------------------------------


def test_comparisons_are_counted() -> None:
    table = measured("comparisons")
    for row in table.rows:
        assert (row[2], row[3]) == (math.comb(int(row[0]), 2), math.comb(2 * int(row[0]), 2))
    assert findings("comparisons", table) == ["holds", "does not hold"]
    wrong = changed(table, "comparisons", lambda row: 191 if row["documents"] == 20 else int(row["comparisons"]))
    assert findings("comparisons", wrong)[0] == "does not hold"


def test_three_approaches_find_the_same_pairs() -> None:
    table = measured("approaches")
    for size in table.distinct("documents"):
        part = table.where(documents=size)
        assert set(part.values("found")) == set(part.values("true")) == {int(size) // 10}
    last = table.where(documents=2_000)
    candidates = dict(zip(last.values("approach"), last.numbers("candidates"), strict=True))
    assert candidates["exact"] == candidates["signatures"] == math.comb(2_000, 2)
    assert 200 <= candidates["LSH"] < 0.01 * candidates["exact"]


def test_approaches_are_judged_by_what_they_find() -> None:
    table = measured("approaches")
    assert findings("approaches", table)[0] == "holds"
    lost = changed(table, "found", lambda row: 0 if row["approach"] == "LSH" else int(row["found"]))
    assert findings("approaches", lost)[0] == "does not hold"


def timed_as(power: dict[str, float], scale: dict[str, float]) -> Table:
    def time(row: dict[str, Cell]) -> float:
        name = str(row["approach"])
        return scale[name] * math.pow(float(row["documents"]), power[name])

    return changed(measured("approaches"), "time", time)


def test_approaches_are_judged_by_how_times_grow() -> None:
    scale = {"exact, read anew": 1e-4, "exact": 1e-7, "signatures": 1e-8, "LSH": 1e-8}
    quadratic = {"exact, read anew": 2.0, "exact": 2.0, "signatures": 2.0, "LSH": 1.0}
    _, exponential, limited, infeasible, linear, fastest = findings("approaches", timed_as(quadratic, scale))
    assert (exponential, limited, linear) == ("does not hold", "does not hold", "holds in part")
    assert (infeasible, fastest) == ("holds", "holds")
    steep = dict.fromkeys(scale, 6.0)
    assert findings("approaches", timed_as(steep, scale))[1] == "holds"
    flat = dict.fromkeys(scale, 1.0)
    assert findings("approaches", timed_as(flat, scale))[3:5] == ["does not hold", "holds"]


def test_blanks_make_shuffles_more_alike() -> None:
    table = measured("preprocessing")
    totals = {name: table.where(preprocessing=name) for name in table.distinct("preprocessing")}
    pairs = math.comb(report_a.DOCUMENTS, 2)
    assert [sum(part.numbers("pairs")) for part in totals.values()] == [pairs, pairs]
    letters, everything = (sum(part.numbers("sum of similarities")) / pairs for part in totals.values())
    assert letters + 0.1 < everything
    assert findings("preprocessing", table) == ["does not hold"]
    alike = Table(table.columns, [(name, *row[1:]) for name in totals for row in totals["letters only"].rows])
    assert findings("preprocessing", alike) == ["holds"]


# -- item 73 -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", report_a.SKETCHES)
def test_errors_shrink_as_theory_says(family: str) -> None:
    """The squares of independent errors, in units of their variance, have the mean 1, and a spread that is known."""
    part = measured("precision").where(family=family)
    rows = [row for row in part.rows if int(row[1]) >= 30]
    squares = [((float(row[2]) - float(row[3])) / float(row[4])) ** 2 for row in rows]
    for low, high in ((30, 120), (120, 210), (210, 300)):
        block = squares[low - 30 : high - 30]
        mean = sum(block) / len(block)
        assert mean <= 1 + 4 * math.sqrt(2 / len(block)), (low, high)
        # A fast sketch may vary less than independent functions do, never more.
        assert mean >= (0.1 if family == report_a.FAST else 1 - 4 * math.sqrt(2 / len(block))), (low, high)


def test_the_pair_is_exact_and_every_number_of_hashes_is_there() -> None:
    table = measured("precision")
    assert set(table.numbers("exact")) == {0.6}
    for family in report_a.SKETCHES:
        assert table.where(family=family).values("hashes") == list(range(1, 300))
    assert set(table.where(hashes=1).numbers("estimate")) <= {0.0, 1.0}


def test_precision_is_judged_by_errors() -> None:
    table = measured("precision")
    assert findings("precision", table) == ["holds"] * 3
    biased = changed(table, "estimate", lambda row: float(row["estimate"]) + 0.1)
    assert findings("precision", biased)[2] != "holds"
    leaning = changed(table, "estimate", lambda row: float(row["exact"]) + 0.8 * float(row["standard error"]))
    assert findings("precision", leaning)[2] != "holds"
    growing = changed(table, "estimate", lambda row: float(row["exact"]) + float(row["hashes"]) / 1000)
    assert findings("precision", growing)[:2] == ["does not hold", "does not hold"]


# -- item 74 -----------------------------------------------------------------------------------------------------------


def test_every_divisor_of_240_is_tried() -> None:
    table = measured("lsh-candidates")
    assert table.values("bands") == [b for b in range(1, 241) if 240 % b == 0]
    assert all(b * r == 240 for b, r in zip(table.numbers("bands"), table.numbers("rows"), strict=True))
    assert set(table.values("true")) == {20}
    expected = table.numbers("expected")
    assert expected == sorted(expected), "more bands, more candidates"
    assert findings("lsh-candidates", table) == ["holds", "holds"]
    for row in table.rows:
        assert float(row[2]) == la.Bands(int(row[0]), int(row[1])).half_point
    none = changed(table, "candidates", lambda _row: 0.0)
    assert findings("lsh-candidates", none) != ["holds", "holds"]


def test_exact_times_are_judged_by_times() -> None:
    table = measured("exact-times")
    report = {"exact": 1.0, "estimate, multiplicative": 0.5, "estimate, fast sketch": 0.2}
    slow = changed(table, "time", lambda row: report.get(str(row["way"]), 0.001) * float(row["k"]) ** 0.5)
    assert findings("exact-times", slow)[:2] == ["holds", "holds"]
    same = changed(table, "time", lambda _row: 1.0)
    assert findings("exact-times", same) == ["does not hold"] * 3
