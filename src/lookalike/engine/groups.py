"""Groups of documents from verified pairs."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lookalike import _native, checks
from lookalike.errors import RecipeError
from lookalike.tables.columns import as_bytes, compute, counting, joined, key, numbers, permutation, scalar, whole
from lookalike.tables.found import Found

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lookalike.tables.columns import Column
    from lookalike.tables.found import Metric

__all__ = ["Group", "Grouping", "Linkage", "group_documents", "groups", "principals"]

Linkage = Literal["star", "linked"]


@dataclass(frozen=True, slots=True)
class Group:
    """Documents that belong together: the principal one, and all members including it, in order."""

    principal: str | int
    members: tuple[str | int, ...]
    least: float | None = field(default=None, repr=False, compare=False)
    """The least score of a member to the principal; None if one of them was not compared with it (linked groups)."""

    def __len__(self) -> int:
        """Return the number of members."""
        return len(self.members)


class Grouping(NamedTuple):
    """Groups by the numbers of their documents: in the order of their first members, members in order."""

    documents: Column
    """The members, group after group."""
    groups: Column
    """For each of them, the number of its group."""
    starts: list[int]
    """Where in `documents` each group begins, and where the last one ends."""
    heads: Column
    """For each group, the number of its principal."""


def groups(
    documents: int, pairs: Iterable[tuple[int, int]], *, linkage: Linkage = "star", order: Sequence[int] | None = None
) -> list[Group]:
    """Return the groups that pairs of document numbers make; documents without a pair are in none.

    * ``star``: documents are taken by `order` (default 0, 1, 2 …); one that is free becomes a principal and takes its
      free partners. Every member was verified against its principal.
    * ``linked``: whatever a chain of pairs connects; the ends of a chain may have little in common.

    >>> groups(5, [(0, 1), (1, 2), (2, 3)])
    [Group(principal=0, members=(0, 1)), Group(principal=2, members=(2, 3))]
    >>> groups(5, [(0, 1), (1, 2), (2, 3)], linkage="linked")
    [Group(principal=0, members=(0, 1, 2, 3))]
    """
    import pyarrow as pa

    documents = checks.whole("documents", documents, 0, 2**32 - 2)
    listed = [tuple(pair) for pair in pairs]
    for pair in listed:
        if len(pair) != 2:
            raise RecipeError("pairs", pair, "two numbers each")
        for document in pair:
            checks.whole("a document of a pair", document, 0, documents - 1)
    a, b = (as_bytes(pa.array([pair[side] for pair in listed], pa.uint32())) for side in (0, 1))
    found = Found(as_bytes(counting(documents)), a, b, b"", b"", b"", len(listed))
    grouping = grouped(principals(found, linkage, check_order(order, documents)))
    return _named(grouping, counting(documents), None)


def group_documents(
    found: Found,
    ids: Column,
    *,
    linkage: Linkage,
    order: Sequence[int] | None,
    metric: Metric = "jaccard",
    old_from: int | None = None,
) -> list[Group]:
    """Return the groups of a search.

    Documents from `old_from` on are old: each is a principal of its own, and there is no group of old ones only.
    """
    ranked = check_order(order, found.documents)
    grouping = grouped(principals(found, linkage, ranked, metric=metric, old_from=old_from), old_from)
    heads = grouping.heads.take(grouping.groups)
    return _named(grouping, ids, found.score_between(grouping.documents, heads, metric))


def check_order(order: Sequence[int] | None, documents: int) -> Column | None:
    """Return an order as a column; an order that leaves out or repeats a document is an error."""
    if order is None:
        return None
    ranked = permutation(order)
    if ranked is None or len(ranked) != documents:
        raise RecipeError("order", order, f"every number from 0 to {documents - 1} once")
    return ranked


def principals(
    found: Found,
    linkage: Linkage,
    order: Column | None,
    *,
    metric: Metric = "jaccard",
    old_from: int | None = None,
) -> Column:
    """Return for each document the number of its principal: itself if it is one, or in no group."""
    documents = found.documents
    if order is None:
        order = counting(documents)
    if linkage == "linked":
        return _linked(found, order, documents if old_from is None else old_from)
    if linkage != "star":
        raise RecipeError("linkage", linkage, "'star' or 'linked'")
    if old_from is None or old_from >= documents:
        return numbers(_native.star(found.classes, found.a, found.b, as_bytes(order)))
    return _star_with_old(found, order, metric, old_from)


def _linked(found: Found, order: Column, old_from: int) -> Column:
    """Components of pairs and copies; the principal of each is the old one that `order` names first, else the new."""
    import pyarrow as pa

    pc = compute()
    every = counting(found.documents)
    component = numbers(_native.linked(len(every), found.a + as_bytes(every), found.b + found.classes))
    old = pc.greater_equal(order, scalar(old_from, pa.uint32()))
    order = joined(order.filter(old), order.filter(pc.invert(old)))
    rank = pc.sort_indices(order)  # the place of each document in the order
    first = pa.table({"component": component, "rank": rank}).group_by("component").aggregate([("rank", "min")])
    place = pc.index_in(component, value_set=whole(first["component"]))
    made: Column = order.take(whole(first["rank_min"]).take(place))
    return made


def _star_with_old(found: Found, order: Column, metric: Metric, old_from: int) -> Column:
    """Every old document is a principal; a new one joins the old one it is most like, and the rest are stars."""
    import pyarrow as pa

    pc = compute()
    every = counting(found.documents)
    kind, partner = _nearest_old(found, order, metric, old_from)
    free = pc.invert(pc.is_in(found.firsts, value_set=kind))
    pairs = found.table.filter(pc.and_(*(free.take(whole(found.table[side])) for side in "ab")))
    among_new = numbers(_native.star(found.classes, as_bytes(pairs["a"]), as_bytes(pairs["b"]), as_bytes(order)))
    place = pc.index_in(found.firsts, value_set=kind)
    of_new = pc.if_else(free, among_new, partner.take(place))
    made: Column = pc.if_else(pc.less(every, scalar(old_from, pa.uint32())), of_new, every)
    return made


def _nearest_old(found: Found, order: Column, metric: Metric, old_from: int) -> tuple[Column, Column]:
    """Return the kinds that have an old document or one among their partners, and the old one they are most like.

    Of equally similar ones it is the one that `order` names first.
    """
    import pyarrow as pa

    pc = compute()
    old = order.filter(pc.greater_equal(order, scalar(old_from, pa.uint32())))
    kinds_of_old = found.firsts.take(old)
    kinds, rank = pc.unique(kinds_of_old), pc.index_in(pc.unique(kinds_of_old), value_set=kinds_of_old)
    a, b, scores = numbers(found.a), numbers(found.b), found.scores(metric)
    rows = pa.table(
        {
            "kind": joined(kinds, a, b),
            "score": joined(pa.repeat(scalar(1.0, pa.float64()), len(kinds)), scores, scores),
            "rank": joined(rank, *(rank.take(pc.index_in(side, value_set=kinds)) for side in (b, a))),
        }
    )
    rows = rows.filter(pc.is_valid(rows["rank"]))
    ranked = rows.sort_by([("kind", "ascending"), ("score", "descending"), ("rank", "ascending")])
    best = ranked.group_by("kind", use_threads=False).aggregate([("rank", "first")])
    return whole(best["kind"]), old.take(whole(best["rank_first"]))


def grouped(principal: Column, old_from: int | None = None) -> Grouping:
    """Return the groups that the principals make, without those of one document and those of old documents only."""
    import pyarrow as pa

    pc = compute()
    every = counting(len(principal))
    led = pc.not_equal(principal, every)
    if old_from is not None:
        led = pc.and_(led, pc.is_in(principal, value_set=principal.slice(0, old_from)))
    heads = pc.unique(principal.filter(led))
    member = pc.is_in(principal, value_set=heads)
    documents, head = every.filter(member), principal.filter(member)
    heads = pc.unique(head)  # by first member now
    number = pc.index_in(head, value_set=heads).cast(pa.uint32())
    order = pc.sort_indices(key(number, documents))
    sizes = pc.value_counts(number.take(order)).field("counts")
    starts = [0, *pc.cumulative_sum(sizes).to_pylist()]
    return Grouping(documents.take(order), number.take(order), starts, heads)


def _named(grouping: Grouping, ids: Column, scores: Column | None) -> list[Group]:
    members: list[Any] = ids.take(grouping.documents).to_pylist()
    heads: list[Any] = ids.take(grouping.heads).to_pylist()
    least = _least(scores, grouping) if scores is not None else [None] * len(heads)
    ranges = pairwise(grouping.starts)
    return [Group(head, tuple(members[i:j]), low) for head, low, (i, j) in zip(heads, least, ranges, strict=True)]


def _least(scores: Column, grouping: Grouping) -> list[float | None]:
    """Return the least score of each group, None where one is unknown."""
    # Not by a kernel of Arrow: those that group load its datasets, and with them pandas.
    values: list[float | None] = scores.to_pylist()
    parts = (values[i:j] for i, j in pairwise(grouping.starts))
    return [None if None in part else min(part) for part in parts]  # type: ignore[type-var]
