"""Each error of the source reports that can be checked in code: the corrected behaviour, one test for each item."""

from __future__ import annotations

import math
import random
from itertools import combinations
from typing import Any

import pytest

import lookalike as la
from lookalike import hashing
from lookalike.experiments import Setup, catalogue, data
from lookalike.experiments.gallery import CORRECTIONS
from lookalike.experiments.hash_families import WAYS
from lookalike.reference import search as reference_search
from lookalike.reference import sketches as reference_sketches
from lookalike.reference.hash_functions import next_prime

CHARS = la.Recipe(unit="char", k=5)
INFINITY = 2**32 - 1


def functions(name: str, rows: int, hashes: int) -> list[list[int]]:
    """The values of all rows by each function of a report's family."""
    (way,) = (way for way in WAYS if way.name == name)
    return list(way.functions(rows, hashes, random.Random(1)))


def test_every_item_is_there_once() -> None:
    assert [correction.item for correction in CORRECTIONS] == list(range(100, 123))
    assert all(correction.said.endswith(".") and correction.right.endswith(".") for correction in CORRECTIONS)


@pytest.mark.parametrize("correction", CORRECTIONS, ids=lambda correction: str(correction.item))
def test_what_it_is_shown_by_exists(correction: Any) -> None:
    known = {experiment.id: experiment for experiment in catalogue.experiments()}
    if correction.shown.startswith("test_"):
        assert correction.shown in globals()
    else:
        assert correction.item in known[correction.shown].items


def test_item_100_equal_bags_have_1() -> None:
    text = "to be or not to be"
    assert la.bag_jaccard(text, text) == 1.0
    assert la.bag_jaccard_report(text, text) == 0.5


@pytest.mark.parametrize("documents", [2, 20, 410])
def test_item_101_pairs_are_quadratic(documents: int) -> None:
    pairs = len(list(combinations(range(documents), 2)))
    assert pairs == documents * (documents - 1) // 2 == math.comb(documents, 2)


def test_item_102_the_half_point() -> None:
    bands = la.Bands(20, 10)
    assert round(bands.half_point, 4) == 0.7132
    assert round(bands.rule_threshold, 4) == 0.7411
    assert bands.probability(bands.half_point) == pytest.approx(0.5)
    assert bands.probability(bands.rule_threshold) == pytest.approx(0.6415, abs=1e-4)


def test_item_103_one_preparation() -> None:
    # The same shuffles, prepared in report A's two ways: the similarities are not comparable, and recipes refuse it.
    kept = CHARS.replace(whitespace="keep", punctuation="keep", lowercase=False)
    removed = CHARS.replace(whitespace="remove")
    texts = data.permutations(Setup(), 20)
    means = [
        sum(la.jaccard(a, b, recipe=recipe) for a, b in combinations(texts, 2)) / 190 for recipe in (kept, removed)
    ]
    assert means[0] > 1.3 * means[1]
    with pytest.raises(la.MismatchError, match="whitespace"):
        kept.check_same(removed)


def test_item_105_both_units() -> None:
    by_words, by_characters = (la.shingles("Its quite sunny", la.Recipe(unit=u, k=2)) for u in ("word", "char"))
    assert [shingle.text for shingle in by_words] == ["its quite", "quite sunny"]
    assert len(by_characters) == len("its quite sunny") - 1


@pytest.mark.parametrize("family", hashing.FAMILIES)
def test_item_106_signature_of_h_functions(family: str) -> None:
    recipe = la.Recipe(unit="char", k=5, sketch="classic", family=family, hashes=25)  # type: ignore[arg-type]
    signatures = la.sign(["every morning the printer", "opened his workshop"], recipe)
    assert [len(signatures[i]) for i in range(2)] == [25, 25]
    # A document's signature does not depend on the others, so nothing is computed for all of them again.
    assert la.sign(["opened his workshop"], recipe)[0] == signatures[1]


def test_item_107_modular_functions_are_one_to_one() -> None:
    assert {hashing.modular(key, 0, 7, 11) for key in range(11)} == {7}  # what a = 0 would do
    assert hashing.modular(0, 3, 5, 10) == hashing.modular(10, 3, 5, 10)  # what m = x would do
    for values in functions("large prime, random factor", 1000, 50):
        assert len(set(values)) == 1000
    assert hashing.modular(60_000, 60_000, 0, 2**32 - 5) == 3_600_000_000  # beyond a signed 32-bit product


def test_item_108_small_primes_collide() -> None:
    assert [hashing.modular(row, 3, 1, 6) for row in range(6)] == [1, 4, 1, 4, 1, 4]
    collide = [len(set(values)) < 30 for values in functions("report B: small primes, mod rows", 30, 10)]
    assert collide == [True] * 3 + [False] * 7  # 2, 3 and 5 divide 30, the primes from 7 to 29 do not
    prime = next_prime(30)
    assert all(len({hashing.modular(row, a, 1, prime) for row in range(30)}) == 30 for a in range(1, prime))


def test_item_109_few_bits_collide_and_row_0_is_0() -> None:
    few = functions("report A: few bits, 0 kept", 400, 50)
    assert {values[0] for values in few} == {0}
    assert all(len(set(values)) <= 256 for values in few)
    right = functions("odd factor and offset, 32 bits", 400, 50)
    assert len({values[0] for values in right}) == 50
    assert all(len(set(values)) == 400 for values in right)


def test_item_110_modulo_the_rows_collides() -> None:
    # 400 keys in 400 places: 1/e of the places stay empty, give or take 3 %.
    taken = [len(set(values)) for values in functions("mod rows, different seeds", 400, 30)]
    assert sum(taken) / 30 == pytest.approx(400 * (1 - 1 / math.e), rel=0.02)
    assert all(len(set(values)) == 400 for values in functions("32 bits, different seeds", 400, 30))
    repeated = functions("32 bits, seeds repeat", 10, 300)
    assert len({tuple(values) for values in repeated}) < 0.7 * 300  # 1 − 1/e of the seeds are different


def test_item_111_collisions_propose_nothing() -> None:
    # 250 000 keys of 32 bits collide about seven times by chance.
    signatures = la.sign_sets([[n * 0x9E37_79B9_7F4A_7C15 % 2**64] for n in range(250_000)], la.Recipe(hashes=2))
    bands = la.Bands(1, 2)
    documents: dict[int, list[int]] = {}
    for document, (key,) in enumerate(la.band_keys(signatures, bands, key="hash_vec32")):
        documents.setdefault(key, []).append(document)
    colliding = [pair for same in documents.values() for pair in combinations(same, 2)]
    equal = [(a, b) for a, b in colliding if signatures[a] == signatures[b]]
    assert len(colliding) > len(equal), "without a collision this proves nothing"
    assert la.candidates(signatures, bands, key="hash_vec32") == equal


def test_item_112_bands_need_not_divide() -> None:
    assert la.choose_bands(0.8, hashes=199, method="divisors") in (la.Bands(1, 199), la.Bands(199, 1))
    chosen = la.choose_bands(0.8, hashes=199)
    assert chosen.hashes_used < 199
    assert chosen.recall(0.8) >= 0.99
    with pytest.raises(la.BandsError, match="need 200 hashes"):
        la.candidates(la.sign(["a", "b"], la.Recipe(hashes=199)), la.Bands(20, 10))


def test_item_113_bands_do_not_meet() -> None:
    assert reference_search.candidates([[1, 2, 9, 9], [8, 8, 1, 2]], bands=2, rows=2) == set()
    assert reference_search.candidates([[1, 2, 9, 9], [1, 2, 8, 8]], bands=2, rows=2) == {(0, 1)}


def test_item_114_shingles_end_and_unions_are_right() -> None:
    assert [shingle.text for shingle in la.shingles("match", CHARS.replace(k=2))] == ["ma", "at", "tc", "ch"]
    assert la.jaccard({1, 2, 3}, {3, 4}) == 1 / 4


@pytest.mark.parametrize("k", [1, 3, 5, 9])
def test_item_115_shingles_are_bounded(k: int) -> None:
    for text in data.permutations(Setup(), 5):
        units = len(la.units(text, CHARS))
        assert len(la.shingles(text, CHARS.replace(k=k))) == units - k + 1


def test_item_116_jenkins_has_32_bits() -> None:
    assert hashing.jenkins_mix(1, 2, 3) == 3_082_062_082  # above 2³¹: a signed number would be negative
    values = [hashing.jenkins_mix(a, 7, c) for a in (2, 3, 2**32 - 1) for c in (0, 2**32 - 1)]
    assert all(0 <= value < 2**32 for value in values)


def test_item_117_no_document_is_its_own_copy() -> None:
    texts = [*data.permutations(Setup(), 5), *data.permutations(Setup(), 5)]
    signatures = la.sign(texts, CHARS)
    found = la.candidates(signatures, la.Bands(20, 5))
    assert all(a < b for a, b in found)
    assert {(i, i + 5) for i in range(5)} <= set(found)


def test_item_118_infinity_and_saturation() -> None:
    signatures = la.sign_sets([[], [], [1]], la.Recipe(sketch="classic", hashes=64))
    assert signatures[0] == [INFINITY] * 64
    assert signatures.estimate(0, 1) == signatures.estimate(0, 2) == 0.0
    # The number of different shingles comes to rest at a k that depends on the length of the text: the words of one
    # book are the same in a short part and a long one.
    text = data.book(Setup(), 64_000)
    short, long = (saturation(text[:size]) for size in (1000, 64_000))
    assert short + 2 <= long


def saturation(text: str) -> int:
    """The least k at which 95 % of the windows of a text are different."""
    for k in range(1, 65):
        found = [s.text for s in la.shingles(text, CHARS.replace(k=k))]
        if len(set(found)) >= 0.95 * len(found):
            return k
    return 65


def test_item_119_positions_not_values() -> None:
    matrix = la.characteristic_matrix({"S1": "Nadal", "S2": "Nadia"}, CHARS.replace(k=2))
    kinds = matrix.row_types("S1", "S2")
    assert kinds.jaccard == kinds.d / (kinds.b + kinds.c + kinds.d) == 1 / 3
    # The same values at other positions: as sets they are equal, as signatures nothing agrees.
    assert reference_sketches.estimate([1, 2, 3], [2, 3, 1]) == 0.0
    assert la.jaccard({1, 2, 3}, {2, 3, 1}) == 1.0


@pytest.mark.parametrize("bits", [32, 64])
def test_item_120_keys_keep_numbers_apart(bits: int) -> None:
    assert hashing.hash_vec([1, 23], bits=bits) != hashing.hash_vec([12, 3], bits=bits)
    assert reference_search.candidates([[1, 23], [12, 3], [1, 23]], bands=1, rows=2) == {(0, 2)}


def test_item_121_edge_cases() -> None:
    with pytest.raises(la.RecipeError, match="k must be"):
        la.Recipe(k=0)
    assert [shingle.text for shingle in la.shingles("cat", CHARS)] == ["cat"]
    assert la.jaccard("", "") == 1.0
    assert la.jaccard("", "cat") == 0.0
    assert la.find(["one document"]).pairs.num_rows == 0


def test_item_122_shuffles_have_a_seed() -> None:
    first, again, other = (data.permutations(Setup(seed=seed), 3) for seed in (1, 1, 2))
    assert first == again != other
    assert len({tuple(sorted(text.split())) for text in (*first, *other)}) == 1
