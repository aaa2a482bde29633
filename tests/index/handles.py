"""What a process does that has an index open several times: the locks of SQLite belong to the process, not to a handle.

Closing any descriptor of a file drops all locks that the process holds on it (POSIX). A process that works with one
handle never notices.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Final

import lookalike as la
from tests.index.batches import SIZE, Journal, Writer, text_of, whole_batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lookalike.tables.packed import Id

__all__ = ["COMMANDS", "JOBS"]

_WEIGHTS: Final = {
    "change": 60,
    "read": 10,
    "query": 8,
    "begin_list": 4,
    "open": 8,
    "close": 8,
    "reopen": 4,
    "compact": 2,
    "verify": 2,
    "info": 2,
    "backup": 1,
}


class _Session:
    """The handles of one thread, and what it does with them; the first handle only reads."""

    def __init__(
        self, where: str, journal: Journal, number: int, *, without: list[str], maximum: int, seed: int
    ) -> None:
        self._where, self._journal, self._maximum = where, journal, maximum
        self._minimum = maximum // 2
        self._writer = Writer(journal, number)
        weights = {name: weight for name, weight in _WEIGHTS.items() if name not in without}
        self._names, self._weights = list(weights), list(weights.values())
        self._rng = random.Random(seed)
        self._handles: list[la.Index] = []
        self._half_read: Iterator[Id] = iter(())

    def run(self, ending: threading.Event) -> None:
        while len(self._handles) < self._minimum:
            self.open()
        while not ending.is_set():
            (name,) = self._rng.choices(self._names, self._weights)
            getattr(self, name)()
        if self._rng.random() < 0.5:  # some programs end without closing anything
            for handle in self._handles:
                handle.close()

    def _any(self) -> la.Index:
        return self._rng.choice(self._handles)

    def _for_changes(self) -> la.Index:
        return self._rng.choice(self._handles[1:] or self._handles)

    def open(self) -> None:
        if len(self._handles) < self._maximum:
            self._handles.append(la.Index.open(self._where, create=False))
            self._journal.note_handles(len(self._handles))

    def close(self) -> None:
        if len(self._handles) > self._minimum:
            self._journal.note_handles(len(self._handles) - 1)
            self._handles.pop(self._rng.randrange(len(self._handles))).close()

    def reopen(self) -> None:
        self.close()
        self.open()

    def change(self) -> None:
        self._writer.change(self._for_changes(), self._rng)

    def read(self) -> None:
        self._writer.check(whole_batches(self._any()))

    def query(self) -> None:
        seen = list(whole_batches(self._any()).items())
        for (number, batch), version in self._rng.sample(seen, min(len(seen), 2)):
            hits = self._any().query(text_of(number, batch, version, 0), threads=1)
            assert len(hits) in (0, SIZE), f"{len(hits)} hits of batch {batch}"

    def begin_list(self) -> None:
        """Read one id, and leave it at that until the next list begins."""
        self._half_read = self._any().ids()
        next(self._half_read, None)

    def compact(self) -> None:
        self._for_changes().compact()

    def verify(self) -> None:
        check = self._any().verify()
        assert check.ok, check.problems

    def info(self) -> None:
        assert self._any().info()["bytes"] > 0

    def backup(self) -> None:
        copy = Path(f"{self._journal.path}-{os.getpid()}.db")
        self._any().backup(copy)
        with la.Index.open(copy, create=False) as index:
            assert index.verify().ok
            self._writer.check(whole_batches(index))
        for file in copy.parent.glob(f"{copy.name}*"):
            file.unlink()


def use_handles(where: str, journals: list[str], numbers: list[int], without: list[str], seed: int) -> None:
    """Work until SIGTERM with two to four handles: of one thread, or of two with one or two each.

    Of all that a session can do, it never does what is named in `without`.
    """
    ending = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ending.set())
    maximum = 4 // len(journals)
    threads = []
    for journal, number in zip(journals, numbers, strict=True):
        session = _Session(where, Journal(journal), number, without=without, maximum=maximum, seed=seed + number)
        threads.append(threading.Thread(target=_guarded, args=(session.run, ending), daemon=True))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _guarded(work: Callable[[threading.Event], None], ending: threading.Event) -> None:
    """Work; an error ends the process, as it would if there were no other thread."""
    try:
        work(ending)
    except BaseException:  # noqa: BLE001 — whatever it is
        traceback.print_exc()
        os._exit(1)


COMMANDS: Final = ("open", "info", "list", "query", "verify", "compact", "backup")
"""What a process does that opens the index once, and ends."""


def use_once(where: str, command: str, target: str) -> None:
    """Do one thing, as a command does."""
    with la.Index.open(where, create=False) as index:
        if command == "info":
            assert index.info()["bytes"] > 0
        elif command == "list":
            whole_batches(index)
        elif command == "query":
            index.query(text_of(0, 0, 0, 0), threads=1)
        elif command == "verify":
            check = index.verify()
            assert check.ok, check.problems
        elif command == "compact":
            index.compact()
        elif command == "backup":
            index.backup(target)


JOBS: dict[str, Callable[..., None]] = {"use_handles": use_handles, "use_once": use_once}
