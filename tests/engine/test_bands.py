from __future__ import annotations

import json
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.engine.bands import Bands, check_bands, choose_bands, s_curve
from lookalike.errors import BandsError

if TYPE_CHECKING:
    from fractions import Fraction

LSH: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "seed_vectors.json").read_text("utf-8"))["lsh"]

some_bands = st.builds(Bands, st.integers(1, 300), st.integers(1, 60))
similarities = st.floats(0, 1)


def read_bands(label: str) -> Bands:
    bands, rows = label.split(",")
    return Bands(int(bands[1:]), int(rows[1:]))


# -- the curve -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("label", "value"), LSH["threshold_approx(1/b)^(1/r)"].items())
def test_rule_threshold(label: str, value: float) -> None:
    assert read_bands(label).rule_threshold == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(("label", "value"), LSH["threshold_exact_P_half"].items())
def test_half_point(label: str, value: float) -> None:
    bands = read_bands(label)
    assert bands.half_point == pytest.approx(value, rel=1e-12)
    assert bands.probability(bands.half_point) == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize(("label", "value"), LSH["P_at_approx_threshold"].items())
def test_the_rule_finds_two_thirds_at_its_own_threshold(label: str, value: float) -> None:
    bands = read_bands(label)
    assert bands.recall(bands.rule_threshold) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(("key", "bands"), [("s_curve_b20_r5", Bands(20, 5)), ("s_curve_b20_r10", Bands(20, 10))])
def test_s_curve_of_the_reports(key: str, bands: Bands) -> None:
    curve = dict(s_curve(bands, points=11))
    for similarity, value in LSH[key].items():
        assert round(curve[float(similarity)], 6) == pytest.approx(value, abs=1e-6)


@given(some_bands, st.fractions(0, 1, max_denominator=1000))
def test_probability_is_the_formula(bands: Bands, similarity: Fraction) -> None:
    exact = 1 - (1 - similarity**bands.rows) ** bands.bands
    # Also where the plain formula in floats would be 0 or lose its digits.
    assert bands.probability(float(similarity)) == pytest.approx(float(exact), rel=1e-12, abs=1e-300)


@given(some_bands, similarities, similarities)
def test_probability_rises_with_similarity(bands: Bands, s: float, t: float) -> None:
    low, high = sorted((s, t))
    assert 0.0 <= bands.probability(low) <= bands.probability(high) <= 1.0


def test_the_ends_of_the_curve_are_certain() -> None:
    for bands in (Bands(1, 1), Bands(26, 8), Bands(1, 65_535), Bands(65_535, 1)):
        assert bands.probability(0) == 0.0
        assert bands.probability(1) == 1.0
        curve = s_curve(bands)
        assert len(curve) == 101
        assert (curve[0], curve[-1]) == ((0.0, 0.0), (1.0, 1.0))


def test_bands_read_well() -> None:
    assert str(Bands(26, 8)) == "26 bands × 8 rows"
    assert str(Bands(1, 1)) == "1 band × 1 row"
    assert Bands(26, 8).hashes_used == 208
    assert Bands(26, 8) == Bands(bands=26, rows=8)
    assert len({Bands(26, 8), Bands(26, 8)}) == 1


# -- choosing by recall ----------------------------------------------------------------------------------------------


@given(st.floats(0.05, 1), st.floats(0.5, 0.999), st.integers(1, 600))
def test_the_choice_keeps_its_promise_and_is_the_most_selective(threshold: float, recall: float, hashes: int) -> None:
    try:
        chosen = choose_bands(threshold, recall=recall, hashes=hashes)
    except BandsError:
        assert Bands(hashes, 1).recall(threshold) < recall
        return
    check_bands(chosen, hashes)
    assert chosen.recall(threshold) >= recall
    if chosen.bands > 1:  # one band fewer would not do
        assert Bands(chosen.bands - 1, chosen.rows).recall(threshold) < recall
    for rows in range(chosen.rows + 1, hashes + 1):  # nor would any number of bands of more rows
        assert Bands(hashes // rows, rows).recall(threshold) < recall


def test_the_default_choice() -> None:
    assert choose_bands(0.8) == Bands(26, 8)


def test_threshold_one_takes_all_hashes_at_once() -> None:
    assert choose_bands(1, hashes=128) == Bands(1, 128)
    assert choose_bands(1.0, hashes=128, recall=0.5) == Bands(1, 128)


def test_an_impossible_recall_says_what_is_possible() -> None:
    with pytest.raises(BandsError) as caught:
        choose_bands(0.01, recall=0.99, hashes=256)
    message = str(caught.value)
    assert message == (
        "with 256 hashes no bands find 99 % of the pairs at 0.01: 256 bands × 1 row find 92.4 %; "
        "459 hashes would do, or the exact join (method='exact') without bands"
    )
    assert choose_bands(0.01, recall=0.99, hashes=459) == Bands(459, 1)
    with pytest.raises(BandsError):
        choose_bands(0.01, recall=0.99, hashes=458)


def test_hashes_that_no_recipe_allows_are_not_proposed() -> None:
    with pytest.raises(BandsError) as caught:
        choose_bands(1e-6, hashes=256)
    assert "would do" not in str(caught.value)


def test_threshold_zero_needs_no_bands() -> None:
    with pytest.raises(BandsError, match="compare all pairs"):
        choose_bands(0.0)


# -- the two other ways ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("label", "expected"), LSH["choose_b_r_approx"].items())
def test_divisors_equal_the_source_report(label: str, expected: list[int]) -> None:
    hashes, threshold = (float(part[1:]) for part in label.split(","))
    assert choose_bands(threshold, hashes=int(hashes), method="divisors") == Bands(*expected)


def test_a_prime_number_of_hashes_leaves_two_divisors() -> None:
    assert choose_bands(0.8, hashes=127, method="divisors") == Bands(1, 127)


@pytest.mark.parametrize(
    ("threshold", "hashes", "expected"),
    [
        (0.5, 128, Bands(25, 5)),
        (0.7, 128, Bands(14, 9)),
        (0.8, 128, Bands(9, 13)),
        (0.9, 128, Bands(5, 25)),
        (1.0, 128, Bands(1, 128)),
        (0.7, 256, Bands(25, 10)),
        (0.8, 256, Bands(17, 15)),
    ],
)
def test_areas_equal_what_the_well_known_corpora_used(threshold: float, hashes: int, expected: Bands) -> None:
    assert choose_bands(threshold, hashes=hashes, method="areas") == expected


def integrate(bands: Bands, low: float, high: float, *, above: bool, steps: int = 2000) -> float:
    width = (high - low) / steps
    values = (bands.probability(low + (i + 0.5) * width) for i in range(steps))
    return math.fsum((1 - value if above else value) * width for value in values)


@pytest.mark.parametrize("threshold", [0.1, 0.35, 0.6, 0.85, 0.97])
@pytest.mark.parametrize(("fp_weight", "fn_weight"), [(0.5, 0.5), (0.1, 0.9), (3.0, 1.0), (0.0, 1.0), (1.0, 0.0)])
def test_areas_are_the_least_by_plain_integration(threshold: float, fp_weight: float, fn_weight: float) -> None:
    def cost(bands: Bands) -> float:
        false_positive = integrate(bands, 0, threshold, above=False)
        return fp_weight * false_positive + fn_weight * integrate(bands, threshold, 1, above=True)

    chosen = choose_bands(threshold, hashes=16, method="areas", fp_weight=fp_weight, fn_weight=fn_weight)
    every = [Bands(b, r) for b in range(1, 17) for r in range(1, 16 // b + 1)]
    assert cost(chosen) <= min(cost(bands) for bands in every) + 1e-5


def test_areas_are_quick() -> None:
    start = time.perf_counter()
    choose_bands(0.8, hashes=256, method="areas")
    assert time.perf_counter() - start < 1.0


# -- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [0, -1, True, 2.0, "2", None])
def test_bands_and_rows_are_whole_numbers(bad: Any) -> None:
    with pytest.raises(BandsError, match="bands must be a whole number of at least 1, not "):
        Bands(bad, 5)
    with pytest.raises(BandsError, match="rows must be a whole number of at least 1, not "):
        Bands(5, bad)
    with pytest.raises(BandsError, match="hashes must be a whole number of at least 1, not "):
        choose_bands(0.8, hashes=bad)
    with pytest.raises(BandsError, match="points must be"):
        s_curve(Bands(2, 2), points=bad)


def test_a_curve_has_two_points() -> None:
    with pytest.raises(BandsError, match="points must be a whole number of at least 2, not 1"):
        s_curve(Bands(2, 2), points=1)


@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan, math.inf, "0.8", None, True])
def test_similarities_are_shares(bad: Any) -> None:
    with pytest.raises(BandsError, match="threshold must be a number from 0 to 1, not "):
        choose_bands(bad)
    with pytest.raises(BandsError, match="similarity must be a number from 0 to 1, not "):
        Bands(2, 2).probability(bad)


@pytest.mark.parametrize("bad", [0, -1, 2, 100, math.nan, "0.99", None])
def test_recall_is_between_zero_and_one(bad: Any) -> None:
    with pytest.raises(BandsError, match="recall must be a number between 0 and 1, not "):
        choose_bands(0.8, recall=bad)


def test_full_recall_is_for_the_exact_join() -> None:
    with pytest.raises(BandsError, match="method='exact'"):
        choose_bands(0.8, recall=1)


def test_other_bad_arguments() -> None:
    with pytest.raises(BandsError, match="method must be 'recall', 'divisors' or 'areas', not 'best'"):
        choose_bands(0.8, method="best")  # type: ignore[arg-type]
    with pytest.raises(BandsError, match="fp_weight must be"):
        choose_bands(0.8, method="areas", fp_weight=-1)
    with pytest.raises(BandsError, match="must not both be 0"):
        choose_bands(0.8, method="areas", fp_weight=0, fn_weight=0)


def test_bands_must_fit_the_signature() -> None:
    check_bands(Bands(16, 8), 128)
    with pytest.raises(BandsError, match="20 bands × 10 rows need 200 hashes, and the signature has 128"):
        check_bands(Bands(20, 10), 128)
