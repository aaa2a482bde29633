"""The pairs and groups of a result: by number, by id, as plain values, or in Arrow where that is asked for."""

from __future__ import annotations

from array import array
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lookalike.engine.groups import grouping_of, name_groups
from lookalike.result.pairs import NamedPairs, pairs_of
from lookalike.tables.columns import as_bytes
from lookalike.tables.document_ids import DocumentIds
from lookalike.tables.packed import Ids

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from lookalike.engine.groups import Group, Grouping, Linkage
    from lookalike.result.authors import Authors, Submission, SubmissionPair
    from lookalike.result.pairs import Listed
    from lookalike.tables.columns import Column
    from lookalike.tables.found import Found, Metric, Pairs

__all__ = ["View", "lengths_of"]


class View:
    """What was found, and the ways to look at it."""

    id_of: DocumentIds
    """The id of each document by its number, as plain values; old documents come behind the new ones."""
    length_of: memoryview[int] | None
    """The length of each text by its number, as `plan(keep="longest")` compares them."""
    metric: Metric
    linkage: Linkage
    order: Sequence[int] | None
    authors: Authors | None
    """Who wrote what, after `group_by`."""

    _found: Found

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
    def _listed(self) -> Listed:
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
    def _grouping(self) -> Grouping:
        asked: dict[str, Any] = {"linkage": self.linkage, "order": self.order, "metric": self.metric}
        return grouping_of(self._found, **asked, old_from=self.old_from)

    @property
    def group_count(self) -> int:
        """How many groups there are."""
        return self._grouping.size

    @cached_property
    def groups(self) -> list[Group]:
        """Groups of verified pairs, as `linkage` says: ``star`` or ``linked``; in the order of their first members.

        Each also tells the `least` score of a member to its principal.
        """
        return name_groups(self._found, self._grouping, self.id_of, self.metric)

    def largest_groups(self, n: int) -> list[Group]:
        """Return the `n` groups with the most members, the largest first."""
        return name_groups(self._found, self._grouping.largest(n), self.id_of, self.metric)

    def largest_by_number(self, n: int) -> list[Group]:
        """Return the same with the numbers of documents in the place of their ids."""
        numbers = DocumentIds(Ids(range(self.documents)))
        return name_groups(self._found, self._grouping.largest(n), numbers, self.metric)

    @cached_property
    def submissions(self) -> list[Submission]:
        """What each author handed in; without `Result.group_by`, each document by itself."""
        from lookalike.result.authors import submissions

        return list(submissions(self.id_of, self.authors))

    @cached_property
    def submission_pairs(self) -> list[SubmissionPair]:
        """The pairs of submissions, the closest first, each with all pairs of their documents."""
        from lookalike.result.authors import submission_pairs

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
