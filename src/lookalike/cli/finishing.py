"""What becomes of a finished search when one of its outputs cannot be written: the others are, and it is not lost."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lookalike.cli.hints import command_line
from lookalike.cli.messages import complain, describe
from lookalike.errors import DocumentError, LookalikeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lookalike.result import Result

__all__ = ["LONG", "Attempts", "is_unwritten", "keep_search"]

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
        return f"the search is kept in {work}: the same command goes on from there"
    if result.seconds < LONG:
        return ""
    import tempfile

    file, path = tempfile.mkstemp(prefix="lookalike-", suffix=".lookalike")
    os.close(file)
    try:
        result.save(path)
    except (LookalikeError, OSError):
        Path(path).unlink()
        return "the search is lost; another time --work DIR keeps it"
    return f"the search is kept in {path}: {_commands(path)}"


def _commands(saved: str) -> str:
    return f"{command_line('report', [saved])} PATH, or {command_line('dedupe', ['--result', saved])} PATH"
