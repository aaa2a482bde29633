"""What the commands of `lookalike index` share: the index that they are given, and how documents go into it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.index_opening import open_index
from lookalike.cli.messages import complain
from lookalike.cli.reading import say_flags, say_notes
from lookalike.cli.running import nothing_read, skipped_lines
from lookalike.documents.document_batches import skipped_words as words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lookalike.cli.progress import Report
    from lookalike.documents import Source
    from lookalike.index.contract import Store

__all__ = ["IndexArgument", "ThreadsOption", "counting", "opened", "say_read", "skipped_words"]

IndexArgument = Annotated[
    str,
    typer.Argument(metavar="INDEX", help="A file, or postgresql://host/database#schema.", show_default=False),
]

ThreadsOption = Annotated[
    str | None,
    typer.Option("--threads", metavar="N", help="Threads; default: one for each processor.", show_default=False),
]


@contextmanager
def opened(where: str) -> Iterator[Store]:
    """Open an index that is there."""
    store = open_index(where)
    try:
        yield store
    finally:
        store.close()


def counting(report: Report | None, source: Source) -> Callable[[int], None] | None:
    """Return what shows how many documents are added; None if nobody watches."""
    if report is None:
        return None
    total = source.size().documents
    return lambda done: report("adding", done, total)


def say_read(source: Source, read: int, *, quiet: bool, verbose: bool) -> None:
    """Tell what was decided while a source was read; one without any document is an error."""
    skipped = source.skipped()
    if not read:
        raise nothing_read(source.name, skipped)
    if not quiet:
        say_notes(source.notes())
        say_flags(source.flags())
    if verbose:
        for line in skipped_lines(skipped):
            complain(line)


def skipped_words(source: Source) -> str:
    """Return how much of a source was skipped, and why.

    >>> from lookalike.documents import open_documents
    >>> skipped_words(open_documents(["one"]))
    ''
    """
    words = words_of(source.skipped())
    return f" ({words})" if words else ""
