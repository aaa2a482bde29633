"""`lookalike files PATH…`: what would be read, and what not and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from lookalike.cli.help import examples
from lookalike.cli.output import Color, ColorOption, OutputOption, draw, to_json, wants_color
from lookalike.cli.reading import PathsArgument, Reading, say_notes, with_reading
from lookalike.cli.values import completion, one_of, whole_number
from lookalike.cli.writing import destination, keep_sources
from lookalike.search.columns import compute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from lookalike.documents import Source

__all__ = ["HELP", "files"]

SHOWN: Final = 20
"""Lines of each list that a person sees unless --top says otherwise."""

HELP = examples(
    "List what would be read, and what not and why.",
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


@with_reading
def files(
    paths: PathsArgument,
    *,
    reading: Reading,
    top: Annotated[
        str | None, typer.Option(metavar="N", help=f"Show N of each list, 0: all; default {SHOWN}, in data all.")
    ] = None,
    format: ListFormatOption = ListFormat.TABLE,  # noqa: A002 — the option's name
    color: ColorOption = Color.AUTO,
    output: OutputOption = None,
) -> None:
    """Read everything once and list it."""
    kind = one_of("--format", format, ListFormat)
    shown = None if top is None else whole_number("--top", top, least=0)
    in_color = wants_color(color, to_file=output not in (None, "-"))
    keep_sources([output], paths)
    source = reading.open(paths)
    entries = list(_entries(source))
    if kind is ListFormat.TABLE:
        text = draw(_to_table(entries, SHOWN if shown is None else shown), color=in_color)
    else:
        text = "".join(_as_data(entries, kind))
    with destination(output) as stream:
        stream.write(text.encode("utf-8", "backslashreplace"))
    say_notes(source.notes())


def _entries(source: Source) -> Iterator[Entry]:
    for batch in source.batches():
        names: list[Any] = batch.ids.to_pylist()
        for name, length in zip(names, compute().utf8_length(batch.texts).to_pylist(), strict=True):
            yield Entry(name, True, length)
    for skipped in source.skipped():
        yield Entry(skipped.id, False, None, skipped.reason, skipped.detail)


def _as_data(entries: list[Entry], kind: ListFormat) -> Iterator[str]:
    if kind is ListFormat.JSON:
        read = [{"id": entry.id, "characters": entry.characters} for entry in entries if entry.read]
        skipped = [
            {"id": entry.id, "reason": entry.reason, "detail": entry.detail} for entry in entries if not entry.read
        ]
        yield to_json({"schema": "lookalike/1", "documents": read, "skipped": skipped})
    elif kind is ListFormat.JSONL:
        yield from (to_json(asdict(entry), indent=None) for entry in entries)
    else:
        yield _as_csv(entries)


def _as_csv(entries: list[Entry]) -> str:
    import io

    import pyarrow as pa

    from lookalike.result.write import write_table

    text = pa.large_string()
    kinds: list[tuple[str, pa.DataType]] = [
        ("id", text),
        ("read", pa.bool_()),
        ("characters", pa.int64()),
        ("reason", text),
        ("detail", text),
    ]
    schema = pa.schema(kinds)
    rows = [asdict(entry) | {"id": str(entry.id)} for entry in entries]
    stream = io.StringIO()
    write_table(stream, pa.Table.from_pylist(rows, schema=schema), "csv")
    return stream.getvalue()


# -- for people --------------------------------------------------------------------------------------------------------


def _to_table(entries: list[Entry], top: int) -> Iterator[RenderableType]:
    from rich.text import Text

    read = [entry for entry in entries if entry.read]
    skipped = [entry for entry in entries if not entry.read]
    if read:
        yield from _listed("Read", read, top, lambda entry: [f"{entry.characters or 0:,}", "characters"])
    if skipped:
        yield from _listed("Skipped", skipped, top, lambda entry: [entry.reason, entry.detail])
    yield Text(_closing(read, skipped))


def _listed(title: str, entries: list[Entry], top: int, columns: Any) -> Iterator[RenderableType]:
    from rich.table import Table
    from rich.text import Text

    from lookalike.cli.messages import visible

    shown = entries[:top] if top else entries
    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="fold")
    table.add_column(justify="right" if entries[0].read else "left", no_wrap=True, style="cyan")
    table.add_column(style="dim")
    for entry in shown:
        table.add_row(*(Text(visible(str(cell))) for cell in (entry.id, *columns(entry))))
    yield Text(title, style="bold")
    yield table
    if len(shown) < len(entries):
        yield Text(f"… and {len(entries) - len(shown):,} more (--top 0 shows all)", style="dim")
    yield Text()


def _closing(read: list[Entry], skipped: list[Entry]) -> str:
    characters = sum(entry.characters or 0 for entry in read)
    line = f"{len(read):,} document{'s' * (len(read) != 1)} · {characters:,} characters"
    if skipped:
        reasons = Counter(entry.reason for entry in skipped).most_common()
        line += f" · {len(skipped):,} skipped: " + ", ".join(f"{count:,} {reason}" for reason, count in reasons)
    return line
