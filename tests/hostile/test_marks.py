"""Marks that somebody made up: an error that says where, or marks that can be used."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.cli import main
from lookalike.report.side_files import read_marks
from tests.faults.child import PEAK
from tests.faults.child import run as run_child

if TYPE_CHECKING:
    from pathlib import Path

GOOD: dict[str, Any] = {"a": "a.txt", "b": "b.txt", "mark": "checked", "note": "seen"}
WRONG: list[Any] = [
    *(None, True, False, 0, -1, 1.5, 2**70, "", "x", "\ud800", "x" * 100_000, [], [1], ["checked"], {}, {"a": "b"}),
]


def written(path: Path, given: Any) -> Path:
    path.write_text(given if isinstance(given, str) else json.dumps(given), encoding="utf-8")
    return path


def refused(path: Path) -> str:
    with pytest.raises(la.DocumentError) as raised:
        read_marks(path)
    assert len(str(raised.value)) < 500
    return str(raised.value)


def test_wrong_values_of_any_field(tmp_path: Path) -> None:
    accepted = []
    for field in GOOD:
        for value in WRONG:
            path = written(tmp_path / "m.json", {"schema": "lookalike-marks/1", "pairs": [GOOD | {field: value}]})
            try:
                read_marks(path).to_dict()
            except la.DocumentError as error:
                assert len(str(error)) < 500  # noqa: PT017 — most are refused, and some are not
            else:
                accepted.append((field, value))
    assert {value for field, value in accepted if field == "mark"} == {None, ""}
    assert all(isinstance(value, str) or value is None for field, value in accepted if field == "note")
    assert all(type(value) in (str, int) for field, value in accepted if field in "ab")


def test_wrong_files(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    for value in WRONG:
        refused(written(path, {"schema": value, "pairs": []}))
        refused(written(path, [value]))
        if value != []:
            refused(written(path, {"schema": "lookalike-marks/1", "pairs": value}))
        refused(written(path, {"schema": "lookalike-marks/1", "pairs": [value]}))
    number = "9" * 5_000
    for text in (
        f'{{"schema": "lookalike-marks/1", "pairs": [{{"a": {number}, "b": 1}}]}}',
        '{"schema": "lookalike-marks/1", "pairs": [{"a": NaN, "b": 1}]}',
        '{"schema": "lookalike-marks/1", "pairs": ' + "[" * 100_000 + "]" * 100_000 + "}",
        "[" * 100_000,
        "{",
        "",
    ):
        refused(written(path, text))


def test_ids_that_cannot_be_spelt_reach_the_report(tmp_path: Path) -> None:
    marks = {"schema": "lookalike-marks/1", "pairs": [GOOD | {"a": "\ud800", "note": "</script>\ud800"}]}
    path = tmp_path / "report.html"
    la.find({"a": "one two three", "b": "one two three"}).report(
        path, marks=read_marks(written(tmp_path / "m.json", marks))
    )
    assert "</script>\\ud800" not in path.read_text(encoding="utf-8")


def test_the_command_says_it_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    for name in "ab":
        (tmp_path / "in" / f"{name}.txt").write_text("one two three four five six seven")
    written(tmp_path / "m.json", '{"schema": "lookalike-marks/1", "pairs": [{"a": ' + "9" * 5_000 + ', "b": 1}]}')
    assert main(["scan", "in", "--marks", "m.json", "-q"]) == 2
    said = capfd.readouterr().err
    assert said.startswith("lookalike: m.json ")
    assert said.count("\n") == 1
    assert "internal error" not in said


READING = (
    PEAK
    + """
import sys
import lookalike as la
from lookalike.documents.metadata import read_metadata
from lookalike.report.side_files import read_marks
before = peak()
for read in (read_marks, read_metadata):
    try:
        read(sys.argv[1])
    except la.DocumentError as error:
        print((peak() - before) >> 20, error)
"""
)


def test_files_that_are_too_large_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(b'{"schema": ')
    os.truncate(path, 2 << 30)
    lines = run_child(READING, str(path)).splitlines()
    assert len(lines) == 2
    for line in lines:
        memory, said = line.split(" ", 1)
        assert "larger than" in said
        assert int(memory) < 50
