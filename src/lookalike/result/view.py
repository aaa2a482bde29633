"""What a result consists of (its documents, the settings of the search, the recall), and its pairs and clusters.

Pairs and clusters are given by number, by id, as plain values, or in Arrow on demand.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from lookalike.engine import SHARED
from lookalike.engine.groups import grouping_of, name_groups
from lookalike.result.pairs import NamedPairs, pairs_of
from lookalike.tables.columns import MEASURES, DocumentIds, Pairs, ShortPairs, as_bytes
from lookalike.tables.packed import Ids
from lookalike.tables.spelling import at_least, count
from lookalike.text.excluded import Exclusions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Self, TypeAlias

    import pyarrow as pa

    from lookalike.documents import Flag, Skipped, Source
    from lookalike.documents.lms import Export
    from lookalike.documents.metadata import Metadata
    from lookalike.engine.bands import Bands
    from lookalike.engine.groups import Group, Grouping, Linkage
    from lookalike.recipe import Recipe
    from lookalike.result.audit import Audit
    from lookalike.result.pairs import Authors, PairListing, Submission, SubmissionPair
    from lookalike.tables.columns import Column, Found, Metric

    Again: TypeAlias = Callable[[float, bytes | None], Found]
    """Searches again at a threshold, with documents becoming representatives in an order."""

__all__ = [
    "Recall",
    "ResultView",
    "SearchSettings",
    "SearchedDocuments",
    "lengths_of",
    "limited_recall",
    "promised_at",
    "recall_of",
    "recall_values",
]


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
    """With the metric ``cosine`` or ``euclidean``: the share is promised only of the pairs whose Jaccard similarity,
    repeats counted, is at least this; None: of all pairs at or above the threshold."""
    limited: int = 0
    """Documents whose pairs are not all listed, as `Result.limited`. If there are any, the share is promised of the
    clusters, and of the pairs none is; `promised` is 0 where clusters may be incomplete too."""
    of_documents: bool = field(default=False, repr=False, compare=False)
    """Whether it is the share of the stored documents that are like a query, as `Hits.recall`, and not of pairs."""

    def __str__(self) -> str:
        """Return it in words.

        >>> print(Recall(1.0, limited=10_000))
        recall 1 of clusters; pairs of 10,000 documents not all listed
        """
        return recall_of(self)

    @property
    def of(self) -> str:
        """What the promise is about.

        >>> Recall(1.0).of, Recall(0.99, jaccard=0.48).of, Recall(1.0, limited=10_000).of
        ('pairs at or above the threshold', 'pairs at or above a Jaccard of 0.48', 'clusters')
        >>> Recall(1.0, of_documents=True).of
        'documents at or above the threshold'
        """
        if self.of_documents:
            return "documents at or above the threshold"
        if self.limited:
            return "clusters"
        if self.jaccard is None:
            return "pairs at or above the threshold"
        if self.jaccard <= SHARED:
            return "pairs that share a shingle"
        return f"pairs at or above a Jaccard of {self.jaccard:g}"


def limited_recall(recall: Recall, limited: int, linkage: Linkage, metric: Metric) -> Recall:
    """Return the recall of a search that does not list all pairs of `limited` documents.

    Star clusters by the score of the search are those of all pairs; other ones are made of the pairs that are listed.

    >>> limited_recall(Recall(0.99), 7, "star", "jaccard").promised, limited_recall(Recall(0.99), 7, "linked", "bag")
    (0.99, Recall(promised=0.0, measured=None, interval=None, jaccard=None, limited=7))
    """
    if not limited:
        return recall
    promised = recall.promised if linkage == "star" and metric not in MEASURES else 0.0
    return replace(recall, promised=promised, limited=limited)


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
    """Return the recall in words; `of_what` says of what it is the share, also where that is as expected.

    >>> from lookalike.result import Recall
    >>> recall_of(Recall(1.0)), recall_of(Recall(0.9916, 0.9961, (0.9894, 0.9989)), of_what=False)
    ('recall 1 of pairs at or above the threshold', 'recall ≥ 0.991, measured 0.996 (0.989 to 0.998)')
    """
    said = "recall 1" if recall.promised >= 1.0 else f"recall ≥ {at_least(recall.promised)}"
    if recall.limited:
        said = f"{said} of {recall.of}" if recall.promised else "no recall promised"
        return f"{said}; pairs of {count(recall.limited, 'document')} not all listed"
    said += f" of {recall.of}" if of_what or recall.jaccard is not None else ""
    if recall.measured is None:
        return said
    said += f", measured {at_least(recall.measured)}"
    if recall.interval is not None and recall.interval[0] != recall.interval[1]:
        said += f" ({at_least(recall.interval[0])} to {at_least(recall.interval[1])})"
    return said


def recall_values(recall: Recall | None) -> dict[str, float | None]:
    """Return what JSON says of a recall.

    >>> recall_values(Recall(0.999)), recall_values(None)
    ({'promised': 0.999, 'measured': None}, {'promised': None, 'measured': None})
    """
    if recall is None:
        return {"promised": None, "measured": None}
    return {"promised": recall.promised, "measured": recall.measured}


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchedDocuments:
    """The documents of a search, as far as they are known without their texts."""

    ids: Ids | Column
    old_ids: Ids | Column | None = None
    """The ids of old documents, which come after the others; None if there is no `against`."""
    lengths: Column | Sequence[int] | bytes | None = None
    """The length of each text, as `plan(keep="longest")` compares them."""
    skipped: Sequence[Skipped] = ()
    old_skipped: Sequence[Skipped] = ()
    """What was skipped of old documents."""
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
    threshold_preset: str | None = None
    method: str
    metric: Metric = "jaccard"
    bands: Bands | None = None
    recall: Recall
    linkage: Linkage = "star"
    order: Sequence[int] | None = None
    ignored: Sequence[int] = ()
    exclusions: Exclusions = field(default_factory=Exclusions)
    limited: int = 0
    """Documents of clusters so large that their pairs are listed in part."""
    timings: Mapping[str, float] = field(default_factory=dict)


class ResultView:
    """What was found, and the ways to look at it."""

    id_of: DocumentIds
    """The id of each document by its number, as plain values; old documents come after the new ones."""
    length_of: memoryview[int] | None
    """The length of each text by its number, as `plan(keep="longest")` compares them."""
    metric: Metric
    linkage: Linkage
    order: Sequence[int] | None
    authors: Authors | None
    """Who wrote what, after `group_by`."""
    threshold: float
    searched_threshold: float
    """The threshold of the search itself: `rethreshold` goes down to it."""
    threshold_preset: str | None
    """The preset whose threshold this is, if it is meant for finding and no other was given: there is no plan then."""
    recipe: Recipe
    method: str
    bands: Bands | None
    recall: Recall
    skipped: tuple[Skipped, ...]
    """What was not read; that of old documents comes last."""
    old_skipped: tuple[Skipped, ...]
    """That of old documents alone."""
    flags: dict[str, list[Flag]]
    """What is odd about a document, such as hidden text, by its id; only documents that have something odd."""
    old_flags: dict[str, list[Flag]]
    """The same of old documents."""
    timings: dict[str, float]
    """Seconds by stage."""
    excluded_shingles: tuple[int, ...]
    """Excluded shingles, as the core's 64-bit hashes; an audit excludes them too."""
    metadata: dict[Any, Metadata]
    """Names, authors and dates of documents, by their ids: what `with_metadata` was given, and what the names of files
    say in an export of Moodle, Canvas or Blackboard. What is known under an id that a new and an old document have is
    known of the new one."""
    platforms: tuple[str, ...]
    """The learning platforms whose exports were recognised."""
    exclusions: Exclusions
    """What else was excluded from the scores: quotes, references, short passages."""
    source: Source | None
    """Where the texts can be read again."""
    audited: Audit | None
    """What the audit saw, if there was one at this threshold."""
    limited: int
    """Documents of clusters so large that their pairs are listed in part: each with its representative and a few more.
    Clusters are those of all pairs; another threshold or keep rule searches again."""
    origin: dict[str, Any]
    """How a command made it, for reports: ``command``, ``paths``, ``against``, ``reading``; else empty."""

    _notes: tuple[str, ...]
    """What was decided while reading and searching; the same at any threshold."""
    _found: Found
    _searched: Found
    _searched_recall: Recall
    _searched_audit: Audit | None

    def __init__(
        self,
        documents: SearchedDocuments,
        search: SearchSettings,
        found: Found,
        *,
        origin: Mapping[str, Any] | None = None,
        again: Again | None = None,
    ) -> None:
        """Keep what the core found; made by `find` and `load`. `again` searches the same documents again."""
        old_ids = None if documents.old_ids is None else Ids.from_arrow(documents.old_ids)
        self.id_of = DocumentIds(Ids.from_arrow(documents.ids), old_ids)
        self.length_of, self.source = lengths_of(documents.lengths), documents.source
        self.skipped, self.old_skipped = (*documents.skipped, *documents.old_skipped), tuple(documents.old_skipped)
        self._notes = tuple(documents.notes)
        self.flags, self.old_flags = dict(documents.flags), dict(documents.old_flags)
        export = documents.export
        self.metadata, self.platforms = ({}, ()) if export is None else (export.by_id(self.id_of), export.platforms)
        self.authors = None
        self.threshold = self.searched_threshold = search.threshold
        self.threshold_preset = search.threshold_preset
        self.recipe, self.method, self.metric, self.bands = search.recipe, search.method, search.metric, search.bands
        self.linkage, self.order, self.limited = search.linkage, search.order, search.limited
        self.excluded_shingles, self.exclusions = tuple(search.ignored), search.exclusions
        self.timings = dict(search.timings)
        recall = limited_recall(search.recall, search.limited, search.linkage, search.metric)
        self.recall = self._searched_recall = recall
        self.audited = self._searched_audit = None
        self.origin = dict(origin or {})
        self._again = again
        self._found = self._searched = found

    @property
    def new_skipped(self) -> tuple[Skipped, ...]:
        """What was skipped of new documents."""
        return self.skipped[: len(self.skipped) - len(self.old_skipped)]

    def _changed(self, **attributes: Any) -> Self:
        """Return a copy with some attributes changed, and nothing remembered that was worked out from them."""
        made = object.__new__(type(self))
        vars(made).update(self._own(), **attributes)
        return made

    def _own(self) -> dict[str, Any]:
        """Return what it is made of, without what was worked out from that."""
        remembered = {name for name in vars(self) if isinstance(getattr(type(self), name, None), cached_property)}
        return {name: value for name, value in vars(self).items() if name not in remembered}

    def __copy__(self) -> Self:
        """Return another one of the same parts, none of which ever changes."""
        return self._changed()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return the same as a plain copy."""
        return self._changed()

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: as in a saved result, that is all but where the texts can be read again."""
        lengths = None if self.length_of is None else bytes(self.length_of)
        return self._own() | {"length_of": lengths, "source": None, "_again": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what was pickled."""
        vars(self).update(state | {"length_of": lengths_of(state["length_of"])})

    @property
    def candidates(self) -> int:
        """How many pairs were verified."""
        return self._searched.candidates

    @property
    def seconds(self) -> float:
        """How long it took: all stages together."""
        return sum(self.timings.values())

    @property
    def documents(self) -> int:
        """How many documents were searched, old ones included."""
        return len(self.id_of)

    @property
    def old_from(self) -> int | None:
        """Documents from this number on are old: they are not compared with each other, and a plan keeps them all."""
        return self.id_of.old_from

    @cached_property
    def ids(self) -> Column:
        """The ids of the documents as an Arrow array, int64 or large_string, in the order in which they were given."""
        return self.id_of.new.to_arrow()

    @cached_property
    def old_ids(self) -> Column | None:
        """The ids of the old documents in the same way; None if there was no `against`."""
        return None if self.id_of.old is None else self.id_of.old.to_arrow()

    @cached_property
    def lengths(self) -> Column | None:
        """The length of each text as an Arrow array of uint64."""
        import pyarrow as pa

        if self.length_of is None:
            return None
        return pa.Array.from_buffers(pa.uint64(), self.documents, [None, pa.py_buffer(self.length_of)])

    @cached_property
    def _listed(self) -> PairListing:
        return pairs_of(self._found, self.old_from)

    @property
    def listed(self) -> Pairs:
        """The pairs by the numbers of their documents, as plain columns."""
        return self._listed.pairs

    @property
    def named(self) -> NamedPairs:
        """The pairs with the ids of their documents, as plain values."""
        return NamedPairs(self.listed, self.id_of, metric=self.metric)

    @property
    def copies_listed(self) -> str:
        """``"all"`` or ``"first"``: which pairs between copies `pairs` lists."""
        return self._listed.copies

    @property
    def pair_count(self) -> int:
        """How many pairs `pairs` lists."""
        return len(self.listed)

    @cached_property
    def listed_short(self) -> ShortPairs:
        """The pairs of `short_passage_pairs` by the numbers of their documents, and how many there are."""
        known = [short for short in self._found.short if short.threshold <= self.threshold]
        if not known:
            return ShortPairs(self.threshold, 0, Pairs(b"", b"", b"", b"", b""))
        return max(known, key=attrgetter("threshold")).at_least(self.threshold, self.metric)

    @cached_property
    def short_unscored(self) -> int:
        """How many pairs may be missing in `listed_short`: they counted in its search, and do not at this threshold.

        A search scores with shorter passages only the pairs that do not count at its threshold.
        """
        known = [short.threshold for short in self._found.short if short.threshold <= self.threshold]
        if self.exclusions.min_words is None or not known or max(known) == self.threshold:
            return 0
        return len(self._searched.pairs.at_least(max(known), self.metric)) - len(self._found.pairs)

    @property
    def short_passage_count(self) -> int:
        """How many pairs `pairs` does not list because what they share is in passages shorter than `min_words`."""
        return self.listed_short.count

    @property
    def short_passage_pairs(self) -> list[dict[str, Any]]:
        """The hundred closest of these pairs, the closest first; the scores are those without `min_words`.

        Each reaches the threshold, and with passages of at least `min_words` it did not reach that of the search. Of
        documents with the same text, the first stands for all.

        >>> import lookalike as la
        >>> texts = ["one two three four X five six seven eight", "one two three four Y five six seven eight"]
        >>> found = la.find(texts, 0.3, recipe=la.Recipe(k=3), min_words=5)
        >>> found.pair_count, found.short_passage_count, found.short_passage_pairs[0]["jaccard"]
        (0, 1, 0.4)
        """
        return NamedPairs(self.listed_short.pairs, self.id_of, metric=self.metric).to_pylist()

    @cached_property
    def pairs(self) -> pa.Table:
        """The pairs as an Arrow table: a, b, jaccard, containment_a, containment_b; in the order of the documents.

        By other metrics ``cosine`` or ``euclidean_similarity`` takes the place of ``jaccard``, and all count repeats.

        With `against` there is ``b_old`` too: b is an old document. If old ids are of another kind than new ones, ``b``
        has those of new documents only, and ``b_old_id`` those of old ones.
        """
        return self.named.to_arrow()

    def top(self, n: int) -> pa.Table:
        """Return the `n` most similar pairs: by score, equal ones in the order of the documents."""
        return NamedPairs(self.closest(n), self.id_of, metric=self.metric).to_arrow()

    def top_rows(self, n: int) -> list[dict[str, Any]]:
        """Return the same as plain values, a dict for each pair."""
        return NamedPairs(self.closest(n), self.id_of, metric=self.metric).to_pylist()

    def closest(self, n: int) -> Pairs:
        """Return the `n` most similar pairs by the numbers of their documents, as plain columns."""
        return self.listed.closest(n, self.metric)

    @cached_property
    def grouping(self) -> Grouping:
        """The clusters by the numbers of their documents, as plain columns."""
        asked: dict[str, Any] = {"linkage": self.linkage, "order": self.order, "metric": self.metric}
        return grouping_of(self._found, **asked, old_from=self.old_from)

    @property
    def group_count(self) -> int:
        """How many clusters there are."""
        return self.grouping.size

    @cached_property
    def groups(self) -> list[Group]:
        """Clusters of verified pairs, as `linkage` says: ``star`` or ``linked``; in the order of their first members.

        Each also has the `least` score of a member to its representative, the `principal`.
        """
        return name_groups(self._found, self.grouping, self.id_of, self.metric)

    def largest_groups(self, n: int) -> list[Group]:
        """Return the `n` clusters with the most members, the largest first."""
        return name_groups(self._found, self.grouping.largest(n), self.id_of, self.metric)

    def largest_by_number(self, n: int) -> list[Group]:
        """Return the same with the numbers of documents in the place of their ids."""
        numbers = DocumentIds(Ids(range(self.documents)))
        return name_groups(self._found, self.grouping.largest(n), numbers, self.metric)

    @cached_property
    def submissions(self) -> list[Submission]:
        """What each author handed in; without `Result.group_by`, each document is its own."""
        from lookalike.result.pairs import submissions

        return list(submissions(self.id_of, self.authors))

    @cached_property
    def submission_pairs(self) -> list[SubmissionPair]:
        """The pairs of submissions, the closest first, each with all pairs of their documents."""
        from lookalike.result.pairs import submission_pairs

        return list(submission_pairs(self.id_of, self.authors, self.closest(self.pair_count)))

    def to_arrow(self) -> pa.Table:
        """Return `pairs`."""
        return self.pairs

    def to_pandas(self) -> Any:
        """Return the pairs as a pandas data frame."""
        return self.pairs.to_pandas()

    def to_polars(self) -> Any:
        """Return the pairs as a polars data frame."""
        import polars as pl

        return pl.from_arrow(self.pairs)


def lengths_of(given: Any) -> memoryview[int] | None:
    """Return lengths, which may come as an Arrow array, as little-endian bytes of 64 bits or as numbers."""
    if given is None:
        return None
    if hasattr(given, "buffers"):
        given = as_bytes(given)
    data = given if isinstance(given, bytes | memoryview) else array("Q", given)
    return memoryview(data).cast("B").cast("Q")
