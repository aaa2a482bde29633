"""What a search found: pairs with exact scores, clusters, a removal plan; saved, loaded, and written in other forms.

The outcome of a search, and what can be asked of it without searching again.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lookalike.documents.in_memory import checked_ids
from lookalike.engine import candidates_from
from lookalike.errors import LookalikeError, RecipeError, check_number
from lookalike.result.view import Recall, ResultView, promised_at, recall_of
from lookalike.tables.columns import DocumentIds
from lookalike.tables.spelling import count

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence
    from typing import IO

    import pyarrow as pa

    from lookalike.documents.lms import Export
    from lookalike.documents.metadata import Metadata
    from lookalike.report.side_files import Marks
    from lookalike.result.audit import Audit
    from lookalike.result.from_texts import Sources
    from lookalike.result.pairs import Authors
    from lookalike.result.plan import KeepRule, Plan
    from lookalike.tables.columns import Column, Found
    from lookalike.tables.packed import Ids
    from lookalike.tables.write_table import Format
    from lookalike.text.excluded import Exclusions

__all__ = ["Recall", "Result"]


class Result(ResultView):
    """The outcome of `find`.

    Documents with the same shingles are *copies*: they are searched as one, and each reads 1.0 to the others. All pairs
    between copies are listed, unless that would be more than a million; then each copy is listed with its first only,
    and `copies_listed` says ``"first"``. Clusters (`groups`) are the same either way.

    >>> import lookalike as la
    >>> result = la.find({"a": "the quick brown fox jumps over the lazy dog", "b": "The quick brown fox jumps over the "
    ...     "lazy dog!", "c": "the quick brown fox jumps over the lazy cat"}, 0.6)
    >>> result
    <Result: 3 documents, 3 pairs ≥ 0.6 in 1 cluster, exact, recall 1>
    >>> result.top(1).to_pylist()
    [{'a': 'a', 'b': 'b', 'jaccard': 1.0, 'containment_a': 1.0, 'containment_b': 1.0}]
    >>> result.groups, result.groups[0].least == 4 / 6
    ([Group(principal='a', members=('a', 'b', 'c'))], True)
    >>> result.plan(keep="longest").removed_ids.to_pylist()
    ['a', 'c']
    """

    def __repr__(self) -> str:
        """Return one line that says what was found."""
        return (
            f"<Result: {count(self.documents, 'document')}, {count(self.pair_count, 'pair')} ≥ {self.threshold:g} in "
            f"{count(self.group_count, 'cluster')}, {self.method}, {recall_of(self.recall, of_what=False)}>"
        )

    def measured(self, measure: str) -> pa.Table:
        """Return the pairs with their ``"cosine"``, or ``"euclidean"`` distance, of counts of shingles, closest first.

        The pairs stay those that were found: ``find(metric="cosine")`` also cuts them by the measure. Null: a text
        cannot be read any more.

        >>> import lookalike as la
        >>> texts = ["to be or not to be", "to be or not", "to be"]
        >>> found = la.find(texts, 0.01, recipe=la.Recipe(k=1), bands=la.Bands(64, 1)).measured("euclidean")
        >>> [(pair["a"], pair["b"], round(pair["euclidean"], 3)) for pair in found.to_pylist()]
        [(0, 1, 1.414), (1, 2, 1.414), (0, 2, 2.0)]
        """
        from lookalike.result.describe import measured

        return measured(self, measure)

    @property
    def uncounted(self) -> Exclusions:
        """The former name of `exclusions`, which is deprecated."""
        warnings.warn("Result.uncounted is now Result.exclusions", DeprecationWarning, stacklevel=2)
        return self.exclusions

    @property
    def ignored(self) -> tuple[int, ...]:
        """The former name of `excluded_shingles`, which is deprecated."""
        warnings.warn("Result.ignored is now Result.excluded_shingles", DeprecationWarning, stacklevel=2)
        return self.excluded_shingles

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
        value = check_number("threshold", threshold, allowed)
        if not base <= value <= 1.0:
            raise RecipeError("threshold", threshold, allowed, "to go lower, search again")
        if self.limited and value > base:
            found = self._search_again(f"threshold {value:g}", value, None)
            return self._changed(threshold=value, threshold_preset=None, audited=None).with_found(found)
        if value == base:
            recall, audited, found = self._searched_recall, self._searched_audit, self._searched
        else:
            recall, audited, found = (
                promised_at(self._searched_recall, self._jaccard(base), self._jaccard(value), self.bands),
                None,
                self._searched.at_least(value, self.metric),
            )
        changed: dict[str, Any] = {"threshold": value, "threshold_preset": None, "recall": recall, "audited": audited}
        return self._changed(**changed, _found=found)

    def _jaccard(self, threshold: float) -> float:
        return candidates_from(self.metric, threshold, self.method)

    def found_in_order(self, order: bytes | None, why: str) -> Found:
        """Return pairs from which stars can be made in another order of documents."""
        if not self.limited or order is None:
            return self._found
        return self._search_again(why, self.threshold, order)

    def _search_again(self, why: str, threshold: float, order: bytes | None) -> Found:
        if self._again is None:
            problem = f"{self.limited:,} documents are in clusters so large that not all their pairs were listed"
            once = "with --max-pairs (in Python: max_pairs) one search serves for all"
            raise LookalikeError(f"{problem}; for {why}, search the documents again; {once}")
        return self._again(threshold, order)

    def audit(self, sample: int = 1000, *, seed: int = 1, documents: Any = None, against: Any = None) -> Result:
        """Measure the recall: draw documents, find all their true pairs exactly, and count those that were found.

        Gives a result whose `recall` has `measured` and `interval`, and whose `audited` tells the counts and the pairs
        that were missed. The texts are read again; where that is not possible by itself (a loaded result), give the
        same `documents`, and the old ones as `against`.

        >>> import lookalike as la
        >>> texts = ["one two three four five six", "one two three four five seven", "something else altogether"]
        >>> la.find(texts, 0.3).audit(documents=texts).recall
        Recall(promised=1.0, measured=1.0, interval=(1.0, 1.0), jaccard=None, limited=0)
        """
        from time import perf_counter

        from lookalike.result.audit import audit

        start = perf_counter()
        seen = audit(self, sample, seed, documents, against)
        return self._changed(timings=self.timings | {"audit": perf_counter() - start}).with_audit(seen)

    def with_audit(self, seen: Audit) -> Result:
        """Return the result with what an audit of it saw."""
        recall = Recall(self.recall.promised, seen.measured, seen.interval)
        at_base = {"_searched_recall": recall, "_searched_audit": seen} if self._found is self._searched else {}
        return self._changed(recall=recall, audited=seen, **at_base)

    def with_ids(
        self,
        ids: Ids | Column | Sequence[str] | Sequence[int],
        *,
        old: Ids | Column | Sequence[str] | Sequence[int] | None = None,
    ) -> Result:
        """Return the result with other ids for its documents: as many as there are, all str or all int, none twice.

        Old documents keep theirs, unless `old` gives others.

        >>> import lookalike as la
        >>> la.find(["one two three", "one two three"]).with_ids(["a", "b"]).pairs["b"].to_pylist()
        ['b']
        """
        new, olds = len(self.id_of.new), len(self.id_of.old or ())
        if len(ids) != new:
            raise RecipeError("ids", len(ids), f"as many as there are documents, {new}")
        if old is not None and len(old) != olds:
            raise RecipeError("old", len(old), f"as many as there are old documents, {olds}")
        kept = self.id_of.old if old is None else checked_ids(old)
        return self._changed(id_of=DocumentIds(checked_ids(ids), kept), source=None)

    def with_metadata(self, metadata: Mapping[Any, Metadata]) -> Result:
        """Return the result with what is known of its documents; a key is an id, or the end of one that is a path.

        What the names of an export tell stays where the metadata says nothing.
        """
        from lookalike.documents.metadata import for_documents, merged

        told = for_documents(metadata, self.id_of)
        if self.platforms:
            told = self.metadata | {name: merged(self.metadata.get(name), known) for name, known in told.items()}
        return self._changed(metadata=told)

    def with_export(self, export: Export) -> Result:
        """Return the result with what the names of its files tell, as `lookalike.documents.lms` recognises them."""
        return self._changed(metadata=export.by_id(self.id_of) | self.metadata, platforms=export.platforms)

    def group_by(self, rule: str | Callable[[Any], str | None], *, folders: Sequence[str] = ()) -> Result:
        r"""Return the result without the pairs of one author; all documents of an author become one submission.

        * ``"lms"``: the student, in an export of Moodle, Canvas or Blackboard (`platforms` says what was recognised).
        * ``"dir"``: the folder right below those that were searched, or below `folders`.
        * ``"author"`` or ``"label"``: as the metadata has it. Documents of one label make no submission.
        * a regular expression with one group, which is the author, or a function from the id of a document to its
          author, or to None: such a document is a submission of its own.

        An `audit` comes before: afterwards, omitted pairs would count as missed.

        >>> import lookalike as la
        >>> text = "one two three four five six seven"
        >>> result = la.find({"ann/1.txt": text, "ann/2.txt": text + " eight", "bo/1.txt": text}, 0.5).group_by("dir")
        >>> result.pair_count, result.submissions[0]
        (2, Submission(name='ann', documents=('ann/1.txt', 'ann/2.txt')))
        >>> [(pair.a, pair.b, pair.jaccard, len(pair.pairs)) for pair in result.submission_pairs]
        [('ann', 'bo', 1.0, 2)]
        """
        from lookalike.result.pairs import group_by

        return group_by(self, rule, folders)

    def with_authors(self, authors: Authors | None) -> Result:
        """Return the result with who wrote what, which decides which documents are one submission."""
        return self._changed(authors=authors)

    @cached_property
    def metadata_of(self) -> dict[int, Metadata]:
        """What is known of documents, by their numbers."""
        found: dict[int, Metadata] = {}
        if left := dict(self.metadata):
            for number, name in enumerate(self.id_of):
                if name in left:
                    found[number] = left.pop(name)
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know: of pairs that share only short passages, and of what was read and searched."""
        from lookalike.result.describe import short_pairs

        return (*short_pairs(self), *self._notes)

    def with_note(self, note: str) -> Result:
        """Return the result with one more note."""
        return self._changed(_notes=(*self._notes, note))

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

    def with_lower(self, found: Found, threshold: float) -> Result:
        """Return the same result with what a search of its documents at a lower threshold found.

        Pairs, clusters and recall stay as they are; `rethreshold` goes further down.
        """
        if found.documents != self.documents:
            raise RecipeError("found", found.documents, f"about as many documents, {self.documents}")
        found = replace(found, short=(*found.short, *self._searched.short))
        return self._changed(
            _searched=found, searched_threshold=threshold, _searched_recall=Recall(1.0), _searched_audit=None
        )

    def plan(self, keep: str | KeepRule | None = None, *, values: Any = None, drop_all: bool = False) -> Plan:
        """Return which documents to keep, and which kept document each of the others duplicates; see `Plan`.

        `keep` says which document of a cluster stays, as `KeepRule` explains. Unless it is given, that is ``first``;
        of a search by containment ``longest``, because the first may be an excerpt of another.

        What was found at the threshold of a preset that is meant for finding (essays, edited, code) has no plan: write
        the threshold, in the search or with `rethreshold`.

        >>> import lookalike as la
        >>> result = la.find(["one two three", "one two three", "four five six"])
        >>> result.plan("max:score", values=[1, 2, 3]).table.to_pylist()[0]
        {'id': 0, 'kept': False, 'kept_id': 1, 'score': 1.0, 'group': 0}
        """
        from lookalike.result.plan import make_plan

        return make_plan(self, keep, values=values, drop_all=drop_all)

    def sources(self, id: str | int, *, least: int | None = None) -> Sources:  # noqa: A002 — the public name
        """Return a document with all that have passages of it, and the share of its text that is found elsewhere.

        Pairs count down to `searched_threshold`. `least` is the length of the shortest passage.
        """
        from lookalike.result.from_texts import sources_of

        return sources_of(self, id, least)

    def summary(self) -> str:
        """Return the line that closes a run: documents, what was skipped, pairs, clusters, recall and time."""
        from lookalike.result.describe import summary

        return summary(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole result as JSON can hold it, by the schema ``lookalike/1``."""
        from lookalike.result.describe import described, group_dict, head

        pairs = described(self, self.listed)
        return head(self, pairs) | {"pairs": pairs.to_pylist(), "groups": list(map(group_dict, self.groups))}

    def write_pairs(
        self,
        target: str | os.PathLike[str] | IO[bytes] | IO[str],
        format: Format,  # noqa: A002 — the usual name
        *,
        top: int | None = None,
        raw_csv: bool = False,
    ) -> None:
        """Write the pairs, or the `top` most similar ones: csv, jsonl, parquet, xlsx, md, or all of `to_dict` as json.

        Text is UTF-8. In CSV a text that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return, also after
        blanks or quotes, gets an apostrophe before it, so that no spreadsheet takes it for a formula. `raw_csv` leaves
        ids as they are, to join on them; the other formats always do.
        """
        from lookalike.result.describe import write_pairs

        write_pairs(self, target, format, top=top, raw_csv=raw_csv)

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        texts: Any = None,
        against: Any = None,
        metadata: Mapping[str, Metadata] | None = None,
        marks: Marks | None = None,
        anonymise: bool = False,
    ) -> None:
        """Write the report: one HTML file that shows pairs, clusters and passages, and needs nothing else to be read.

        The texts are read again; where that is not possible by itself (a loaded result), give the same documents as
        `texts`, and the old ones as `against`. `metadata` names documents (`read_metadata`), `marks` are those of an
        earlier report (`read_marks`). With `anonymise` it has no names; ``report.key.csv`` beside it says who is who.
        """
        from lookalike.result.from_texts import write_report

        given: dict[str, Any] = {"texts": texts, "against": against, "metadata": metadata, "marks": marks}
        write_report(self, path, **given, anonymise=anonymise)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the result in one file, which `load` reads; an existing file is replaced when the new one is whole."""
        from lookalike.result.save import save

        save(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Result:
        """Read a result that `save` wrote; anything else, and a damaged file, is a `DocumentError`.

        >>> Result.load("no/such/run.lookalike")
        Traceback (most recent call last):
            ...
        lookalike.errors.DocumentError: document 'no/such/run.lookalike': file does not exist; check the name
        """
        from lookalike.result.save import load

        saved = load(path)
        result = Result(saved.documents, saved.search, saved.found, origin=saved.origin)
        known = {"metadata": saved.metadata, "platforms": saved.platforms, "authors": saved.authors}
        if saved.threshold != result.threshold:
            result = result.rethreshold(saved.threshold)
        result = result._changed(**known, threshold_preset=saved.search.threshold_preset)  # noqa: SLF001
        return result if saved.audit is None else result.with_audit(saved.audit)
