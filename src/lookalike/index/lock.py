"""One process at a time: a lock beside a file, which is free again when its holder ends, however it ends."""

from __future__ import annotations

import errno
import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from lookalike.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["is_free", "locked"]

PATIENCE: Final = 60.0
"""Seconds to wait for another process."""
_PAUSE: Final = 0.002
_LONGEST_PAUSE: Final = 0.05


_HELD: Final[set[int]] = set()
"""Handles of locks that this process holds."""


def _let_go_after_fork() -> None:
    """Close the parent's locks in a child: a lock is held until every copy of its handle is closed."""
    for handle in list(_HELD):
        os.close(handle)
    _HELD.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_after_fork)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file; wait for another process to let go of it."""
    try:
        import fcntl
    except ImportError:  # Windows: SQLite's own locks have to do
        yield
        return
    handle = _open(path)
    _HELD.add(handle)
    pid = os.getpid()
    try:
        pause, until = _PAUSE, time.monotonic() + PATIENCE
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.EACCES):
                    problem = f"cannot be locked ({error.strerror})"
                    raise StoreError(str(path), problem, "keep it on a local disk") from None
                if time.monotonic() > until:
                    problem = "is being written by another process"
                    raise StoreError(str(path), problem, "try again when it has finished") from None
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
        yield
    finally:
        if os.getpid() == pid:  # else it was closed after the fork
            _HELD.discard(handle)
            os.close(handle)  # which lets go of the lock


def is_free(path: Path) -> bool:
    """Tell whether nobody holds the lock of a file; without such locks, nobody knows."""
    try:
        import fcntl
    except ImportError:
        return False
    handle = _open(path)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        handle = os.open(path.with_name(path.name + "-lock"), flags, 0o600)
    except OSError as error:
        raise StoreError(str(path), f"cannot be locked ({error.strerror})", "check the permissions") from None
    with suppress(OSError):  # not ours: then it is as its owner wants it
        os.fchmod(handle, 0o600)
        if os.geteuid() == 0:  # the owner of the index must be able to lock it after root did
            owner = path.stat()
            os.fchown(handle, owner.st_uid, owner.st_gid)
    return handle
