"""kill -9 at random moments, and at every step of what has few steps; then the index is looked at."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import time
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING

import lookalike as la
from tests.index.jobs import read_numbers
from tests.index.workload import History, contents, problems_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.index.zygote import Zygote

__all__ = ["STEPPED", "damage_postings", "kill_at_steps", "kill_writers"]

_LIFE = 40
"""Kills that one file goes through."""
STEPPED = ("create", "back_up", "compact", "repair")


def kill_writers(folder: Path, zygote: Zygote, kills: int, seed: int) -> Counter[str]:
    """Kill a process that writes, so many times; returns what was seen, and fails on anything lost."""
    rng, seen = random.Random(seed), Counter[str]()
    history, path, done, longest = History(seed), folder / "none.db", 0, 0.05
    for kill in range(kills):
        if kill % _LIFE == 0:
            history, path, done = History(seed + kill), folder / f"{kill}.db", 0
            la.Index.open(path, create=True, keep="text").close()
        extra = rng.choice(("", "", "mixed", "compact", "reopen"))
        log = folder / f"{kill}.log"
        arguments = {
            "path": str(path),
            "seed": seed + kill - kill % _LIFE,
            "first": done,
            "log": str(log),
            "extra": extra,
        }
        pid = zygote.start("write", arguments)
        time.sleep(rng.uniform(0.0, longest))
        os.kill(pid, signal.SIGKILL)
        assert zygote.wait(pid) == -signal.SIGKILL, f"kill {kill}: the child ended by itself"
        acknowledged = max(read_numbers(log), default=done)
        # A machine that is busy gets longer to do something.
        longest = min(2.0, longest * 1.2) if acknowledged == done else max(0.02, longest / 1.1)
        found, problems = problems_of(path, history, acknowledged, rng)
        assert not problems, f"seed {seed}, kill {kill}, {extra or 'plain'}: {problems}"
        seen.update(kills=1, changes=acknowledged - done, unacknowledged=found - acknowledged)
        seen.update({f"kills with {extra}": 1} if extra else {})
        done = found
        log.unlink(missing_ok=True)
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
