"""What a search found: pairs with exact scores, groups, and the recall that was promised."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from lookalike.recipe import Recipe
    from lookalike.search.bands import Bands
    from lookalike.search.groups import Group, Linkage

__all__ = ["Recall", "Result"]

MOST_COPIES = 1_000_000
"""Pairs between copies are all listed up to this many; beyond, each copy is listed with the first of its kind only."""


@dataclass(frozen=True, slots=True)
class Recall:
    """The share of the true pairs that is found."""

    promised: float
    """At the least, by the method and its bands."""
    measured: float | None = None
    """On a sample of the collection, after an audit."""


class Result:
    """The outcome of `find`.

    Documents with the same shingles are *copies*: they are searched as one, and each reads 1.0 to the others. All pairs
    between copies are listed, unless that would be more than a million; then each copy is listed with its first only,
    and `copies_listed` says ``"first"``. Groups are the same either way.
    """

    def __init__(
        self,
        *,
        ids: list[str] | list[int],
        found: dict[str, Any],
        threshold: float,
        recipe: Recipe,
        method: str,
        bands: Bands | None,
        recall: Recall,
        linkage: Linkage,
        order: Sequence[int] | None,
        seconds: float,
    ) -> None:
        """Keep what the core found; made by `find`."""
        self.ids = ids
        self.threshold = threshold
        self.recipe = recipe
        self.method = method
        self.bands = bands
        self.recall = recall
        self.linkage = linkage
        self.order = order
        self.seconds = seconds
        self.candidates: int = found["candidates"]
        self._found = found

    def __repr__(self) -> str:
        """Return one line that says what was found."""
        return (
            f"<Result: {len(self.ids)} documents, {self.pairs.num_rows} pairs ≥ {self.threshold:g} in "
            f"{len(self.groups)} groups, {self.method}, recall ≥ {self.recall.promised:.4g}>"
        )

    @cached_property
    def _copies(self) -> dict[int, list[int]]:
        """First copy → all its copies including itself, for documents that have some."""
        classes = array("I", self._found["class"])
        members: dict[int, list[int]] = {}
        for document, first in enumerate(classes):
            if document != first:
                members.setdefault(first, [first]).append(document)
        return members

    @cached_property
    def copies_listed(self) -> str:
        """``"all"`` or ``"first"``: which pairs between copies `pairs` lists."""
        sizes = {first: len(members) for first, members in self._copies.items()}
        total = sum(n * (n - 1) // 2 for n in sizes.values())
        if sizes:
            ends = zip(array("I", self._found["a"]), array("I", self._found["b"]), strict=True)
            total += sum(sizes.get(a, 1) * sizes.get(b, 1) - 1 for a, b in ends)
        return "all" if total <= MOST_COPIES else "first"

    @cached_property
    def pairs(self) -> pa.Table:
        """The pairs as an Arrow table: a, b, jaccard, containment_a, containment_b; sorted by a, then b."""
        import pyarrow as pa

        table = self._numbered_pairs()
        ids = pa.array(self.ids, type=pa.int64() if not self.ids or isinstance(self.ids[0], int) else pa.large_string())
        for column, name in enumerate(("a", "b")):
            table = table.set_column(column, name, ids.take(table.column(name).combine_chunks()))
        return table

    def _numbered_pairs(self) -> pa.Table:
        import pyarrow as pa

        columns = {name: _column(self._found[name], pa.uint32()) for name in ("a", "b")}
        columns |= {
            name: _column(self._found[name], pa.float64()) for name in ("jaccard", "containment_a", "containment_b")
        }
        table = pa.table(columns)
        if not self._copies:
            return table
        extra = [*self._pairs_of_copies()]
        if self.copies_listed == "all":
            extra += self._near_pairs_of_copies(table)
        rows = [list(column) for column in zip(*extra, strict=True)]
        more = pa.table(
            [pa.array(r, type=f.type) for r, f in zip(rows, table.schema, strict=True)], schema=table.schema
        )
        return pa.concat_tables([table, more]).combine_chunks().sort_by([("a", "ascending"), ("b", "ascending")])

    def _pairs_of_copies(self) -> Iterator[tuple[int, int, float, float, float]]:
        for first, members in self._copies.items():
            every = combinations(members, 2) if self.copies_listed == "all" else ((first, m) for m in members[1:])
            yield from ((a, b, 1.0, 1.0, 1.0) for a, b in every)

    def _near_pairs_of_copies(self, table: pa.Table) -> Iterator[tuple[int, int, float, float, float]]:
        """Repeat each near pair for the copies of its two documents."""
        for row in table.to_pylist():
            a, b, jaccard, in_b, in_a = row.values()
            if a not in self._copies and b not in self._copies:
                continue
            for x, y in product(self._copies.get(a, [a]), self._copies.get(b, [b])):
                if (x, y) != (a, b):
                    yield (x, y, jaccard, in_b, in_a) if x < y else (y, x, jaccard, in_a, in_b)

    @cached_property
    def groups(self) -> list[Group]:
        """Groups of verified pairs, as `linkage` says: ``star`` or ``linked``."""
        from lookalike.search.groups import group_documents

        found = self._found
        return group_documents(found["class"], found["a"], found["b"], self.ids, self.linkage, self.order)


def _column(data: bytes, kind: pa.DataType) -> pa.Array[pa.Scalar[pa.DataType]]:
    import pyarrow as pa

    return pa.Array.from_buffers(kind, len(data) // (kind.bit_width // 8), [None, pa.py_buffer(data)])
