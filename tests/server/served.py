"""A real `lookalike serve` in a process of its own, which can be stopped, killed and started again on its port."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Final, Self

from tests.server.commands import end_program, spawn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import TracebackType

    from tests.server.commands import Program

    Start = Callable[[Sequence[str], Path, Path], Program]

__all__ = ["Served"]

_PATIENCE: Final = 60.0
_PAUSE: Final = 0.005
_ADDRESS: Final = re.compile(r"(https?)://(?:\[[0-9a-f:]+\]|[^/:\s]+):([0-9]+)")


class Served:
    """A server on an index that is there; it ends with the block."""

    def __init__(self, where: str | Path, *options: str, log: Path, start: Start = spawn) -> None:
        """Start it on a free port, which it keeps; what it logs is added to `log`."""
        self._where, self._options, self._log, self._spawn = str(where), options, log, start
        self.port = 0
        self.starts = 0
        self._process: Program | None = None
        self.start()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The id of its process."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it, and wait until it has printed its address."""
        printed = self._log.with_name(f"{self._log.name}.printed")
        printed.unlink(missing_ok=True)
        arguments = ["serve", self._where, "--port", str(self.port), *self._options]
        self._process = self._spawn(arguments, printed, self._log)
        self.starts += 1
        try:
            self.port = self._port_in(self._process, printed)
        except BaseException:
            self.kill()
            raise

    def _port_in(self, process: Program, printed: Path) -> int:
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            ended = process.poll() is not None
            lines = printed.read_text(encoding="utf-8") if printed.exists() else ""
            if "\n" in lines and (address := _ADDRESS.search(lines)):
                return int(address[2])
            assert not ended, f"the server ended: {lines!r}\n{self.logged()[-2000:]}"
            time.sleep(_PAUSE)
        raise AssertionError(f"no address after {_PATIENCE:g} s\n{self.logged()[-2000:]}")

    def logged(self) -> str:
        """Return what it has logged so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def kill(self) -> None:
        """End it as a crash would."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """Ask it to end, and return its exit code."""
        return self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        return end_program(process, how)

    def memory(self) -> int:
        """Return the bytes of memory that it has now, its children's among them."""
        return sum(_resident(pid) for pid in _family(self.pid))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()


def _resident(pid: int) -> int:
    listed = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return int(listed.stdout.strip() or 0) * 1024


def _family(pid: int) -> list[int]:
    """Return a process and its children, and theirs."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(own): int(parent) for own, parent in (line.split() for line in listed.splitlines())}
    found = [pid]
    for one in found:
        found += [own for own, parent in parents.items() if parent == one]
    return found
