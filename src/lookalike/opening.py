"""Opening files that a user named: never waiting, and only real files.

Opening a named pipe waits for somebody at its other end, and a device such as ``/dev/zero`` has no end: both are
refused. Standard input and what the shell passes for ``<(command)`` are pipes too, but ones that are being written to.
They are read to their end into a temporary file, up to a limit.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from lookalike.errors import DocumentError
from lookalike.urls import is_url, shown_url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Buffer

__all__ = [
    "LARGEST_PIPE",
    "STDIN",
    "NotAFileError",
    "Spool",
    "check_file",
    "descriptor_of",
    "is_null",
    "open_error",
    "open_file",
    "open_input",
    "pipe_blocks",
    "stdin",
]

STDIN: Final = "standard input"
"""The name of the document that is read from ``-``."""

LARGEST_PIPE: Final = 16 << 30
"""The most bytes that are read from standard input or another pipe."""

_BLOCK: Final = 1 << 20
_STREAMS: Final = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_FLAGS: Final = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY", "O_NOINHERIT")
)


class NotAFileError(OSError):
    """A named pipe, a socket or a device where a file is expected."""

    def __init__(self, path: str | os.PathLike[str], mode: int) -> None:
        """Say what it is."""
        self.kind = "device"
        if stat.S_ISFIFO(mode):
            self.kind = "named pipe"
        elif stat.S_ISSOCK(mode):
            self.kind = "socket"
        self.problem = f"is a {self.kind}, not a file"
        super().__init__(errno.EINVAL, self.problem, os.fspath(path))


def open_error(name: str, error: OSError, remedy: str = "") -> DocumentError:
    """Say for a person why a file cannot be opened; `remedy` is for a pipe that has no other way in.

    >>> print(open_error("a.txt", FileNotFoundError()))
    document 'a.txt': file does not exist; check the name
    """
    if isinstance(error, FileNotFoundError):
        return DocumentError(name, "file", "does not exist", "check the name")
    if isinstance(error, IsADirectoryError):
        return DocumentError(name, "file", "is a directory", "give one file")
    if isinstance(error, PermissionError):
        return DocumentError(name, "file", "cannot be read (permission denied)", "check its permissions")
    if isinstance(error, NotAFileError):
        redirect = "use - < NAME" if error.kind == "named pipe" else "give a file"
        return DocumentError(name, "file", error.problem, remedy or redirect)
    problem = f"cannot be read ({error.strerror or error})"
    return DocumentError(name, "file", problem, "check the name and the disk")


# -- files -------------------------------------------------------------------------------------------------------------


def check_file(path: str | os.PathLike[str]) -> None:
    """Raise `NotAFileError` or `IsADirectoryError` for what is no file: before another library opens it."""
    _check(path, os.stat(path).st_mode)  # noqa: PTH116 — a path of any kind


def open_file(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Open a file for reading; never wait for a pipe or a device, not even for one that has just taken its place."""
    check_file(path)  # first: merely opening some devices has effects
    descriptor = os.open(path, _FLAGS)
    try:
        _check(path, os.fstat(descriptor).st_mode)
    except OSError:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def open_input(path: str | os.PathLike[str], name: str, most: int = LARGEST_PIPE) -> io.BufferedReader:
    """Open what a person has named: a file, a URL, the null device, or a pipe that the shell has opened."""
    if is_url(path):
        from lookalike.remote import open_url

        with open_url(os.fspath(path)) as stream:
            return Spool(stream, shown_url(name), most, "a URL").open()
    if (descriptor := descriptor_of(path)) is not None:
        with os.fdopen(os.dup(descriptor), "rb") as stream:
            return Spool(stream, name, most).open()
    return Path(path).open("rb") if is_null(path) else open_file(path)


def descriptor_of(path: str | os.PathLike[str]) -> int | None:
    """Return the number of the open file that a path stands for: <(command) becomes ``/dev/fd/63``.

    >>> descriptor_of("/dev/stdin"), descriptor_of("/dev/fd/63"), descriptor_of("a.txt")
    (0, 63, None)
    """
    name = os.fspath(path)
    folder, _, number = name.rpartition("/")
    if folder in ("/dev/fd", "/proc/self/fd", f"/proc/{os.getpid()}/fd") and number.isascii() and number.isdecimal():
        return int(number)
    return _STREAMS.get(name)


def is_null(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is the null device, which is empty and takes everything."""
    status = os.stat(path)  # noqa: PTH116 — a path of any kind
    if not stat.S_ISCHR(status.st_mode):
        return False
    return status.st_rdev == Path(os.devnull).stat().st_rdev


def _check(path: str | os.PathLike[str], mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(mode):
        raise NotAFileError(path, mode)


# -- pipes -------------------------------------------------------------------------------------------------------------


def stdin() -> BinaryIO:
    """Return the stream of standard input."""
    if sys.stdin is None:
        raise DocumentError(STDIN, "file", "is closed", "give a file instead of -")
    return sys.stdin.buffer


def pipe_blocks(stream: BinaryIO, name: str, most: int = LARGEST_PIPE, kind: str = "a pipe") -> Iterator[bytes]:
    """Read a pipe to its end, block by block; one that has more than `most` bytes is a `DocumentError`."""
    size = 0
    while block := _block(stream, name):
        size += len(block)
        if size > most:
            limit = f"{most >> 30} GiB" if most >= 1 << 30 else f"{most >> 20} MiB"
            problem = f"has more than {limit}, the most that is read from {kind}"
            raise DocumentError(name, "file", problem, "write it to a file and name that")
        yield block
        if len(block) < _BLOCK:
            return  # the end: on a terminal, Ctrl-D is typed once


def _block(stream: BinaryIO, name: str) -> bytes:
    try:
        return stream.read(_BLOCK)
    except OSError as error:
        raise open_error(name, error) from None


class Spool:
    """What came through a pipe, in a file without a name that goes with the process."""

    def __init__(self, stream: BinaryIO, name: str, most: int = LARGEST_PIPE, kind: str = "a pipe") -> None:
        """Read a stream to its end; `name` and `kind` are for messages."""
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as this object
        weakref.finalize(self, self._file.close)
        self.size = 0
        try:
            for block in pipe_blocks(stream, name, most, kind):
                self._file.write(block)
                self.size += len(block)
            self._file.flush()
        except OSError as error:
            problem = f"cannot be copied to {tempfile.gettempdir()} ({error.strerror or error})"
            raise DocumentError(name, "file", problem, "set TMPDIR to a folder with more room") from None

    def open(self) -> io.BufferedReader:
        """Give a stream with a position of its own."""
        return io.BufferedReader(_SpoolReader(self), _BLOCK)

    def read_at(self, position: int, size: int) -> bytes:
        """Return some bytes."""
        return os.pread(self._file.fileno(), size, position)


class _SpoolReader(io.RawIOBase):
    """One reader of a spool."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._spool.size}[whence]
        if start + offset < 0:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        self._position = start + offset
        return self._position

    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer)
        data = self._spool.read_at(self._position, len(view))
        view[: len(data)] = data
        self._position += len(data)
        return len(data)
