"""Files that appear when they are whole, and streams of bytes for whatever a caller gives to write to."""

from __future__ import annotations

import io
import os
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias, cast

from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Target", "new_file", "opened"]

Target: TypeAlias = "str | os.PathLike[str] | IO[bytes] | IO[str]"


@contextmanager
def opened(target: Target) -> Iterator[IO[bytes]]:
    """Give a stream of bytes for a path or a stream; what goes to a path appears there when it is whole."""
    if isinstance(target, str | os.PathLike):
        with new_file(target) as stream:
            yield stream
    elif isinstance(target, io.TextIOBase):
        if (binary := getattr(target, "buffer", None)) is not None:
            target.flush()
            yield binary
            binary.flush()
        else:
            caught = io.BytesIO()
            yield caught
            target.write(caught.getvalue().decode())
    else:
        yield cast("IO[bytes]", target)


@contextmanager
def new_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Give a stream for a file that appears under its name when it is whole, in the place of one that was there.

    >>> with new_file("no/such/folder/file") as stream:
    ...     stream.write(b"")
    Traceback (most recent call last):
        ...
    lookalike.errors.DocumentError: document 'no/such/folder/file': file cannot be written (No such file or \
directory); check the name and the disk
    """
    from tempfile import NamedTemporaryFile

    try:
        target = Path(os.path.realpath(path))  # a link keeps pointing where it did
        if target.exists() and not target.is_file():  # a pipe or a device cannot be replaced; a folder is an error
            with target.open("wb") as stream:
                yield stream
            return
        with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name[:100]}.", delete=False) as temporary:
            try:
                yield cast("IO[bytes]", temporary)
                temporary.flush()
                os.fsync(temporary.fileno())
                Path(temporary.name).chmod(_mode(target))
                Path(temporary.name).replace(target)
            except BaseException:
                Path(temporary.name).unlink(missing_ok=True)
                raise
    except BrokenPipeError:
        raise
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise DocumentError(os.fspath(path), "file", problem, "check the name and the disk") from None


def _mode(target: Path) -> int:
    """Return the permissions that the file has now, or that any new file gets: temporary files are private."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
