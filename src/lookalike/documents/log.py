"""What one pass over a source has to tell: what it skipped, and what it decided."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from lookalike.documents.model import Skipped
from lookalike.tables.wording import count

if TYPE_CHECKING:
    from lookalike.documents.extract.model import Flag

__all__ = ["Log"]

_NAMED: Final = 3
"""Files that are named where something is said of many."""


@dataclass(slots=True)
class Log:
    """What was skipped and what should be said, in the order in which it happened."""

    skipped: list[Skipped] = field(default_factory=list)
    said: dict[str, list[str]] = field(default_factory=dict)
    """What a person should be told, and the files that it is about: none, if it is a whole sentence by itself."""
    flags: dict[str, list[Flag]] = field(default_factory=dict)
    """What is odd about a document, by its id."""
    students: dict[str, str] = field(default_factory=dict)
    """Names by user names, as the receipts of a learning platform have them."""
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
        self.said.setdefault(note, [])

    def note_about(self, name: str, said: str) -> None:
        """Remember what a person should be told about a file; `said` goes on behind the name."""
        names = self.said.setdefault(said, [])
        if name not in names[-1:]:
            names.append(name)

    def copy(self) -> Log:
        """Return a log that goes on from here: what was skipped and what should be said."""
        return Log(list(self.skipped), {said: list(names) for said, names in self.said.items()})

    @property
    def notes(self) -> list[str]:
        """What should be said, each thing once, however many files it is about."""
        return [_sentence(names, said) for said, names in self.said.items()]


def _sentence(names: list[str], said: str) -> str:
    """Put names and what is said of them together.

    >>> _sentence(["a.csv"], " read as latin-1"), _sentence(["a.csv", "b.csv"], ": rows are numbered")
    ('a.csv read as latin-1', '2 files (a.csv, b.csv): rows are numbered')
    """
    if len(names) < 2:
        return "".join(names) + said
    more = ", …" if len(names) > _NAMED else ""
    return f"{count(len(names), 'file')} ({', '.join(names[:_NAMED])}{more}){said}"
