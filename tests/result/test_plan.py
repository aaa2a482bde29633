"""Removal plans: who is kept, in whose favour the others go, and that nothing else decides it."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.documents import Skipped
from lookalike.result.plan import KeepRule
from tests.property.strategies import tries
from tests.result.making import Case, cases, rows

if TYPE_CHECKING:
    from lookalike.result.plan import Plan

LINKAGES: st.SearchStrategy[Literal["star", "linked"]] = st.sampled_from(("star", "linked"))
NAN = float("nan")

CHAIN = Case([0, 1, 2, 3], {(0, 1): (0.9, 0.9, 0.9), (1, 2): (0.8, 0.8, 0.8)})


def removals(plan: Plan) -> list[tuple[Any, ...]]:
    return rows(plan.removals.drop_columns(["group"]))


def partners(case: Case) -> dict[int, dict[int, float]]:
    found: dict[int, dict[int, float]] = {document: {} for document in range(len(case.kinds))}
    for a, b, score, *_ in case.pairs():
        found[a][b] = found[b][a] = score
    return found


# -- what a plan promises --------------------------------------------------------------------------------------------


@given(cases(), st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=10, max_size=10))
@tries(5)
def test_every_removed_document_has_a_kept_partner(case: Case, values: list[int | None]) -> None:
    plan = case.result().plan("max:x", values=values[: len(case.kinds)])
    near = partners(case)
    kept: set[Any] = set(plan.table["id"].filter(plan.kept_mask).to_pylist()) | set(range(plan.documents, len(near)))
    for row in plan.table.to_pylist():
        if row["kept"]:
            assert (row["kept_id"], row["score"]) == (None, None)
        else:
            assert row["kept_id"] in kept
            assert row["score"] == near[row["id"]][row["kept_id"]] >= 0.5
            assert row["group"] is not None
    # No two that are kept are near-duplicates, but for old ones.
    assert not any(b in kept for a in kept if a < plan.documents for b in near[a])


@given(cases(), LINKAGES)
@tries(3)
def test_a_plan_follows_the_groups(case: Case, linkage: Literal["star", "linked"]) -> None:
    result = case.result(linkage=linkage)
    table = result.plan().table.to_pylist()
    for number, group in enumerate(result.groups):
        new = [int(member) for member in group.members if case.old_from is None or int(member) < case.old_from]
        assert {row["id"] for row in table if row["group"] == number} == set(new)
        for member in new:
            row = table[member]
            assert row["kept"] == (member == group.principal)
            assert row["kept_id"] == (None if row["kept"] else group.principal)
            if case.old_from is not None:
                assert row["kept_old"] == (None if row["kept"] else group.principal_old)
    grouped = {member for group in result.groups for member in group.members}
    assert all(row["kept"] and row["group"] is None for row in table if row["id"] not in grouped)


@given(cases(), LINKAGES)
@tries(3)
def test_old_documents_are_kept(case: Case, linkage: Literal["star", "linked"]) -> None:
    near = partners(case)
    old_from = len(case.kinds) if case.old_from is None else case.old_from
    for drop_all in (False, True):
        plan = case.result(linkage=linkage).plan("shortest", drop_all=drop_all)
        assert plan.documents == old_from
        for row in plan.table.to_pylist():
            if any(partner >= old_from for partner in near[row["id"]]):
                assert not row["kept"]
                assert row["kept_id"] >= old_from


@given(cases(old=False), LINKAGES)
@tries(3)
def test_drop_all_removes_whoever_has_a_partner(case: Case, linkage: Literal["star", "linked"]) -> None:
    plan = case.result(linkage=linkage).plan("longest", drop_all=True)
    near = partners(case)
    for row in plan.table.to_pylist():
        assert row["kept"] == (not near[row["id"]])
        assert (row["kept_id"], row["score"]) == (None, None)
        assert (row["group"] is None) == row["kept"]


@given(cases(old=False), LINKAGES, st.sampled_from(("max:x", "min:x", "newest", "oldest")), st.data())
@tries(3)
def test_the_order_of_the_documents_does_not_matter_but_for_ties(
    case: Case, linkage: Literal["star", "linked"], keep: str, data: st.DataObject
) -> None:
    documents = range(len(case.kinds))
    values = data.draw(st.permutations(documents))
    moved = data.draw(st.permutations(documents))
    one = case.result(linkage=linkage).plan(keep, values=values)
    other = (
        case._replace(kinds=[case.kinds[i] for i in moved])
        .result(linkage=linkage, ids=pa.array(moved, pa.int64()))
        .plan(keep, values=[values[i] for i in moved])
    )
    assert sorted(rows(one.removals.drop_columns(["group"]))) == sorted(rows(other.removals.drop_columns(["group"])))


# -- the rules -------------------------------------------------------------------------------------------------------

THREE = Case([0, 0, 0], {})


@pytest.mark.parametrize(
    ("keep", "values", "kept"),
    [
        ("first", None, 0),
        ("max:stars", [1, 3, 3], 1),
        ("min:stars", [2, 1, 1], 1),
        ("max:stars", [NAN, None, -1.0], 2),
        ("min:stars", [NAN, 5.0, None], 1),
        ("max:stars", [NAN, None, NAN], 0),
        ("max:name", ["b", "c", "a"], 1),
        ("min:name", pa.array(["b", "c", "a"]).dictionary_encode(), 2),
        ("max:flag", [False, True, True], 1),
        ("newest", [date(2020, 1, 1), date(2024, 1, 1), None], 1),
        ("oldest", [None, datetime(2024, 1, 1, tzinfo=UTC), datetime(2023, 1, 1, tzinfo=UTC)], 2),
        ("newest:day", ["2024-02-29", "2024-02-29T12:00", ""], 1),
        ("oldest:day", ["2024-02-29T12:00+02:00", "2024-02-29T11:00", "2024-02-29 10:30:00Z"], 0),
        ("newest", [1999, 2024, 2001], 1),
        ("newest", pa.chunked_array([[1], [3, 2]]), 1),
        ("source:site=wiki,news-*", ["blog", "news-1", "wiki"], 2),
        ("source:site=wiki,news-*", ["blog", "news-1", None], 1),
    ],
)
def test_rules(keep: str, values: Any, kept: int) -> None:
    plan = THREE.result().plan(keep, values=values)
    assert plan.kept_mask.to_pylist() == [document == kept for document in range(3)]
    assert plan.keep == keep


def test_rules_of_length() -> None:
    result = THREE.result(lengths=pa.array([5, 7, 7], pa.uint64()))
    assert result.plan("longest").kept_mask.to_pylist() == [False, True, False]
    assert result.plan("shortest").kept_mask.to_pylist() == [True, False, False]


def test_the_source_is_told_by_the_id() -> None:
    result = THREE.result(ids=pa.array(["blog/a", "news/2024/b", "wiki:c"], pa.large_string()))
    for keep, kept in (("source:wiki,news/", 2), ("source:news/*,wiki", 1), ("source:*/b", 1), ("source:x", 0)):
        assert result.plan(keep).kept_mask.to_pylist() == [document == kept for document in range(3)]
    assert result.plan("source:wiki,boks").notes == ("no document is from 'boks'",)


def test_first_is_first_in_the_order_of_the_search() -> None:
    result = THREE.result(order=[1, 0, 2])
    assert result.plan().kept_mask.to_pylist() == [False, True, False]
    assert result.groups[0].principal == 1


def test_the_rule_chooses_the_stars() -> None:
    assert removals(CHAIN.result().plan()) == [(1, 0, 0.9)]
    assert removals(CHAIN.result().plan("max:x", values=[1, 2, 0, 0])) == [(0, 1, 0.9), (2, 1, 0.8)]
    # A chain keeps one; the other end was not compared with it.
    assert removals(CHAIN.result(linkage="linked").plan()) == [(1, 0, 0.9), (2, 0, None)]


@pytest.mark.parametrize(
    ("keep", "values", "message"),
    [
        ("longst", None, "did you mean 'longest'"),
        ("max", None, "keep must be one of"),
        ("max:", None, "keep must be one of"),
        ("first:x", None, "keep must be one of"),
        ("newest:", None, "keep must be one of"),
        ("source:", None, "keep must be one of"),
        ("source:a,,b", None, "keep must be one of"),
        ("source:=a", None, "keep must be one of"),
        ("newest", None, "name a column, as in newest:date"),
        ("max:stars", None, "the values of 'stars'"),
        ("max:stars", [1, 2], "as many as there are documents, 3"),
        ("max:stars", [1, "a", 2], "that can be compared"),
        ("max:stars", [[1], [2], [3]], "that can be compared"),
        ("newest", ["2024-01-01", "yesterday", "2024"], "'yesterday' is none"),
        ("source:a", None, "name a column, as in source:COLUMN=A,B"),
        ("source:site=a", [1, 2, 3], "ids or sources that are texts"),
    ],
)
def test_rules_that_are_none(keep: str, values: Any, message: str) -> None:
    with pytest.raises(la.RecipeError, match=message.replace("(", r"\(")):
        THREE.result().plan(keep, values=values)


def test_lengths_that_are_not_known() -> None:
    with pytest.raises(la.RecipeError, match="lengths of these texts are not known"):
        THREE.result(lengths=None).plan("longest")


@pytest.mark.parametrize("rule", ["first", "newest", "newest:day", "max:a:b", "source:a,b", "source:c=a,b*"])
def test_a_rule_says_what_was_written(rule: str) -> None:
    assert str(KeepRule.parse(rule)) == rule
    assert KeepRule.parse(KeepRule.parse(rule)) == KeepRule.parse(rule)


# -- the plan itself -------------------------------------------------------------------------------------------------


def test_the_table_and_the_counts() -> None:
    plan = CHAIN.result(ids=pa.array(list("abcd"), pa.large_string()), skipped=[Skipped("x", "empty")]).plan()
    kinds = [str(field.type) for field in plan.table.schema]
    assert plan.table.column_names == ["id", "kept", "kept_id", "score", "group"]
    assert kinds == ["large_string", "bool", "large_string", "double", "uint32"]
    assert rows(plan.table)[:2] == [("a", True, None, None, 0), ("b", False, "a", 0.9, 0)]
    assert (plan.documents, plan.kept, plan.removed, plan.groups, plan.without_text) == (4, 3, 1, 1, 0)
    assert plan.removed_ids.to_pylist() == ["b"]
    assert repr(plan) == "<Plan: keep first, 3 of 4 documents kept, 1 removed from 1 cluster>"
    assert "drop all" in repr(CHAIN.result().plan(drop_all=True))


def test_a_plan_of_nothing() -> None:
    plan = Case([], {}).result().plan("longest")
    assert (plan.documents, plan.kept, plan.removed, plan.groups) == (0, 0, 0, 0)
    assert plan.removed_ids.to_pylist() == []


def test_a_plan_is_written() -> None:
    stream = io.StringIO()
    CHAIN.result().plan().write(stream, "csv")
    assert stream.getvalue() == ("id,kept,kept_id,score,group\n0,true,,,0\n1,false,0,0.9,0\n2,true,,,\n3,true,,,\n")
