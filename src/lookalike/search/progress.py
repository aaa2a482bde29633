"""How far a search is, as its caller learns of it: stage by stage, each with one count and one total."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lookalike.search.intake import SearchInput

    Progress: TypeAlias = Callable[[str, int, int | None], None]

__all__ = ["Pass", "Stages"]


class Stages:
    """Passes reports on, so that the count of a stage never goes back, its total stays, and a stage ends at its total.

    >>> seen = []
    >>> stages = Stages(lambda *report: seen.append(report))
    >>> stages("reading", 3, 5), stages("reading", 2, 5), stages("verify", 1, 0), stages.finish()
    (None, None, None, None)
    >>> seen
    [('reading', 3, 5), ('reading', 3, 5), ('reading', 5, 5), ('verify', 1, None)]
    """

    def __init__(self, progress: Progress) -> None:
        """Report to `progress`."""
        self._progress = progress
        self._stage = ""
        self._done = 0
        self._total: int | None = None

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Report how far a stage is; a total of 0 is not known, or not yet."""
        if not stage:
            return
        if stage != self._stage:
            self.finish()
            self._stage = stage
        self._total = self._total or total or None
        self._done = max(self._done, done if self._total is None else min(done, self._total))
        self._progress(stage, self._done, self._total)

    def finish(self) -> None:
        """Report the end of the last stage: what is counted last is over before anybody asks."""
        if self._total is not None and self._done < self._total:
            self._progress(self._stage, self._total, self._total)
        self._stage, self._done, self._total = "", 0, None


class Pass:
    """One reading of all inputs, which is counted as one, whatever files they are in."""

    def __init__(self, progress: Progress | None, stage: str, inputs: Iterable[SearchInput]) -> None:
        """Begin; the total is known if that of every input is."""
        self._progress, self._stage = progress, stage
        self._before = 0
        self._total: int | None = None
        if progress is not None:
            inputs = list(inputs)
            counts = [one.size().documents for one in inputs]
            self._total = None if None in counts else sum(count for count in counts if count is not None)
            for one in inputs:
                one.count = self.count
            self.count(0)

    def count(self, done: int) -> None:
        """Report so many documents of the present input."""
        if self._progress is not None:
            self._progress(self._stage, self._before + done, self._total)

    @property
    def native(self) -> Callable[[str, int, int], None] | None:
        """What a native reader reports to, if anybody wants to know."""
        return None if self._progress is None else lambda _stage, done, _total: self.count(done)

    def end(self, documents: int) -> None:
        """Go on to the next input after one of so many documents."""
        self._before += documents
        self.count(0)
