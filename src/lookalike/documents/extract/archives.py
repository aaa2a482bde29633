"""Zip and tar files: their members as streams, with limits; nothing is ever written to disk.

The name of a member is no more than a label. One that would lead out of the archive is not read, nor is a link.
"""

from __future__ import annotations

import os
import stat
import tarfile
from dataclasses import dataclass, field
from io import BytesIO
from typing import IO, TYPE_CHECKING, BinaryIO, Final, Self, cast

from lookalike.documents.document_batches import RefusedError
from lookalike.documents.extract import (
    LARGEST_FILE,
    LARGEST_HEADER,
    LONGEST_NAME,
    MEMORY,
    MOST_MEMBERS,
    hold_memory,
)
from lookalike.documents.extract.packages import ZIP_ERRORS, open_zip
from lookalike.documents.raw_input import LIMITS, DamagedDataError, Limits, decompressed

if TYPE_CHECKING:
    import zipfile
    from collections.abc import Callable, Iterator

__all__ = [
    "BombError",
    "Budget",
    "Member",
    "open_compressed",
    "shortened",
    "tar_members",
    "unsafe",
    "whole",
    "zip_members",
]

_LARGEST_MEMBER: Final = 128 << 20
_BLOCK: Final = 1 << 18
_TAR_ERRORS: Final = (tarfile.TarError, DamagedDataError, EOFError, OSError, ValueError, RecursionError)
_SHOWN_START: Final = 60
_SHOWN_END: Final = 30
_ARROW: Final = 128 << 20
"""Bytes that Arrow takes for itself."""
_STDLIB: Final = {"gzip": "gzip", "bz2": "bz2", "xz": "lzma"}


class BombError(RefusedError):
    """An archive that expands without end: not only the member but the whole rest is skipped."""


@dataclass(slots=True)
class Budget:
    """How much one archive may expand to, with all archives in it."""

    packed: int
    limits: Limits = LIMITS
    read: int = 0
    names: set[str] = field(default_factory=set)

    def take(self, count: int) -> None:
        """Count bytes that were unpacked; refuse a bomb."""
        self.read += count
        if self.read > self.limits.most(self.packed):
            raise BombError("too large", f"it {self.limits.expands()}")

    def name(self, name: str) -> bool:
        """Take the name of a member; say whether it is new."""
        if len(self.names) >= MOST_MEMBERS:
            raise BombError("too large", f"it has more than {MOST_MEMBERS:,} members")
        new = name not in self.names
        self.names.add(name)
        return new


@dataclass(frozen=True, slots=True)
class Member:
    """One file in an archive."""

    name: str
    size: int
    refused: tuple[str, str] | None
    """Reason and detail if it is not to be read."""
    open: Callable[[], BinaryIO]
    """Unpack it into memory."""


def unsafe(name: str) -> bool:
    r"""Return whether a name leads out of the archive.

    >>> [unsafe(name) for name in ("a/b.txt", "../b.txt", "/etc/passwd", "a/../../b", "C:\\b.txt", "..b/c..txt")]
    [False, True, True, True, True, False]
    """
    names = name.replace("\\", "/")
    return names.startswith("/") or names[1:3] == ":/" or ".." in names.split("/") or "\0" in name


def shortened(name: str) -> str:
    """Return a name as it is, or if it is too long for any system, its start and its end.

    >>> shortened("a.txt"), len(shortened("a" * 60_000 + ".txt"))
    ('a.txt', 91)
    """
    return name if len(name) <= LONGEST_NAME else f"{name[:_SHOWN_START]}…{name[-_SHOWN_END:]}"


def zip_members(file: BinaryIO, budget: Budget) -> Iterator[Member]:
    """Yield the files of a zip archive in their order."""
    with open_zip(file) as archive:
        for info in archive.infolist():
            if not info.is_dir():
                yield Member(info.filename, info.file_size, _zip_refusal(info), _zip_opener(archive, info, budget))


def _zip_refusal(info: zipfile.ZipInfo) -> tuple[str, str] | None:
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode):
        return "link", "links in archives are not followed"
    if info.flag_bits & 1:
        return "encrypted", "it has a password; unpack the archive first"
    return None


def _zip_opener(archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: Budget) -> Callable[[], BinaryIO]:
    def unpack() -> BinaryIO:
        try:
            with archive.open(info) as stream:
                return _unpacked(stream, budget)
        except (*ZIP_ERRORS, RuntimeError) as error:
            raise RefusedError("damaged", f"it cannot be unpacked ({str(error)[:80]})") from None

    return unpack


def tar_members(file: BinaryIO, budget: Budget) -> Iterator[Member]:
    """Yield the files of a tar archive in their order; it is read once, from front to back."""
    try:
        stream = cast("IO[bytes]", _CountedBytes(file, budget))
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Info) as archive:
            for info in archive:
                # The list of members that tarfile keeps would grow with the archive.
                archive.members = []  # type: ignore[attr-defined]
                if not info.isdir():
                    yield Member(info.name, info.size, _tar_refusal(info), _tar_opener(archive, info))
            # Some versions of tarfile take a bad header for the end, and say nothing.
            if (bad := getattr(archive, "bad_header", None)) is not None:
                raise RefusedError("damaged", f"it is not a complete tar file ({bad[:80]})")
    except _TAR_ERRORS as error:
        raise RefusedError("damaged", f"it is not a complete tar file ({str(error)[:80]})") from None


class _Info(tarfile.TarInfo):
    """A member of a tar file. Extended headers before its own are passed over where they are far too long."""

    passed_over = False

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        """Read a header, and note on the archive that it is bad, unless that is the end."""
        try:
            return super().fromtarfile(archive)
        except (tarfile.EOFHeaderError, tarfile.EmptyHeaderError):  # type: ignore[attr-defined]
            raise
        except tarfile.HeaderError as error:
            archive.bad_header = str(error) or "a bad header"  # type: ignore[attr-defined]
            raise

    def _proc_pax(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        if self.size > LARGEST_HEADER:
            return self._next(archive)
        return cast("tarfile.TarInfo", super()._proc_pax(archive))  # type: ignore[misc]

    def _proc_gnulong(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        if self.size > LARGEST_HEADER:
            return self._next(archive)
        return cast("tarfile.TarInfo", super()._proc_gnulong(archive))  # type: ignore[misc]

    def _next(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        """Return the member after this header, under the name in its own header, which is cut off."""
        stream = cast("IO[bytes]", archive.fileobj)
        stream.seek(stream.tell() + self._block(self.size))  # type: ignore[attr-defined]
        found = self.fromtarfile(archive)
        found.offset = self.offset
        found.passed_over = self.type != tarfile.XGLTYPE  # which is about no member, and all that follow
        return found


def _tar_refusal(info: tarfile.TarInfo) -> tuple[str, str] | None:
    if isinstance(info, _Info) and info.passed_over:
        return "name too long", f"its name or header takes more than {LARGEST_HEADER >> 20} MiB"
    if info.issym() or info.islnk():
        return "link", "links in archives are not followed"
    if not info.isreg():
        return "not a file", "a pipe or a device"
    return None


def _tar_opener(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Callable[[], BinaryIO]:
    def unpack() -> BinaryIO:
        stream = archive.extractfile(info)
        if stream is None:
            raise RefusedError("damaged", "it cannot be unpacked")
        return _unpacked(stream, None)

    return unpack


def _unpacked(stream: IO[bytes], budget: Budget | None) -> BinaryIO:
    """Read a member into memory."""
    found = BytesIO()
    while block := stream.read(_BLOCK):
        if budget is not None:
            budget.take(len(block))
        found.write(block)
        if found.tell() > _LARGEST_MEMBER:
            raise RefusedError(
                "too large",
                f"in an archive or a compressed file, a document may have up to {_LARGEST_MEMBER >> 20} MiB",
            )
    found.seek(0)
    return found


class _CountedBytes:
    """What tarfile reads from: counts what was unpacked, whether it belongs to a member that is wanted or not."""

    def __init__(self, stream: BinaryIO, budget: Budget) -> None:
        self._stream = stream
        self._budget = budget

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self._budget.take(len(data))
        return data


def open_compressed(file: BinaryIO, compression: str | None) -> BinaryIO:
    """Return the stream inside a compressed one; common kinds by the standard library, which loads quickly."""
    if compression is None:
        return file
    if compression in _STDLIB:
        from importlib import import_module

        return cast("BinaryIO", import_module(_STDLIB[compression]).open(file))
    # Arrow's own allocator reserves a gigabyte at once, which is more than this process may have.
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"
    hold_memory(MEMORY + _ARROW)
    return cast("BinaryIO", decompressed(file, compression))  # type: ignore[arg-type]


def whole(stream: BinaryIO, packed: int, limits: Limits = LIMITS) -> BinaryIO:
    """Unpack a compressed document into memory; damage and bombs are refused."""
    import lzma
    import zlib

    try:
        return _unpacked(stream, Budget(min(packed, LARGEST_FILE), limits))
    except (DamagedDataError, EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        raise RefusedError("unreadable", f"the compressed data is damaged ({str(error)[:80]})") from None
