"""The command `lookalike` itself: its help, its version, and the list of commands."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli.commands import AllCommands
from lookalike.cli.help import examples
from lookalike.cli.messages import print_version

__all__ = ["app"]

HELP = examples(
    "Finds documents that look alike: which ones, how alike they are, and what they share.",
    "lookalike essays/ --preset essays            who shares passages with whom",
    "lookalike advise corpus.parquet              which preset suits it, and why",
    "lookalike scan corpus.parquet --format json  for programs",
    "lookalike compare essay.txt source.txt       how alike, and what they share",
    "lookalike dedupe corpus.parquet -o kept.parquet --plan plan.csv",
    "lookalike check new.txt --index class.db     which stored texts it is like",
    "lookalike explain recall                     what a word means",
    "lookalike demo                               a first look",
    last="lookalike COMMAND --help tells more of a command. lookalike PATH is lookalike scan PATH.",
)

app = typer.Typer(
    cls=AllCommands,
    help=HELP,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print_version()
        raise typer.Exit


@app.callback(invoke_without_command=True)
def lookalike(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Show the help if no command is given; the text of the help is HELP."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
