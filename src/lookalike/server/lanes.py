"""The threads that work on requests: who has to wait for whom, and when work ends."""

from __future__ import annotations

import threading
import time
from collections import deque
from concurrent.futures import Future
from enum import Enum
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from lookalike.server.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ENDING", "Lane", "QueuedJob", "Workers"]

ENDING: Final = 15.0
"""Seconds that work in progress may still take when the server is to end."""


class Lane(Enum):
    """What a request asks for: a lane has a limit of its own, so that none fills all threads."""

    READ = "read"
    BATCH = "batch"
    """Several documents, or a large one."""
    WRITE = "write"
    WRITE_BATCH = "write batch"

    @property
    def writes(self) -> bool:
        """Whether the index is changed."""
        return self in (Lane.WRITE, Lane.WRITE_BATCH)


class QueuedJob:
    """Work that waits for a thread, or has one."""

    def __init__(self, work: Callable[[], Any], lane: Lane, number: int, deadline: float) -> None:
        """Take work without arguments; jobs are numbered as they come."""
        self.lane, self.number, self.deadline = lane, number, deadline
        self.future: Future[Any] = Future()
        self._work = work

    def run(self) -> None:
        """Work, unless it was cancelled before."""
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            result = self._work()
        except BaseException as error:  # noqa: BLE001 — whoever waits for it gets it
            self.future.set_exception(error)
        else:
            self.future.set_result(result)

    def abandon(self) -> None:
        """Have it never begin, or end where it next asks: nobody waits for it any more."""
        self.future.cancel()
        self.deadline = 0.0


class Workers:
    """Threads that take the oldest job of a lane that has room.

    At most half of them work on batches, and one on changes: a store takes one at a time, and the others would only
    wait for it. A change of one document comes before batches of them. Unlike those of `concurrent.futures`, these
    threads do not hold up the end of the process.
    """

    def __init__(self, threads: int, waiting: int, seconds: float, name: str = "lookalike") -> None:
        """Take how many work, how many jobs may wait for them, and how long one may take, its wait included."""
        self._threads, self._most, self._seconds, self._name = threads, threads + waiting, seconds, name
        self._waiting: dict[Lane, deque[QueuedJob]] = {lane: deque() for lane in Lane}
        self._running: list[QueuedJob] = []
        self._alive: list[threading.Thread] = []
        self._numbers = count()
        self._changed = threading.Condition()
        self._here = threading.local()
        self._closed = False
        self._last = float("inf")
        """When all work is to end."""

    def submit(self, work: Callable[[], Any], lane: Lane = Lane.READ) -> QueuedJob:
        """Have something done; a problem if too much waits already."""
        with self._changed:
            for lane_, jobs in self._waiting.items():  # those that nobody waits for take no place
                self._waiting[lane_] = deque(job for job in jobs if not job.future.cancelled())
            if self._closed:
                raise _ending()
            if len(self._running) + sum(map(len, self._waiting.values())) >= self._most:
                raise Problem(503, "too many requests are waiting; try again", headers={"retry-after": "1"})
            job = QueuedJob(work, lane, next(self._numbers), time.monotonic() + self._seconds)
            self._waiting[lane].append(job)
            if len(self._alive) < self._threads:
                self._start()
            self._changed.notify_all()
            return job

    def _start(self) -> None:
        thread = threading.Thread(target=self._work, name=f"{self._name}-{len(self._alive)}", daemon=True)
        self._alive.append(thread)
        thread.start()

    def _work(self) -> None:
        while (job := self._next()) is not None:
            self._here.job = job
            job.run()
            self._here.job = None
            with self._changed:
                self._running.remove(job)
                self._changed.notify_all()

    def _next(self) -> QueuedJob | None:
        """Wait for a job; None at the end."""
        with self._changed:
            while True:
                first = [jobs[0] for lane, jobs in self._waiting.items() if jobs and self._has_room(lane)]
                if first:
                    job = min(first, key=lambda job: job.number)
                    self._waiting[job.lane].popleft()
                    self._running.append(job)
                    return job
                if self._closed:
                    return None
                self._changed.wait()

    def _has_room(self, lane: Lane) -> bool:
        if lane.writes and any(job.lane.writes for job in self._running):
            return False
        if lane is Lane.WRITE_BATCH and self._waiting[Lane.WRITE]:
            return False
        batches = sum(job.lane in (Lane.BATCH, Lane.WRITE_BATCH) for job in self._running)
        return lane in (Lane.READ, Lane.WRITE) or batches < max(1, self._threads // 2)

    # -- ends --------------------------------------------------------------------------------------------------------

    def check(self) -> None:
        """End the job of this thread if its time is over: long work calls this again and again."""
        job: QueuedJob | None = getattr(self._here, "job", None)
        if job is None:
            return
        now = time.monotonic()
        if now >= job.deadline:
            raise self.too_late()
        if now >= self._last:
            raise _ending()

    def too_late(self) -> Problem:
        """Return what is said of work that takes too long."""
        return Problem(504, f"this took longer than {self._seconds:g} s; ask for less at once, or try again")

    def end(self, seconds: float = ENDING) -> None:
        """Have all work end within some seconds."""
        self._last = min(self._last, time.monotonic() + seconds)

    def close(self, seconds: float) -> bool:
        """Take no more jobs; tell whether all have ended so many seconds after they were to."""
        self.end()
        until = self._last + seconds
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for thread in self._alive:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._alive)


def _ending() -> Problem:
    return Problem(503, "the server is shutting down; send this again", headers={"retry-after": "2"})
