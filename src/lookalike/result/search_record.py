"""What a result records of its search besides the pairs: the documents, the settings, and the recall."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lookalike.tables.wording import at_least
from lookalike.text.uncounted import Uncounted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lookalike.documents import Flag, Skipped, Source
    from lookalike.documents.lms import Export
    from lookalike.engine.bands import Bands
    from lookalike.engine.groups import Linkage
    from lookalike.recipe import Recipe
    from lookalike.tables.found import Metric
    from lookalike.tables.number_columns import Column
    from lookalike.tables.packed import Ids

__all__ = ["Recall", "SearchSettings", "SearchedDocuments", "promised_at", "recall_of"]


@dataclass(frozen=True, slots=True)
class Recall:
    """The share of the pairs at or above the threshold that is found; it says nothing of pairs below it."""

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


def recall_of(recall: Recall, *, of_what: bool = True) -> str:
    """Return the recall in words; `of_what` says of which pairs it is the share.

    >>> from lookalike.result import Recall
    >>> recall_of(Recall(1.0)), recall_of(Recall(0.9916, 0.9961, (0.9894, 0.9989)), of_what=False)
    ('recall 1 of pairs at or above the threshold', 'recall ≥ 0.991, measured 0.996 (0.989 to 0.998)')
    """
    said = "recall 1" if recall.promised >= 1.0 else f"recall ≥ {at_least(recall.promised)}"
    said += " of pairs at or above the threshold" if of_what else ""
    if recall.measured is None:
        return said
    said += f", measured {at_least(recall.measured)}"
    if recall.interval is not None and recall.interval[0] != recall.interval[1]:
        said += f" ({at_least(recall.interval[0])} to {at_least(recall.interval[1])})"
    return said


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchedDocuments:
    """The documents of a search, as far as they are known without their texts."""

    ids: Ids | Column
    old_ids: Ids | Column | None = None
    """The ids of old documents, which come after the others; None if there is no `against`."""
    lengths: Column | Sequence[int] | bytes | None = None
    """The length of each text, as `plan(keep="longest")` compares them."""
    skipped: Sequence[Skipped] = ()
    notes: Sequence[str] = ()
    flags: Mapping[str, list[Flag]] = field(default_factory=dict)
    old_flags: Mapping[str, list[Flag]] = field(default_factory=dict)
    source: Source | None = None
    """Where the texts can be read again."""
    export: Export | None = None
    """What the names of the files tell, if they are from a learning platform."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """How documents were searched, and what that promises."""

    recipe: Recipe
    threshold: float
    method: str
    metric: Metric = "jaccard"
    bands: Bands | None = None
    recall: Recall
    linkage: Linkage = "star"
    order: Sequence[int] | None = None
    ignored: Sequence[int] = ()
    uncounted: Uncounted = field(default_factory=Uncounted)
    limited: int = 0
    """Documents of clusters so large that their pairs are listed in part."""
    timings: Mapping[str, float] = field(default_factory=dict)
