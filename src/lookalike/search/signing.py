"""Signatures made while the collection is still being read, so that no core waits for another."""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING, Final, Self

from lookalike import _native

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from lookalike._native import Settings
    from lookalike.search.load import Packed

__all__ = ["Signing"]

_QUEUED: Final = 2
"""Batches that may wait for each thread: enough that none idles when the caller is busy for a while."""

_ENOUGH: Final = 16 << 20
"""Characters that are handed over at once: each time costs a thread some waiting."""

_PART: Final = 4 << 20
"""Characters of the pieces in which they come; larger ones are cut, unless they are one text."""


class Signing:
    """Signs on threads of its own what the caller reads; use it in a `with` statement.

    The caller does the reading, because documents may come from anywhere, and not everything may be used on another
    thread than its maker's. Where it reads faster than the others sign, it signs as well.
    """

    def __init__(self, settings: Settings, ignored: list[int], threads: int, *, wanted: Callable[[int], bool]) -> None:
        """`wanted` says whether a collection of so many characters, or more, will need signatures."""
        self._settings, self._ignored = settings, ignored
        self._count = threads
        self._wanted = wanted
        self._threads: list[threading.Thread] = []
        self._error: BaseException | None = None
        self._batches = self._size = self._waiting_size = 0
        self._waiting: list[Packed] = []
        self.documents = 0
        """How many were taken."""
        self.seconds = 0.0
        """How long the caller signed, or waited for the others to do so."""

    def add(self, texts: Packed, size: int) -> None:
        """Take the next texts, of so many characters."""
        self._raise()
        self.documents += texts[3]
        self._size += size
        self._waiting += _parts(texts, size)
        self._waiting_size += size
        if self._waiting_size >= _ENOUGH and (self._threads or self._start()):
            started = time.perf_counter()
            self._hand_over()
            self.seconds += time.perf_counter() - started

    def finish(self) -> _native.Signer | None:
        """See to the rest; return what is signed, or None if nothing was."""
        if not self._threads:
            return None
        started = time.perf_counter()
        if self._waiting:
            self._hand_over()
        while self._error is None and self._sign_one():
            pass
        self._end()
        self.seconds += time.perf_counter() - started
        self._raise()
        return self._signer

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error

    def _start(self) -> bool:
        """Start the threads, unless signatures are not wanted or there is one core for all."""
        if self._count == 1 or not self._wanted(self._size):
            return False
        self._count = self._count or _native.build_info()["threads"]
        self._signer = _native.Signer(self._settings, self._ignored)
        self._queue: queue.Queue[tuple[int, list[Packed]] | None] = queue.Queue(_QUEUED * self._count)
        for number in range(1, self._count):  # the caller is one of them
            thread = threading.Thread(target=self._work, name=f"lookalike-signing-{number}", daemon=True)
            thread.start()
            self._threads.append(thread)
        return bool(self._threads)

    def _end(self) -> None:
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join()
        self._threads = []

    def _hand_over(self) -> None:
        step = -(-len(self._waiting) * _ENOUGH // max(_ENOUGH, self._waiting_size))
        for start in range(0, len(self._waiting), step):
            self._put((self._batches, self._waiting[start : start + step]))
            self._batches += 1
        self._waiting, self._waiting_size = [], 0

    def _put(self, batch: tuple[int, list[Packed]]) -> None:
        while True:
            try:
                return self._queue.put_nowait(batch)
            except queue.Full:
                self._sign_one()

    def _sign_one(self) -> bool:
        """Sign a batch that waits; False if there is none."""
        try:
            batch = self._queue.get_nowait()
        except queue.Empty:
            return False
        return self._sign(batch)

    def _sign(self, batch: tuple[int, list[Packed]] | None) -> bool:
        if batch is not None and self._error is None:
            try:
                self._signer.add(*batch)
            except BaseException as error:  # noqa: BLE001 — it is raised where the caller is
                self._error = error
        return batch is not None

    def _work(self) -> None:
        while self._sign(self._queue.get()):
            pass

    def __enter__(self) -> Self:
        """Nothing is started before there is something to sign."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """End the threads, also where reading failed."""
        if self._threads:
            self._error = self._error or error  # so that nothing more is signed
            self._signer.stop()
            self._end()


def _parts(texts: Packed, size: int) -> list[Packed]:
    offsets, data, first, count = texts
    step = max(1, count * _PART // max(1, size))
    return [(offsets, data, first + start, min(step, count - start)) for start in range(0, count, step)]
