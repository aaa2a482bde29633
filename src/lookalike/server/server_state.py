"""What the requests of a server share: the index, the settings, the threads, and the pairs of all documents."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from lookalike.errors import LookalikeError, StoreError
from lookalike.index import Index
from lookalike.index.index_documents import found_within
from lookalike.server.monitoring import Metrics
from lookalike.server.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa
    from starlette.requests import HTTPConnection

    from lookalike.engine.groups import Group
    from lookalike.index.contract import Store, Version
    from lookalike.server.server_settings import ServerSettings

    Result = TypeVar("Result")

__all__ = ["AllPairs", "ServerState", "SimilarDocuments", "state_of"]

# -- the pairs and clusters of all documents ---------------------------------------------------------------------------

_KEPT: Final = 4
"""Thresholds whose answers are kept."""
_WAITING: Final = 2
"""Computations that are begun or wait; more are refused."""
_BINS: Final = 20


@dataclass(frozen=True, slots=True)
class SimilarDocuments:
    """What is alike among the stored documents, at one threshold."""

    threshold: float
    pairs: pa.Table
    """The most similar first."""
    groups: Sequence[Group]
    """The largest first."""

    def histogram(self) -> tuple[list[float], list[int]]:
        """Return the edges of equal intervals from the threshold to 1, and how many pairs are in each."""
        width = (1.0 - self.threshold) / _BINS
        edges = [self.threshold + place * width for place in range(_BINS)] + [1.0]
        counts = [0] * _BINS
        if width <= 0.0:  # a threshold of 1: all are in the last
            return edges, [*counts[1:], self.pairs.num_rows]
        scores: list[float] = self.pairs["jaccard"].to_pylist()  # type: ignore[assignment]
        for score in scores:
            counts[min(max(int((score - self.threshold) / width), 0), _BINS - 1)] += 1
        return edges, counts


class AllPairs:
    """What is alike among the stored documents."""

    def __init__(self, store: Store, state: ServerState) -> None:
        """Take a store to read from."""
        self._store, self._state = store, state
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="lookalike-collection")
        self._lock = threading.Lock()
        self._made: dict[tuple[Version, float], Future[SimilarDocuments]] = {}

    async def at(self, threshold: float | None) -> SimilarDocuments:
        """Return what is alike at a threshold; without one, at that of the index.

        One is computed at a time. Whoever waits longer than a request may take is told to ask again: it goes on.
        """
        least = self._store.settings.threshold if threshold is None else threshold
        version = await self._state.run(self._version)
        job = self._job(version, least)
        waiting = asyncio.wrap_future(job)
        await asyncio.wait({waiting}, timeout=self._state.limits.seconds)
        if not waiting.done():
            waiting.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise _later("the pairs of all documents are being computed; ask again")
        return waiting.result()

    def _version(self) -> Version:
        with self._state.store.reading() as reader:
            return reader.version()

    def _job(self, version: Version, threshold: float) -> Future[SimilarDocuments]:
        with self._lock:
            job = self._made.get((version, threshold))
            if job is not None and not (job.done() and (job.cancelled() or job.exception())):
                return job
            running = sum(not one.done() for one in self._made.values())
            if running >= _WAITING:
                raise _later("the pairs of all documents are being computed for others; ask again")
            kept = [key for key, one in self._made.items() if not one.done() or key[0] == version]
            self._made = {key: self._made[key] for key in kept[-_KEPT + 1 :]}
            job = self._pool.submit(self._compute, threshold)
            self._made[version, threshold] = job
            return job

    def _compute(self, threshold: float) -> SimilarDocuments:
        found = found_within(self._store, threshold)
        pairs = found.pairs.sort_by([("jaccard", "descending")])
        groups = sorted(found.groups, key=lambda group: -len(group.members))
        return SimilarDocuments(threshold, pairs, groups)

    def close(self) -> None:
        """Wait for what is being computed; drop what waits."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def _later(detail: str) -> Problem:
    return Problem(503, detail, headers={"retry-after": "2"})


# -- the server --------------------------------------------------------------------------------------------------------


class ServerState:
    """One server: `state_of(request)` gives it.

    A store works for one thread at a time. So the index is opened several times where it lasts: queries do not wait for
    a large addition, for a list, or for the pairs of all documents.
    """

    def __init__(self, store: Store, settings: ServerSettings, again: Callable[[], Store] | None = None) -> None:
        """Take an open store; `again` opens it once more, which an index in memory cannot."""
        self.settings = settings
        self.limits = settings.limits
        self.store = store
        self.index = Index(store)
        self.metrics = Metrics()
        self.ending = threading.Event()
        """Set when the server was told to end: long work stops at the next safe point."""
        self._again = again
        self._writer = again() if again else store
        self._listing = again() if again else store
        self._whole = again() if again else store
        self.collection = AllPairs(self._whole, self)
        self._pool = ThreadPoolExecutor(self.limits.in_work, thread_name_prefix="lookalike")
        self._lock = threading.Lock()
        self._busy = 0

    # -- work --------------------------------------------------------------------------------------------------------

    async def run(self, function: Callable[..., Result], *args: Any) -> Result:
        """Run long work on a thread: a problem if too many requests wait already, or if it takes too long.

        Work that has begun is finished all the same.
        """
        limits = self.limits
        with self._lock:
            if self._busy >= limits.in_work + limits.waiting:
                raise Problem(503, "too many requests are waiting; try again", headers={"retry-after": "1"})
            self._busy += 1
        job = self._pool.submit(self._counted, function, args)
        waiting = asyncio.wrap_future(job)
        await asyncio.wait({waiting}, timeout=limits.seconds)
        if waiting.done():
            return waiting.result()
        if job.cancel():  # it had not begun
            with self._lock:
                self._busy -= 1
        waiting.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody asks any more
        raise Problem(504, f"this took longer than {limits.seconds:g} s; ask for less at once, or try again")

    def _counted(self, function: Callable[..., Result], args: tuple[Any, ...]) -> Result:
        try:
            with self.metrics.working():
                return function(*args)
        finally:
            with self._lock:
                self._busy -= 1

    async def write(self, function: Callable[..., Result], *args: Any) -> Result:
        """Run what writes, with the index to write to as its first argument."""
        return await self.run(self._written, function, *args)

    def _written(self, function: Callable[..., Result], *args: Any) -> Result:
        writer = self._writer
        try:
            return function(Index(writer), *args)
        except StoreError:
            self._open_again(writer)
            raise

    def _open_again(self, failed: Store) -> None:
        """Open the store anew: after an error while it was written, it writes no more."""
        with self._lock:
            if self._again is None or self._writer is not failed:
                return
            with suppress(LookalikeError):
                self._writer = self._again()
                failed.close()

    async def list(self, function: Callable[..., Result], *args: Any) -> Result:
        """Run what looks at all documents, with the store to read from as its first argument."""
        return await self.run(function, self._listing, *args)

    # -- ending ------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Finish work that has begun, and close the index."""
        self.ending.set()
        self._pool.shutdown(wait=True)
        self.collection.close()
        for store in {id(one): one for one in (self._whole, self._listing, self._writer, self.store)}.values():
            store.close()


def state_of(request: HTTPConnection) -> ServerState:
    """Return the state of the server that a request came to."""
    state: ServerState = request.app.state.lookalike
    return state
