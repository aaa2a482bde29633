"""Columns of numbers: the core's bytes as Arrow arrays and back, what a search found in them, and ids by these numbers.

Documents are numbered: first the new ones, then the old ones (`against`).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from lookalike import _native
from lookalike.tables.packed import Ids

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from lookalike.tables.packed import Id

    Column: TypeAlias = pa.Array[Any]
    Chunks: TypeAlias = pa.ChunkedArray[Any]

__all__ = [
    "COLUMNS",
    "Columns",
    "DocumentIds",
    "Found",
    "Metric",
    "Pairs",
    "ShortPairs",
    "as_bytes",
    "compute",
    "counting",
    "joined",
    "key",
    "numbers",
    "permutation",
    "scalar",
    "shares",
    "view",
    "whole",
]


def compute() -> Any:
    """Return `pyarrow.compute`, loaded now; untyped, because its stubs refuse plain numbers and texts as arguments."""
    import pyarrow.compute

    return pyarrow.compute


def numbers(data: bytes) -> Column:
    """Return bytes of the core as a column of 32-bit whole numbers.

    >>> numbers(bytes([7, 0, 0, 0, 0, 1, 0, 0])).to_pylist()
    [7, 256]
    """
    import pyarrow as pa

    return pa.Array.from_buffers(pa.uint32(), len(data) // 4, [None, pa.py_buffer(data)])


def shares(data: bytes) -> Column:
    """Return bytes of the core as a column of 64-bit floats."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.float64(), len(data) // 8, [None, pa.py_buffer(data)])


def scalar(value: float, kind: pa.DataType) -> Any:
    """Return a number as Arrow's kernels take it.

    `pa.scalar`, and a plain number given to a kernel, would load pandas wherever it is installed, which takes longer
    than a search of ten thousand documents.

    >>> import pyarrow as pa
    >>> scalar(7, pa.uint32()), scalar(0.5, pa.float64())
    (<pyarrow.UInt32Scalar: 7>, <pyarrow.DoubleScalar: 0.5>)
    """
    import pyarrow as pa

    if pa.types.is_floating(kind):
        data = struct.pack("<d", value)
    else:
        data = int(value).to_bytes(kind.bit_width // 8, "little")
    return pa.Array.from_buffers(kind, 1, [None, pa.py_buffer(data)])[0]


def as_bytes(column: Column | Chunks) -> bytes:
    """Return a column of numbers without nulls as the core takes it.

    >>> as_bytes(numbers(bytes(range(12))).slice(1)) == bytes(range(4, 12))
    True
    """
    return bytes(view(column))


def view(column: Column | Chunks) -> memoryview:
    """Return the bytes of a column of fixed width without nulls; they are not copied.

    >>> list(view(numbers(bytes(range(12))).slice(2)))
    [8, 9, 10, 11]
    """
    flat = whole(column)
    if flat.null_count:
        raise ValueError(f"{flat.null_count} values are null")
    width, data = flat.type.bit_width // 8, flat.buffers()[1]
    return memoryview(b"" if data is None else data).cast("B")[flat.offset * width :][: len(flat) * width]


def counting(count: int) -> Column:
    """Return the numbers 0, 1, 2 … as a column.

    >>> counting(3).to_pylist()
    [0, 1, 2]
    """
    import pyarrow as pa

    pc = compute()
    one = scalar(1, pa.uint32())
    made: Column = pc.subtract(pc.cumulative_sum(pa.repeat(one, count)), one)
    return made


def whole(column: Column | Chunks) -> Column:
    """Return a column in one piece."""
    import pyarrow as pa

    made: Any = column
    if isinstance(made, pa.ChunkedArray):
        # Not by combine_chunks, which loads pandas for a column of no piece, and gives another kind in some versions.
        made = pa.concat_arrays(made.chunks) if made.num_chunks else pa.nulls(0, made.type)
    flat: Column = made
    return flat


def joined(*columns: Column | Chunks) -> Column:
    """Return columns of one type, one after the other.

    >>> joined(counting(2), counting(3)).to_pylist()
    [0, 1, 0, 1, 2]
    """
    import pyarrow as pa

    return pa.concat_arrays([whole(column) for column in columns])


def key(major: Column | Chunks, minor: Column | Chunks) -> Column:
    """Return two 32-bit numbers as one of 64 bits, which sorts and is looked up as one.

    >>> key(counting(2), counting(2)).to_pylist()
    [0, 4294967297]
    """
    import pyarrow as pa

    pc = compute()
    high = pc.shift_left(whole(major).cast(pa.uint64()), scalar(32, pa.uint64()))
    made: Column = pc.add(high, whole(minor).cast(pa.uint64()))
    return made


def permutation(given: Sequence[int] | Chunks) -> Column | None:
    """Return an order of documents as a column, or None unless it names every number from 0 once.

    >>> permutation([2, 0, 1]).to_pylist(), permutation([0, 0]), permutation([-1, 0])
    ([2, 0, 1], None, None)
    """
    import pyarrow as pa

    try:
        order: Column = whole(given) if isinstance(given, pa.ChunkedArray) else pa.array(given, type=pa.uint32())
    except (pa.ArrowException, OverflowError, TypeError):
        return None
    pc = compute()
    return order if order.take(pc.sort_indices(order)).equals(counting(len(order))) else None


# -- what a search found -----------------------------------------------------------------------------------------------

Metric = Literal["jaccard", "containment", "bag", "cosine", "euclidean"]
MEASURES: Final = ("cosine", "euclidean")
"""Metrics that score the candidates of a search by Jaccard once more, by the counts of their shingles."""
Columns: TypeAlias = tuple[bytes, bytes, bytes, bytes, bytes]
COLUMNS: Final = ("a", "b", "jaccard", "containment_a", "containment_b")


def score_columns(metric: Metric) -> tuple[str, str, str]:
    """Return the names of the three scores: the first holds what the metric measures.

    >>> score_columns("bag")[0], score_columns("euclidean")[0]
    ('jaccard', 'euclidean_similarity')
    """
    names = {"cosine": "cosine", "euclidean": "euclidean_similarity"}
    return names.get(metric, COLUMNS[2]), *COLUMNS[3:]


@dataclass(frozen=True)
class Pairs:
    """Pairs by the numbers of their documents, with their scores; every array is little-endian bytes."""

    a: bytes
    """u32 for each pair: the lesser of the two numbers."""
    b: bytes
    """u32 for each pair: the greater number."""
    jaccard: bytes
    """f64 for each pair: the Jaccard similarity, or what the metric measures in its place (`score_columns`)."""
    containment_a: bytes
    """f64 for each pair: the share of a that is in b."""
    containment_b: bytes
    """f64 for each pair: the share of b that is in a."""

    def __len__(self) -> int:
        """Return their number."""
        return len(self.a) // 4

    @property
    def columns(self) -> Columns:
        """All columns, as the core takes them."""
        return self.a, self.b, self.jaccard, self.containment_a, self.containment_b

    def values(self, name: str) -> memoryview[Any]:
        """Return a column as numbers."""
        return memoryview(getattr(self, name)).cast("I" if name in ("a", "b") else "d")

    def at_least(self, threshold: float, metric: Metric) -> Pairs:
        """Return the pairs at or above a threshold; by containment the larger of the two counts."""
        return Pairs(*_native.at_least(self.columns, threshold, metric == "containment"))

    def closest(self, most: int, metric: Metric) -> Pairs:
        """Return the pairs with the highest scores: equal ones by Jaccard, then in their order."""
        return Pairs(*_native.closest(self.columns, max(most, 0), metric == "containment"))

    def select(self, kept: Iterable[bool]) -> Pairs:
        """Return the pairs for which `kept` says so."""
        from array import array

        mask = list(kept)
        made = (array("I" if name in ("a", "b") else "d", compress(self.values(name), mask)) for name in COLUMNS)
        return Pairs(*(column.tobytes() for column in made))

    @cached_property
    def table(self) -> pa.Table:
        """The pairs as an Arrow table of numbers."""
        import pyarrow as pa

        scores = {name: shares(getattr(self, name)) for name in COLUMNS[2:]}
        return pa.table({"a": numbers(self.a), "b": numbers(self.b)} | scores)


@dataclass(frozen=True)
class ShortPairs:
    """Pairs that reach a threshold only with passages that are too short to count, scored as if these counted."""

    threshold: float
    """What they reach."""
    count: int
    """How many there are: of documents with the same text, only the first counts."""
    pairs: Pairs
    """The closest of them, the closest first."""

    def at_least(self, threshold: float, metric: Metric) -> ShortPairs:
        """Return those at or above a threshold; if more may be there than are known, the same as before."""
        pairs = self.pairs.at_least(threshold, metric)
        if len(pairs) == len(self.pairs) < self.count:
            return self
        return ShortPairs(max(threshold, self.threshold), len(pairs), pairs)

    def only(self, wanted: Callable[[int, int], bool]) -> ShortPairs:
        """Return those whose two documents are `wanted`; those that are only counted stay so."""
        pairs = self.pairs.select(map(wanted, self.pairs.values("a"), self.pairs.values("b")))
        return replace(self, count=self.count - len(self.pairs) + len(pairs), pairs=pairs)


@dataclass(frozen=True)
class Found:
    """The verified pairs of a search; every array is little-endian bytes.

    Documents with the same shingles are searched as one, so pairs are between the first documents of their kind. They
    are sorted by a, then b.
    """

    classes: bytes
    """u32 for each document: the number of the first document with the same shingles, itself if there is none."""
    a: bytes
    b: bytes
    jaccard: bytes
    containment_a: bytes
    containment_b: bytes
    candidates: int
    """How many pairs were verified."""
    short: tuple[ShortPairs, ...] = ()
    """What shares only short passages: for each threshold that was searched."""

    @classmethod
    def of_core(cls, found: Mapping[str, Any], threshold: float) -> Found:
        """Take the dict that the core returns of a search at a threshold."""
        short = ShortPairs(threshold, found["short"], Pairs(**found["short_pairs"]))
        columns = {name: found[name] for name in COLUMNS}
        return cls(classes=found["class"], candidates=found["candidates"], short=(short,), **columns)

    @classmethod
    def of_pairs(cls, documents: int, pairs: Pairs, candidates: int) -> Found:
        """Take pairs of documents of which none is a copy."""
        from array import array

        return cls(array("I", range(documents)).tobytes(), *pairs.columns, candidates)

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return len(self.classes) // 4

    @property
    def firsts(self) -> memoryview:
        """For each document, the number of the first of its kind."""
        return memoryview(self.classes).cast("I")

    @cached_property
    def pairs(self) -> Pairs:
        """The pairs alone."""
        return Pairs(self.a, self.b, self.jaccard, self.containment_a, self.containment_b)

    def with_pairs(self, pairs: Pairs) -> Found:
        """Return the same documents with other pairs."""
        made: dict[str, Any] = dict(zip(COLUMNS, pairs.columns, strict=True))
        return replace(self, **made)

    def at_least(self, threshold: float, metric: Metric) -> Found:
        """Return the same without the pairs below a threshold."""
        return self.with_pairs(self.pairs.at_least(threshold, metric))

    def score_between(self, x: bytes, y: bytes, metric: Metric) -> bytes:
        """Return the scores of pairs of documents: 1 between copies, not a number where no pair was found."""
        return _native.score_between(self.classes, self.pairs.columns, x, y, metric == "containment")


class DocumentIds:
    """New ids and old ids, each as they were given.

    An old document may have the id of a new one, or ids of another kind. So where there are old documents, a column
    ``x`` of ids has a column ``x_old`` beside it, which says whether the document is old. An Arrow column has one type:
    if the ids are of two kinds, ``x`` has those of new documents only, and ``x_old_id`` those of old ones.

    >>> ids = DocumentIds(Ids.of([7, 8]), Ids.of(["a", "b"]))
    >>> ids.columns("b", [1, 3])
    {'b': [8, 'b'], 'b_old': [False, True]}
    """

    def __init__(self, new: Ids, old: Ids | None = None) -> None:
        """Take both; None where no old documents were given, which is not the same as none of them."""
        self.new, self.old = new, old

    @property
    def old_from(self) -> int | None:
        """The number of the first old document."""
        return None if self.old is None else len(self.new)

    @property
    def are_mixed(self) -> bool:
        """Whether old ids are of another kind than new ones."""
        return bool(self.old and self.new) and self.old.are_numbers != self.new.are_numbers  # type: ignore[union-attr]

    def __len__(self) -> int:
        """Return how many documents there are."""
        return len(self.new) + len(self.old or ())

    def __getitem__(self, number: int) -> Id:
        """Return the id of a document."""
        border = len(self.new)
        return self.new[number] if self.old is None or number < border else self.old[number - border]

    def __iter__(self) -> Iterator[Any]:
        """Yield each id."""
        yield from self.new
        yield from self.old or ()

    def is_old(self, number: int) -> bool:
        """Return whether a document is old."""
        return self.old is not None and number >= len(self.new)

    def take(self, numbers: Iterable[int]) -> list[Any]:
        """Return the ids of the documents of these numbers."""
        if self.old is None:
            return self.new.take(numbers)
        listed, border = list(numbers), len(self.new)
        new = iter(self.new.take([number for number in listed if number < border]))
        old = iter(self.old.take([number - border for number in listed if number >= border]))
        return [next(new if number < border else old) for number in listed]

    def columns(self, name: str, numbers: Sequence[int | None]) -> dict[str, list[Any]]:
        """Return the ids of documents as plain values, None where there is no number, and which of them are old."""
        found = iter(self.take(number for number in numbers if number is not None))
        ids = {name: [None if number is None else next(found) for number in numbers]}
        if self.old is None:
            return ids
        return ids | {f"{name}_old": [None if number is None else self.is_old(number) for number in numbers]}

    def names(self, name: str) -> list[str]:
        """Name what `columns` gives.

        >>> DocumentIds(Ids(range(2))).names("b"), DocumentIds(Ids(range(2)), Ids(range(3))).names("b")
        (['b'], ['b', 'b_old'])
        """
        return [name, *([] if self.old is None else [f"{name}_old"])]

    def arrow_columns(self, name: str, numbers: Column) -> dict[str, Column]:
        """Return the ids of documents in Arrow, null where there is no number, and which of them are old."""
        import pyarrow as pa

        if self.old is None:
            return {name: self.new.to_arrow().take(numbers)}
        pc = compute()
        border = scalar(len(self.new), pa.uint32())
        is_old = pc.greater_equal(numbers, border)
        none = pa.nulls(1, pa.uint32())[0]
        new = self.new.to_arrow().take(pc.if_else(is_old, none, numbers))
        # What is subtracted from the number of a new document wraps around; those places are null.
        old = self.old.to_arrow().take(pc.if_else(is_old, pc.subtract(numbers, border), none))
        if self.are_mixed:
            return {name: new, f"{name}_old": is_old, f"{name}_old_id": old}
        ids = new if not len(self.old) else old if not len(self.new) else pc.coalesce(new, old)
        return {name: ids, f"{name}_old": is_old}

    def as_texts_if_mixed(self) -> pa.Array[Any]:
        """Return all ids in one Arrow column, to rank documents by; as texts where they are of two kinds."""
        return Ids.joined([self.new, *([] if self.old is None else [self.old])]).to_arrow()
