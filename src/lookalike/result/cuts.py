"""What was cut out of documents: every part that occurred before, and the document that keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lookalike.tables.wording import count

if TYPE_CHECKING:
    import os
    from typing import IO

    import pyarrow as pa

__all__ = ["Cuts"]


@dataclass(frozen=True)
class Cuts:
    r"""Every part that was cut out, and what that comes to.

    >>> import lookalike as la
    >>> texts = {"a": "one two three four five\nsix", "b": "One two three four five!\nseven"}
    >>> _, cuts = la.drop_repeated_parts(texts, by="line", return_cuts=True)
    >>> cuts
    <Cuts: 1 cut in 1 of 2 documents, 5 words; 0 documents left empty>
    >>> cuts.table.to_pylist()
    [{'id': 'b', 'start': 0, 'end': 25, 'words': 5, 'kept_id': 'a'}]
    """

    table: pa.Table
    """A row for each cut, in the order of the documents and of their texts.

    * ``id``: the document that it was cut from
    * ``start``, ``end``: its place in the text as it was, in code points
    * ``words``: how many words it has
    * ``kept_id``: the document in which the same words stood first; it may be the same one
    """
    documents: int
    """How many documents there are."""
    changed: int
    """How many of them lost something."""
    emptied: int
    """How many of these have no word left."""

    def __repr__(self) -> str:
        """Return one line."""
        listed: list[Any] = self.table["words"].to_pylist()
        cut = f"{count(self.table.num_rows, 'cut')} in {self.changed:,} of {count(self.documents, 'document')}"
        return f"<Cuts: {cut}, {count(sum(listed), 'word')}; {count(self.emptied, 'document')} left empty>"

    def write(self, target: str | os.PathLike[str] | IO[bytes] | IO[str], format: str) -> None:  # noqa: A002
        """Write the table as csv, jsonl, parquet or md; see `Result.write_pairs`."""
        from lookalike.tables.write_table import write_table

        write_table(target, self.table, format)
