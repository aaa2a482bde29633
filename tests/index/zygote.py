"""Children that start in a few milliseconds: one process imports everything once, and forks for each job.

    with Zygote() as zygote:
        pid = zygote.start("compact", {"path": …})
        os.kill(pid, signal.SIGKILL)
        zygote.wait(pid)

The jobs are those of a module, `JOBS`; its `warm_up` imports what they need.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Zygote"]

ROOT: Final = Path(__file__).parents[2]
_PATIENCE: Final = 180.0
"""Seconds after which a process that should have ended hangs."""
_PAUSE: Final = 0.002
_LONGEST: Final = 4000
"""Bytes of standard error that a message quotes."""


class Zygote:
    """The parent's end."""

    def __init__(self, module: str = "tests.index.jobs") -> None:
        """Start the process that forks."""
        command = [sys.executable, "-m", "tests.index.zygote", module]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 — it lasts as long as the process
        self._statuses: dict[int, int | None] = {}
        """Of the processes that were started; None for those that run."""
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )

    def _ask(self, *said: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(said), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        assert answer, f"the process that forks has ended\n{self.errors()}"
        return json.loads(answer)

    def start(self, job: str, arguments: dict[str, Any]) -> int:
        """Start a job, and return the id of its process."""
        pid = int(self._ask("start", job, arguments))
        self._statuses[pid] = None
        return pid

    def poll(self, pid: int) -> int | None:
        """Return the exit status of a process, negative if it was killed, or None if it runs."""
        if self._statuses[pid] is None:
            self._statuses[pid] = self._ask("poll", pid)
        return self._statuses[pid]

    def wait(self, pid: int, patience: float = _PATIENCE) -> int:
        """Wait for the end of a process, and return its exit status; fails if it hangs."""
        end = time.monotonic() + patience
        while (status := self.poll(pid)) is None:
            assert time.monotonic() < end, f"a process has not ended after {patience:g} s\n{self.errors()}"
            time.sleep(_PAUSE)
        return status

    def run(self, job: str, arguments: dict[str, Any]) -> int:
        """Start a job and wait for its end."""
        return self.wait(self.start(job, arguments))

    def kill_all(self) -> None:
        """Kill what still runs after a failure."""
        for pid, status in list(self._statuses.items()):
            if status is None:  # so it still has its number, even if it has ended
                os.kill(pid, signal.SIGKILL)
                self.wait(pid)

    def errors(self) -> str:
        """Return the end of what jobs have written to standard error."""
        handle = self._errors.fileno()
        size = os.fstat(handle).st_size
        return os.pread(handle, _LONGEST, max(0, size - _LONGEST)).decode(errors="replace")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill_all()
        self._process.communicate()
        self._errors.close()


def _child(job: Any, arguments: dict[str, Any]) -> None:
    try:
        status = job(**arguments)
    except BaseException:  # noqa: BLE001 — a job that fails must not go on as another zygote
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(status or 0)


def _status_of(pid: int) -> int | None:
    ended, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None


def _serve(module: Any) -> None:
    module.warm_up()
    for line in sys.stdin:
        verb, *said = json.loads(line)
        answer: int | None
        if verb == "start":
            answer = os.fork()
            if answer == 0:
                os.close(0)
                os.dup2(2, 1)  # what a job prints is no answer
                _child(module.JOBS[said[0]], said[1])
        else:
            answer = _status_of(said[0])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    _serve(import_module(sys.argv[1]))
