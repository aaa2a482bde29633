"""The rows of data that have a text, as documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lookalike.documents import Batch, Size, Source
from lookalike.tables.number_columns import compute, counting
from lookalike.tables.packed import Ids, Texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.documents import Skipped
    from lookalike.result import Result
    from lookalike.tables.number_columns import Column

__all__ = ["TextRows"]


@dataclass(frozen=True, slots=True)
class TextRows:
    """The documents of a frame: the rows that have a text."""

    documents: Any
    rows: Any
    """Their positions; None where only reading tells, and the documents have them as ids."""

    @classmethod
    def of(cls, texts: Column | list[str | None]) -> TextRows:
        """Leave out the rows without a text."""
        import pyarrow as pa

        if isinstance(texts, list):
            rows = [row for row, text in enumerate(texts) if text is not None]
            return cls([text for text in texts if text is not None], pa.array(rows, pa.uint32()))
        there = compute().is_valid(texts)
        return cls(_Texts(texts.filter(there)), counting(len(texts)).filter(there))

    def found(self, result: Result) -> Column:
        """Return their positions, after a search of them."""
        import pyarrow as pa

        known: Column | None = self.rows
        return known if known is not None else result.ids.slice(0, result.old_from).cast(pa.uint32())


class _Texts(Source):
    """A column of texts as documents: what `find` reads without a copy."""

    name = "the text column"

    def __init__(self, texts: Column) -> None:
        self._texts = texts

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:  # noqa: ARG002 — there are no rows to give
        if len(self._texts):
            yield Batch(Ids(range(len(self._texts))), Texts.from_arrow(self._texts))

    def skipped(self) -> list[Skipped]:
        return []

    def notes(self) -> list[str]:
        return []

    def size(self) -> Size:
        return Size(len(self._texts), self._texts.nbytes)
