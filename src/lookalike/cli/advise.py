"""`lookalike advise PATH…`: which preset suits a collection, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.cli.commands import examples
from lookalike.cli.input import PathsArgument, Reading, say_notes, say_skipped, with_reading
from lookalike.cli.options import command_line, typed
from lookalike.cli.output import (
    Color,
    ColorOption,
    Format,
    FormatOption,
    send,
    send_drawn,
    wants_color,
    wants_json,
    width,
)
from lookalike.presets import PRESETS
from lookalike.tables.json import to_json
from lookalike.tables.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from lookalike.search.advise import Advice, Example, Trial

__all__ = ["HELP", "advise"]

HELP = examples(
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
    send_drawn(_to_table(advice, command), None, color=in_color)


def _to_table(advice: Advice, command: str) -> Iterator[RenderableType]:
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
