"""A process that is killed loses nothing that it had acknowledged, and leaves nothing half done."""

from __future__ import annotations

import os
import random
import signal
import time
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

import lookalike as la
from tests.index.jobs import read_numbers
from tests.index.kills import STEPPED, kill_at_steps, kill_processes
from tests.index.postgres import server
from tests.index.workload import History, contents, problems_of
from tests.index.zygote import Zygote

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    """Give what starts children."""
    with Zygote() as started:
        yield started


@pytest.mark.parametrize("seed", range(6))
def test_killed_with_several_handles(tmp_path: Path, zygote: Zygote, seed: int) -> None:
    seen = kill_processes(tmp_path, zygote, lambda: str(tmp_path / f"{uuid4()}.db"), 50, seed)
    assert seen["kills"] == 50
    assert seen["changes"] > 10, seen


def test_killed_with_several_handles_of_a_server(tmp_path: Path, zygote: Zygote) -> None:
    seen = kill_processes(tmp_path, zygote, server().new_schema, 12, 7)
    assert seen["changes"] > 10, seen


@pytest.mark.parametrize("job", STEPPED)
def test_killed_at_every_step(tmp_path: Path, zygote: Zygote, job: str) -> None:
    assert kill_at_steps(tmp_path, zygote, job, 5)[job] > 5


@pytest.mark.parametrize("job", ["back_up", "create"])
def test_killed_at_random_moments(tmp_path: Path, zygote: Zygote, job: str) -> None:
    history, rng = History(3), random.Random(3)
    path = tmp_path / "index.db"
    with la.Index.open(path) as index:
        for number in range(12):
            history.change(number).apply(index)
    finished = 0
    for kill in range(20):
        place = tmp_path / str(kill)
        place.mkdir()
        log = place / "log"
        arguments = {"path": str(path if job == "back_up" else place / "new"), "log": str(log)}
        pid = zygote.start(job, arguments | ({"target": str(place / "new")} if job == "back_up" else {}))
        time.sleep(rng.uniform(0.0, 0.1))
        os.kill(pid, signal.SIGKILL)
        assert zygote.wait(pid) == -signal.SIGKILL
        acknowledged = read_numbers(log)
        made = sorted(place.glob("new-*.db"), key=lambda file: int(file.stem.partition("-")[2]))
        assert len(acknowledged) <= len(made) <= len(acknowledged) + 1
        for file in made[-2:]:
            with la.Index.open(file, create=False) as copy:
                assert copy.verify().ok
                assert contents(copy) == (history.state(12) if job == "back_up" else {})
        finished += len(acknowledged)
    assert finished > 0
    assert problems_of(path, history, 12, rng) == (12, [])
