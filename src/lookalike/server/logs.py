"""What a server writes to standard error: one JSON object a line, without texts and without tokens."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Any, Final

__all__ = ["LOG", "log_to_stderr", "shortened"]

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
