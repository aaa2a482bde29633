"""`lookalike plan PATH…`: what a scan would cost, before anything runs."""

from __future__ import annotations

from lookalike.cli.help import examples
from lookalike.cli.output import Color, ColorOption, Format, FormatOption, draw, send, to_json, wants_color, wants_json
from lookalike.cli.reading import PathsArgument, Reading, with_reading
from lookalike.cli.recipe_options import with_recipe
from lookalike.cli.searching import Demand, with_demand
from lookalike.recipe import Recipe  # noqa: TC001 — the signature is read at run time

__all__ = ["HELP", "plan"]

HELP = examples(
    "Tell what a scan would cost, before it runs.",
    "lookalike plan corpus.parquet",
    "lookalike plan corpus.parquet --memory 6GB -t 0.7",
    "lookalike plan corpus.parquet --format json",
    last="Memory and time are estimates for this machine. The plan of what is removed is made by lookalike dedupe.",
)


@with_recipe
@with_reading
@with_demand
def plan(
    paths: PathsArgument,
    *,
    reading: Reading,
    demand: Demand,
    recipe: Recipe,
    format: FormatOption = Format.TABLE,  # noqa: A002 — the option's name
    color: ColorOption = Color.AUTO,
) -> None:
    """Print the expected cost of a search."""
    from rich.text import Text

    from lookalike.search.cost import estimate_cost

    as_json, in_color = wants_json(format), wants_color(color)
    cost = estimate_cost(
        reading.open(paths),
        demand.least,
        recall=demand.recall,
        recipe=recipe,
        method=demand.method,
        memory=demand.memory,
    )
    if as_json:
        send(to_json(cost.to_dict()), None, encoding="utf-8")
    else:
        send(draw([Text(str(cost))], color=in_color), None)
