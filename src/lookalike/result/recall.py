"""How much of what there is was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lookalike.engine.strategy import SHARED
from lookalike.tables.wording import at_least

if TYPE_CHECKING:
    from lookalike.engine.bands import Bands

__all__ = ["Recall", "promised_at", "recall_of"]


@dataclass(frozen=True, slots=True)
class Recall:
    """The share of the pairs at or above the threshold that is found; it says nothing of pairs below it."""

    promised: float
    """At the least, by the method and its bands."""
    measured: float | None = None
    """On a sample of the collection, after an audit that met a true pair."""
    interval: tuple[float, float] | None = None
    """Where the share of the whole collection lies with a confidence of 95 %, judging by the sample."""
    jaccard: float | None = None
    """With the metric ``cosine`` or ``euclidean``: only of the pairs whose Jaccard similarity, repeats counted, is at
    least this is the share promised; None: of all pairs at or above the threshold."""

    @property
    def of(self) -> str:
        """The pairs that the promise is about.

        >>> Recall(1.0).of, Recall(0.99, jaccard=0.48).of
        ('pairs at or above the threshold', 'pairs at or above a Jaccard of 0.48')
        """
        if self.jaccard is None:
            return "pairs at or above the threshold"
        return (
            "pairs that share a shingle"
            if self.jaccard <= SHARED
            else f"pairs at or above a Jaccard of {self.jaccard:g}"
        )


def promised_at(recall: Recall, base: float, threshold: float, bands: Bands | None) -> Recall:
    """Return the recall that is promised above the threshold of the search: bands find more there, less is lost.

    Both thresholds are of the Jaccard similarity, whatever the metric.
    """
    promised, of = recall.promised, None if recall.jaccard is None else threshold
    if bands is None:
        return Recall(promised, jaccard=of)
    lost = bands.recall(base) - promised
    return Recall(min(1.0, max(promised, bands.recall(threshold) - lost)), jaccard=of)


def recall_of(recall: Recall, *, of_what: bool = True) -> str:
    """Return the recall in words; `of_what` says of which pairs it is the share, also where that is as expected.

    >>> from lookalike.result import Recall
    >>> recall_of(Recall(1.0)), recall_of(Recall(0.9916, 0.9961, (0.9894, 0.9989)), of_what=False)
    ('recall 1 of pairs at or above the threshold', 'recall ≥ 0.991, measured 0.996 (0.989 to 0.998)')
    """
    said = "recall 1" if recall.promised >= 1.0 else f"recall ≥ {at_least(recall.promised)}"
    said += f" of {recall.of}" if of_what or recall.jaccard is not None else ""
    if recall.measured is None:
        return said
    said += f", measured {at_least(recall.measured)}"
    if recall.interval is not None and recall.interval[0] != recall.interval[1]:
        said += f" ({at_least(recall.interval[0])} to {at_least(recall.interval[1])})"
    return said
