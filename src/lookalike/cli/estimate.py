"""`lookalike estimate PATH…`: what a scan would cost, before it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.cli.commands import examples
from lookalike.cli.input import PathsArgument, Reading, with_reading
from lookalike.cli.options import command_line, typed
from lookalike.cli.output import Color, ColorOption, Format, FormatOption, send, send_drawn, wants_color, wants_json
from lookalike.cli.search_options import Demand, as_typed, with_demand, with_recipe
from lookalike.recipe import Recipe  # noqa: TC001 — the signature is read at run time
from lookalike.tables.json import to_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

__all__ = ["HELP", "estimate"]

HELP = examples(
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
    from lookalike.search.cost import estimate_cost

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
        send_drawn(_to_table(str(cost), command_line("scan", paths, *same)), None, color=in_color)


def _to_table(cost: str, next_command: str) -> Iterator[RenderableType]:
    from rich.text import Text

    from lookalike.cli.drawing import next_step

    yield Text(cost)
    if next_command:
        yield Text()
        yield next_step(next_command)
