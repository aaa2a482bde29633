"""What a user named: which names are URLs, and files that are opened without waiting, and only real ones.

A name is a URL if it begins with one of the schemes below and ``://``. A local file of such a name can be given as
``./s3://…``.

Opening a named pipe waits for somebody at its other end, and a device such as ``/dev/zero`` has no end: both are
refused. Standard input and what the shell passes for ``<(command)`` are pipes too, but ones that are being written to.
They are read to their end into a temporary file, up to a limit.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Buffer

__all__ = [
    "LARGEST_PIPE",
    "SCHEMES",
    "SERVERS",
    "SERVER_FORM",
    "STDIN",
    "WEB",
    "NotAFileError",
    "Spool",
    "check_file",
    "descriptor_of",
    "has_credentials",
    "is_null",
    "is_url",
    "open_error",
    "open_file",
    "open_input",
    "pipe_blocks",
    "scheme_of",
    "shown_url",
    "stdin",
    "url_remedy",
    "without_secrets",
]

SCHEMES: Final = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "hf": "huggingface_hub"} | dict.fromkeys(
    ("https", "http"), "aiohttp"
)
"""The schemes that are opened, and the package that each needs besides fsspec."""
WEB: Final = ("https", "http")
SERVERS: Final = dict.fromkeys(("postgresql://", "postgres://"), "postgres_store.PostgresStore")
"""How the address of an index on a server begins, and its store: a module of `lookalike.index`, and a class."""
SERVER_FORM: Final = "postgresql://host/database#schema"
"""The address of an index on a server, for help."""

_URL: Final = re.compile(rf"({'|'.join(SCHEMES)})://", re.IGNORECASE)
_ANY_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://?")
_IN_TEXT: Final = re.compile(rf"\b(?:{'|'.join(SCHEMES)})://[^\s'\"<>]+", re.IGNORECASE)
_USER: Final = re.compile(r"^[^/]*@")


def is_url(path: object) -> bool:
    """Return whether a path is the URL of a remote file or folder.

    >>> is_url("s3://bucket/a.parquet"), is_url("./s3://bucket/a"), is_url("file:///etc/passwd"), is_url("a.txt")
    (True, False, False, False)
    """
    return _URL.match(_text(path)) is not None


def _text(path: object) -> str:
    """Return a path as text; nothing, for what is no path."""
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else ""
    return name if isinstance(name, str) else ""


def scheme_of(url: str) -> str:
    """Return the scheme, in lower case."""
    return url.partition("://")[0].lower()


def has_credentials(url: str) -> bool:
    """Return whether a URL of a store has a key in it, which would end up in logs and in the history of a shell.

    >>> has_credentials("s3://key:secret@bucket/a"), has_credentials("hf://datasets/anna/essays@main/a.csv")
    (True, False)
    """
    return scheme_of(url) not in WEB and _USER.match(url.partition("://")[2]) is not None


def shown_url(path: str) -> str:
    """Return a URL without user, password, query and fragment, as it may be shown; another name as it is.

    >>> shown_url("https://anna:secret@example.org/a.csv?signature=1"), shown_url("s3://key:secret@bucket/a-?.csv")
    ('https://example.org/a.csv', 's3://bucket/a-?.csv')
    >>> shown_url("essays/a.txt?b@c")
    'essays/a.txt?b@c'
    """
    if not is_url(path):
        return path
    scheme, _, rest = path.partition("://")
    if scheme.lower() in WEB:  # in the key of a store, "?" and "#" are characters like any other
        rest = re.split(r"[?#]", rest, maxsplit=1)[0]
    return f"{scheme}://{_USER.sub('', rest)}"


def without_secrets(text: str) -> str:
    """Return a message with every URL in it as it may be shown.

    >>> without_secrets("cannot open 'https://anna:secret@example.org/a?key=1', sorry")
    "cannot open 'https://example.org/a', sorry"
    """
    return _IN_TEXT.sub(lambda found: shown_url(found[0]), text)


def url_remedy(name: str) -> str:
    """Say what to do about a name that does not exist, if it looks like a URL; else nothing.

    >>> url_remedy("s3:/bucket/a.csv")
    'a Path loses a slash of a URL: give it as a string'
    >>> url_remedy("ftp://example.org/a.csv")
    'URLs may begin with s3://, s3a://, gs://, gcs://, hf://, https:// or http://'
    """
    found = _ANY_SCHEME.match(name)
    if found is None or len(name.partition(":")[0]) < 2:  # one letter is a drive
        return ""
    if name.partition(":")[0].lower() in SCHEMES:
        return "a Path loses a slash of a URL: give it as a string"
    if "://" not in name:
        return ""
    *first, last = (f"{scheme}://" for scheme in SCHEMES)
    return f"URLs may begin with {', '.join(first)} or {last}"


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
    """Open a file, the null device, or a pipe that the shell has opened."""
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
        import tempfile
        import weakref

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
