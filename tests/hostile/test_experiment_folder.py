"""A folder of experiments that somebody else made: its records are what they should be, or the file is not ours."""

from __future__ import annotations

import json
import os
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.cli import main
from lookalike.experiments.gallery import gallery
from lookalike.experiments.store import Folder
from tests.faults.child import PEAK
from tests.faults.child import run as run_child

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

STORED: dict[str, Any] = {
    "schema": "lookalike-verdicts/2",
    "lookalike": "0.1.0",
    "settings": {"seed": 1, "quick": True, "text": None, "file": None},
    "verdicts": [
        {
            "experiment": "comparisons",
            "claim": "more is better",
            "source": "report A",
            "items": [52],
            "finding": "holds",
            "evidence": "it is",
            "numbers": {"share": 0.5},
            "conclusion": "",
            "report": "",
        }
    ],
    "experiments": [
        {
            "id": "comparisons",
            "title": "Comparisons",
            "items": [52],
            "caption": "What it shows.",
            "settings": {"seed": 1, "quick": True, "text": None, "file": None},
            "code": "0" * 16,
            "csv": "0" * 16,
            "seconds": 1.5,
        }
    ],
}
WRONG: list[Any] = [
    *(None, True, -1, 2**70, 1.5, float("nan"), 1e308, "", "x", "<script>", "\ud800", "../../x"),
    *([], [1], ["x"], [[]], {}, {"x": 1}, {"x": "y"}),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in inside:
        yield from places(one, (*path, name))


def used(folder: Path) -> None:
    opened = Folder.open(folder)
    page = gallery(opened)
    assert "<script" not in page
    page.encode()
    if opened.records:
        opened.keep(next(iter(opened.records.values())))


def test_the_record_of_these_tests_is_good(tmp_path: Path) -> None:
    (tmp_path / "verdicts.json").write_text(json.dumps(STORED))
    used(tmp_path)
    assert Folder.open(tmp_path).records["comparisons"].verdicts[0].numbers == {"share": 0.5}


def test_no_wrong_value_of_any_field_does_harm(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = tried = 0
    for place in places(STORED):
        for value in WRONG:
            made: Any = deepcopy(STORED)
            inner = made
            for name in place[:-1]:
                inner = inner[name]
            inner[place[-1]] = value
            (tmp_path / "verdicts.json").write_text(json.dumps(made))
            tried += 1
            try:
                used(tmp_path)
            except la.DocumentError:
                refused += 1
                continue
            for command in (["show"], ["show", "comparisons"], ["show", "--format", "json"]):
                assert main(["experiment", *command, "--out", "."]) == 0, (place, value)
            assert "internal error" not in capfd.readouterr().err
    assert refused > tried * 0.7


@pytest.mark.parametrize(
    "text", ["", "[" * 100_000, "{" * 10, "5", "null", '{"schema": ' + "9" * 5_000 + "}", '{"schema": "other"}']
)
def test_files_of_others(tmp_path: Path, text: str) -> None:
    (tmp_path / "verdicts.json").write_text(text)
    with pytest.raises(la.DocumentError, match="is not a lookalike-verdicts/2 file"):
        Folder.open(tmp_path)


OPENING = (
    PEAK
    + """
import sys
import lookalike as la
from lookalike.experiments.store import Folder
before = peak()
try:
    Folder.open(sys.argv[1])
except la.DocumentError as error:
    print((peak() - before) >> 20)
"""
)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "verdicts.json").write_text("{")
    os.truncate(tmp_path / "verdicts.json", 2 << 30)
    assert int(run_child(OPENING, str(tmp_path))) < 50
