"""What standard error shows: errors and notes, each one line, and how far a search is.

No line has a character in it that could act on a terminal. Progress is a bar on a terminal; a log gets no line before
ten seconds have passed, and no more than one every ten. With --quiet there is neither.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Final

from lookalike import _native
from lookalike.errors import DocumentError, LookalikeError
from lookalike.opening import without_secrets
from lookalike.tables.spelling import lines_visible, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress, Task, TaskID
    from rich.text import Text

    Report = Callable[[str, int, int | None], None]

__all__ = [
    "BAD_INPUT",
    "BROKEN_PIPE",
    "FOUND",
    "INTERRUPTED",
    "UNREADABLE",
    "WORKED",
    "complain",
    "describe",
    "print_version",
    "show_traceback",
    "showing_progress",
]


WORKED, FOUND, BAD_INPUT, UNREADABLE, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 3, 130, 141


def print_version() -> None:
    """Print the name and the version."""
    print("lookalike", _native.build_info()["version"], flush=True)


def complain(message: str) -> None:
    """Write one line to standard error."""
    _write_error(f"lookalike: {visible(without_secrets(message))}\n")


def show_traceback(error: BaseException) -> None:
    """Write where an error came from to standard error, for a developer."""
    import traceback

    _write_error(lines_visible("".join(traceback.format_exception(error))))


def _write_error(text: str) -> None:
    if sys.stderr is not None:  # closed by the caller: nobody listens
        encoding = sys.stderr.encoding or "utf-8"
        sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stderr.flush()


def describe(error: Exception) -> str:
    """Return what happened and what to do about it, in one sentence."""
    if isinstance(error, DocumentError) and error.field == "file":
        return f"{error.document} {error.problem}: {error.remedy}"
    if isinstance(error, DocumentError) and error.field.startswith(("line ", "pair ")):
        return f"{error.document}: {error.field} {error.problem}; {error.remedy}"
    if isinstance(error, LookalikeError):
        return str(error)
    if isinstance(error, MemoryError):
        return "not enough memory"
    if isinstance(error, OSError) and error.strerror:  # a full disk, for one: no fault of ours
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if hasattr(error, "format_message"):  # Typer's errors; their classes are not public, and moved between versions
        return _usage(error)
    return (
        f"internal error: {type(error).__name__}: {error}; this is a bug in lookalike: "
        "please report it with the traceback that LOOKALIKE_DEBUG=1 shows"
    )


def _usage(error: Exception) -> str:
    message = " ".join(error.format_message().split())  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "lookalike"
    return f"{message.rstrip('.')} (see: {command} --help)"


_SECONDS: Final = 10.0
"""Between two lines."""


@contextmanager
def showing_progress(*, quiet: bool = False, percent: bool = False) -> Iterator[Report | None]:
    """Give the function that a search calls with its stage, what is done and the total; None if no progress is shown.

    `percent` says that the total is always 100, and that a rate means nothing.
    """
    said = _percent if percent else _done
    if quiet or sys.stderr is None:
        yield None
    elif os.environ.get("TERM") == "dumb" or not sys.stderr.isatty():
        yield _LogLines(said)
    else:
        with _bar(said) as bar:
            yield _Stages(bar)


class _LogLines:
    """Writes how far a stage is, at long intervals: a log should only show that work continues."""

    def __init__(self, said: Callable[[float, float | None, float | None], str]) -> None:
        self._said = said
        self._last = monotonic()

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Say how far a stage is, unless that was said a moment ago."""
        if monotonic() - self._last >= _SECONDS:
            self._last = monotonic()
            complain(f"{stage}: {self._said(done, total, None)}")


class _Stages:
    """Shows one stage at a time; the bar is gone when all is done."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._stage = ""
        self._task: TaskID | None = None

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Show how far a stage is."""
        if self._task is None or stage != self._stage:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._stage, self._task = stage, self._bar.add_task(stage, total=total)
        self._bar.update(self._task, completed=done, total=total)


def _bar(said: Callable[[float, float | None, float | None], str]) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Done(ProgressColumn):
        """How much is done, of how much, and how fast."""

        def render(self, task: Task) -> Text:
            return Text(said(task.completed, task.total, task.speed), style="cyan")

    return Progress(
        TextColumn("{task.description}", style="bold"),
        BarColumn(bar_width=24),
        Done(),
        TimeRemainingColumn(compact=True, elapsed_when_finished=True),
        console=Console(stderr=True, highlight=False),
        transient=True,
    )


def _done(done: float, total: float | None, speed: float | None) -> str:
    """Return the counts and the rate.

    >>> _done(1500, 412_000, 7421.4)
    '1,500 of 412,000 · 7,421/s'
    """
    counted = f"{done:,.0f}" + (f" of {total:,.0f}" if total is not None else "")
    return f"{counted} · {speed:,.0f}/s" if speed else counted


def _percent(done: float, _total: float | None, _speed: float | None) -> str:
    return f"{done:.0f} %"
