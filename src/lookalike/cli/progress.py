"""What standard error shows while a search runs: on a terminal a bar, elsewhere a line now and then.

A log gets no line before ten seconds have passed, and no more than one every ten. With --quiet there is neither.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Final

from lookalike.cli.messages import complain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress, Task, TaskID
    from rich.text import Text

    Report = Callable[[str, int, int | None], None]

__all__ = ["showing_progress"]

_SECONDS: Final = 10.0
"""Between two lines."""


@contextmanager
def showing_progress(*, quiet: bool = False, percent: bool = False) -> Iterator[Report | None]:
    """Give the function that a search calls with its stage, what is done and the total; None if nobody watches.

    `percent` says that the total is always 100, and that a rate means nothing.
    """
    said = _percent if percent else _done
    if quiet or sys.stderr is None:
        yield None
    elif os.environ.get("TERM") == "dumb" or not sys.stderr.isatty():
        yield _Lines(said)
    else:
        with _bar(said) as bar:
            yield _Stages(bar)


class _Lines:
    """Writes how far a stage is, but not often: whoever reads a log wants to know that work goes on."""

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
