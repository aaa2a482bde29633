"""Every kind of store, opened the same way: the contract tests run on each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import lookalike as la
from tests.index.postgres import server

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["KINDS", "Place", "places"]

KINDS = ("memory", "sqlite", "postgres")


@dataclass
class Place:
    """Where an index of one kind is."""

    kind: str
    where: str
    live: la.Index | None = None

    @property
    def lasts(self) -> bool:
        """Whether it is there after it was closed."""
        return self.kind != "memory"

    def open(self, **settings: Any) -> la.Index:
        """Open the index, or create it."""
        self.live = la.Index.open(self.where, **settings)
        return self.live


def places(kind: str, folder: Path) -> Callable[[], Place]:
    """Return what gives a new place for an index each time."""
    made = iter(range(10**9))

    def new() -> Place:
        if kind == "memory":
            return Place(kind, ":memory:")
        if kind == "sqlite":
            return Place(kind, str(folder / f"{next(made)}.db"))
        return Place(kind, server().new_schema())

    return new
