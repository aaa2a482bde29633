"""Clusters of documents, from verified pairs. In code a cluster is a group, and its representative the principal."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lookalike import _native
from lookalike.errors import RecipeError, check_whole
from lookalike.tables.columns import DocumentIds, Found, Pairs
from lookalike.tables.packed import Ids

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lookalike.tables.columns import Metric

__all__ = [
    "Group",
    "Grouping",
    "Linkage",
    "check_order",
    "grouped",
    "grouping_of",
    "groups",
    "name_groups",
    "principals",
]

Linkage = Literal["star", "linked"]


@dataclass(frozen=True, slots=True)
class Group:
    """A cluster of documents: its representative, called principal, and all members including it, in order."""

    principal: str | int
    members: tuple[str | int, ...]
    least: float | None = field(default=None, repr=False, compare=False)
    """The least score of a member to the representative; None if one was not compared with it (linked clusters)."""
    members_old: tuple[bool, ...] = field(default=(), repr=False)
    """Whether each member is an old document; empty if there was no `against`."""
    principal_old: bool = field(default=False, repr=False)
    """Whether the representative is an old document."""

    def __len__(self) -> int:
        """Return the number of members."""
        return len(self.members)


class Grouping(NamedTuple):
    """Clusters by the numbers of their documents: in the order of their first members, members in order.

    Every array is u32, little-endian.
    """

    documents: bytes
    """The members, cluster by cluster."""
    starts: bytes
    """Where in `documents` each cluster begins, and where the last one ends."""
    heads: bytes
    """For each cluster, the number of its representative."""

    @property
    def size(self) -> int:
        """How many clusters there are."""
        return len(self.heads) // 4

    def largest(self, most: int) -> Grouping:
        """Return the clusters with the most members, the largest first; equal ones in their order."""
        starts, documents, heads = _numbers(self.starts), _numbers(self.documents), _numbers(self.heads)
        sizes = [end - start for start, end in pairwise(starts)]
        chosen = nsmallest(most, range(len(sizes)), key=lambda group: (-sizes[group], group))
        members, ends = array("I"), array("I", [0])
        for group in chosen:
            members.extend(documents[starts[group] : starts[group + 1]])
            ends.append(len(members))
        return Grouping(members.tobytes(), ends.tobytes(), array("I", [heads[group] for group in chosen]).tobytes())


def _numbers(data: bytes) -> memoryview:
    return memoryview(data).cast("I")


def groups(
    documents: int, pairs: Iterable[tuple[int, int]], *, linkage: Linkage = "star", order: Sequence[int] | None = None
) -> list[Group]:
    """Return the clusters that pairs of document numbers form; documents without a pair are in none.

    * ``star``: documents are taken by `order` (default 0, 1, 2 …); one that is free becomes a representative
      (`principal`) and takes its free partners. Every member was verified against its representative.
    * ``linked``: whatever a chain of pairs connects; the ends of a chain may have little in common.

    >>> groups(5, [(0, 1), (1, 2), (2, 3)])
    [Group(principal=0, members=(0, 1)), Group(principal=2, members=(2, 3))]
    >>> groups(5, [(0, 1), (1, 2), (2, 3)], linkage="linked")
    [Group(principal=0, members=(0, 1, 2, 3))]
    """
    documents = check_whole("documents", documents, 0, 2**32 - 2)
    listed = [tuple(pair) for pair in pairs]
    for pair in listed:
        if len(pair) != 2:
            raise RecipeError("pairs", pair, "two numbers each")
        for document in pair:
            check_whole("a document of a pair", document, 0, documents - 1)
    a, b = (array("I", [pair[side] for pair in listed]).tobytes() for side in (0, 1))
    unknown = bytes(8 * len(listed))
    found = Found.of_pairs(documents, Pairs(a, b, unknown, unknown, unknown), len(listed))
    grouping = grouped(principals(found, linkage, check_order(order, documents)))
    return _named(grouping, DocumentIds(Ids(range(documents))), [None] * grouping.size)


def grouping_of(
    found: Found,
    *,
    linkage: Linkage,
    order: Sequence[int] | None,
    metric: Metric = "jaccard",
    old_from: int | None = None,
) -> Grouping:
    """Return the clusters of a search, by number.

    Documents from `old_from` on are old: each represents only itself, and no cluster consists of old ones only.
    """
    ranked = check_order(order, found.documents)
    return grouped(principals(found, linkage, ranked, metric=metric, old_from=old_from), old_from)


def name_groups(found: Found, grouping: Grouping, ids: DocumentIds, metric: Metric) -> list[Group]:
    """Return clusters with the ids of their documents, and the least score in each."""
    least = _native.least_scores(found.classes, found.pairs.columns, grouping, metric == "containment")
    return _named(grouping, ids, [None if math.isnan(score) else score for score in memoryview(least).cast("d")])


def check_order(order: Sequence[int] | None, documents: int) -> bytes | None:
    """Return an order as u32; an order that leaves out or repeats a document is an error.

    >>> list(check_order([2, 0, 1], 3))
    [2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    """
    if order is None:
        return None
    values: Any = order.to_pylist() if hasattr(order, "to_pylist") else order
    try:
        ranked = array("I", values)
    except (OverflowError, TypeError, ValueError):
        ranked = array("I")
    if len(ranked) != documents or len(set(ranked)) != documents or (documents and max(ranked) != documents - 1):
        raise RecipeError("order", order, f"every number from 0 to {documents - 1} once")
    return ranked.tobytes()


def principals(
    found: Found,
    linkage: Linkage,
    order: bytes | None,
    *,
    metric: Metric = "jaccard",
    old_from: int | None = None,
) -> bytes:
    """Return for each document the number of its representative, u32: itself if it is one, or in no cluster."""
    if linkage not in ("star", "linked"):
        raise RecipeError("linkage", linkage, "'star' or 'linked'")
    documents = found.documents
    if order is None:
        order = array("I", range(documents)).tobytes()
    old = documents if old_from is None else old_from
    return _native.principals(found.classes, found.pairs.columns, order, linkage, metric == "containment", old)


def grouped(principal: bytes, old_from: int | None = None) -> Grouping:
    """Return the clusters of the given representatives, without those of one document or of old documents only."""
    return Grouping(*_native.grouped(principal, len(principal) // 4 if old_from is None else old_from))


def _named(grouping: Grouping, ids: DocumentIds, least: Sequence[float | None]) -> list[Group]:
    documents, principals = _numbers(grouping.documents), _numbers(grouping.heads)
    members, heads = ids.take(documents), ids.take(principals)
    ranges = pairwise(_numbers(grouping.starts))
    if ids.old is None:
        return [Group(head, tuple(members[i:j]), low) for head, low, (i, j) in zip(heads, least, ranges, strict=True)]
    old = list(map(ids.is_old, documents))
    return [
        Group(head, tuple(members[i:j]), low, tuple(old[i:j]), ids.is_old(number))
        for head, number, low, (i, j) in zip(heads, principals, least, ranges, strict=True)
    ]
