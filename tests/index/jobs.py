"""What children do to an index until they are killed. Each says what is acknowledged by a line in a file."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import lookalike as la
from tests.index import concurrent, handles
from tests.index.workload import contents, make_small

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["JOBS", "read_numbers", "warm_up"]


def warm_up() -> None:
    """Load everything that a job needs."""
    make_small()
    index = la.Index.open(":memory:")
    index.add({"a": "one two three"}, threads=1)
    index.query("one two three", threads=1)
    contents(index)
    import lookalike.index.sqlite_repair  # noqa: F401


class Log:
    """Numbers in a file: what was written is there when the process has been killed."""

    def __init__(self, path: str) -> None:
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, number: int) -> None:
        os.write(self._handle, b"%d\n" % number)


def read_numbers(path: Path) -> list[int]:
    """Return what a child wrote."""
    return [int(line) for line in path.read_text().splitlines()] if path.exists() else []


def die_at(step: int, names: tuple[str, ...] = ("os.", "open", "sqlite3.", "shutil.")) -> None:
    """Kill this process at the so-manieth step: file operations and connections, as the interpreter reports them."""
    left = step

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal left
        if event.startswith(names):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def back_up(path: str, target: str, log: str, step: int = 0) -> None:
    """Make backups."""
    said = Log(log)
    index = la.Index.open(path, create=False)
    if step:
        die_at(step)
    number = 0
    while True:
        index.backup(f"{target}-{number}.db")
        said.write(number)
        number += 1
        if step:
            return


def repair(path: str, log: str, step: int = 0) -> None:
    """Mend an index."""
    said = Log(log)
    index = la.Index.open(path, create=False)
    if step:
        die_at(step)
    found = index.repair()
    assert found.ok, found.problems
    said.write(1)


def compact(path: str, log: str, step: int = 0) -> None:
    """Compact an index."""
    said = Log(log)
    index = la.Index.open(path, create=False)
    if step:
        die_at(step)
    index.compact()
    index.close()
    said.write(1)


def create(path: str, log: str, step: int = 0) -> None:
    """Make new indexes."""
    said = Log(log)
    if step:
        die_at(step)
    number = 0
    while True:
        la.Index.open(f"{path}-{number}.db", create=True).close()
        said.write(number)
        number += 1
        if step:
            return


JOBS: dict[str, Callable[..., None]] = {
    "back_up": back_up,
    "repair": repair,
    "compact": compact,
    "create": create,
    **concurrent.JOBS,
    **handles.JOBS,
}
