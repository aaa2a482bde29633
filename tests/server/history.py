"""What clients did to a server that was killed again and again, and whether all they saw can be true.

Each id is written by one client alone, one write after the other; everybody reads. A write that was acknowledged has
happened. Of a write without an answer nobody knows: it may have happened, or happen later, or never. So the states that
a read may find are

* that of the last write that is known to have happened before the read began, and
* those of writes that may have happened since: those that were under way during the read, and those without an answer.

A write is known to have happened when it was acknowledged, or when somebody has seen it: what one query has seen, the
next one must see, too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

__all__ = ["ABSENT", "History", "Read", "Write", "problems_of"]

ABSENT = None
"""The state of a document that is not stored."""


@dataclass(slots=True)
class Write:
    """A document was added, replaced or removed: its text is the state that it leads to."""

    id: str
    state: str | None
    began: float
    acknowledged: float | None = None
    """When the answer was there; None if none came."""


@dataclass(frozen=True, slots=True)
class Read:
    """Somebody looked at a document."""

    id: str
    state: str | None
    found: bool
    """Whether the document was in this state. If not, it was in any other: a query for a text tells no more."""
    began: float
    ended: float


@dataclass(slots=True)
class History:
    """All writes and reads; the writes of an id in the order in which its client made them."""

    writes: list[Write] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)


def problems_of(history: History) -> tuple[list[str], Counter[str]]:
    """Return the reads that cannot be true, and how much the others say."""
    writes: dict[str, list[Write]] = defaultdict(list)
    for write in history.writes:
        writes[write.id].append(write)
    known = _known(history)
    problems, seen = [], Counter[str]()
    for read in history.reads:
        possible = _possible(writes[read.id], known, read)
        fits = {state for state in possible if (state == read.state) == read.found}
        seen.update(reads=1, decisive=len({state == read.state for state in possible}) == 1)
        if not fits:
            told = "found" if read.found else "missed"
            problems.append(
                f"{read.id!r}: {told} {_named(read.state)} from {read.began:.3f} to {read.ended:.3f}; "
                f"{_listed(writes[read.id])}"
            )
    answered = sum(write.acknowledged is not None for write in history.writes)
    seen.update(writes=len(history.writes), acknowledged=answered, unknown=len(history.writes) - answered)
    return problems, seen


def _known(history: History) -> dict[int, float]:
    """Return for each write, by its `id()`, when it is known to have happened."""
    first_seen: dict[tuple[str, str], float] = {}
    for read in history.reads:
        if read.found and read.state is not None:
            place = read.id, read.state
            first_seen[place] = min(read.ended, first_seen.get(place, read.ended))
    known = {}
    for write in history.writes:
        times = [write.acknowledged]
        if write.state is not None:
            times.append(first_seen.get((write.id, write.state)))
        if given := [time for time in times if time is not None]:
            known[id(write)] = min(given)
    return known


def _possible(writes: list[Write], known: dict[int, float], read: Read) -> set[str | None]:
    """Return the states that a read may find."""
    last: str | None = ABSENT
    for write in writes:
        if known.get(id(write), read.began) < read.began:
            last = write.state
    possible = {last}
    for write in writes:
        under_way = write.acknowledged is None or write.acknowledged >= read.began
        if write.began <= read.ended and under_way:
            possible.add(write.state)
    return possible


def _named(state: str | None) -> str:
    return "no document" if state is None else repr(state[:24])


def _listed(writes: list[Write]) -> str:
    told = [
        f"{_named(write.state)} {write.began:.3f} to "
        f"{'?' if write.acknowledged is None else f'{write.acknowledged:.3f}'}"
        for write in writes
    ]
    return "writes: " + ", ".join(told)
