"""From the pairs of the core to the pairs that a person sees: copies come back, each as a document of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa

    from lookalike.search.found import Found

__all__ = ["MOST_COPIES", "Copies", "Listed", "copies_of", "pairs_of"]

MOST_COPIES: Final = 1_000_000
"""Pairs between copies are all listed up to this many; beyond, each copy is listed with the first of its kind only."""

_COLUMNS: Final = ("a", "b", "jaccard", "containment_a", "containment_b")


class Copies(NamedTuple):
    """The documents that have copies, and their firsts."""

    first: pa.Array
    """For each copy, the number of the first document of its kind."""
    document: pa.Array
    """The number of the copy itself: every document but the first, in order."""


class Listed(NamedTuple):
    """Pairs by the numbers of their documents, sorted, and which pairs of copies are among them."""

    table: pa.Table
    copies: Literal["all", "first"]


def copies_of(found: Found) -> Copies:
    """Return the documents that are copies of an earlier one."""
    import pyarrow.compute as pc

    from lookalike.search.found import counting, numbers

    classes = numbers(found.classes)
    copies = pc.indices_nonzero(pc.not_equal(classes, counting(len(classes)))).cast("uint32")
    return Copies(classes.take(copies), copies)


def pairs_of(found: Found, old_from: int | None) -> Listed:
    """Return all pairs by number, sorted by a, then b; of two documents from `old_from` on there is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    near = found.table()
    copies = copies_of(found)
    listed: Literal["all", "first"] = "all"
    if len(copies.document):
        kinds = _Kinds(near, copies)
        listed = "all" if kinds.pairs(near, old_from) <= MOST_COPIES else "first"
        if listed == "all":
            table = pa.concat_tables([kinds.near(near), kinds.equal()])
        else:
            table = pa.concat_tables([near, _equal(copies.first, copies.document)])
    else:
        table = near
    if old_from is not None:
        table = table.filter(pc.less(table["a"], old_from))
    return Listed(_sorted(table) if table is not near else near, listed)


class _Kinds:
    """Lists of the documents of each kind: those of which there are copies, and their partners."""

    def __init__(self, near: pa.Table, copies: Copies) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        with_copies = pc.unique(copies.first)
        met = pc.or_(*(pc.is_in(near[side], value_set=with_copies) for side in "ab"))
        self.met = met
        """Which of the near pairs have a document of which there are copies."""
        partners = near.filter(met)
        self.firsts = pc.unique(_joined(with_copies, partners["a"], partners["b"]))
        kind = _joined(self.firsts, copies.first)
        document = _joined(self.firsts, copies.document)
        order = _order(kind, document)
        counts = pc.value_counts(kind.take(order))
        self.firsts = counts.field("values")
        self.sizes = counts.field("counts")
        ends = pc.cumulative_sum(self.sizes)
        self.lists = pa.LargeListArray.from_arrays(_joined(pa.array([0], pa.int64()), ends), document.take(order))

    def pairs(self, near: pa.Table, old_from: int | None) -> int:
        """Count the pairs that copies add, if all are listed."""
        import pyarrow as pa
        import pyarrow.compute as pc

        old = pa.repeat(pa.scalar(0, pa.int64()), len(self.sizes))
        if old_from is not None:
            is_old = pc.greater_equal(self.lists.values, old_from).cast("int64")
            ends = _joined(pa.array([0], pa.int64()), pc.cumulative_sum(is_old))
            old = pc.pairwise_diff(ends.take(self.lists.offsets)).slice(1)
        partners = near.filter(self.met)
        total = -partners.num_rows
        for size, sign in ((self.sizes, 1), (old, -1)):
            equal = pc.divide(pc.multiply(size, pc.subtract(size, 1)), 2)
            a, b = (size.take(pc.index_in(partners[side], value_set=self.firsts).combine_chunks()) for side in "ab")
            total += sign * ((pc.sum(equal).as_py() or 0) + (pc.sum(pc.multiply(a, b)).as_py() or 0))
        return total

    def near(self, near: pa.Table) -> pa.Table:
        """Repeat each near pair for the copies of its two documents."""
        import pyarrow as pa
        import pyarrow.compute as pc

        partners = near.filter(self.met).combine_chunks()
        x, row = self._members(partners["a"])
        y, again = self._members(partners["b"].take(row))
        x, row = x.take(again), row.take(again)
        jaccard, in_b, in_a = (partners[name].take(row) for name in _COLUMNS[2:])
        turned = pc.greater(x, y)
        columns = [
            pc.if_else(turned, y, x),
            pc.if_else(turned, x, y),
            jaccard,
            pc.if_else(turned, in_a, in_b),
            pc.if_else(turned, in_b, in_a),
        ]
        return pa.concat_tables([near.filter(pc.invert(self.met)), pa.table(columns, schema=near.schema)])

    def equal(self) -> pa.Table:
        """Return every pair of copies."""
        import pyarrow.compute as pc

        x, kind = self.lists.flatten(), pc.list_parent_indices(self.lists)
        several = self.lists.take(kind)
        y, row = several.flatten(), pc.list_parent_indices(several)
        x = x.take(row)
        ordered = pc.less(x, y)
        return _equal(x.filter(ordered), y.filter(ordered))

    def _members(self, firsts: pa.ChunkedArray) -> tuple[pa.Array, pa.Array]:
        """Return the documents of each kind, one after the other, and for each the row that asked for it."""
        import pyarrow.compute as pc

        wanted = self.lists.take(pc.index_in(firsts, value_set=self.firsts).combine_chunks())
        return wanted.flatten(), pc.list_parent_indices(wanted)


def _equal(a: pa.Array, b: pa.Array) -> pa.Table:
    """Return pairs whose every score is 1."""
    import pyarrow as pa

    ones = pa.repeat(1.0, len(a))
    return pa.table([a, b, ones, ones, ones], names=list(_COLUMNS))


def _sorted(table: pa.Table) -> pa.Table:
    table = table.combine_chunks()
    return table.take(_order(table["a"], table["b"]))


def _order(major: pa.Array | pa.ChunkedArray, minor: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return the order by two 32-bit numbers; one 64-bit key sorts faster than two columns."""
    import pyarrow.compute as pc

    return pc.sort_indices(pc.add(pc.shift_left(major.cast("uint64"), 32), minor.cast("uint64")))


def _joined(*columns: pa.Array | pa.ChunkedArray) -> pa.Array:
    import pyarrow as pa

    return pa.chunked_array([chunk for c in columns for chunk in (c.chunks if isinstance(c, pa.ChunkedArray) else [c])]).combine_chunks()
