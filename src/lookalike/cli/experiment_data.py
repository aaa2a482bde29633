"""`lookalike experiment data`: the generated texts as files."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli.commands import examples
from lookalike.cli.experiment_options import FOLDER, SeedOption, TextOption, setup_of
from lookalike.cli.options import whole_number
from lookalike.cli.output import send
from lookalike.tables.visible import visible

__all__ = ["HELP", "experiment_data"]

HELP = examples(
    "Write the texts of the experiments as files.",
    "lookalike experiment data",
    "lookalike experiment data --out texts --seed 7 --count 1000",
    "lookalike experiment data --text novel.txt --text lorem",
    last="Shuffles of a text of 50 words (20 of them, and 410 or N), a pair of similarity 0.6, five pairs, and "
    "three texts as long as a novel. The same seed gives the same files.",
)


def experiment_data(
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help=f"The folder; {FOLDER}/data by default.", show_default=False)
    ] = f"{FOLDER}/data",
    seed: SeedOption = "1",
    count: Annotated[
        str | None, typer.Option("--count", metavar="N", help="Shuffles to write; 410 by default.", show_default=False)
    ] = None,
    text: TextOption = None,
) -> None:
    """Write the collections, and print what they are."""
    from lookalike.experiments.files import COUNT, write_collections

    many = COUNT if count is None else whole_number("--count", count, least=1)
    for name, what in write_collections(setup_of(False, seed, text), out, many):
        send(f"{visible(name)}: {what}\n", None)
