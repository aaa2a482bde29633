"""Before a scan: what would be read (`files`), which preset suits it (`advise`), what it would cost (`estimate`)."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import IO, TYPE_CHECKING, Annotated, Any, Final

import typer

from lookalike.cli.commands import examples
from lookalike.cli.input import PathsArgument, Reading, say_flags, say_notes, say_skipped, with_reading
from lookalike.cli.options import command_line, completion, typed, whole_number
from lookalike.cli.output import (
    Color,
    ColorOption,
    Format,
    FormatOption,
    OutputOption,
    RawCsvOption,
    check_raw_csv,
    destination,
    format_for,
    keep_sources,
    send,
    send_drawn,
    wants_color,
    wants_json,
    width,
)
from lookalike.cli.search_options import Demand, as_typed, with_demand, with_recipe
from lookalike.documents.document_batches import reason_words, unread_first
from lookalike.presets import PRESETS
from lookalike.recipe import Recipe  # noqa: TC001 — the signature is read at run time
from lookalike.tables.spelling import count, to_json, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from lookalike.documents import Source
    from lookalike.search.advise import Advice, Example, Trial

__all__ = ["ADVISE_HELP", "ESTIMATE_HELP", "FILES_HELP", "advise", "estimate", "files"]

SHOWN: Final = 20
"""Lines of each list that a person sees unless --top says otherwise."""

FILES_HELP = examples(
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
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="table, json, jsonl or csv (default: by the name of FILE).",
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
    format: ListFormatOption = None,  # noqa: A002 — the option's name
    color: ColorOption = Color.AUTO,
    output: OutputOption = None,
    raw_csv: RawCsvOption = False,
) -> None:
    """Read everything once and list it."""
    kind = format_for(format, output, ListFormat)
    check_raw_csv(raw_csv, kind is ListFormat.CSV)
    shown = None if top is None else whole_number("--top", top, least=0)
    in_color = wants_color(color, to_file=output not in (None, "-"))
    keep_sources([output], paths)
    source = reading.open(paths)
    if kind is ListFormat.TABLE:
        tally = Tally(SHOWN if shown is None else shown)
        for entry in _entries(source):
            tally.add(entry)
        send_drawn(_list_table(tally), output, color=in_color)
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


def _list_table(tally: Tally) -> Iterator[RenderableType]:
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


ADVISE_HELP = examples(
    "Recommend a preset for a collection, and say why.",
    "lookalike advise essays/",
    "lookalike advise corpus.parquet --text-column text",
    "lookalike advise corpus.jsonl --format json",
    last="The presets and several values of k are tried on a sample, to see what each finds, at what cost, and "
    "which pairs are closest to the threshold. Only the beginning of a large collection is read.",
)


@with_reading
def advise(
    paths: PathsArgument,
    *,
    reading: Reading,
    format: FormatOption = Format.TABLE,  # noqa: A002 — the option's name
    color: ColorOption = Color.AUTO,
) -> None:
    """Print a recommendation, its reason, and what was tried."""
    from lookalike.search.advise import advise as advise_on

    as_json, in_color = wants_json(format), wants_color(color)
    source = reading.open(paths)
    advice = advise_on(source)
    say_notes(source.notes())
    say_skipped(source.skipped())
    if as_json:
        send(to_json({"schema": "lookalike/1", **advice.to_dict()}), None, encoding="utf-8")
        return
    chosen = ["--preset", advice.preset, *typed(advice.recipe, PRESETS[advice.preset].recipe)]
    command = command_line("scan", paths, typed(reading, Reading()), chosen)
    send_drawn(_advice_table(advice, command), None, color=in_color)


def _advice_table(advice: Advice, command: str) -> Iterator[RenderableType]:
    from rich.text import Text

    from lookalike.cli.drawing import next_step

    yield Text(f"Recommended: {advice.preset}, at {_cut(advice)}", style="bold")
    yield Text(f"Because {advice.reason}.")
    yield Text()
    first = "" if advice.complete else "first "
    of = f" of the {first}{advice.documents:,}" if advice.sampled < advice.documents or not advice.complete else ""
    yield Text(f"Tried on {count(advice.sampled, 'document')}{of}", style="bold")
    yield _tried(advice)
    own = next((trial for trial in advice.tried if trial.name == advice.preset), None)
    if own is not None and (own.above or own.below):
        yield Text()
        yield Text("Closest to the threshold", style="bold")
        yield from _nearest(own)
    if command:
        yield Text()
        yield next_step(command)


def _cut(advice: Advice | Trial) -> str:
    metric = "" if advice.metric == "jaccard" else f" {advice.metric}"
    shortest = "" if advice.min_words is None else f", passages of at least {advice.min_words} words"
    return f"{advice.threshold:g}{metric}{shortest}"


def _tried(advice: Advice) -> RenderableType:
    from lookalike.cli.drawing import grid

    table = grid(
        ("", "left"),
        ("Recipe", "left"),
        ("At", "left"),
        ("Pairs", "right"),
        ("Documents", "right"),
        ("Shingles", "right"),
        ("Hashes", "right"),
        ("Time", "right"),
    )
    for trial in advice.tried:
        recipe = trial.recipe
        mark = "→" if trial.name == advice.preset else ""
        at = f"{trial.threshold:g}{' containment' if trial.metric == 'containment' else ''}"
        numbers = (f"{value:,}" for value in (trial.pairs, trial.documents, trial.shingles, recipe.hashes))
        name = trial.name if trial.name in PRESETS else f"k = {recipe.k}"
        table.add_row(mark, f"{name} ({recipe.unit} {recipe.k})", at, *numbers, f"{trial.seconds:.2f} s")
    return table


def _nearest(trial: Trial) -> Iterator[RenderableType]:
    from rich.text import Text

    from lookalike.cli.drawing import shorten

    room = (width() - len("not listed  100.0%   and ")) // 2

    def line(said: str, pair: Example) -> Text:
        return Text(f"{said}  {pair.score:6.1%}  {shorten(str(pair.a), room)} and {shorten(str(pair.b), room)}")

    if trial.above is not None:
        yield line("listed    ", trial.above)
    if trial.below is not None:
        yield line("not listed", trial.below)


ESTIMATE_HELP = examples(
    "Estimate the memory and time of a scan before it runs.",
    "lookalike estimate corpus.parquet",
    "lookalike estimate corpus.parquet --memory 6GB -t 0.7",
    "lookalike estimate essays/ --preset essays",
    "lookalike estimate corpus.parquet --format json",
    last="Memory and time are estimates for this machine. The removal plan is made by lookalike dedupe.",
)


@with_recipe
@with_reading
@with_demand
def estimate(
    paths: PathsArgument,
    *,
    reading: Reading,
    demand: Demand,
    recipe: Recipe,
    format: FormatOption = Format.TABLE,  # noqa: A002 — the option's name
    color: ColorOption = Color.AUTO,
) -> None:
    """Print the expected cost of a search."""
    from lookalike.search.derived import estimate_cost

    as_json, in_color = wants_json(format), wants_color(color)
    cost = estimate_cost(
        reading.open(paths, demand.memory),
        demand.least,
        recall=demand.recall,
        recipe=recipe,
        method=demand.method,
        metric=demand.metric,
        memory=demand.memory,
    )
    if as_json:
        send(to_json({"schema": "lookalike/1", **cost.to_dict()}), None, encoding="utf-8")
    else:
        same = (typed(reading, Reading()), as_typed(demand, recipe))
        send_drawn(_cost_table(str(cost), command_line("scan", paths, *same)), None, color=in_color)


def _cost_table(cost: str, next_command: str) -> Iterator[RenderableType]:
    from rich.text import Text

    from lookalike.cli.drawing import next_step

    yield Text(cost)
    if next_command:
        yield Text()
        yield next_step(next_command)
