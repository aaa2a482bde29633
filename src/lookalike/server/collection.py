"""The pairs and groups of all stored documents: made when they are asked for, once for each state of the index."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lookalike.index.index_documents import found_within
from lookalike.server.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from lookalike.engine.groups import Group
    from lookalike.index.contract import Store, Version
    from lookalike.server.state import State

__all__ = ["Collection", "Within"]

_KEPT: Final = 4
"""Thresholds whose answers are kept."""
_WAITING: Final = 2
"""Computations that are begun or wait; more are refused."""
_BINS: Final = 20


@dataclass(frozen=True, slots=True)
class Within:
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


class Collection:
    """What is alike among the stored documents."""

    def __init__(self, store: Store, state: State) -> None:
        """Take a store to read from."""
        self._store, self._state = store, state
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="lookalike-collection")
        self._lock = threading.Lock()
        self._made: dict[tuple[Version, float], Future[Within]] = {}

    async def at(self, threshold: float | None) -> Within:
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

    def _job(self, version: Version, threshold: float) -> Future[Within]:
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

    def _compute(self, threshold: float) -> Within:
        found = found_within(self._store, threshold)
        pairs = found.pairs.sort_by([("jaccard", "descending")])
        groups = sorted(found.groups, key=lambda group: -len(group.members))
        return Within(threshold, pairs, groups)

    def close(self) -> None:
        """Wait for what is being computed; drop what waits."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def _later(detail: str) -> Problem:
    return Problem(503, detail, headers={"retry-after": "2"})
