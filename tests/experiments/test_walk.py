"""A walk through the method: the worked examples of the sources, and the reference for any texts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike import reference
from lookalike.errors import BandsError, LookalikeError, RecipeError
from lookalike.experiments.walk import MOST_UNITS, walk
from lookalike.experiments.walk_page import rounded

ARTICLE = {"S1": "a d", "S2": "c", "S3": "b d e", "S4": "a c d"}


def test_the_article_row_by_row() -> None:
    seen = walk(ARTICLE, recipe=la.Recipe(unit="word"), k=1, hashes=2, bands=2, functions=[(1, 1), (3, 1)], sort=True)
    assert seen.prime == 5
    assert [step.values for step in seen.steps] == [[1, 1], [2, 4], [3, 2], [4, 0], [0, 3]]
    assert seen.state(0) == [[1, None, None, 1], [1, None, None, 1]]
    assert seen.state(1) == [[1, None, 2, 1], [1, None, 4, 1]]
    assert seen.state(2) == [[1, 3, 2, 1], [1, 2, 4, 1]]
    assert seen.signature == [[1, 3, 0, 1], [0, 2, 0, 0]]
    estimates = {(pair.a, pair.b): (pair.estimate, pair.jaccard) for pair in seen.pairs}
    assert estimates[0, 1] == (0.0, 0.0)
    assert estimates[0, 2] == (0.5, 0.25)
    assert estimates[0, 3] == (1.0, 2 / 3)


def test_report_b_on_two_names() -> None:
    seen = walk(["Nadal", "Nadia"], k=2)
    assert [row for row, cells in zip(seen.elements, seen.matrix, strict=True) if cells == [1, 1]] == ["na", "ad"]
    assert seen.pairs[0].jaccard == pytest.approx(1 / 3)


texts = st.lists(st.text("abc \n", max_size=30), min_size=2, max_size=5)


@given(texts, st.integers(1, 6), st.integers(1, 6), st.integers(1, 4), st.sampled_from(["char", "word"]), st.booleans())
@settings(max_examples=60, deadline=None)
def test_every_step_is_the_references(documents: list[str], k: int, b: int, r: int, unit: str, sort: bool) -> None:
    recipe = la.Recipe(unit=unit, k=k, whitespace="keep" if unit == "char" else "collapse")  # type: ignore[arg-type]
    seen = walk(documents, recipe=recipe, hashes=b * r + 1, bands=b, rows=r, sort=sort)
    sets = [set(reference.shingles(text, recipe)) for text in documents]
    assert set(seen.elements) == set.union(*sets)
    for pair in seen.pairs:
        assert pair.jaccard == reference.jaccard(sets[pair.a], sets[pair.b])
        assert (
            (pair.finding in ("found", "false positive")) == ((pair.a, pair.b) in seen.candidates) == bool(pair.bands)
        )
        assert (pair.finding in ("found", "missed")) == (pair.jaccard >= seen.threshold)
    state: list[list[int | None]] = [[None] * len(documents) for _ in range(seen.recipe.hashes)]
    for step in seen.steps:
        for document, function, before, after in step.changes:
            assert state[function][document] == before
            assert before is None or after < before
            state[function][document] = after
    assert state == seen.signature


def test_no_hash_function_comes_twice_while_there_are_others() -> None:
    seen = walk(["the cat sat on the mat", "the cat sat on a mat", "a dog ate my homework"], hashes=64)
    assert len(set(seen.functions)) == 64
    few = walk(["ab", "cd"], k=1, hashes=30, functions=[(1, 0)])  # p = 5: there are 20
    assert few.functions[0] == (1, 0)
    assert set(few.functions) == {(a, b) for a in range(1, 5) for b in range(5)}


def test_the_work_is_counted() -> None:
    seen = walk(ARTICLE, recipe=la.Recipe(unit="word"), k=1, hashes=4)
    assert seen.work == {
        "hash evaluations, each row once": 20,
        "hash evaluations, anew for each document": 36,
        "band keys": 8,
        "comparisons of all pairs": 6,
        "comparisons of candidates": len(seen.candidates),
    }


def test_a_notebook_shows_tables_and_the_page() -> None:
    shown = walk(["<i>", "b"], k=1)._repr_html_()
    assert "2. Characteristic matrix" in shown
    assert "<iframe srcdoc=" in shown
    assert "<i>" not in shown


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"texts": "one"}, "texts must be a list of texts, or a dict of them by name, not 'one'"),
        ({"texts": ["one"]}, "a walk takes from 2 to 20 texts, not 1"),
        ({"texts": ["a", "b"], "bands": 7, "rows": 2}, "7 bands × 2 rows need 14 hashes, and the signature has 12"),
        ({"texts": ["a", "b"], "bands": 0}, "bands must be a whole number of at least 1, not 0"),
        ({"texts": ["a", "b"], "functions": [(0, 1)]}, "functions must be two whole numbers a and b, a at least 1"),
        ({"texts": ["a" * MOST_UNITS, "b"]}, "a walk takes up to 20,000 characters, and these texts have 20,001"),
    ],
)
def test_what_cannot_be_walked_through(arguments: dict[str, object], complaint: str) -> None:
    with pytest.raises((RecipeError, BandsError, LookalikeError)) as caught:
        walk(**arguments)  # type: ignore[arg-type]
    assert complaint in str(caught.value)


def test_bands_that_are_not_given_use_what_fits() -> None:
    chosen = [
        walk(["a", "b"], hashes=h, bands=b, rows=r).bands for h, b, r in ((12, None, None), (12, 5, None), (7, None, 3))
    ]
    assert chosen == [la.Bands(6, 2), la.Bands(5, 2), la.Bands(2, 3)]
    assert walk(["a", "b"], hashes=1).bands == la.Bands(1, 1)


def test_halves_are_rounded_as_a_browser_does() -> None:
    assert [rounded(value) for value in (0.0625, 0.1875, 2)] == ["0.063", "0.188", "2.000"]
