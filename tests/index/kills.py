"""kill -9 of processes that share an index, at random moments; and at every step of what has few steps."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
import sqlite3
import time
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import lookalike as la
from lookalike.index.store_opening import is_server
from tests.index.batches import Journal, Line, differences, whole_batches
from tests.index.handles import COMMANDS
from tests.index.workload import History, contents, problems_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.index.zygote import Zygote

__all__ = ["STEPPED", "damage_postings", "kill_at_steps", "kill_processes"]

_LIFE: Final = 25
"""Kills that one index goes through."""
_SHORTEST, _LONGEST = 0.08, 2.0
"""Seconds between two kills, at most."""
STEPPED = ("create", "back_up", "compact", "repair")


class _Process:
    """A process of one index: one that works with several handles until it is ended, or a command."""

    def __init__(self, fleet: _Fleet, job: str, arguments: dict[str, Any]) -> None:
        self._fleet, self._job, self._arguments = fleet, job, arguments
        self.pid = 0

    def start(self) -> None:
        self.pid = self._fleet.zygote.start(self._job, {"where": self._fleet.where} | self._arguments)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


class _Worker(_Process):
    """One or two threads with handles of their own, each with a journal."""

    def __init__(self, fleet: _Fleet, numbers: list[int], *, without: list[str], seed: int) -> None:
        self.numbers = numbers
        self.journals = [Journal(fleet.folder / f"journal {number}") for number in numbers]
        paths = [journal.path for journal in self.journals]
        super().__init__(
            fleet, "use_handles", {"journals": paths, "numbers": numbers, "without": without, "seed": seed}
        )

    def start(self) -> None:
        self._arguments["seed"] += 1
        for journal in self.journals:
            journal.note_handles(0)
        super().start()

    def handles(self) -> int:
        return sum(journal.handles() for journal in self.journals)


class _Command(_Process):
    """A command, and what the journals said when it began."""

    def __init__(self, fleet: _Fleet, name: str, target: Path) -> None:
        super().__init__(fleet, "use_once", {"command": name, "target": str(target)})
        self.name, self.target, self.before = name, target, fleet.lines()


class _Fleet:
    """Two to four processes at one index, one of which is killed again and again while the others go on."""

    def __init__(self, folder: Path, zygote: Zygote, where: str, rng: random.Random) -> None:
        self.folder, self.zygote, self.where, self._rng = folder, zygote, where, rng
        self.seen = Counter[str]()
        count, numbers = rng.randint(2, 4), itertools.count()
        # Two VACUUMs of one table wait five seconds for each other, so on a server only commands compact.
        never = ["compact"] if is_server(where) else []
        self.workers = [
            _Worker(
                self,
                list(itertools.islice(numbers, rng.choice((1, 1, 2)))),
                without=never if place == 0 or rng.random() < 0.6 else ["change", "compact"],
                seed=rng.getrandbits(32),
            )
            for place in range(count)
        ]
        self.commands: list[_Command] = []
        self._copies = itertools.count()
        self._pause = _SHORTEST

    def lines(self) -> dict[int, list[Line]]:
        """Read all journals."""
        return {
            number: journal.lines()
            for worker in self.workers
            for number, journal in zip(worker.numbers, worker.journals, strict=True)
        }

    def run(self, kills: int) -> Counter[str]:
        """Work, and kill so many processes that have several handles open."""
        for worker in self.workers:
            worker.start()
        acknowledged = 0
        while self.seen["kills"] < kills:
            if len(self.commands) < 2 and self._rng.random() < 0.6:
                self._start_command()
            time.sleep(self._rng.uniform(0.0, self._pause))
            early = self._kill_one()
            self._end_commands(wait=False)
            self.check()
            # A machine that is busy gets longer to do something.
            before, acknowledged = acknowledged, self._acknowledged()
            early |= before == acknowledged
            self._pause = min(_LONGEST, 1.3 * self._pause) if early else max(_SHORTEST, self._pause / 1.1)
        self._end_all()
        self.seen["changes"] = self._acknowledged()
        return self.seen

    def _acknowledged(self) -> int:
        return sum(journal.acknowledged() for worker in self.workers for journal in worker.journals)

    def _start_command(self) -> None:
        name = self._rng.choice(COMMANDS)
        command = _Command(self, name, self.folder / f"copy {next(self._copies)}.db")
        command.start()
        self.commands.append(command)

    def _kill_one(self) -> bool:
        """Kill a process and start it again, or a command; returns whether it had not got far."""
        if self.commands and self._rng.random() < 0.2:
            command = self.commands.pop(self._rng.randrange(len(self.commands)))
            command.kill()
            status = self.zygote.wait(command.pid)
            assert status in (0, -signal.SIGKILL), f"{command.name} ended with {status}\n{self.zygote.errors()}"
            self.seen["kills of a command"] += status != 0
            return False
        worker = self._rng.choice(self.workers)
        worker.kill()
        status = self.zygote.wait(worker.pid)
        assert status == -signal.SIGKILL, f"a process ended by itself\n{self.zygote.errors()}"
        early = worker.handles() < 2
        self.seen["kills with fewer handles" if early else "kills"] += 1
        worker.start()
        return early

    def _end_commands(self, *, wait: bool) -> None:
        for command in list(self.commands):
            status = self.zygote.wait(command.pid) if wait else self.zygote.poll(command.pid)
            if status is None:
                continue
            assert status == 0, f"{command.name} ended with {status}\n{self.zygote.errors()}"
            self.commands.remove(command)
            self.seen[command.name] += 1
            if command.name == "backup":
                self._compare(str(command.target), command.before)

    def _end_all(self) -> None:
        """End the processes in order or at once, and look for the last time."""
        how = self._rng.choice((signal.SIGTERM, signal.SIGKILL))
        for worker in self.workers:
            os.kill(worker.pid, how)
        for worker in self.workers:
            status = self.zygote.wait(worker.pid)
            # SIGTERM may come before the process listens to it.
            assert status in (0, -how), f"a process ended with {status}\n{self.zygote.errors()}"
        self._end_commands(wait=True)
        self.check()

    def check(self) -> None:
        """Look at the index from this process."""
        self._compare(self.where, self.lines())

    def _compare(self, where: str, before: dict[int, list[Line]]) -> None:
        with la.Index.open(where, create=False) as index:
            check = index.verify()
            assert check.ok, check.problems
            there = whole_batches(index)
        problems: list[str] = []
        for number, lines in self.lines().items():
            problems += differences(number, before[number], lines, there)
        assert not problems, f"after {self.seen['kills']} kills, in {where}: {problems}"
        self.seen["comparisons"] += 1


def kill_processes(folder: Path, zygote: Zygote, place: Callable[[], str], kills: int, seed: int) -> Counter[str]:
    """Kill processes with two to four handles, so many times; returns what was seen, and fails on anything lost."""
    rng, seen = random.Random(seed), Counter[str]()
    while seen["kills"] < kills:
        where, inside = place(), folder / f"from {seen['kills']}"
        inside.mkdir()
        la.Index.open(where, create=True).close()
        try:
            seen += _Fleet(inside, zygote, where, rng).run(min(_LIFE, kills - seen["kills"]))
        except Exception as error:
            zygote.kill_all()
            raise AssertionError(f"seed {seed}, {seen['kills']} kills before this index: {error}") from error
    return seen


def damage_postings(path: Path) -> None:
    """Break a page of postings, so that there is something to mend."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE page SET checksum = checksum + 1 WHERE number = (SELECT min(number) FROM page)")
        connection.commit()


def kill_at_steps(folder: Path, zygote: Zygote, job: str, seed: int, most: int = 60) -> Counter[str]:
    """Kill a job at its first step, its second, and so on, until it ends before it is killed."""
    rng, seen = random.Random(seed), Counter[str]()
    history, whole = History(seed), folder / "whole.db"
    with la.Index.open(whole, create=True) as index:
        for number in range(12):
            history.change(number).apply(index)
        index.compact()
        for number in range(12, 16):
            history.change(number).apply(index)
    for step in range(1, most + 1):
        place = folder / f"{job}-{step}"
        place.mkdir()
        path, log = place / "index.db", place / "log"
        shutil.copy(whole, path)
        if job == "repair":
            damage_postings(path)
        arguments = {"path": str(path), "log": str(log), "step": step}
        if job == "create":
            arguments["path"] = str(place / "new")
        if job == "back_up":
            arguments["target"] = str(place / "copy")
        status = zygote.run(job, arguments)
        _look_after(job, place, history, rng)
        shutil.rmtree(place)
        seen.update({job: 1})
        if status == 0:
            return seen
        assert status == -signal.SIGKILL, f"{job}, step {step}: ended with {status}"
    raise AssertionError(f"{job} has more than {most} steps")


def _look_after(job: str, place: Path, history: History, rng: random.Random) -> None:
    path = place / "index.db"
    if job == "repair":
        with la.Index.open(path, create=False) as index:
            assert contents(index) == history.state(16), "a repair that was killed lost documents"
            found = index.repair()
            assert found.ok, found.problems
            assert found.lost == []
    _, problems = problems_of(path, history, 16, rng)
    assert not problems, f"{job}: {problems}"
    for made in [*place.glob("copy-*.db"), *place.glob("new-*.db")]:
        with la.Index.open(made, create=False) as copy:
            assert copy.verify().ok
            assert contents(copy) == (history.state(16) if job == "back_up" else {})
    if job == "create":
        la.Index.open(place / "new-0.db").close()
    if job == "back_up" and not (place / "copy-0.db").exists():
        with la.Index.open(path) as index:
            index.backup(place / "copy-0.db")
