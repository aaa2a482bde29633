"""Batches of a good size: large enough to be worth a call, small enough to hold several."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.model import Batch
from lookalike.tables.packed import Ids, Texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

__all__ = ["LARGE", "TARGET", "bytes_array", "number_array", "regroup", "string_array", "text_array"]

TARGET: Final = 16 << 20
"""Bytes of text that readers aim at for one batch."""

LARGE: Final = 32 << 20
"""Above this, a batch is cut, unless it is one document."""

_SMALL: Final = 4 << 20
"""Below this, batches are put together."""

_MOST_DOCUMENTS: Final = 1 << 17


# `pa.array` of a Python list imports pandas, where that is installed, to ask whether the list is one of its things:
# half a second for nothing. The arrays that every run needs are made from buffers instead.


def number_array(numbers: Iterable[int]) -> pa.Array[Any]:
    """Return whole numbers of 64 bits as an array."""
    return Ids(array("q", numbers)).to_arrow()


def string_array(strings: Iterable[str]) -> pa.Array[Any]:
    """Return strings as an array; a lone surrogate becomes U+FFFD, as in every text."""
    return Texts.of(strings).to_arrow()


def text_array(texts: Sequence[bytes]) -> pa.Array[Any]:
    """Return UTF-8 texts as one array; a single text is not copied."""
    return Texts.of(texts).to_arrow()


def bytes_array(values: Sequence[bytes]) -> pa.Array[Any]:
    """Return bytes, whatever they are, as an array."""
    import pyarrow as pa

    ends = array("q", accumulate(map(len, values), initial=0))
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(values))]
    return pa.Array.from_buffers(pa.large_binary(), len(values), buffers)


def regroup(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Cut large batches, put small ones together, and drop empty ones; the documents and their order stay."""
    waiting: list[Batch] = []
    size = documents = 0
    for batch in batches:
        for piece in _cut(batch):
            more = piece.texts.nbytes
            if waiting and (piece.rows is not None or size + more > TARGET or documents + len(piece) > _MOST_DOCUMENTS):
                yield _joined(waiting)
                waiting, size, documents = [], 0, 0
            waiting.append(piece)
            size += more
            documents += len(piece)
            # Whole rows may be much larger than their texts: they are not copied to be put together.
            if size >= _SMALL or documents >= _MOST_DOCUMENTS or piece.rows is not None:
                yield _joined(waiting)
                waiting, size, documents = [], 0, 0
    if waiting:
        yield _joined(waiting)


def _cut(batch: Batch) -> Iterator[Batch]:
    ends = batch.texts.places
    start, count = 0, len(batch)
    if not count and batch.textless is not None:
        yield batch
    while start < count:
        end = max(start + 1, bisect_right(ends, ends[start] + LARGE, start, count + 1) - 1)
        end = min(end, start + _MOST_DOCUMENTS, count)
        yield batch if (start, end) == (0, count) else _slice(batch, start, end)
        start = end


def _slice(batch: Batch, start: int, end: int) -> Batch:
    rows = None if batch.rows is None else batch.rows.slice(start, end - start)
    textless = batch.textless if start == 0 else None
    return Batch(batch.ids[start:end], batch.texts[start:end], rows, textless, batch.text_column, batch.folder)


def _joined(batches: list[Batch]) -> Batch:
    if len(batches) == 1:
        return batches[0]
    ids = Ids.joined(batch.ids for batch in batches)
    return Batch(ids, Texts.joined(batch.texts for batch in batches))
