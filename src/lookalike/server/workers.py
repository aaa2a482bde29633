"""Several processes that serve one address: each has its own threads and its own view of the index."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from lookalike.errors import RecipeError
from lookalike.server.logs import LOG

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

__all__ = ["run_workers"]

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
_PAUSE: Final = 1.0
"""Seconds before a worker that has died is replaced."""


def run_workers(count: int, work: Callable[[], None]) -> None:
    """Run so many processes until this one is told to end; one that dies is replaced."""
    if not hasattr(os, "fork"):
        raise RecipeError("--workers", count, "1 on this system")
    ending = False
    running: set[int] = set()

    def end(number: int, frame: FrameType | None) -> None:
        nonlocal ending
        del number, frame
        ending = True
        for pid in running:
            _send(pid, signal.SIGTERM)  # Ctrl-C reaches them too, and a second one would mean: at once

    before = {number: signal.signal(number, end) for number in _SIGNALS}
    try:
        for _ in range(count):
            running.add(_start(work))
        while running:
            pid, status = os.wait()
            running.discard(pid)
            if not ending:
                LOG.error("", extra={"facts": {"event": "worker-died", "status": os.waitstatus_to_exitcode(status)}})
                time.sleep(_PAUSE)
            if not ending:
                running.add(_start(work))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _start(work: Callable[[], None]) -> int:
    """Start a worker; signals that come meanwhile wait, so that it is told to end too."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        pid = os.fork()
        if pid == 0:
            _be_worker(work)
        return pid
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


def _be_worker(work: Callable[[], None]) -> None:
    status = 1
    try:
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        work()
        status = 0
    except Exception:  # noqa: BLE001 — what a worker died of is for the log
        LOG.exception("", extra={"facts": {"event": "worker-failed"}})
    finally:
        os._exit(status)


def _send(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)
