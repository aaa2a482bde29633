"""A server from its start to its end: its processes, its connections and their limits."""

from __future__ import annotations

import asyncio
import ctypes
import ipaddress
import json
import os
import signal
import socket
import sys
import time
from collections import Counter
from contextlib import closing, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from lookalike.errors import RecipeError
from lookalike.index.store_opening import open_existing
from lookalike.server import is_loopback
from lookalike.server.application import create_app
from lookalike.server.guard import HEADERS, LONGEST_HEADER
from lookalike.server.lanes import ENDING
from lookalike.server.problems import MEDIA_TYPE, Problem
from lookalike.server.server_state import LOG, ServerState, log_to_stderr

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from lookalike.server import ServerLimits, ServerSettings

__all__ = ["LookalikeServer", "listening", "protocol_with", "run_workers", "serve", "server_of"]

# -- connections -------------------------------------------------------------------------------------------------------

_LINGER = 1.0
"""Seconds until a refused connection is closed, unless the client closes it before."""
_PHRASES = {400: "Bad Request", 408: "Request Timeout", 503: "Service Unavailable"}


def protocol_with(limits: ServerLimits) -> type[LimitedProtocol]:
    """Return the protocol of connections with these limits."""
    return type("LimitedProtocol", (LimitedProtocol,), {"limits": limits, "beginning": Counter(), "refused": set()})


class LimitedProtocol(H11Protocol):
    """HTTP/1.1 of uvicorn, which lets a client take any time over its headers, with a clock."""

    limits: ClassVar[ServerLimits]
    beginning: ClassVar[Counter[str]]
    """Connections of each network whose headers are awaited."""
    refused: ClassVar[set[LimitedProtocol]]
    """Connections that were refused and are read until they are closed: they take no place."""
    _clock: asyncio.TimerHandle | None = None
    _network = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, unless there are too many; one that waits for nothing makes place for it."""
        super().connection_made(transport)
        if len(self.connections) - len(self.refused) > self.limits.connections:
            others = (other for other in self.connections if isinstance(other, LimitedProtocol))
            idle = next((other for other in others if other.is_idle()), None)
            if idle is None:
                self._refuse(_too_many("there are too many connections; try again"))
                return
            self.refused.add(idle)
            idle.transport.close()
        self._start_clock()

    def is_idle(self) -> bool:
        """Tell whether the last request was answered, and the next has not begun."""
        is_answered = self.cycle is not None and self.cycle.response_complete  # type: ignore[redundant-expr]
        return is_answered and self._clock is None and self not in self.refused

    def data_received(self, data: bytes) -> None:
        """Take what came; the clock runs while headers are awaited."""
        if self in self.refused or self.transport.is_closing():
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
        self.refused.discard(self)
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        del msg
        self._refuse(Problem(400, "this is not a readable HTTP request"))

    def _start_clock(self) -> None:
        """Await headers: not of any number of connections of one client, or there would be none left for others."""
        address = self.client[0] if self.client else "localhost"
        if not is_loopback(address) and self.beginning[_network(address)] >= self.limits.beginning:
            self._refuse(_too_many("your address has too many connections without a request; try again"))
            return
        self._network = _network(address)
        self.beginning[self._network] += 1
        self._clock = self.loop.call_later(self.limits.header_seconds, self._too_slow)

    def _stop_clock(self) -> None:
        if self._clock is None:
            return
        self._clock.cancel()
        self._clock = None
        self.beginning[self._network] -= 1
        if not self.beginning[self._network]:
            del self.beginning[self._network]

    def _too_slow(self) -> None:
        self._stop_clock()
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
        if len(self.refused) >= self.limits.connections:
            self.transport.close()
            return
        self.refused.add(self)
        # To close while bytes are unread would take the answer from its reader; they are read, and dropped.
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.loop.call_later(_LINGER, self.transport.close)


def _too_many(detail: str) -> Problem:
    return Problem(503, detail, headers={"retry-after": "1"})


def _network(address: str) -> str:
    """Return what stands for one client: of IPv6 the first half of the address, because the second is anybody's choice.

    >>> _network("192.0.2.7"), _network("2001:db8::7"), _network("2001:db8::8%eth0")
    ('192.0.2.7', '2001:db8::/64', '2001:db8::/64')
    """
    if ":" not in address:
        return address
    long = ipaddress.IPv6Address(address.partition("%")[0])
    return str(long.ipv4_mapped or ipaddress.ip_network((long, 64), strict=False))


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

_SPARE = 3.0
"""Seconds for the answers of work that an ending server has finished or interrupted."""


_TURN: Final = 0.0005
"""Seconds for which one thread may keep others from Python: a small request has many short turns."""


_ARENA_MAX: Final = -8
"""What malloc.h calls it."""


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
    sys.setswitchinterval(_TURN)
    _share_heaps()
    again = partial(open_existing, where)
    server = server_of(ServerState(again(), settings, again))
    LOG.info("", extra={"facts": {"event": "start"}})
    server.run(sockets=[listener])
    LOG.info("", extra={"facts": {"event": "end"}})
    if not server.all_ended:
        os._exit(0)  # what still computes in the core cannot be interrupted, and must not meet a Python that is gone


def _share_heaps() -> None:
    """Have threads share as many heaps as there are processors, where the C library is glibc.

    By default each thread gets a heap of its own, which keeps what a large request has freed: a server that had checked
    eight large documents held twice the memory.
    """
    with suppress(OSError, AttributeError, TypeError):  # another C library
        if "MALLOC_ARENA_MAX" not in os.environ:
            ctypes.CDLL(None).mallopt(_ARENA_MAX, os.cpu_count() or 1)


def server_of(state: ServerState) -> LookalikeServer:
    """Return a server that is ready to run; it closes the state when it ends."""
    config = uvicorn.Config(
        create_app(state),
        http=protocol_with(state.limits),
        loop="asyncio",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=LONGEST_HEADER,
        timeout_graceful_shutdown=int(ENDING + _SPARE),
    )
    return LookalikeServer(config, state)


class LookalikeServer(uvicorn.Server):
    """A server that tells streams when it is to end, and then ends as one that has done its work."""

    def __init__(self, config: uvicorn.Config, state: ServerState) -> None:
        super().__init__(config)
        self._lookalike = state
        self.all_ended = True
        """Whether no work goes on after the end."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop taking requests; a second Ctrl-C does not wait for those that are there."""
        del frame
        self._lookalike.end()
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer what is there, finish what has begun, and close the index."""
        await super().shutdown(sockets)
        self.all_ended = await asyncio.to_thread(self._lookalike.close)
