"""The tasks: what every engine is asked, on which collection, with which parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from benchmarks.measure import is_quick

if TYPE_CHECKING:
    from benchmarks.rivals.corpora import Name

__all__ = ["Job", "Kind", "Sizes", "jobs"]

Kind = Literal["signatures", "search", "exact", "queries"]


@dataclass(frozen=True, slots=True)
class Job:
    """One task, for all engines."""

    name: str
    kind: Kind
    collection: Name
    documents: int
    unit: Literal["word", "char"]
    k: int
    threshold: float
    hashes: int = 128
    """What rivals are given; lookalike searches with its default, 256."""
    indexed: int = 0
    """Queries: so many documents make the index; the others ask."""

    @property
    def threads(self) -> int:
        """Signatures are made on one core; all else may use two."""
        return 1 if self.kind == "signatures" else 2


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many documents, how often, and how long an engine may take."""

    signatures: int = 2_000
    small: int = 10_000
    large: int = 100_000
    other: int = 10_000
    """For the tasks on special texts, the exact join and the queries."""
    repeats: int = 5
    patience: float = 20.0
    """An engine that has taken so many seconds for a task is not asked again."""
    budget: float = float("inf")
    """When so many seconds have passed, set-up included, every engine is asked once only."""
    limit: float = 900.0
    expected: float = 240.0
    """A search that is expected to take an engine longer than this, by an earlier one, is not asked of it."""
    slow: float = float("inf")
    """An engine that took longer than this for a search is asked for no other: a quick run has little time."""

    @classmethod
    def wanted(cls) -> Sizes:
        """Return what QUICK says."""
        if is_quick():
            sizes = {"signatures": 300, "small": 1_000, "large": 5_000, "other": 1_000}
            return cls(**sizes, repeats=2, patience=2.0, budget=240.0, limit=60.0, expected=40.0, slow=8.0)
        return cls()


def jobs(sizes: Sizes) -> list[Job]:
    """Return all tasks, the small ones first."""
    signatures: Final = [
        Job(f"signatures, {unit} k={k}, {hashes}", "signatures", "pages", sizes.signatures, unit, k, 0.5, hashes)
        for unit, k in _UNITS
        for hashes in (128, 256)
    ]
    searches = [
        Job(f"search {threshold:g}, {_short(count)} pages", "search", "pages", count, "word", 5, threshold)
        for count in (sizes.small, sizes.large)
        for threshold in (0.8, 0.5)
    ]
    count, queries = sizes.other, sizes.other // 10
    return [
        *signatures,
        *searches[:2],
        Job(f"tweets 0.5, {_short(count)}", "search", "tweets", count, "word", 2, 0.5),
        Job(f"templates 0.8, {_short(count)}", "search", "templates", count, "word", 5, 0.8),
        Job(f"Chinese 0.8, {_short(count)}", "search", "chinese", count, "char", 5, 0.8),
        Job(f"exact join 0.8, {_short(count)}", "exact", "pages", count, "word", 5, 0.8),
        Job(f"{queries:,} queries", "queries", "pages", count + queries, "word", 5, 0.8, indexed=count),
        *searches[2:],
    ]


_UNITS: Final[tuple[tuple[Literal["word", "char"], int], ...]] = (("word", 5), ("char", 9))


def _short(count: int) -> str:
    return f"{count // 1000} k" if count >= 1000 and count % 1000 == 0 else f"{count:,}"
