"""Where the documents of a saved result are: noted by a scan, and read again only if a person says so.

A saved result may come from anybody, and the paths in it could be those of private files. So `report` reads what is
named on the command line; the paths in the file count only after a yes on the terminal, or with `--trust`.
"""

from __future__ import annotations

import stat
import sys
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from lookalike.cli.against import is_index
from lookalike.cli.hints import command_line
from lookalike.cli.messages import complain
from lookalike.cli.names import quoted
from lookalike.cli.options import typed
from lookalike.cli.reading import Reading
from lookalike.cli.recipe_options import as_typed
from lookalike.cli.writing import keep_sources
from lookalike.documents import Both
from lookalike.errors import DocumentError
from lookalike.tables.wording import visible
from lookalike.urls import shown_url

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lookalike.cli.searching import Search
    from lookalike.documents import Source
    from lookalike.recipe import Recipe
    from lookalike.result import Result

__all__ = ["origin", "reopened"]

_LISTED: Final = 5
"""Paths that a message names, at most."""


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
