"""What a search will cost, before it runs."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from lookalike import _native
from lookalike.documents import open_documents
from lookalike.documents.document_batches import UNKNOWN_BYTES
from lookalike.engine.strategy import Asked, choose_strategy
from lookalike.errors import DocumentError
from lookalike.presets import with_preset
from lookalike.recipe import Recipe, settings
from lookalike.result import Recall
from lookalike.search.search_run import PAGE, memory_needed, row_bytes
from lookalike.tables.found import MEASURES
from lookalike.tables.wording import roughly, size

if TYPE_CHECKING:
    from lookalike.documents import Batch
    from lookalike.engine.bands import Bands
    from lookalike.tables.found import Metric

__all__ = ["Cost", "estimate_cost"]

SAMPLE = 2
"""Batches that are read and signed to learn how fast this machine is on these texts."""
EXACT_FACTOR = 4
"""The exact join takes about this many times as long as signing the same texts; LSH about half as long again."""
LSH_FACTOR = 1.5


@dataclass(frozen=True, slots=True)
class Cost:
    """An estimate: sizes are close, seconds are extrapolated from a sample."""

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
    jaccard: float | None = None
    """As in `Recall`: of which pairs the recall is promised, if not of all at or above the threshold."""
    too_large: int = 0
    """Files that are not among the documents because they will be skipped for their size."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        """Return it for people, one line per figure."""
        about = "" if self.documents_counted else "about "
        disk = f"{size(self.disk)} of files while it runs" if self.disk else "none"
        skipped = f" ({self.too_large:,} skipped: {self.too_large:,} too large)" if self.too_large else ""
        share = "every pair" if self.promised_recall == 1 else f"at least {self.promised_recall:.4f} of the pairs"
        of = Recall(self.promised_recall, jaccard=self.jaccard).of.removeprefix("pairs ")
        recall = f"{'1: ' * (self.promised_recall == 1)}{share} {of}"
        lines = [
            f"documents  {about}{self.documents:,} in {size(self.bytes)}{skipped}",
            f"method     {self.method}{f', {self.bands}' if self.bands else ''}",
            f"recall     {recall}",
            f"memory     about {size(self.memory)}",
            f"disk       {disk}",
            f"time       about {roughly(self.seconds)}",
        ]
        return "\n".join(lines)


def estimate_cost(
    documents: Any,
    threshold: float | None = None,
    *,
    preset: str | None = None,
    recall: float = 0.99,
    method: str = "auto",
    metric: Metric | None = None,
    recipe: Recipe | None = None,
    memory: int | None = None,
) -> Cost:
    """Estimate what `find` would take, from the size of the collection and a sample of it; `preset` is as there.

    >>> cost = estimate_cost(["one text", "another text"])
    >>> cost.documents, cost.method, cost.promised_recall
    (2, 'exact', 1.0)
    """
    threshold, metric, _ = with_preset(preset, threshold, metric, None)
    recipe = recipe or Recipe.preset(preset or "prose")
    source = open_documents(documents)
    given = source.size()
    if given.bytes >= UNKNOWN_BYTES:
        raise DocumentError(source.name, "size", "is known only after reading", "give a table in memory, or a file")
    sample = list(islice(source.batches(), SAMPLE))
    count = given.documents if given.documents is not None else _guess(sample, given.bytes)
    strategy = choose_strategy(Asked(recipe, threshold, recall, method, metric), given.bytes)
    in_memory = memory_needed(given.bytes, count, strategy)
    in_files = memory is not None and in_memory > memory
    factor = LSH_FACTOR if strategy.method == "lsh" else EXACT_FACTOR
    return Cost(
        documents=count,
        documents_counted=given.documents is not None,
        bytes=given.bytes,
        method=strategy.method,
        bands=strategy.bands,
        promised_recall=strategy.promised,
        jaccard=strategy.threshold if metric in MEASURES else None,
        memory=memory if in_files and memory is not None else in_memory,
        disk=count * row_bytes(strategy) if in_files and strategy.method == "lsh" else 0,
        seconds=factor * _seconds_to_sign(sample, given.bytes, recipe) + 0.3,
        too_large=given.too_large,
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
