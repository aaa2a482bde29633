"""Four clients work on a server that is killed every two seconds; `history.py` judges what they saw."""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING, Final

import lookalike as la
from tests.server.history import ABSENT, History, Read, Write, problems_of
from tests.server.served import Served

if TYPE_CHECKING:
    from collections import Counter
    from pathlib import Path

__all__ = ["run_history"]

_CLIENTS: Final = 4
_LIFE: Final = 2.0
"""Seconds between two kills, about."""
_LEAST: Final = {"kills": 3, "acknowledged": 30}
"""What has to happen before it ends, however busy the machine is."""
_PATIENCE: Final = 240.0
_RETRIES: Final = (0, 0, 2, 5)
"""Of each client: those that repeat a request must not do anything twice."""
_UNANSWERED: Final = (la.ServerError, la.StoreError)
"""What a client sees of a server that is being killed."""


class _Words:
    """Texts of which no two have anything in common."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    def text(self, name: str, version: int) -> str:
        return " ".join([f"{name} version {version}", *(f"w{self._rng.getrandbits(64):x}" for _ in range(20))])


class _Worker(threading.Thread):
    """One client, and what it did."""

    def __init__(self, url: str, number: int, seed: int, stop: threading.Event, known: list[Write]) -> None:
        super().__init__(daemon=True)
        self._client = la.Client(url, timeout=10.0, retries=_RETRIES[number])
        self._rng, self._words = random.Random(f"{seed} {number}"), _Words(100 * seed + number)
        self._number, self._stop_asked, self._known = number, stop, known
        self._own: dict[str, str] = {}
        """Documents that may be there, with the last text that was sent."""
        self._made = 0
        self.history = History()
        self.failure: BaseException | None = None
        self.acknowledged = 0

    def run(self) -> None:
        try:
            while not self._stop_asked.is_set():
                self._step()
        except BaseException as error:  # noqa: BLE001 — the thread that waits for this one raises it
            self.failure = error

    def _step(self) -> None:
        draw = self._rng.random()
        if draw < 0.4 and self._known:
            self._query(self._rng.choice(self._known))
        elif draw < 0.55 and self._known:
            self._get(self._rng.choice(self._known).id)
        elif draw < 0.8 or not self._own:
            self._made += 1
            name = f"c{self._number}-{self._made}"
            self._write(name, self._words.text(name, 0), "add")
        elif draw < 0.92:
            name = self._rng.choice(sorted(self._own))
            self._made += 1
            self._write(name, self._words.text(name, self._made), "replace")
        else:
            self._write(self._rng.choice(sorted(self._own)), ABSENT, "remove")

    def _write(self, name: str, text: str | None, kind: str) -> None:
        write = Write(name, text, time.monotonic())
        self.history.writes.append(write)
        if text is None:
            self._own.pop(name)
        else:
            self._own[name] = text
            self._known.append(write)  # others may look for it while it is being sent
        try:
            if text is None:
                self._client.remove([name])
            elif kind == "add":
                self._client.add({name: text})
            else:
                self._client.replace({name: text})
        except _UNANSWERED:
            time.sleep(0.05)  # nobody may be there: not ten thousand times a second
        else:
            write.acknowledged = time.monotonic()
            self.acknowledged += 1

    def _query(self, about: Write) -> None:
        text, began = about.state or "", time.monotonic()
        try:
            hits = self._client.query(text)
        except _UNANSWERED:
            time.sleep(0.05)
            return
        ended = time.monotonic()
        assert set(hits.ids) <= {about.id}, f"{text[:24]!r} is like {hits.ids}"
        self.history.reads.append(Read(about.id, text, bool(hits), began, ended))

    def _get(self, name: str) -> None:
        began = time.monotonic()
        try:
            text: str | None = self._client.get(name)
        except KeyError:
            text = ABSENT
        except _UNANSWERED:
            time.sleep(0.05)
            return
        self.history.reads.append(Read(name, text, True, began, time.monotonic()))


def run_history(where: str, folder: Path, seconds: float, seed: int) -> Counter[str]:
    """Let clients work for so long, or longer; returns how much was tried, and fails on what cannot be true."""
    rng, stop = random.Random(seed), threading.Event()
    known: list[Write] = []
    began = time.monotonic()
    with Served(where, log=folder / "server.log") as served:
        workers = [_Worker(served.url, number, seed, stop, known) for number in range(_CLIENTS)]
        for worker in workers:
            worker.start()
        kills = 0
        while all(worker.is_alive() for worker in workers):
            acknowledged = sum(worker.acknowledged for worker in workers)
            enough = kills >= _LEAST["kills"] and acknowledged >= _LEAST["acknowledged"]
            if enough and time.monotonic() > began + seconds:
                break
            assert time.monotonic() < began + seconds + _PATIENCE, f"{kills} kills, {acknowledged} answers"
            time.sleep(_LIFE * rng.uniform(0.75, 1.25))
            served.kill()
            kills += 1
            served.start()
        stop.set()
        for worker in workers:
            worker.join(120.0)
            assert not worker.is_alive(), "a client hangs"
        assert served.stop() == 0, served.logged()[-2000:]
    for worker in workers:
        if worker.failure is not None:
            raise worker.failure
    history = History()
    for worker in workers:
        history = history.joined(worker.history)
    history = history.joined(_at_the_end(where, known))
    problems, seen = problems_of(history)
    assert not problems, f"seed {seed}, after {kills} kills:\n" + "\n".join(problems[:20])
    seen["kills"] = kills
    return seen


def _at_the_end(where: str, known: list[Write]) -> History:
    """Look at the index itself: whether it is well, and what is in it of all that was ever sent."""
    history = History()
    with la.Index.open(where, create=False) as index:
        check = index.verify()
        assert check.ok, check.problems
        began = time.monotonic()
        stored = {
            name: text
            for batch in index.documents().batches()
            for name, text in zip(batch.ids, batch.texts, strict=True)
        }
        ended = time.monotonic()
        history.reads += [Read(name, stored.get(name), True, began, ended) for name in {write.id for write in known}]
    assert set(stored) <= {write.id for write in known}, "documents that nobody has sent"
    return history
