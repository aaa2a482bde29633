"""What one pass over a source has to tell: what it skipped, and what it decided."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lookalike.documents.model import Skipped

if TYPE_CHECKING:
    from lookalike.documents.extract.model import Flag

__all__ = ["Log"]


@dataclass(slots=True)
class Log:
    """What was skipped and what should be said, in the order in which it happened."""

    skipped: list[Skipped] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    flags: dict[str, list[Flag]] = field(default_factory=dict)
    """What is odd about a document, by its id."""
    rows: list[tuple[int, Skipped]] = field(default_factory=list)
    """Rows that were skipped since `settle`, with their positions: those that cannot be read are found first."""

    def skip(self, name: str, reason: str, detail: str = "") -> None:
        """Remember that something was not read."""
        self.skipped.append(Skipped(name, reason, detail))

    def skip_row(self, row: int, skipped: Skipped) -> None:
        """Remember that a row was not read, until `settle` puts it in its place."""
        self.rows.append((row, skipped))

    def settle(self) -> None:
        """List the rows that were skipped, in their order."""
        self.skipped += [skipped for _, skipped in sorted(self.rows, key=lambda one: one[0])]
        self.rows.clear()

    def note(self, note: str) -> None:
        """Remember something that a person should be told, once."""
        if note not in self.notes:
            self.notes.append(note)
