"""`lookalike experiment list`: what experiments there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.cli.commands import examples
from lookalike.cli.output import Color, ColorOption, Format, FormatOption, send, send_drawn, wants_color, wants_json
from lookalike.tables.json import to_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

__all__ = ["HELP", "experiment_list"]

HELP = examples(
    "List the experiments.",
    "lookalike experiment list",
    "lookalike experiment list --format json",
    last="The items are those of the checklist of the source reports.",
)


def experiment_list(format: FormatOption = Format.TABLE, color: ColorOption = Color.AUTO) -> None:  # noqa: A002 — the option's name
    """Print the experiments with what they show and the items that they cover."""
    from lookalike.experiments.catalogue import experiments

    as_json, in_color = wants_json(format), wants_color(color)
    if as_json:
        listed = [{"id": each.id, "title": each.title, "items": list(each.items)} for each in experiments()]
        send(to_json(listed), None, encoding="utf-8")
    else:
        send_drawn(_to_table(), None, color=in_color)


def _to_table() -> Iterator[RenderableType]:
    from rich.table import Table
    from rich.text import Text

    from lookalike.experiments.catalogue import experiments

    grid = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    grid.add_column("ID", style="bold cyan", no_wrap=True)
    grid.add_column("What it shows")
    grid.add_column("Items of the checklist", style="dim")
    for each in experiments():
        grid.add_row(each.id, each.title, ", ".join(map(str, each.items)))
    yield grid
    yield Text()
    yield Text("Next: lookalike experiment run ID, or run all --quick.")
