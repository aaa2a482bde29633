"""Searches of small collections: every method against all pairs by the reference, groups, and shared passages."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike import reference as ref
from tests.corpus import pages
from tests.property.strategies import Case, cases, collections, tries

# Shares of small numbers, where a pair lies exactly at the threshold, and any other.
thresholds = st.one_of(
    st.tuples(st.integers(1, 12), st.integers(1, 12)).map(lambda pair: min(pair) / max(pair)),
    st.floats(0.01, 1.0),
)
linkages: st.SearchStrategy[Literal["star", "linked"]] = st.sampled_from(("star", "linked"))

Row = tuple[Any, Any, float, float, float]


def pairs(case: Case, threshold: float, **how: Any) -> list[Row]:
    found = la.find(case.texts, threshold, recipe=case.recipe, **how)
    return [(r["a"], r["b"], r["jaccard"], r["containment_a"], r["containment_b"]) for r in found.pairs.to_pylist()]


def expected_pairs(case: Case, threshold: float) -> list[Row]:
    sets, empty = [ref.elements(text, case.recipe) for text in case.texts], case.empty
    return [
        (a, b, jaccard, ref.containment(sets[a], sets[b]), ref.containment(sets[b], sets[a]))
        for a, b, jaccard in ref.brute_force_join(sets, threshold)
        if a not in empty
    ]


@given(collections(), thresholds, st.integers(1, 3))
@tries(3)
def test_methods_without_chance_find_every_pair(case: Case, threshold: float, threads: int) -> None:
    expected = expected_pairs(case, threshold)
    assert pairs(case, threshold, method="brute", threads=threads) == expected
    assert pairs(case, threshold, method="exact", threads=threads) == expected
    assert pairs(case, threshold) == expected  # a small collection is searched exactly
    # Nothing may be lost, so signatures must not decide anything.
    assert pairs(case, threshold, method="signatures", recall=1.0, threads=threads) == expected


@given(collections(hashes=40), thresholds, st.sampled_from(((40, 1), (13, 3), (5, 8), (1, 40))), st.floats(0.5, 0.999))
@tries(2)
def test_methods_by_signatures_find_true_pairs_and_all_copies(
    case: Case, threshold: float, shape: tuple[int, int], recall: float
) -> None:
    expected = expected_pairs(case, threshold)
    copies = {pair for pair in expected if pair[2] == 1.0}
    by_bands = pairs(case, threshold, method="lsh", bands=la.Bands(*shape), recall=recall)
    by_signatures = pairs(case, threshold, method="signatures", recall=recall)
    for found in (by_bands, by_signatures):
        assert found == sorted(set(found))
        assert copies <= set(found) <= set(expected)


@given(collections(hashes=40), thresholds, st.sampled_from(("exact", "brute", "signatures", "lsh")), st.data())
def test_the_order_of_the_documents_changes_nothing(
    case: Case, threshold: float, method: str, data: st.DataObject
) -> None:
    how: dict[str, Any] = {
        "method": method,
        "recipe": case.recipe,
        "bands": la.Bands(8, 5) if method == "lsh" else None,
    }
    names = [f"d{i}" for i in range(len(case.texts))]
    order = data.draw(st.permutations(range(len(names))))
    results = [
        la.find({names[i]: case.texts[i] for i in some}, threshold, **how) for some in (range(len(names)), order)
    ]

    def scores(result: la.Result) -> dict[frozenset[str], tuple[float, frozenset[tuple[str, float]]]]:
        return {
            frozenset((row["a"], row["b"])): (
                row["jaccard"],
                frozenset(((row["a"], row["containment_a"]), (row["b"], row["containment_b"]))),
            )
            for row in result.pairs.to_pylist()
        }

    first, second = map(scores, results)
    assert first == second
    assert len(first) == results[0].pairs.num_rows == results[1].pairs.num_rows


@given(collections(), thresholds)
def test_a_higher_threshold_finds_a_part(case: Case, threshold: float) -> None:
    low, high = pairs(case, threshold / 2), pairs(case, threshold)
    assert high == [pair for pair in low if pair[2] >= threshold]


# -- larger collections: more documents than one thread's portion, more shingles than one block ----------------------

METHODS = ("exact", "brute", "signatures", "lsh")
PAGES = [*pages(5, originals=350, words=60, changes=(0, 1, 2, 3, 5, 8, 12)), "", "the", ""]
RECIPES = {"words": la.Recipe(k=2), "characters": la.Recipe(unit="char", k=4), "bags": la.Recipe(k=1, bag=True)}


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("threshold", [0.25, 0.5, 0.8, 0.95, 1.0])
def test_the_exact_join_finds_what_comparing_all_pairs_finds(recipe: str, threshold: float) -> None:
    case = Case(RECIPES[recipe], PAGES)
    found = pairs(case, threshold, method="exact")
    assert found == pairs(case, threshold, method="brute")
    assert len(found) > 40


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("threads", [2, 5, 64])
def test_threads_change_nothing_in_a_search(method: str, threads: int) -> None:
    case = Case(RECIPES["words"], PAGES)
    alone = pairs(case, 0.6, method=method, threads=1)
    assert alone == pairs(case, 0.6, method=method, threads=threads)
    assert len(alone) > 100


# -- groups ----------------------------------------------------------------------------------------------------------


def named(groups: list[list[int]]) -> set[tuple[int, tuple[int, ...]]]:
    return {(group[0], tuple(sorted(group))) for group in groups}


def as_named(groups: list[la.Group]) -> set[tuple[Any, tuple[Any, ...]]]:
    assert all(group.principal in group.members for group in groups)
    assert groups == sorted(groups, key=lambda group: group.members)
    return {(group.principal, group.members) for group in groups}


@given(st.integers(1, 9), st.data(), linkages)
@tries(3)
def test_groups_of_pairs(documents: int, data: st.DataObject, linkage: Literal["star", "linked"]) -> None:
    number = st.integers(0, documents - 1)
    listed = data.draw(st.lists(st.tuples(number, number), max_size=14))
    order = data.draw(st.one_of(st.none(), st.permutations(range(documents))))
    expected = {"star": ref.star_groups, "linked": ref.linked_groups}[linkage](order or range(documents), listed)
    assert as_named(la.groups(documents, listed, linkage=linkage, order=order)) == named(expected)


@given(collections(), thresholds, linkages, st.data())
def test_groups_of_a_search(
    case: Case, threshold: float, linkage: Literal["star", "linked"], data: st.DataObject
) -> None:
    order = data.draw(st.one_of(st.none(), st.permutations(range(len(case.texts)))))
    result = la.find(case.texts, threshold, recipe=case.recipe, linkage=linkage, order=order)
    listed = [(a, b) for a, b, *_ in expected_pairs(case, threshold)]
    chosen = {"star": ref.star_groups, "linked": ref.linked_groups}[linkage]
    assert as_named(result.groups) == named(chosen(order or range(len(case.texts)), listed))


@given(collections(), thresholds)
def test_every_member_of_a_star_was_verified_against_its_principal(case: Case, threshold: float) -> None:
    result = la.find(case.texts, threshold, recipe=case.recipe)
    found = {(row["a"], row["b"]) for row in result.pairs.to_pylist()}
    grouped = [member for group in result.groups for member in group.members]
    assert len(grouped) == len(set(grouped))
    for group in result.groups:
        principal = group.principal
        assert isinstance(principal, int)
        others = [m for m in group.members if isinstance(m, int) and m != principal]
        assert all(ref.ordered_pair(principal, member) in found for member in others)


# -- passages --------------------------------------------------------------------------------------------------------


@st.composite
def quoting(draw: st.DrawFn) -> Case:
    """Two texts, of which the second quotes pieces of the first."""
    case = draw(cases(2, size=15))
    a, b = case.texts
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(a)))
        at = draw(st.integers(0, len(b)))
        b = b[:at] + a[start : start + draw(st.integers(0, 30))] + b[at:]
    return Case(case.recipe, [a, b])


@given(quoting(), st.integers(1, 6))
@tries(3)
def test_passages(case: Case, least: int) -> None:
    a, b = case.texts
    x, y = la.units(a, case.recipe), la.units(b, case.recipe)
    expected = [
        la.Passage(x[i].start, x[i + n - 1].end, y[j].start, y[j + n - 1].end, n)
        for i, j, n in ref.passages(ref.units(a, case.recipe), ref.units(b, case.recipe), least)
    ]
    assert la.passages(a, b, case.recipe, least=least) == expected


@given(quoting(), st.integers(1, 4))
def test_passages_show_text_that_both_documents_have(case: Case, least: int) -> None:
    recipe = case.recipe.replace(form="none", accents="keep", stop_words="none", punctuation="keep")
    a, b = case.texts
    found = la.passages(a, b, recipe, least=least)
    for p in found:
        assert ref.units(a[p.a_start : p.a_end], recipe) == ref.units(b[p.b_start : p.b_end], recipe)
        assert p.units >= least
    assert all(x.a_end <= y.a_start for x, y in pairwise(found))


@given(cases(1), st.integers(1, 5))
def test_a_text_is_one_passage_of_itself(case: Case, least: int) -> None:
    units = la.units(case.text, case.recipe)
    found = la.passages(case.text, case.text, case.recipe, least=least)
    if len(units) >= least:
        whole = (units[0].start, units[-1].end)
        assert found == [la.Passage(*whole, *whole, len(units))]
    else:
        assert found == []
