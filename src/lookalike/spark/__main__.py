"""`python -m lookalike.spark`: the job, with the errors and exit codes of the other commands."""

import sys

import typer
from typer.main import get_command

from lookalike.cli import run_guarded
from lookalike.cli.commands import Command
from lookalike.spark.job import HELP, job


def main() -> int:
    """Run the job and return the exit code."""
    app = typer.Typer(
        name="lookalike.spark", add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False
    )
    app.command(cls=Command, help=HELP)(job)
    return run_guarded(lambda: get_command(app)(prog_name="python -m lookalike.spark", standalone_mode=False))


if __name__ == "__main__":
    sys.exit(main())
