"""Texts and rows in lists, dicts and arrays."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import compress
from typing import TYPE_CHECKING, Any

from lookalike.documents.columns import choose
from lookalike.documents.ids import of_one_kind
from lookalike.documents.paths_inside import check_outer, value_at
from lookalike.documents.records import are_records, columns_of_records, list_of_array
from lookalike.errors import DocumentError
from lookalike.search.frames.face import Frame, checked, column_of

if TYPE_CHECKING:
    from lookalike.tables.number_columns import Column

__all__ = ["TextArray", "TextDict", "TextList"]


class TextList(Frame):
    """A list or tuple of texts, or of rows that are dicts."""

    kind = "list"

    def texts(self, column: str | None) -> list[str | None]:
        if column is None and are_records(self.data):
            column = choose(self.kind, columns_of_records(self.data), None, "").text
        values = self.data if column is None else self._values(column)
        return [checked(row, text) for row, text in enumerate(values)]

    def column(self, name: str) -> Column:
        return column_of(self._values(name), name)

    def _values(self, name: str) -> list[Any]:
        for row, value in enumerate(self.data):
            if not isinstance(value, Mapping):
                problem = f"is {type(value).__name__}, which has no column {name!r}"
                raise DocumentError(row, "row", problem, "give a list of dicts, or no column")
        values = [value_at(row, name) for row in self.data]
        if self.data and not any(name in row for row in self.data) and all(value is None for value in values):
            raise DocumentError(self.kind, f"column {name!r}", "does not exist", "name one that the rows have")
        return values

    def filter(self, kept: Column) -> Any:
        chosen = compress(self.data, kept.to_pylist())
        return tuple(chosen) if isinstance(self.data, tuple) else list(chosen)

    def with_texts(self, column: str | None, texts: list[str | None]) -> Any:
        rows: list[Any] = texts
        if column is None and are_records(self.data):
            column = choose(self.kind, columns_of_records(self.data), None, "").text
        if column is not None:
            check_outer(column, [name for row in self.data for name in row])
            pairs = zip(self.data, texts, strict=True)
            rows = [row if text is None else {**row, column: text} for row, text in pairs]
        return tuple(rows) if isinstance(self.data, tuple) else rows


class TextDict(Frame):
    """A dict of texts by id."""

    kind = "dict"

    def texts(self, column: str | None) -> list[str | None]:
        if column is not None:
            self.column(column)
        return [checked(name, text) for name, text in self.data.items()]

    def ids(self) -> Column:
        return column_of(of_one_kind(list(self.data)), "id")

    def filter(self, kept: Column) -> Any:
        return dict(compress(self.data.items(), kept.to_pylist()))

    def with_texts(self, column: str | None, texts: list[str | None]) -> Any:
        del column  # there is none
        return dict(zip(self.data, texts, strict=True))


class TextArray(Frame):
    """An array of texts of numpy."""

    kind = "array"

    def texts(self, column: str | None) -> list[str | None]:
        if column is not None:
            self.column(column)
        return [checked(row, text) for row, text in enumerate(list_of_array(self.data))]

    def filter(self, kept: Column) -> Any:
        return self.data[kept.to_numpy(zero_copy_only=False)]

    def with_texts(self, column: str | None, texts: list[str | None]) -> Any:
        del column  # there is none
        changed = self.data.copy()
        for row, text in enumerate(texts):
            if text is not None:
                changed[row] = text
        return changed
