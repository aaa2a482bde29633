"""The command `lookalike` itself: its help, its version, and the list of commands."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli import compare, doctor
from lookalike.cli.help import Command, Group, examples

__all__ = ["app"]

HELP = examples(
    "Finds documents that look alike: how alike they are, and which passages they share.",
    "lookalike compare essay.txt source.txt        how alike, and what they share",
    "lookalike compare a.py b.py --preset code     case and operators count",
    "lookalike compare a.txt b.txt --format json   for programs",
    "pdftotext a.pdf - | lookalike compare - b.txt",
    "lookalike doctor                              check what is installed",
    last="lookalike COMMAND --help tells more of a command.",
)

app = typer.Typer(
    cls=Group,
    help=HELP,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("compare", cls=Command, help=compare.HELP)(compare.compare)
app.command("doctor", cls=Command, help=doctor.HELP)(doctor.doctor)


def _print_version(wanted: bool) -> None:
    if wanted:
        from lookalike import __version__

        typer.echo(f"lookalike {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def lookalike(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_print_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Show the help if no command is given; the text of the help is HELP."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
