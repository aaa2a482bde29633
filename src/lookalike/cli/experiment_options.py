"""What the commands of `lookalike experiment` share: their options, and how an experiment is told to a person."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from lookalike.cli.output import width
from lookalike.cli.values import whole_number
from lookalike.errors import DocumentError, RecipeError
from lookalike.tables.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lookalike.cli.progress import Report
    from lookalike.experiments.experiment import Experiment, Setup
    from lookalike.experiments.store import Folder, State

__all__ = [
    "FOLDER",
    "IdsArgument",
    "OutOption",
    "QuickOption",
    "SeedOption",
    "TextOption",
    "chosen",
    "made_anew",
    "setup_of",
    "spoken_time",
    "told",
]

FOLDER: Final = "experiments"
"""Where the files go unless --out says otherwise."""


def _complete_id(incomplete: str) -> list[str]:
    from lookalike.experiments.catalogue import experiments

    return [each.id for each in experiments() if each.id.startswith(incomplete)]


IdsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="ID", help="Experiments, or all.", show_default=False, autocompletion=_complete_id),
]
OutOption = Annotated[
    str, typer.Option("--out", metavar="DIR", help=f"The folder; {FOLDER} by default.", show_default=False)
]
QuickOption = Annotated[bool, typer.Option("--quick", help="Smaller data: about two minutes for all.")]
SeedOption = Annotated[
    str, typer.Option("--seed", metavar="N", help="Makes the texts; 1 by default.", show_default=False)
]
TextOption = Annotated[
    list[str] | None,
    typer.Option(
        "--text",
        metavar="FILE",
        help="A text or book instead of the built-in ones, or lorem, lincoln, cicero, cervantes, kafka, voltaire; "
        "repeatable.",
        show_default=False,
    ),
]


def setup_of(quick: bool, seed: str, texts: Sequence[str] | None) -> Setup:
    """Read the options that an experiment depends on."""
    from lookalike.experiments.data import words
    from lookalike.experiments.experiment import Setup

    given = [_text(name) for name in texts or ()]
    number = whole_number("--seed", seed, least=0)
    setup = Setup(seed=number, quick=quick, text=given[0] if given else None, more=tuple(given[1:]))
    try:
        words(setup)  # a text that is too short is said now, not in the middle of a run
    except RecipeError as error:
        raise RecipeError(f"--text {texts[0] if texts else ''}", error.given, error.allowed) from None
    return setup


def _text(name: str) -> str:
    """Return a text by the name of its file, or a bundled one."""
    from lookalike.documents.one import read_document
    from lookalike.experiments.excerpts import EXCERPTS, body

    if name in EXCERPTS and not Path(name).exists():
        return EXCERPTS[name].text
    try:
        return body(read_document(name).text)
    except DocumentError as error:
        if error.problem != "does not exist":
            raise
        remedy = f"{error.remedy}, or take {', '.join(EXCERPTS)}"
        raise DocumentError(name, error.field, error.problem, remedy) from None


def chosen(ids: Sequence[str]) -> list[Experiment]:
    """Return the experiments with these ids, in the order of the catalogue; `all` is all of them."""
    from lookalike.experiments.catalogue import by_id, experiments

    if "all" in ids:
        return list(experiments())
    wanted = {by_id(each).id for each in ids}
    return [experiment for experiment in experiments() if experiment.id in wanted]


def spoken_time(seconds: float) -> str:
    """Return a time as a person says it.

    >>> spoken_time(4.2), spoken_time(200), spoken_time(5000)
    ('4 s', '3 min', '1.4 h')
    """
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 / 1.5 else f"{seconds / 3600:.1f} h"


def told(folder: Folder, state: State) -> str:
    """Return all there is to say about one experiment."""
    from lookalike.experiments.gallery import MARKS, command_of
    from lookalike.experiments.store import PARTS

    experiment, record = state.experiment, state.record
    lines = [f"{experiment.id}: {experiment.title}", f"{state.mark}{': ' * bool(state.reason)}{state.reason}", ""]
    lines += _folded(experiment.caption)
    if record is None:
        lines += ["", f"Make it: lookalike experiment run {experiment.id} --out {folder.path}", ""]
        return "\n".join(visible(line) for line in lines)
    for verdict in record.verdicts:
        words = f"“{verdict.claim}”" if verdict.report in ("A", "B", "C") else verdict.claim.rstrip(".")
        lines += ["", *_folded(f"{words} ({verdict.source}):")]
        lines += _folded(f"{MARKS[verdict.finding]} {verdict.finding}. {verdict.evidence}", "  ")
    lines += ["", *(str(folder.file(record.id, part)) for part in PARTS)]
    lines += [f"made by: {command_of(record, folder)}", ""]
    return "\n".join(visible(line) for line in lines)


def _folded(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, width(), initial_indent=indent, subsequent_indent=indent)


def made_anew(
    experiments: Sequence[Experiment], setup: Setup, folder: Folder, files: Sequence[str] | None
) -> Iterator[str]:
    """Run experiments, with a bar while they last on a terminal, and give a line for each that is done."""
    from lookalike.cli.progress import showing_progress
    from lookalike.experiments.gallery import tally
    from lookalike.experiments.run import run

    bar = _Bar([experiment.id for experiment in experiments])
    records = run(experiments, setup, folder, files=files or (), watch=bar)
    while True:
        with showing_progress(percent=True) as bar.report:  # one for each: its end leaves the screen free for the line
            record = next(records, None)
        if record is None:
            return
        yield f"{record.id}: {tally(record.verdicts)} · {record.seconds:.1f} s"


class _Bar:
    """Shows how far an experiment is, and which of how many it is, while somebody watches."""

    def __init__(self, ids: Sequence[str]) -> None:
        self.report: Report | None = None
        self._ids = list(ids)

    def __call__(self, experiment: Experiment, share: float) -> None:
        if self.report is not None:
            place = f"{self._ids.index(experiment.id) + 1} of {len(self._ids)}"
            self.report(f"{experiment.id} ({place})", round(100 * share), 100)
