"""One run of the engine: everything is read once, then the texts of candidates once more."""

from __future__ import annotations

import time
from array import array
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike import _native
from lookalike.documents.table_errors import changed
from lookalike.engine import HELD, choose_strategy
from lookalike.errors import RecipeError
from lookalike.opening import is_url, shown_url
from lookalike.search.budget import (
    LEAST_MEMORY,
    PROCESS,
    Footprint,
    check_memory,
    join_factor,
    left,
    resident,
    stored_bytes,
)
from lookalike.search.progress import Pass

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from lookalike.engine import Asked, Strategy
    from lookalike.search.intake import SearchInput
    from lookalike.search.progress import Stages
    from lookalike.search.workdir import WorkDir

__all__ = ["Run", "RunOutcome"]


@dataclass(slots=True)
class RunOutcome:
    """The outcome of a run."""

    strategy: Strategy
    found: dict[str, Any]
    """What the core gives: columns of pairs as bytes, counts, seconds."""
    lengths: array[int]
    reading: float
    """Seconds of the first read, in which everything is signed."""
    unseen: int
    """Texts of tables that have invisible characters inside words: files have flags."""
    clear: Callable[[], None]
    """To be called when the result is safe: empties the work folder."""


class Run:
    """A search of new documents, and of old ones if there are any."""

    def __init__(
        self,
        asked: Asked,
        new: SearchInput,
        old: SearchInput | None,
        threads: int,
        progress: Stages | None,
        *,
        memory: int | None,
        work: str | os.PathLike[str] | None,
        order: Sequence[int] | None,
    ) -> None:
        """Take what is asked; nothing is read yet."""
        self._asked, self._new, self._old = asked, new, old
        self._threads = self._asked_threads = threads
        self._progress = progress
        self._memory = check_memory(memory)
        self._footprint = Footprint((), 0, 0, threads)
        if work is not None and is_url(work):
            raise RecipeError("work", shown_url(str(work)), "a local folder", "its files are changed in place")
        self._work = None if work is None else Path(work)
        self._order = order

    @property
    def _documents(self) -> list[SearchInput]:
        return [self._new] if self._old is None else [self._new, self._old]

    def search(self) -> RunOutcome:
        """Read and search; what the native readers refuse is read through Python instead, which says what is wrong."""
        while True:
            native = [one for one in self._documents if one.is_native]
            try:
                return self._search()
            except _native.TableError as error:
                if not native:
                    raise changed(self._new.source.name) from error
                for one in native:
                    one.use_python()

    def again(self, threshold: float, order: bytes | None) -> RunOutcome:
        """Search the same documents at another threshold, or in another order, without keeping any files."""
        other = copy(self)
        other._asked = replace(self._asked, threshold=threshold)  # noqa: SLF001 — its own
        other._order = None if order is None else array("I", order)  # noqa: SLF001
        other._work = None  # noqa: SLF001
        return other.search()

    def _search(self) -> RunOutcome:
        sizes = [one.size() for one in self._documents]
        size = sum(one.bytes for one in sizes)
        counts = [one.documents for one in sizes]
        known = None if None in counts else sum(count for count in counts if count is not None)
        likely = choose_strategy(self._asked, size)
        self._footprint = Footprint(self._documents, size, known, self._asked_threads)
        if self._memory is not None:
            self._threads = self._footprint.threads(self._memory)
        too_large = self._is_too_large(likely)
        by_sets = likely.method in ("exact", "brute")
        if not by_sets and (too_large or self._work is not None):
            return self._in_files(choose_strategy(self._asked, size))
        return self._in_memory(likely, too_large=too_large)

    def _is_too_large(self, likely: Strategy) -> bool:
        """Return whether a search in memory would take more than it may."""
        return self._memory is not None and not self._footprint.fits(likely, resident(), self._memory)

    # -- in memory ---

    def _in_memory(self, likely: Strategy, *, too_large: bool) -> RunOutcome:
        started = time.perf_counter()
        most = self._asked.exact_up_to
        strategy = likely if most is None else choose_strategy(self._asked, most + 1)
        core, keep = strategy.native(), self._keep(likely, too_large=too_large)
        intake = _native.Intake(core, keep, most or 0)
        self._read(intake)
        size = intake.code_points()
        if keep == "rows" and most is not None and size <= most:  # the files were large, their texts are not
            intake = _native.Intake(core, "sets")
            self._read(intake)
        lengths = array("Q", intake.finish(self._threads)[1])
        reading = time.perf_counter() - started
        found = _native.search(
            intake,
            strategy.native(memory=self._held(strategy)),
            [one for documents in self._documents for one in documents.inputs],
            old_from=self._old_from(),
            order=self._order_bytes(),
            threads=self._threads,
            progress=self._progress,
        )
        chosen = strategy if most is None else choose_strategy(self._asked, size)
        return RunOutcome(chosen, found, lengths, reading, self._unseen, lambda: None)

    def _keep(self, likely: Strategy, *, too_large: bool) -> str:
        """Return what stays of each document while it is read: a row for the bands, or its set for the exact join.

        Where the size of the texts decides between the two, it is known only when they are read. Sets that turn out to
        be too many were made in vain, and so were rows of a small collection: what the files say of their size decides.
        """
        if self._asked.exact_up_to is None:
            if likely.method in ("lsh", "signatures"):
                return "rows"
            return "digests" if too_large and likely.method == "exact" else "sets"
        is_large = likely.method == "lsh" and all(one.is_cheap for one in self._documents)
        return "rows" if is_large else "auto"

    def _held(self, strategy: Strategy) -> int:
        """Return how many bytes of sets may be held while candidates are verified.

        With `work`, another process must divide the work in the same way when it goes on.
        """
        if self._memory is None:
            return HELD
        if self._work:
            return left(self._memory, PROCESS, join_factor(strategy, most=True))
        return self._footprint.left(strategy, self._memory, resident())

    def _read(self, intake: _native.Intake) -> list[int]:
        """Read everything; return how many documents each input has."""
        counts = []
        unseen = 0
        reading = Pass(self._progress, "reading", self._documents)

        def read(one: _native.Input) -> dict[str, Any]:
            nonlocal unseen
            found = intake.add(one, self._threads, reading.native)
            counts.append(found["documents"])
            reading.end(max(found["documents"], found["rows"]))
            if documents.is_native or not documents.source.has_files:
                unseen += found["unseen"]
            return found

        for documents in self._documents:
            documents.read(read)
        self._unseen = unseen
        return counts

    def _old_from(self) -> int:
        new = len(self._new.ids)
        return new if self._old is not None else 2**32

    def _order_bytes(self) -> bytes | None:
        documents = sum(len(one.ids) for one in self._documents)
        if self._order is None:
            return None
        try:
            order = array("I", self._order)
        except (TypeError, OverflowError, ValueError):
            order = array("I")
        if len(order) != documents or set(order) != set(range(documents)):
            raise RecipeError("order", self._order, f"every number from 0 to {documents - 1} once")
        return order.tobytes()

    # -- in files ---

    def _in_files(self, strategy: Strategy) -> RunOutcome:
        """Search with rows in files; a folder that was given is left as it is until the result is safe."""
        import tempfile

        from lookalike.search.workdir import WorkDir

        if self._work is not None:
            work = WorkDir(self._work, self._identity(strategy), [not one.is_native for one in self._documents])
            try:
                for one, by_python in zip(self._documents, work.by_python, strict=True):
                    if by_python and one.is_native:  # an earlier run found that a native reader refuses it
                        one.use_python()
                searched = self._run_in(work, strategy)
            except BaseException:
                work.close()
                raise
            searched.clear = work.clear
            return searched
        with tempfile.TemporaryDirectory(prefix="lookalike-") as folder:
            work = WorkDir(Path(folder), {}, durable=False)
            try:
                return self._run_in(work, strategy)
            finally:
                work.clear()
                Path(folder).mkdir(mode=0o700, exist_ok=True)  # for the one who removes it

    def _run_in(self, work: WorkDir, strategy: Strategy) -> RunOutcome:
        started = time.perf_counter()
        core = strategy.native()
        intake = _native.Intake(core, "rows", 0, work)
        counts = self._read(intake)
        reading = time.perf_counter() - started
        memory = (self._memory or LEAST_MEMORY) // 4
        rows = _native.Spilled(work.rows, work.all_rows(counts, stored_bytes(strategy)), core, counts, memory)
        told, old_from = self._progress, self._old_from()
        proposed = work.candidates()
        began = time.perf_counter()
        if proposed is None:
            proposed = rows.candidates(core, old_from, self._threads, told)
            work.keep_candidates(*proposed)
        candidates = time.perf_counter() - began
        core = strategy.native(memory=self._held(strategy))
        inputs = [one for documents in self._documents for one in documents.inputs]
        found = rows.verify(
            core,
            inputs,
            *proposed,
            work,
            old_from=old_from,
            order=self._order_bytes(),
            threads=self._threads,
            progress=told,
        )
        found["seconds"] = {"candidates": candidates, "verify": time.perf_counter() - began - candidates}
        return RunOutcome(strategy, found, array("Q", rows.lengths()), reading, self._unseen, lambda: None)

    def _identity(self, strategy: Strategy) -> dict[str, Any]:
        """Say what the search is about: a folder with another search in it is refused."""
        return {
            "recipe": str(strategy.recipe),
            "threshold": strategy.threshold,
            "bands": str(strategy.bands),
            "least": strategy.least,
            "max_pairs": strategy.max_pairs,
            "excluded": _digest([*strategy.ignored, *strategy.skip, strategy.min_words]),
            "sources": [one.source.identity() for one in self._documents],
            "memory": self._held(strategy),
        }


def _digest(values: Sequence[Any]) -> str:
    import hashlib

    return hashlib.sha256(repr(values).encode()).hexdigest()
