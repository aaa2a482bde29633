"""`scan -o pairs.xlsx`, and what a person sees while files are read."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

from tests.documents.making import docx

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.cli.conftest import Run

TEXT = "the miller lived by the river and sold his flour to every town around before the winter came"


def test_pairs_go_into_a_workbook_as_texts_and_numbers(run: Run, tmp_path: Path) -> None:
    for name in ("=1+1.txt", "b.txt"):
        (tmp_path / name).write_text(TEXT, encoding="utf-8")
    output = tmp_path.with_suffix(".xlsx")
    run("scan", str(tmp_path), "-o", str(output))
    with zipfile.ZipFile(output) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
        names = set(book.namelist())
    assert "xl/workbook.xml" in names
    assert "<f>" not in sheet
    assert "=1+1.txt" in sheet
    assert "<v>1</v>" in sheet


def test_a_workbook_without_the_package_says_what_to_do(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(TEXT, encoding="utf-8")
    output = tmp_path.with_suffix(".xlsx")
    done = run("scan", str(tmp_path), "-o", str(output))
    assert done.code == 2
    assert "pip install '.[excel]'" in done.err
    assert not output.exists()


def test_a_terminal_shows_files_being_read(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"{number}.docx").write_bytes(docx([f"{TEXT} {number}"]))
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "lookalike", "scan", str(tmp_path), "-o", os.devnull, "--format", "jsonl"],
        stderr=theirs,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
    ) as process:
        os.close(theirs)
        said = b""
        try:
            while piece := os.read(ours, 4096):
                said += piece
        except OSError:  # the other end is closed
            pass
        os.close(ours)
    assert process.returncode in (0, 1)
    assert b"reading" in said
    assert b"0 of 40" in said
