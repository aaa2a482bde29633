"""`lookalike demo`: a scan and a comparison of a few short texts, with the commands that do it."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path

import typer

from lookalike.cli.help import examples
from lookalike.cli.output import send

__all__ = ["HELP", "demo"]

HELP = examples(
    "Try lookalike on a few short texts.",
    "lookalike demo",
    last="The texts are written into a temporary folder, which is gone afterwards.",
)

STEPS = (
    ("Which texts of a folder look alike, by half or more?", ["scan", "sample", "--threshold", "0.5"]),
    (
        "What do two of them share?",
        ["compare", "sample/clock.txt", "sample/market-and-clock.txt"],
    ),
)


def demo() -> None:
    """Write the texts, run two commands on them, and say what to try next."""
    from tempfile import TemporaryDirectory

    from lookalike.cli import main
    from lookalike.cli.demo_texts import TEXTS
    from lookalike.cli.hints import command_line

    with TemporaryDirectory(prefix="lookalike-demo-") as folder, chdir(folder):
        Path("sample").mkdir()
        for name, text in TEXTS.items():
            (Path("sample") / name).write_text(text.lstrip("\n"), encoding="utf-8")
        for question, args in STEPS:
            send(f"{question}\n\n$ {command_line(args[0], args[1:])}\n\n", None)
            if code := main(args):
                raise typer.Exit(code)
            send("\n", None)
    send("Now with your own: lookalike PATH. What a word means: lookalike explain.\n", None)
