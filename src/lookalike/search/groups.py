"""Groups of documents from verified pairs."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from lookalike import _native
from lookalike.errors import RecipeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Group", "Linkage", "group_documents", "groups"]

Linkage = Literal["star", "linked"]


@dataclass(frozen=True, slots=True)
class Group:
    """Documents that belong together: the principal one, and all members including it, in order."""

    principal: str | int
    members: tuple[str | int, ...]

    def __len__(self) -> int:
        """Return the number of members."""
        return len(self.members)


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
    listed = list(pairs)
    for pair in listed:
        if not all(0 <= document < documents for document in pair):
            raise RecipeError("pairs", pair, f"numbers of documents from 0 to {documents - 1}")
    a, b = array("I", (x for x, _ in listed)), array("I", (y for _, y in listed))
    classes = array("I", range(documents))
    return group_documents(classes.tobytes(), a.tobytes(), b.tobytes(), list(range(documents)), linkage, order)


def group_documents(
    classes: bytes,
    a: bytes,
    b: bytes,
    ids: Sequence[str] | Sequence[int],
    linkage: Linkage,
    order: Sequence[int] | None,
) -> list[Group]:
    """Return the groups of a search.

    `classes` names the first copy of each document; `a` and `b` are pairs of such firsts.
    """
    documents = len(ids)
    ranked = array("I", range(documents) if order is None else order)
    if sorted(ranked) != list(range(documents)):
        raise RecipeError("order", order, f"every number from 0 to {documents - 1} once")
    if linkage == "star":
        principal = array("I", _native.star(classes, a, b, ranked.tobytes()))
    elif linkage == "linked":
        principal = _linked(documents, classes, a, b, ranked)
    else:
        raise RecipeError("linkage", linkage, "'star' or 'linked'")
    members: dict[int, list[int]] = {}
    for document, head in enumerate(principal):
        members.setdefault(head, []).append(document)
    found = sorted((m[0], head, m) for head, m in members.items() if len(m) > 1)
    return [Group(ids[head], tuple(ids[i] for i in same)) for _, head, same in found]


def _linked(documents: int, classes: bytes, a: bytes, b: bytes, ranked: array[int]) -> array[int]:
    """Components of pairs and copies; the principal of each is the member that `ranked` names first."""
    copies = array("I", range(documents))
    component = array("I", _native.linked(documents, a + copies.tobytes(), b + classes))
    head: dict[int, int] = {}
    for document in ranked:
        head.setdefault(component[document], document)
    return array("I", (head[c] for c in component))
