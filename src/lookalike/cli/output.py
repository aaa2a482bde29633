"""Where results go and how they look: whole files or none, never over a source; `--format`, `--color` and `-o`."""

from __future__ import annotations

import io
import mimetypes
import os
import re
import sys
from contextlib import contextmanager, nullcontext
from enum import StrEnum
from glob import has_magic
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from lookalike.cli.options import completion, one_of
from lookalike.documents.kinds import kind_of
from lookalike.errors import DocumentError, RecipeError
from lookalike.opening import is_url, shown_url
from lookalike.tables.output_files import VisibleStream, check_output, check_place, harmless, new_file
from lookalike.tables.spelling import colored_visible, lines_visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import RenderableType

Choice = TypeVar("Choice", bound=StrEnum)

__all__ = [
    "Color",
    "ColorOption",
    "Format",
    "FormatOption",
    "OutputOption",
    "QuietOption",
    "RawCsvOption",
    "VerboseOption",
    "check_ending",
    "check_raw_csv",
    "destination",
    "extension",
    "format_for",
    "keep_sources",
    "send",
    "send_drawn",
    "wants_color",
    "wants_json",
    "width",
]


def check_url(output: str, sources: Iterable[str], *, force: bool) -> None:
    """Refuse a URL that cannot be written to, one among the documents and, without `force`, a file that exists."""
    from lookalike.remote import check_writable
    from lookalike.search.row_files import refuse_source_url

    refuse_source_url(output, sources)
    if check_writable(output) is not None and not force:
        raise DocumentError(shown_url(output), "file", "exists", "give another name, or --force to overwrite it")


def extension(path: str) -> str:
    """Return the last extension of a file name, in lower case and without its dot.

    >>> extension("out/Kept.PARQUET"), extension("plan")
    ('parquet', '')
    """
    return Path(path).suffix.lower().removeprefix(".")


_WRITTEN: Final = {
    "table": ("a text table", "txt"),
    "json": ("JSON", "json"),
    "jsonl": ("JSON Lines", "jsonl"),
    "csv": ("CSV", "csv"),
    "parquet": ("Parquet", "parquet"),
    "xlsx": ("an Excel workbook", "xlsx"),
    "md": ("Markdown", "md"),
    "html": ("an HTML page", "html"),
    "saved": ("a saved result", "lookalike"),
}
"""What commands write, and how the name of such a file ends."""


def _promise(output: str | None) -> str | None:
    """Return the ending of the format that the name of a file promises; None if it promises none.

    >>> _promise("pairs.ndjson"), _promise("pairs.csv.gz"), _promise("out.xlsx"), _promise("run.lookalike")
    ('jsonl', 'gz', 'xlsx', None)
    """
    if output is None:
        return None
    kind, ending = kind_of(output), extension(output)
    if kind.format == "text" and kind.compression is None:
        is_known = mimetypes.guess_type(output)[0] not in (None, "text/plain")  # such as a picture
        return ending if is_known or ending == "txt" else None
    if kind.compression or kind.is_archive or kind.office:
        return ending
    return "md" if kind.format == "markdown" else kind.format


def check_ending(output: str | None, written: str, remedy: str = "") -> None:
    """Refuse a name that promises another format than the one that is `written`, a key of `_WRITTEN`."""
    called, ending = _WRITTEN[written]
    if output is not None and _promise(output) not in (None, ending):
        problem = f"has the ending of another format, and {called} would be written"
        raise DocumentError(shown_url(output), "file", problem, remedy or f"end it in .{ending}")


def format_for(given: str | None, output: str | None, choices: type[Choice], *, page: str = "") -> Choice:
    """Read `--format`; without it the name of the output decides, and else it is the first choice.

    A name that promises a format which is no choice is refused; `page` is the option that writes an HTML page.
    """
    if output is not None and output.endswith("/"):
        raise DocumentError(shown_url(output), "file", "is the name of a folder", "give the name of a file")
    if given is not None:
        return one_of("--format", given, choices)
    promise, endings = _promise(output), {_WRITTEN[choice][1]: choice for choice in choices}
    if promise in endings:
        return endings[promise]
    kind, listed = next(iter(choices)), [f".{ending}" for ending in endings]
    remedy = f"end it in {', '.join(listed[:-1])} or {listed[-1]}"
    if promise == "html" and page:
        remedy = f"{page} {shown_url(output or '')} writes a page to read"
    check_ending(output, kind, remedy)
    return kind


def keep_sources(outputs: Iterable[str | None], sources: Iterable[str], *, force: bool = True) -> None:
    """Refuse what cannot be written, before anything is read.

    That is a source, what would be read with the sources the next time, one file twice, a place where no file can be
    made and, without `force`, any file that exists.
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
                raise DocumentError(output, "file", "exists", "give another name, or --force to overwrite it")
        elif any(_would_hold(source, path) for source in given):
            problem = "would be one of the documents the next time"
            raise DocumentError(output, "file", problem, "write the result to a place that is not read")
        check_place(path)


def _would_hold(source: Path, path: Path) -> bool:
    """Say whether a new file would lie in a source, or match a pattern."""
    if not has_magic(str(source)) or os.path.lexists(source):
        return _holds(source, path)
    return path.resolve().match(str(source.absolute()))


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


NARROWEST, WIDEST = 40, 140


class Format(StrEnum):
    """Who reads the result: a person or a program."""

    TABLE = "table"
    JSON = "json"


class Color(StrEnum):
    """When to use colours."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="table for people, json for programs.",
        show_default=False,
        autocompletion=completion(*Format),
    ),
]
ColorOption = Annotated[
    str,
    typer.Option(
        "--color",
        metavar="WHEN",
        help="auto (on a terminal), always or never.",
        show_default=False,
        autocompletion=completion(*Color),
    ),
]
OutputOption = Annotated[
    str | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write to a file.", show_default=False),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, notes or hints.")]
RawCsvOption = Annotated[
    bool,
    typer.Option("--raw-csv", help="In CSV, do not escape text that a spreadsheet would run as a formula."),
]
VerboseOption = Annotated[bool, typer.Option("--verbose", "-v", help="Show settings and the time of each stage.")]


def check_raw_csv(raw_csv: bool, writes_csv: bool) -> None:
    """Refuse `--raw-csv` where it would do nothing."""
    if raw_csv and not writes_csv:
        raise RecipeError("--raw-csv", "given", "left out if no CSV is written")


def wants_json(format: str | None, output: str | None = None, *, page: str = "") -> bool:  # noqa: A002 — the option's name
    """Read `--format`, as `format_for` does."""
    return format_for(format, output, Format, page=page) is Format.JSON


def wants_color(color: str, *, to_file: bool = False) -> bool:
    """Decide by `--color`, then NO_COLOR, FORCE_COLOR and TERM, then by whether a terminal is listening."""
    chosen = one_of("--color", color, Color)
    if chosen is not Color.AUTO:
        return chosen is Color.ALWAYS
    if to_file or os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return os.environ.get("TERM") != "dumb" and sys.stdout is not None and sys.stdout.isatty()


def width() -> int:
    """Return how wide the output is: as the terminal, or COLUMNS, or 80."""
    import shutil

    return min(max(shutil.get_terminal_size((80, 24)).columns, NARROWEST), WIDEST)


def draw(parts: Iterable[RenderableType], *, color: bool) -> str:
    """Return the parts as text, laid out for the width."""
    from rich.console import Console

    console = Console(
        file=io.StringIO(),
        width=width(),
        force_terminal=color,
        color_system="standard" if color else None,  # the 16 colours that follow the theme of the terminal
        no_color=False,  # NO_COLOR was heard in wants_color
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    with console.capture() as captured:
        for part in parts:
            console.print(part, crop=False)  # a command to copy may be longer than a line
    text = re.sub("(?<! ) +\n", "\n", captured.get())  # Rich fills every line up to the width
    return colored_visible(text) if color else lines_visible(text)  # should a part have forgotten it


def send(text: str, output: str | None, *, encoding: str | None = None) -> None:
    """Write a text to the file `output`, or to standard output in `encoding` (default: that of the terminal).

    On a terminal, whatever could act on it is shown as an escape.
    """
    with destination(output) as stream:
        shown = isinstance(stream, VisibleStream)  # which takes UTF-8 and knows the encoding of the terminal
        stream.write(text.encode("utf-8" if shown else encoding or _encoding(output), "backslashreplace"))


def send_drawn(parts: Iterable[RenderableType], output: str | None, *, color: bool) -> None:
    """Draw the parts and write them to the file `output`, or to standard output."""
    text = draw(parts, color=color)
    with destination(output, drawn=True) as stream:
        stream.write(text.encode(_encoding(output), "backslashreplace"))


def _encoding(output: str | None) -> str:
    to_stream = output in (None, "-") and getattr(sys.stdout, "buffer", None) is not None
    return (sys.stdout.encoding if to_stream else None) or "utf-8"
