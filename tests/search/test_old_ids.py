"""Old documents beside new ones: ids stay what they are, and columns tell which documents are old."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.report.side_files import NOT_AN_ISSUE, Mark, Marks, read_marks
from lookalike.result.from_texts import collect
from tests.faults.child import PEAK, run

if TYPE_CHECKING:
    from pathlib import Path

    from lookalike.report.collect import ReportPage

A = "the quick brown fox jumps over the lazy dog while the cat sleeps on the warm stone wall"
B = "why tides rise and fall twice a day is a question of the moon and of the sun as well"
C = "a page that is like no other page of this collection, whoever may look at it and however long"

NUMBERS: dict[Any, str] = {10: A, 11: B, 12: C}
OLD_NUMBERS: dict[Any, str] = {12: A, 10: B}
OLD_TEXTS: dict[Any, str] = {"12": A, "x": B}


def written(result: la.Result, kind: Any) -> bytes:
    stream = io.BytesIO()
    result.write_pairs(stream, kind)
    return stream.getvalue()


def test_ids_of_one_kind_stay_as_they_are() -> None:
    result = la.find(NUMBERS, against=OLD_NUMBERS)
    assert result.ids.to_pylist() == [10, 11, 12]
    assert result.old_ids is not None
    assert result.old_ids.to_pylist() == [12, 10]
    assert [(row["a"], row["b"], row["b_old"]) for row in result.pairs.to_pylist()] == [(10, 12, True), (11, 10, True)]
    plan = result.plan()
    assert plan.removed_ids.equals(pa.array([10, 11]))
    assert plan.documents == 3
    assert [(row["id"], row["kept_id"], row["kept_old"]) for row in plan.table.to_pylist()] == [
        (10, 12, True),
        (11, 10, True),
        (12, None, None),
    ]


def test_two_lists_always_have_ids_in_common() -> None:
    result = la.find([A, B, B], against=[C, A])
    assert [(r["a"], r["b"], r["b_old"]) for r in result.pairs.to_pylist()] == [(0, 1, True), (1, 2, False)]
    assert [(g.principal, g.principal_old, g.members, g.members_old) for g in result.groups] == [
        (1, True, (0, 1), (False, True)),
        (1, False, (1, 2), (False, False)),
    ]


@pytest.mark.parametrize(("new", "old"), [(NUMBERS, OLD_TEXTS), (OLD_TEXTS, NUMBERS)])
def test_ids_of_two_kinds(new: dict[Any, str], old: dict[Any, str], tmp_path: Path) -> None:
    result = la.find(new, against=old)
    expected = [(a, b) for a, text in new.items() for b, other in old.items() if text == other]
    assert [(row["a"], row["b"]) for row in result.named.to_pylist()] == expected
    table = result.pairs
    assert table.schema.field("a").type == table.schema.field("b").type == result.ids.type
    assert [(row["a"], row["b"], row["b_old"], row["b_old_id"]) for row in table.to_pylist()] == [
        (a, None, True, b) for a, b in expected
    ]
    assert [(row["id"], row["kept_old_id"]) for row in result.plan().removals.to_pylist()] == expected
    lines = written(result, "jsonl").decode().splitlines()
    assert [(row["a"], row["b"], row["b_old"]) for row in map(json.loads, lines)] == [(a, b, True) for a, b in expected]
    assert json.loads(written(result, "json"))["pairs"] == list(map(json.loads, lines))
    cells = list(csv.DictReader(io.StringIO(written(result, "csv").decode())))
    assert [(row["a"], row["b"], row["b_old"]) for row in cells] == [(str(a), str(b), "true") for a, b in expected]
    assert pq.read_table(io.BytesIO(written(result, "parquet"))).equals(table)
    result.save(tmp_path / "run")
    loaded = la.Result.load(tmp_path / "run")
    assert loaded.pairs.equals(table)
    assert loaded.groups == result.groups
    assert loaded.to_dict() == result.to_dict()


def test_other_ids() -> None:
    result = la.find(NUMBERS, against=OLD_NUMBERS).with_ids(["a", "b", "c"])
    assert [(row["a"], row["b"]) for row in result.named.to_pylist()] == [("a", 12), ("b", 10)]
    assert result.with_ids([1, 2, 3], old=["x", "y"]).named.to_pylist()[0]["b"] == "x"
    with pytest.raises(la.RecipeError, match="as many as there are documents, 3"):
        result.with_ids(range(5))
    with pytest.raises(la.RecipeError, match="as many as there are old documents, 2"):
        result.with_ids(range(3), old=[1])


def test_no_old_document_is_not_the_same_as_no_against() -> None:
    result = la.find({1: A, 2: A}, against={})
    assert result.old_from == 2
    assert result.pairs["b"].to_pylist() == [2]
    assert result.pairs["b_old"].to_pylist() == [False]
    assert "b_old" not in la.find({1: A, 2: A}).pairs.column_names


def test_an_audit_names_what_was_missed_and_is_saved(tmp_path: Path) -> None:
    result = la.find(NUMBERS, against=OLD_TEXTS).audit(documents=NUMBERS, against=OLD_TEXTS)
    result.save(tmp_path / "run")
    loaded = la.Result.load(tmp_path / "run")
    assert loaded.audited is not None
    assert result.audited is not None
    assert loaded.audited.missed.equals(result.audited.missed)
    with pytest.raises(la.DocumentError, match="are not the ones that were searched"):
        result.audit(documents=NUMBERS, against=OLD_NUMBERS)


def test_what_is_known_of_an_id_is_known_of_the_new_document() -> None:
    result = la.find({"a": A, "b": B}, against={"a": A, "c": B})
    known = {"a": la.Metadata("Essay", "Ann"), "c": la.Metadata("Old one", "Cleo")}
    told = result.with_metadata(known)
    assert {number: values.author for number, values in told.metadata_of.items()} == {0: "Ann", 3: "Cleo"}
    assert [(row["id"], row["id_old"]) for row in told.to_dict()["metadata"]] == [("a", False), ("c", True)]


def page(result: la.Result, **texts: Any) -> ReportPage:
    return collect(result, **texts)


def test_the_report_reads_new_and_old_texts_of_one_id(tmp_path: Path) -> None:
    new, old = {"a": A, "b": B}, {"a": A + " And more.", "b": C}
    result = la.find(new, 0.5, against=old)
    assert page(result).head["problem"] == ""
    assert page(result).body["texts"] == {0: A, 2: A + " And more."}
    result.save(tmp_path / "run")
    loaded = la.Result.load(tmp_path / "run")
    assert page(loaded, texts=new, against=old).body["texts"] == {0: A, 2: A + " And more."}
    assert "2 documents" in page(loaded, texts=new).head["problem"]


def test_a_mark_of_an_old_document_is_not_one_of_a_new(tmp_path: Path) -> None:
    marks = Marks({("a", "b"): Mark("checked")}, {("a", "b"): Mark(NOT_AN_ISSUE)})
    assert marks.is_omitted("a", "b", b_old=True)
    assert not marks.is_omitted("a", "b")
    (tmp_path / "marks.json").write_text(json.dumps(marks.to_dict()))
    assert read_marks(tmp_path / "marks.json") == marks
    (tmp_path / "bad.json").write_text(json.dumps(marks.to_dict()).replace('"b_old": true', '"b_old": "x"'))
    with pytest.raises(la.DocumentError, match="pair 2 has a b_old that is neither true nor false"):
        read_marks(tmp_path / "bad.json")


FEW_AGAINST_MANY = (
    PEAK
    + """
from array import array
import lookalike as la
from lookalike.result.view import SearchedDocuments, SearchSettings
from lookalike.tables.columns import Found
from lookalike.tables.packed import Ids

many = 2_000_000
score = array("d", [0.9]).tobytes()
found = Found(array("I", range(many + 1)).tobytes(), bytes(4), array("I", [many]).tobytes(), score, score, score, 1)
settings = SearchSettings(recipe=la.Recipe(), threshold=0.5, method="exact", recall=la.Recall(1.0))
before = peak()
result = la.Result(SearchedDocuments(ids=Ids(range(1)), old_ids=Ids(range(many))), settings, found)
(row,) = result.top_rows(1)
assert (row["a"], row["b"], row["b_old"]) == (0, many - 1, True)
print(peak() - before)
"""
)


def test_one_document_against_millions_costs_no_set_of_their_ids() -> None:
    assert int(run(FEW_AGAINST_MANY)) < 60 << 20
