"""Files that appear when they are whole, and streams of bytes for whatever a caller gives to write to."""

from __future__ import annotations

import errno
import io
import os
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from lookalike.errors import DocumentError
from lookalike.opening import NotAFileError, check_file, descriptor_of, is_null, is_url
from lookalike.tables.spelling import lines_visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "ENDINGS",
    "Target",
    "VisibleStream",
    "check_output",
    "check_place",
    "harmless",
    "new_file",
    "open_private",
    "opened",
    "squeezed",
    "unclosed",
]

Target: TypeAlias = "str | os.PathLike[str] | IO[bytes] | IO[str]"

_FLAGS: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
PRIVATE, SHARED = 0o600, 0o666
"""Permissions of a new file, from which the system takes what the umask says."""

ENDINGS: Final = {"gzip": "gz", "zstd": "zst"}
"""Codec → how the name of a compressed file of lines ends."""


@contextmanager
def opened(target: Target) -> Iterator[IO[bytes]]:
    """Yield a stream of bytes for a path or a stream; what goes to a path appears there when it is whole.

    A new file is for its owner alone. On a terminal, characters that could act on it are shown as escapes.
    """
    if isinstance(target, str | os.PathLike):
        with new_file(target, private=True) as file, harmless(file) as stream:
            yield stream
    elif isinstance(target, io.TextIOBase):
        if (binary := getattr(target, "buffer", None)) is not None:
            target.flush()
            with harmless(binary, target.encoding) as stream:
                yield stream
            binary.flush()
        else:
            caught = io.BytesIO()
            yield caught
            target.write(caught.getvalue().decode())
    else:
        with harmless(cast("IO[bytes]", target)) as stream:
            yield stream


def check_output(path: str | os.PathLike[str]) -> None:
    """Refuse to write to a named pipe, a socket or a device, except the null device and what the shell has opened.

    A URL that cannot be written to is refused too.
    """
    if is_url(path):
        from lookalike.remote import check_writable

        check_writable(os.fspath(path))
        return
    try:
        if descriptor_of(path) is None and not is_null(path):
            check_file(path)
    except NotAFileError as error:
        remedy = "give the name of a file"
        if error.kind == "named pipe":
            remedy = "write to standard output, and redirect that: > NAME"
        raise DocumentError(os.fspath(path), "file", error.problem, remedy) from None
    except (OSError, ValueError):
        return  # it does not exist, or writing to it gives a better error


def check_place(path: str | os.PathLike[str]) -> None:
    """Refuse a place where no file can be written, by making one there, which is removed: before work, not after it.

    >>> check_place("no/such/folder/file")
    Traceback (most recent call last):
        ...
    lookalike.errors.DocumentError: document 'no/such/folder/file': file cannot be written (No such file or \
directory); make its folder first, or give another name
    """
    check_output(path)
    if is_url(path):
        return  # a store has no folders to be made first
    try:
        if descriptor_of(path) is not None:
            return
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file() and not target.is_dir():  # the null device
            return
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        temporary, file = _beside(target, PRIVATE)
        os.close(file)
        temporary.unlink()
    except OSError as error:
        remedy = "check the name and the disk"
        if error.errno == errno.ENOENT:
            remedy = "make its folder first, or give another name"
        elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            remedy = "give the name of a file in a folder that you may write to"
        problem = f"cannot be written ({error.strerror or error})"
        raise DocumentError(os.fspath(path), "file", problem, remedy) from None


@contextmanager
def harmless(stream: IO[bytes], encoding: str | None = None) -> Iterator[IO[bytes]]:
    """Yield the stream or, for a terminal, one that escapes characters that could act on it."""
    isatty = getattr(stream, "isatty", None)  # a user's stream may have only `write`
    if isatty is None or isinstance(stream, VisibleStream) or not isatty():
        yield stream
        return
    shown = VisibleStream(stream, encoding)
    yield cast("IO[bytes]", shown)
    shown.end()


@contextmanager
def new_file(path: str | os.PathLike[str], *, private: bool) -> Iterator[IO[bytes]]:
    """Yield a stream for a file that appears under its name when it is whole, in the place of one that was there.

    A new file is open to its owner alone (`private`) or to others too, as far as the umask allows; one that was there
    keeps its permissions.

    >>> with new_file("no/such/folder/file", private=True) as stream:
    ...     stream.write(b"")
    Traceback (most recent call last):
        ...
    lookalike.errors.DocumentError: document 'no/such/folder/file': file cannot be written (No such file or \
directory); check the name and the disk
    """
    if is_url(path):
        from lookalike.remote import new_remote_file

        with new_remote_file(os.fspath(path)) as stream:
            yield stream
        return
    check_output(path)
    try:
        if (descriptor := descriptor_of(path)) is not None:
            with os.fdopen(os.dup(descriptor), "wb") as stream:
                yield stream
            return
        target = Path(os.path.realpath(path))  # a link keeps pointing where it did
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if target.exists() and not target.is_file():  # the null device: it claims that one can go back in it
            from tempfile import TemporaryFile

            with TemporaryFile() as dropped:
                yield cast("IO[bytes]", dropped)
            return
        before = target.stat().st_mode & 0o777 if target.exists() else None
        temporary, file = _beside(target, PRIVATE if private or before is not None else SHARED)
        try:
            with os.fdopen(file, "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            if before is not None:
                temporary.chmod(before)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except BrokenPipeError:
        raise
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise DocumentError(os.fspath(path), "file", problem, "check the name and the disk") from None


def _beside(target: Path, mode: int) -> tuple[Path, int]:
    """Make a file with a name of its own in the same folder; one that is there, or a link, is never opened."""
    while True:
        path = target.with_name(f".{target.name[:40]}.{os.urandom(6).hex()}")
        try:
            return path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, mode)
        except FileExistsError:
            continue


def open_private(path: str | os.PathLike[str], mode: Literal["ab", "wb"]) -> IO[bytes]:
    """Open a file for writing, for its owner alone if it is new; a link is refused."""
    return open(path, mode, opener=_private)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | _FLAGS, PRIVATE)


class VisibleStream(io.RawIOBase):
    """A terminal that gets what is written to it, as UTF-8, with characters that could act on it shown as escapes."""

    def __init__(self, stream: IO[bytes], encoding: str | None = None) -> None:
        """Take the terminal, and its encoding if that is not UTF-8."""
        import codecs

        self._stream, self._encoding = stream, encoding or "utf-8"
        self._decode = cast("Callable[..., str]", codecs.getincrementaldecoder("utf-8")("backslashreplace").decode)

    def writable(self) -> bool:
        """Say that it can be written to."""
        return True

    def isatty(self) -> bool:
        """Say that a person sees it."""
        return True

    def write(self, data: Any) -> int:
        """Show some text."""
        self._show(self._decode(bytes(data)))
        return len(data)

    def flush(self) -> None:
        """Show it now."""
        if not self._stream.closed:
            self._stream.flush()

    def end(self) -> None:
        """Show what is left: the beginning of a character that never came to its end."""
        self._show(self._decode(b"", final=True))
        self._stream.flush()

    def _show(self, text: str) -> None:
        self._stream.write(lines_visible(text).encode(self._encoding, "backslashreplace"))


class _Unclosed(io.RawIOBase):
    """A stream that pyarrow may close without closing the underlying one."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._stream.write(data)
        return len(data)


def unclosed(stream: IO[bytes]) -> IO[bytes]:
    """Return a stream that can be closed without closing the one that is given."""
    return cast("IO[bytes]", _Unclosed(stream))


@contextmanager
def squeezed(stream: IO[bytes], codec: Any) -> Iterator[IO[bytes]]:
    """Yield a stream that compresses into another; without a codec, that other one."""
    if codec is None:
        yield stream
        return
    import pyarrow as pa

    with pa.CompressedOutputStream(pa.PythonFile(_Unclosed(stream), "w"), codec) as packed:
        yield cast("IO[bytes]", packed)
