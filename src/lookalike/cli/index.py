"""`lookalike index`: documents that stay. Each of its commands has a file of its own."""

from __future__ import annotations

from typing import Final

import typer

from lookalike.cli.help import examples

__all__ = ["HELP", "SUBCOMMANDS", "index"]

SUBCOMMANDS: Final = {
    "build": "Make a new index of documents.",
    "add": "Add documents: all of them, or none.",
    "remove": "Remove documents by their ids.",
    "query": "Tell which stored documents are like others.",
    "info": "Tell what an index is, and how large.",
    "verify": "Look at every document and every key.",
    "repair": "Repair what can be repaired; say what is lost.",
    "compact": "Free the space of removed documents.",
    "backup": "Write a copy to a new file.",
}

HELP = examples(
    "Keep documents: add to them, and ask which are like a new one.",
    "lookalike index build class.db essays/",
    "lookalike index add class.db new/",
    "lookalike index query class.db new.txt --top 5",
    "lookalike index remove class.db one.txt",
    "lookalike index info class.db",
    "lookalike index verify class.db",
    "lookalike index backup class.db copy.db",
    last="INDEX is a file, or a schema of PostgreSQL: postgresql://host/database#schema. What was added is safe when a "
    "command ends. lookalike check NEW --index INDEX asks too, and lookalike scan NEW --against INDEX compares.",
)


def index(context: typer.Context) -> None:
    """Show the help if no command is given."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
