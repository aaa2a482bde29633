"""Clients work with servers while commands run beside them, and all are killed; `history.py` judges what they saw."""

from __future__ import annotations

import itertools
import json
import random
import signal
import threading
import time
import urllib.request
from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

import lookalike as la
from tests.index.workload import contents
from tests.server.commands import end_program
from tests.server.history import ABSENT, History, Read, Write, problems_of
from tests.server.served import Served

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from tests.server.commands import Forks, Program

__all__ = ["run_history"]

_CLIENTS: Final = 4
_BATCH: Final = 5
"""Documents that a command adds."""
_PAUSE: Final = 0.12
"""Seconds from the start of a command to the next thing that happens, at most: most commands take as long."""
_ENOUGH: Final = 30
"""Acknowledged writes, however busy the machine is."""
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


class _Commands:
    """One command after the other, and what those that write have done."""

    def __init__(self, where: str, folder: Path, forks: Forks, seed: int, known: list[Write]) -> None:
        self._where, self._folder, self._forks, self._known = where, folder, forks, known
        self._rng, self._words = random.Random(f"{seed} commands"), _Words(100 * seed + 99)
        self._names = (f"k-{number}" for number in itertools.count())
        self._files = (folder / f"file-{number}" for number in itertools.count())
        self._documents: list[str] = []
        """Documents that may be there."""
        self._unfinished: list[list[str]] = []
        """Those of each `index add` that was killed."""
        self._writes: list[Write] = []
        self._program: Program | None = None
        self._copy: Path | None = None
        self._name, self._began = "", 0.0
        self.history = History()
        self.seen = Counter[str]()

    def start(self) -> None:
        """Start a command."""
        self._name = self._rng.choice(("add", "add", "check", "remove", "compact", "verify", "info", "backup"))
        self._writes, self._copy = [], None
        arguments = getattr(self, f"_{self._name}")()
        self._began = time.monotonic()
        for write in self._writes:
            write.began = self._began
        self.history.writes += self._writes
        self._known += [write for write in self._writes if write.state is not None]
        self._program = self._forks.spawn(arguments, self._folder / "printed", self._folder / "complaints")

    def _new_documents(self) -> str:
        names = list(itertools.islice(self._names, _BATCH))
        texts = {name: self._words.text(name, 0) for name in names}
        self._writes = [Write(name, text, 0.0) for name, text in texts.items()]
        self._documents += names
        file = next(self._files).with_suffix(".jsonl")
        file.write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in texts.items()))
        return str(file)

    def _add(self) -> list[str]:
        return ["index", "add", self._where, self._new_documents()]

    def _check(self) -> list[str]:
        return ["check", self._new_documents(), "--add", "--index", self._where]

    def _remove(self) -> list[str]:
        names = self._rng.sample(self._documents, min(len(self._documents), 3)) or ["nobody"]
        self._documents = [name for name in self._documents if name not in names]
        self._writes = [Write(name, ABSENT, 0.0) for name in names]
        return ["index", "remove", self._where, *names]

    def _compact(self) -> list[str]:
        return ["index", "compact", self._where]

    def _verify(self) -> list[str]:
        return ["index", "verify", self._where]

    def _info(self) -> list[str]:
        return ["index", "info", self._where]

    def _backup(self) -> list[str]:
        self._copy = next(self._files).with_suffix(".db")
        return ["index", "backup", self._where, str(self._copy)]

    def end(self, *, kill: bool) -> bool:
        """Wait for the end of the command, or kill it; returns whether it was killed."""
        assert self._program is not None
        code = end_program(self._program, signal.SIGKILL if kill else None)
        ended = time.monotonic()
        if code == -signal.SIGKILL:
            self.seen["kills of a command"] += 1
            if self._name == "add":
                self._unfinished.append([write.id for write in self._writes])
                # What is looked at as a whole at the end is never removed.
                self._documents = [name for name in self._documents if name not in self._unfinished[-1]]
            return True
        assert code == 0, f"{self._name} ended with {code}: {(self._folder / 'complaints').read_text()[-2000:]}"
        self.seen[self._name] += 1
        for write in self._writes:
            write.acknowledged = ended
        if self._copy is not None:
            self.history.reads += _stored(str(self._copy), self._known, self._began)
        return False

    def check_unfinished(self, stored: Collection[str]) -> None:
        """Fail if a command that was killed has added a part of its documents."""
        for names in self._unfinished:
            there = [name for name in names if name in stored]
            assert len(there) in (0, len(names)), f"of {names}, which one command added, there are {there}"


def _stored(where: str, known: list[Write], began: float | None = None) -> list[Read]:
    """Open an index, check it, and look for all that was ever sent."""
    names = {write.id for write in list(known)}
    with la.Index.open(where, create=False) as index:
        check = index.verify()
        assert check.ok, f"{where}: {check.problems}"
        began = time.monotonic() if began is None else began
        stored = contents(index)
        ended = time.monotonic()
    # What was sent meanwhile may be there too.
    unknown = stored.keys() - {write.id for write in list(known)}
    assert not unknown, f"{where}: documents that nobody has sent: {sorted(unknown)[:5]}"
    return [Read(name, stored.get(name), True, began, ended) for name in sorted(names)]


class _Trial:
    """Servers, clients and commands at one index."""

    def __init__(self, where: str, folder: Path, seed: int, forks: Forks, servers: list[Served]) -> None:
        self._where, self._folder, self._seed, self._servers = where, folder, seed, servers
        self._rng, self._stop = random.Random(seed), threading.Event()
        self._known: list[Write] = []
        self._commands = _Commands(where, folder, forks, seed, self._known)
        self._workers = [
            _Worker(servers[number % len(servers)].url, number, seed, self._stop, self._known)
            for number in range(_CLIENTS)
        ]
        self._seen = Counter[str]()

    def run(self, kills: int) -> Counter[str]:
        """Go on until so many processes have been killed."""
        began = time.monotonic()
        for worker in self._workers:
            worker.start()
        try:
            while self._seen["kills"] < kills or sum(worker.acknowledged for worker in self._workers) < _ENOUGH:
                assert time.monotonic() < began + _PATIENCE + kills, f"too slow: {self._seen}"
                self._turn()
                if self._seen["turns"] % 10 == 0:
                    self._judge()
        finally:
            self._stop.set()
        for worker in self._workers:
            worker.join(120.0)
            assert not worker.is_alive(), "a client hangs"
        for server in self._servers:
            assert server.stop() == 0, server.logged()[-2000:]
        self._seen += self._commands.seen + self._judge()
        return self._seen

    def _turn(self) -> None:
        """Start a command; a server or the command is killed, or all servers are started again in turn."""
        self._commands.start()
        time.sleep(self._rng.uniform(0.0, _PAUSE))
        (event,) = self._rng.choices(("server", "command", "restart", ""), (40, 35, 10, 15))
        if event == "server":
            server = self._rng.choice(self._servers)
            server.kill()
            server.start()
            self._seen.update(["kills", "kills of a server"])
        elif event == "restart":
            for server in self._servers:
                assert server.stop() == 0, server.logged()[-2000:]
                server.start()
                self._seen["restarts"] += 1
        self._seen["kills"] += self._commands.end(kill=event == "command")
        self._seen["turns"] += 1
        for server in self._servers:
            _check_ready(server)
        for worker in self._workers:
            if worker.failure is not None:
                raise worker.failure

    def _judge(self) -> Counter[str]:
        """Look at the index itself, and ask whether all that anybody saw can be true."""
        at_last = _stored(self._where, self._known)
        self._commands.check_unfinished({read.id for read in at_last if read.state is not ABSENT})
        histories = [worker.history for worker in self._workers] + [self._commands.history]
        # A write is noted before it is sent, so the writes are taken after the reads that may have seen them.
        reads = at_last + [read for history in histories for read in list(history.reads)]
        writes = [write for history in histories for write in list(history.writes)]
        problems, seen = problems_of(History(writes, reads))
        assert not problems, f"after {self._seen}:\n" + "\n".join(problems[:20])
        return seen


def _check_ready(server: Served) -> None:
    """Fail unless a server answers that it is ready."""
    with urllib.request.urlopen(f"{server.url}/v1/ready", timeout=60) as answer:
        assert answer.status == 200


def run_history(where: str, folder: Path, kills: int, seed: int, *, forks: Forks, servers: int = 2) -> Counter[str]:
    """Kill servers and commands so many times; returns how much was tried, and fails on what cannot be true."""
    with ExitStack() as stack:
        running = [
            stack.enter_context(Served(where, log=folder / f"server {number}", start=forks.spawn))
            for number in range(servers)
        ]
        try:
            return _Trial(where, folder, seed, forks, running).run(kills)
        except Exception as error:
            forks.kill_all()
            raise AssertionError(f"seed {seed}: {error}") from error
