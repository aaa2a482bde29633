"""Documents from strangers, checked against an index: lines without an end, and ids that act on a terminal."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.cli import main
from tests.faults.child import PEAK, run

if TYPE_CHECKING:
    from pathlib import Path

MEMORY = 300 << 20
"""What no command may take; a line of 400 MB that was held would."""
COMMAND = (sys.executable, "-m", "lookalike")
NASTY = "\x1b]0;gone\x07\x1b[2J\u202eevil"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with la.Index.open(tmp_path / "class.db") as made:
        made.add({NASTY: " ".join(f"w{number}" for number in range(50))})
    return tmp_path / "class.db"


def test_a_line_without_an_end_is_not_held(index: Path) -> None:
    program = f"""
        import io, sys
        from lookalike.cli import main
        {PEAK.strip().replace(chr(10), chr(10) + " " * 8)}

        class Endless(io.RawIOBase):
            left = 400 << 20
            def readable(self):
                return True
            def readinto(self, buffer):
                if self.left < 0:
                    return 0
                self.left -= len(buffer)
                data = b"x" * len(buffer) if self.left >= 0 else b'\\n{{"id": "a", "text": "b"}}\\n'
                buffer[:len(data)] = data
                return len(data)

        sys.stdin = io.TextIOWrapper(io.BufferedReader(Endless(), 1 << 20))
        assert main(["check", "-", "--index", sys.argv[1], "--jsonl", "--quiet"]) == 0
        print(peak())
    """
    wrong, right, peak = run(program, str(index)).splitlines()
    assert json.loads(wrong)["error"] == "line 1 is larger than --max-document allows"
    assert json.loads(right)["id"] == "a"
    assert int(peak) < MEMORY


@pytest.mark.parametrize(
    "line",
    [
        b'{"id": "a", "text": "\\ud800 lone"}',
        b'{"id": "\\udcff", "text": "lone"}',
        b"[" * 100_000,
        b'{"id": 99999999999999999999, "text": "large"}',
        b'{"id": ' + b"9" * 5000 + b', "text": "larger"}',
        b'{"id": 1e400, "text": "infinite"}',
        b'{"id": "a", "text": {"text": "deep"}}',
        b"\xff\xfe\x00",
        b"\0",
        b'{"id": "", "text": ""}',
    ],
)
def test_no_line_ends_the_run(index: Path, line: bytes) -> None:
    good = b'{"id": "z", "text": "all is well with this one"}\n'
    command = [*COMMAND, "check", "-", "--index", str(index), "--jsonl", "--add"]
    done = subprocess.run(command, input=line + b"\n" + good, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    first, second = map(json.loads, done.stdout.splitlines())
    assert "hits" in first or first["line"] == 1
    assert second["id"] == "z"
    with la.Index.open(index) as opened:
        assert "z" in opened
        assert opened.verify().ok


def test_ids_do_nothing_to_a_terminal(index: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "new.txt"
    text.write_text(" ".join(f"w{number}" for number in range(50)), encoding="utf-8")
    for form in ("table", "json", "jsonl"):
        assert main(["check", str(text), "--index", str(index), "--format", form]) == 0
        shown = capfd.readouterr().out
        assert "evil" in shown
        assert not set("\x1b\x07\u202e") & set(shown), form
    assert main(["index", "remove", str(index), f"{NASTY}2"]) == 0
    assert not set("\x1b\x07\u202e") & set("".join(capfd.readouterr()))
