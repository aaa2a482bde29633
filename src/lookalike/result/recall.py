"""How much of what there is was found."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Recall"]


@dataclass(frozen=True, slots=True)
class Recall:
    """The share of the true pairs that is found."""

    promised: float
    """At the least, by the method and its bands."""
    measured: float | None = None
    """On a sample of the collection, after an audit that met a true pair."""
    interval: tuple[float, float] | None = None
    """Where the share of the whole collection lies with a confidence of 95 %, judging by the sample."""
