"""The outcome of a search, and all that can be asked of it afterwards without searching again."""

from __future__ import annotations

from array import array
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lookalike import checks
from lookalike.engine.groups import grouping_of, name_groups
from lookalike.errors import RecipeError
from lookalike.result.pairs import NamedPairs, pairs_of
from lookalike.result.recall import Recall, promised_at, recall_of
from lookalike.tables.columns import as_bytes
from lookalike.tables.packed import Ids
from lookalike.tables.wording import count
from lookalike.text.uncounted import Uncounted

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from typing import IO

    import pyarrow as pa

    from lookalike.documents import Flag, Skipped, Source
    from lookalike.documents.metadata import Metadata
    from lookalike.engine.bands import Bands
    from lookalike.engine.groups import Group, Grouping, Linkage
    from lookalike.recipe import Recipe
    from lookalike.report.marks import Marks
    from lookalike.result.audit import Audit
    from lookalike.result.keep import KeepRule
    from lookalike.result.pairs import Listed
    from lookalike.result.plan import Plan
    from lookalike.tables.columns import Column
    from lookalike.tables.found import Found, Metric, Pairs
    from lookalike.tables.write import Format

__all__ = ["Result"]


class Result:
    """The outcome of `find`.

    Documents with the same shingles are *copies*: they are searched as one, and each reads 1.0 to the others. All pairs
    between copies are listed, unless that would be more than a million; then each copy is listed with its first only,
    and `copies_listed` says ``"first"``. Groups are the same either way.

    >>> import lookalike as la
    >>> result = la.find({"a": "the quick brown fox jumps over the lazy dog", "b": "The quick brown fox jumps over the "
    ...     "lazy dog!", "c": "the quick brown fox jumps over the lazy cat"}, 0.6)
    >>> result
    <Result: 3 documents, 3 pairs ≥ 0.6 in 1 group, exact, recall 1>
    >>> result.top(1).to_pylist()
    [{'a': 'a', 'b': 'b', 'jaccard': 1.0, 'containment_a': 1.0, 'containment_b': 1.0}]
    >>> result.groups, result.groups[0].least == 4 / 6
    ([Group(principal='a', members=('a', 'b', 'c'))], True)
    >>> result.plan(keep="longest").removed_ids.to_pylist()
    ['a', 'c']
    """

    id_of: Ids
    """The id of each document by its number, as plain values."""
    threshold: float
    searched_threshold: float
    """The threshold of the search itself: `rethreshold` goes down to it."""
    recipe: Recipe
    method: str
    metric: Metric
    bands: Bands | None
    recall: Recall
    linkage: Linkage
    order: Sequence[int] | None
    skipped: tuple[Skipped, ...]
    notes: tuple[str, ...]
    flags: dict[str, list[Flag]]
    """What is odd about a document, such as hidden text, by its id; only documents that have something odd."""
    timings: dict[str, float]
    """Seconds by stage."""
    length_of: memoryview[int] | None
    """The length of each text by its number, as `plan(keep="longest")` compares them."""
    old_from: int | None
    """Documents from this number on are old: they are not compared with each other, and a plan keeps them all."""
    ignored: tuple[int, ...]
    """Shingles that did not count, as the core's 64-bit hashes; the audit leaves them out too."""
    metadata: dict[Any, Metadata]
    """Names, authors and dates of documents, by their ids; empty unless `with_metadata` was told."""
    uncounted: Uncounted
    """What else was left out of the scores: quotes, references, short passages."""
    source: Source | None
    """Where the texts can be read again."""
    audited: Audit | None
    """What the audit saw, if there was one at this threshold."""
    origin: dict[str, Any]
    """How a command made it, for reports: ``command``, ``paths``, ``against``, ``reading``; else empty."""

    _found: Found
    _searched: Found
    _searched_recall: Recall
    _searched_audit: Audit | None

    def __init__(
        self,
        *,
        ids: Ids | Column,
        found: Found,
        threshold: float,
        recipe: Recipe,
        method: str,
        metric: Metric = "jaccard",
        bands: Bands | None,
        recall: Recall,
        linkage: Linkage,
        order: Sequence[int] | None,
        skipped: Sequence[Skipped] = (),
        notes: Sequence[str] = (),
        flags: Mapping[str, list[Flag]] | None = None,
        timings: Mapping[str, float] | None = None,
        lengths: Column | Sequence[int] | bytes | None = None,
        old_from: int | None = None,
        ignored: Sequence[int] = (),
        uncounted: Uncounted | None = None,
        source: Source | None = None,
        origin: Mapping[str, Any] | None = None,
    ) -> None:
        """Keep what the core found; made by `find` and `load`."""
        self.id_of, self.length_of, self.source = Ids.from_arrow(ids), _lengths(lengths), source
        self.threshold = self.searched_threshold = threshold
        self.recipe, self.method, self.metric, self.bands = recipe, method, metric, bands
        self.linkage, self.order, self.old_from, self.ignored = linkage, order, old_from, tuple(ignored)
        self.skipped, self.notes, self.timings = tuple(skipped), tuple(notes), dict(timings or {})
        self.uncounted, self.metadata = uncounted or Uncounted(), {}
        self.recall = self._searched_recall = recall
        self.audited = self._searched_audit = None
        self.flags = dict(flags or {})
        self.origin = dict(origin or {})
        self._found = self._searched = found

    def _changed(self, **attributes: Any) -> Result:
        """Return a copy with some attributes changed, and nothing remembered that was worked out from them."""
        made = object.__new__(Result)
        remembered = {name for name in vars(self) if isinstance(getattr(Result, name, None), cached_property)}
        vars(made).update({name: value for name, value in vars(self).items() if name not in remembered}, **attributes)
        return made

    def __repr__(self) -> str:
        """Return one line that says what was found."""
        return (
            f"<Result: {count(self.documents, 'document')}, {count(self.pair_count, 'pair')} ≥ {self.threshold:g} in "
            f"{count(self.group_count, 'group')}, {self.method}, {recall_of(self.recall)}>"
        )

    @property
    def documents(self) -> int:
        """How many documents were searched, old ones included."""
        return len(self.id_of)

    @cached_property
    def ids(self) -> Column:
        """The id of each document as an Arrow array, int64 or large_string, in the order in which they were given."""
        return self.id_of.to_arrow()

    @cached_property
    def lengths(self) -> Column | None:
        """The length of each text as an Arrow array of uint64."""
        import pyarrow as pa

        if self.length_of is None:
            return None
        return pa.Array.from_buffers(pa.uint64(), self.documents, [None, pa.py_buffer(self.length_of)])

    @property
    def candidates(self) -> int:
        """How many pairs were verified."""
        return self._searched.candidates

    @property
    def seconds(self) -> float:
        """How long it took: all stages together."""
        return sum(self.timings.values())

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
        return NamedPairs(self.listed, self.id_of)

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
        """The pairs as an Arrow table: a, b, jaccard, containment_a, containment_b; in the order of the documents."""
        return self.named.to_arrow()

    def top(self, n: int) -> pa.Table:
        """Return the `n` most similar pairs: by score, equal ones in the order of the documents."""
        return NamedPairs(self.closest(n), self.id_of).to_arrow()

    def top_rows(self, n: int) -> list[dict[str, Any]]:
        """Return the same as plain values, a dict for each pair."""
        return NamedPairs(self.closest(n), self.id_of).to_pylist()

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

    # -- what can be asked afterwards --------------------------------------------------------------------------------

    def rethreshold(self, threshold: float) -> Result:
        """Return the result at another threshold, without searching again.

        It goes up, and down again to the threshold of the search; below it pairs were not looked for.

        >>> import lookalike as la
        >>> texts = ["one two three four", "one two three five", "one two three four"]
        >>> result = la.find(texts, 0.3, recipe=la.Recipe(k=1))
        >>> result.pair_count, result.rethreshold(0.9).pair_count, result.rethreshold(0.9).rethreshold(0.3).pair_count
        (3, 1, 3)
        >>> result.rethreshold(0.2)
        Traceback (most recent call last):
            ...
        lookalike.errors.RecipeError: threshold must be a number from 0.3, the threshold of the search, to 1, not 0.2; \
to go lower, search again
        """
        base = self.searched_threshold
        allowed = f"a number from {base:g}, the threshold of the search, to 1"
        value = checks.number("threshold", threshold, allowed)
        if not base <= value <= 1.0:
            raise RecipeError("threshold", threshold, allowed, "to go lower, search again")
        if value == base:
            recall, audited, found = self._searched_recall, self._searched_audit, self._searched
        else:
            recall, audited, found = (
                promised_at(self._searched_recall, self.searched_threshold, value, self.bands),
                None,
                self._searched.at_least(value, self.metric),
            )
        return self._changed(threshold=value, recall=recall, audited=audited, _found=found)

    def audit(self, sample: int = 1000, *, seed: int = 1, documents: Any = None, against: Any = None) -> Result:
        """Measure the recall: draw documents, find all their true pairs exactly, and count those that were found.

        Gives a result whose `recall` has `measured` and `interval`, and whose `audited` tells the counts and the pairs
        that were missed. The texts are read again; where that is not possible by itself (a loaded result), give the
        same `documents`, and the old ones as `against`.

        >>> import lookalike as la
        >>> texts = ["one two three four five six", "one two three four five seven", "something else altogether"]
        >>> la.find(texts, 0.3).audit(documents=texts).recall
        Recall(promised=1.0, measured=1.0, interval=(1.0, 1.0))
        """
        from lookalike.result.audit import audit

        return self.with_audit(audit(self, sample, seed, documents, against))

    def with_audit(self, seen: Audit) -> Result:
        """Return the result with what an audit of it saw."""
        recall = Recall(self.recall.promised, seen.measured, seen.interval)
        at_base = {"_searched_recall": recall, "_searched_audit": seen} if self._found is self._searched else {}
        return self._changed(recall=recall, audited=seen, **at_base)

    def with_ids(self, ids: Ids | Column) -> Result:
        """Return the result with other ids for its documents, int64 or large_string and as many as there are."""
        if len(ids) != self.documents:
            raise RecipeError("ids", len(ids), f"as many as there are documents, {self.documents}")
        return self._changed(id_of=Ids.from_arrow(ids), source=None)

    def with_metadata(self, metadata: Mapping[Any, Metadata]) -> Result:
        """Return the result with what is known of its documents; a key is an id, or the end of one that is a path."""
        from lookalike.documents.metadata import for_documents

        return self._changed(metadata=for_documents(metadata, self.id_of))

    def with_origin(self, origin: Mapping[str, Any]) -> Result:
        """Return the result with a note of how it was made, which is saved with it; plain values as JSON has them."""
        return self._changed(origin=dict(origin))

    def with_found(self, found: Found) -> Result:
        """Return the result with other pairs of the same documents; `rethreshold` goes down to today's threshold."""
        if found.documents != self.documents:
            raise RecipeError("found", found.documents, f"about as many documents, {self.documents}")
        recall, audited = self.recall, self.audited
        base = {"searched_threshold": self.threshold, "_searched_recall": recall, "_searched_audit": audited}
        return self._changed(_found=found, _searched=found, **base)

    def with_short_pairs(self, lost: int) -> Result:
        """Return the result with the number of pairs that shared only short passages, and a note of them."""
        from lookalike.result.say import short_pairs

        uncounted = replace(self.uncounted, short_pairs=lost)
        return self._changed(uncounted=uncounted, notes=(*self.notes, *short_pairs(uncounted, self.recipe)))

    def plan(self, keep: str | KeepRule = "first", *, values: Any = None, drop_all: bool = False) -> Plan:
        """Return which documents to keep, and in whose favour each of the others is removed; see `Plan`.

        >>> import lookalike as la
        >>> result = la.find(["one two three", "one two three", "four five six"])
        >>> result.plan("max:score", values=[1, 2, 3]).table.to_pylist()[0]
        {'id': 0, 'kept': False, 'kept_id': 1, 'score': 1.0, 'group': 0}
        """
        from lookalike.result.plan import make_plan

        return make_plan(self, keep, values=values, drop_all=drop_all)

    def summary(self) -> str:
        """Return the line that closes a run: documents, what was skipped, pairs, groups, recall and time."""
        from lookalike.result.say import summary

        return summary(self)

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

    def to_dict(self) -> dict[str, Any]:
        """Return the whole result as JSON can hold it, by the schema ``lookalike/1``."""
        from lookalike.result.say import head, with_first

        pairs = with_first(self, self.listed)
        return head(self, pairs) | {
            "pairs": pairs.to_pylist(),
            "groups": [{"principal": group.principal, "members": list(group.members)} for group in self.groups],
        }

    def write_pairs(
        self,
        target: str | os.PathLike[str] | IO[bytes] | IO[str],
        format: Format,  # noqa: A002 — what everybody calls it
        *,
        top: int | None = None,
    ) -> None:
        """Write the pairs, or the `top` most similar ones, as csv, jsonl, parquet, md, or all of `to_dict` as json.

        Text is UTF-8. In CSV a text that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return gets an
        apostrophe before it, so that no spreadsheet takes it for a formula; the other formats leave ids as they are.
        """
        from lookalike.result.write import write_pairs

        write_pairs(self, target, format, top)

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        texts: Any = None,
        metadata: Mapping[str, Metadata] | None = None,
        marks: Marks | None = None,
    ) -> None:
        """Write the report: one HTML file that shows pairs, groups and passages, and needs nothing else to be read.

        The texts are read again; where that is not possible by itself (a loaded result), give the same documents as
        `texts`. `metadata` names documents (`read_metadata`), `marks` are those of an earlier report (`read_marks`).
        """
        from lookalike.result.report import write_report

        write_report(self, path, texts=texts, metadata=metadata, marks=marks)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the result in one file, which `load` reads; an existing file is replaced when the new one is whole."""
        from lookalike.result.file import save

        save(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Result:
        """Read a result that `save` wrote; anything else, and a damaged file, is a `DocumentError`.

        >>> Result.load("no/such/run.lookalike")
        Traceback (most recent call last):
            ...
        lookalike.errors.DocumentError: document 'no/such/run.lookalike': file does not exist; check the name
        """
        from lookalike.result.file import load

        saved = load(path)
        result = Result(**saved.made_of)
        if saved.metadata:
            result = result.with_metadata(saved.metadata)
        if saved.threshold != result.threshold:
            result = result.rethreshold(saved.threshold)
        return result if saved.audit is None else result.with_audit(saved.audit)


def _lengths(given: Any) -> memoryview[int] | None:
    """Return lengths, which may come as an Arrow array, as little-endian bytes of 64 bits or as numbers."""
    if given is None:
        return None
    if hasattr(given, "buffers"):
        given = as_bytes(given)
    data = given if isinstance(given, bytes | memoryview) else array("Q", given)
    return memoryview(data).cast("B").cast("Q")
