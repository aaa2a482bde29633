"""`lookalike experiment run ID…`: tables, figures, verdicts and the gallery."""

from __future__ import annotations

from lookalike.cli.commands import examples
from lookalike.cli.experiment_options import (
    FOLDER,
    IdsArgument,
    OutOption,
    QuickOption,
    SeedOption,
    TextOption,
    chosen,
    made_anew,
    setup_of,
    spoken_time,
)
from lookalike.cli.messages import complain
from lookalike.cli.output import send
from lookalike.errors import LookalikeError
from lookalike.tables.visible import visible

__all__ = ["HELP", "experiment_run"]

HELP = examples(
    "Make the tables, figures and verdicts of experiments.",
    "lookalike experiment run similarity-by-k --quick",
    "lookalike experiment run similarity-by-k --quick --seed 7 --out again",
    last="Writes ID.csv, ID.png, ID.svg and ID.pdf for each, verdicts.json, and index.html to look at. run all makes "
    "all of them. Without --quick the data has the size of the reports and beyond; how long that takes is said first.",
)


def experiment_run(
    ids: IdsArgument = None,
    out: OutOption = FOLDER,
    quick: QuickOption = False,
    seed: SeedOption = "1",
    text: TextOption = None,
) -> None:
    """Make experiments, and print a line for each."""
    from lookalike.experiments import figures
    from lookalike.experiments.gallery import GALLERY
    from lookalike.experiments.store import Folder

    if not ids:
        raise LookalikeError("which experiment? Give an ID, or all; lookalike experiment list lists them")
    experiments, setup, folder = chosen(ids), setup_of(quick, seed, text), Folder.open(out)
    figures.require()
    if not quick:
        total = sum(experiment.seconds for experiment in experiments)
        count = f"{len(experiments)} experiments" if len(experiments) > 1 else experiments[0].id
        complain(f"{count} in full: about {spoken_time(total)}; less with --quick")
    for line in made_anew(experiments, setup, folder, text):
        send(line + "\n", None)
    send(f"Look at {visible(str(folder.path / GALLERY))}\n", None)
