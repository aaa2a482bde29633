"""Pairs, groups and what else can be asked of a result, against the same worked out slowly."""

from __future__ import annotations

import json
from array import array
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike import reference as ref
from lookalike.documents import Skipped
from lookalike.result import pairs as listing
from lookalike.tables.columns import COLUMNS, Found
from tests.property.strategies import Case as Texts
from tests.property.strategies import collections, tries
from tests.report.page_data import parts_of
from tests.result.making import Case, cases, numbered, rows

if TYPE_CHECKING:
    from pathlib import Path

LINKAGES: st.SearchStrategy[Literal["star", "linked"]] = st.sampled_from(("star", "linked"))


# -- pairs -----------------------------------------------------------------------------------------------------------


@given(cases())
@tries(5)
def test_pairs_are_those_of_all_documents(case: Case) -> None:
    result = case.result()
    assert result.copies_listed == "all"
    assert rows(result.pairs) == case.pairs()
    assert result.pair_count == len(case.pairs())


@given(cases())
@tries(3)
def test_beyond_the_limit_copies_are_listed_with_their_first(case: Case) -> None:
    firsts = case.firsts
    added = len(case.pairs()) - len(case.found().a) // 4
    for most, expected in ((added, "all"), (added - 1, "first")):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(listing, "MOST_COPIES", most)
            result = case.result()
            assert result.copies_listed == (expected if len(set(firsts)) < len(firsts) else "all")
            if result.copies_listed == "all":
                assert rows(result.pairs) == case.pairs()
            else:
                kept = [
                    row
                    for row in case.pairs()
                    if row[0] == firsts[row[1]] or row[:2] == (firsts[row[0]], firsts[row[1]])
                ]
                assert rows(result.pairs) == kept


def test_pairs_have_the_ids_of_the_documents() -> None:
    names = pa.array(["x", "y", "z"], pa.large_string())
    table = Case([0, 1, 0], {(0, 1): (0.75, 0.8, 0.9)}).result(ids=names).pairs
    assert table.schema.field("a").type == pa.large_string()
    assert rows(table) == [("x", "y", 0.75, 0.8, 0.9), ("x", "z", 1.0, 1.0, 1.0), ("y", "z", 0.75, 0.9, 0.8)]


def test_one_new_copy_among_many_old_ones_is_no_product() -> None:
    # 300 000 old documents of one kind, one new one, and another kind of which there are as many: squares are out.
    many = 300_000
    kinds = array("I", [0, 1, *[0] * many, *[1] * many])
    score = array("d", [0.9]).tobytes()
    a, b = array("I", [0]).tobytes(), array("I", [1]).tobytes()
    found = Found(kinds.tobytes(), a, b, score, score, score, 1)
    result = Case([0, 1], {}, old_from=2).result(ids=pa.array(range(len(kinds))), found=found, lengths=None)
    assert result.copies_listed == "first"  # 1 200 001 pairs
    assert result.pair_count == 2 * many + 1
    assert [len(group) for group in result.groups] == [2, 2]
    assert result.plan().removed == 2
    few = Case([0, *[0] * 1000, *[1] * 1000], {(0, 1): (0.9, 0.9, 0.9)}, old_from=1)
    assert few.result().pair_count == 2000


def test_a_million_copies() -> None:
    many = 1_000_000
    found = Found(bytes(4 * many), b"", b"", b"", b"", b"", 0)
    ids = pa.array(range(many))
    result = Case([], {}).result(ids=ids, found=found, lengths=ids.cast(pa.uint64()))
    assert result.pair_count == many - 1
    (group,) = result.groups
    assert (group.principal, len(group), group.least) == (0, many, 1.0)
    plan = result.plan("longest")
    assert plan.removed == many - 1
    assert plan.table["kept_id"][0].as_py() == many - 1
    assert result.top(1).num_rows == 1


@given(cases(), st.integers(0, 5), st.sampled_from(("jaccard", "containment")))
def test_top_pairs(case: Case, n: int, metric: Literal["jaccard", "containment"]) -> None:
    def score(row: Any) -> tuple[float, float]:
        return (-max(row[3:]) if metric == "containment" else -row[2], -row[2])

    assert rows(case.result(metric=metric).top(n)) == sorted(case.pairs(), key=score)[:n]


# -- groups ----------------------------------------------------------------------------------------------------------


@given(cases(old=False), LINKAGES, st.data())
@tries(3)
def test_groups(case: Case, linkage: Literal["star", "linked"], data: st.DataObject) -> None:
    order = data.draw(st.one_of(st.none(), st.permutations(range(len(case.kinds)))))
    ends = [row[:2] for row in case.pairs()]
    expected = {"star": ref.star_groups, "linked": ref.linked_groups}[linkage](
        order if order is not None else range(len(case.kinds)), ends
    )
    made = case.result(linkage=linkage, order=order).groups
    assert {(group.principal, group.members) for group in made} == {(g[0], tuple(sorted(g))) for g in expected}
    assert made == sorted(made, key=lambda group: group.members)


@given(cases(), LINKAGES, st.sampled_from(("jaccard", "containment")))
@tries(3)
def test_the_least_score_of_a_group(case: Case, linkage: Literal["star", "linked"], metric: Any) -> None:
    score = {row[:2]: max(row[3:]) if metric == "containment" else row[2] for row in case.pairs()}
    for group in case.result(linkage=linkage, metric=metric).groups:
        ((principal, members),) = numbered([group])
        scores = [score.get(ref.ordered_pair(principal, member)) for member in members if member != principal]
        known = [each for each in scores if each is not None]
        if case.old_from is None:
            assert group.least == (min(known) if len(known) == len(scores) else None)
        if linkage == "star":
            assert group.least == min(known)


@given(cases(old=True))
@tries(5)
def test_new_documents_join_the_old_one_they_are_most_like(case: Case) -> None:
    assert case.old_from is not None
    score = {row[:2]: row[2] for row in case.pairs()}
    groups = numbered(case.result().groups)
    grouped = {member: principal for principal, members in groups for member in members}
    for new in range(case.old_from):
        old = {o: s for (a, o), s in score.items() if a == new and o >= case.old_from}
        if old:
            best = min(old, key=lambda o: (-old[o], o))
            assert old[grouped[new]] == old[best]
            assert grouped[new] == best
        else:
            assert grouped.get(new, new) < case.old_from
    for principal, members in groups:
        assert [m for m in members if m >= case.old_from] in ([], [principal])
        assert len(members) > 1


@given(cases(old=True))
def test_no_linked_group_is_of_old_documents_only(case: Case) -> None:
    assert case.old_from is not None
    made = numbered(case.result(linkage="linked").groups)
    expected = ref.linked_groups(range(len(case.kinds)), [row[:2] for row in case.pairs()])
    # Old copies of one kind belong together although they are no pair.
    assert {m for _, members in made for m in members if m < case.old_from} == {
        m for group in expected for m in group if m < case.old_from
    }
    for principal, members in made:
        assert min(members) < case.old_from
        assert principal == min((m for m in members if m >= case.old_from), default=min(members))


# -- other thresholds ------------------------------------------------------------------------------------------------

shares = st.tuples(st.integers(1, 12), st.integers(1, 12)).map(lambda pair: min(pair) / max(pair))


@given(collections(), shares, shares, LINKAGES)
@tries(2)
def test_rethreshold_is_what_a_search_finds(
    case: Texts, one: float, other: float, linkage: Literal["star", "linked"]
) -> None:
    low, high = sorted((one, other))
    how: Any = {"recipe": case.recipe, "method": "exact", "linkage": linkage}
    wide = la.find(case.texts, low, **how)
    narrow = la.find(case.texts, high, **how)
    again = wide.rethreshold(high)
    assert again.pairs.equals(narrow.pairs)
    assert again.groups == narrow.groups
    assert (again.threshold, again.searched_threshold) == (high, low)
    assert wide.threshold == low, "the result itself stays as it is"
    assert again.rethreshold(low).pairs.equals(wide.pairs)


def test_rethreshold_by_containment() -> None:
    case = Case([0, 1, 2], {(0, 1): (0.5, 0.6, 0.9), (0, 2): (0.6, 0.7, 0.7)})
    assert rows(case.result(metric="containment").rethreshold(0.8).pairs) == [(0, 1, 0.5, 0.6, 0.9)]
    assert rows(case.result().rethreshold(0.6).pairs) == [(0, 2, 0.6, 0.7, 0.7)]


@pytest.mark.parametrize("threshold", [0.49, 0, 1.01, float("nan"), True, "0.9", None])
def test_a_threshold_that_was_not_searched_for(threshold: Any) -> None:
    with pytest.raises(la.RecipeError, match=r"a number from 0\.5, the threshold of the search, to 1"):
        Case([0], {}).result().rethreshold(threshold)


def test_a_higher_threshold_promises_more() -> None:
    bands = la.Bands(26, 8)
    promised = bands.recall(0.8) - 0.0002
    result = Case([0], {}).result(method="lsh", bands=bands, threshold=0.8, recall=la.Recall(promised))
    higher = result.rethreshold(0.9).recall.promised
    assert promised < higher <= bands.recall(0.9)
    assert result.rethreshold(0.8).recall.promised == promised
    assert Case([0], {}).result(recall=la.Recall(0.9)).rethreshold(0.9).recall.promised == 0.9


# -- other forms -----------------------------------------------------------------------------------------------------

CASE = Case([0, 1, 0, 2], {(0, 1): (0.75, 0.8, 0.9)})


def test_the_summary() -> None:
    skipped = [Skipped("a.png", "binary"), Skipped("b", "empty"), Skipped("c.png", "binary")]
    result = CASE.result(skipped=skipped, timings={"reading": 1.2, "searching": 0.64}, recall=la.Recall(0.9916))
    assert result.summary() == (
        "4 documents (3 skipped: 2 binary, 1 empty) · 3 pairs ≥ 0.50 in 1 cluster · scores exact · recall ≥ 0.991 of "
        "pairs at or above the threshold · 1.8 s"
    )
    assert result.seconds == pytest.approx(1.84)
    assert repr(result) == "<Result: 4 documents, 3 pairs ≥ 0.5 in 1 cluster, exact, recall ≥ 0.991>"


def test_the_summary_of_new_against_old() -> None:
    result = CASE._replace(old_from=2).result(threshold=2 / 3)
    assert result.summary().startswith("2 documents against 2 old · 3 pairs ≥ 0.666667 in 1 cluster · ")


@pytest.mark.parametrize(
    ("linkage", "metric", "promised", "said"),
    [
        ("star", "jaccard", 0.9916, "recall ≥ 0.991 of clusters"),
        ("star", "containment", 1.0, "recall 1 of clusters"),
        ("linked", "jaccard", 1.0, "no recall promised"),
        ("star", "cosine", 1.0, "no recall promised"),
    ],
)
def test_every_claim_says_that_pairs_are_missing(
    linkage: str, metric: str, promised: float, said: str, tmp_path: Path
) -> None:
    note = "4 documents are in clusters so large"
    result = CASE.result(
        limited=4, linkage=linkage, metric=metric, recall=la.Recall(promised), notes=[note], method="lsh"
    )
    said = f"{said}; pairs of 4 documents not all listed"
    result.save(tmp_path / "run.lookalike")
    for one in (result, la.Result.load(tmp_path / "run.lookalike"), result.rethreshold(0.5)):
        assert str(one.recall) == said
        assert f"{said} ·" in one.summary()
        assert repr(one).endswith(f", {said}>")
        one.report(tmp_path / "report.html")
        page = parts_of(tmp_path / "report.html").head
        assert (page["recall"], page["limited"], page["notes"]) == (said, 4, [note])
        one.write_pairs(tmp_path / "pairs.json", "json")
        for values in (one.to_dict(), json.loads((tmp_path / "pairs.json").read_bytes())):
            assert values["recall"]["of"] == "clusters"
            assert values["recall"]["promised"] == (0.0 if said.startswith("no") else promised)
            assert (values["limited"], values["notes"]) == (4, [note])


def test_to_dict_has_the_schema() -> None:
    result = CASE.result(skipped=[Skipped("x", "empty", "nothing in it")])
    values = result.to_dict()
    assert list(values) == [
        "schema",
        "recipe",
        "threshold",
        "method",
        "metric",
        "recall",
        "bands",
        "candidates",
        "documents",
        "limited",
        "copies_listed",
        "notes",
        "skipped",
        "flags",
        "skip",
        "min_words",
        "short_passages",
        "left_out",
        "metadata",
        "pairs",
        "groups",
    ]
    assert values["schema"] == "lookalike/1"
    assert la.Recipe.from_dict(values["recipe"]) == result.recipe
    assert values["recall"] == {"of": "pairs", "promised": 1.0, "measured": None}
    assert (values["limited"], values["copies_listed"], values["notes"]) == (0, "all", [])
    assert values["skipped"] == [{"id": "x", "reason": "empty"}]
    assert values["pairs"][0] == {"a": 0, "b": 1, "jaccard": 0.75, "containment_a": 0.8, "containment_b": 0.9}
    assert values["groups"] == [{"principal": 0, "members": [0, 1, 2]}]


def test_to_arrow_pandas_and_polars() -> None:
    result = CASE.result()
    expected = [dict(zip(COLUMNS, row, strict=True)) for row in CASE.pairs()]
    assert result.to_arrow().to_pylist() == expected
    assert result.to_pandas().to_dict("records") == expected
    assert result.to_polars().to_dicts() == expected


def test_other_pairs_of_the_same_documents() -> None:
    result = CASE.result(ignored=[7]).rethreshold(0.75)
    other = result.with_found(Case([0, 1, 2, 2], {}).found())
    assert rows(other.pairs) == [(2, 3, 1.0, 1.0, 1.0)]
    assert (other.threshold, other.searched_threshold, other.excluded_shingles) == (0.75, 0.75, (7,))
    assert result.pair_count == 3
    with pytest.raises(la.RecipeError, match="as many documents, 4"):
        result.with_found(Case([0], {}).found())
    names = result.with_ids(pa.array(list("abcd"), pa.large_string()))
    assert names.groups[0].members == ("a", "b", "c")
    with pytest.raises(la.RecipeError, match="as many as there are documents, 4"):
        result.with_ids(pa.array([1]))


def test_an_order_that_is_none() -> None:
    for order in ([0, 1], [0, 1, 2, 2], [0, 1, 2, -1], [0, 1, 2, 4]):
        with pytest.raises(la.RecipeError, match="every number from 0 to 3 once"):
            _ = CASE.result(order=order).groups
