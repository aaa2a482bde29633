"""The removal plan: for every document, whether it is kept, or in favour of which kept one it is removed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lookalike.engine.groups import check_order, grouped, principals
from lookalike.result.keep import KeepRule
from lookalike.tables.number_columns import as_bytes, compute, counting, numbers, scalar, shares, whole
from lookalike.tables.wording import count

if TYPE_CHECKING:
    import os
    from typing import IO

    import pyarrow as pa

    from lookalike.result import Result
    from lookalike.tables.found import Found
    from lookalike.tables.number_columns import Column

__all__ = ["Plan", "make_plan"]


@dataclass(frozen=True)
class Plan:
    """What to keep and what to remove; nothing is removed by making one.

    >>> import lookalike as la
    >>> plan = la.find({"a": "one two three", "b": "One, two, three!", "c": "four"}).plan("longest")
    >>> plan
    <Plan: keep longest, 2 of 3 documents kept, 1 removed from 1 group>
    >>> plan.table.to_pylist()[0]
    {'id': 'a', 'kept': False, 'kept_id': 'b', 'score': 1.0, 'group': 0}
    """

    table: pa.Table
    """A row for each document, in their order; old documents, which are all kept, have none.

    * ``id``; ``kept``
    * ``kept_id``: the kept document in whose favour it is removed; null for a kept one, and with `drop_all`
    * ``kept_old``, with `against`: whether that is an old document. If old ids are of another kind than new ones,
      ``kept_id`` has those of new documents only, and ``kept_old_id`` those of old ones.
    * ``score``: the exact score of the two; null for a kept one, and where only a chain of pairs links them
    * ``group``: the number of its group, null if it is in none
    """
    keep: str
    """The rule."""
    drop_all: bool = False
    """Whether groups are removed whole."""
    notes: tuple[str, ...] = ()
    """What should be said about it."""
    without_text: int = 0
    """How many rows are kept because they have no text, and were compared with none."""

    def __repr__(self) -> str:
        """Return one line."""
        rule = "drop all" if self.drop_all else f"keep {self.keep}"
        removed = f"{self.removed:,} removed from {count(self.groups, 'group')}"
        return f"<Plan: {rule}, {self.kept:,} of {count(self.documents, 'document')} kept, {removed}>"

    @property
    def documents(self) -> int:
        """How many documents there are, without old ones."""
        return self.table.num_rows

    @cached_property
    def kept(self) -> int:
        """How many documents are kept."""
        return compute().sum(self.kept_mask).as_py() or 0

    @property
    def removed(self) -> int:
        """How many documents are removed."""
        return self.documents - self.kept

    @cached_property
    def groups(self) -> int:
        """How many groups there are."""
        return compute().count_distinct(self.table["group"]).as_py() or 0

    @cached_property
    def kept_mask(self) -> Column:
        """Whether each document is kept."""
        return whole(self.table["kept"])

    @cached_property
    def removed_ids(self) -> Column:
        """The ids of the documents to remove, in order."""
        made: Column = whole(self.table["id"]).filter(compute().invert(self.kept_mask))
        return made

    @cached_property
    def removals(self) -> pa.Table:
        """The rows of the removed documents: id, kept_id, score, group."""
        return self.table.filter(compute().invert(self.kept_mask)).drop_columns(["kept"])

    def write(
        self,
        target: str | os.PathLike[str] | IO[bytes] | IO[str],
        format: str,  # noqa: A002 — as everywhere
        *,
        raw_csv: bool = False,
    ) -> None:
        """Write the table as csv, jsonl, parquet or md; see `Result.write_pairs`."""
        from lookalike.tables.write_table import write_table

        write_table(target, self.table, format, raw_csv=raw_csv)


def make_plan(result: Result, keep: str | KeepRule = "first", *, values: Any = None, drop_all: bool = False) -> Plan:
    """Return the plan of a result.

    The rule (see `KeepRule`) gives the order in which documents become principals of stars, so every removed document
    was verified against the kept one; ``linked`` groups keep the one that the rule puts first. `values` has a value for
    each document: a column, a list, or anything that pyarrow takes.

    Old documents are always kept, whatever the rule, and new ones are removed in their favour. With `drop_all`, every
    new document that has a partner is removed, and the rule does not matter.
    """
    rule = KeepRule.parse(keep)
    ranked, notes = rule.order(result.id_of.as_texts_if_mixed(), result.lengths, values)
    order: bytes | None = as_bytes(ranked)
    if rule.kind == "first" and result.order is not None:
        order = check_order(result.order, result.documents)
    linkage = "linked" if drop_all else result.linkage
    as_searched = linkage == "linked" or (rule.kind == "first" and result.order is None)
    found = result.found_in_order(None if as_searched else order, f"keep={str(rule)!r}")
    head = principals(found, linkage, order, metric=result.metric, old_from=result.old_from)
    kept, group = _decide(head, result.old_from, drop_all=drop_all)
    return Plan(_table(result, found, head, kept, group), str(rule), drop_all, tuple(notes))


def _decide(principal: bytes, old_from: int | None, *, drop_all: bool) -> tuple[Column, Column]:
    """Return which documents are kept, and the number of the group of each."""
    import pyarrow as pa

    pc = compute()
    head, grouping = numbers(principal), grouped(principal, old_from)
    every, documents = counting(len(head)), numbers(grouping.documents)
    starts: Any = numbers(grouping.starts).cast(pa.int64())
    group = pc.list_parent_indices(pa.LargeListArray.from_arrays(starts, documents)).cast(pa.uint32())
    group = group.take(pc.index_in(every, value_set=documents))
    kept = pc.is_null(group) if drop_all else pc.or_(pc.is_null(group), pc.equal(head, every))
    if old_from is not None:
        kept = pc.or_(kept, pc.greater_equal(every, scalar(old_from, pa.uint32())))
    return kept, group


def _table(result: Result, found: Found, principal: bytes, kept: Column, group: Column) -> pa.Table:
    import pyarrow as pa

    pc = compute()
    head = numbers(principal)
    # With drop_all the principal itself may be removed; then nobody is removed in its favour.
    in_favour = pc.and_(pc.invert(kept), kept.take(head))
    favoured = pc.if_else(in_favour, head, pa.nulls(1, head.type)[0])
    every = as_bytes(counting(len(head)))
    scores = shares(found.score_between(every, principal, result.metric))
    known = pc.and_not(in_favour, pc.is_nan(scores))
    columns: dict[str, Any] = {
        "kept": kept,
        **_kept_ids(result, favoured),
        "score": pc.if_else(known, scores, pa.nulls(1, pa.float64())[0]),
        "group": group,
    }
    new = len(result.ids)
    return pa.table({"id": result.ids} | {name: column.slice(0, new) for name, column in columns.items()})


def _kept_ids(result: Result, favoured: Column) -> dict[str, Column]:
    """Return the columns that name the kept documents: ``kept_id`` and, with old documents, ``kept_old``."""
    made = result.id_of.arrow_columns("kept_id", favoured)
    return {name.replace("kept_id_old", "kept_old"): column for name, column in made.items()}
