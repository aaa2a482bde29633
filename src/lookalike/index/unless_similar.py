"""Adding documents unless similar ones are stored: decided and done in one transaction."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lookalike.errors import StoreError
from lookalike.index.query import Asked, Hits, ask, ask_reader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lookalike.index.contract import Row, Store, StoreWriter
    from lookalike.index.query import Hit, Signed
    from lookalike.tables.packed import Id

__all__ = ["Deciding", "Decision", "only_estimates"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of a document that was to be added unless a similar one is stored.

    >>> Decision("essay-7", True, Hits([], query="essay-7")).is_added
    True
    """

    id: Id
    is_added: bool
    """Whether it is stored now; True also where it was stored before with the same content."""
    hits: Hits
    """The stored documents that it is similar to; empty if it was added."""


def only_estimates(name: str) -> StoreError:
    """Return the error for an index that only estimates scores: what it dropped might not be similar."""
    problem = "keeps only signatures, so it cannot tell exactly whether documents are similar"
    return StoreError(name, problem, "create an index with keep='text' or 'shingles'")


class Deciding:
    """One transaction: each document meets those that were stored before, and those that were added before it."""

    def __init__(self, store: Store, writer: StoreWriter, added: Store, asked: Asked) -> None:
        """Take the store, its transaction, and an empty store in memory for what is added."""
        self._store, self._writer, self._added, self._asked = store, writer, added, asked
        self._has_added = False
        self.conflicts: list[Id] = []
        """Ids that are stored with another content."""

    def decide(self, rows: Sequence[Row], signed: Signed) -> list[Decision]:
        """Decide about documents."""
        ids = [row.id for row in rows]
        contents = self._writer.contents(ids)
        stored_hits = ask_reader(self._writer.reader, self._store, signed, ids, self._asked)
        decisions, new = [], []
        for place, (row, stored) in enumerate(zip(rows, stored_hits, strict=True)):
            if row.id in contents:
                if contents[row.id] != row.content():
                    self.conflicts.append(row.id)
                # The answer of the call that added it.
                as_before = Hits([], query=row.id, recall=stored.recall, not_judged=stored.not_judged)
                decisions.append(Decision(row.id, True, as_before))
                continue
            hits = self._joined(row.id, signed[place : place + 1], stored)
            if not hits:
                contents[row.id] = row.content()
                new.append(row)
                with self._added.writing() as writer:
                    writer.put([row])
                self._has_added = True
            decisions.append(Decision(row.id, not hits, hits))
        if not self.conflicts:
            self._writer.put(new)
        return decisions

    def _joined(self, id: Id, alone: Signed, stored: Hits) -> Hits:
        """Return the hits among stored documents and those that were added before, the most similar first."""
        self._asked.interrupt()
        if not self._has_added or stored.not_judged:
            return stored
        (added,) = ask(self._added, alone, [id], self._asked)
        best = list(heapq.merge(stored, added, key=_rank))
        top = self._asked.top
        truncated = stored.truncated or added.truncated or (top is not None and len(best) > top)
        recall = None if truncated else stored.recall
        return Hits(best[:top], query=id, truncated=truncated, recall=recall)


def _rank(hit: Hit) -> tuple[float, float]:
    return -hit.similarity, -(hit.containment_query or 0.0)
