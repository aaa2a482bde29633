"""Files that commands write: whole or not at all, and never over a source."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING

from lookalike.cli.remote_output import check_url
from lookalike.errors import DocumentError
from lookalike.tables.output_files import check_output, check_place, harmless, new_file
from lookalike.urls import is_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["destination", "extension", "keep_sources"]


def extension(path: str) -> str:
    """Return the last extension of a file name, in lower case and without its dot.

    >>> extension("out/Kept.PARQUET"), extension("plan")
    ('parquet', '')
    """
    return Path(path).suffix.lower().removeprefix(".")


def keep_sources(outputs: Iterable[str | None], sources: Iterable[str], *, force: bool = True) -> None:
    """Refuse what cannot be written, before anything is read.

    That is a source, one file twice, a place where no file can be made and, without `force`, any file that exists.
    """
    named = [source for source in sources if source != "-"]
    given = [Path(source) for source in named]
    seen: set[Path] = set()
    for output in outputs:
        if output is None or output == "-":
            continue
        path = Path(output)
        if path.resolve() in seen:
            raise DocumentError(output, "file", "is named twice", "write each result to a file of its own")
        seen.add(path.resolve())
        if is_url(output):
            check_url(output, named, force=force)
            continue
        check_output(path)
        if os.path.isdir(path):  # noqa: PTH112 — a name that is too long is no error yet
            raise DocumentError(output, "file", "is a directory", "give the name of a file")
        if os.path.exists(path):  # noqa: PTH110
            if any(_holds(source, path) for source in given):
                raise DocumentError(output, "file", "is among the documents", "write the result to another place")
            if not force and path.is_file():
                raise DocumentError(output, "file", "exists", "give another name, or --force to write over it")
        check_place(path)


def _holds(source: Path, path: Path) -> bool:
    """Say whether the path is the source itself or lies in it."""
    try:
        if source.is_dir():
            return path.resolve().is_relative_to(source.resolve())
        return source.exists() and source.samefile(path)
    except OSError:
        return False


@contextmanager
def destination(output: str | None, *, private: bool = True, drawn: bool = False) -> Iterator[IO[bytes]]:
    """Give a stream for the file `output`, which appears under its name when it is whole, or for standard output.

    A new file is for its owner alone (`private`) or as the umask says. On a terminal, whatever could act on it is shown
    as an escape; what is `drawn` for it, with colours, is left as it is.
    """
    if output is not None and output != "-":
        with new_file(output, private=private) as file, nullcontext(file) if drawn else harmless(file) as stream:
            yield stream
        return
    try:
        with _standard_output() as file:
            encoding = None if sys.stdout is None else sys.stdout.encoding
            with nullcontext(file) if drawn else harmless(file, encoding) as stream:
                yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise DocumentError("standard output", "file", problem, "check the disk") from None


@contextmanager
def _standard_output() -> Iterator[IO[bytes]]:
    if sys.stdout is None:
        raise DocumentError("standard output", "file", "is closed", "write to a file with -o FILE")
    sys.stdout.flush()
    if (binary := getattr(sys.stdout, "buffer", None)) is not None:
        yield binary
        binary.flush()
        return
    import io

    caught = io.BytesIO()  # a program caught the output as text
    yield caught
    sys.stdout.write(caught.getvalue().decode("utf-8", "backslashreplace"))
