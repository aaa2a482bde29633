"""Marks: read, kept, and refused with the place of what is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

import lookalike as la
from lookalike.report.side_files import Mark, read_marks


def write(path: Path, pairs: Any, schema: str = "lookalike-marks/1") -> Path:
    path.write_text(json.dumps({"schema": schema, "pairs": pairs}), encoding="utf-8")
    return path


def test_marks_are_read_and_do_not_depend_on_the_order(tmp_path: Path) -> None:
    pairs = [
        {"a": "b.txt", "b": "a.txt", "mark": "not an issue", "note": "one author"},
        {"a": 1, "b": 2, "mark": "checked"},
        {"a": "c", "b": "d", "mark": "", "note": "look again"},
    ]
    marks = read_marks(write(tmp_path / "marks.json", pairs))
    assert len(marks) == 3
    assert marks.of("a.txt", "b.txt") == marks.of("b.txt", "a.txt") == Mark("not an issue", "one author")
    assert marks.is_omitted("a.txt", "b.txt")
    assert not marks.is_omitted(1, 2)
    assert not marks.is_omitted("c", "d")
    assert marks.of("x", "y") is None
    again = tmp_path / "again.json"
    again.write_text(json.dumps(marks.to_dict()))
    assert read_marks(again) == marks


@pytest.mark.parametrize(
    ("pairs", "problem"),
    [
        ({}, "has no list of pairs"),
        ([{"a": "x"}], "pair 1 does not name two documents"),
        ([{"a": "x", "b": "y", "mark": "checked"}, 7], "pair 2 does not name two documents"),
        (
            [{"a": "x", "b": "y", "mark": "not a issue"}],
            "pair 1 has the mark 'not a issue'; did you mean 'not an issue'",
        ),
        ([{"a": "x", "b": "y", "mark": ["checked"]}], "pair 1 has the mark"),
        ([{"a": "x", "b": "y", "note": 3}], "pair 1 has a note that is not text"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, pairs: Any, problem: str) -> None:
    with pytest.raises(la.DocumentError, match=problem):
        read_marks(write(tmp_path / "marks.json", pairs))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("not json", "line 1 is not JSON"),
        ("[]", "has no marks of lookalike"),
        ('{"schema": "lookalike-marks/2", "pairs": []}', "has the form lookalike-marks/2.*update lookalike"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "marks.json").write_text(text)
    with pytest.raises(la.DocumentError, match=problem):
        read_marks(tmp_path / "marks.json")
