"""What a search will take, before it runs."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from lookalike import _native
from lookalike.documents import open_documents
from lookalike.recipe import DEFAULT, Recipe
from lookalike.search.budget import PAGE, memory_needed
from lookalike.search.find import choose_strategy
from lookalike.settings import settings

if TYPE_CHECKING:
    from lookalike.documents import Batch
    from lookalike.search.bands import Bands
    from lookalike.search.found import Metric

__all__ = ["Cost", "estimate_cost"]

SAMPLE = 2
"""Batches that are read and signed to learn how fast this machine is on these texts."""
EXACT_FACTOR = 4
"""The exact join takes about this many times as long as signing the same texts; LSH about half as long again."""
LSH_FACTOR = 1.5


@dataclass(frozen=True, slots=True)
class Cost:
    """An estimate: sizes are close, seconds are a guess from a sample."""

    documents: int
    documents_counted: bool
    """Whether `documents` is known, or guessed from the size of the files."""
    bytes: int
    method: str
    bands: Bands | None
    promised_recall: float
    memory: int
    disk: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        """Return it for a person, a line each."""
        about = "" if self.documents_counted else "about "
        disk = f"{_size(self.disk)} of files while it runs" if self.disk else "none"
        lines = [
            f"documents  {about}{self.documents:,} in {_size(self.bytes)}",
            f"method     {self.method}{f', {self.bands}' if self.bands else ''}",
            f"recall     {'1: every pair' if self.promised_recall == 1 else f'at least {self.promised_recall:.4f}'}",
            f"memory     about {_size(self.memory)}",
            f"disk       {disk}",
            f"time       about {_duration(self.seconds)}",
        ]
        return "\n".join(lines)


def estimate_cost(
    documents: Any,
    threshold: float = 0.8,
    *,
    recall: float = 0.99,
    method: str = "auto",
    metric: Metric = "jaccard",
    recipe: Recipe | None = None,
    memory: int | None = None,
) -> Cost:
    """Estimate what `find` would take, from the size of the collection and a sample of it.

    >>> cost = estimate_cost(["one text", "another text"])
    >>> cost.documents, cost.method, cost.promised_recall
    (2, 'exact', 1.0)
    """
    recipe = recipe or DEFAULT
    source = open_documents(documents)
    size = source.size()
    sample = list(islice(source.batches(), SAMPLE))
    count = size.documents if size.documents is not None else _guess(sample, size.bytes)
    in_memory = memory_needed(size.bytes, count, recipe)
    in_files = memory is not None and in_memory > memory
    strategy = choose_strategy(threshold, recall, "lsh" if in_files else method, metric, recipe, None, size.bytes)
    factor = LSH_FACTOR if strategy.method == "lsh" else EXACT_FACTOR
    bands = strategy.bands.bands if strategy.bands else 0
    return Cost(
        documents=count,
        documents_counted=size.documents is not None,
        bytes=size.bytes,
        method=strategy.method,
        bands=strategy.bands,
        promised_recall=strategy.promised,
        memory=memory if in_files and memory is not None else in_memory,
        disk=count * (4 * recipe.hashes + 16 + 8 * bands) + size.bytes // 2 if in_files else 0,
        seconds=factor * _seconds_to_sign(sample, size.bytes, recipe) + 0.3,
    )


def _guess(sample: list[Batch], size: int) -> int:
    """Guess the number of documents from the mean length of those in the sample."""
    count = sum(map(len, sample))
    read = sum(batch.texts.nbytes for batch in sample)
    return round(size * count / read) if read else size // PAGE


def _seconds_to_sign(sample: list[Batch], size: int, recipe: Recipe) -> float:
    """Sign the sample, and scale what it took to the whole."""
    read = sum(batch.texts.nbytes for batch in sample)
    started = time.perf_counter()
    _native.SignatureMatrix.of_texts([batch.texts.packed() for batch in sample], settings(recipe), 0)
    return (time.perf_counter() - started) * max(1.0, size / read) if read else 0.0


def _size(count: int) -> str:
    """Return bytes as a person reads them.

    >>> _size(532), _size(2_500_000), _size(25_000_000_000)
    ('532 B', '2.5 MB', '25 GB')
    """
    power = min(4, (len(str(max(1, count))) - 1) // 3)
    return f"{count / 1000**power:.3g} {('B', 'kB', 'MB', 'GB', 'TB')[power]}"


def _duration(seconds: float) -> str:
    """Return a time as a person reads it.

    >>> _duration(0.4), _duration(75), _duration(7300)
    ('1 s', '75 s', '2 h 2 min')
    """
    if seconds < 120:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
