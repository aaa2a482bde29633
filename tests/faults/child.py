"""Programs in a process of their own: to be interrupted, to be forked, to be measured, to be killed when they hang."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from typing import Final

__all__ = ["HANG", "PEAK", "run", "start"]

HANG: Final = 60.0
"""Seconds after which something that takes a second or two on any machine counts as hanging."""

# The peak of this process alone: what getrusage says may still be the parent's, from the moment between fork and exec.
PEAK: Final = """
def peak():
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
    except OSError:
        import resource, sys
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
"""


def start(program: str, *arguments: str) -> subprocess.Popen[str]:
    """Start a program, with pipes for what it prints."""
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(program), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(program: str, *arguments: str, limit: float = HANG) -> str:
    """Run a program that must end well, and return what it printed."""
    with start(program, *arguments) as child:
        try:
            out, error = child.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            child.kill()
            raise
        assert child.returncode == 0, error
        return out
