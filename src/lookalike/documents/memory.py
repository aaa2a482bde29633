"""Documents that a program holds: a list, a dict, an iterator of texts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.batching import number_array, string_array
from lookalike.documents.gather import gather
from lookalike.documents.source import Batch, Size, Skipped, Source
from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MemorySource", "source_of_documents"]

_BATCH_CHARACTERS: Final = 8 << 20
_BATCH_DOCUMENTS: Final = 1 << 16


def source_of_documents(documents: object, *, text_column: str | None, id_column: str | None) -> Source:
    """Find out what was given, and open it."""
    if isinstance(documents, Source):
        return documents
    if isinstance(documents, str | bytes | bytearray):
        kind = type(documents).__name__
        remedy = "give a list or dict of texts, or Path(...) for a file or folder"
        raise DocumentError(0, "documents", f"are one {kind}, not a collection", remedy)
    if isinstance(documents, os.PathLike):
        return _of_paths([documents], text_column, id_column)
    if not isinstance(documents, Mapping):
        from lookalike.documents.arrow import source_of_frame

        frame = source_of_frame(documents, text_column, id_column)
        if frame is not None:
            return frame
    if not isinstance(documents, Iterable):
        kind = type(documents).__name__
        lazy = hasattr(documents, "collect")  # a LazyFrame of polars, for one
        remedy = "call .collect() first" if lazy else "give a list or dict of texts, a Path, or a data frame"
        raise DocumentError(0, "documents", f"are {kind}, which has none", remedy)
    if not isinstance(documents, Mapping):
        documents = list(documents)
        if documents and all(isinstance(one, os.PathLike) for one in documents):
            return _of_paths(documents, text_column, id_column)
    if isinstance(documents, Mapping):
        _refuse_frames(documents)
    if text_column or id_column:
        column = text_column or id_column
        remedy = "leave text_column and id_column out, or give a data frame"
        raise DocumentError(0, f"column {column!r}", "is in no table: the documents are texts", remedy)
    return MemorySource(documents)


def _refuse_frames(documents: Mapping[Any, Any]) -> None:
    """Say what to do with a dict of data frames, such as the splits of a Hugging Face dataset."""
    for name, value in documents.items():
        if hasattr(value, "__arrow_c_stream__") or hasattr(value, "with_format"):
            problem = f"is {type(value).__name__}, not str"
            raise DocumentError(name, "text", problem, f"give one table only, for example documents[{name!r}]")
        break  # one is enough: texts are checked one by one later


def _of_paths(paths: list[Any], text_column: str | None, id_column: str | None) -> Source:
    from lookalike.documents.paths import PathOptions, source_of_paths

    return source_of_paths(paths, PathOptions(text_column, id_column))


class MemorySource(Source):
    """Texts in a list or a dict."""

    def __init__(self, documents: Iterable[str] | Mapping[str, str] | Mapping[int, str]) -> None:
        """Take texts; anything that is not one is an error that names it."""
        self.name = "the documents"
        collection = gather(documents)
        self._ids = collection.ids
        self._texts = collection.texts
        for name in self._ids:
            if isinstance(name, str):
                break  # they all are
            if not -(2**63) <= name < 2**63:
                raise DocumentError(name, "id", "is a number of more than 64 bits", "give ids as text")

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        """Give the texts, encoded anew each time: they are not held twice."""
        del rows
        start = size = 0
        for number, text in enumerate(self._texts, 1):
            size += len(text)
            if size >= _BATCH_CHARACTERS or number - start == _BATCH_DOCUMENTS:
                yield self._batch(start, number)
                start, size = number, 0
        if start < len(self._texts):
            yield self._batch(start, len(self._texts))

    def _batch(self, start: int, end: int) -> Batch:
        ids: list[Any] = self._ids[start:end]
        numbers = isinstance(ids[0], int)
        return Batch(number_array(ids) if numbers else string_array(ids), string_array(self._texts[start:end]))

    def skipped(self) -> list[Skipped]:
        """Nothing is skipped."""
        return []

    def notes(self) -> list[str]:
        """Nothing is decided."""
        return []

    def size(self) -> Size:
        """Count the texts and their characters."""
        return Size(len(self._texts), sum(map(len, self._texts)))
