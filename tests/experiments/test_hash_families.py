"""The tests of hash functions, and the reports' functions beside the right ones."""

from __future__ import annotations

import random
from statistics import fmean

import pytest

import lookalike as la
from lookalike.experiments import Table, hash_families
from lookalike.experiments.catalogue import by_id
from lookalike.experiments.hash_families import WAYS, Way, estimate
from lookalike.hashing import FAMILIES
from tests.experiments.quick import IN_ONE_WORKER, QUICK, measured
from tests.statistics.bounds import SIGMAS

pytestmark = IN_ONE_WORKER

# -- avalanche and chi-squared ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mixing() -> Table:
    return measured("hash-quality")


def test_every_family_has_1024_shares_and_its_scores(mixing: Table) -> None:
    for family in FAMILIES:
        assert len(mixing.where(family=family, test="avalanche").rows) == 32 * 32
        assert len(mixing.where(family=family, test="chi-squared z").rows) == 8


def test_murmur3_mixes_and_a_multiplication_does_not(mixing: Table) -> None:
    assert hash_families.worst_share(mixing, "murmur3") <= 6 * 0.5 / 1024**0.5
    assert hash_families.worst_share(mixing, "multiplicative") == 0.5
    below = mixing.where(family="multiplicative", test="avalanche")
    flips = zip(below.numbers("input"), below.numbers("output"), below.numbers("value"), strict=True)
    assert all(share == 0.0 for i, j, share in flips if j < i)  # no carry goes down


@pytest.mark.parametrize("family", ["murmur3", "jenkins"])
def test_mixing_families_are_as_even_as_chance(mixing: Table, family: str) -> None:
    assert max(map(abs, mixing.where(family=family, test="chi-squared z").numbers("value"))) < SIGMAS


def test_verdicts_on_mixing(mixing: Table) -> None:
    assert [verdict.finding for verdict in by_id("hash-quality").judge(mixing, QUICK)] == ["holds", "holds in part"]
    place = mixing.position("value")
    worse = Table(mixing.columns, [(*row[:place], 9.0) for row in mixing.rows])
    assert [verdict.finding for verdict in by_id("hash-quality").judge(worse, QUICK)] == [
        "does not hold",
        "does not hold",
    ]


# -- the families of the reports' programs ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def biased() -> Table:
    return measured("biased-families")


def test_the_pair_has_its_similarity(biased: Table) -> None:
    assert set(biased.numbers("exact")) == {0.6}
    assert len(biased.rows) == len(biased.distinct("run")) * (len(WAYS) + len(FAMILIES))


@pytest.mark.parametrize("family", FAMILIES)
def test_our_families_are_unbiased(biased: Table, family: str) -> None:
    runs = len(biased.distinct("run"))
    bias, _error = hash_families.bias(biased, family, "lookalike: mixed keys")
    assert abs(bias) <= SIGMAS * la.standard_error(0.6, 300 * runs)


@pytest.mark.parametrize("way", [way for way in WAYS if way.kind == "corrected"], ids=lambda way: way.family)
def test_corrected_functions_of_row_numbers_are_near_the_truth(biased: Table, way: Way) -> None:
    # Sorted shingles stand in an order that has nothing to do with the documents, or linear functions would mislead.
    runs = len(biased.distinct("run"))
    bias, _error = hash_families.bias(biased, way.family, way.name)
    assert abs(bias) <= SIGMAS * la.standard_error(0.6, 300 * runs)


@pytest.mark.parametrize(
    ("family", "functions", "least"),
    [
        ("multiplicative", "report A: few bits, 0 skipped", 0.15),
        ("multiplicative", "odd factor and offset, few bits", 0.15),  # so the bits are the cause, not the zero
        ("murmur3", "report A: mod rows, seeds repeat", 0.05),
        ("murmur3", "mod rows, different seeds", 0.05),  # so the modulus is the cause, not the seeds
    ],
)
def test_what_the_programs_do_reads_too_high(biased: Table, family: str, functions: str, least: float) -> None:
    assert hash_families.bias(biased, family, functions)[0] > least


def test_colliding_values_lift_the_estimate_as_theory_says() -> None:
    # Two documents that share nothing, of n = 200 rows each, values at random below m = 400: the least value of one is
    # v with probability (1 − v/m)ⁿ − (1 − (v + 1)/m)ⁿ, and both have the same v in about a quarter of all cases.
    way = next(way for way in WAYS if way.name == "mod rows, different seeds")
    chance = random.Random(1)
    found = fmean(estimate(way, list(range(200)), list(range(200, 400)), 400, 100, chance) for _ in range(10))
    both = sum(((1 - v / 400) ** 200 - (1 - (v + 1) / 400) ** 200) ** 2 for v in range(400))
    assert found == pytest.approx(both, abs=SIGMAS * la.standard_error(both, 1000))


def test_verdicts_on_the_families(biased: Table) -> None:
    verdicts = {verdict.conclusion: verdict.finding for verdict in by_id("biased-families").judge(biased, QUICK)}
    assert verdicts["ours-bias-multiplicative-A"] == verdicts["ours-bias-murmur-A"] == "does not hold"
    place = biased.position("estimate")
    right = Table(biased.columns, [(*row[:place], 0.6) for row in biased.rows])
    assert {verdict.finding for verdict in by_id("biased-families").judge(right, QUICK)} == {"holds"}
