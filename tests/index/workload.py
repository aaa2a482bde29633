"""A history of changes that follows from a seed, and what an index must hold after each of them."""

from __future__ import annotations

import random
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import lookalike as la
from lookalike.index import sqlite_postings, sqlite_rows, sqlite_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Change", "History", "contents", "make_small", "problems_of", "small"]

_WORDS = [f"w{number}" for number in range(400)]
_MOST = 120


def make_small(tail: int = 24, log: int = 400_000, segments: int = 2) -> None:
    """Make postings, merges and checkpoints happen every few changes, in this process."""
    sqlite_rows.TAIL = tail  # type: ignore[attr-defined]
    sqlite_store._LOG = log  # type: ignore[misc]
    sqlite_postings.MOST_SEGMENTS = segments  # type: ignore[misc]


@contextmanager
def small() -> Iterator[None]:
    """Make them happen often for a while."""
    before = sqlite_postings.TAIL, sqlite_store._LOG, sqlite_postings.MOST_SEGMENTS
    make_small()
    try:
        yield
    finally:
        make_small(*before)


class Change(NamedTuple):
    """One call of an index."""

    kind: str
    """add, replace or remove"""
    documents: dict[str, str]
    """For remove, the ids alone matter."""

    def apply(self, index: la.Index) -> None:
        """Make it."""
        if self.kind == "add":
            index.add(self.documents, threads=1)
        elif self.kind == "replace":
            index.replace(self.documents, threads=1)
        else:
            index.remove(list(self.documents))


class History:
    """Changes by number, and the documents that are there after each. No two states are the same."""

    def __init__(self, seed: int) -> None:
        """Begin with an index without documents."""
        self._rng = random.Random(seed)
        self._changes: list[Change] = []
        self._states: list[dict[str, str]] = [{}]

    def change(self, number: int) -> Change:
        """Return the change that leads from state `number` to the next."""
        while len(self._changes) <= number:
            self._extend()
        return self._changes[number]

    def state(self, number: int) -> dict[str, str]:
        """Return what is there after so many changes."""
        if number:
            self.change(number - 1)
        return self._states[number]

    def _extend(self) -> None:
        rng, place, old = self._rng, len(self._changes), self._states[-1]
        size = rng.choice((1, 1, 3, 8, 20))
        draw = rng.random()
        if len(old) > _MOST or (old and draw < 0.2):
            kind, ids = "remove", rng.sample(sorted(old), min(len(old), size * (3 if len(old) > _MOST else 1)))
        elif old and draw < 0.45:
            kind, ids = "replace", [*rng.sample(sorted(old), min(len(old), size)), f"r{place}"]
        else:
            kind, ids = "add", [f"d{place}-{number}" for number in range(size)]
        documents = {id: self._text(place) for id in ids}
        change = Change(kind, documents)
        self._changes.append(change)
        kept = {id: text for id, text in old.items() if id not in documents}
        self._states.append(kept if kind == "remove" else kept | documents)

    def _text(self, place: int) -> str:
        return " ".join([f"change{place}", *self._rng.choices(_WORDS, k=self._rng.randrange(5, 60))])


def contents(index: la.Index) -> dict[Any, str]:
    """Return all documents of an index."""
    return {id: text for batch in index.documents().batches() for id, text in zip(batch.ids, batch.texts, strict=True)}


def problems_of(path: Path, history: History, acknowledged: int, rng: random.Random) -> tuple[int, list[str]]:
    """Open an index after a crash; return how many changes it holds, and what is wrong with it."""
    with la.Index.open(path, create=False) as index:
        check = index.verify()
        if not check.ok:
            return -1, check.problems
        found = contents(index)
        for number in (acknowledged, acknowledged + 1):
            if found == history.state(number):
                break
        else:
            expected = history.state(acknowledged)
            missing, extra = len(expected.keys() - found.keys()), len(found.keys() - expected.keys())
            return -1, [f"after {acknowledged} changes, {missing} documents are missing, {extra} are new"]
        if check.documents != len(found) or len(index) != len(found):
            return -1, ["the count of documents is wrong"]
        gone = history.change(acknowledged - 1).documents.keys() - found.keys() if acknowledged else set()
        asked = rng.sample(sorted(found), min(len(found), 3))
        for hits in index.query({id: found[id] for id in asked}, threads=1):
            if hits.query not in hits.ids or gone & set(hits.ids):
                return -1, [f"the query {hits.query!r} is answered {hits.ids}"]
    return number, []
