"""Exact similarity: the core equals the reference, and each measure has the properties that its name promises."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike import _native
from lookalike import reference as ref
from lookalike.recipe import settings as native
from tests.property.strategies import Case, cases, tries

small_sets = st.sets(st.integers(0, 12))
bags = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 5)).map(Counter)
related = cases(2, size=8)  # short texts share shingles by chance often enough


@given(related)
@tries(3)
def test_measures_of_texts(case: Case) -> None:
    a, b = case.texts
    x, y = ref.elements(a, case.recipe), ref.elements(b, case.recipe)
    assert la.jaccard(a, b, recipe=case.recipe) == ref.jaccard(x, y)
    assert la.jaccard(a, b, recipe=case.recipe, percent=True) == pytest.approx(100 * ref.jaccard(x, y))
    assert la.jaccard_distance(a, b, recipe=case.recipe) == 1 - ref.jaccard(x, y)
    assert la.containment(a, b, recipe=case.recipe) == ref.containment(x, y)
    assert la.containment(b, a, recipe=case.recipe) == ref.containment(y, x)
    p, q = Counter(ref.shingles(a, case.recipe)), Counter(ref.shingles(b, case.recipe))
    assert la.bag_jaccard(a, b, recipe=case.recipe) == ref.bag_jaccard(p, q)
    assert la.jaccard(a, b, recipe=case.recipe, bag=True) == ref.bag_jaccard(p, q)
    assert la.bag_jaccard_report(a, b, recipe=case.recipe) == ref.bag_jaccard_of_the_report(p, q)
    assert la.cosine(a, b, recipe=case.recipe) == pytest.approx(ref.cosine(p, q))
    assert la.euclidean(a, b, recipe=case.recipe) == pytest.approx(ref.euclidean(p, q))


@given(related)
def test_overlap_of_texts(case: Case) -> None:
    a, b = case.texts
    x, y = ref.elements(a, case.recipe), ref.elements(b, case.recipe)
    assert _native.overlap(a, b, native(case.recipe)) == (len(x & y), len(x), len(y))


@given(small_sets, small_sets)
def test_measures_of_sets(a: set[int], b: set[int]) -> None:
    assert la.jaccard(a, b) == ref.jaccard(a, b)
    assert la.containment(a, b) == ref.containment(a, b)
    ones_a, ones_b = Counter(a), Counter(b)
    assert la.bag_jaccard(a, b) == ref.bag_jaccard(ones_a, ones_b)
    assert la.cosine(a, b) == pytest.approx(ref.cosine(ones_a, ones_b))
    assert la.euclidean(a, b) == pytest.approx(ref.euclidean(ones_a, ones_b))


@given(bags, bags)
def test_measures_of_bags(a: Counter[str], b: Counter[str]) -> None:
    assert la.jaccard(a, b) == la.bag_jaccard(a, b) == ref.bag_jaccard(a, b)
    assert la.bag_jaccard_report(a, b) == ref.bag_jaccard_of_the_report(a, b)
    assert la.cosine(a, b) == pytest.approx(ref.cosine(a, b))
    assert la.euclidean(a, b) == pytest.approx(ref.euclidean(a, b))
    kinds = {x for x in a if a[x]}, {x for x in b if b[x]}
    assert la.jaccard(a, b, bag=False) == ref.jaccard(*kinds)
    assert la.containment(a, b) == ref.containment(*kinds)


# -- what the names promise ------------------------------------------------------------------------------------------


@given(related)
def test_symmetry_and_bounds(case: Case) -> None:
    a, b = case.texts
    for measure, top in ((la.jaccard, 1.0), (la.bag_jaccard, 1.0), (la.bag_jaccard_report, 0.5), (la.cosine, 1.0)):
        assert 0.0 <= measure(a, b, recipe=case.recipe) == measure(b, a, recipe=case.recipe) <= top
    assert 0.0 <= la.euclidean(a, b, recipe=case.recipe) == la.euclidean(b, a, recipe=case.recipe)
    shared = la.jaccard(a, b, recipe=case.recipe)
    # What the union holds, each of the two holds at most.
    assert shared <= min(la.containment(a, b, recipe=case.recipe), la.containment(b, a, recipe=case.recipe))


@given(related)
def test_identity(case: Case) -> None:
    a, b = case.texts
    assert la.jaccard(a, a, recipe=case.recipe) == 1.0
    assert la.containment(a, a, recipe=case.recipe) == 1.0
    assert la.bag_jaccard(a, a, recipe=case.recipe) == 1.0
    assert la.bag_jaccard_report(a, a, recipe=case.recipe) == 0.5
    assert la.cosine(a, a, recipe=case.recipe) == pytest.approx(1.0)
    assert la.euclidean(a, a, recipe=case.recipe) == 0.0
    equal = Counter(ref.shingles(a, case.recipe)) == Counter(ref.shingles(b, case.recipe))
    assert (la.bag_jaccard(a, b, recipe=case.recipe) == 1.0) == equal
    assert (la.euclidean(a, b, recipe=case.recipe) == 0.0) == equal


@given(cases(3, size=8))
def test_the_distance_is_a_metric(case: Case) -> None:
    a, b, c = case.texts
    d = la.jaccard_distance
    # A few units in the last place: 1 − J is rounded twice.
    assert d(a, c, recipe=case.recipe) <= d(a, b, recipe=case.recipe) + d(b, c, recipe=case.recipe) + 1e-12
    e = la.euclidean
    assert e(a, c, recipe=case.recipe) <= e(a, b, recipe=case.recipe) + e(b, c, recipe=case.recipe) + 1e-9


@given(cases(1), st.integers(0, 3))
def test_an_empty_text_is_like_empty_texts_only(case: Case, blanks: int) -> None:
    recipe = case.recipe.replace(whitespace="remove")
    other = ref.units(case.text, recipe)
    assert la.jaccard("", " " * blanks, recipe=recipe) == 1.0
    assert la.jaccard("", case.text, recipe=recipe) == float(not other)
    assert la.containment("", case.text, recipe=recipe) == float(not other)


@given(cases(2, bag=False))
def test_row_types_of_the_characteristic_matrix(case: Case) -> None:
    matrix = la.characteristic_matrix(dict(zip("ab", case.texts, strict=True)), case.recipe)
    assert matrix.row_types("a", "b").jaccard == la.jaccard(case.texts[0], case.texts[1], recipe=case.recipe)
    rows = sorted({shingle for text in case.texts for shingle in ref.shingles(text, case.recipe)})
    assert list(matrix.rows) == rows
    assert matrix.dense() == [[int(row in ref.shingles(t, case.recipe)) for t in case.texts] for row in rows]


@given(related)
def test_compare_says_what_its_parts_say(case: Case) -> None:
    a, b = case.texts
    found = la.compare(a, b, case.recipe, least=2)
    assert found.jaccard == la.jaccard(a, b, recipe=case.recipe)
    assert found.containment_a == la.containment(a, b, recipe=case.recipe)
    assert found.containment_b == la.containment(b, a, recipe=case.recipe)
    assert found.estimate == la.sign([a, b], case.recipe).estimate(0, 1)
    assert found.standard_error == math.sqrt(found.jaccard * (1 - found.jaccard) / case.recipe.hashes)
    assert list(found.passages) == la.passages(a, b, case.recipe, least=2)
    elements = [len(ref.elements(text, case.recipe)) for text in (a, b)]
    assert [found.shingles_a, found.shingles_b] == elements
