"""The reader processes, seen from lookalike: a few that live long, each replaced when it ends or grows old.

A process is started without fork, so threads do no harm; a thread waits for each. Nothing is kept between two passes
over a source, and a pool that is closed has ended all its processes.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from lookalike.documents.document_batches import Extracted, Flag, RefusedError
from lookalike.documents.extract import (
    LARGEST_FILE,
    LARGEST_TEXT,
    BrokenFrameError,
    receive,
    seconds_for,
    send,
    wall_seconds,
)
from lookalike.documents.kinds import Kind
from lookalike.documents.raw_input import LIMITS, Limits
from lookalike.errors import shows_tracebacks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Job", "Pool", "Reply", "extract", "request_for"]


# -- the processes -----------------------------------------------------------------------------------------------------

# Bytecode is not written, the environment does not matter, and modules come from where ours come from.
_PROGRAM: Final = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from lookalike.documents.extract.worker import main
main(int(sys.argv[2]))
"""
_DOCUMENTS_EACH: Final = 500
"""Documents after which a process is replaced: libraries leak."""
_MOST_ENDS: Final = 20
"""Members of one archive that may crash a process before the rest is skipped."""
_WAITING: Final = 8
"""Replies of one job that may wait to be taken."""
_TICK: Final = 0.2


@dataclass(frozen=True, slots=True)
class Reply:
    """A text, or why there is none."""

    name: str
    text: bytes | None = None
    flags: tuple[Flag, ...] = ()
    encoding: str = ""
    guessed: bool = False
    reason: str = ""
    detail: str = ""


@dataclass(slots=True)
class Job:
    """A document or an archive to be read, and what was read so far."""

    request: dict[str, Any]
    data: bytes = b""
    replies: queue.Queue[Reply | BaseException | None] = field(default_factory=lambda: queue.Queue(_WAITING))

    def __iter__(self) -> Iterator[Reply]:
        """Wait for the replies, and give them in their order."""
        while (reply := self.replies.get()) is not None:
            if isinstance(reply, BaseException):
                raise reply
            yield reply


class _ClosedError(Exception):
    """The pool was closed while work was going on."""


class Pool:
    """Readers at work; use it in a `with` statement."""

    def __init__(self, processes: int = 0, longest: float = inf) -> None:
        """Allow this many processes, by default as many as there are processors, up to four; none is started yet.

        A process that says nothing for `longest` seconds on the clock is ended, however large its document is.
        """
        self._most = processes or max(1, min(4, os.cpu_count() or 1))
        self.longest = longest
        self._jobs: deque[Job] = deque()
        self._change = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._readers: list[_Reader] = []
        self._idle = 0
        self._closed = False

    @property
    def processes(self) -> int:
        """How many documents are read at once."""
        return self._most

    def submit(self, request: dict[str, Any], data: bytes = b"") -> Job:
        """Have a document read; iterate over the job for what comes of it."""
        job = Job(request, data)
        with self._change:
            self._jobs.append(job)
            if not self._idle and len(self._threads) < self._most:
                reader = _Reader(self)
                self._readers.append(reader)
                self._threads.append(threading.Thread(target=self._work, args=(reader,), daemon=True))
                self._threads[-1].start()
            self._change.notify()
        return job

    def _work(self, reader: _Reader) -> None:
        while (job := self._next()) is not None:
            try:
                reader.run(job)
            except _ClosedError:
                return
            except BaseException as error:  # noqa: BLE001 - it is raised where the job is waited for
                self.put(job, error)
            self.put(job, None)
        reader.stop()

    def _next(self) -> Job | None:
        with self._change:
            self._idle += 1
            while not self._jobs and not self._closed:
                self._change.wait()
            self._idle -= 1
            return None if self._closed else self._jobs.popleft()

    def put(self, job: Job, reply: Reply | BaseException | None) -> None:
        """Hand a reply over; wait while too many are waiting."""
        while True:
            try:
                job.replies.put(reply, timeout=_TICK)
            except queue.Full:
                if self._closed:
                    raise _ClosedError from None
            else:
                return

    @property
    def closed(self) -> bool:
        """Whether all work has to stop."""
        return self._closed

    def close(self) -> None:
        """End all processes, whatever they are doing."""
        with self._change:
            self._closed = True
            self._jobs.clear()
            self._change.notify_all()
        for reader in self._readers:
            reader.stop()
        for thread in self._threads:
            thread.join(timeout=5)
        for reader in self._readers:
            reader.stop()

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, *error: object) -> None:
        """End."""
        self.close()


@dataclass(slots=True)
class _At:
    """What a process is reading: a document, or a member of an archive and its number."""

    name: str
    size: int
    number: int = 0
    between: bool = False
    """Whether it looks for the next member of the archive `name`."""


class _Reader:
    """One process after the other."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._served = 0
        self._expired = False

    def run(self, job: Job) -> None:
        """Run a job; after a member that crashed the process, an archive continues with the next."""
        ends = after = 0
        while True:
            at = _At(job.request["name"], job.request["size"])
            if self._one(job, after, at):
                return
            if self._pool.closed:
                raise _ClosedError
            self._pool.put(job, self._ended(at))
            after, ends = at.number, ends + 1
            if not after or at.between:
                return
            if ends >= _MOST_ENDS:
                detail = f"{ends} of its members crashed the reader; the rest is skipped"
                self._pool.put(job, Reply(job.request["name"], reason="damaged", detail=detail))
                return

    def _one(self, job: Job, after: int, at: _At) -> bool:
        """Send the job to a process and pass replies on, keeping `at`; False if it ended before it was done."""
        process = self._running()
        if process.stdin is None or process.stdout is None:  # cannot be: both are pipes
            raise _ClosedError
        self._expired = False
        try:
            with self._limit(at):
                send(process.stdin, job.request | {"after": after}, job.data)
            while True:
                # A limit for each message: a process that talks is alive.
                with self._limit(at):
                    head, body = receive(process.stdout, LARGEST_TEXT)
                if head["type"] == "end":
                    self._served += 1
                    return True
                if head["type"] == "begin":
                    at.name, at.size, at.number, at.between = head["name"], head["size"], head["number"], False
                    self._served += 1
                elif head["type"] == "between":
                    at.name, at.size, at.between = head["name"], head["size"], True
                else:
                    self._pool.put(job, _reply(head, body))
        except (BrokenFrameError, OSError, ValueError):
            return False

    @contextmanager
    def _limit(self, at: _At) -> Iterator[None]:
        timer = threading.Timer(self._wall_seconds(at), self._expire)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _wall_seconds(self, at: _At) -> float:
        return min(wall_seconds(seconds_for(at.size)), self._pool.longest)

    def _running(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._process is not None and (self._process.poll() is not None or self._served >= _DOCUMENTS_EACH):
                _end(self._process)
                self._process = None
            if self._pool.closed:
                raise _ClosedError
            if self._process is None:
                self._process = _started()
                self._served = 0
            return self._process

    def _expire(self) -> None:
        self._expired = True
        process = self._process
        if process is not None:
            process.kill()

    def _ended(self, at: _At) -> Reply:
        """Return why a process ended."""
        with self._lock:
            process, self._process = self._process, None
        rest = "; the rest of the archive is skipped" if at.between else ""
        code = 0
        if process is not None:
            _end(process)
            code = process.returncode
        if self._expired or code == -_signal("SIGXCPU"):
            detail = f"reading it took longer than {min(seconds_for(at.size), self._pool.longest):.0f} s{rest}"
            return Reply(at.name, reason="too slow", detail=detail)
        if code == -_signal("SIGKILL"):
            return Reply(at.name, reason="too large", detail=f"reading it took more memory than is available{rest}")
        detail = f"the reader crashed: the file is damaged or malicious{rest}"
        return Reply(at.name, reason="damaged", detail=detail)

    def stop(self) -> None:
        """End the process."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            _end(process)


def _reply(head: dict[str, Any], body: bytes) -> Reply:
    name = str(head["name"])
    if head["type"] == "skip":
        return Reply(name, reason=str(head["reason"]), detail=str(head["detail"]))
    body.decode("utf-8")  # what comes from the process of a reader is not believed
    flags = tuple(
        Flag(str(kind), str(detail), int(count), tuple((int(at), str(letter)[:1]) for at, letter in places))
        for kind, detail, count, places in head["flags"]
    )
    return Reply(name, body, flags, str(head["encoding"]), bool(head["guessed"]))


def _signal(name: str) -> int:
    import signal

    return int(getattr(signal, name, 0)) or 1 << 30


def _started() -> subprocess.Popen[bytes]:
    show = None if shows_tracebacks() else subprocess.DEVNULL
    # In a session of its own, Ctrl-C reaches lookalike alone, which then ends its readers. On Linux a reader also ends
    # with the thread that started it: that is the one that waits for it.
    return subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-I", "-B", "-X", "utf8", "-c", _PROGRAM, json.dumps(sys.path), str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=show,
        start_new_session=True,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        try:
            if stream is not None:
                stream.close()
        except OSError:
            continue  # what was not sent any more


# -- requests ----------------------------------------------------------------------------------------------------------


def request_for(
    name: str,
    kind: Kind,
    path: str | None,
    size: int,
    *,
    encoding: str = "auto",
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    hidden: bool = False,
    limits: Limits = LIMITS,
) -> dict[str, Any]:
    """Return the request for a document; without a path its bytes are sent along."""
    return {
        "name": name,
        "kind": kind.format,
        "compression": kind.compression,
        "path": None if path is None else os.path.abspath(path),  # noqa: PTH100 - the process has another folder
        "size": size,
        "encoding": encoding,
        "include": list(include),
        "exclude": list(exclude),
        "hidden": hidden,
        "limits": astuple(limits),
    }


# -- one document ------------------------------------------------------------------------------------------------------


def extract(
    document: str | os.PathLike[str] | bytes,
    kind: Kind | str,
    encoding: str = "auto",
    limits: Limits = LIMITS,
    longest: float = inf,
) -> Extracted:
    """Return the text of one document, a file or its bytes; `RefusedError` if there is none.

    A reader that takes longer than `longest` seconds is ended. For many documents use a `Pool`: this starts a process
    and ends it.
    """
    if isinstance(kind, str):
        kind = Kind(kind)
    data = document if isinstance(document, bytes) else b""
    path = None if isinstance(document, bytes) else os.fspath(document)
    size = len(data) if path is None else Path(path).stat().st_size
    if size > LARGEST_FILE:
        raise RefusedError("too large", f"a document may have up to {LARGEST_FILE >> 20} MiB")
    name = "the document" if path is None else path
    with Pool(1, longest) as pool:
        reply = next(iter(pool.submit(request_for(name, kind, path, size, encoding=encoding, limits=limits), data)))
    if reply.text is None:
        raise RefusedError(reply.reason, reply.detail)
    return Extracted(reply.text.decode("utf-8"), reply.flags, reply.encoding, reply.guessed)
