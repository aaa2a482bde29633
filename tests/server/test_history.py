"""Nothing that a server has acknowledged is lost, however often it is killed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import lookalike as la
from tests.index.postgres import server
from tests.server.commands import Forks
from tests.server.histories import run_history
from tests.server.history import ABSENT, History, Read, Write, problems_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    """Give what starts servers and commands."""
    with Forks() as started:
        yield started


@pytest.mark.parametrize(("kind", "servers", "kills"), [("sqlite", 1, 12), ("sqlite", 2, 20), ("postgres", 2, 8)])
def test_servers_and_commands_that_are_killed(
    tmp_path: Path, forks: Forks, kind: str, servers: int, kills: int
) -> None:
    where = str(tmp_path / "index.db") if kind == "sqlite" else server().new_schema()
    la.Index.open(where, create=True).close()
    seen = run_history(where, tmp_path, kills, kills, forks=forks, servers=servers)
    assert seen["kills"] >= kills
    assert seen["decisive"] >= 20, f"too few reads that could have told anything: {seen}"


# -- the checker -------------------------------------------------------------------------------------------------------


def history(*events: Write | Read) -> History:
    return History(
        [event for event in events if isinstance(event, Write)], [event for event in events if isinstance(event, Read)]
    )


def saw(text: str, began: float, ended: float | None = None) -> Read:
    return Read("a", text, True, began, began + 0.5 if ended is None else ended)


def missed(text: str, began: float, ended: float | None = None) -> Read:
    return Read("a", text, False, began, began + 0.5 if ended is None else ended)


def found_nothing(began: float) -> Read:
    return Read("a", ABSENT, True, began, began + 0.5)


def put(text: str | None, began: float, acknowledged: float | None) -> Write:
    return Write("a", text, began, acknowledged)


CAN_BE: dict[str, list[Write | Read]] = {
    "added, and seen": [put("one", 0, 1), saw("one", 2)],
    "not added": [missed("one", 0)],
    "seen before it was acknowledged": [put("one", 0, 5), saw("one", 1)],
    "not yet seen while it was added": [put("one", 0, 5), missed("one", 1)],
    "no answer, and not there": [put("one", 0, None), missed("one", 2), missed("one", 9)],
    "no answer, and there later": [put("one", 0, None), missed("one", 2), saw("one", 9)],
    "removed": [put("one", 0, 1), put(ABSENT, 2, 3), missed("one", 4)],
    "being removed": [put("one", 0, 1), put(ABSENT, 2, 9), missed("one", 4), saw("one", 5)],
    "a removal without an answer": [put("one", 0, 1), put(ABSENT, 2, None), saw("one", 4), missed("one", 5)],
    "replaced": [put("one", 0, 1), put("two", 2, 3), missed("one", 4), saw("two", 4)],
    "replaced, perhaps": [put("one", 0, 1), put("two", 2, None), missed("two", 4), saw("one", 5), saw("two", 6)],
    "nothing there, and nothing found": [found_nothing(0), put("one", 1, 2), put(ABSENT, 3, 4), found_nothing(5)],
    "removed while somebody looks": [put("one", 0, 1), saw("one", 2, 9), put(ABSENT, 3, 4)],
}
CANNOT_BE: dict[str, list[Write | Read]] = {
    "a lost add": [put("one", 0, 1), missed("one", 2)],
    "a lost add, long after it was seen": [put("one", 0, 1), saw("one", 2), missed("one", 90)],
    "an add that was seen, and lost": [put("one", 0, None), saw("one", 2), missed("one", 3)],
    "a document that nobody added": [saw("one", 0)],
    "a document from the future": [put("one", 5, 6), saw("one", 1)],
    "a removal that is undone": [put("one", 0, 1), put(ABSENT, 2, 3), saw("one", 4)],
    "a replacement that is undone": [put("one", 0, 1), put("two", 2, 3), saw("one", 4)],
    "a lost replacement": [put("one", 0, 1), put("two", 2, 3), missed("two", 4)],
    "lost while it may have been replaced": [put("one", 0, 1), put("two", 2, None), found_nothing(3)],
}


@pytest.mark.parametrize("name", CAN_BE)
def test_what_can_be_is_no_problem(name: str) -> None:
    assert problems_of(history(*CAN_BE[name]))[0] == []


@pytest.mark.parametrize("name", CANNOT_BE)
def test_what_cannot_be_is_caught(name: str) -> None:
    assert len(problems_of(history(*CANNOT_BE[name]))[0]) == 1


def test_what_was_counted() -> None:
    _, seen = problems_of(history(put("one", 0, 1), put("two", 2, None), saw("one", 1.5, 1.6), saw("one", 4)))
    assert seen == {"writes": 2, "acknowledged": 1, "unknown": 1, "reads": 2, "decisive": 1}
