"""Properties of the method that no worked example shows: the shingle hash, sketches, groups and passages."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lookalike import reference as ref
from lookalike.recipe import FAMILIES, Recipe
from lookalike.reference.hash_functions import first_primes, secrets

u64 = st.integers(0, 2**64 - 1)
sets = st.sets(u64, max_size=12)
bags = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 5))
edges = st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)).filter(lambda pair: pair[0] < pair[1]))


def sketch(elements: set[int], kind: str, hashes: int = 32, seed: int = 1) -> list[int]:
    if kind == "fast":
        return ref.fast_sketch(elements, hashes, seed)
    return ref.classic_signature(elements, hashes, seed, kind)


# -- the shingle hash ------------------------------------------------------------------------------------------------


def test_the_shingle_hash_step_by_step() -> None:
    s0, s1, s2, s3 = secrets(7)
    assert ref.hash_bytes(b"", 7) == ref.fold(s0, s1)
    assert ref.hash_bytes(b"abc", 7) == ref.fold(0x636261 ^ s0, 3 ^ s1)
    assert ref.hash_bytes(b"abcdefghij", 7) == ref.fold(
        int.from_bytes(b"abcdefgh", "little") ^ s0, int.from_bytes(b"cdefghij", "little") ^ s1 ^ 10
    )
    h = ref.fold(s2 ^ 17 ^ int.from_bytes(b"01234567", "little"), s0)
    h = ref.fold(h ^ int.from_bytes(b"89abcdef", "little"), s0)
    assert ref.hash_bytes(b"0123456789abcdefg", 7) == ref.fold(h ^ int.from_bytes(b"9abcdefg", "little"), s1)
    assert ref.hash_units([], unit="word", seed=7) == ref.fold(s3, s2)
    assert ref.hash_units([], unit="char", seed=7) == ref.fold(s0, s1)
    assert ref.occurrence_hash(99, 2, seed=7) == ref.fold(99 ^ s1, s2 ^ 2)


@given(st.sets(st.binary(max_size=40), min_size=2), u64)
def test_different_bytes_have_different_hashes(texts: set[bytes], seed: int) -> None:
    assert len({ref.hash_bytes(text, seed) for text in texts}) == len(texts)


@given(st.lists(st.text(max_size=4), max_size=6), st.lists(st.text(max_size=4), max_size=6))
def test_word_shingles_tell_their_words_apart(a: list[str], b: list[str]) -> None:
    assume(a != b)
    a, b = ([word.encode("utf-8", "replace").decode() for word in words] for words in (a, b))
    equal = ref.hash_units(a, unit="word", seed=1) == ref.hash_units(b, unit="word", seed=1)
    assert equal == (a == b)


def test_the_first_primes() -> None:
    assert first_primes(0) == []
    for count in (1, 5, 6, 7, 100):
        primes = first_primes(count)
        assert len(primes) == count
        assert all(ref.next_prime(p) == q for p, q in zip([1, *primes], primes, strict=False))
    assert first_primes(65_535)[-1] == 821_603


# -- sketches --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["fast", *FAMILIES])
@given(a=sets, b=sets)
@settings(max_examples=30)
def test_a_sketch_of_a_union_is_the_least_of_both(kind: str, a: set[int], b: set[int]) -> None:
    least = [min(pair) for pair in zip(sketch(a, kind), sketch(b, kind), strict=True)]
    assert sketch(a | b, kind) == least


@pytest.mark.parametrize("kind", ["fast", *FAMILIES])
@given(a=sets)
@settings(max_examples=30)
def test_slots_are_32_bits_and_infinite_for_the_empty_set_only(kind: str, a: set[int]) -> None:
    slots = sketch(a, kind)
    assert all(0 <= slot <= ref.INFINITY for slot in slots)
    assert [slot == ref.INFINITY for slot in slots] == [not a] * len(slots)


@pytest.mark.parametrize("kind", ["fast", *FAMILIES])
def test_estimates_are_near_the_similarity(kind: str) -> None:
    # 60 shared of 120: J = 1/2. Over 20 seeds × 64 slots the mean has a standard error of at most .014; 4.5 of them.
    rng = random.Random(5)
    numbers = [rng.getrandbits(64) for _ in range(120)]
    a, b = set(numbers[:90]), set(numbers[30:])
    found = [ref.estimate(sketch(a, kind, 64, seed), sketch(b, kind, 64, seed)) for seed in range(20)]
    assert math.fsum(found) / 20 == pytest.approx(ref.jaccard(a, b), abs=0.063)


def test_fast_slots_say_where_they_come_from() -> None:
    slots = ref.fast_sketch({1 << 63}, 64, 1)
    assert Counter(slot >> 30 for slot in slots) == {0: 1, 1: 1, 3: 62}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_as_many_functions_as_asked_and_none_twice(family: str) -> None:
    functions = ref.family_functions(family, 50, seed=3)
    values = [tuple(function(t) for t in (0, 1, 12345, 2**32 - 1)) for function in functions]
    assert len(set(values)) == 50
    # The first functions of a longer signature are those of a shorter one.
    assert values[:7] == [tuple(f(t) for t in (0, 1, 12345, 2**32 - 1)) for f in ref.family_functions(family, 7, 3)]


@pytest.mark.parametrize("settings_", [{}, {"sketch": "classic"}, {"sketch": "classic", "family": "jenkins"}])
def test_signature_of_a_text(settings_: dict[str, Any]) -> None:
    recipe = Recipe(hashes=16, **settings_)
    elements = ref.elements("one two three four five six seven", recipe)
    assert len(elements) == 3
    assert ref.signature("One, two; three four FIVE six seven.", recipe) == sketch(
        elements, "fast" if recipe.sketch == "fast" else recipe.family, 16
    )


@given(st.text("ab ", max_size=30), st.text("ab ", max_size=30), st.integers(1, 4))
def test_elements_of_a_bag_give_the_similarity_of_bags(a: str, b: str, k: int) -> None:
    recipe = Recipe(unit="char", k=k, bag=True)
    counts = [Counter(ref.shingles(text, recipe)) for text in (a, b)]
    found = ref.jaccard(ref.elements(a, recipe), ref.elements(b, recipe))
    assert found == pytest.approx(ref.bag_jaccard(*counts))


# -- similarity ------------------------------------------------------------------------------------------------------


@given(bags, bags)
def test_measures_are_symmetric_and_bounded(a: dict[str, int], b: dict[str, int]) -> None:
    for measure, top in (
        (ref.bag_jaccard, 1.0),
        (ref.bag_jaccard_of_the_report, 0.5),
        (ref.cosine, 1.0),
        (ref.euclidean, math.inf),
    ):
        assert measure(a, b) == pytest.approx(measure(b, a))
        assert 0.0 <= measure(a, b) <= top
    assert ref.bag_jaccard(a, a) == 1.0
    assert ref.cosine(a, a) == 1.0
    assert ref.bag_jaccard_of_the_report(a, a) == 0.5


@given(st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)))
def test_jaccard_follows_from_the_containments(a: set[int], b: set[int]) -> None:
    assume(a & b)
    x, y = ref.containment(a, b), ref.containment(b, a)
    assert ref.jaccard(a, b) == pytest.approx(1 / (1 / x + 1 / y - 1))


# -- candidates ------------------------------------------------------------------------------------------------------


@given(
    st.lists(st.lists(st.integers(0, 2), min_size=6, max_size=6), max_size=8), st.sampled_from([(1, 6), (2, 3), (3, 2)])
)
def test_candidates_are_the_pairs_that_agree_in_a_band(signatures: list[list[int]], shape: tuple[int, int]) -> None:
    bands, rows = shape
    expected = {
        (a, b)
        for a, b in combinations(range(len(signatures)), 2)
        if any(
            signatures[a][i * rows : i * rows + rows] == signatures[b][i * rows : i * rows + rows] for i in range(bands)
        )
    }
    assert ref.candidates(signatures, bands, rows) == expected


def test_empty_sets_are_no_candidates() -> None:
    assert ref.candidates([[ref.INFINITY] * 4] * 3, bands=2, rows=2) == set()


# -- groups ----------------------------------------------------------------------------------------------------------


@given(st.permutations(range(9)), edges)
def test_star_groups(order: list[int], pairs: set[tuple[int, int]]) -> None:
    groups = ref.star_groups(order, pairs)
    members = [document for group in groups for document in group]
    assert len(members) == len(set(members))
    for principal, *others in groups:
        assert others
        assert all(ref.ordered_pair(principal, other) in pairs for other in others)
        assert all(order.index(principal) < order.index(other) for other in others)
    # What is kept (everything but the members that a principal stands for) holds no pair any more.
    kept = set(order) - {other for _, *others in groups for other in others}
    assert not any(a in kept and b in kept for a, b in pairs)


@given(st.permutations(range(9)), edges)
def test_linked_groups_are_connected_and_apart(order: list[int], pairs: set[tuple[int, int]]) -> None:
    groups = ref.linked_groups(order, pairs)
    of = {document: number for number, group in enumerate(groups) for document in group}
    assert all(of[a] == of[b] for a, b in pairs)
    for group in groups:
        assert group == sorted(group, key=order.index)
        reached = {group[0]}
        for _ in group:
            reached |= {d for pair in pairs if reached & set(pair) for d in pair}
        assert reached == set(group)
    assert [group[0] for group in groups] == sorted((group[0] for group in groups), key=order.index)


# -- passages --------------------------------------------------------------------------------------------------------


@given(st.text("ab", max_size=20), st.text("ab", max_size=20), st.integers(1, 4))
def test_passages(a: str, b: str, n: int) -> None:
    found = ref.passages(a, b, n)
    covered: set[int] = set()
    end = 0
    for start_a, start_b, length in found:
        run = a[start_a : start_a + length]
        assert len(run) == length >= n
        assert start_a >= end  # from left to right, no overlap in A
        assert start_b == b.index(run)  # the leftmost place in B
        longer = a[start_a : start_a + length + 1]
        assert longer == run or longer not in b  # the longest from here
        end = start_a + length
        covered.update(range(start_a, end))
    for i in range(len(a) - n + 1):  # every shared run of n units is touched
        if a[i : i + n] in b:
            assert covered & set(range(i, i + n))


def test_passages_of_examples() -> None:
    assert ref.passages([], ["a"], 1) == []
    assert ref.passages(["a"], [], 1) == []
    assert ref.passages("aaaa", "aa", 2) == [(0, 0, 2), (2, 0, 2)]
    assert ref.passages("xabcx", "abcabc", 3) == [(1, 0, 3)]
    with pytest.raises(ValueError, match="n must be"):
        ref.passages("a", "a", 0)
