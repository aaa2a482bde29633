"""Two ways to run a command: in this process, which is quick, and as a person would."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from lookalike.cli import main

COLLECTION = Path(__file__).parents[2] / "examples" / "collection"
SCRIPT = str(Path(sys.executable).with_name("lookalike"))
# What the person or the machine that runs the tests has set must not decide them.
UNSET = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LOOKALIKE_DEBUG", "PYTHONIOENCODING", "LC_ALL")


@dataclass(frozen=True)
class Done:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def complaint(self) -> str:
        """The one line of a command that failed as it should."""
        assert (self.code, self.out) == (2, "")
        assert self.err.startswith("lookalike: ")
        assert self.err.endswith("\n")
        assert self.err.count("\n") == 1, self.err
        return self.err.removeprefix("lookalike: ").rstrip("\n")


class Run(Protocol):
    def __call__(self, *args: str, stdin: bytes = b"") -> Done: ...


class Start(Protocol):
    def __call__(self, *args: str, stdin: bytes = b"", **env: str) -> Done: ...


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in an empty folder, with the environment of nobody in particular."""
    monkeypatch.chdir(tmp_path)
    for name in UNSET:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in this process."""

    def run(*args: str, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main(args)
        out, err = capfdbinary.readouterr()
        return Done(code, out.decode(), err.decode())

    return run


@pytest.fixture
def start() -> Start:
    """Run a command as a process of its own."""

    def start(*args: str, stdin: bytes = b"", **env: str) -> Done:
        command = [SCRIPT, *args]
        done = subprocess.run(command, input=stdin, capture_output=True, env=os.environ | env, timeout=60, check=False)
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return start


@pytest.fixture
def tides() -> tuple[str, str]:
    """A text and a copy of it with some words changed."""
    return str(COLLECTION / "why-tides-rise.txt"), str(COLLECTION / "tides-homework.txt")


# -- a small table -----------------------------------------------------------------------------------------------------


def words(first: int, last: int) -> str:
    return " ".join(f"word{number}" for number in range(first, last))


ROWS: list[dict[str, Any]] = [
    {"id": "a1", "text": words(0, 100), "stars": 3, "date": "2024-03-01", "site": "news"},
    {"id": "a2", "text": words(0, 103), "stars": 5, "date": "2022-03-01", "site": "wiki"},
    {"id": "a3", "text": words(0, 100), "stars": 1, "date": "2025-03-01", "site": "blog"},
    {"id": "b1", "text": words(200, 300), "stars": 2, "date": "2021-05-05", "site": "news"},
    {"id": "b2", "text": words(205, 300), "stars": 9, "date": "2020-05-05", "site": "wiki"},
    {"id": "=c()", "text": words(400, 440), "stars": 4, "date": "2020-01-01", "site": "news"},
]
"""Two groups, a1 with a2 and a3, b1 with b2, and a document of its own whose id a spreadsheet would run."""


@pytest.fixture
def tables() -> None:
    """The same rows as corpus.parquet, corpus.jsonl and corpus.csv in the folder of the test."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    table = pa.Table.from_pylist(ROWS)
    parquet.write_table(table, "corpus.parquet")
    csv.write_csv(table, "corpus.csv")
    Path("corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")


@pytest.fixture
def essays() -> Path:
    """A folder of authors: Ann has two drafts of one essay, Bob a copy of it; Cleo wrote her own."""
    texts = {
        "ann/draft.txt": words(0, 95),
        "ann/essay.txt": words(0, 100),
        "bob/essay.txt": words(0, 99),
        "cleo/essay.txt": words(500, 600),
    }
    for name, text in texts.items():
        path = Path("essays", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Path("essays")
