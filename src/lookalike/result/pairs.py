"""From the pairs of the core to the pairs that a person sees: copies come back, each as a document of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from lookalike.tables.columns import as_bytes, compute, counting, joined, key, scalar, whole
from lookalike.tables.found import Found

if TYPE_CHECKING:
    import pyarrow as pa

    from lookalike.result.result import Result
    from lookalike.tables.columns import Chunks, Column

    Lists: TypeAlias = pa.LargeListArray[Any]

__all__ = ["COLUMNS", "MOST_COPIES", "Listed", "only_pairs", "pairs_of"]

MOST_COPIES: Final = 1_000_000
"""Pairs between copies are all listed up to this many; beyond, each copy is listed with the first of its kind only."""

COLUMNS: Final = ("a", "b", "jaccard", "containment_a", "containment_b")


class Listed(NamedTuple):
    """Pairs by the numbers of their documents, sorted, and which pairs of copies are among them."""

    table: pa.Table
    copies: Literal["all", "first"]


def pairs_of(found: Found, old_from: int | None = None) -> Listed:
    """Return all pairs by number, sorted by a, then b; of two documents from `old_from` on there is none."""
    import pyarrow as pa

    if not len(found.copies):
        return Listed(_without_old(found.table, old_from), "all")
    kinds = _Kinds(found, old_from)
    listed: Literal["all", "first"]
    if kinds.added() <= MOST_COPIES:
        listed, tables = "all", [kinds.single_pairs, *kinds.near_pairs(), kinds.equal_pairs()]
    else:
        listed, tables = "first", [found.table, _equal(found.firsts.take(found.copies), found.copies)]
    table = _without_old(pa.concat_tables(tables), old_from)
    return Listed(table.take(compute().sort_indices(key(table["a"], table["b"]))), listed)


class _Kinds:
    """For each kind of document that has copies, or a partner that has: the list of its documents."""

    def __init__(self, found: Found, old_from: int | None) -> None:
        import pyarrow as pa

        pc = compute()
        with_copies = pc.unique(found.firsts.take(found.copies))
        met = pc.or_(*(pc.is_in(whole(found.table[side]), value_set=with_copies) for side in "ab"))
        self.partners = found.table.filter(met)  # the pairs that stand for several
        self.single_pairs = found.table.filter(pc.invert(met))
        firsts = pc.unique(joined(with_copies, self.partners["a"], self.partners["b"]))
        kind, document = joined(firsts, found.firsts.take(found.copies)), joined(firsts, found.copies)
        order = pc.sort_indices(key(kind, document))
        counted = pc.value_counts(kind.take(order))
        self.firsts: Column = counted.field("values")
        starts: Any = joined(_zero(), pc.cumulative_sum(counted.field("counts")))
        self.members: Lists = pa.LargeListArray.from_arrays(starts, document.take(order))
        new = pc.less(self.members.values, scalar(found.documents if old_from is None else old_from, pa.uint32()))
        self.new, self.old = self._part(new), self._part(pc.invert(new))

    def _part(self, chosen: Column) -> Lists:
        """Return the lists with the chosen members only."""
        import pyarrow as pa

        before = joined(_zero(), compute().cumulative_sum(chosen.cast(pa.int64())))
        starts: Any = before.take(self.members.offsets)
        return pa.LargeListArray.from_arrays(starts, self.members.values.filter(chosen))

    def added(self) -> int:
        """Count the pairs that copies add, if all are listed: all pairs without those of two old documents."""
        import pyarrow as pa

        pc = compute()
        one, two = scalar(1, pa.int64()), scalar(2, pa.int64())
        total = -self.partners.num_rows
        for lists, sign in ((self.members, 1), (self.old, -1)):
            sizes = pc.list_value_length(lists)
            equal = pc.divide(pc.multiply(sizes, pc.subtract(sizes, one)), two)
            a, b = (sizes.take(self._place(self.partners[side])) for side in "ab")
            total += sign * ((pc.sum(equal).as_py() or 0) + (pc.sum(pc.multiply(a, b)).as_py() or 0))
        return total

    def near_pairs(self) -> list[pa.Table]:
        """Repeat each near pair for the copies of its two documents, but for two old ones."""
        import pyarrow as pa

        pc = compute()
        new_of_b = pc.list_value_length(self.new).take(self._place(self.partners["b"]))
        some_new = pc.greater(new_of_b, scalar(0, pa.int64()))
        return [
            self._product(self.partners, self.new, self.members),
            self._product(self.partners.filter(some_new), self.old, self.new),
        ]

    def _product(self, pairs: pa.Table, left: Lists, right: Lists) -> pa.Table:
        """Repeat each pair for all members of the one list and all of the other."""
        import pyarrow as pa

        pc = compute()
        x, row = _flat(left.take(self._place(pairs["a"])))
        y, again = _flat(right.take(self._place(whole(pairs["b"]).take(row))))
        x, row = x.take(again), row.take(again)
        jaccard, in_b, in_a = (whole(pairs[name]).take(row) for name in COLUMNS[2:])
        turned = pc.greater(x, y)
        ends = [pc.if_else(turned, y, x), pc.if_else(turned, x, y)]
        contained = [pc.if_else(turned, in_a, in_b), pc.if_else(turned, in_b, in_a)]
        return pa.table([*ends, jaccard, *contained], names=list(COLUMNS))

    def equal_pairs(self) -> pa.Table:
        """Return every pair of copies, but for two old ones."""
        x, kind = _flat(self.new)
        y, row = _flat(self.members.take(kind))
        x = x.take(row)
        ordered = compute().less(x, y)
        return _equal(x.filter(ordered), y.filter(ordered))

    def _place(self, firsts: Column | Chunks) -> Column:
        made: Column = compute().index_in(whole(firsts), value_set=self.firsts)
        return made


def _zero() -> Column:
    import pyarrow as pa

    made: Column = pa.repeat(scalar(0, pa.int64()), 1)
    return made


def _flat(lists: Lists) -> tuple[Column, Column]:
    """Return the members of all lists, one after the other, and for each the number of its list."""
    return lists.flatten(), compute().list_parent_indices(lists)


def _equal(a: Column, b: Column) -> pa.Table:
    """Return pairs whose every score is 1."""
    import pyarrow as pa

    ones = pa.repeat(scalar(1.0, pa.float64()), len(a))
    return pa.table([a, b, ones, ones, ones], names=list(COLUMNS))


def _without_old(table: pa.Table, old_from: int | None) -> pa.Table:
    """Return the pairs of which at least one document is new; it is a, because the new ones come first."""
    if old_from is None:
        return table
    import pyarrow as pa

    return table.filter(compute().less(table["a"], scalar(old_from, pa.uint32())))


def only_pairs(result: Result, kept: Column) -> Result:
    """Return the result with the pairs that the mask `kept` has; it is as long as `Result.pairs`.

    Each document stands by itself in what comes back, because a pair of copies may be left out too.
    """
    import pyarrow as pa

    pc = compute()
    pairs = result.pairs
    for column, name in enumerate("ab"):
        place = pc.index_in(whole(pairs[name]), value_set=result.ids).cast(pa.uint32())
        pairs = pairs.set_column(column, name, place)
    columns = {
        name: as_bytes(column) for name, column in zip(pairs.column_names, pairs.filter(kept).columns, strict=True)
    }
    found = Found(classes=as_bytes(counting(result.documents)), candidates=result.candidates, **columns)
    return result.with_found(found)
