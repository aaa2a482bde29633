"""Collections in which people said what belongs together.

A collection is a folder with documents.parquet (id, text) and either pairs.csv (a, b, label) or clusters.csv (id,
cluster). In pairs.csv the label "non" is a pair that does not belong together; where there is no such pair, and in
clusters, every pair that is not named counts as not belonging together.
"""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["KIND", "NOT_A_PAIR", "Labelled", "read_collection", "read_collections"]

NOT_A_PAIR: Final = "non"

KIND: Final = {
    "articles_100": "prose",  # news articles with planted copies
    "articles_1000": "prose",
    "articles_2500": "prose",
    "short_answers": "edited",  # a source rewritten by hand: cut, lightly and heavily revised
    "ocr_pages": "edited",  # a page read by a person and by two machines: letters differ here and there
    "terms_versions": "edited",  # contracts revised over the years
    "licences": "edited",  # one licence with other names, layouts and clauses
    "java_homework": "code",
    "laws_zh": "cjk",
}
"""The kind of text of each collection, by its own README: the preset of this name is made for it."""

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
    def kind(self) -> str | None:
        """The preset that is made for such texts; none for a collection that is not known here."""
        return KIND.get(self.name)

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
