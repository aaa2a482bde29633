"""`lookalike experiment menu`: choose a figure by its number; what is missing or stale can be made on the spot.

Items 91 to 93: report A had such a menu, and it drew old data without a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.cli.commands import examples
from lookalike.cli.experiment_options import (
    FOLDER,
    OutOption,
    SeedOption,
    TextOption,
    made_anew,
    setup_of,
    spoken_time,
    told,
)
from lookalike.cli.experiment_show import to_table
from lookalike.cli.output import Color, send, send_drawn, wants_color
from lookalike.tables.visible import visible

if TYPE_CHECKING:
    from lookalike.experiments.experiment import Setup
    from lookalike.experiments.store import Folder, State

__all__ = ["HELP", "experiment_menu"]

HELP = examples(
    "Choose figures from a numbered list.",
    "lookalike experiment menu",
    "lookalike experiment menu --out again",
    last="The same as lookalike experiment on a terminal. A figure that is missing or stale can be made on the spot.",
)


def experiment_menu(out: OutOption = FOLDER, seed: SeedOption = "1", text: TextOption = None) -> None:
    """Show the list and what is chosen from it, until there is no answer or q."""
    from lookalike.experiments.catalogue import experiments
    from lookalike.experiments.store import Folder

    setup = setup_of(False, seed, text)
    shown = False
    while True:
        folder = Folder.open(out)
        states = folder.states(experiments())
        if not shown:
            send(f"\nFigures in {visible(str(folder.path))}:\n\n", None)
            send_drawn(to_table(states, numbered=True), None, color=wants_color(Color.AUTO))
        answer = _ask(f"\nNumber of a figure, 1 to {len(states)}, c to compare documents, or q to quit: ")
        if answer in ("", "q", "quit"):
            return
        if answer == "c":
            shown = True
            _compare()
            continue
        shown = not (answer.isdecimal() and 1 <= int(answer) <= len(states))
        if shown:
            send("That is no number of the list.\n", None)
        else:
            _choose(folder, states[int(answer) - 1], setup, text)


def _choose(folder: Folder, state: State, setup: Setup, files: list[str] | None) -> None:
    """Show one figure; make it first if it is not there or not up to date, and that is wanted."""
    if state.mark != "made" and (wanted := _wants_it_made(state)):
        send("".join(f"{line}\n" for line in made_anew([state.experiment], _as(setup, wanted), folder, files)), None)
        state = folder.state(state.experiment)
    send("\n" + told(folder, state), None)
    picture = folder.file(state.experiment.id, "png")
    if picture.is_file() and _ask("o to open the picture, Enter to go back: ") == "o":
        import typer

        typer.launch(str(picture))


def _compare() -> None:
    """Ask what the program of report A asks, and compare the documents."""
    from lookalike.cli.experiment_batch import compare_asked
    from lookalike.errors import LookalikeError

    try:
        compare_asked(_ask_as_typed)
    except (LookalikeError, OSError) as error:
        send(f"{visible(str(error))}\n", None)


def _wants_it_made(state: State) -> str:
    """Return f (full), q (quick) or nothing."""
    experiment = state.experiment
    send(f"\n{experiment.id} is {state.mark}: {state.reason}.\n", None)
    question = f"Make it now? y or q quick, f in full (about {spoken_time(experiment.seconds)}), Enter not: "
    answer = _ask(question)
    return "q" if answer in ("y", "yes", "q") else answer if answer == "f" else ""


def _as(setup: Setup, wanted: str) -> Setup:
    from dataclasses import replace

    return replace(setup, quick=wanted == "q")


def _ask(question: str) -> str:
    return _ask_as_typed(question).lower()


def _ask_as_typed(question: str) -> str:
    send(question, None)
    try:
        return input().strip()
    except EOFError:
        send("\n", None)
        return ""
