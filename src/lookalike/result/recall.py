"""How much of what there is was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lookalike.search.bands import Bands

__all__ = ["Recall", "promised_at"]


@dataclass(frozen=True, slots=True)
class Recall:
    """The share of the true pairs that is found."""

    promised: float
    """At the least, by the method and its bands."""
    measured: float | None = None
    """On a sample of the collection, after an audit that met a true pair."""
    interval: tuple[float, float] | None = None
    """Where the share of the whole collection lies with a confidence of 95 %, judging by the sample."""


def promised_at(recall: Recall, base: float, threshold: float, bands: Bands | None) -> Recall:
    """Return the recall that is promised above the threshold of the search: bands find more there, less is lost."""
    promised = recall.promised
    if bands is None:
        return Recall(promised)
    lost = bands.recall(base) - promised
    return Recall(min(1.0, max(promised, bands.recall(threshold) - lost)))
