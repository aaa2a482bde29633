"""`lookalike demo`: a scan and a comparison of a few short texts, with the commands that do it."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path
from typing import Final

import typer  # noqa: TC002 — the signature is read at run time

from lookalike.cli.commands import examples
from lookalike.cli.output import send

__all__ = ["HELP", "demo"]


_LIGHTHOUSE: Final = """
The lighthouse on Gull Point was lit for the first time in the autumn of 1871. Before that, fishermen found their way
home by the bell of the chapel, which in a storm nobody could hear. The tower is built of granite from the quarry
behind the village, and every block was drawn up the cliff by two oxen whose names, Bishop and Duke, are cut into the
lowest step. For ninety years a keeper and his family lived at its foot. Since 1961 the lamp has turned by itself, and
the keeper's house is a museum that opens on Sundays, when the weather allows it.
"""

_BREAD: Final = """
Good bread needs four things: flour, water, salt and time. Mix the flour with most of the water and let it rest for
half an hour before you add the salt. Fold the dough every thirty minutes, three or four times, and then leave it in a
cool place overnight. In the morning shape it, wait until a finger leaves a mark that fills only slowly, and bake it in
a very hot oven with a cup of water on the floor of it for steam. Let it cool before you cut it, however hard that is.
"""

_CLOCK: Final = """
Nobody knows who carries the key of the town hall clock. It is wound every Friday, and it has not stopped since the
flood, but the mayor says that it is not her, and the caretaker only shrugs.
"""

_MARKET: Final = """
The market begins at six, when the first vans come down the hill with their lights still on. By seven the fish is laid
out on ice, by eight the queue for the cheese reaches the fountain, and at nine the band begins to play whether anybody
listens or not.
"""

TEXTS: Final = {
    "lighthouse.txt": _LIGHTHOUSE,
    "lighthouse-essay.txt": _LIGHTHOUSE.replace("fishermen found", "the fishermen of the bay found").replace(
        "opens on Sundays, when", "is open on Sundays if"
    ),
    "bread.txt": _BREAD,
    "grandmothers-bread.txt": _BREAD.replace("half an hour", "a full hour")
    .replace("three or four times", "at least four times")
    .replace("however hard that is", "or it will be heavy"),
    "clock.txt": _CLOCK,
    "clock-copy.txt": _CLOCK,
    "market-and-clock.txt": _MARKET + _CLOCK,
    "ferry.txt": """
The last ferry leaves at half past ten. Whoever misses it can wait for the first one, at five, in the room behind the
ticket office, where there is a stove, a shelf of old magazines and a cat that belongs to nobody.
""",
}
"""File name → text."""

HELP = examples(
    "Try lookalike on a few short texts.",
    "lookalike demo",
    last="The texts are written to a temporary folder, which is removed afterwards.",
)

STEPS = (
    ("Which texts in a folder are at least 50% similar?", ["scan", "sample", "--threshold", "0.5"]),
    (
        "What do two of them share?",
        ["compare", "sample/clock.txt", "sample/market-and-clock.txt"],
    ),
)


def demo(context: typer.Context) -> None:
    """Write the texts, run two commands on them, and say what to try next."""
    from tempfile import TemporaryDirectory

    from lookalike.cli.options import command_line

    with TemporaryDirectory(prefix="lookalike-demo-") as folder, chdir(folder):
        Path("sample").mkdir()
        for name, text in TEXTS.items():
            (Path("sample") / name).write_text(text.lstrip("\n"), encoding="utf-8")
        for question, args in STEPS:
            send(f"{question}\n\n$ {command_line(args[0], args[1:])}\n\n", None)
            context.find_root().command(args, prog_name="lookalike", standalone_mode=False)
            send("\n", None)
    send("Now try your own texts: lookalike PATH. What a term means: lookalike explain.\n", None)
