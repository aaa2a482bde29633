"""Where results go and how they look: the options `--format`, `--color` and `-o`, the same on every command."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.values import completion, one_of
from lookalike.cli.writing import destination
from lookalike.errors import RecipeError
from lookalike.tables.wording import VisibleStream, colored_visible, lines_visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

__all__ = [
    "Color",
    "ColorOption",
    "Format",
    "FormatOption",
    "OutputOption",
    "QuietOption",
    "RawCsvOption",
    "VerboseOption",
    "check_raw_csv",
    "draw",
    "send",
    "send_drawn",
    "wants_color",
    "wants_json",
    "width",
]

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
    str,
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
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes, no hints.")]
RawCsvOption = Annotated[
    bool,
    typer.Option("--raw-csv", help="In CSV, leave texts that a spreadsheet would run as formulas as they are."),
]
VerboseOption = Annotated[bool, typer.Option("--verbose", "-v", help="Tell settings and the time of each stage.")]


def check_raw_csv(raw_csv: bool, writes_csv: bool) -> None:
    """Refuse `--raw-csv` where it would do nothing."""
    if raw_csv and not writes_csv:
        raise RecipeError("--raw-csv", "given", "left out where no CSV is written")


def wants_json(format: str) -> bool:  # noqa: A002 — the option's name
    """Read `--format`."""
    return one_of("--format", format, Format) is Format.JSON


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
