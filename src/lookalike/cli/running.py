"""How a command runs a search: with progress while it lasts, notes after it, and no finished search lost.

When one of its outputs cannot be written, the others are, and the search is kept where it can be used again.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from lookalike.cli.input import Reading, nothing_read, say_flags, say_notes, skipped_lines
from lookalike.cli.messages import UNREADABLE, complain, describe, showing_progress
from lookalike.cli.options import command_line, typed
from lookalike.cli.search_options import as_typed
from lookalike.documents.document_batches import unread
from lookalike.errors import DocumentError, LookalikeError
from lookalike.tables.wording import count
from lookalike.urls import shown_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from lookalike.cli.search_options import Search
    from lookalike.documents import Skipped, Source
    from lookalike.recipe import Recipe
    from lookalike.report.marks import Marks
    from lookalike.result import Result

__all__ = [
    "LONG",
    "AnonymiseOption",
    "Attempts",
    "ReportOption",
    "StrictOption",
    "exit_if_strict",
    "files_of",
    "is_unwritten",
    "keep_search",
    "origin",
    "run_search",
    "write_html",
]


StrictOption = Annotated[bool, typer.Option("--strict", help="Exit with 3 if anything could not be read.")]


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
            complain("interrupted; run the same command again to resume")
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


def _details(result: Result) -> Iterator[str]:
    yield f"recipe: {result.recipe}"
    bands = f", {result.bands.bands} bands of {result.bands.rows}" if result.bands else ""
    yield f"method: {result.method}{bands}; {count(result.candidates, 'pair')} verified"
    yield "seconds: " + ", ".join(f"{stage} {seconds:.3f}" for stage, seconds in result.timings.items())
    yield from skipped_lines(result.skipped)


def exit_if_strict(strict: bool, skipped: Iterable[Skipped]) -> None:
    """End the command, with --strict, if something was meant to be read and could not be."""
    if strict and unread(skipped):
        raise typer.Exit(UNREADABLE)


LONG: Final = 10.0
"""Seconds: a search that took as long is kept if an output fails; a shorter one is soon done again."""


class Attempts:
    """The outputs of a command, each tried whatever became of those before it."""

    def __init__(self) -> None:
        """Begin with none that failed."""
        self._failed: list[Exception] = []

    def each(self, outputs: Mapping[str, Callable[[], None]]) -> list[str]:
        """Write outputs, each by what makes it; return the names of those that were. Errors wait for `finish`."""
        written: list[str] = []
        for name, write in outputs.items():
            try:
                write()
            except BrokenPipeError:  # nobody reads on
                raise
            except (LookalikeError, OSError) as error:
                self._failed.append(error)
            else:
                written.append(name)
        return written

    def finish(self, how_to_go_on: Callable[[], str]) -> None:
        """Raise the first error, if there was any, with what can be done now; the others are told before it."""
        if not self._failed:
            return
        first, *others = self._failed
        for line in dict.fromkeys(map(describe, others)):
            if line != describe(first):
                complain(line)
        if not (how := how_to_go_on()):
            raise first
        if isinstance(first, DocumentError):
            raise DocumentError(first.document, first.field, first.problem, f"{first.remedy}; {how}") from first
        raise LookalikeError(f"{describe(first)}; {how}") from first


def is_unwritten(error: DocumentError) -> bool:
    """Say whether the disk is at fault, and not what was to be written."""
    return error.problem.startswith("cannot be written")


def keep_search(result: Result, *, work: str | None, saved: str | None = None) -> str:
    """Keep what was found, unless it is kept already or soon found again; return where, for a person."""
    if saved is not None:
        return f"the search is kept in {saved}: {_commands(saved)}"
    if work is not None and Path(work).is_dir() and any(Path(work).iterdir()):  # an exact search is not recorded
        return f"the search is kept in {work}: run the same command again to resume it"
    if result.seconds < LONG:
        return ""
    import tempfile

    file, path = tempfile.mkstemp(prefix="lookalike-", suffix=".lookalike")
    os.close(file)
    try:
        result.save(path)
    except (LookalikeError, OSError):
        Path(path).unlink()
        return "the search is lost; next time, --work DIR keeps it"
    return f"the search is kept in {path}: {_commands(path)}"


def _commands(saved: str) -> str:
    return f"{command_line('report', [saved])} PATH, or {command_line('dedupe', ['--result', saved])} PATH"


ReportOption = Annotated[
    str | None,
    typer.Option("--report", metavar="FILE", help="Write a report with passages to an HTML file.", show_default=False),
]
AnonymiseOption = Annotated[
    bool,
    typer.Option("--anonymise", help="Write a report without names, and a key to them beside it (.key.csv)."),
]


def files_of(output: str | None, *, anonymise: bool) -> list[str | None]:
    """Return the files that a report is written to."""
    if not anonymise or output is None:
        return [output]
    from lookalike.report.anonymous import key_path

    return [output, key_path(output)]


def write_html(
    result: Result,
    output: str,
    *,
    texts: Any = None,
    against: Any = None,
    marks: Marks | None = None,
    anonymise: bool = False,
    quiet: bool = False,
) -> None:
    """Write a report, and say on standard error where it is and what it lacks."""
    from lookalike.result.report import write_report

    problem = write_report(result, output, texts=texts, against=against, marks=marks, anonymise=anonymise)
    if problem:
        complain(f"note: {problem}")
    if not quiet:
        complain(f"{output}: report of {result.summary()}")
    if anonymise and not quiet:
        from lookalike.report.anonymous import key_path

        complain(f"{key_path(output)}: the key to the names; keep it private")


def origin(
    paths: Sequence[str], recipe: Recipe, reading: Reading, search: Search, more: Sequence[str] = ()
) -> dict[str, Any]:
    """Return how a scan was called, for its report: the command, and where the documents are."""
    search = search.shown()
    same = (typed(reading, Reading()), as_typed(search, recipe), more)
    return {
        "command": command_line("scan", paths, *same),
        "paths": [shown_url(path) for path in paths],
        "against": [shown_url(path) for path in search.against],
        "reading": asdict(reading),
    }
