"""A reader ends with the process that started it, however that ends: it must not go on for nobody."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import Final

__all__ = ["end_with"]

_SET_DEATH_SIGNAL: Final = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>
_SECONDS: Final = 1.0


def end_with(parent: int) -> None:
    """Have this process ended as soon as the process `parent`, which started it, has ended."""
    if sys.platform == "win32":
        return  # it ends when it has read its document, and finds that nobody has another
    if not _asked_the_kernel():
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    if os.getppid() != parent:  # it ended before the kernel was asked
        os._exit(1)


def _asked_the_kernel() -> bool:
    """Ask Linux for SIGKILL when the parent ends; True if it agreed."""
    if sys.platform != "linux":
        return False
    try:
        import ctypes

        return int(ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)) == 0
    except (ImportError, OSError, AttributeError):
        return False


def _watch(parent: int) -> None:
    """Wait until the other end of standard input is closed, as the end of the parent closes it."""
    import select

    poll = select.poll()
    poll.register(0, 0)  # that it is closed is told without asking
    while not poll.poll(1000 * _SECONDS) and os.getppid() == parent:
        pass
    os._exit(1)
