"""The second read: the texts of some documents, by their numbers, checked to be those of the first."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F  # noqa: N812 — as everybody calls it

from lookalike.errors import DocumentError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

__all__ = ["TextStore", "check_texts"]

FEW: Final = 1_000_000
"""So many wanted documents are sent to all executors; the texts of all others then stay where they are."""


class TextStore:
    """The documents as they were given, and the numbers that they got."""

    def __init__(self, documents: DataFrame, rows: DataFrame) -> None:
        """Take the documents (`old`, `id`, `text`) and their numbered rows."""
        self.documents, self._rows = documents, rows

    def of(self, wanted: DataFrame, most: int) -> DataFrame:
        """Return rows that have a `number` with the `text` of the document, and the `text_hash` that it should have.

        The rows are at most `most`.
        """
        known = self._rows.select("number", "old", "id", "text_hash")
        named = known.join(wanted, "number")
        if most <= FEW:
            named = F.broadcast(named)
        return self.documents.select("old", "id", "text").join(named, ["old", "id"])


def check_texts(table: pa.Table) -> None:
    """Refuse texts that are not those that were signed."""
    columns = (table[name].to_pylist() for name in ("id", "text", "text_hash"))
    for own, text, expected in zip(*columns, strict=True):
        if hashlib.sha256(text.encode()).digest() != expected:
            problem = "has changed since it was signed"
            raise DocumentError(own, "text", problem, "search again, with documents that do not change meanwhile")
