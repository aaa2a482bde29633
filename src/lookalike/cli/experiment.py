"""`lookalike experiment`: the experiments of the source reports."""

from __future__ import annotations

import sys
from typing import Final

import typer

from lookalike.cli.commands import examples

__all__ = ["HELP", "MODULES", "SUBCOMMANDS", "experiment"]

SUBCOMMANDS: Final = {
    "list": "List the experiments.",
    "run": "Make the tables, figures and verdicts of experiments.",
    "show": "Tell what is made, missing or stale, and the verdicts.",
    "walk": "Go through the method step by step, on texts of your own.",
    "batch": "Compare documents by three approaches, with times and counts.",
    "data": "Write the texts of the experiments as files.",
    "menu": "Choose figures from a numbered list.",
}

MODULES: Final = {
    **dict.fromkeys(("list", "run", "show", "data"), "experiment_figures"),
    **dict.fromkeys(("batch", "menu"), "experiment_menu"),
}
"""The file of each command that has none of its own."""

HELP = examples(
    "Reproduce the figures of the source reports, and check their claims.",
    "lookalike experiment list",
    "lookalike experiment run similarity-by-k --quick",
    "lookalike experiment show similarity-by-k",
    "lookalike experiment walk Nadal Nadia -k 2",
    last="lookalike experiment run all --quick makes them all in about two minutes. Without a command, on a terminal, "
    "it is the menu. The folder is experiments/, or what --out says.",
)


def experiment(context: typer.Context) -> None:
    """Show the menu on a terminal, else the help, if no command is given."""
    if context.invoked_subcommand is not None:
        return
    if sys.stdin is not None and sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty():
        from lookalike.cli.experiment_menu import experiment_menu

        experiment_menu()
    else:
        typer.echo(context.get_help())
