"""How a command runs a search: with progress while it lasts, and notes after it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.messages import UNREADABLE, complain
from lookalike.cli.progress import showing_progress
from lookalike.cli.reading import say_flags, say_notes
from lookalike.documents.document_batches import skipped_words, unread, unread_first
from lookalike.errors import DocumentError
from lookalike.tables.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lookalike.cli.reading import Reading
    from lookalike.cli.searching import Search
    from lookalike.documents import Skipped, Source
    from lookalike.recipe import Recipe
    from lookalike.result import Result

__all__ = ["StrictOption", "exit_if_strict", "nothing_read", "run_search", "say_skipped", "skipped_lines"]

StrictOption = Annotated[bool, typer.Option("--strict", help="Exit with 3 if something could not be read.")]


@contextmanager
def run_search(
    source: Source,
    recipe: Recipe,
    reading: Reading,
    search: Search,
    *,
    min_length: int | None = None,
    quiet: bool = False,
    verbose: bool = False,
) -> Iterator[Result]:
    """Read and search; a collection without any document is an error.

    What was kept to resume the search is removed at the end of the `with` statement, when all outputs are written.
    """
    try:
        with showing_progress(quiet=quiet) as report:
            result, done = search.find(source, recipe, reading, report, min_length)
    except KeyboardInterrupt:
        if search.work is not None:
            complain("interrupted; the same command goes on where it stopped")
        raise
    new = result.documents if result.old_from is None else result.old_from
    if not new:
        raise nothing_read(source.name, result.skipped)
    if not quiet:
        say_notes(result.notes)
        say_flags(result.flags)
        say_flags({f"{name} (old)": flags for name, flags in result.old_flags.items()})
    if verbose:
        for line in _details(result):
            complain(line)
    try:
        yield result
    except typer.Exit:  # how a command says what it found
        done()
        raise
    done()


def nothing_read(name: str, skipped: Iterable[Skipped]) -> DocumentError:
    """Say that a collection has no document, and what to do about it."""
    listed = list(skipped)
    remedy = "it is empty"
    if listed:
        first = (unread(listed) or listed)[0]  # rather than what was skipped on purpose
        why = first.detail or first.reason
        remedy = why if first.id == name else f"{first.id}: {why}"
    if len(listed) > 1:
        remedy += f"; lookalike files lists all {len(listed):,}"
    return DocumentError(name, "file", "holds no document that can be read", remedy)


def _details(result: Result) -> Iterator[str]:
    yield f"recipe: {result.recipe}"
    bands = f", {result.bands.bands} bands of {result.bands.rows}" if result.bands else ""
    yield f"method: {result.method}{bands}; {count(result.candidates, 'pair')} verified"
    yield "seconds: " + ", ".join(f"{stage} {seconds:.3f}" for stage, seconds in result.timings.items())
    yield from skipped_lines(result.skipped)


def say_skipped(skipped: Iterable[Skipped]) -> None:
    """Tell how many were skipped, and why, where no closing line does."""
    if said := skipped_words(skipped):
        complain(f"note: {said}; lookalike files tells what, and why")


def exit_if_strict(strict: bool, skipped: Iterable[Skipped]) -> None:
    """End the command, with --strict, if something was meant to be read and could not be."""
    if strict and unread(skipped):
        raise typer.Exit(UNREADABLE)


def skipped_lines(skipped: Iterable[Skipped]) -> Iterator[str]:
    """Give a line for each thing that was not read."""
    return (f"skipped: {one.id}: {one.detail or one.reason}" for one in unread_first(skipped))
