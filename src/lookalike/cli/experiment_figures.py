"""`lookalike experiment list`, `run`, `show` and `data`: experiments, their figures and verdicts, their texts."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from lookalike.cli.commands import examples
from lookalike.cli.messages import complain
from lookalike.cli.options import whole_number
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
from lookalike.errors import DocumentError, LookalikeError, RecipeError
from lookalike.tables.spelling import to_json, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from lookalike.cli.messages import Report
    from lookalike.experiments import Experiment, Setup
    from lookalike.experiments.store import Folder, State


__all__ = [
    "EXPERIMENT_DATA_HELP",
    "EXPERIMENT_LIST_HELP",
    "EXPERIMENT_RUN_HELP",
    "EXPERIMENT_SHOW_HELP",
    "FOLDER",
    "IdsArgument",
    "OutOption",
    "QuickOption",
    "SeedOption",
    "TextOption",
    "chosen",
    "experiment_data",
    "experiment_list",
    "experiment_run",
    "experiment_show",
    "made_anew",
    "setup_of",
    "spoken_time",
    "states_table",
    "told",
]

# -- what they share ---------------------------------------------------------------------------------------------------


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
    from lookalike.experiments import Setup
    from lookalike.experiments.data import words

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
    from lookalike.documents.open import read_document
    from lookalike.experiments.data import EXCERPTS, body

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
    from lookalike.cli.messages import showing_progress
    from lookalike.experiments.gallery import run, tally

    bar = _Bar([experiment.id for experiment in experiments])
    records = run(experiments, setup, folder, files=files or (), watch=bar)
    while True:
        with showing_progress(percent=True) as bar.report:  # one for each: its end leaves the screen free for the line
            record = next(records, None)
        if record is None:
            return
        yield f"{record.id}: {tally(record.verdicts)} · {record.seconds:.1f} s"


class _Bar:
    """Shows how far an experiment is, and which of how many it is, on a terminal."""

    def __init__(self, ids: Sequence[str]) -> None:
        self.report: Report | None = None
        self._ids = list(ids)

    def __call__(self, experiment: Experiment, share: float) -> None:
        if self.report is not None:
            place = f"{self._ids.index(experiment.id) + 1} of {len(self._ids)}"
            self.report(f"{experiment.id} ({place})", round(100 * share), 100)


# -- list --------------------------------------------------------------------------------------------------------------


EXPERIMENT_LIST_HELP = examples(
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
        send_drawn(_listed(), None, color=in_color)


def _listed() -> Iterator[RenderableType]:
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


# -- run ---------------------------------------------------------------------------------------------------------------


EXPERIMENT_RUN_HELP = examples(
    "Make the tables, figures and verdicts of experiments.",
    "lookalike experiment run similarity-by-k --quick",
    "lookalike experiment run similarity-by-k --quick --seed 7 --out again",
    last="Writes ID.csv, ID.png, ID.svg and ID.pdf for each, verdicts.json, and index.html to look at. run all makes "
    "all of them. Without --quick the data has the size of the reports and beyond; the expected time is shown first.",
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


# -- show --------------------------------------------------------------------------------------------------------------


EXPERIMENT_SHOW_HELP = examples(
    "Show which figures are up to date, missing or stale, and the verdicts.",
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
        send_drawn(states_table(states), None, color=in_color)


def states_table(states: Sequence[State], *, numbered: bool = False) -> Iterator[RenderableType]:
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


# -- data --------------------------------------------------------------------------------------------------------------


EXPERIMENT_DATA_HELP = examples(
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
    from lookalike.experiments.data import COUNT, write_collections

    many = COUNT if count is None else whole_number("--count", count, least=1)
    for name, what in write_collections(setup_of(False, seed, text), out, many):
        send(f"{visible(name)}: {what}\n", None)
