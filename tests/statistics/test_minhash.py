"""The reason why MinHash works: P[two slots agree] = J, in every slot and for every pair (docs/primer.md §4)."""

from __future__ import annotations

import random
from itertools import permutations
from typing import Any

import pytest

import lookalike as la
from lookalike import reference as ref
from lookalike.recipe import FAMILIES, Recipe
from tests.corpus import pair_of_sets
from tests.statistics.bounds import binomial_range

SKETCHES: dict[str, dict[str, Any]] = {
    "fast": {"sketch": "fast"},
    **{family: {"sketch": "classic", "family": family} for family in FAMILIES},
}


def test_true_permutations_agree_in_240_of_720() -> None:
    # Nadal and Nadia: two of six shingles in common, so J = 1/3 of all 6! permutations, exactly.
    rows = ("na", "ad", "da", "al", "di", "ia")
    nadal, nadia = set(rows[:4]), {"na", "ad", "di", "ia"}
    equal = sum(
        ref.minhash_by_permutation(nadal, order) == ref.minhash_by_permutation(nadia, order)
        for order in permutations(rows)
    )
    assert equal == 240


@pytest.mark.parametrize(("a", "b"), [({0}, {0}), ({0}, {1}), ({0, 1, 2}, {2, 3}), ({0, 1, 2, 3}, {1, 2, 3, 4, 5})])
def test_true_permutations_agree_in_a_share_of_j(a: set[int], b: set[int]) -> None:
    orders = list(permutations(range(6)))
    equal = sum(ref.minhash_by_permutation(a, p) == ref.minhash_by_permutation(b, p) for p in orders)
    assert equal / len(orders) == pytest.approx(ref.jaccard(a, b), abs=1e-12)


@pytest.mark.parametrize("sketch", SKETCHES)
@pytest.mark.parametrize(("size", "shared"), [(5, 3), (20, 13), (60, 20)])
def test_every_slot_agrees_with_probability_j(sketch: str, size: int, shared: int) -> None:
    recipe = Recipe(hashes=24, seed=9, **SKETCHES[sketch])
    rng = random.Random(size)
    pairs = 3000
    jaccard = shared / (2 * size - shared)
    signatures = la.sign_sets([s for _ in range(pairs) for s in pair_of_sets(rng, size, shared)], recipe)
    agreeing = [0] * recipe.hashes
    for i in range(0, 2 * pairs, 2):
        for slot, (x, y) in enumerate(zip(signatures[i], signatures[i + 1], strict=True)):
            agreeing[slot] += x == y
    least, most = binomial_range(pairs, jaccard)
    assert all(least <= n <= most for n in agreeing), (agreeing, least, most)


@pytest.mark.parametrize("sketch", SKETCHES)
def test_slots_of_different_sets_do_not_agree_by_chance(sketch: str) -> None:
    # 32-bit values of unrelated sets: about (n / h) / 2³⁰ for each slot, so none among 200 000 slots (P[any] < 10⁻³).
    recipe = Recipe(hashes=100, **SKETCHES[sketch])
    rng = random.Random(8)
    signatures = la.sign_sets([s for _ in range(2000) for s in pair_of_sets(rng, 100, 0)], recipe)
    assert sum(signatures.estimate(i, i + 1) for i in range(0, 4000, 2)) == 0.0


@pytest.mark.parametrize("sketch", SKETCHES)
def test_every_element_is_equally_often_the_least(sketch: str) -> None:
    # Which of 8 elements a slot stands for: the union of one element and the others agrees with it in 1/8 of the slots.
    rng = random.Random(12)
    recipe = Recipe(hashes=32, seed=5, **SKETCHES[sketch])
    chosen = [0] * 8
    rounds = 400
    for _ in range(rounds):
        numbers = pair_of_sets(rng, 8, 0)[0]
        signatures = la.sign_sets([numbers, *([x] for x in numbers)], recipe)
        for i in range(8):
            chosen[i] += round(signatures.estimate(0, i + 1) * recipe.hashes)
    assert sum(chosen) == rounds * recipe.hashes
    least, most = binomial_range(rounds * recipe.hashes, 1 / 8)
    assert all(least <= n <= most for n in chosen), chosen
