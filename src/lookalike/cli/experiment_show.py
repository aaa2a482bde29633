"""`lookalike experiment show [ID…]`: what is made, missing or stale, and the verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.cli.commands import examples
from lookalike.cli.experiment_options import FOLDER, IdsArgument, OutOption, chosen, told
from lookalike.cli.output import Color, ColorOption, Format, FormatOption, send, send_drawn, wants_color, wants_json
from lookalike.tables.json import to_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from lookalike.experiments.store import Folder, State

__all__ = ["HELP", "experiment_show", "to_table"]

HELP = examples(
    "Tell what is made, missing or stale, and the verdicts.",
    "lookalike experiment show",
    "lookalike experiment show similarity-by-k",
    "lookalike experiment show --format json",
    last="Stale is what other code made, or other settings than those of the last run, or a table that was changed. "
    "With an ID: the caption, each verdict with its numbers, and the files.",
)


def experiment_show(
    ids: IdsArgument = None,
    out: OutOption = FOLDER,
    format: FormatOption = Format.TABLE,  # noqa: A002 — the option's name
    color: ColorOption = Color.AUTO,
) -> None:
    """Print the state of the experiments in a folder."""
    from lookalike.experiments.store import Folder

    as_json, in_color = wants_json(format), wants_color(color)
    folder = Folder.open(out)
    states = folder.states(chosen(ids or ["all"]))
    if as_json:
        send(to_json([_to_dict(folder, state) for state in states]), None, encoding="utf-8")
    elif ids:
        send("\n".join(told(folder, state) for state in states), None)
    else:
        send_drawn(to_table(states), None, color=in_color)


def to_table(states: Sequence[State], *, numbered: bool = False) -> Iterator[RenderableType]:
    """Give a table of states, one line each."""
    from rich.table import Table
    from rich.text import Text

    from lookalike.experiments.gallery import tally

    colors = {"made": "green", "missing": "dim", "stale": "yellow"}
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right" if numbered else "left", style="bold cyan", no_wrap=True)
    for number, state in enumerate(states, start=1):
        found = tally(state.record.verdicts) if state.record and state.mark == "made" else state.reason
        if numbered:
            found = state.experiment.title
        name = str(number) if numbered else state.experiment.id
        grid.add_row(name, Text(state.mark, style=colors[state.mark]), found)
    yield grid


def _to_dict(folder: Folder, state: State) -> dict[str, Any]:
    from lookalike.experiments.store import PARTS

    record = state.record
    return {
        "id": state.experiment.id,
        "title": state.experiment.title,
        "items": list(state.experiment.items),
        "state": state.mark,
        "reason": state.reason,
        "files": [str(path) for part in PARTS if (path := folder.file(state.experiment.id, part)).is_file()],
        "verdicts": [verdict.as_dict() for verdict in record.verdicts] if record else [],
    }
