"""What the requests of a server share: the index, threads, the pairs and clusters of all documents.

First what a running server tells: JSON lines on standard error, and numbers for Prometheus; never a text or a token.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import threading
import time
import traceback
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from lookalike.errors import LookalikeError, StoreError
from lookalike.index import Index
from lookalike.index.index_documents import found_within
from lookalike.server.lanes import Lane, Workers
from lookalike.server.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    import pyarrow as pa
    from starlette.requests import HTTPConnection

    from lookalike.engine.groups import Group
    from lookalike.index.contract import Store, Version
    from lookalike.result import Recall
    from lookalike.server import ServerSettings
    from lookalike.server.lanes import QueuedJob

    Result = TypeVar("Result")

__all__ = [
    "LOG",
    "METRICS_TYPE",
    "AllPairs",
    "Metrics",
    "ServerState",
    "SimilarDocuments",
    "log_to_stderr",
    "shortened",
    "state_of",
]

# -- log lines ---------------------------------------------------------------------------------------------------------

LOG: Final = logging.getLogger("lookalike.server")
_LONGEST: Final = 80


def shortened(text: str) -> str:
    """Return the beginning of what a client has sent; JSON shows every strange character as an escape."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


class _JsonLines(logging.Formatter):
    """A record as one line; of an error the places that it came through, not its message, which may quote a text."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        entry: dict[str, Any] = {"time": at, "level": record.levelname.lower()}
        facts = getattr(record, "facts", None)
        entry |= facts if facts is not None else {"event": "message", "said": shortened(record.getMessage())}
        if record.exc_info and record.exc_info[0] is not None:
            frames = traceback.extract_tb(record.exc_info[2])
            entry["error"] = record.exc_info[0].__name__
            entry["places"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames[-20:]]
        return json.dumps(entry)


def log_to_stderr() -> None:
    """Send what lookalike and uvicorn have to say to standard error, each in one line."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines())
    for name, level in (("lookalike.server", logging.INFO), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(level)


# -- numbers -----------------------------------------------------------------------------------------------------------

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """What is counted."""

    def __init__(self) -> None:
        """Start at zero."""
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "lookalike_requests",
            "Requests by route and status.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "lookalike_request_seconds",
            "Seconds until a request was answered.",
            ("route",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._in_work = Gauge("lookalike_in_work", "Requests being processed.", registry=self._registry)
        self._documents = Gauge("lookalike_documents", "Documents in the index.", registry=self._registry)

    def working(self) -> AbstractContextManager[object]:
        """Count a request while it is processed."""
        return self._in_work.track_inprogress()

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def shown(self, documents: int) -> bytes:
        """Return all numbers as Prometheus reads them."""
        self._documents.set(documents)
        return generate_latest(self._registry)


# -- the pairs and clusters of all documents ---------------------------------------------------------------------------

_KEPT: Final = 4
"""Thresholds whose answers are kept."""
_WAITING: Final = 2
"""Computations that are begun or wait; more are refused."""
_BINS: Final = 20
_PAUSE: Final = 0.5
"""Seconds after which whoever waits for a computation looks whether the server is to end."""


@dataclass(frozen=True, slots=True)
class SimilarDocuments:
    """The similar documents of a store, at one threshold."""

    threshold: float
    pairs: pa.Table
    """The most similar first."""
    groups: Sequence[Group]
    """The largest first."""
    recall: Recall | None
    """Of the pairs, or of the clusters if it is `limited`; None where scores are estimates."""

    def histogram(self) -> tuple[list[float], list[int]]:
        """Return the edges of equal intervals from the threshold to 1, and how many pairs are in each."""
        width = (1.0 - self.threshold) / _BINS
        edges = [self.threshold + place * width for place in range(_BINS)] + [1.0]
        counts = [0] * _BINS
        if width <= 0.0:  # a threshold of 1: all are in the last
            return edges, [*counts[1:], self.pairs.num_rows]
        scores: list[float] = self.pairs[_score(self.pairs)].to_pylist()  # type: ignore[assignment]
        for score in scores:
            counts[min(max(int((score - self.threshold) / width), 0), _BINS - 1)] += 1
        return edges, counts


def _score(pairs: pa.Table) -> str:
    """Return the column that pairs are ranked by."""
    return "jaccard" if "jaccard" in pairs.column_names else "estimate"


class AllPairs:
    """The similar documents of a store, at any threshold."""

    def __init__(self, store: Store, state: ServerState) -> None:
        """Take a store to read from."""
        self._store, self._state = store, state
        self._workers = Workers(1, _WAITING, float("inf"), "lookalike-collection")
        self._lock = threading.Lock()
        self._made: dict[tuple[Version, float], QueuedJob] = {}

    async def at(self, threshold: float | None) -> SimilarDocuments:
        """Return the similar documents at a threshold; without one, at that of the index.

        One is computed at a time. A client that has waited as long as a request may take is asked to try again, while
        the computation continues.
        """
        least = self._store.settings.threshold if threshold is None else threshold
        version = await self._state.run(self._version)
        waiting: asyncio.Future[SimilarDocuments] = asyncio.wrap_future(self._job(version, least).future)
        until = time.monotonic() + self._state.limits.seconds
        while not waiting.done() and time.monotonic() < until and not self._state.ending.is_set():
            await asyncio.wait({waiting}, timeout=min(_PAUSE, max(0.0, until - time.monotonic())))
        if not waiting.done():
            waiting.add_done_callback(_ignored)
            raise _later("the pairs of all documents are being computed; ask again")
        return waiting.result()

    def _version(self) -> Version:
        with self._state.store.reading() as reader:
            return reader.version()

    def _job(self, version: Version, threshold: float) -> QueuedJob:
        with self._lock:
            job = self._made.get((version, threshold))
            if job is not None and not (job.future.done() and (job.future.cancelled() or job.future.exception())):
                return job
            running = sum(not one.future.done() for one in self._made.values())
            if running >= _WAITING:
                raise _later("the pairs of all documents are being computed for others; ask again")
            kept = [key for key, one in self._made.items() if not one.future.done() or key[0] == version]
            self._made = {key: self._made[key] for key in kept[-_KEPT + 1 :]}
            job = self._workers.submit(lambda: self._compute(threshold))
            self._made[version, threshold] = job
            return job

    def _compute(self, threshold: float) -> SimilarDocuments:
        found = found_within(self._store, threshold)
        pairs = found.pairs.sort_by([(_score(found.pairs), "descending")])
        groups = sorted(found.groups, key=lambda group: -len(group.members))
        return SimilarDocuments(threshold, pairs, groups, found.recall)

    def close(self, seconds: float) -> bool:
        """Drop what waits, and tell whether what is computed has ended after so many seconds: nothing can end it."""
        with self._lock:
            for job in self._made.values():
                job.abandon()
        self._workers.end(0.0)
        return self._workers.close(seconds)


def _later(detail: str) -> Problem:
    return Problem(503, detail, headers={"retry-after": "2"})


def _ignored(done: asyncio.Future[Any]) -> None:
    """Take the result that nobody waits for any more."""
    if not done.cancelled():
        done.exception()


# -- the server --------------------------------------------------------------------------------------------------------

_CLOSING: Final = 5.0
"""Seconds that an ending server waits for work that was told to end."""


class ServerState:
    """One server: `state_of(request)` gives it."""

    def __init__(self, store: Store, settings: ServerSettings, again: Callable[[], Store] | None = None) -> None:
        """Take an open store; `again` opens it once more, which an index in memory cannot."""
        self.settings = settings
        self.limits = settings.limits
        self.store = store
        self.metrics = Metrics()
        self.ending = threading.Event()
        """Set when the server is stopped: streams end, and soon all work."""
        self._workers = Workers(self.limits.in_work, self.limits.waiting, self.limits.seconds)
        self.check = self._workers.check
        """Ends the work of a thread whose time is over."""
        self.index = Index(store, interrupt=self.check)
        self.collection = AllPairs(store, self)
        self._again = again
        self._writer = store
        self._lock = threading.Lock()

    # -- work --------------------------------------------------------------------------------------------------------

    async def run(self, function: Callable[..., Result], *args: Any, lane: Lane = Lane.READ) -> Result:
        """Run work on a thread: a problem if too many requests wait already, or if it takes too long.

        Then it ends where it next calls `check`.
        """

        def work() -> Result:
            self.check()
            with self.metrics.working():
                return function(*args)

        job = self._workers.submit(work, lane)
        waiting: asyncio.Future[Result] = asyncio.wrap_future(job.future)
        try:
            await asyncio.wait({waiting}, timeout=self.limits.seconds)
            if waiting.done():
                return waiting.result()
        finally:
            if not waiting.done():
                waiting.add_done_callback(_ignored)
                job.abandon()
        raise self._workers.too_late()

    @contextmanager
    def writing(self) -> Iterator[Index]:
        """Give the index to write to; after an error it is opened again, because then it writes no more."""
        writer = self._writer
        try:
            yield Index(writer, interrupt=self.check)
        except StoreError:
            self._open_again(writer)
            raise

    def _open_again(self, failed: Store) -> None:
        with self._lock:
            if self._again is None or self._writer is not failed:
                return
            with suppress(LookalikeError):
                self._writer = self._again()
                if failed is not self.store:  # from which others read
                    failed.close()

    # -- ending ------------------------------------------------------------------------------------------------------

    def end(self) -> None:
        """Have streams end, and work within a bounded time."""
        self.ending.set()
        self._workers.end()

    def close(self) -> bool:
        """Finish work that has begun, and close the index; tell whether all work has ended.

        What has not ended cannot be interrupted. It changes nothing, and it reads: the index is left open for it.
        """
        self.end()
        ended = self._workers.close(_CLOSING)
        ended = self.collection.close(_CLOSING) and ended
        if ended:
            for store in {id(one): one for one in (self._writer, self.store)}.values():
                store.close()
        return ended


def state_of(request: HTTPConnection) -> ServerState:
    """Return the state of the server that a request came to."""
    state: ServerState = request.app.state.lookalike
    return state
