"""A real `lookalike serve` in a process of its own, which can be stopped, killed and started again on its port."""

from __future__ import annotations

import os
import re
import selectors
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

__all__ = ["Served"]

_PATIENCE: Final = 60.0
_ADDRESS: Final = re.compile(rb"(https?)://(?:\[[0-9a-f:]+\]|[^/:\s]+):([0-9]+)")


class Served:
    """A server on an index that is there; it ends with the block."""

    def __init__(self, where: str | Path, *options: str, log: Path) -> None:
        """Start it on a free port, which it keeps; what it logs is added to `log`."""
        self._where, self._options, self._log = str(where), options, log
        self.port = 0
        self.starts = 0
        self._process: subprocess.Popen[bytes] | None = None
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
        command = [sys.executable, "-m", "lookalike", "serve", self._where, "--port", str(self.port), *self._options]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, env=os.environ
            )
        self.starts += 1
        try:
            self.port = self._printed_port()
        except BaseException:
            self.kill()
            raise

    def _printed_port(self) -> int:
        assert self._process is not None
        assert self._process.stdout is not None
        printed, end = b"", time.monotonic() + _PATIENCE
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._process.stdout, selectors.EVENT_READ)
            while time.monotonic() < end:
                if not waiting.select(1.0):
                    continue
                block = os.read(self._process.stdout.fileno(), 4096)
                printed += block
                if b"\n" in printed and (found := _ADDRESS.search(printed)):
                    return int(found[2])
                assert block, f"the server ended: {printed!r}\n{self.logged()[-2000:]}"
        raise AssertionError(f"no address: {printed!r}\n{self.logged()[-2000:]}")

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
        process.send_signal(how)
        try:
            code = process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        if process.stdout is not None:
            process.stdout.close()
        return code

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
