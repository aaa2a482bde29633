"""Every worked example of the source documents that concerns the method (docs/primer.md)."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import pytest

from lookalike import reference as ref
from lookalike.recipe import FAMILIES, Recipe

SEEDS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "seed_vectors.json").read_text("utf-8"))
CHARS = Recipe(unit="char", k=2, punctuation="keep")


def value(entry: dict[str, Any]) -> float:
    assert entry["value"] == float(Fraction(entry["frac"]))
    return float(entry["value"])


# -- I. similarity measures ------------------------------------------------------------------------------------------


def test_item_2_jaccard_of_two_sets() -> None:
    example = SEEDS["jaccard_A_s2"]
    a, b = set(example["A"]), set(example["B"])
    assert (sorted(a & b), len(a | b)) == (example["inter"], example["union_size"])
    assert ref.jaccard(a, b) == value(example)


def test_item_3_jaccard_over_words() -> None:
    example = SEEDS["jaccard_B_ex2.1"]
    s, t = set(example["S"]), set(example["T"])
    assert (len(s & t), len(s | t)) == (example["inter"], example["union"])
    assert ref.jaccard(s, t) == value(example)
    words = Recipe(k=1, lowercase=False)
    texts = ("I love chocolate and pizza", "I love chocolate white")
    assert [set(ref.shingles(text, words)) for text in texts] == [s, t]


def test_items_7_and_100_bags() -> None:
    example = SEEDS["bag_C"]
    a, b = Counter(example["A"]), Counter(example["B"])
    assert ref.bag_jaccard_of_the_report(a, b) == value(example["seed_definition(min/sum)"])
    assert ref.bag_jaccard(a, b) == value(example["standard_multiset(min/max)"])
    assert ref.jaccard(set(a), set(b)) == value(example["set"])
    assert 2 * ref.bag_jaccard_of_the_report(a, b) == value(example["dice(2min/sum)"])
    assert ref.bag_jaccard_of_the_report(a, a) == example["self_similarity"]["seed_definition"]
    assert ref.bag_jaccard(a, a) == example["self_similarity"]["standard"]


def test_item_100_a_bag_is_the_set_of_its_occurrences() -> None:
    example, bags = SEEDS["bag_C"], Recipe(unit="char", k=1, bag=True)
    a, b = (ref.elements(example[name], bags) for name in "AB")
    assert (len(a), len(b)) == (4, 5)
    assert ref.jaccard(a, b) == value(example["standard_multiset(min/max)"])


def test_item_10_cosine_and_euclidean() -> None:
    a, b = Counter("aaab"), Counter("aabbc")
    assert ref.cosine(a, b) == pytest.approx(8 / math.sqrt(10 * 9))
    assert ref.euclidean(a, b) == pytest.approx(math.sqrt(3))
    assert ref.cosine(a, a) == 1.0
    assert ref.euclidean(a, a) == 0.0


# -- II. document representation -------------------------------------------------------------------------------------


def test_items_13_and_14_shingles_of_the_article() -> None:
    example = SEEDS["shingles_C"]
    assert ref.shingles("match", CHARS) == example["match_k2"]
    assert ref.shingles("Its quite sunny today", Recipe(k=2)) == example["words_k2_lowercased"]


@pytest.mark.parametrize("whitespace", ["keep", "collapse", "remove"])
def test_item_15_white_space(whitespace: str) -> None:
    text, example = SEEDS["whitespace_variants"]["text"], SEEDS["whitespace_variants"][whitespace]
    recipe = CHARS.replace(whitespace=whitespace)
    assert "".join(ref.units(text, recipe.replace(lowercase=False))) == example["text"]
    assert "".join(ref.units(text, recipe)) == example["lower"]
    assert sorted(set(ref.shingles(text, recipe))) == sorted(example["k2_sorted"])


def test_item_16_neither_space_nor_punctuation() -> None:
    recipe = Recipe(unit="char", whitespace="remove")
    example = SEEDS["whitespace_variants"]
    assert "".join(ref.units(example["text"], recipe)) == example["no_punct_no_space_lower"]


def test_item_15_touchdown() -> None:
    # MMDS 3.4: without white space the two sentences share a shingle that means nothing.
    sentences = ("The plane was ready for touch down", "The quarterback scored a touchdown")
    example = SEEDS["whitespace_variants"]["mmds_ex3.4_k9"]
    for whitespace in ("keep", "remove"):
        recipe = Recipe(unit="char", k=9, whitespace=whitespace, lowercase=False)
        a, b = (set(ref.shingles(sentence, recipe)) for sentence in sentences)
        assert [sorted(a & b)] == example[whitespace]


def test_item_19_and_52_counts() -> None:
    counts = SEEDS["pair_counts"]
    assert math.comb(20, 2) == counts["C(20,2)"]
    assert math.comb(410, 2) == counts["C(410,2)"]
    assert math.comb(10**6, 2) == counts["C(1e6,2)"]
    assert counts["27^4"] == 27**4
    assert {k: 20 ** int(k) for k in counts["20^k"]} == counts["20^k"]


def test_items_6_and_22_nadal_and_nadia() -> None:
    example = SEEDS["nadal_nadia_B_ex4.1"]
    documents = [ref.shingles(name, CHARS.replace(k=example["k"])) for name in ("Nadal", "Nadia")]
    rows, matrix = ref.characteristic_matrix(documents)
    assert rows == example["rows"]
    assert [list(column) for column in zip(*matrix, strict=True)] == [example["S1"], example["S2"]]
    kinds = ref.row_types(matrix, 0, 1)
    assert kinds._asdict() == example["Q"]
    assert kinds.jaccard == ref.jaccard(set(documents[0]), set(documents[1])) == value(example)
    case_sensitive = [set(ref.shingles(name, CHARS.replace(lowercase=False))) for name in ("Nadal", "Nadia")]
    assert ref.jaccard(*case_sensitive) == value(example["case_sensitive_k2"])


# -- III. MinHash ----------------------------------------------------------------------------------------------------


def test_items_24_and_25_true_permutations() -> None:
    example, rows = SEEDS["minhash_permutation_B_ex4.3"], SEEDS["nadal_nadia_B_ex4.1"]["rows"]
    s1, s2 = (set(ref.shingles(name, CHARS)) for name in ("Nadal", "Nadia"))
    assert ref.minhash_by_permutation(s1, example["perm"]) == example["h_S1"]
    assert ref.minhash_by_permutation(s2, example["perm"]) == example["h_S2"]
    assert ref.minhash_by_permutation(set(), example["perm"]) is None
    equal = sum(
        ref.minhash_by_permutation(s1, order) == ref.minhash_by_permutation(s2, order) for order in permutations(rows)
    )
    assert equal == example["equal_over_all_720_permutations"]
    assert equal / math.factorial(len(rows)) == value(example["ratio"]) == ref.jaccard(s1, s2)


def test_items_27_and_28_signature_matrix() -> None:
    example = SEEDS["signature_C_S1_S4"]
    matrix = example["char_matrix_rows"]

    def h1(x: int) -> int:
        return ref.modular(x, 1, 1, 5)

    def h2(x: int) -> int:
        return ref.modular(x, 3, 1, 5)

    assert [[h(x) for x in range(5)] for h in (h1, h2)] == [example["h1"], example["h2"]]
    assert list(ref.signature_states(matrix, [h1, h2])) == example["after_each_row(null=infinity)"]
    final = ref.signature_matrix(matrix, [h1, h2])
    assert final == example["final"]
    signatures = list(zip(*final, strict=True))
    for names, pair in example["pairs"].items():
        a, b = (int(name[1:]) - 1 for name in names.split(","))
        assert ref.estimate(signatures[a], signatures[b]) == pair["estimate"]
        assert ref.row_types(matrix, a, b).jaccard == value(pair["exact"])


def test_items_8_and_9_infinity_agrees_with_nothing() -> None:
    assert ref.estimate([1, None, 3, None], [1, None, 4, 5]) == 1 / 4
    assert ref.estimate([ref.INFINITY] * 4, [ref.INFINITY] * 4) == 0.0
    for family in FAMILIES:
        assert ref.classic_signature([], 8, 1, family) == [ref.INFINITY] * 8
    assert ref.fast_sketch([], 8, 1) == [ref.INFINITY] * 8
    assert ref.signature_matrix([[0, 1], [0, 1]], [lambda x: x]) == [[None, 0]]
    assert ref.signature_matrix([], [lambda x: x]) == [[]]


@pytest.mark.parametrize(("label", "error"), SEEDS["minhash_std_error"].items())
def test_item_73_standard_error(label: str, error: float) -> None:
    j, h = (float(part[1:]) for part in label.split(","))
    assert math.sqrt(j * (1 - j) / h) == pytest.approx(error)


# -- IV. hash functions ----------------------------------------------------------------------------------------------


def test_items_29_32_33_and_108_modular() -> None:
    example = SEEDS["modular"]
    assert [ref.modular(x, 1, 1, 5) for x in range(5)] == example["(x+1)%5"]
    assert [ref.modular(x, 3, 1, 5) for x in range(5)] == example["(3x+1)%5"]
    assert [ref.modular(x, 3, 1, 6) for x in range(6)] == example["B_(k*p+m)%z_p3_m1_z6"]
    assert [ref.modular(x, 2, 0, 6) for x in range(6)] == example["B_p2_m0_z6"]
    assert [ref.modular(x, 3, 1, 7) for x in range(6)] == example["same_p3_m1_prime7"]
    for n, prime in example["next_prime_strictly_greater"].items():
        assert ref.next_prime(int(n)) == prime
    assert ref.next_prime(-5) == 2


def test_item_34_multiplicative() -> None:
    example = SEEDS["multiplicative"]
    assert math.floor(example["A"] * 2 ** example["w"]) == example["s=floor(A*2^32)"]
    check = example["clrs_check"]
    assert ref.multiplicative(check["k"], p=check["p"]) == check["hash"]
    for bits in (10, 14):
        assert {k: ref.multiplicative(int(k), p=bits) for k in example[f"p{bits}"]} == example[f"p{bits}"]
    real = example["real_form_floor(m*frac(kA))_p10"]
    assert {k: ref.multiplicative_real(int(k), p=10) for k in real} == real


def test_item_35_murmur3() -> None:
    example = SEEDS["murmur3_32"]
    assert len(example["bytes"]) == 23
    for vector in example["bytes"]:
        assert ref.murmur3_32(bytes.fromhex(vector["key_hex"]), vector["seed"]) == vector["hash"]
        assert f"{vector['hash']:08x}" == vector["hex"]
    for vector in example["row_index_as_LE_int32"]:
        h = ref.murmur3_32(vector["row"].to_bytes(4, "little"), vector["seed"])
        assert (h, h % 1000) == (vector["hash"], vector["mod_1000"])
    for vector in example["shingles"]:
        assert ref.murmur3_32(vector["s"].encode(), vector["seed"]) == vector["hash"]


@pytest.mark.parametrize("vector", SEEDS["jenkins_mix"], ids=lambda vector: vector["u32_hex"])
def test_item_36_jenkins(vector: dict[str, Any]) -> None:
    assert ref.jenkins_mix(vector["a"], vector["b"], vector["c"]) == vector["u32"]


@pytest.mark.parametrize("vector", SEEDS["hash_vec"], ids=lambda vector: str(vector["v"]))
def test_items_37_and_111_hash_vec(vector: dict[str, Any]) -> None:
    assert ref.hash_vec32(vector["v"]) == vector["u32"]
    assert ref.hash_vec64(vector["v"]) == vector["u64(size_t seed, 64-bit elements)"]
    if vector["v"]:
        for kind, name in (("hash_vec32", "u32"), ("hash_vec64", "u64(size_t seed, 64-bit elements)")):
            keys = ref.band_keys([*vector["v"], 7], 1, len(vector["v"]), kind)  # type: ignore[arg-type]
            assert keys == [vector[name]]


# -- V. LSH ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["mix64", "hash_vec64", "hash_vec32"])
def test_items_40_and_42_one_band(kind: Any) -> None:
    example = SEEDS["band_partition_B_fig5.1"]
    columns = [[int(digit) for digit in column] for column in example["columns"]]
    found = ref.candidates(columns, bands=1, rows=example["r"], kind=kind)
    assert sorted(found) == [tuple(pair) for pair in example["candidate_pairs_0based"]]


def test_item_41_pairs_are_ordered_and_never_of_one_document() -> None:
    for a, b, pair in SEEDS["ordered_pair_A4_6.4"]["parella_inc"]:
        assert ref.ordered_pair(a, b) == tuple(pair)
    same = [[1, 2, 3, 4]] * 4
    assert ref.candidates(same, bands=2, rows=2) == set(combinations(range(4), 2))


def test_items_59_and_113_bands_do_not_meet_each_other() -> None:
    assert ref.candidates([[1, 2, 9, 9], [8, 8, 1, 2]], bands=2, rows=2, kind="hash_vec64") == set()


def test_item_112_rows_that_do_not_fill_a_band_are_left_out() -> None:
    assert len(ref.band_keys(list(range(10)), bands=3, rows=3)) == 3
    assert ref.band_keys(list(range(10)), 3, 3) == ref.band_keys([*range(9), 77], 3, 3)
    with pytest.raises(ValueError, match="do not fit"):
        ref.band_keys(list(range(10)), bands=4, rows=3)


def test_item_47_verified_candidates() -> None:
    sets = [{1, 2, 3}, {2, 3, 4}, {1, 2, 3}, {9}]
    assert ref.brute_force_join(sets, 0.5) == [(0, 1, 0.5), (0, 2, 1.0), (1, 2, 0.5)]


# -- X. edge cases ---------------------------------------------------------------------------------------------------


def test_item_121_edge_cases() -> None:
    recipe = Recipe(unit="char", k=9)
    assert ref.shingles("short", recipe) == ["short"]
    empty, other = ref.elements("", recipe), ref.elements("a", recipe)
    assert len(empty) == 1
    assert ref.jaccard(empty, empty) == 1.0
    assert ref.jaccard(empty, other) == 0.0
    assert ref.estimate(ref.signature("", recipe), ref.signature("", recipe)) == 1.0
    assert ref.jaccard(set(), set()) == 1.0
    assert ref.jaccard(set(), {1}) == 0.0
    assert ref.containment(set(), set()) == 1.0
    assert ref.containment(set(), {1}) == 0.0
    assert ref.bag_jaccard({}, {}) == ref.cosine({}, {}) == 1.0
    assert ref.cosine({}, {"a": 1}) == 0.0
    assert ref.brute_force_join([{1}], 0.0) == []
