"""Signatures, bands and candidates: the core equals the reference, however the work is cut up."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike import reference as ref
from lookalike.engine.sign import Signatures
from lookalike.recipe import Recipe
from tests.property.strategies import SKETCHES, Case, cases, collections, sets, tries, u64

KINDS: tuple[Literal["mix64", "hash_vec64", "hash_vec32"], ...] = ("mix64", "hash_vec64", "hash_vec32")
INFINITY = 0xFFFF_FFFF

each_sketch = pytest.mark.parametrize("sketch", SKETCHES, ids=lambda s: s.get("family", "fast"))
hashes = st.one_of(st.integers(1, 40), st.sampled_from((64, 100)))


def reference_signature(elements: set[int], recipe: Recipe) -> list[int]:
    if recipe.sketch == "fast":
        return ref.fast_sketch(elements, recipe.hashes, recipe.seed)
    return ref.classic_signature(elements, recipe.hashes, recipe.seed, recipe.family)


def rows(signatures: Signatures) -> list[list[int]]:
    return [signatures[i] for i in range(len(signatures))]


def pack(signatures: list[list[int]], recipe: Recipe) -> Signatures:
    data = b"".join(slot.to_bytes(4, "little") for signature in signatures for slot in signature)
    return Signatures.from_bytes(data, recipe)


@given(collections())
def test_signatures_of_texts(case: Case) -> None:
    assert rows(la.sign(case.texts, case.recipe)) == [ref.signature(text, case.recipe) for text in case.texts]


@each_sketch
@given(members=st.lists(sets, max_size=4), hashes=hashes, seed=u64)
def test_signatures_of_sets(sketch: dict[str, Any], members: list[set[int]], hashes: int, seed: int) -> None:
    recipe = Recipe(hashes=hashes, seed=seed, **sketch)
    assert rows(la.sign_sets(members, recipe)) == [reference_signature(s, recipe) for s in members]


@each_sketch
@given(
    members=st.sets(u64, min_size=100, max_size=900),
    hashes=st.sampled_from((8, 50, 128)),
    order=st.randoms(use_true_random=False),
)
@tries(0.1)
def test_signatures_of_larger_sets(sketch: dict[str, Any], members: set[int], hashes: int, order: Any) -> None:
    recipe = Recipe(hashes=hashes, **sketch)
    shuffled = [*members, *list(members)[:50]]  # some come twice, all in any order
    order.shuffle(shuffled)
    assert la.sign_sets([shuffled], recipe)[0] == reference_signature(members, recipe)


@each_sketch
@given(members=st.lists(sets, min_size=1, max_size=5), hashes=hashes, seed=u64)
def test_the_union_of_signatures_is_the_signature_of_the_union(
    sketch: dict[str, Any], members: list[set[int]], hashes: int, seed: int
) -> None:
    recipe = Recipe(hashes=hashes, seed=seed, **sketch)
    together = la.sign_sets(members, recipe).union(range(len(members)))
    assert rows(together) == rows(la.sign_sets([set().union(*members)], recipe))


@each_sketch
@given(a=sets, b=sets, hashes=hashes)
def test_estimates(sketch: dict[str, Any], a: set[int], b: set[int], hashes: int) -> None:
    recipe = Recipe(hashes=hashes, **sketch)
    signatures = la.sign_sets([a, b], recipe)
    found = signatures.estimate(0, 1)
    assert found == ref.estimate(reference_signature(a, recipe), reference_signature(b, recipe))
    assert found == signatures.estimate(1, 0)
    assert signatures.estimate(0, 0) == (1.0 if a else 0.0)  # infinity agrees with nothing, itself included
    if not a or not b:
        assert found == 0.0


# -- however the work is cut up --------------------------------------------------------------------------------------


@given(collections(), st.integers(1, 40), st.integers(2, 9), st.data())
@tries(0.7)
def test_threads_batches_and_order_change_nothing(case: Case, times: int, threads: int, data: st.DataObject) -> None:
    texts = case.texts * times  # up to several hundred, more than one thread's portion of 64
    whole = la.sign(texts, case.recipe, threads=1).to_bytes()
    assert la.sign(texts, case.recipe, threads=threads).to_bytes() == whole
    cut = data.draw(st.integers(0, len(texts)))
    parts = [la.sign(part, case.recipe, threads=threads).to_bytes() for part in (texts[:cut], texts[cut:])]
    assert b"".join(parts) == whole
    signatures = la.sign(texts[::-1], case.recipe, threads=threads)
    assert [signatures[-1 - i] for i in range(len(texts))] == rows(Signatures.from_bytes(whole, case.recipe))


@given(cases(3))
def test_bytes_come_back_as_they_went(case: Case) -> None:
    signatures = la.sign(case.texts, case.recipe)
    data = signatures.to_bytes()
    assert data == b"".join(slot.to_bytes(4, "little") for row in rows(signatures) for slot in row)
    assert rows(Signatures.from_bytes(data, case.recipe)) == rows(signatures)


@given(cases(2))
def test_a_dict_is_signed_like_its_values(case: Case) -> None:
    by_name = dict(zip("ab", case.texts, strict=True))
    assert la.sign(by_name, case.recipe).to_bytes() == la.sign(case.texts, case.recipe).to_bytes()
    assert la.sign(iter(case.texts), case.recipe).to_bytes() == la.sign(case.texts, case.recipe).to_bytes()


# -- bands and candidates --------------------------------------------------------------------------------------------


@st.composite
def banded(draw: st.DrawFn) -> tuple[list[list[int]], Recipe, la.Bands]:
    """Signatures of few different values, so that bands are often equal; some of them of the empty set."""
    slots = draw(st.integers(1, 12))
    row = st.lists(st.sampled_from((0, 1, 2**32 - 2)), min_size=slots, max_size=slots)
    signatures = draw(st.lists(st.one_of(row, row, st.just([INFINITY] * slots)), max_size=10))
    height = draw(st.integers(1, slots))
    return signatures, Recipe(hashes=slots), la.Bands(draw(st.integers(1, slots // height)), height)


@given(banded(), st.sampled_from(KINDS), st.integers(1, 3))
@tries(2.5)
def test_band_keys(drawn: tuple[list[list[int]], Recipe, la.Bands], kind: Any, threads: int) -> None:
    signatures, recipe, bands = drawn
    expected = [ref.band_keys(signature, bands.bands, bands.rows, kind) for signature in signatures]
    assert la.band_keys(pack(signatures, recipe), bands, key=kind, threads=threads) == expected


@given(banded(), st.sampled_from(KINDS), st.integers(1, 3))
@tries(2.5)
def test_candidates(drawn: tuple[list[list[int]], Recipe, la.Bands], kind: Any, threads: int) -> None:
    signatures, recipe, bands = drawn
    found = la.candidates(pack(signatures, recipe), bands, key=kind, threads=threads)
    equal = [
        (i, j)
        for (i, a), (j, b) in combinations(enumerate(signatures), 2)
        if any(
            a[start : start + bands.rows] == b[start : start + bands.rows] and a[start] != INFINITY
            for start in range(0, bands.hashes_used, bands.rows)
        )
    ]
    assert found == equal  # sorted, each once, smaller first, none of a document with itself
    # The reference goes by keys alone; keys of 64 mixed bits do not collide here, those of the report might.
    assert set(found) <= ref.candidates(signatures, bands.bands, bands.rows, kind)
    assert set(found) == ref.candidates(signatures, bands.bands, bands.rows, "mix64")


@given(collections(hashes=24), st.sampled_from(((24, 1), (12, 2), (4, 6), (1, 24))))
def test_candidates_of_texts(case: Case, shape: tuple[int, int]) -> None:
    bands = la.Bands(*shape)
    signatures = [ref.signature(text, case.recipe) for text in case.texts]
    assert set(la.candidates(la.sign(case.texts, case.recipe), bands)) == ref.candidates(signatures, *shape)
