"""`lookalike report RESULT`: the report of a search that was saved, as one HTML file.

A saved result may come from anybody, and the paths in it could be those of private files. So `report` reads what is
named on the command line; the paths in the file count only after a yes on the terminal, or with `--trust`.
"""

from __future__ import annotations

import stat
import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from lookalike.cli.commands import examples
from lookalike.cli.input import Reading, is_index, with_reading
from lookalike.cli.messages import complain
from lookalike.cli.options import command_line, quoted, share, typed
from lookalike.cli.output import (
    QuietOption,
    keep_sources,
)
from lookalike.cli.running import AnonymiseOption, files_of, write_html
from lookalike.documents import Both
from lookalike.errors import DocumentError, RecipeError
from lookalike.tables.wording import visible

if TYPE_CHECKING:
    from lookalike.documents import Source
    from lookalike.result import Result

__all__ = ["HELP", "report"]


HELP = examples(
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
    from lookalike.report.marks import read_marks
    from lookalike.result import Result as Saved

    least = None if threshold is None else share("--threshold", threshold)
    given, old = paths or [], against or []
    if old and not given:
        raise RecipeError("--against", old[0], "given with PATH, the new documents")
    keep_sources(
        files_of(output, anonymise=anonymise),
        [result, *given, *old, *(name for name in (meta, marks) if name is not None)],
    )
    found = Saved.load(result)
    if least is not None:
        found = found.rethreshold(least)
    if meta is not None:
        found = found.with_metadata(read_metadata(meta))
    kept = None if marks is None else read_marks(marks)
    source = reading.open(given) if given else reopened(found, result, output, trust=trust, quiet=quiet)
    given_texts: dict[str, Any] = {"texts": source, "against": reading.open(old) if old else None}
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
    return Both(reading.open(new), reading.open(old)) if new and old else reading.open(paths)


def _reading(told: dict[str, Any]) -> Reading:
    known = {field.name for field in fields(Reading)}
    kept: dict[str, Any] = {name: value for name, value in told.items() if name in known}
    for name in ("include", "exclude"):  # JSON has no tuples
        kept[name] = tuple(kept.get(name, ()))
    return Reading(**kept)


def _agrees(saved: str, paths: list[str]) -> bool:
    """Ask, if somebody is there to answer."""
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
    except (OSError, ValueError):  # it is gone, or a pattern: whoever opens it says so
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise DocumentError(path, "file", "is a pipe or a device, not a document", remedy)


def _listed(paths: list[str]) -> str:
    more = f" and {len(paths) - _LISTED:,} more" if len(paths) > _LISTED else ""
    return ", ".join(quoted(path) for path in paths[:_LISTED]) + more
