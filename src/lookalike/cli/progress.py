"""A bar on standard error while a search runs: stage, rate, time left. Only on a terminal, and never with --quiet."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress, Task, TaskID
    from rich.text import Text

    Report = Callable[[str, int, int | None], None]

__all__ = ["showing_progress"]


@contextmanager
def showing_progress(*, quiet: bool = False, percent: bool = False) -> Iterator[Report | None]:
    """Give the function that a search calls with its stage, what is done and the total; None if nobody watches.

    `percent` says that the total is always 100, and that a rate means nothing.
    """
    if quiet or os.environ.get("TERM") == "dumb" or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    with _bar(_percent if percent else _done) as bar:
        yield _Stages(bar)


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
