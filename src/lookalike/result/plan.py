"""The removal plan: for every document, whether it is kept, or which kept document it duplicates.

A keep rule decides which document of a cluster stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from lookalike.engine.groups import check_order, grouped, principals
from lookalike.errors import RecipeError, suggest
from lookalike.presets import PRESETS, check_removal
from lookalike.tables.columns import as_bytes, compute, counting, numbers, scalar, shares, whole
from lookalike.tables.spelling import count

if TYPE_CHECKING:
    import os
    from typing import IO

    import pyarrow as pa

    from lookalike.result import Result
    from lookalike.tables.columns import Column, Found

__all__ = ["KEEP", "KeepRule", "Plan", "make_plan"]

KEEP: Final = ("first", "longest", "shortest", "newest", "oldest", "max:COLUMN", "min:COLUMN", "source:A,B,C")
"""The rules, as a person writes them."""

_LARGEST_FIRST: Final = ("longest", "newest", "max")


@dataclass(frozen=True, slots=True)
class KeepRule:
    """Which document of a cluster stays; ties are broken by the order of the documents.

    * ``first``: the one that comes first.
    * ``longest``, ``shortest``: by the length of the text.
    * ``newest``, ``oldest``: by a date, which is given: dates, times, years, or ISO texts such as 2024-02-29.
      ``newest:COLUMN`` says where it is.
    * ``max:COLUMN``, ``min:COLUMN``: by the largest or least value. Documents without a value, and NaN, come last.
    * ``source:A,B,C``: by where it comes from, A before B before C before anything else. A is a glob (``news/*``) or
      the beginning of the document's id. ``source:COLUMN=A,B,C`` matches the globs with the values of a column instead.

    >>> KeepRule.parse("max:stars")
    KeepRule(kind='max', column='stars', sources=())
    >>> KeepRule.parse("source:site=wiki,news-*")
    KeepRule(kind='source', column='site', sources=('wiki', 'news-*'))
    >>> KeepRule.parse("longst")
    Traceback (most recent call last):
        ...
    lookalike.errors.RecipeError: keep must be one of first, longest, shortest, newest, oldest, max:COLUMN, \
min:COLUMN, source:A,B,C, not 'longst'; did you mean 'longest'?
    """

    kind: str
    column: str | None = None
    """The column whose values decide, if the rule names one."""
    sources: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str | KeepRule) -> KeepRule:
        """Read a rule as a person writes it."""
        if isinstance(text, KeepRule):
            return text
        kind, colon, rest = str(text).partition(":")
        plain = kind in ("first", "longest", "shortest") and not colon
        dated = kind in ("newest", "oldest") and bool(rest) == bool(colon)
        if plain or dated or (kind in ("max", "min") and rest):
            return cls(kind, rest or None)
        if kind == "source" and rest:
            column, equals, names = rest.rpartition("=")
            sources = tuple(name.strip() for name in names.split(","))
            if all(sources) and bool(column) == bool(equals):
                return cls(kind, column or None, sources)
        raise RecipeError("keep", text, "one of " + ", ".join(KEEP), suggest(kind, [k.split(":")[0] for k in KEEP]))

    @classmethod
    def for_search(cls, keep: str | KeepRule | None, metric: str) -> KeepRule:
        """Return the rule that is written out; else ``first``, and ``longest`` for a search by containment.

        With containment the first document may be an excerpt of another, and the other would be lost.

        >>> [str(KeepRule.for_search(*one)) for one in ((None, "jaccard"), (None, "containment"))]
        ['first', 'longest']
        >>> str(KeepRule.for_search("first", "containment"))
        'first'
        """
        return cls("longest" if metric == "containment" else "first") if keep is None else cls.parse(keep)

    @property
    def needs_values(self) -> bool:
        """Whether `order` needs values: of the column, if the rule names one, else of a date."""
        return self.kind in ("newest", "oldest", "max", "min") or self.column is not None

    def __str__(self) -> str:
        """Return the rule as a person writes it."""
        sources = ",".join(self.sources)
        rest = "=".join(part for part in (self.column or "", sources) if part)
        return f"{self.kind}:{rest}" if rest else self.kind

    def order(self, ids: Column, lengths: Column | None, values: Any) -> tuple[Column, list[str]]:
        """Return the documents in order of preference, and notes for the user."""
        import pyarrow as pa

        notes: list[str] = []
        if self.kind == "first":
            return counting(len(ids)), notes
        if self.kind in ("longest", "shortest"):
            if lengths is None:
                raise RecipeError("keep", str(self), "'first': the lengths of these texts are not known")
            ranked = lengths
        elif self.kind == "source":
            ranked, notes = self._by_source(ids, values)
        else:
            ranked = self._comparable(self.values(values, len(ids)))
        direction = "descending" if self.kind in _LARGEST_FIRST else "ascending"
        keys = pa.table({"value": ranked, "place": counting(len(ids))})
        by = [("value", direction), ("place", "ascending")]
        order: Column = compute().sort_indices(keys, sort_keys=by).cast(pa.uint32())
        return order, notes

    def values(self, values: Any, documents: int) -> Column:
        """Return the values as a column, one for each document."""
        import pyarrow as pa

        what = f"the values of {self.column!r}" if self.column else "a value for each document"
        if values is None:
            hint = "name a column, as in newest:date" if self.column is None else ""
            raise RecipeError("keep", str(self), f"given with {what}", hint)
        try:
            made: Any = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise RecipeError("keep", str(self), f"given with {what} that can be compared", str(error)) from None
        column = whole(made)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if len(column) != documents:
            raise RecipeError("values", len(column), f"as many as there are documents, {documents}")
        return column

    def _comparable(self, column: Column) -> Column:
        """Return values that sort as the rule means them, with null for NaN."""
        import pyarrow as pa

        kind = column.type
        if pa.types.is_floating(kind):
            pc = compute()
            made: Column = pc.if_else(pc.is_nan(column), pa.scalar(None, kind), column)
            return made
        if self.kind in ("newest", "oldest") and _is_text(column):
            return _dates(column, str(self))
        if pa.types.is_nested(kind):
            raise RecipeError("keep", str(self), "given with values that can be compared", f"these are {kind}")
        return column

    def _by_source(self, ids: Column, values: Any) -> tuple[Column, list[str]]:
        """Return the rank of each document's source, null for others, and which sources there are none of."""
        import pyarrow as pa

        names = ids if self.column is None and values is None else self.values(values, len(ids))
        if not _is_text(names):
            hint = f"these are {names.type}; name a column, as in source:COLUMN=A,B"
            raise RecipeError("keep", str(self), "given with ids or sources that are texts", hint)
        encoded: Any = names.dictionary_encode()
        by_id = names is ids
        ranks = pa.array([self._rank(name, by_id=by_id) for name in encoded.dictionary.to_pylist()], pa.uint32())
        used = set(ranks.to_pylist())
        notes = [f"no document is from {name!r}" for rank, name in enumerate(self.sources) if rank not in used]
        return ranks.take(encoded.indices), notes

    def _rank(self, name: str, *, by_id: bool) -> int | None:
        for rank, pattern in enumerate(self.sources):
            if fnmatchcase(name, pattern) or (by_id and name.startswith(pattern)):
                return rank
        return None


def _is_text(column: Column) -> bool:
    import pyarrow as pa

    return pa.types.is_string(column.type) or pa.types.is_large_string(column.type)


def _dates(column: Column, rule: str) -> Column:
    """Return ISO texts as moments; one without a zone is taken as UTC."""
    import pyarrow as pa

    def moment(text: str | None) -> datetime | None:
        if text is None or not text.strip():
            return None
        try:
            read = datetime.fromisoformat(text.strip())
        except ValueError:
            hint = f"{text[:40]!r} is none"
            raise RecipeError("keep", rule, "given with dates such as 2024-02-29", hint) from None
        return read if read.tzinfo else read.replace(tzinfo=UTC)

    return pa.array([moment(text) for text in column.to_pylist()], pa.timestamp("us", "UTC"))


@dataclass(frozen=True)
class Plan:
    """What to keep and what to remove; nothing is removed by making one.

    >>> import lookalike as la
    >>> plan = la.find({"a": "one two three", "b": "One, two, three!", "c": "four"}).plan("longest")
    >>> plan
    <Plan: keep longest, 2 of 3 documents kept, 1 removed from 1 cluster>
    >>> plan.table.to_pylist()[0]
    {'id': 'a', 'kept': False, 'kept_id': 'b', 'score': 1.0, 'group': 0}
    """

    table: pa.Table
    """A row for each document, in their order; old documents, which are all kept, have none.

    * ``id``; ``kept``
    * ``kept_id``: the kept document that it duplicates; null for a kept one, and with `drop_all`
    * ``kept_old``, with `against`: whether that is an old document. If old ids are of another kind than new ones,
      ``kept_id`` has those of new documents only, and ``kept_old_id`` those of old ones.
    * ``score``: the exact score of the two; null for a kept one, and where only a chain of pairs links them
    * ``group``: the number of its cluster, null if it is in none
    """
    keep: str
    """The rule."""
    drop_all: bool = False
    """Whether whole clusters are removed."""
    notes: tuple[str, ...] = ()
    """Notes for the user."""
    without_text: int = 0
    """How many rows are kept because they have no text, and were compared with none."""

    def __repr__(self) -> str:
        """Return one line."""
        rule = "drop all" if self.drop_all else f"keep {self.keep}"
        removed = f"{self.removed:,} removed from {count(self.groups, 'cluster')}"
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
        """How many clusters there are."""
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
        format: str,  # noqa: A002 — the public name
        *,
        raw_csv: bool = False,
    ) -> None:
        """Write the table as csv, jsonl, parquet or md; see `Result.write_pairs`."""
        from lookalike.tables.write_table import write_table

        write_table(target, self.table, format, raw_csv=raw_csv)


def make_plan(
    result: Result, keep: str | KeepRule | None = None, *, values: Any = None, drop_all: bool = False
) -> Plan:
    """Return the plan of a result.

    The rule (see `KeepRule`; unless one is given ``first``, and with containment ``longest``) gives the order in which
    documents become representatives of stars, so every removed document was verified against the kept one; ``linked``
    clusters keep the one that the rule puts first. `values` has a value for each document: a column, a list, or
    anything that pyarrow takes.

    Old documents are always kept, whatever the rule, and new duplicates of them are removed. With `drop_all`, every
    new document that has a partner is removed, and the rule does not matter.
    """
    check_removal(result.threshold_preset, f"write result.rethreshold({PRESETS['prose'].threshold:g}).plan()")
    rule = KeepRule.for_search(keep, result.metric)
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
    """Return which documents are kept, and the number of the cluster of each."""
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
    # With drop_all the representative itself may be removed; then it is nobody's kept duplicate.
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
