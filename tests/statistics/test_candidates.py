"""Bands propose a pair of similarity s with probability 1 − (1 − sʳ)ᵇ (docs/primer.md §7)."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.recipe import FAMILIES, Recipe
from tests.corpus import pair_of_sets
from tests.statistics.bounds import binomial_range

if TYPE_CHECKING:
    from lookalike.engine.sign import Signatures

SKETCHES: dict[str, dict[str, Any]] = {
    "fast": {"sketch": "fast"},
    **{f: {"sketch": "classic", "family": f} for f in FAMILIES},
}
SHAPES = [(20, 5), (26, 8), (9, 13), (32, 4), (3, 1), (1, 20)]
PAIRS = 1200
SIZE = 300


def signed(recipe: Recipe, shared: int, seed: int) -> Signatures:
    rng = random.Random(seed)
    return la.sign_sets([s for _ in range(PAIRS) for s in pair_of_sets(rng, SIZE, shared)], recipe)


@pytest.mark.parametrize("sketch", SKETCHES)
@pytest.mark.parametrize("shared", [100, 200, 240, 267, 285], ids=lambda s: f"J={s / (2 * SIZE - s):.2f}")
def test_candidates_come_as_often_as_the_curve_says(sketch: str, shared: int) -> None:
    signatures = signed(Recipe(hashes=208, seed=shared, **SKETCHES[sketch]), shared, seed=shared)
    jaccard = shared / (2 * SIZE - shared)
    for shape in SHAPES:
        bands = la.Bands(*shape)
        planted = sum(b == a + 1 and a % 2 == 0 for a, b in la.candidates(signatures, bands))
        least, most = binomial_range(PAIRS, bands.probability(jaccard))
        assert least <= planted <= most, f"{bands} at {jaccard:.3f}: {planted} of {PAIRS}, {least:.0f} to {most:.0f}"


@pytest.mark.parametrize("key", ["mix64", "hash_vec64", "hash_vec32"])
def test_unrelated_documents_are_no_candidates(key: Any) -> None:
    # J = 0: 2.9 million pairs and 26 bands of 8 rows, of which not one agrees by chance; keys that do are refused.
    signatures = signed(Recipe(hashes=208), shared=0, seed=1)
    assert la.candidates(signatures, la.Bands(26, 8), key=key) == []


def test_every_band_proposes_as_often_as_the_others() -> None:
    # A band that read the rows of its neighbour, or none, would stand out.
    shared, bands = 240, la.Bands(26, 8)
    jaccard = shared / (2 * SIZE - shared)
    keys = la.band_keys(signed(Recipe(hashes=208), shared, seed=3), bands)
    equal = [sum(keys[i][band] == keys[i + 1][band] for i in range(0, 2 * PAIRS, 2)) for band in range(bands.bands)]
    least, most = binomial_range(PAIRS, jaccard**bands.rows)
    assert all(least <= n <= most for n in equal), equal
