"""What the requests of a server share: the index, the settings, and the threads that work on them."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from lookalike.errors import LookalikeError, StoreError
from lookalike.index import Index
from lookalike.server.collection import Collection
from lookalike.server.metrics import Metrics
from lookalike.server.problems import Problem
from lookalike.server.settings import ServerLimits, ServerSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import HTTPConnection

    from lookalike.index.contract import Store

    Result = TypeVar("Result")

__all__ = ["ServerLimits", "ServerSettings", "State", "state_of"]


class State:
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
        self.collection = Collection(self._whole, self)
        self._pool = ThreadPoolExecutor(self.limits.in_work, thread_name_prefix="lookalike")
        self._lock = threading.Lock()
        self._busy = 0

    # -- work --------------------------------------------------------------------------------------------------------

    async def run(self, function: Callable[..., Result], *args: Any) -> Result:
        """Run what takes long, or waits, on a thread: a problem if too many wait already, or it takes too long.

        What has begun goes on to its end all the same.
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
        """Finish what has begun, and close the index."""
        self.ending.set()
        self._pool.shutdown(wait=True)
        self.collection.close()
        for store in {id(one): one for one in (self._whole, self._listing, self._writer, self.store)}.values():
            store.close()


def state_of(request: HTTPConnection) -> State:
    """Return the state of the server that a request came to."""
    state: State = request.app.state.lookalike
    return state
