"""The other ways to search: metrics, old documents against new ones, and templates that do not count."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike import reference as ref
from lookalike.recipe import Recipe
from tests.property.strategies import Case, collections, tries

thresholds = st.one_of(
    st.tuples(st.integers(1, 12), st.integers(1, 12)).map(lambda pair: min(pair) / max(pair)),
    st.floats(0.01, 1.0),
)
METHODS: tuple[Literal["exact", "brute"], ...] = ("exact", "brute")

Row = tuple[int, int, float, float, float]


def rows(result: la.Result) -> list[Row]:
    return [(r["a"], r["b"], r["jaccard"], r["containment_a"], r["containment_b"]) for r in result.pairs.to_pylist()]


def scored(sets: list[set[int]], empty: set[int]) -> list[Row]:
    return [
        (a, b, ref.jaccard(x, y), ref.containment(x, y), ref.containment(y, x))
        for (a, x), (b, y) in combinations(enumerate(sets), 2)
        if not {a, b} <= empty
    ]


def elements(case: Case) -> list[set[int]]:
    return [ref.elements(text, case.recipe) for text in case.texts]


@pytest.mark.parametrize("method", METHODS)
@given(case=collections(), threshold=thresholds)
def test_containment_is_the_share_of_the_smaller_document(method: Any, case: Case, threshold: float) -> None:
    found = la.find(case.texts, threshold, metric="containment", method=method, recipe=case.recipe)
    assert rows(found) == [row for row in scored(elements(case), case.empty) if max(row[3:]) >= threshold]


@pytest.mark.parametrize("method", METHODS)
@given(case=collections(), threshold=thresholds)
def test_the_bag_metric_counts_repeated_shingles(method: Any, case: Case, threshold: float) -> None:
    found = la.find(case.texts, threshold, metric="bag", method=method, recipe=case.recipe)
    bags = [ref.elements(text, case.recipe.replace(bag=True)) for text in case.texts]
    assert rows(found) == [row for row in scored(bags, case.empty) if row[2] >= threshold]


@pytest.mark.parametrize("method", METHODS)
@given(case=collections(), threshold=thresholds, metric=st.sampled_from(("jaccard", "containment")), data=st.data())
@tries(2)
def test_old_documents_are_never_compared_with_each_other(
    method: Any, case: Case, threshold: float, metric: Any, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(case.texts)))
    new, old = case.texts[:cut], case.texts[cut:]
    how: dict[str, Any] = {"metric": metric, "method": method, "recipe": case.recipe}
    found = la.find(
        {f"n{i}": text for i, text in enumerate(new)},
        threshold,
        against={f"o{i}": text for i, text in enumerate(old)},
        **how,
    )
    names = [*(f"n{i}" for i in range(len(new))), *(f"o{i}" for i in range(len(old)))]
    expected = [
        (names[a], names[b], *scores)
        for a, b, *scores in scored(elements(case), case.empty)
        if a < cut and (scores[0] if metric == "jaccard" else max(scores[1:])) >= threshold
    ]
    assert rows(found) == expected


@pytest.mark.parametrize("method", METHODS)
@given(case=collections(k=2, bag=False), threshold=thresholds, data=st.data())
@tries(2)
def test_templates_count_on_no_side(method: Any, case: Case, threshold: float, data: st.DataObject) -> None:
    template = data.draw(st.sampled_from(case.texts))[: data.draw(st.integers(1, 20))]
    found = la.find(case.texts, threshold, ignore=[template], method=method, recipe=case.recipe)
    template_elements = ref.elements(template, case.recipe)
    left = [members - template_elements for members in elements(case)]
    bags = [Counter(ref.shingles(text, case.recipe)) for text in case.texts]
    # Copies, which have the same shingles in the same numbers, stay equal when nothing else is left of them.
    expected = {
        (a, b): 1.0 if bags[a] == bags[b] else jaccard
        for a, b, jaccard, *_ in scored(left, case.empty)
        if bags[a] == bags[b] or (left[a] and left[b] and jaccard >= threshold)
    }
    assert {(row[0], row[1]): row[2] for row in rows(found)} == expected


def test_bad_metrics_are_named() -> None:
    wrong: Any = la
    with pytest.raises(la.RecipeError, match="did you mean 'containment'"):
        wrong.find(["a"], metric="containement", recipe=Recipe())
