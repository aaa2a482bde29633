"""What a result is made of, besides its pairs: the documents that were searched, and how."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lookalike.text.uncounted import Uncounted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lookalike.documents import Flag, Skipped, Source
    from lookalike.documents.lms import Export
    from lookalike.engine.bands import Bands
    from lookalike.engine.groups import Linkage
    from lookalike.recipe import Recipe
    from lookalike.result.recall import Recall
    from lookalike.tables.found import Metric
    from lookalike.tables.number_columns import Column
    from lookalike.tables.packed import Ids

__all__ = ["SearchSettings", "SearchedDocuments"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchedDocuments:
    """The documents of a search, as far as they are known without their texts."""

    ids: Ids | Column
    old_ids: Ids | Column | None = None
    """The ids of old documents, which come behind the others; None if there is no `against`."""
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
