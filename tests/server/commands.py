"""Real commands in forked children of a process that has imported everything: they start in a few milliseconds."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, Final, Protocol

from tests.index.zygote import Zygote

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

__all__ = ["JOBS", "Forks", "Program", "end_program", "spawn", "warm_up"]

_PATIENCE: Final = 120.0
_PAUSE: Final = 0.002


class Program(Protocol):
    """A process that runs a command."""

    pid: int

    def poll(self) -> int | None:
        """Return its exit code, or None while it runs."""


def spawn(arguments: Sequence[str], output: Path, errors: Path) -> Program:
    """Start `lookalike` as anybody does."""
    with output.open("ab") as printed, errors.open("ab") as complained:
        return subprocess.Popen(
            [sys.executable, "-m", "lookalike", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=complained,
            env=os.environ,
        )


def end_program(program: Program, how: signal.Signals | None = None) -> int:
    """Wait for its end, after a signal if there is one; returns its exit code, negative if it was killed."""
    end = time.monotonic() + _PATIENCE
    if how is not None and program.poll() is None:
        os.kill(program.pid, how)
    while (code := program.poll()) is None:
        if time.monotonic() > end:
            os.kill(program.pid, signal.SIGKILL)
            raise AssertionError(f"a command has not ended after {_PATIENCE:g} s")
        time.sleep(_PAUSE)
    return code


class Forks(Zygote):
    """What starts `lookalike` by a fork."""

    def __init__(self) -> None:
        """Start the process that forks."""
        super().__init__("tests.server.commands")

    def spawn(self, arguments: Sequence[str], output: Path, errors: Path) -> Program:
        """Start `lookalike`."""
        paths = {"output": str(output), "errors": str(errors)}
        return _Fork(self, self.start("run_command", {"arguments": list(arguments), **paths}))


class _Fork:
    def __init__(self, zygote: Zygote, pid: int) -> None:
        self._zygote, self.pid = zygote, pid

    def poll(self) -> int | None:
        return self._zygote.poll(self.pid)


# -- in the other process ----------------------------------------------------------------------------------------------


def warm_up() -> None:
    """Load what the commands need."""
    from tests.index import jobs

    jobs.warm_up()
    import uvicorn.loops.asyncio  # noqa: F401

    import lookalike.cli.check
    import lookalike.cli.index
    import lookalike.cli.index_contents
    import lookalike.client
    import lookalike.server.serving  # noqa: F401


def run_command(arguments: list[str], output: str, errors: str) -> int:
    """Run `lookalike`, and end as its process would."""
    from lookalike.cli import main

    for handle, path in ((1, output), (2, errors)):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(file, handle)
        os.close(file)
    try:
        code: Any = main(arguments)
    except SystemExit as end:
        code = end.code
    atexit._run_exitfuncs()
    sys.stdout.flush()
    return code if isinstance(code, int) else 0 if code is None else 1


JOBS: Final[dict[str, Callable[..., int]]] = {"run_command": run_command}
