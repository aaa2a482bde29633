"""A table around another: what the outer one does not change, it asks the inner one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.documents.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from lookalike.documents.identity import Identity
    from lookalike.documents.inputs import Input
    from lookalike.documents.limits import Limits
    from lookalike.documents.line_form import LineForm
    from lookalike.documents.log import Log
    from lookalike.documents.model import Form, Size

__all__ = ["WrappedTable"]


class WrappedTable(Table):
    """A table with other columns; how they are read is left to the subclasses."""

    def __init__(self, table: Table) -> None:
        """Take a table."""
        self.name = table.name
        self._table = table

    def columns(self, wanted: Sequence[str] = ()) -> pa.Schema:
        """Ask the table."""
        return self._table.columns(wanted)

    def size(self, text: str) -> Size:
        """Ask the table."""
        return self._table.size(text)

    def schema(self) -> pa.Schema:
        """Ask the table: whole rows are as they are."""
        return self._table.schema()

    @property
    def line_form(self) -> LineForm | None:
        """Ask the table."""
        return self._table.line_form

    @property
    def form(self) -> Form | None:
        """Ask the table."""
        return self._table.form

    def added(self) -> list[str]:
        """Ask the table."""
        return self._table.added()

    @property
    def file(self) -> Input | None:
        """Ask the table."""
        return self._table.file

    @property
    def limits(self) -> Limits | None:
        """Ask the table."""
        return self._table.limits

    @property
    def packed(self) -> int | None:
        """Ask the table."""
        return self._table.packed

    @property
    def native_format(self) -> str | None:
        """Ask the table: the native readers refuse columns that only the wrapping knows."""
        return self._table.native_format

    def identify(self, identity: Identity) -> None:
        """Ask the table."""
        self._table.identify(identity)

    def has_rows(self) -> bool:
        """Ask the table."""
        return self._table.has_rows()

    def list_skipped(self, log: Log) -> None:
        """Ask the table."""
        self._table.list_skipped(log)
