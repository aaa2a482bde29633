"""From the pairs of the core to the pairs that a person sees: copies come back, and ids stand for numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from lookalike import _native
from lookalike.tables.found import COLUMNS, Found, Pairs, score_columns
from lookalike.tables.json import json_rows, json_values
from lookalike.tables.number_columns import whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa

    from lookalike.report.marks import Marks
    from lookalike.result.result import Result
    from lookalike.tables.found import DocumentIds, Metric

__all__ = ["MOST_COPIES", "NamedPairs", "PairListing", "only_pairs", "pairs_of", "without_marked"]

MOST_COPIES: Final = 1_000_000
"""Pairs between copies are all listed up to this many; beyond, each copy is listed with the first of its kind only."""
_AUTHORS: Final = ("author_a", "author_b")


class PairListing(NamedTuple):
    """Pairs by the numbers of their documents, sorted, and which pairs of copies are among them."""

    pairs: Pairs
    copies: Literal["all", "first"]


def pairs_of(found: Found, old_from: int | None = None, most: int | None = None) -> PairListing:
    """Return all pairs by number, sorted by a, then b; of two documents from `old_from` on there is none.

    If copies add more than `most`, by default `MOST_COPIES`, each is listed with its first only.
    """
    old = found.documents if old_from is None else old_from
    allowed = MOST_COPIES if most is None else most
    columns, are_all = _native.with_copies(found.classes, found.pairs.columns, old, allowed)
    return PairListing(Pairs(*columns), "all" if are_all else "first")


class NamedPairs:
    """Pairs with the ids of their documents: a table that needs no pyarrow before `to_arrow`.

    Of an old document, which is always b, ``b_old`` tells; the column is there if there were old documents at all.
    """

    def __init__(
        self,
        pairs: Pairs,
        ids: DocumentIds,
        firsts: Sequence[int | None] | None = None,
        author: Callable[[int], str | None] | None = None,
        metric: Metric = "jaccard",
    ) -> None:
        """Take pairs, the ids of all documents, and by what the pairs were scored.

        Perhaps also for each pair the number of the document that was first, and who wrote which document.
        """
        self._scores = score_columns(metric)
        self._pairs, self._ids, self._firsts, self._author = pairs, ids, firsts, author

    def __len__(self) -> int:
        """Return their number."""
        return len(self._pairs)

    @property
    def by_number(self) -> Pairs:
        """The pairs by the numbers of their documents."""
        return self._pairs

    @property
    def column_names(self) -> list[str]:
        """a, b, the scores, ``first`` if it is known who was, and the authors if they are known."""
        first = [] if self._firsts is None else self._ids.names("first")
        authors = [] if self._author is None else list(_AUTHORS)
        return ["a", *self._ids.names("b"), *self._scores, *first, *authors]

    def chunks(self, rows: int) -> Iterator[list[Sequence[Any]]]:
        """Yield the columns, so many rows at a time."""
        for start in range(0, len(self), rows):
            part = slice(start, start + rows)
            a = self._ids.take(self._pairs.values("a")[part])
            b = self._ids.columns("b", self._pairs.values("b")[part].tolist())
            scores = [self._pairs.values(name)[part].tolist() for name in COLUMNS[2:]]
            first = {} if self._firsts is None else self._ids.columns("first", self._firsts[part])
            yield [a, *b.values(), *scores, *first.values(), *self._authors(part)]

    def _authors(self, part: slice) -> list[list[str | None]]:
        if self._author is None:
            return []
        return [[self._author(number) for number in self._pairs.values(side)[part]] for side in COLUMNS[:2]]

    def json_pieces(self, rows: int, between: str) -> Iterator[str]:
        """Yield the pairs as JSON objects, so many at a time, with `between` between them."""
        if self._firsts is not None or self._ids.old is not None or self._author is not None:
            for columns in self.chunks(rows):
                yield between.join(json_rows(self.column_names, [columns]))
            return
        for start in range(0, len(self), rows):
            part = slice(start, start + rows)
            ends = [list(json_values(self._ids.take(self._pairs.values(side)[part]))) for side in COLUMNS[:2]]
            scores = [self._pairs.values(name)[part].tobytes() for name in COLUMNS[2:]]
            yield _native.json_pairs(ends[0], ends[1], scores[0], scores[1], scores[2], between)

    def to_pylist(self) -> list[dict[str, Any]]:
        """Return a dict for each pair."""
        names = self.column_names
        every = self.chunks(max(1, len(self)))
        return [dict(zip(names, row, strict=True)) for columns in every for row in zip(*columns, strict=True)]

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table."""
        import pyarrow as pa

        table = self._pairs.table
        columns: dict[str, Any] = {"a": self._ids.new.to_arrow().take(whole(table["a"]))}
        columns |= self._ids.arrow_columns("b", whole(table["b"]))
        columns |= {shown: table[name] for shown, name in zip(self._scores, COLUMNS[2:], strict=True)}
        if self._firsts is not None:
            columns |= self._ids.arrow_columns("first", whole(pa.array(self._firsts, pa.uint32())))
        names = self._authors(slice(None))
        columns |= {name: pa.array(found, pa.large_string()) for name, found in zip(_AUTHORS, names, strict=False)}
        return pa.table(columns)


def only_pairs(result: Result, kept: Iterable[bool]) -> Result:
    """Return the result with the pairs that the mask `kept` has; it is as long as `Result.pairs`.

    Each document stands by itself in what comes back, because a pair of copies may be left out too.
    """
    return result.with_found(Found.of_pairs(result.documents, result.listed.select(kept), result.candidates))


def without_marked(result: Result, marks: Marks) -> Result:
    """Return the result without the pairs that a person has marked as not an issue, as `read_marks` reads them."""
    ids, listed = result.id_of, result.listed
    ends = zip(listed.values("a"), listed.values("b"), strict=True)
    kept = [not marks.is_left_out(ids[a], ids[b], b_old=ids.is_old(b)) for a, b in ends]
    return result if all(kept) else only_pairs(result, kept)
