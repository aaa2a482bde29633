"""`lookalike scan`: which form the result takes, and where it goes."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, cast

from lookalike.cli.messages import complain
from lookalike.cli.output import check_raw_csv, send, send_drawn, wants_color
from lookalike.cli.running import say_skipped
from lookalike.cli.values import one_of, whole_number
from lookalike.cli.writing import destination, extension
from lookalike.errors import DocumentError
from lookalike.result.authors import left_out

if TYPE_CHECKING:
    from lookalike.result import Result
    from lookalike.tables.write_table import Format

__all__ = ["Hint", "ResultFormat", "Shown", "show"]

SHOWN: Final = 10
"""Pairs and groups that a person sees unless --top says otherwise."""


class ResultFormat(StrEnum):
    """What the result of a search looks like."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"
    XLSX = "xlsx"
    MD = "md"


@dataclass(frozen=True, slots=True)
class Shown:
    """How the result is shown."""

    format: ResultFormat
    output: str | None
    top: int | None
    color: bool
    passages: bool = False
    """Whether the longest passage of each pair is shown below the table."""
    raw_csv: bool = False
    files: bool = False
    """Whether all files of two submissions are listed."""

    @property
    def for_people(self) -> bool:
        """Whether a person reads it, and not a program."""
        return self.format in (ResultFormat.TABLE, ResultFormat.MD)

    @classmethod
    def chosen(
        cls,
        format: str | None,  # noqa: A002 — the option's name
        output: str | None,
        top: str | None,
        color: str,
        passages: bool | None = None,
        raw_csv: bool = False,
        files: bool = False,
    ) -> Shown:
        """Take the options; without --format, the name of the output decides."""
        to_file = output not in (None, "-")
        if format is None:
            ending = extension(output or "")
            ending = {"ndjson": "jsonl", "markdown": "md"}.get(ending, ending)
            format = ending if ending in list(ResultFormat) else ResultFormat.TABLE  # noqa: A001
        kind = one_of("--format", format, ResultFormat)
        check_raw_csv(raw_csv, kind is ResultFormat.CSV)
        in_color = wants_color(color, to_file=to_file)
        binary = kind in (ResultFormat.PARQUET, ResultFormat.XLSX)
        if binary and not to_file and sys.stdout is not None and sys.stdout.isatty():
            raise DocumentError(str(kind), "file", "is nothing for a terminal", "write it to a file with -o FILE")
        if passages is None:
            passages = not to_file and sys.stdout is not None and sys.stdout.isatty()
        most = None if top is None else whole_number("--top", top, least=0)
        return cls(kind, output, most, in_color, passages, raw_csv, files)


@dataclass(frozen=True, slots=True)
class Hint:
    """What a person may do next."""

    next_command: str = ""
    more: str = ""
    """What another search would find."""


def show(result: Result, shown: Shown, hint: Hint, *, quiet: bool) -> None:
    """Write the result; what was written to a file, and what formats for programs leave out, goes to standard error."""
    for_people = shown.for_people
    if for_people:
        _show_people(result, shown, hint)
    else:
        with destination(shown.output) as stream:
            kind = cast("Format", str(shown.format))
            result.write_pairs(stream, kind, top=shown.top or None, raw_csv=shown.raw_csv)
    if quiet:
        return
    if result.authors is not None and not for_people:
        complain(f"note: {left_out(result.authors)}")
    if shown.output not in (None, "-"):
        complain(f"{shown.output}: {result.summary()}")
    elif not for_people:
        say_skipped(result.skipped)


def _show_people(result: Result, shown: Shown, hint: Hint) -> None:
    from lookalike.cli.scan_table import View, to_table

    view = View.of(result, SHOWN if shown.top is None else shown.top, hint, files=shown.files)
    if shown.format is ResultFormat.TABLE:
        send_drawn(to_table(view, passages=shown.passages), shown.output, color=shown.color)
    else:
        from lookalike.cli.scan_markdown import to_markdown

        send(to_markdown(view), shown.output)
