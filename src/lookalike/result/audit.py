"""Measure the recall of a result: draw a sample, find all its true pairs exactly, and count those in the result.

Documents with the same shingles count as one here. They are found without any chance, so counting each of their pairs
would only flatter the recall.
"""

from __future__ import annotations

import math
import random
from array import array
from bisect import bisect_left
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents import open_documents
from lookalike.engine import Strategy
from lookalike.engine.bands import wilson
from lookalike.engine.stages import UNLIMITED, join
from lookalike.errors import DocumentError, LookalikeError, RecipeError, check_whole
from lookalike.result.pairs import NamedPairs, pairs_of
from lookalike.tables.columns import COLUMNS, MEASURES, Pairs
from lookalike.tables.spelling import count
from lookalike.text.excluded import exclude_kinds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    from lookalike.documents import Source
    from lookalike.result import Result
    from lookalike.tables.columns import DocumentIds
    from lookalike.tables.packed import Ids, Texts

__all__ = ["Audit", "audit", "made_audit"]

_PORTION: Final = 64_000_000
"""Bytes of text that are joined with the sample at a time, at the least."""
_LARGER: Final = 4
"""How many times the sample a portion is, at the least: the sample is shingled again for each."""


@dataclass(frozen=True)
class Audit:
    """What an audit saw.

    The interval is Wilson's, for a confidence of 95 %, as if the pairs had been drawn one by one. But documents are
    drawn, and pairs of one document are not independent: if the sample has few documents with many pairs, the truth may
    lie further off than the interval says. It is one point when all documents were drawn.
    """

    drawn: int
    """How many documents were drawn, copies counted as one."""
    of: int
    """Out of how many."""
    true_pairs: int
    """How many pairs at or above the threshold the drawn documents have in the whole collection, by the exact join."""
    found: int
    """How many of them the result has."""
    measured: float | None
    """The share that was found; None if the drawn documents have no pair."""
    interval: tuple[float, float] | None
    """Where the share of the whole collection lies with a confidence of 95 %."""
    missed_pairs: NamedPairs
    """What `missed` is made from."""

    def __post_init__(self) -> None:
        """Read back what JSON made of the interval."""
        if self.interval is not None:
            object.__setattr__(self, "interval", (self.interval[0], self.interval[1]))

    @property
    def missed(self) -> pa.Table:
        """The pairs that the result does not have, with the columns of `Result.pairs`."""
        return self.missed_pairs.to_arrow()

    def __str__(self) -> str:
        """Return one sentence."""
        sample = f"{self.drawn:,} of {count(self.of, 'document')} drawn"
        if self.measured is None or self.interval is None:
            why = "they have no pair at or above the threshold but copies"
            return f"{sample}: {why}, so the recall could not be measured"
        pairs = f"{self.found:,} of {count(self.true_pairs, 'pair')} at or above the threshold"
        share = f"{pairs} found: recall {self.measured:.4f}"
        if self.drawn == self.of:
            return f"{sample}: {share}"
        low, high = self.interval
        return f"{sample}: {share}, with 95 % confidence {low:.4f} to {high:.4f} if pairs were independent"

    def to_dict(self) -> dict[str, Any]:
        """Return the counts, without the pairs that were missed."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "missed_pairs"}


def audit(result: Result, sample: int, seed: int, documents: Any = None, against: Any = None) -> Audit:
    """Compare a result with the exact join of a sample of its documents against all.

    With old documents, the sample is of new ones, and pairs of two old ones do not count.
    """
    sample, seed = check_whole("sample", sample, 1), check_whole("seed", seed, 0)
    if result.metric in MEASURES:
        allowed = "jaccard, bag or containment for an audit"
        raise RecipeError("metric", result.metric, allowed, "compare with a search by method='brute'")
    if result.exclusions.min_words is not None:
        problem = "not supported by an audit, which measures the recall of all passages"
        raise RecipeError("min_words", result.exclusions.min_words, problem, "search and audit without it")
    if result.limited:
        problem = f"{result.limited:,} documents are in clusters so large that not all their pairs are listed"
        raise LookalikeError(
            f"{problem}, so there is no recall of pairs to measure; a higher limit (max_pairs) gives one"
        )
    found = result._found  # noqa: SLF001 — what the result was made of
    texts = _TextsAgain(result, documents, against)
    firsts = [number for number, first in enumerate(found.firsts) if number == first]
    new = firsts if result.old_from is None else firsts[: bisect_left(firsts, result.old_from)]
    drawn = _draw(new, sample, seed)
    true = _true_pairs(result, texts, drawn, _mask(found.documents, firsts, drawn))
    have = found.score_between(true.a, true.b, result.metric)
    missed = true.select(map(math.isnan, memoryview(have).cast("d")))
    return made_audit(len(drawn), len(new), len(true), NamedPairs(missed, result.id_of))


def made_audit(drawn: int, of: int, true_pairs: int, missed: NamedPairs) -> Audit:
    """Return what an audit saw: how many documents were drawn from how many, their true pairs, and those missed."""
    there = true_pairs - len(missed)
    measured = there / true_pairs if true_pairs else None
    interval = None if measured is None else (measured, measured) if drawn == of else wilson(there, true_pairs)
    return Audit(drawn, of, true_pairs, there, measured, interval, missed)


def _draw(firsts: list[int], sample: int, seed: int) -> list[int]:
    """Return a sample, in order."""
    if sample >= len(firsts):
        return firsts
    return sorted(random.Random(seed).sample(firsts, sample))  # noqa: S311 — a sample, not a secret


def _mask(documents: int, chosen: Iterable[int], without: Iterable[int] = ()) -> bytearray:
    """Return for each document whether it is chosen."""
    made = bytearray(documents)
    for numbers, value in ((chosen, 1), (without, 0)):
        for number in numbers:
            made[number] = value
    return made


def _true_pairs(result: Result, texts: _TextsAgain, drawn: list[int], others: bytearray) -> Pairs:
    """Return the pairs of the drawn documents with each other and with `others`, a mask; by number."""
    sample = [text for _, those in texts.portions(_mask(result.documents, drawn)) for text in those]
    true = dict(_join(result, drawn, sample, [], []))
    size = max(_PORTION, _LARGER * sum(map(len, sample)))
    for numbers, those in texts.portions(others, size):
        true |= _join(result, drawn, sample, numbers, those)  # pairs within the sample turn up again
    rows = [(*ends, *scores) for ends, scores in true.items()]
    columns = zip(COLUMNS, zip(*rows, strict=True) if rows else [()] * len(COLUMNS), strict=True)
    return Pairs(*(array("I" if name in "ab" else "d", values).tobytes() for name, values in columns))


def _join(
    result: Result,
    drawn: list[int],
    sample: list[str],
    others: list[int],
    texts: list[str],
) -> Iterator[tuple[tuple[int, int], Sequence[float]]]:
    """Yield the exact pairs of the sample within itself and with other documents: both numbers, and the scores."""
    strategy = Strategy(
        recipe=result.recipe,
        method="exact",
        metric=result.metric,
        threshold=result.threshold,
        bands=None,
        least=0,
        promised=1.0,
        ignored=tuple(result.excluded_shingles),
        skip=result.exclusions.skip,
    )
    found = join([*sample, *texts], strategy, old_from=len(sample), limits=UNLIMITED)
    pairs = pairs_of(found, len(sample)).pairs
    number = [*drawn, *others]
    for a, b, jaccard, in_b, in_a in zip(*map(pairs.values, COLUMNS), strict=True):
        x, y = number[a], number[b]
        yield ((x, y), (jaccard, in_b, in_a)) if x < y else ((y, x), (jaccard, in_a, in_b))


class _TextsAgain:
    """The texts of a result, read again and checked to be as many, with the same ids."""

    def __init__(self, result: Result, documents: Any, against: Any) -> None:
        given = [given for given in (documents, against) if given is not None]
        self.sources = [open_documents(given) for given in given]
        if not self.sources and result.source is not None:
            self.sources = [result.source]
        if not self.sources:
            more = ", against=…" if result.old_from is not None else ""
            problem = "are not there any more, and an audit reads them again"
            raise DocumentError(None, "texts", problem, f"give them: result.audit(documents=…{more})")
        self.result = result

    def portions(self, chosen: bytearray, size: int = 0) -> Iterator[tuple[list[int], list[str]]]:
        """Yield the numbers and texts of the chosen documents, about `size` characters at a time."""
        numbers: list[int] = []
        texts: list[str] = []
        length = 0
        for start, batch in self._batches():
            for number, text in enumerate(batch, start):
                if chosen[number]:
                    numbers.append(number)
                    texts.append(text)
                    length += len(text)
            if length > size:
                yield numbers, texts
                numbers, texts, length = [], [], 0
        if numbers:
            yield numbers, texts

    def _batches(self) -> Iterator[tuple[int, Texts]]:
        """Yield the texts as they are read, with the number of the first."""
        ids, start = self.result.id_of, 0
        for source in self.sources:
            for batch in source.batches():
                if not _are_at(ids, start, batch.ids):
                    raise self._changed(source)
                yield start, exclude_kinds(batch.texts, self.result.exclusions.skip)
                start += len(batch)
        if start != len(ids):
            raise self._changed(self.sources[-1])

    def _changed(self, source: Source) -> DocumentError:
        problem = "are not the ones that were searched"
        return DocumentError(source.name, "documents", problem, "give the same documents, or search again")


def _are_at(ids: DocumentIds, start: int, read: Ids) -> bool:
    """Return whether these are the ids of the documents from `start` on; a batch is of new documents or of old ones."""
    border = len(ids.new)
    known, at = (ids.new, start) if start < border or ids.old is None else (ids.old, start - border)
    return at + len(read) <= len(known) and read == known[at : at + len(read)]
