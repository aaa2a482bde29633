"""`lookalike files PATH…`: what would be read, and what not and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import IO, TYPE_CHECKING, Annotated, Any, Final

import typer

from lookalike.cli.commands import examples
from lookalike.cli.input import PathsArgument, Reading, say_flags, say_notes, with_reading
from lookalike.cli.options import completion, one_of, whole_number
from lookalike.cli.output import (
    Color,
    ColorOption,
    OutputOption,
    RawCsvOption,
    check_raw_csv,
    destination,
    keep_sources,
    send_drawn,
    wants_color,
)
from lookalike.documents.document_batches import reason_words, unread_first
from lookalike.tables.json import to_json
from lookalike.tables.wording import count, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from lookalike.documents import Source

__all__ = ["HELP", "files"]

SHOWN: Final = 20
"""Lines of each list that a person sees unless --top says otherwise."""

HELP = examples(
    "List which files are read or skipped, and why.",
    "lookalike files essays/",
    "lookalike files essays/ --exclude '*.md' --top 0",
    "lookalike files corpus.parquet --format csv -o files.csv",
)


class ListFormat(StrEnum):
    """What a list looks like."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"


ListFormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="table, json, jsonl or csv.",
        show_default=False,
        autocompletion=completion(*ListFormat),
    ),
]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the list."""

    id: str | int
    read: bool
    characters: int | None = None
    reason: str = ""
    detail: str = ""


@dataclass(slots=True)
class Tally:
    """How many entries there are, and the first of them."""

    top: int
    """How many to keep, 0: all."""
    read: list[Entry] = field(default_factory=list)
    skipped: list[Entry] = field(default_factory=list)
    documents: int = 0
    characters: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, entry: Entry) -> None:
        """Count an entry."""
        if entry.read:
            self.documents += 1
            self.characters += entry.characters or 0
        else:
            self.reasons[entry.reason] += 1
        kept = self.read if entry.read else self.skipped
        if not self.top or len(kept) < self.top:
            kept.append(entry)


@with_reading
def files(
    paths: PathsArgument,
    *,
    reading: Reading,
    top: Annotated[
        str | None,
        typer.Option(metavar="N", help=f"Show N of each list; 0 for all (default: {SHOWN} in a table, otherwise all)."),
    ] = None,
    format: ListFormatOption = ListFormat.TABLE,  # noqa: A002 — the option's name
    color: ColorOption = Color.AUTO,
    output: OutputOption = None,
    raw_csv: RawCsvOption = False,
) -> None:
    """Read everything once and list it."""
    kind = one_of("--format", format, ListFormat)
    check_raw_csv(raw_csv, kind is ListFormat.CSV)
    shown = None if top is None else whole_number("--top", top, least=0)
    in_color = wants_color(color, to_file=output not in (None, "-"))
    keep_sources([output], paths)
    source = reading.open(paths)
    if kind is ListFormat.TABLE:
        tally = Tally(SHOWN if shown is None else shown)
        for entry in _entries(source):
            tally.add(entry)
        send_drawn(_to_table(tally), output, color=in_color)
    else:
        with destination(output) as stream:
            _write_data(stream, _entries(source), kind, raw_csv=raw_csv)
    say_notes(source.notes())
    say_flags(source.flags())


def _entries(source: Source) -> Iterator[Entry]:
    for batch in source.batches():
        for name, text in zip(batch.ids, batch.texts, strict=True):
            yield Entry(name, True, len(text))
    for skipped in unread_first(source.skipped()):
        yield Entry(skipped.id, False, None, skipped.reason, skipped.detail)


def _write_data(stream: IO[bytes], entries: Iterator[Entry], kind: ListFormat, *, raw_csv: bool) -> None:
    if kind is ListFormat.JSONL:
        stream.writelines(to_json(asdict(entry), indent=None).encode() for entry in entries)
    elif kind is ListFormat.CSV:
        from lookalike.tables.write_table import write_csv

        rows = [(str(entry.id), entry.read, entry.characters, entry.reason, entry.detail) for entry in entries]
        chunks = [list(zip(*rows, strict=True))] if rows else []
        write_csv(stream, [field.name for field in fields(Entry)], chunks, raw=raw_csv)
    else:
        read: list[dict[str, Any]] = []
        skipped: list[dict[str, Any]] = []
        for entry in entries:
            if entry.read:
                read.append({"id": entry.id, "characters": entry.characters})
            else:
                skipped.append({"id": entry.id, "reason": entry.reason, "detail": entry.detail})
        stream.write(to_json({"schema": "lookalike/1", "documents": read, "skipped": skipped}).encode())


# -- for people --------------------------------------------------------------------------------------------------------


def _to_table(tally: Tally) -> Iterator[RenderableType]:
    from rich.text import Text

    if tally.read:
        yield from _listed("Read", tally.read, tally.documents)
    if tally.skipped:
        yield from _listed("Skipped", tally.skipped, tally.reasons.total())
    line = f"{count(tally.documents, 'document')} · {count(tally.characters, 'character')}"
    if tally.reasons:
        line += f" · {reason_words(tally.reasons)}"
    yield Text(line)


def _listed(title: str, entries: list[Entry], there: int) -> Iterator[RenderableType]:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="fold")
    table.add_column(justify="right" if entries[0].read else "left", no_wrap=True, style="cyan")
    table.add_column(style="dim")
    for entry in entries:
        told = (f"{entry.characters or 0:,}", "characters") if entry.read else (entry.reason, entry.detail)
        table.add_row(*(Text(visible(str(cell))) for cell in (entry.id, *told)))
    yield Text(title, style="bold")
    yield table
    if len(entries) < there:
        yield Text(f"… and {there - len(entries):,} more (--top 0 shows all)", style="dim")
    yield Text()
