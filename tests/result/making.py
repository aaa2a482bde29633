"""Results without texts: made from kinds of documents and scores, and what they must come to, worked out slowly."""

from __future__ import annotations

from array import array
from dataclasses import fields
from itertools import combinations
from typing import Any, NamedTuple

import pyarrow as pa
from hypothesis import strategies as st

import lookalike as la
from lookalike.result.view import SearchedDocuments, SearchSettings
from lookalike.tables.columns import Found

Scores = tuple[float, float, float]
Row = tuple[int, int, float, float, float]


class Case(NamedTuple):
    """Documents by kind, the near pairs of kinds, and from where on documents are old."""

    kinds: list[int]
    near: dict[tuple[int, int], Scores]
    old_from: int | None = None

    @property
    def firsts(self) -> list[int]:
        """For each document, the first of its kind."""
        return [self.kinds.index(kind) for kind in self.kinds]

    def found(self) -> Found:
        """What the core would give."""
        pairs = {}
        for (x, y), (jaccard, in_y, in_x) in self.near.items():
            if x not in self.kinds or y not in self.kinds:
                continue
            a, b = self.kinds.index(x), self.kinds.index(y)
            pairs[min(a, b), max(a, b)] = (jaccard, in_y, in_x) if a < b else (jaccard, in_x, in_y)
        listed = [(*ends, *pairs[ends]) for ends in sorted(pairs) if self.old_from is None or ends[0] < self.old_from]
        columns = list(zip(*listed, strict=True)) or [()] * 5
        kinds = ("I", "I", "d", "d", "d")
        arrays = (array(kind, values).tobytes() for kind, values in zip(kinds, columns, strict=True))
        names = ("a", "b", "jaccard", "containment_a", "containment_b")
        given: dict[str, Any] = dict(zip(names, arrays, strict=True))
        return Found(array("I", self.firsts).tobytes(), **given, candidates=len(listed))

    def pairs(self, threshold: float = 0.0, metric: str = "jaccard") -> list[Row]:
        """Every pair at or above the threshold, two old documents excepted."""
        rows = []
        for a, b in combinations(range(len(self.kinds)), 2):
            x, y = self.kinds[a], self.kinds[b]
            if self.old_from is not None and a >= self.old_from:
                continue
            jaccard, in_b, in_a = self._scores(x, y)
            if (max(in_b, in_a) if metric == "containment" else jaccard) >= max(threshold, 1e-9):
                rows.append((a, b, jaccard, in_b, in_a))
        return rows

    def _scores(self, x: int, y: int) -> Scores:
        if x == y:
            return 1.0, 1.0, 1.0
        if (x, y) in self.near:
            return self.near[x, y]
        jaccard, in_x, in_y = self.near.get((y, x), (0.0, 0.0, 0.0))
        return jaccard, in_y, in_x

    def result(self, **changes: Any) -> la.Result:
        """The result that `find` would make of it."""
        documents: dict[str, Any] = {
            "ids": pa.array(range(len(self.kinds)), pa.int64()),
            "lengths": pa.array([100] * len(self.kinds), pa.uint64()),
        }
        search: dict[str, Any] = {"recipe": la.Recipe(), "threshold": 0.5, "method": "exact", "recall": la.Recall(1.0)}
        own = {field.name for field in fields(SearchedDocuments)}
        for name, value in changes.items():
            (documents if name in own else search)[name] = value
        if self.old_from is not None:
            every = documents["ids"]
            documents |= {"ids": every.slice(0, self.old_from), "old_ids": every.slice(self.old_from)}
        found = search.pop("found", None) or self.found()
        origin = search.pop("origin", None)
        made = SearchedDocuments(**documents), SearchSettings(**search)
        return la.Result(*made, found, origin=origin)


def numbered(groups: list[la.Group]) -> list[tuple[int, tuple[int, ...]]]:
    """Groups whose ids are numbers: the principal and the members of each."""
    return [(int(group.principal), tuple(int(member) for member in group.members)) for group in groups]


def rows(table: pa.Table) -> list[tuple[Any, ...]]:
    """The rows of a table as tuples, without what tells old documents."""
    names = [name for name in table.column_names if not name.endswith("_old")]
    return list(zip(*(table[name].to_pylist() for name in names), strict=True))


_scores = st.sampled_from((0.5, 0.6, 0.75, 0.75, 0.9, 0.99))


@st.composite
def cases(draw: st.DrawFn, most: int = 10, *, old: bool | None = None) -> Case:
    """Some documents of few kinds, so that copies and partners of copies are frequent."""
    kinds = draw(st.lists(st.integers(0, 6), max_size=most))
    ends = st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda pair: pair[0] < pair[1])
    near = draw(st.dictionaries(ends, st.tuples(_scores, _scores, _scores), max_size=12))
    with_old = draw(st.booleans()) if old is None else old
    return Case(kinds, near, draw(st.integers(0, len(kinds))) if with_old else None)
