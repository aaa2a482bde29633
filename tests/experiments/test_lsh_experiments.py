"""LSH at each threshold, and the S-curve: counts that add up, and frequencies as the theory says."""

from __future__ import annotations

import random
from statistics import fmean, stdev

import pytest

import lookalike as la
from lookalike.experiments import Setup, Table, data, lsh_bands, lsh_quality
from tests.experiments.quick import IN_ONE_WORKER, changed, findings, measured
from tests.statistics.bounds import SIGMAS, binomial_range

pytestmark = IN_ONE_WORKER
PAIRS = 190


# -- LSH at each threshold -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def quality() -> Table:
    return measured("lsh-quality")


def test_every_rule_threshold_and_size_has_its_row(quality: Table) -> None:
    assert quality.distinct("threshold") == [0.0, 0.2, 0.42, 0.64, 0.8, 1.0]
    assert len(quality.rows) == 2 * 6 * len(quality.distinct("k"))
    assert [column.name for column in quality.columns][5:9] == [
        "numCandidatePairs",
        "trueCopyPairsDetected",
        "falsePositivePairs",
        "falseNegativePairs",
    ]


def test_counts_add_up(quality: Table) -> None:
    names = (*lsh_quality.COUNTS, "truePairs", "falseNegativesOfReport")
    for candidates, found, false, missed, true, reported in zip(*map(quality.numbers, names), strict=True):
        assert found + false == candidates <= PAIRS
        assert found + missed == true <= PAIRS
        assert reported >= 20  # the pairs of a document with itself, whatever was found


def test_shuffles_have_the_same_letters(quality: Table) -> None:
    # k = 1: every pair is equal, so it is a candidate by any bands, and true at any threshold.
    for name in ("numCandidatePairs", "truePairs", "trueCopyPairsDetected"):
        assert set(quality.where(k=1).numbers(name)) == {PAIRS}


def test_at_threshold_0_every_pair_is_true_and_no_bands_promise_it(quality: Table) -> None:
    rows = quality.where(threshold=0.0)
    assert set(rows.numbers("truePairs")) == {PAIRS}
    assert lsh_quality.bands_for("divisors", 0.0) == la.Bands(500, 1)
    assert lsh_quality.bands_for("recall", 0.0) is None
    without = rows.where(rule="recall")
    assert set(without.numbers("bands")) == {0}
    assert set(without.numbers("numCandidatePairs")) == {PAIRS}


def test_at_threshold_1_nothing_is_missed(quality: Table) -> None:
    rows = quality.where(threshold=1.0)
    assert set(rows.numbers("falseNegativePairs")) == set(rows.numbers("falsePositivePairs")) == {0.0}


@pytest.mark.parametrize("k", [3, 5])
@pytest.mark.parametrize("rule", lsh_quality.RULES)
@pytest.mark.parametrize("threshold", [0.2, 0.42, 0.64, 0.8])
def test_as_many_candidates_as_expected(k: int, rule: str, threshold: float) -> None:
    # Pairs of one collection depend on each other, collections do not: so the differences of 40 collections are tested.
    bands = lsh_quality.bands_for(rule, threshold)
    differences, missed, true = [], 0, 0
    for seed in range(40):
        recipe = la.Recipe(unit="char", k=k, sketch="classic", family="modular", hashes=500, seed=seed)
        texts = data.permutations(Setup(seed=seed), 8)
        exact = lsh_quality.exact_similarities(texts, recipe)
        counts = lsh_quality.count(exact, la.sign(texts, recipe), bands, threshold)
        differences.append(counts[0] - counts[5])
        missed, true = missed + counts[3], true + counts[4]
    assert abs(fmean(differences)) <= SIGMAS * stdev(differences) / 40**0.5 + 0.05
    if rule == "recall" and true:
        assert missed <= binomial_range(true, 0.01)[1]


def test_verdicts_on_lsh(quality: Table) -> None:
    found = findings("lsh-quality")
    assert (found["ours-missed"], found["B-lsh-k"], found["ours-B-recall"]) == ("does not hold", "holds", "holds")
    assert lsh_quality.missed_share(quality.where(rule="recall")) < 0.01
    assert lsh_quality.missed_share(quality.where(rule="divisors")) > 0.01


def test_the_verdict_on_time_follows_the_ratios_of_the_rounds(quality: Table) -> None:
    def judged(low: float, high: float) -> str:
        table = quality
        for name in ("toExact", "toCutAnew"):
            for end, value in (("Low", low), ("", (low + high) / 2), ("High", high)):
                table = changed(table, f"{name}{end}", lambda _row, value=value: value)  # type: ignore[misc]
        return findings("lsh-quality", table)["B-lsh-few"]

    assert (judged(2, 3), judged(0.2, 0.5), judged(0.5, 2)) == ("holds", "does not hold", "undecided")


# -- the S-curve -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def curve() -> Table:
    return measured("s-curve")


def test_measured_shares_follow_the_formula(curve: Table) -> None:
    names = ("bands", "rows", "similarity", "pairs", "candidates", "theory")
    for b, r, s, pairs, candidates, theory in zip(*map(curve.numbers, names), strict=True):
        assert theory == pytest.approx(1 - (1 - s**r) ** b, abs=1e-9)
        least, most = binomial_range(int(pairs), theory)
        assert least <= candidates <= most, (b, r, s)


@pytest.mark.parametrize("shape", lsh_bands.SHAPES)
def test_the_rule_of_the_textbooks_is_not_the_half_point(curve: Table, shape: tuple[int, int]) -> None:
    bands = la.Bands(*shape)
    assert bands.probability(bands.half_point) == pytest.approx(0.5)
    assert bands.probability(bands.rule_threshold) == pytest.approx(1 - (1 - 1 / shape[0]) ** shape[0])
    assert 0.63 < bands.probability(bands.rule_threshold) < 0.66
    at_rule, theory = lsh_bands.measured_and_theory(curve, bands, bands.rule_threshold)
    assert abs(at_rule - theory) <= SIGMAS * (0.25 / 300) ** 0.5


def test_verdicts_on_the_curve(curve: Table) -> None:
    assert curve is measured("s-curve")
    assert list(findings("s-curve").values()) == ["holds", "does not hold", "holds", "holds in part"]


def test_the_verdict_on_the_formula_can_fail(curve: Table) -> None:
    place = curve.position("measured")
    rows = [(*row[:place], 0.5, *row[place + 1 :]) for row in curve.rows]
    found = findings("s-curve", Table(curve.columns, rows))
    assert (found["ours-formula"], found["A-5-threshold"]) == ("does not hold", "holds")


@pytest.mark.parametrize("similarity", [0.05, 0.3, 0.5, 0.9])
def test_planted_pairs_have_the_similarity(similarity: float) -> None:
    a, b = lsh_bands.pair_of_sets(random.Random(1), similarity)
    assert la.jaccard(set(a), set(b)) == pytest.approx(similarity, abs=0.004)
