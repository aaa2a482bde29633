"""Every kind of store, opened the same way: the contract tests run on each."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import lookalike as la
from tests.index.postgres import server

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["KINDS", "Place", "check", "collection", "places"]

KINDS = ("memory", "sqlite", "postgres")
_WORDS = [f"w{number}" for number in range(3000)]


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


def collection(size: int, seed: int = 7) -> dict[str, str]:
    """Return documents of which many are edited copies of others, with short and empty ones among them."""
    rng = random.Random(seed)
    made: dict[str, str] = {}
    for number in range(size):
        if made and rng.random() < 0.4:
            words = rng.choice(list(made.values())).split()
            for _ in range(rng.randrange(12)):
                words[rng.randrange(len(words))] = rng.choice(_WORDS)
        else:
            words = rng.choices(_WORDS, k=rng.randrange(20, 120))
        made[f"d{number}"] = " ".join(words)
    return made | {
        "empty": "",
        "blank": " \n",
        "short": "one two",
        "short again": "One, two!",
        "日本": "日本語 の 文章",
    }


def check(index: la.Index) -> None:
    """Look at the whole index, as at the end of every test."""
    found = index.verify()
    assert found.ok, found.problems
    assert found.documents == len(index)
    index.close()
