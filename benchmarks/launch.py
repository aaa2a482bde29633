"""Start one command, wait for its end, and say what it took; prints a JSON object. The standard library only.

    python -I -S benchmarks/launch.py SECONDS BYTES OUTPUT ERRORS PROGRAM ARGUMENT…

It is a program of its own because the system counts the peak of a child from the memory of the process that starts it
(Linux, fork and exec): a starter that has loaded pyarrow would lend every command a hundred megabytes. This one has 10.
The command is ended when it takes longer than SECONDS or, with its children, more memory than BYTES.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["launch", "tree_memory"]

EVERY: Final = 0.02
"""Seconds between two looks at the memory of a command and its children."""
KILO: Final = 1 if sys.platform == "darwin" else 1024
BLOCK: Final = 512
"""Bytes of a block in which getrusage counts what was written."""


class Watch(threading.Thread):
    """Looks at a running command; ends it when it goes beyond its limits."""

    def __init__(self, pid: int, seconds: float, most: int) -> None:
        super().__init__(daemon=True)
        self.pid, self.most, self.end = pid, most, time.monotonic() + seconds
        self.peak = 0
        self.stopped = ""
        self.over = threading.Event()

    def run(self) -> None:
        """Look until the command has ended."""
        while not self.over.wait(EVERY):
            self.peak = max(self.peak, tree_memory(self.pid))
            if self.peak > self.most:
                self.stopped = f"stopped at {self.peak / 1e9:.1f} GB"
            elif time.monotonic() > self.end:
                self.stopped = "stopped: it took too long"
            if self.stopped:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self.pid, signal.SIGKILL)  # a group of its own, made by `launch`
                return


def launch(command: Sequence[str], output: str, errors: str, *, seconds: float, most: int) -> dict[str, Any]:
    """Run a command and return its exit code, seconds, peak of memory, bytes written, and the work of others.

    The peak is the greater of two: the high-water mark of the largest process, which misses nothing, and the sum over
    the process and its children as seen every 20 ms. `others` is how many cores other work kept busy meanwhile.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    streams = [(os.POSIX_SPAWN_OPEN, at, name, flags, 0o644) for at, name in ((1, output), (2, errors))]
    busy, own, started = _busy_seconds(), time.process_time(), time.perf_counter()
    pid = os.posix_spawn(command[0], list(command), os.environ, file_actions=streams, setpgroup=0)
    watch = Watch(pid, seconds, most)
    watch.start()
    _, status, used = os.wait4(pid, 0)
    took = time.perf_counter() - started
    watch.over.set()
    watch.join()
    others = _busy_seconds() - busy - used.ru_utime - used.ru_stime - (time.process_time() - own)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "stopped": watch.stopped,
        "seconds": took,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak": max(used.ru_maxrss * KILO, watch.peak),
        "written": used.ru_oublock * BLOCK,
        "others": max(0.0, others / took),
    }


def tree_memory(pid: int) -> int:
    """Return the resident memory of a process and its children; 0 where the system does not tell."""
    return sum(map(_resident, [pid, *_children(pid)]))


def _children(pid: int) -> Iterator[int]:
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, path.read_text(encoding="ascii").split()):
                yield child
                yield from _children(child)


def _resident(pid: int) -> int:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _busy_seconds() -> float:
    """Return the seconds that all cores together were busy or taken away by the host since the machine started."""
    try:
        first = Path("/proc/stat").read_text(encoding="ascii").partition("\n")[0]
    except OSError:
        return 0.0
    user, nice, system, _idle, _waiting, interrupts, soft, stolen = map(int, first.split()[1:9])
    return (user + nice + system + interrupts + soft + stolen) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    seconds, most, output, errors, *command = sys.argv[1:]
    print(json.dumps(launch(command, output, errors, seconds=float(seconds), most=int(most))))


if __name__ == "__main__":
    main()
