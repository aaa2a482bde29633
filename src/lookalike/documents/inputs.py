"""Bytes that can be read more than once: a file, or what came through a pipe and was put aside."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lookalike.documents.compressed import decompressed
from lookalike.documents.limits import LIMITS, Limits
from lookalike.opening import STDIN, Spool, check_file, descriptor_of, is_null, open_error, open_file, stdin

__all__ = ["COMPRESSED_FACTOR", "Input", "file_input", "of_stdin"]

COMPRESSED_FACTOR: Final = 3
"""How many times its size a compressed file counts for, before it is read."""


@dataclass(frozen=True, slots=True)
class Input:
    """Where some bytes are, and what to call them."""

    name: str
    path: str | None
    compression: str | None = None
    spool: Spool | None = None
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
        return open_file(self.path)

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
    """Return the input for a path; a pipe that the shell has opened can be read only once, and is put aside first."""
    try:
        if (descriptor := descriptor_of(path)) is not None:
            with os.fdopen(os.dup(descriptor), "rb") as stream:
                return Input(name, None, compression, Spool(stream, name), limits)
        if is_null(path):
            return Input(name, None, compression, Spool(io.BytesIO(), name), limits)
        check_file(path)
    except OSError as error:
        raise open_error(name, error) from None
    return Input(name, str(path), compression, limits=limits)


def of_stdin(limits: Limits = LIMITS) -> Input:
    """Read standard input to its end."""
    return Input(STDIN, None, None, Spool(stdin(), STDIN), limits)
