"""`lookalike experiment`: the experiments of the source reports; its `batch` and `menu` are those of report A.

The menu shows figures by number; what is missing or stale can be made on the spot, where the report's drew old data
without a word. Documents of one's own are compared by the three approaches, with times and counts.
"""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from lookalike.cli.commands import examples
from lookalike.cli.experiment_figures import (
    FOLDER,
    OutOption,
    SeedOption,
    TextOption,
    made_anew,
    setup_of,
    spoken_time,
    states_table,
    told,
)
from lookalike.cli.input import PathsArgument, Reading
from lookalike.cli.options import completion, makes, share, whole_number
from lookalike.cli.output import (
    Color,
    ColorOption,
    FormatOption,
    OutputOption,
    send,
    send_drawn,
    wants_color,
    wants_json,
)
from lookalike.cli.search_options import RECIPE as OPTIONS
from lookalike.cli.search_options import make_recipe
from lookalike.errors import RecipeError
from lookalike.recipe import FAMILIES, Recipe
from lookalike.tables.spelling import count, to_json, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import RenderableType

    from lookalike.engine.bands import Bands
    from lookalike.experiments import Setup
    from lookalike.experiments.approaches import Approach
    from lookalike.experiments.store import Folder, State

__all__ = [
    "EXPERIMENT_BATCH_HELP",
    "EXPERIMENT_MENU_HELP",
    "HELP",
    "MODULES",
    "SUBCOMMANDS",
    "compare_asked",
    "experiment",
    "experiment_batch",
    "experiment_menu",
]

SUBCOMMANDS: Final = {
    "list": "List the experiments.",
    "run": "Make the tables, figures and verdicts of experiments.",
    "show": "Show which figures are up to date, missing or stale, and the verdicts.",
    "walk": "Go through the method step by step, on your own texts.",
    "batch": "Compare documents by three approaches, with times and counts.",
    "data": "Write the texts of the experiments as files.",
    "menu": "Choose figures from a numbered list.",
}

MODULES: Final = {
    **dict.fromkeys(("list", "run", "show", "data"), "experiment_figures"),
    **dict.fromkeys(("batch", "menu"), "experiment"),
}
"""The file of each command that has none of its own."""

HELP = examples(
    "Reproduce the figures of the source reports, and check their claims.",
    "lookalike experiment list",
    "lookalike experiment run similarity-by-k --quick",
    "lookalike experiment show similarity-by-k",
    "lookalike experiment walk Nadal Nadia -k 2",
    last="lookalike experiment run all --quick makes them all in about two minutes. Without a command, on a terminal, "
    "it opens the menu. Files are written to experiments/, or to --out.",
)


def experiment(context: typer.Context) -> None:
    """Show the menu on a terminal, else the help, if no command is given."""
    if context.invoked_subcommand is not None:
        return
    if sys.stdin is not None and sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty():
        experiment_menu()
    else:
        typer.echo(context.get_help())


# -- batch -------------------------------------------------------------------------------------------------------------


EXPERIMENT_BATCH_HELP = examples(
    "Compare documents by three approaches, with times and counts.",
    "lookalike experiment batch essays/ -k 9",
    "lookalike experiment batch a.txt b.txt -k 5 --unit char",
    "lookalike experiment batch essays/ --approach lsh --bands 20 --rows 10",
    "lookalike experiment batch essays/ --measure cosine -t 0.7",
    last="All pairs of sets, all pairs of signatures, and the pairs that LSH proposes: how long each takes, how many "
    "pairs it compares, how many hash values it computes. On a terminal it asks for k if there is none.",
)

K: Final = 9
HASHES: Final = 200
THRESHOLD: Final = "0.5"
BANDS: Final = (40, 5)
"""For 200 hash functions and a threshold of about one half, by the rule of report B."""
_KEPT: Final = (
    *("unit", "lowercase", "whitespace", "punctuation", "accents", "digits"),
    *("stop_words", "invisible", "form", "family"),
)


def _recipe(given: dict[str, Any]) -> Recipe:
    usual = {"unit": "char", "family": "modular", "hashes": str(HASHES)}
    given = {name: value for name, value in given.items() if value is not None}
    if "k" not in given:
        asks = sys.stdin is not None and sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty()
        given["k"] = (_ask_as_typed(f"k, units in a shingle [{K}]: ") if asks else "") or str(K)
    return make_recipe(usual | given)


with_recipe: Final = makes("recipe", {name: OPTIONS[name] for name in ("k", *_KEPT, "hashes", "seed")}, _recipe)


@with_recipe
def experiment_batch(
    paths: PathsArgument,
    *,
    recipe: Recipe,
    threshold: Annotated[
        str, typer.Option("-t", "--threshold", metavar="T", help="Minimum similarity; default 0.5.", show_default=False)
    ] = THRESHOLD,
    approach: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="exact, signatures, lsh or all (default).",
            show_default=False,
            autocompletion=completion("all", "exact", "signatures", "lsh"),
        ),
    ] = "all",
    measure: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Score of a pair: jaccard (default), cosine or euclidean, which is 1/(1 + distance).",
            show_default=False,
            autocompletion=completion("jaccard", "cosine", "euclidean"),
        ),
    ] = "jaccard",
    bands: Annotated[str | None, typer.Option("--bands", metavar="N", help="LSH bands; default 40.")] = None,
    rows: Annotated[str | None, typer.Option("--rows", metavar="N", help="Rows per band; default 5.")] = None,
    format: FormatOption = None,  # noqa: A002 — the option's name
    color: ColorOption = Color.AUTO,
    output: OutputOption = None,
) -> None:
    """Compare the documents, and print what each approach did and found."""
    from lookalike.experiments.approaches import APPROACHES

    as_json, in_color = wants_json(format, output), wants_color(color, to_file=output not in (None, "-"))
    if approach not in ("all", *APPROACHES):
        raise RecipeError("--approach", approach, f"all, {', '.join(APPROACHES)}")
    names = tuple(APPROACHES) if approach == "all" else (approach,)
    least, cut = share("--threshold", threshold), _bands(recipe.hashes, bands, rows)
    texts, found = _found(paths, recipe, least, cut, measure, names)
    if as_json:
        listed = [one.as_dict(list(texts)) for one in found]
        settings = {"threshold": least, "measure": measure, "bands": cut.bands, "rows": cut.rows}
        send(to_json({"recipe": recipe.to_dict(), **settings, "approaches": listed}), output, encoding="utf-8")
    else:
        send_drawn(_drawn(list(texts), found, recipe, cut, least, measure), output, color=in_color)


def compare_asked(ask: Callable[[str], str]) -> None:
    """Ask for everything, as the program of report A does, and print what is found."""
    from lookalike.experiments.approaches import APPROACHES

    paths = shlex.split(ask("Documents, or a folder of them: "))
    if not paths:
        return
    k = ask(f"k, characters in a shingle [{K}]: ") or str(K)
    chosen = ask("Approach: 1 exact, 2 signatures, 3 signatures and LSH, Enter for all: ")
    names = tuple(APPROACHES) if chosen not in ("1", "2", "3") else (list(APPROACHES)[int(chosen) - 1],)
    given: dict[str, Any] = {"k": k}
    bands = rows = None
    if chosen != "1":
        numbered = {str(number): name for number, name in enumerate(FAMILIES, start=1)}
        family = ask(f"Hash functions: {', '.join(map(' '.join, numbered.items()))} [1]: ") or "1"
        given["family"] = numbered.get(family, family)
        given["hashes"] = ask(f"How many of them [{HASHES}]: ") or str(HASHES)
        if chosen != "2":
            bands, rows = (ask(f"{what} [as many as fit]: ") or None for what in ("Bands", "Rows of a band"))
    recipe = _recipe(given)
    least, cut = share("threshold", THRESHOLD), _bands(recipe.hashes, bands, rows)
    texts, found = _found(paths, recipe, least, cut, "jaccard", names)
    send_drawn(_drawn(list(texts), found, recipe, cut, least, "jaccard"), None, color=wants_color(Color.AUTO))


def _found(
    paths: Sequence[str], recipe: Recipe, least: float, cut: Bands, measure: str, names: Sequence[str]
) -> tuple[dict[str, str], list[Approach]]:
    from lookalike.experiments.approaches import batch

    batches = Reading().open(paths).batches()
    texts = {str(name): text for some in batches for name, text in zip(some.ids, some.texts, strict=True)}
    return texts, batch(texts, least, recipe=recipe, bands=cut, measure=measure, approaches=names)


def _bands(hashes: int, bands: str | None, rows: str | None) -> Bands:
    from lookalike.engine.bands import Bands, check_bands

    if bands is None and rows is None:
        made = Bands(max(1, hashes // BANDS[1]), min(BANDS[1], hashes))
    else:
        r = None if rows is None else whole_number("--rows", rows, least=1)
        b = max(1, hashes // (r or 1)) if bands is None else whole_number("--bands", bands, least=1)
        made = Bands(b, r or max(1, hashes // b))
    check_bands(made, hashes)
    return made


def _drawn(
    names: list[str], found: Sequence[Approach], recipe: Recipe, cut: Bands, least: float, measure: str
) -> Iterator[RenderableType]:
    from rich.text import Text

    from lookalike.cli.drawing import grid
    from lookalike.experiments.approaches import APPROACHES

    unit = "words" if recipe.unit == "word" else "characters"
    yield Text(
        f"{count(len(names), 'document')}, k = {recipe.k} {unit}, {recipe.hashes} {recipe.family} hash functions, {cut}"
    )
    table = grid(
        ("Approach", "left"), ("Compared", "right"), ("Hash values", "right"), ("Time", "right"), ("Pairs", "right")
    )
    for one in found:
        numbers = (f"{one.comparisons:,}", f"{one.evaluations:,}", f"{one.seconds:.3f} s", f"{len(one.pairs):,}")
        table.add_row(APPROACHES[one.name], *numbers)
    yield table
    yield Text()
    last = found[-1]
    for a, b, score in last.pairs:
        called = "estimated Jaccard" if last.name == "signatures" else measure.capitalize()
        yield Text(f"{visible(names[b])} is a copy of {visible(names[a])}: {called} {score:.3f}", overflow="fold")
    if not last.pairs:
        yield Text(f"No two documents have a similarity of {least:g} or more.")
    if len(found) > 1 and found[0].pairs:
        exact = {pair[:2] for pair in found[0].pairs}
        hit = len(exact & {pair[:2] for pair in last.pairs})
        yield Text(f"LSH found {hit} of the {count(len(exact), 'pair')} at or above {least:g} by {measure}.")
    yield Text(f"Finished in {sum(one.seconds for one in found):.3f} s. Similarity is not proof of copying.")


# -- menu --------------------------------------------------------------------------------------------------------------


EXPERIMENT_MENU_HELP = examples(
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
            send_drawn(states_table(states, numbered=True), None, color=wants_color(Color.AUTO))
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
