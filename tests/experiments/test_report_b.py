"""The experiments of report B: what their tables must hold whatever the machine, and rules that can fail."""

from __future__ import annotations

import math
from itertools import product
from statistics import fmean

import pytest

from lookalike.experiments import (
    Cell,
    Setup,
    Table,
    differences,
    exact_times,
    figures,
    pair_similarity,
    reports,
    signing_times,
)
from lookalike.experiments.catalogue import by_id
from lookalike.experiments.figures import new_figure
from tests.experiments.quick import IN_ONE_WORKER, QUICK, changed, findings, judged, measured
from tests.statistics.bounds import SIGMAS

pytestmark = IN_ONE_WORKER
TABLE_OF = {"modular": "modular", "jenkins": "jenkins"} | dict.fromkeys(("multiplicative", "murmur3", "fast"), "others")

each_sketch = pytest.mark.parametrize("sketch", reports.SKETCHES_B)


def table_of(kind: str, sketch: str) -> Table:
    """Return the rows of one family of hash functions."""
    return measured(f"{kind}-{TABLE_OF[sketch]}").where(functions=sketch)


def mean_of(table: Table, column: str, **wanted: str | int) -> float:
    return fmean(table.where(**wanted).numbers(column))


# -- all of them -----------------------------------------------------------------------------------------------------


def test_every_figure_of_the_report_is_there() -> None:
    shown = {by_id(name).figure for name in ("estimate-modular", "error-modular", "time-jenkins", "figure-bands")}
    assert shown == {
        "report B, figure of §7.1.2.1",
        "report B, figures 5 to 7",
        "report B, figure 9",
        "report B, figure 5.1",
    }


@pytest.mark.parametrize(
    "name",
    [
        "pair-jaccard",
        "pair-time",
        "white-space",
        "lowercase",
        "estimate-jenkins",
        "error-difference-jenkins",
        "shingle-plateau",
    ],
)
def test_a_second_run_gives_the_same_but_for_times(name: str) -> None:
    first = measured(name)
    for kept in (reports.exact, reports.sketch_estimates, reports.reported_estimates):
        kept.cache_clear()
    second = by_id(name).measure(QUICK, lambda _share: None)
    places = [place for place, column in enumerate(first.columns) if not column.timed]
    assert [[row[p] for p in places] for row in first.rows] == [[row[p] for p in places] for row in second.rows]


@pytest.mark.parametrize("name", ["pair-jaccard", "white-space", "error-jenkins"])
def test_another_seed_gives_another_table(name: str) -> None:
    assert measured(name).rows != measured(name, Setup(seed=2, quick=True)).rows


@pytest.mark.parametrize("text", [None, "a b", "To be, or not to be"])
@pytest.mark.parametrize(
    "name",
    [
        "pair-jaccard",
        "white-space",
        "lowercase",
        "estimate-modular",
        "surface-jenkins",
        "error-modular",
        "shingle-plateau",
    ],
)
def test_figures_can_be_drawn_from_any_text(name: str, text: str | None) -> None:
    experiment, setup = by_id(name), Setup(quick=True, text=text)
    table = measured(name) if text is None else experiment.measure(setup, lambda _share: None)
    experiment.judge(table, setup)
    figure = new_figure(lambda empty: experiment.draw(table, setup, empty))
    assert figure.axes
    assert all(axes.has_data() for axes in figure.axes)
    assert any(str(setup.seed) in text.get_text() for text in figure.texts)


# -- exact similarity ------------------------------------------------------------------------------------------------


def test_shuffles_have_the_same_letters_and_less_and_less_else() -> None:
    table = measured("pair-jaccard")
    assert len(table.rows) == 5 * 15
    assert set(table.where(k=1).numbers("similarity")) == {100.0}
    means = [mean_of(table, "similarity", k=k) for k in reports.SIZES]
    assert means == sorted(means, reverse=True)
    assert mean_of(table, "similarity", k=15) < 1


def test_a_pair_shares_about_the_shingles_inside_its_words() -> None:
    # The words are the same, so what lies inside them is shared, but for the blanks at the ends of the two texts.
    table = measured("pair-jaccard")
    for similarity, inside in zip(table.numbers("similarity"), table.numbers("inside"), strict=True):
        assert similarity > inside - 4


def test_the_rule_for_low_similarity_can_give_all_findings() -> None:
    def finding(at_7: float, at_8: float) -> str:
        values = dict.fromkeys(range(1, 7), 50.0) | {7: at_7, 8: at_8} | dict.fromkeys(range(9, 16), 0.0)
        table = Table(pair_similarity.JACCARD_COLUMNS, [(k, 1, value, value) for k, value in values.items()])
        return findings("pair-jaccard", table)["B-7.1.1-low"]

    assert [finding(19, 10), finding(21, 10), finding(21, 20)] == ["holds", "holds in part", "does not hold"]


def test_white_space_makes_shuffles_more_alike() -> None:
    table = measured("white-space")
    kept, removed = table.numbers("kept"), table.numbers("removed")
    assert kept[0] == removed[0] == 100
    assert all(one >= other for one, other in zip(kept, removed, strict=True))
    assert sum(one > other for one, other in zip(kept, removed, strict=True)) >= 8
    assert set(findings("white-space").values()) == {"holds"}
    alike = changed(table, "removed", lambda row: 30.0 if int(row["k"]) > 7 else float(row["removed"]))
    assert findings("white-space", alike)["ours-B-k"] == "does not hold"


def test_case_matters_only_where_there_are_capitals() -> None:
    table = measured("lowercase")
    lower, names, places = (table.where(text=name) for name in ("all lower case", "names", "sentences"))
    assert lower.numbers("ignored") == lower.numbers("counted")
    # Ignoring case, the three texts are one.
    assert lower.numbers("ignored") == names.numbers("ignored") == places.numbers("ignored")
    # A capital that moves with its word leaves the letters the same; one that stays in its place does not.
    assert names.where(k=1).numbers("counted") == [100]
    assert places.where(k=1).numbers("counted")[0] < 95
    assert all(i >= c for i, c in zip(places.numbers("ignored"), places.numbers("counted"), strict=True))


# -- estimates -------------------------------------------------------------------------------------------------------


@each_sketch
def test_one_hash_says_all_or_nothing(sketch: str) -> None:
    runs = [reports.sketch_estimates(QUICK, sketch, 1, k, 6) for k in reports.SIZES]
    assert {value for run in runs for five in run for value in five} == {0.0, 1.0}
    assert set(table_of("estimate", sketch).where(hashes=1).numbers("decided")) == {100.0}


@each_sketch
def test_equal_sets_are_estimated_without_error(sketch: str) -> None:
    rows = table_of("error", sketch).where(k=1)
    assert set(rows.numbers("error")) == set(rows.numbers("expected")) == {0.0}


@each_sketch
def test_estimates_are_right_on_average(sketch: str) -> None:
    table = table_of("estimate", sketch)
    for hashes in reports.HASHES:
        rows = table.where(hashes=hashes)
        off = fmean(rows.numbers("mean")) - fmean(rows.numbers("exact"))
        deviation = math.hypot(*rows.numbers("mean_margin")) / figures.Z / len(rows.rows)
        assert abs(off) <= SIGMAS * deviation, f"{hashes} hashes: {off:+.3f}, standard error {deviation:.3f}"


@each_sketch
def test_the_mean_error_is_what_theory_says(sketch: str) -> None:
    # For each number of hashes, over all k: the expected |error| is exact, and so is its standard error.
    table = table_of("error", sketch)
    for hashes in reports.HASHES:
        rows = table.where(hashes=hashes)
        error, expected = fmean(rows.numbers("error")), fmean(rows.numbers("expected"))
        deviation = math.hypot(*rows.numbers("margin")) / figures.Z / len(rows.rows)
        assert error <= expected + SIGMAS * deviation
        if sketch != "fast":  # which may do better
            assert error >= expected - SIGMAS * deviation


@each_sketch
def test_four_times_the_hashes_halve_the_error(sketch: str) -> None:
    table = table_of("error", sketch)
    few, many = (table.where(hashes=hashes) for hashes in (250, 1000))
    ratio = fmean(few.numbers("error")) / fmean(many.numbers("error"))
    relative = math.hypot(
        *(math.hypot(*r.numbers("margin")) / figures.Z / sum(r.numbers("expected")) for r in (few, many))
    )
    assert abs(ratio - 2) <= 2 * SIGMAS * relative
    assert relative < 0.1  # or the test would say nothing


def test_the_fast_sketch_has_less_error_than_independent_hashes() -> None:
    rows = table_of("error", "fast").where(hashes=1000)
    assert fmean(rows.numbers("error")) < 0.9 * fmean(rows.numbers("expected"))


def test_the_fall_of_the_error_is_judged() -> None:
    found = findings("error-modular")
    assert found["B-7.1.2-error"] == "holds"
    assert found["ours-B-hashes"] in ("holds", "undecided")
    same = changed(measured("error-modular"), "error", lambda _row: 1.0)
    assert set(findings("error-modular", same).values()) == {"does not hold"}


@each_sketch
def test_the_surface_has_every_point_and_agrees_with_the_lines(sketch: str) -> None:
    table, lines = table_of("surface", sketch), table_of("estimate", sketch)
    assert len(table.rows) == 22 * 15
    for hashes, k in product((1, 25, 250, 1000), (2, 7, 15)):
        assert table.where(hashes=hashes, k=k).numbers("estimate") == lines.where(hashes=hashes, k=k).numbers("once")
    assert mean_of(table, "error", hashes=1) > 3 * mean_of(table, "error", hashes=200)
    assert findings("surface-modular")["B-7.1.2-stable"] == "holds in part"


def test_means_of_five_pairs_err_less_than_pairs() -> None:
    found = reports.summary(QUICK, "jenkins", 50, 5)
    assert found.error_of_mean < found.error
    assert found.least <= found.once <= found.most


# -- the report's own modular functions ------------------------------------------------------------------------------


def test_the_shortcut_for_the_reports_functions_is_right() -> None:
    for z in (1, 2, 6, 7, 12, 15):
        for p, m in product((2, 3, 5, 7, 13), range(z)):
            a, b = {row for row in range(z) if row % 3 != 1}, {row for row in range(z) if row % 3 != 0} | {0}
            least = [min((p * row + m) % z for row in rows) for rows in (a, b)] if a and b else []
            assert reports.agree(a, b, p, m, z) == (least[0] == least[1]), (z, p, m)


def test_a_factor_that_divides_the_rows_makes_documents_agree_too_often() -> None:
    # 12 rows, 4 of them shared: J = 1/3. All m in turn give the probability itself.
    a, b = set(range(8)), set(range(4, 12))
    shares = {p: fmean(reports.agree(a, b, p, m, 12) for m in range(12)) for p in (2, 3, 5, 7, 11)}
    assert [shares[p] for p in (5, 7, 11)] == pytest.approx([1 / 3] * 3)
    assert shares[2] > 0.6
    assert shares[3] > 0.6


def test_the_modulus_is_worse_and_not_modular_hashing() -> None:
    table = measured("error-difference-jenkins")
    bias = {h: mean_of(table, "first_bias", first="reported", hashes=h) for h in reports.HASHES}
    assert bias[1] > 10
    assert bias[25] > 1 > bias[1000]
    found = judged("error-difference-jenkins")
    worse = found["B-7.1.2.3-error"]
    assert worse.finding in ("holds in part", "undecided")
    assert worse.numbers["low_reported"] > 0.6
    assert worse.numbers["low_ours"] < 0.5 + 1e-9
    assert found["B-7.1.2.3-first"].finding == found["ours-bias-modular-B"].finding == "does not hold"
    assert found["B-7.1.2.2-one"].finding == "holds in part"


def test_differences_are_differences() -> None:
    table = measured("error-difference-others")
    assert table.distinct("second") == ["multiplicative", "murmur3", "fast"]
    columns = (table.numbers(name) for name in ("first_error", "second_error", "difference", "more", "fewer"))
    for first, second, difference, more, fewer in zip(*columns, strict=True):
        assert difference == pytest.approx(first - second)
        assert 0 <= more + fewer <= reports.runs(QUICK)
    lines = table_of("error", "modular").where(hashes=100, k=5).numbers("error")
    assert table.where(second="fast", hashes=100, k=5).numbers("first_error") == lines


# -- times: their shape, and the rules with made-up times ------------------------------------------------------------


@each_sketch
def test_times_have_their_shingles_beside_them(sketch: str) -> None:
    table = table_of("time", sketch)
    assert len(table.where(round=0).rows) == len(reports.HASHES) * len(reports.sizes(QUICK))
    assert min(table.numbers("texts_time")) > 0
    assert min(table.numbers("sets_time")) >= 0
    first = table.where(hashes=1, round=0)
    windows, shingles = first.numbers("windows"), first.numbers("shingles")
    assert windows == sorted(windows, reverse=True)
    assert all(some <= most for some, most in zip(shingles, windows, strict=True))
    assert shingles[0] < 30


def times(of_hashes: dict[int, float], settles: int) -> Table:
    """Make up a table: a time for each number of hashes, reached at some k, in three rounds."""
    rows: list[tuple[Cell, ...]] = []
    for hashes, k, n in product(reports.HASHES, reports.SIZES, range(3)):
        share, time = min(1.0, k / settles), of_hashes[hashes]
        rows.append(("modular", k, hashes, 340.0 - k, 330 * share, n, time * share, time))
    return Table(signing_times.SIGNING_COLUMNS, rows)


def test_a_steady_rise_is_no_bend() -> None:
    steady = times({h: 40 + 0.3 * h for h in reports.HASHES}, settles=5)
    bent = times({h: 40 + 0.01 * h + 0.5 * max(0, h - 250) for h in reports.HASHES}, settles=5)
    verdict = judged("time-modular", steady)["B-7.1.2-250"]
    assert verdict.finding == "does not hold"
    assert verdict.numbers["above_to_below_250"] == pytest.approx(1)
    assert findings("time-modular", bent)["B-7.1.2-250"] == "holds"


def test_where_the_work_comes_to_rest_can_be_near_words_or_not() -> None:
    by_hashes = {h: 40 + 0.3 * h for h in reports.HASHES}
    found = [findings("time-modular", times(by_hashes, settles=k))["B-7.1.2-rest"] for k in (6, 4, 12)]
    assert found == ["holds", "holds in part", "does not hold"]


def test_the_number_of_shingles_follows_the_length_of_the_text_and_not_of_words() -> None:
    found = judged("shingle-plateau")
    by_word, by_text = found["ours-B-words"], found["ours-B-length"]
    assert (by_word.finding, by_text.finding) == ("does not hold", "holds")
    assert by_word.numbers["stretched"] > 20
    assert abs(by_word.numbers["by_word"]) < 1 < by_text.numbers["by_text"]


def test_the_point_of_rest_and_the_time_can_be_judged_either_way() -> None:
    table = measured("shingle-plateau")

    def rests_at(places: dict[str, int]) -> Table:
        return changed(
            table,
            "shingles",
            lambda row: float(row["windows"]) * (1.0 if int(row["k"]) >= places.get(str(row["text"]), 3) else 0.5),
        )

    by_words = findings("shingle-plateau", rests_at({"words joined in fives": 15}))
    assert (by_words["ours-B-words"], by_words["ours-B-length"]) == ("holds", "does not hold")
    following = changed(table, "time", lambda row: 3 * float(row["shingles"]))
    against = changed(table, "time", lambda row: 1000 - float(row["shingles"]) / float(row["characters"]))
    assert findings("shingle-plateau", following)["ours-B-time"] == "holds"
    assert findings("shingle-plateau", against)["ours-B-time"] == "does not hold"
    assert signing_times.PLATEAU_COLUMNS[-1].timed


def test_the_time_of_a_comparison_is_judged_by_its_growth() -> None:
    table = measured("pair-time")

    def finding(growth: float) -> str:
        made = changed(table, "time", lambda row: growth if int(row["k"]) > 5 else 1.0)
        return findings("pair-time", made)["B-7.1.1-time"]

    assert [finding(1.1), finding(1.3), finding(1.5)] == ["holds", "undecided", "does not hold"]
    assert exact_times.PAIRS_COLUMNS[-1].timed


def test_time_differences_are_judged_by_ratio() -> None:
    def finding(*ratios: float) -> str:
        rows: list[tuple[Cell, ...]] = [
            ("jenkins", k, h, n, 100.0, 100 * ratio, 100 - 100 * ratio)
            for h in reports.HASHES
            for k in reports.SIZES
            for n, ratio in enumerate(ratios)
        ]
        return findings("time-difference-jenkins", Table(differences.TIMES_COLUMNS, rows))["B-7.1.2.3-time"]

    assert finding(1.11, 1.12, 1.1) == "holds", "a tenth more is more, if it is so in every round"
    assert finding(0.8, 0.7, 0.85) == "does not hold"
    assert finding(0.9, 1.2, 1.1) == "undecided"


# -- chance ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("share", "hashes"), [(0.5, 1), (0.3, 7), (0.02, 25), (0.6, 50), (1.0, 9), (0.0, 9)])
def test_the_mean_deviation_is_that_of_a_binomial(share: float, hashes: int) -> None:
    chances = [math.comb(hashes, n) * share**n * (1 - share) ** (hashes - n) for n in range(hashes + 1)]
    deviations = [abs(n / hashes - share) for n in range(hashes + 1)]
    mean = sum(p * d for p, d in zip(chances, deviations, strict=True))
    square = sum(p * d * d for p, d in zip(chances, deviations, strict=True))
    assert figures.mean_deviation(share, hashes) == pytest.approx(mean, abs=1e-12)
    assert figures.spread_of_deviation(share, hashes) == pytest.approx(math.sqrt(max(0, square - mean**2)), abs=1e-7)


@pytest.mark.parametrize(("more", "fewer"), [(5, 5), (9, 1), (1, 9), (20, 10), (0, 4)])
def test_the_sign_test_counts_both_tails(more: int, fewer: int) -> None:
    tries = more + fewer
    tail = sum(math.comb(tries, n) for n in range(min(more, fewer) + 1)) / 2**tries
    assert figures.sign_test(more, fewer) == pytest.approx(min(1, 2 * tail))


def test_intervals_and_lines() -> None:
    low, high = figures.wilson(500, 1000)
    assert (low + high) / 2 == pytest.approx(0.5)
    assert high - low == pytest.approx(2 * figures.Z * 0.5 / math.sqrt(1000 + figures.Z**2))
    assert figures.wilson(0, 0) == (0, 1)
    assert figures.slope([1, 2, 4], [3, 5, 9]) == pytest.approx(2)
    assert figures.correlation([1, 2, 4], [3, 5, 9]) == pytest.approx(1)
    assert figures.correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert figures.correlation([1, 2, 3], [5, 5, 5]) == 0
