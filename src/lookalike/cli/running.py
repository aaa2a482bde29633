"""How a command runs a search: with progress while it lasts, notes after it, and no finished search lost.

When one of its outputs cannot be written, the others are, and the search is kept where it can be used again.

`lookalike report RESULT` writes the report of a search that was saved. A saved result may come from anybody, and the
paths in it could be those of private files. So `report` reads what is named on the command line; the paths in the file
count only after a yes on the terminal, or with `--trust`.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from lookalike.cli.commands import examples
from lookalike.cli.input import (
    Reading,
    check_read,
    is_index,
    nothing_read,
    say_flags,
    say_notes,
    skipped_lines,
    with_reading,
)
from lookalike.cli.messages import UNREADABLE, complain, describe, showing_progress
from lookalike.cli.options import command_line, quoted, share, typed
from lookalike.cli.output import QuietOption, check_ending, keep_sources
from lookalike.cli.search_options import as_typed
from lookalike.documents import Both
from lookalike.documents.document_batches import unread
from lookalike.errors import DocumentError, LookalikeError, RecipeError
from lookalike.opening import shown_url
from lookalike.tables.spelling import count, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from lookalike.cli.search_options import Search
    from lookalike.documents import Skipped, Source
    from lookalike.recipe import Recipe
    from lookalike.report.side_files import Marks
    from lookalike.result import Result

__all__ = [
    "LONG",
    "REPORT_HELP",
    "AnonymiseOption",
    "Attempts",
    "ReportOption",
    "StrictOption",
    "exit_if_strict",
    "files_of",
    "is_unwritten",
    "keep_search",
    "origin",
    "refuse_mixed_columns",
    "report",
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
    min_length: int | None = 0,
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
    _check_old(result, search, quiet=quiet)
    if not quiet:
        from lookalike.result.describe import short_pairs

        of_pairs = short_pairs(result)  # which may still change: a command can omit pairs
        say_notes(note for note in result.notes if note not in of_pairs)
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


def _check_old(result: Result, search: Search, *, quiet: bool) -> None:
    """Refuse old documents of which none could be read; that there are none yet is a note. An index may be empty."""
    if result.old_from != result.documents or not isinstance(result.source, Both) or any(map(is_index, search.against)):
        return
    old = result.source.sources[1]
    nothing = nothing_read(old.name, old.skipped())
    if unread(old.skipped()):
        raise nothing
    if not quiet:
        say_notes([describe(nothing)])


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


def refuse_mixed_columns(strict: bool, source: Source | None) -> None:
    """Refuse, with --strict, tables whose texts are in columns of different names."""
    if not strict or source is None:
        return
    columns = source.text_columns()
    first = next(iter(columns), "")
    for name, column in columns.items():
        if column != columns[first]:
            problem = f"is {column!r}, and that of {first} is {columns[first]!r}"
            remedy = "give all one name, name a column that all have with --text-column, or leave out --strict"
            raise DocumentError(name, "text column", problem, remedy)


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
            except BrokenPipeError:  # the reader has closed it
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
    from lookalike.report.side_files import key_path

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
    from lookalike.result.from_texts import write_report

    problem = write_report(result, output, texts=texts, against=against, marks=marks, anonymise=anonymise)
    if problem:
        complain(f"note: {problem}")
    if not quiet:
        complain(f"{output}: report of {result.summary()}")
    if anonymise and not quiet:
        from lookalike.report.side_files import key_path

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


REPORT_HELP = examples(
    "Write the report of a saved search: one HTML file to read, print and share.",
    "lookalike report run.lookalike essays/ -o report.html",
    "lookalike report run.lookalike essays/ -o report.html -t 0.9",
    "lookalike report run.lookalike essays/ --anonymise",
    "lookalike report run.lookalike --trust",
    last="RESULT is what lookalike scan essays/ --save run.lookalike wrote. Documents are read again at PATH. Without "
    "PATH lookalike asks before it reads the files that RESULT names. lookalike scan --report does both at once.",
)


@with_reading
def report(
    result: Annotated[
        str, typer.Argument(metavar="RESULT", help="What lookalike scan --save wrote.", show_default=False)
    ],
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help="The documents that were scanned.", show_default=False),
    ] = None,
    *,
    reading: Reading,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="The HTML file to write.")
    ] = "report.html",
    threshold: Annotated[
        str | None,
        typer.Option("-t", "--threshold", metavar="T", help="Minimum similarity (default: that of the scan)."),
    ] = None,
    meta: Annotated[
        str | None, typer.Option("--meta", metavar="FILE", help="CSV with names, authors, dates and labels.")
    ] = None,
    marks: Annotated[
        str | None, typer.Option("--marks", metavar="FILE", help="Marks from an earlier report, to continue with.")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option("--against", metavar="OLD", help="The old documents of the scan; repeatable.", show_default=False),
    ] = None,
    trust: Annotated[
        bool,
        typer.Option("--trust", help="Read the files that RESULT names without asking; only for your own results."),
    ] = False,
    anonymise: AnonymiseOption = False,
    quiet: QuietOption = False,
) -> None:
    """Load the result, read its documents again and write the report."""
    from lookalike.documents.metadata import read_metadata
    from lookalike.report.side_files import read_marks
    from lookalike.result import Result as Saved

    least = None if threshold is None else share("--threshold", threshold)
    given, old = paths or [], against or []
    if old and not given:
        raise RecipeError("--against", old[0], "given with PATH, the new documents")
    keep_sources(
        files_of(output, anonymise=anonymise),
        [result, *given, *old, *(name for name in (meta, marks) if name is not None)],
    )
    check_ending(output, "html")
    found = Saved.load(result)
    if least is not None:
        found = found.rethreshold(least)
    if meta is not None:
        found = found.with_metadata(read_metadata(meta))
    kept = None if marks is None else read_marks(marks)
    check_read(reading, "PATH", reads=bool(given))
    source = reading.open(given, alone=not old) if given else reopened(found, result, output, trust=trust, quiet=quiet)
    given_texts: dict[str, Any] = {"texts": source, "against": reading.open(old, alone=False) if old else None}
    write_html(found, output, **given_texts, marks=kept, anonymise=anonymise, quiet=quiet)


_LISTED: Final = 5
"""Paths that a message names, at most."""


def reopened(result: Result, saved: str, output: str, *, trust: bool, quiet: bool) -> Source | None:
    """Open the documents where the result says they are, if the user agrees; None if it does not say."""
    told = result.origin
    new, old = list(told.get("paths", ())), list(told.get("against", ()))
    paths = [*new, *old]
    if not paths:
        return None
    reading = _reading(told.get("reading", {}))
    if not trust and not _agrees(saved, paths):
        raise _not_read(saved, new, old, reading)
    for path in paths:
        _check_kind(path)
    if indexes := [path for path in told.get("against", ()) if is_index(path)]:
        problem = f"was compared with the index {quoted(indexes[0])}, which is not read again"
        raise DocumentError(saved, "file", problem, "write the report with lookalike scan --report")
    keep_sources([output], paths)
    if not quiet:
        complain(f"note: documents read again from {_listed(paths)}")
    if new and old:
        return Both(reading.open(new, alone=False), reading.open(old, alone=False))
    return reading.open(paths)


def _reading(told: dict[str, Any]) -> Reading:
    known = {field.name for field in fields(Reading)}
    kept: dict[str, Any] = {name: value for name, value in told.items() if name in known}
    for name in ("include", "exclude"):  # JSON has no tuples
        kept[name] = tuple(kept.get(name, ()))
    return Reading(**kept)


def _agrees(saved: str, paths: list[str]) -> bool:
    """Ask, if there is a terminal."""
    if not _is_answered():
        return False
    question = f"{saved} says that its documents are in {_listed(paths)}. Read them for the report?"
    return typer.confirm(visible(question), default=False, err=True)


def _is_answered() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def _not_read(saved: str, new: list[str], old: list[str], reading: Reading) -> DocumentError:
    paths = [*new, *old]
    problem = f"says that its documents are in {_listed(paths)}, which are read only if you name them"
    against = [word for path in old for word in ("--against", path)]
    command = command_line("report", [saved, *new], against, typed(reading, Reading()))
    if not command or len(paths) > _LISTED or any(path.startswith("-") for path in paths):
        command = command_line("report", [saved]) + " PATH"
    return DocumentError(saved, "file", problem, f"type {command}, or add --trust if the file is yours")


def _check_kind(path: str) -> None:
    """Refuse what is neither a file nor a folder: a pipe or a device may never end."""
    remedy = "name the documents on the command line"
    if path == "-":
        raise DocumentError("the documents", "file", "came from standard input", remedy)
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):  # it is gone, or a pattern: opening it gives a better error
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise DocumentError(path, "file", "is a pipe or a device, not a document", remedy)


def _listed(paths: list[str]) -> str:
    more = f" and {len(paths) - _LISTED:,} more" if len(paths) > _LISTED else ""
    return ", ".join(quoted(path) for path in paths[:_LISTED]) + more
