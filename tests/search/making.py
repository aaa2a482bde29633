"""Collections and comparisons that the tests of searches share."""

from __future__ import annotations

import os
import random
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.documents import Batch, Size, Skipped, Source
from lookalike.search import budget, search_run
from lookalike.tables.packed import Ids, Texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["RECIPE", "Listed", "answer", "mixed_pages", "spilling"]

RECIPE = la.Recipe(k=2, hashes=24)
"""Few hashes: few bands, and little to write."""


def mixed_pages(count: int, seed: int) -> list[str]:
    """Return texts with copies and near-copies among them, with quotes, with short and empty ones."""
    rng = random.Random(seed)
    found: list[str] = ["", "one", ""]
    while len(found) < count:
        words = [f"w{rng.randrange(300)}" for _ in range(rng.randrange(3, 40))]
        if rng.random() < 0.2:
            words.insert(rng.randrange(len(words)), "“the tide rises because the moon pulls the water”")
        if rng.random() < 0.3:
            words.insert(0, "this sheet was given to everybody in the room")
        found.append(" ".join(words))
        if rng.random() < 0.5:
            words[rng.randrange(len(words))] = "changed"
            found.append(" ".join(words))
        if rng.random() < 0.2:
            found.append(found[-1].upper())
    return found[:count]


def answer(result: la.Result) -> dict[str, Any]:
    """Return all that a search says, as plain values that can be compared."""
    return {
        "pairs": result.pairs.to_pylist(),
        "groups": [(group.principal, group.members, group.least) for group in result.groups],
        "ids": result.ids.to_pylist(),
        "skipped": list(result.skipped),
        "notes": list(result.notes),
        "flags": result.flags,
        "method": result.method,
        "bands": result.bands,
        "candidates": result.candidates,
        "lengths": list(result.lengths or ()),
        "ignored": result.excluded_shingles,
        "short": (result.short_passage_count, result.short_passage_pairs),
    }


@contextmanager
def spilling(*, held: int = 4_000, block: int = 4_000) -> Iterator[None]:
    """Let every search with `memory` or `work` go to files, and verify `held` bytes of sets at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_run, "LEAST_MEMORY", block)
        patch.setattr(budget, "LEAST_MEMORY", block)
        patch.setattr(search_run.Run, "_is_too_large", lambda run, _: run._memory is not None)
        patch.setattr(search_run.Run, "_held", lambda *_: held)
        for name in ("fsync", "fdatasync"):  # no test cuts the power
            patch.setattr(os, name, lambda _: None)
        yield


class Listed(Source):
    """Texts in batches of any sizes, read through Python; what it does when is for tests to change."""

    name = "the source"

    def __init__(self, texts: Sequence[str], sizes: Sequence[int] = (7,)) -> None:
        """Take texts, and the sizes of batches, used in turn."""
        self.texts, self.sizes = list(texts), list(sizes)
        self.reads = 0

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        """Give the texts."""
        self.reads += 1
        start = turn = 0
        while start < len(self.texts):
            end = min(start + self.sizes[turn % len(self.sizes)], len(self.texts))
            yield Batch(Ids(range(start, end)), Texts.of(self.texts[start:end]))
            start, turn = end, turn + 1

    def skipped(self) -> list[Skipped]:
        """Nothing."""
        return []

    def notes(self) -> list[str]:
        """Nothing."""
        return []

    def size(self) -> Size:
        """Say it as it is."""
        return Size(len(self.texts), sum(map(len, self.texts)))
