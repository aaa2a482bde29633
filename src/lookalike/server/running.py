"""A server from its start to its end."""

from __future__ import annotations

import asyncio
import signal
import socket
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

import uvicorn

from lookalike.errors import RecipeError
from lookalike.index.store_opening import open_existing
from lookalike.server.app import create_app
from lookalike.server.connections import protocol_with
from lookalike.server.guard import LONGEST_HEADER
from lookalike.server.logs import LOG, log_to_stderr
from lookalike.server.state import State
from lookalike.server.workers import run_workers

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from lookalike.server.settings import ServerSettings

__all__ = ["listening", "serve", "server_of"]

_SPARE = 5.0
"""Seconds beyond the longest request that an ending server waits."""


def serve(where: str, settings: ServerSettings, started: Callable[[str], None]) -> None:
    """Serve an index until the process is told to end; `started` is given the address."""
    open_existing(where).close()  # what is wrong with it is said before anything else happens
    with closing(listening(settings)) as listener:
        log_to_stderr()
        started(_address(settings.host, listener))
        if settings.workers == 1:
            _serve_here(where, settings, listener)
        else:
            run_workers(settings.workers, partial(_serve_here, where, settings, listener))


def listening(settings: ServerSettings) -> socket.socket:
    """Return a socket that listens already, so that whoever reads the address can connect."""
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
    server = server_of(State(again(), settings, again))
    LOG.info("", extra={"facts": {"event": "start"}})
    server.run(sockets=[listener])
    LOG.info("", extra={"facts": {"event": "end"}})


def server_of(state: State) -> uvicorn.Server:
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

    def __init__(self, config: uvicorn.Config, state: State) -> None:
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
