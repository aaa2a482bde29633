"""`lookalike experiment data`: the generated texts as files."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli.experiment_options import FOLDER, SeedOption, TextOption, setup_of
from lookalike.cli.help import examples
from lookalike.cli.output import send
from lookalike.tables.visible import visible

__all__ = ["HELP", "experiment_data"]

HELP = examples(
    "Write the texts of the experiments as files.",
    "lookalike experiment data",
    "lookalike experiment data --out texts --seed 7",
    last="Shuffles of a text of 50 words (20 and 410 of them), a pair of similarity 0.6, five pairs, and three texts "
    "as long as a novel. The same seed gives the same files.",
)


def experiment_data(
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help=f"The folder; {FOLDER}/data by default.", show_default=False)
    ] = f"{FOLDER}/data",
    seed: SeedOption = "1",
    text: TextOption = None,
) -> None:
    """Write the collections, and print what they are."""
    from lookalike.experiments.files import write_collections

    for name, what in write_collections(setup_of(False, seed, text), out):
        send(f"{visible(name)}: {what}\n", None)
