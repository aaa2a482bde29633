"""One run of the engine: everything is read once, then the texts of candidates once more."""

from __future__ import annotations

import time
from array import array
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lookalike import _native
from lookalike.documents.table_errors import changed
from lookalike.engine import HELD, UNIT_LENGTH, choose_strategy
from lookalike.errors import RecipeError, check_whole
from lookalike.opening import is_url, shown_url

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from lookalike.engine import Asked, Strategy
    from lookalike.search.intake import SearchInput
    from lookalike.search.workdir import WorkDir

    Progress = Callable[[str, int, int | None], None]

__all__ = ["LEAST_MEMORY", "PAGE", "Run", "RunOutcome", "memory_needed", "row_bytes", "stored_bytes"]

LEAST_MEMORY: Final = 512 * 2**20
PAGE: Final = 2_000
"""Bytes of a document where only the size of the whole is known."""
BASE: Final = 60 * 2**20
"""What Python and the libraries take before any document, and what reading and verifying take besides."""
_ROW: Final = 36
"""Bytes that are kept of a document besides its keys and slots."""
_BESIDE: Final = 104
"""Bytes of a document besides its row: place, class, id, length, a second digest, its part of the tables of bands."""


def stored_bytes(strategy: Strategy) -> int:
    """Return how many bytes the row of a document takes in a file."""
    return _ROW + strategy.recipe.hashes + 4 * (strategy.bands.bands if strategy.bands else 0)


def row_bytes(strategy: Strategy) -> int:
    """Return how many bytes are kept of a document once its text is released."""
    return _BESIDE + stored_bytes(strategy)


def memory_needed(size: int, documents: int | None, strategy: Strategy) -> int:
    """Return about how many bytes a search takes in memory, without files: rows or sets, and what is verified."""
    count = documents if documents is not None else size // PAGE
    if strategy.method in ("lsh", "signatures"):
        return BASE + count * row_bytes(strategy) + min(HELD, size)
    return BASE + count * (_ROW + _BESIDE) + set_bytes(size, strategy)


def set_bytes(size: int, strategy: Strategy) -> int:
    """Return about how many bytes the sets of texts of `size` bytes take, with the tables of the join."""
    return 2 * 8 * size // UNIT_LENGTH[strategy.recipe.unit]


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
        progress: Progress | None,
        *,
        memory: int | None,
        work: str | os.PathLike[str] | None,
        order: Sequence[int] | None,
    ) -> None:
        """Take what is asked; nothing is read yet."""
        self._asked, self._new, self._old = asked, new, old
        self._threads, self._progress = threads, progress
        self._memory = None if memory is None else check_whole("memory", memory, 1)
        if self._memory is not None and self._memory < LEAST_MEMORY:
            raise RecipeError("memory", memory, f"at least {LEAST_MEMORY} bytes (512 MiB)")
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
        too_large = self._memory is not None and memory_needed(size, known, likely) > self._memory
        by_sets = likely.method in ("exact", "brute")
        if not by_sets and (too_large or self._work is not None):
            return self._in_files(choose_strategy(self._asked, size))
        return self._in_memory(likely, too_large=too_large)

    # -- in memory ---

    def _in_memory(self, likely: Strategy, *, too_large: bool) -> RunOutcome:
        started = time.perf_counter()
        most = self._asked.exact_up_to
        strategy = likely if most is None else choose_strategy(self._asked, most + 1)
        core, keep = strategy.native(memory=self._held()), self._keep(likely, too_large=too_large)
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
            core,
            [one for documents in self._documents for one in documents.inputs],
            old_from=self._old_from(),
            order=self._order_bytes(),
            threads=self._threads,
            progress=self._told(),
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

    def _held(self) -> int:
        """Return how many bytes of sets may be held while candidates are verified."""
        return HELD if self._memory is None else max(64 * 2**20, (self._memory - BASE) // 2)

    def _read(self, intake: _native.Intake) -> list[int]:
        """Read everything; return how many documents each input has."""
        counts = []
        unseen = 0

        def read(one: _native.Input) -> dict[str, Any]:
            nonlocal unseen
            found = intake.add(one, self._threads, self._told())
            counts.append(found["documents"])
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

    def _told(self) -> Callable[[str, int, int], None] | None:
        progress = self._progress
        return progress and (lambda stage, done, total: progress(stage, done, total or None))

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
        core = strategy.native(memory=self._held())
        intake = _native.Intake(core, "rows", 0, work)
        counts = self._read(intake)
        reading = time.perf_counter() - started
        memory = (self._memory or LEAST_MEMORY) // 4
        rows = _native.Spilled(work.rows, work.all_rows(counts, stored_bytes(strategy)), core, counts, memory)
        told, old_from = self._told(), self._old_from()
        proposed = work.candidates()
        began = time.perf_counter()
        if proposed is None:
            proposed = rows.candidates(core, old_from, self._threads, told)
            work.keep_candidates(*proposed)
        candidates = time.perf_counter() - began
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
            "memory": self._held(),
        }


def _digest(values: Sequence[Any]) -> str:
    import hashlib

    return hashlib.sha256(repr(values).encode()).hexdigest()
