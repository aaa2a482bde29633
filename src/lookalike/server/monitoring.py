"""What a running server tells: JSON lines on standard error, and numbers for Prometheus; never a text or a token."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

__all__ = ["LOG", "METRICS_TYPE", "Metrics", "log_to_stderr", "shortened"]

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
