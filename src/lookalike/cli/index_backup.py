"""`lookalike index backup INDEX FILE`: a copy, while the index is in use."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli.help import examples
from lookalike.cli.index_options import IndexArgument, opened
from lookalike.cli.output import send
from lookalike.tables.wording import count, visible

__all__ = ["HELP", "index_backup"]

HELP = examples(
    "Write a copy to a new file.",
    "lookalike index backup class.db copy.db",
    last="The index can be used meanwhile; the copy is that of one moment. The copy of an index in PostgreSQL is a "
    "file too. To restore it, put it in the place of the index.",
)

FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="The new file.", show_default=False)]


def index_backup(where: IndexArgument, file: FileArgument) -> None:
    """Copy an index."""
    from lookalike.index import Index

    with opened(where) as store:
        Index(store).backup(file)
    with opened(file) as copy:
        send(f"{visible(file)}: {count(len(Index(copy)), 'document')}\n", None)
