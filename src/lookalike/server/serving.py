"""A server from its start to its end: its processes, its connections and their limits."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import time
from contextlib import closing, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from lookalike.errors import RecipeError
from lookalike.index.store_opening import open_existing
from lookalike.server.application import create_app
from lookalike.server.guard import HEADERS, LONGEST_HEADER
from lookalike.server.problems import MEDIA_TYPE, Problem
from lookalike.server.server_state import LOG, ServerState, log_to_stderr

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from lookalike.server import ServerLimits, ServerSettings

__all__ = ["listening", "protocol_with", "run_workers", "serve", "server_of"]

# -- connections -------------------------------------------------------------------------------------------------------

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
        self._refuse(Problem(400, "this is not a readable HTTP request"))

    def _start_clock(self) -> None:
        self._clock = self.loop.call_later(self.limits.header_seconds, self._too_slow)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _too_slow(self) -> None:
        self._clock = None
        if not self.transport.is_closing():
            self._refuse(Problem(408, f"the headers took longer to arrive than {self.limits.header_seconds:g} s"))

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


# -- processes ---------------------------------------------------------------------------------------------------------

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
_PAUSE: Final = 1.0
"""Seconds before a worker that has died is replaced."""


def run_workers(count: int, work: Callable[[], None]) -> None:
    """Run this many processes until this one is stopped; one that dies is replaced."""
    if not hasattr(os, "fork"):
        raise RecipeError("--workers", count, "1 on this system")
    ending = False
    running: set[int] = set()

    def end(number: int, frame: FrameType | None) -> None:
        nonlocal ending
        del number, frame
        ending = True
        for pid in running:
            _send(pid, signal.SIGTERM)  # Ctrl-C reaches them too, and a second one would mean: at once

    before = {number: signal.signal(number, end) for number in _SIGNALS}
    try:
        for _ in range(count):
            running.add(_start(work))
        while running:
            pid, status = os.wait()
            running.discard(pid)
            if not ending:
                LOG.error("", extra={"facts": {"event": "worker-died", "status": os.waitstatus_to_exitcode(status)}})
                time.sleep(_PAUSE)
            if not ending:
                running.add(_start(work))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _start(work: Callable[[], None]) -> int:
    """Start a worker; signals that arrive meanwhile wait, so that they reach it too."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        pid = os.fork()
        if pid == 0:
            _be_worker(work)
        return pid
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


def _be_worker(work: Callable[[], None]) -> None:
    status = 1
    try:
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        work()
        status = 0
    except Exception:  # noqa: BLE001 — what a worker died of is for the log
        LOG.exception("", extra={"facts": {"event": "worker-failed"}})
    finally:
        os._exit(status)


def _send(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


# -- the server --------------------------------------------------------------------------------------------------------

_SPARE = 5.0
"""Seconds beyond the longest request that an ending server waits."""


def serve(where: str, settings: ServerSettings, started: Callable[[str], None]) -> None:
    """Serve an index until the process is stopped; `started` is called with the address."""
    open_existing(where).close()  # what is wrong with it is said before anything else happens
    with closing(listening(settings)) as listener:
        log_to_stderr()
        started(_address(settings.host, listener))
        if settings.workers == 1:
            _serve_here(where, settings, listener)
        else:
            run_workers(settings.workers, partial(_serve_here, where, settings, listener))


def listening(settings: ServerSettings) -> socket.socket:
    """Return a socket that is already listening, so that a client that reads the address can connect."""
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        listener = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise _cannot_listen(settings, error) from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2 * settings.limits.connections)
    except OSError as error:
        listener.close()
        raise _cannot_listen(settings, error) from None
    return listener


def _cannot_listen(settings: ServerSettings, error: Exception) -> RecipeError:
    given = f"{settings.host}:{settings.port}"
    reason = getattr(error, "strerror", None) or "no such name"
    return RecipeError("--host and --port", given, "a free address of this machine", f"it cannot be used ({reason})")


def _address(host: str, listener: socket.socket) -> str:
    port = listener.getsockname()[1]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _serve_here(where: str, settings: ServerSettings, listener: socket.socket) -> None:
    """Serve in this process."""
    again = partial(open_existing, where)
    server = server_of(ServerState(again(), settings, again))
    LOG.info("", extra={"facts": {"event": "start"}})
    server.run(sockets=[listener])
    LOG.info("", extra={"facts": {"event": "end"}})


def server_of(state: ServerState) -> uvicorn.Server:
    """Return a server that is ready to run; it closes the state when it ends."""
    limits = state.limits
    config = uvicorn.Config(
        create_app(state),
        http=protocol_with(limits),
        loop="asyncio",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=LONGEST_HEADER,
        timeout_graceful_shutdown=int(limits.seconds + limits.body_seconds + _SPARE),
    )
    return _Server(config, state)


class _Server(uvicorn.Server):
    """A server that tells streams when it is to end, and then ends as one that has done its work."""

    def __init__(self, config: uvicorn.Config, state: ServerState) -> None:
        super().__init__(config)
        self._lookalike = state

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop taking requests; a second Ctrl-C does not wait for those that are there."""
        del frame
        self._lookalike.ending.set()
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer what is there, finish what has begun, and close the index."""
        await super().shutdown(sockets)
        await asyncio.to_thread(self._lookalike.close)
