"""One process at a time: a lock beside a file, which is free again when its holder ends, however it ends."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from lookalike.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["locked"]

PATIENCE: Final = 60.0
"""Seconds to wait for another process."""
_PAUSE: Final = 0.002
_LONGEST_PAUSE: Final = 0.05


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file; wait for another process to let go of it."""
    try:
        import fcntl
    except ImportError:  # Windows: SQLite's own locks have to do
        yield
        return
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        handle = os.open(path.with_name(path.name + "-lock"), flags, 0o600)
    except OSError as error:
        raise StoreError(str(path), f"cannot be locked ({error.strerror})", "check the permissions") from None
    try:
        pause, until = _PAUSE, time.monotonic() + PATIENCE
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() > until:
                    problem = "is being written by another process"
                    raise StoreError(str(path), problem, "try again when it has finished") from None
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
        yield
    finally:
        os.close(handle)  # which lets go of the lock
