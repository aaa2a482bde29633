"""The files of an index on disk: the lock beside them, how a new one is made safely, and what killed builds leave."""

from __future__ import annotations

import errno
import os
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lookalike.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = [
    "being_built",
    "file_errors",
    "give_name",
    "is_free",
    "locked",
    "remove_abandoned",
    "remove_files",
    "sync_folder",
    "unfinished_file",
]

# -- one process at a time ---------------------------------------------------------------------------------------------

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
def locked(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold the lock of a file; wait for another process to release it, or fail at once."""
    try:
        import fcntl
    except ImportError:  # Windows: SQLite's own locks have to suffice
        yield
        return
    handle = _open(path)
    _HELD.add(handle)
    pid = os.getpid()
    try:
        pause, until = _PAUSE, time.monotonic() + (PATIENCE if wait else 0.0)
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
            os.close(handle)  # which releases the lock


def is_free(path: Path) -> bool:
    """Tell whether nobody holds the lock of a file; without such locks it is unknown, so False."""
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


# -- new files ---------------------------------------------------------------------------------------------------------


def unfinished_file(path: Path) -> Path:
    """Make an empty file beside a name that is not there yet, for us alone; `give_name` ends what begins here."""
    unfinished = path.with_name(f"{path.name}.new-{os.getpid()}-{os.urandom(4).hex()}")
    with file_errors(path, "cannot be created", "check the folder"):
        handle = os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            if os.name != "nt":
                os.fchmod(handle, 0o600)  # whatever the umask
        finally:
            os.close(handle)
    return unfinished


def give_name(unfinished: Path, path: Path) -> None:
    """Sync a file, and give it a name that is not taken."""
    with file_errors(path, "cannot be created", "check the disk and the folder"):
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        try:
            os.link(unfinished, path)
        except FileExistsError:
            raise StoreError(str(path), "exists already", "give another name, or open it") from None
        except OSError:  # a file system without links
            with locked(path):
                if os.path.lexists(path):
                    raise StoreError(str(path), "exists already", "give another name, or open it") from None
                unfinished.rename(path)
        sync_folder(path.parent)


def remove_files(path: Path) -> None:
    """Remove a file and what SQLite made beside it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        with suppress(OSError):
            path.with_name(path.name + suffix).unlink(missing_ok=True)


@contextmanager
def file_errors(path: Path, problem: str, remedy: str) -> Iterator[None]:
    """Translate the errors of the system into ours."""
    try:
        yield
    except OSError as error:
        raise StoreError(str(path), f"{problem} ({error.strerror or error})", remedy) from error


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# -- what a killed build leaves ----------------------------------------------------------------------------------------

_BUILD: Final = "-build"
"""The index locks its own file only while it is written; this lock is held until the build has ended."""


@contextmanager
def being_built(unfinished: Path) -> Iterator[None]:
    """Hold a lock that says that a file is being built."""
    mark = unfinished.with_name(unfinished.name + _BUILD)
    with ExitStack() as held:
        with suppress(StoreError):  # where no lock can be made, no index can be either, and its error says more
            held.enter_context(locked(mark))
        try:
            yield
        finally:
            with suppress(OSError):
                mark.with_name(mark.name + "-lock").unlink(missing_ok=True)


def remove_abandoned(path: Path) -> None:
    """Remove what builds of the same name have left that were killed."""
    ending = f"{_BUILD}-lock"
    with suppress(OSError, StoreError):  # a folder that cannot be read is reported when the file is made
        names = [one.name for one in path.absolute().parent.iterdir() if one.name.startswith(f"{path.name}.new-")]
        for mark in [name for name in names if name.endswith(ending)]:
            unfinished = mark.removesuffix(ending)
            if is_free(path.with_name(unfinished + _BUILD)):
                for name in [name for name in names if name.startswith(unfinished) and name != mark] + [mark]:
                    path.with_name(name).unlink(missing_ok=True)
