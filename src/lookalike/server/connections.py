"""Connections: how many there may be, and how long each may take over the headers of a request."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from lookalike.server.guard import HEADERS
from lookalike.server.problems import MEDIA_TYPE, Problem

if TYPE_CHECKING:
    import asyncio

    from lookalike.server.settings import ServerLimits

__all__ = ["protocol_with"]

_LINGER = 1.0
"""Seconds until a refused connection is closed, unless the client closes it before."""
_PHRASES = {400: "Bad Request", 408: "Request Timeout", 503: "Service Unavailable"}


def protocol_with(limits: ServerLimits) -> type[LimitedProtocol]:
    """Return the protocol of connections with these limits."""
    return type("LimitedProtocol", (LimitedProtocol,), {"limits": limits})


class LimitedProtocol(H11Protocol):
    """HTTP/1.1 of uvicorn, which lets a client take any time over its headers, with a clock."""

    limits: ClassVar[ServerLimits]
    _clock: asyncio.TimerHandle | None = None
    _refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, unless there are too many."""
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            self._refuse(Problem(503, "there are too many connections; try again", headers={"retry-after": "1"}))
            return
        self._start_clock()

    def data_received(self, data: bytes) -> None:
        """Take what came; the clock runs while headers are awaited."""
        if self._refused or self.transport.is_closing():
            return
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:  # type: ignore[redundant-expr]
            self._stop_clock()
        elif self._clock is None:
            self._start_clock()

    def on_response_complete(self) -> None:
        """Go on; the beginning of the next request may be there already."""
        super().on_response_complete()
        begun = bool(self.conn.trailing_data[0]) and self.cycle.response_complete
        if begun and self._clock is None and not self.transport.is_closing():
            self._unset_keepalive_if_required()
            self._start_clock()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._stop_clock()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        del msg
        self._refuse(Problem(400, "this is no HTTP request that can be read"))

    def _start_clock(self) -> None:
        self._clock = self.loop.call_later(self.limits.header_seconds, self._too_slow)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _too_slow(self) -> None:
        self._clock = None
        if not self.transport.is_closing():
            self._refuse(Problem(408, f"the headers took longer than {self.limits.header_seconds:g} s"))

    def _refuse(self, problem: Problem) -> None:
        """Answer without the application, and close."""
        self._stop_clock()
        body = json.dumps(problem.to_dict()).encode("ascii")
        headers: dict[str, Any] = {
            "content-type": MEDIA_TYPE,
            "content-length": len(body),
            "connection": "close",
            **HEADERS,
            **problem.headers,
        }
        lines = [f"HTTP/1.1 {problem.status} {_PHRASES[problem.status]}", *(f"{n}: {v}" for n, v in headers.items())]
        self.transport.write("\r\n".join([*lines, "", ""]).encode("ascii") + body)
        self._refused = True
        # To close while bytes are unread would take the answer from its reader; they are read, and dropped.
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.loop.call_later(_LINGER, self.transport.close)
