"""Bytes that can be read more than once: a file, or what came through a pipe and was put aside."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
import tempfile
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from lookalike.documents.compressed import decompressed
from lookalike.documents.limits import LIMITS, Limits
from lookalike.documents.text_file import STDIN
from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["COMPRESSED_FACTOR", "Input", "file_input", "of_pipe", "of_stdin", "open_error"]

COMPRESSED_FACTOR: Final = 3
"""How many times its size a compressed file counts for, before it is read."""

_BLOCK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Input:
    """Where some bytes are, and what to call them."""

    name: str
    path: str | None
    compression: str | None = None
    spool: _Spool | None = None
    limits: Limits = LIMITS

    def open(self) -> io.BufferedReader:
        """Open the bytes, decompressed, from the start; `OSError` and `DamagedError` are for the caller."""
        most = self.limits.most(self.packed_size()) if self.compression else None
        return decompressed(self.open_packed(), self.compression, most)

    def open_packed(self) -> io.BufferedReader:
        """Open the bytes as they are."""
        if self.spool is not None:
            return self.spool.open()
        if self.path is None:
            raise FileNotFoundError(self.name)
        return _open_plain(self.path)

    def size(self) -> int:
        """Return about how many bytes there are; 0 for a file that is gone."""
        size = self.packed_size()
        return size * COMPRESSED_FACTOR if self.compression else size

    def stamp(self) -> tuple[int, int] | None:
        """Return size and time of a file, by which a change shows; None for what is no file, or gone."""
        try:
            status = None if self.path is None else Path(self.path).stat()
        except OSError:
            return None
        return None if status is None else (status.st_size, status.st_mtime_ns)

    def packed_size(self) -> int:
        """Return how many bytes there are, as they are; 0 for a file that is gone."""
        if self.spool is not None:
            return self.spool.size
        try:
            return Path(self.path).stat().st_size if self.path is not None else 0
        except OSError:
            return 0


def file_input(path: Path, name: str, compression: str | None, limits: Limits = LIMITS) -> Input:
    """Return the input for a path; a pipe, which can be read only once, is put aside first."""
    try:
        kind = path.stat().st_mode
    except OSError as error:
        raise open_error(name, error) from None
    if stat.S_ISREG(kind):
        return Input(name, str(path), compression, limits=limits)
    return of_pipe(path, name, compression, limits)


def of_pipe(path: Path, name: str, compression: str | None = None, limits: Limits = LIMITS) -> Input:
    """Read a named pipe, or another thing that is no plain file, to its end."""
    try:
        with path.open("rb") as stream:
            return Input(name, None, compression, _Spool(stream), limits)
    except OSError as error:
        raise open_error(name, error) from None


def of_stdin(limits: Limits = LIMITS) -> Input:
    """Read standard input to its end."""
    if sys.stdin is None:
        raise DocumentError(STDIN, "file", "is closed", "give a file instead of -")
    try:
        return Input(STDIN, None, None, _Spool(sys.stdin.buffer), limits)
    except OSError as error:
        raise DocumentError(STDIN, "file", f"cannot be read ({error.strerror})", "give a file instead of -") from None


def open_error(name: str, error: OSError) -> DocumentError:
    """Say for a person why a file cannot be opened."""
    if isinstance(error, FileNotFoundError):
        return DocumentError(name, "file", "does not exist", "check the name")
    if isinstance(error, PermissionError):
        return DocumentError(name, "file", "cannot be read (permission denied)", "check its permissions")
    problem = f"cannot be read ({error.strerror or error})"
    return DocumentError(name, "file", problem, "check the name and the disk")


def _open_plain(path: str) -> io.BufferedReader:
    """Open a plain file; never wait for a pipe or a device that has taken its place."""
    file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    mode = os.fstat(file).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(file, "rb")
    os.close(file)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, "not a plain file", path)


class _Spool:
    """What came through a pipe, in a file without a name that goes with the process."""

    def __init__(self, stream: BinaryIO) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as this object
        weakref.finalize(self, self._file.close)
        self.size = 0
        while block := stream.read(_BLOCK):
            self._file.write(block)
            self.size += len(block)
        self._file.flush()

    def open(self) -> io.BufferedReader:
        return io.BufferedReader(_SpoolReader(self), _BLOCK)

    def read_at(self, position: int, size: int) -> bytes:
        return os.pread(self._file.fileno(), size, position)


class _SpoolReader(io.RawIOBase):
    """One reader of a spool, with a position of its own."""

    def __init__(self, spool: _Spool) -> None:
        self._spool = spool
        self._position = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer)
        data = self._spool.read_at(self._position, len(view))
        view[: len(data)] = data
        self._position += len(data)
        return len(data)
