"""Numbers about a server for Prometheus: of one process, and never of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

__all__ = ["MEDIA_TYPE", "Metrics"]

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """What is counted."""

    def __init__(self) -> None:
        """Begin at nothing."""
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
        self._in_work = Gauge("lookalike_in_work", "Requests that are worked on.", registry=self._registry)
        self._documents = Gauge("lookalike_documents", "Documents in the index.", registry=self._registry)

    def working(self) -> AbstractContextManager[object]:
        """Count a request while it is worked on."""
        return self._in_work.track_inprogress()

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def shown(self, documents: int) -> bytes:
        """Return all numbers as Prometheus reads them."""
        self._documents.set(documents)
        return generate_latest(self._registry)
