"""`lookalike demo`: a scan and a comparison of a few short texts, with the commands that do it."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path

import typer  # noqa: TC002 — the signature is read at run time

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


def demo(context: typer.Context) -> None:
    """Write the texts, run two commands on them, and say what to try next."""
    from tempfile import TemporaryDirectory

    from lookalike.cli.demo_texts import TEXTS
    from lookalike.cli.hints import command_line

    with TemporaryDirectory(prefix="lookalike-demo-") as folder, chdir(folder):
        Path("sample").mkdir()
        for name, text in TEXTS.items():
            (Path("sample") / name).write_text(text.lstrip("\n"), encoding="utf-8")
        for question, args in STEPS:
            send(f"{question}\n\n$ {command_line(args[0], args[1:])}\n\n", None)
            context.find_root().command(args, prog_name="lookalike", standalone_mode=False)
            send("\n", None)
    send("Now with your own: lookalike PATH. What a word means: lookalike explain.\n", None)
