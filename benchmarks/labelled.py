"""Collections in which people said what belongs together, and how well a score agrees with them.

A collection is a folder with documents.parquet (id, text) and either pairs.csv (a, b, label) or clusters.csv (id,
cluster). In pairs.csv the label "non" is a pair that does not belong together; where there is no such pair, and in
clusters, every pair that is not named counts as not belonging together.
"""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["STEPS", "Agreement", "Histogram", "Labelled", "read_collection", "read_collections"]

NOT_A_PAIR: Final = "non"
STEPS: Final = 1000
"""Scores are counted in steps of 1/1000."""

# Collections whose clusters name only some of what belongs together: precision against them would say nothing.
INCOMPLETE: Final = frozenset({"terms_versions"})


@dataclass(frozen=True, slots=True)
class Labelled:
    """A collection with labels. Documents are known by their number."""

    name: str
    texts: list[str] = field(repr=False)
    pairs: list[tuple[int, int, str]] = field(repr=False)
    """The labelled pairs, if they come as pairs."""
    clusters: list[int] = field(repr=False)
    """The cluster of each document, if they come as clusters."""

    @property
    def characters(self) -> int:
        """Length of all texts."""
        return sum(map(len, self.texts))

    @property
    def only_labelled(self) -> bool:
        """Whether only the labelled pairs are judged: the others are neither one nor the other."""
        return any(label == NOT_A_PAIR for _, _, label in self.pairs)

    @property
    def complete(self) -> bool:
        """Whether a pair without a label can be taken as not belonging together."""
        return self.name not in INCOMPLETE

    @property
    def positives(self) -> int:
        """How many pairs belong together."""
        if self.pairs:
            return sum(label != NOT_A_PAIR for _, _, label in self.pairs)
        return sum(n * (n - 1) // 2 for n in Counter(self.clusters).values())

    @property
    def negatives(self) -> int:
        """How many pairs do not."""
        if self.only_labelled:
            return len(self.pairs) - self.positives
        return len(self.texts) * (len(self.texts) - 1) // 2 - self.positives

    def together(self, table: pa.Table) -> pa.Array[Any] | pa.ChunkedArray[Any]:
        """Tell for each pair (a, b) of a table whether it belongs together."""
        if self.clusters:
            cluster = pa.array(self.clusters)
            return pc.equal(cluster.take(table["a"]), cluster.take(table["b"]))
        wanted = pa.array([self.key(a, b) for a, b, label in self.pairs if label != NOT_A_PAIR], type=pa.int64())
        return pc.is_in(self.keys(table), value_set=wanted)

    def key(self, a: int, b: int) -> int:
        """Return one number for a pair."""
        return min(a, b) * len(self.texts) + max(a, b)

    def keys(self, table: pa.Table) -> pa.ChunkedArray[Any]:
        """Return one number for each pair of a table."""
        a, b = (table[name].cast(pa.int64()) for name in ("a", "b"))
        return pc.add(pc.multiply(a, len(self.texts)), b)


def read_collections(folder: Path) -> list[Labelled]:
    """Read every collection of a folder, the smallest first."""
    found = [read_collection(path.parent) for path in sorted(folder.glob("*/documents.parquet"))]
    return sorted(found, key=lambda collection: collection.characters)


def read_collection(folder: Path) -> Labelled:
    """Read one collection."""
    table = pq.read_table(folder / "documents.parquet", columns=["id", "text"])
    ids, texts = ([str(value) for value in table[name].to_pylist()] for name in ("id", "text"))
    number = {name: i for i, name in enumerate(ids)}
    pairs_file, clusters_file = folder / "pairs.csv", folder / "clusters.csv"
    pairs: list[tuple[int, int, str]] = []
    clusters: list[int] = []
    if pairs_file.exists():
        pairs = [(number[row["a"]], number[row["b"]], row["label"]) for row in _rows(pairs_file)]
    elif clusters_file.exists():
        names: dict[str, int] = {}
        cluster = {row["id"]: names.setdefault(row["cluster"], len(names)) for row in _rows(clusters_file)}
        clusters = [cluster[name] for name in ids]
    return Labelled(folder.name, texts, pairs, clusters)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well a score agrees with the labels."""

    threshold: float
    """The one with the best F1."""
    precision: float
    recall: float
    f1: float
    auc: float


class Histogram:
    """How many pairs of each kind have a score of 0/1000, 1/1000 … 1000/1000."""

    def __init__(self) -> None:
        self.yes = [0] * (STEPS + 1)
        self.no = [0] * (STEPS + 1)

    @classmethod
    def of_labelled(cls, scored: list[tuple[float, bool]]) -> Histogram:
        """Count pairs one by one."""
        self = cls()
        for score, together in scored:
            (self.yes if together else self.no)[_step(score)] += 1
        return self

    @classmethod
    def of_found(cls, scores: pa.ChunkedArray[Any], collection: Labelled, table: pa.Table) -> Histogram:
        """Count the pairs of a search; those that it did not find have 0."""
        self = cls()
        steps = pc.cast(pc.floor(pc.add(pc.multiply(scores, float(STEPS)), 1e-9)), pa.int32())
        counted = pa.Table.from_arrays([steps, collection.together(table)], names=["step", "together"])
        counted = counted.group_by(["step", "together"]).aggregate([([], "count_all")])
        for row in counted.to_pylist():
            (self.yes if row["together"] else self.no)[row["step"]] += row["count_all"]
        self.yes[0] += collection.positives - sum(self.yes)
        self.no[0] += collection.negatives - sum(self.no)
        return self

    def at(self, threshold: float) -> tuple[float, float]:
        """Return precision and recall of the pairs that score at least this."""
        yes, no = sum(self.yes[_step(threshold) :]), sum(self.no[_step(threshold) :])
        return yes / max(1, yes + no), yes / max(1, sum(self.yes))

    def auc(self) -> float:
        """Return how often a pair that belongs together scores higher than one that does not; equal counts half."""
        lower = accumulate(self.no, initial=0)
        higher = sum(y * (below + n / 2) for y, n, below in zip(self.yes, self.no, lower, strict=False))
        return higher / max(1, sum(self.yes) * sum(self.no))

    def agreement(self, floor: float) -> Agreement:
        """Return the best threshold from `floor` on, below which scores are not known, and the area under the curve."""
        yes = list(accumulate(reversed(self.yes)))[::-1]  # with at least this score
        no = list(accumulate(reversed(self.no)))[::-1]
        first = max(1, _step(floor))
        best = max(range(first, STEPS + 1), key=lambda i: (2 * yes[i] / (yes[i] + no[i] + yes[0]), i))
        return Agreement(
            threshold=best / STEPS,
            precision=yes[best] / max(1, yes[best] + no[best]),
            recall=yes[best] / max(1, yes[0]),
            f1=2 * yes[best] / (yes[best] + no[best] + yes[0]),
            auc=self.auc(),
        )


def _step(score: float) -> int:
    return int(score * STEPS + 1e-9)
