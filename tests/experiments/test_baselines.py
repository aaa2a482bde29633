"""Sets three ways, and the program of the three approaches, against each other and the reference."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike import reference
from lookalike.errors import RecipeError
from lookalike.experiments.approaches import MEASURES, batch
from lookalike.experiments.baselines import JOINS

numbers = st.lists(st.integers(0, 40), unique=True)


@given(numbers, numbers)
def test_all_ways_find_the_same_intersection(a: list[int], b: list[int]) -> None:
    assert {join(a, b) for join in JOINS.values()} == {len(set(a) & set(b))}


@given(st.lists(st.text("abc ", min_size=1, max_size=30), min_size=2, max_size=6), st.sampled_from(MEASURES))
def test_lsh_finds_a_part_of_what_all_pairs_have(texts: list[str], measure: str) -> None:
    recipe = la.Recipe(unit="char", k=2, sketch="classic", hashes=12)
    named = {str(number): text for number, text in enumerate(texts)}
    exact, signatures, lsh = batch(named, 0.4, recipe=recipe, bands=la.Bands(6, 2), measure=measure)
    assert set(lsh.pairs) <= set(exact.pairs)
    assert exact.comparisons == signatures.comparisons == len(texts) * (len(texts) - 1) // 2 >= lsh.comparisons
    different = sum(len(set(reference.shingles(text, recipe))) for text in texts)
    assert (exact.evaluations, lsh.evaluations) == (0, 12 * different)
    if measure == "jaccard":
        sets = [set(reference.shingles(text, recipe)) for text in texts]
        assert all(score == reference.jaccard(sets[a], sets[b]) for a, b, score in exact.pairs)


def test_pairs_of_a_search_by_other_measures() -> None:
    texts = {"a": "to be or not to be", "b": "to be or not", "c": "to be", "d": "nothing else"}
    recipe = la.Recipe(k=1)
    result = la.find(texts, 1e-9, recipe=recipe, bands=la.Bands(128, 1))
    counts = {name: Counter(reference.shingles(text, recipe)) for name, text in texts.items()}
    for measure, compute in (("cosine", reference.cosine), ("euclidean", reference.euclidean)):
        rows = result.measured(measure).to_pylist()
        assert {(row["a"], row["b"]) for row in rows} == {("a", "b"), ("a", "c"), ("b", "c")}
        values = [row[measure] for row in rows]
        assert values == pytest.approx([compute(counts[row["a"]], counts[row["b"]]) for row in rows])
        assert values == sorted(values, reverse=measure == "cosine")
    with pytest.raises(RecipeError, match="'cosine' or 'euclidean'"):
        result.measured("jaccard")
