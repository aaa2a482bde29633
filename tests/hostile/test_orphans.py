"""The readers end with the process that started them, whatever ends it, and no temporary file is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.faults.child import HANG

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no signals there")

SOON = 10.0
"""Seconds; a reader that is not told to end sleeps for a minute."""

# Stands in for the library that reads Markdown: as slow as can be, and it says that it is at work. A reader may write
# no files, but it may make empty ones.
SLOW = """
import os, time
class MarkdownIt:
    def __init__(self, *_):
        open(os.path.join(os.environ["AT_WORK"], str(os.getpid())), "x").close()
        time.sleep(60)
"""
COMMAND = """
import sys
sys.path.insert(0, sys.argv[1])
from lookalike.cli import main
sys.exit(main(sys.argv[2:]))
"""
CALL = """
import sys
sys.path.insert(0, sys.argv[1])
import lookalike as la
la.find(__import__("pathlib").Path(sys.argv[3]), 0.5)
"""


class Running:
    """A command that reads a document for ever."""

    def __init__(self, folder: Path, program: str, args: list[str]) -> None:
        (folder / "library").mkdir()
        (folder / "library" / "markdown_it.py").write_text(SLOW, encoding="utf-8")
        (folder / "texts").mkdir()
        for name in "ab":
            (folder / "texts" / f"{name}.md").write_text("some words " * 100_000, encoding="utf-8")  # for a long limit
        self.at_work, self.temporary = folder / "at-work", folder / "temporary"
        self.at_work.mkdir()
        self.temporary.mkdir()
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, str(folder / "library"), *args],
            env=os.environ | {"AT_WORK": str(self.at_work), "TMPDIR": str(self.temporary)},
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def readers(self) -> list[int]:
        """Wait for the readers, and return their process ids."""
        wait_for(lambda: any(self.at_work.iterdir()), HANG)
        time.sleep(0.3)  # for the second one
        return [int(path.name) for path in self.at_work.iterdir()]

    def end(self, number: int) -> int:
        self.process.send_signal(number)
        self.process.communicate(timeout=HANG)
        return self.process.returncode

    def left(self) -> list[str]:
        own = {"library", "texts", "at-work", "temporary"}
        return [path.name for path in self.temporary.iterdir()] + sorted({p.name for p in self.folder.iterdir()} - own)


def wait_for(what: Callable[[], bool], seconds: float) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, f"waited {seconds:g} s in vain"
        time.sleep(0.05)


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except ProcessLookupError:
        return False
    except OSError:
        return not Path("/proc/self").exists()  # it ended between the two, unless there is no /proc
    return state != "Z"  # ended, and whoever adopted it has not taken notice


CODES = {"SIGTERM": 143, "SIGHUP": 129, "SIGINT": 130, "SIGKILL": -9}


@pytest.mark.parametrize("name", CODES)
def test_no_reader_outlives_a_command(tmp_path: Path, name: str) -> None:
    running = Running(
        tmp_path, COMMAND, ["scan", "texts", "--save", "run.lookalike", "--format", "csv", "-o", "out.csv"]
    )
    readers = running.readers()
    assert all(map(is_alive, readers))
    assert running.end(getattr(signal, name)) == CODES[name]
    wait_for(lambda: not any(map(is_alive, readers)), SOON)
    assert running.left() == []


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGKILL"])
def test_no_reader_outlives_a_call(tmp_path: Path, name: str) -> None:
    running = Running(tmp_path, CALL, ["", "texts"])
    readers = running.readers()
    assert running.end(getattr(signal, name)) == -getattr(signal, name)
    wait_for(lambda: not any(map(is_alive, readers)), SOON)
    assert running.left() == []


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_an_output_that_is_not_whole_is_removed(tmp_path: Path, name: str) -> None:
    running = Running(tmp_path, COMMAND, ["files", "texts", "--format", "jsonl", "-o", "out.jsonl"])
    running.readers()
    assert [path[:10] for path in running.left()] == [".out.jsonl"], "it is written from the beginning"
    assert running.end(getattr(signal, name)) == CODES[name]
    assert running.left() == []


def test_a_signal_that_comes_twice_does_not_stop_the_cleaning(tmp_path: Path) -> None:
    running = Running(tmp_path, COMMAND, ["files", "texts", "-o", "out.txt"])
    readers = running.readers()
    for _ in range(3):
        running.process.send_signal(signal.SIGHUP)
    assert running.end(signal.SIGTERM) in (129, 143)
    wait_for(lambda: not any(map(is_alive, readers)), SOON)
    assert running.left() == []


def test_nohup_is_heard(tmp_path: Path) -> None:
    program = "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n" + COMMAND
    running = Running(tmp_path, program, ["scan", "texts"])
    readers = running.readers()
    running.process.send_signal(signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        running.process.wait(timeout=1)
    assert all(map(is_alive, readers))
    assert running.end(signal.SIGTERM) == 143


# What another system than Linux does, which has no signal for the end of a parent.
WATCHING = """
import os, sys, time
from lookalike.documents.extract import worker
worker._asked_the_kernel = lambda: False
worker.end_with(int(sys.argv[1]))
print(os.getpid(), flush=True)
time.sleep(60)
"""
STARTING = """
import os, subprocess, sys
subprocess.Popen([sys.executable, "-c", sys.argv[1], str(os.getpid())], stdin=subprocess.PIPE).wait()
"""


def test_without_a_signal_the_closed_pipe_ends_a_reader() -> None:
    with subprocess.Popen([sys.executable, "-c", STARTING, WATCHING], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        reader = int(process.stdout.readline())
        assert is_alive(reader)
        process.kill()
    wait_for(lambda: not is_alive(reader), SOON)


def test_a_parent_that_ended_before_is_noticed() -> None:
    """Whoever is adopted has another parent than the one that started it."""
    program = "import os; from lookalike.documents.extract.worker import end_with; end_with(os.getppid() + 1); print(1)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=HANG, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
