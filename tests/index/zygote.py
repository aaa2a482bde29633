"""Children that start in a few milliseconds: one process imports everything once, and forks for each job.

    with Zygote() as zygote:
        pid = zygote.start("write", {"path": …})
        os.kill(pid, signal.SIGKILL)
        zygote.wait(pid)

The jobs are in `tests.index.jobs`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Zygote"]

ROOT = Path(__file__).parents[2]


class Zygote:
    """The parent's end."""

    def __init__(self) -> None:
        """Start the process that forks."""
        command = [sys.executable, "-m", "tests.index.zygote"]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def _ask(self, *said: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(said), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def start(self, job: str, arguments: dict[str, Any]) -> int:
        """Start a job, and return the id of its process."""
        return int(self._ask("start", job, arguments))

    def wait(self, pid: int) -> int:
        """Wait for the end of a process; returns its exit status, negative if it was killed."""
        return int(self._ask("wait", pid))

    def run(self, job: str, arguments: dict[str, Any]) -> int:
        """Start a job and wait for its end."""
        return self.wait(self.start(job, arguments))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()


def _child(job: str, arguments: dict[str, Any]) -> None:
    from tests.index import jobs

    try:
        jobs.JOBS[job](**arguments)
    except BaseException:  # noqa: BLE001 — a job that fails must not go on as another zygote
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def _serve() -> None:
    from tests.index import jobs

    jobs.warm_up()
    for line in sys.stdin:
        verb, *said = json.loads(line)
        if verb == "start":
            pid = os.fork()
            if pid == 0:
                os.close(0)
                os.dup2(2, 1)  # what a job prints is no answer
                _child(*said)
            answer = pid
        else:
            _, status = os.waitpid(said[0], 0)
            answer = os.waitstatus_to_exitcode(status)
        print(answer, flush=True)


if __name__ == "__main__":
    _serve()
