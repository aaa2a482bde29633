"""Measure the recall of a result: take a sample, find all its true pairs exactly, and count those that are there.

Documents with the same shingles count as one here. They are found without any chance, so counting each of their pairs
would only flatter the number.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

from lookalike import _native, checks
from lookalike.documents import open_documents
from lookalike.engine.chance import wilson
from lookalike.errors import DocumentError, RecipeError
from lookalike.result.pairs import pairs_of
from lookalike.settings import settings
from lookalike.tables.columns import compute, counting, joined, key, numbers, whole
from lookalike.tables.found import Found
from lookalike.tables.packed import Texts
from lookalike.text.uncounted import Gaps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from lookalike.documents import Source
    from lookalike.result import Result
    from lookalike.tables.columns import Column

__all__ = ["Audit", "audit"]

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
    """From how many."""
    true_pairs: int
    """How many pairs at or above the threshold the drawn documents have in the whole collection, by the exact join."""
    found: int
    """How many of them the result has."""
    measured: float | None
    """The share that was found; None if the drawn documents have no pair."""
    interval: tuple[float, float] | None
    """Where the share of the whole collection lies with a confidence of 95 %."""
    missed: pa.Table
    """The pairs that the result does not have: a, b, jaccard, containment_a, containment_b."""

    def __post_init__(self) -> None:
        """Read back what JSON made of the interval."""
        if self.interval is not None:
            object.__setattr__(self, "interval", (self.interval[0], self.interval[1]))

    def __str__(self) -> str:
        """Return one sentence."""
        sample = f"{self.drawn:,} of {self.of:,} documents drawn"
        if self.measured is None or self.interval is None:
            return f"{sample}: they have no true pair but copies, so the recall could not be measured"
        share = f"{self.found:,} of {self.true_pairs:,} true pairs found: recall {self.measured:.4f}"
        if self.drawn == self.of:
            return f"{sample}: {share}"
        low, high = self.interval
        return f"{sample}: {share}, with 95 % confidence {low:.4f} to {high:.4f} if pairs were independent"

    def to_dict(self) -> dict[str, Any]:
        """Return the counts, without the pairs that were missed."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "missed"}


def audit(result: Result, sample: int, seed: int, documents: Any = None, against: Any = None) -> Audit:
    """Compare a result with the exact join of a sample of its documents against all.

    With old documents, the sample is of new ones, and pairs of two old ones do not count.
    """
    sample, seed = checks.whole("sample", sample, 1), checks.whole("seed", seed, 0)
    if result.uncounted.min_words is not None:
        allowed = "None for an audit: the recall is that of all passages"
        raise RecipeError("min_words", result.uncounted.min_words, allowed, "search and audit without it")
    pc = compute()
    found = result._found  # noqa: SLF001 — what the result was made of
    firsts = pc.equal(found.firsts, counting(found.documents))
    texts = _Texts(result, documents, against)
    numbered = counting(found.documents).filter(firsts)
    new = numbered if result.old_from is None else numbered.filter(pc.less(numbered, result.old_from))
    drawn = _draw(new, sample, seed)
    true = _true_pairs(result, texts, drawn, pc.and_not(firsts, _among(drawn, found.documents)))
    have = pc.is_in(key(true["a"], true["b"]), value_set=key(numbers(found.a), numbers(found.b)))
    missed = true.filter(pc.invert(have))
    for column, name in enumerate("ab"):
        missed = missed.set_column(column, name, result.ids.take(whole(missed[name])))
    total, there = true.num_rows, true.num_rows - missed.num_rows
    measured = there / total if total else None
    interval = None if measured is None else (measured, measured) if len(drawn) == len(new) else wilson(there, total)
    return Audit(len(drawn), len(new), total, there, measured, interval, missed)


def _draw(firsts: Column, sample: int, seed: int) -> Column:
    """Return a sample, in order."""
    import pyarrow as pa

    if sample >= len(firsts):
        return firsts
    places = sorted(random.Random(seed).sample(range(len(firsts)), sample))  # noqa: S311 — a sample, not a secret
    return firsts.take(pa.array(places, pa.uint32()))


def _among(chosen: Column, documents: int) -> Column:
    made: Column = compute().is_in(counting(documents), value_set=chosen)
    return made


def _true_pairs(result: Result, texts: _Texts, drawn: Column, others: Column) -> pa.Table:
    """Return the pairs of the drawn documents with each other and with `others`, a mask, by number."""
    import pyarrow as pa

    pc = compute()
    sample = texts.joined(_among(drawn, result.documents))
    tables = [_join(result, drawn, sample, drawn.slice(0, 0), sample.slice(0, 0), texts.at_gaps)]
    size = max(_PORTION, _LARGER * pc.sum(pc.binary_length(sample)).as_py() if len(sample) else 0)
    for those, their_texts in texts.portions(others, size):
        tables.append(_join(result, drawn, sample, those, their_texts, texts.at_gaps))
    table = pa.concat_tables(tables)
    keys = key(table["a"], table["b"])
    # Pairs within the sample turn up in each portion.
    return table.take(pc.index_in(pc.unique(keys), value_set=keys))


def _join(
    result: Result, drawn: Column, sample: Column, others: Column, texts: Column, at_gaps: Iterable[int]
) -> pa.Table:
    """Return the exact pairs of the sample within itself and with other documents."""
    import pyarrow as pa

    core = _native.find(
        [Texts.from_arrow(sample).packed(), Texts.from_arrow(texts).packed()],
        settings(result.recipe),
        threshold=result.threshold,
        method="exact",
        metric="containment" if result.metric == "containment" else "jaccard",
        bands=1,
        rows=1,
        least=0,
        old_from=len(sample),
        ignored=sorted({*result.ignored, *at_gaps}),
        threads=0,
    )
    pc = compute()
    table = pairs_of(Found.of_core(core), len(sample)).table
    number = joined(drawn, others)
    x, y = (number.take(whole(table[side])) for side in "ab")
    turned = pc.greater(x, y)
    in_b, in_a = whole(table["containment_a"]), whole(table["containment_b"])
    columns = [
        *(pc.min_element_wise(x, y), pc.max_element_wise(x, y), whole(table["jaccard"])),
        *(pc.if_else(turned, in_a, in_b), pc.if_else(turned, in_b, in_a)),
    ]
    return pa.table(columns, names=table.column_names)


def _same(ids: Column, others: Column) -> bool:
    import pyarrow as pa

    if ids.type != others.type:  # numbers beside old documents that have names
        ids, others = ids.cast(pa.large_string()), others.cast(pa.large_string())
    return ids.equals(others)


class _Texts:
    """The texts of a result, read again and checked to be as many, with the same ids."""

    def __init__(self, result: Result, documents: Any, against: Any) -> None:
        given = [given for given in (documents, against) if given is not None]
        self.sources = [open_documents(given) for given in given]
        if not self.sources and result.source is not None:
            self.sources = [result.source]
        if not self.sources:
            more = ", against=…" if result.old_from is not None else ""
            problem = "are not there any more, and an audit reads them again"
            raise DocumentError("all", "texts", problem, f"give them: result.audit(documents=…{more})")
        self.result = result
        self._gaps = Gaps(result.uncounted.skip, result.recipe)

    @property
    def at_gaps(self) -> set[int]:
        """The shingles of the texts read so far that touch what was left out."""
        return self._gaps.shingles

    def portions(self, chosen: Column, size: int = 0) -> Iterator[tuple[Column, Column]]:
        """Give the numbers and texts of the documents that the mask `chosen` has, about `size` bytes at a time."""
        held: list[tuple[Column, Column]] = []
        length = 0
        for start, texts in self._batches():
            mask = chosen.slice(start, len(texts))
            number = compute().add(counting(len(texts)), start).cast("uint32")
            held.append((number.filter(mask), texts.filter(mask)))
            length += held[-1][1].nbytes
            if length > size:
                yield joined(*(numbers for numbers, _ in held)), joined(*(texts for _, texts in held))
                held, length = [], 0
        if held:
            yield joined(*(numbers for numbers, _ in held)), joined(*(texts for _, texts in held))

    def joined(self, chosen: Column) -> Column:
        """Return the texts of the documents that the mask has."""
        import pyarrow as pa

        return joined(pa.array([], pa.large_string()), *(texts for _, texts in self.portions(chosen)))

    def _batches(self) -> Iterator[tuple[int, Column]]:
        """Give the texts as they are read, with the number of the first."""
        ids, start = self.result.ids, 0
        new = len(ids) if self.result.old_from is None else self.result.old_from  # old ids may have got a prefix
        for source in self.sources:
            for batch in source.batches():
                of_new = max(0, min(len(batch), new - start))
                if start + len(batch) > len(ids) or not _same(batch.ids[:of_new].to_arrow(), ids.slice(start, of_new)):
                    raise self._changed(source)
                yield start, self._gaps.array(batch.texts.to_arrow())
                start += len(batch)
        if start != len(ids):
            raise self._changed(self.sources[-1])

    def _changed(self, source: Source) -> DocumentError:
        problem = "are not the ones that were searched"
        return DocumentError(source.name, "documents", problem, "give the same documents, or search again")
