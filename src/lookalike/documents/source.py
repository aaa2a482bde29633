"""What every collection of documents looks like to the rest: ids and texts in batches, and a list of what was left out.

A source can be read more than once and gives the same documents in the same order each time. Nothing is dropped in
silence: what is left out is in `Source.skipped`, what was decided on the way (an encoding, a column) in `Source.notes`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from lookalike.documents.chosen import chosen_of
from lookalike.documents.identity import Identity
from lookalike.documents.model import Batch, Form, Size, Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    import pyarrow as pa

    from lookalike.documents.extract.model import Flag
    from lookalike.documents.line_form import LineForm
    from lookalike.documents.native import NativePart
    from lookalike.tables.packed import Texts

    Again: TypeAlias = Callable[[Sequence[int]], Iterator[tuple[Sequence[int], Texts]]]
    """Reads the texts of some documents, by ascending numbers."""

__all__ = ["Batch", "Size", "Skipped", "Source"]


class Source(ABC):
    """Documents that can be read more than once, always in the same order."""

    name: str
    """What to call it in a message: the path or paths as given, or the kind of thing that holds the documents."""

    @property
    def schema(self) -> pa.Schema | None:
        """The columns of `Batch.rows`, for tables; None where documents have no rows."""
        return None

    @abstractmethod
    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        """Read all documents, from the first; with `rows`, tables give their whole rows too."""

    def lines(self) -> Iterator[Batch] | None:
        """Read all documents where each is a line of a file: `Batch.rows` has the lines, as bytes; else None."""
        return None

    @property
    def line_form(self) -> LineForm | None:
        """What `lines` gives; None where documents are no lines."""
        return None

    @property
    def form(self) -> Form | None:
        """How rows are stored, if all documents are rows of files."""
        return None

    @property
    def partitioned(self) -> bool:
        """Whether rows have columns from the names of folders."""
        return False

    def folder_columns(self) -> list[str]:
        """Return the columns of `Batch.rows` that come from the names of folders."""
        return []

    def fetch(self, numbers: Sequence[int]) -> Iterator[tuple[Sequence[int], Texts]]:
        """Read the texts of some documents again, by ascending numbers, counted from 0 as `batches` gives them.

        They come in whatever order suits the source, each once, with their numbers. A source that has changed since is
        a `DocumentError`.
        """
        return chosen_of(self.batches(), numbers, self.name)

    def tables(self) -> list[NativePart] | None:
        """Describe all tables, in their order, if the native readers can read every one; else None."""
        return None

    def read_elsewhere(
        self,
        skipped: Sequence[Skipped],
        notes: Sequence[tuple[str, str]],
        counts: Sequence[int] | None = None,
        again: Again | None = None,
    ) -> None:
        """Take what a reader of `tables` skipped and noted (the table, and what is said of it), instead of a full pass.

        `counts` has how many documents each table gave, so that `fetch` need not begin with the first; `again` is what
        that reader offers to do in the place of `fetch`.
        """
        raise NotImplementedError(f"{self.name} has no native tables ({skipped}, {notes}, {counts}, {again})")

    def identity(self) -> dict[str, Any]:
        """Return what tells this source from others and from itself after a change: small, and fit for JSON."""
        size = self.size()
        identity = Identity(self.name)
        identity.add(size.documents, size.bytes)
        first = next(iter(self.batches()), None)
        if first is not None:
            identity.add_texts(first.texts, size.bytes)
        return identity.found()

    @abstractmethod
    def skipped(self) -> list[Skipped]:
        """List what was left out, and why: complete after a full pass over `batches`."""

    @abstractmethod
    def notes(self) -> list[str]:
        """List what a person should be told, such as "notes.txt read as windows-1252": complete after a full pass."""

    def flags(self) -> dict[str, list[Flag]]:
        """Tell what is odd about documents, such as hidden text, by their ids: complete after a full pass."""
        return {}

    @property
    def has_files(self) -> bool:
        """Whether documents are files, so that their ids are paths."""
        return False

    def students(self) -> dict[str, str]:
        """Tell the names of students by their user names, as receipts have them: complete after a full pass."""
        return {}

    @abstractmethod
    def size(self) -> Size:
        """Say what is known before reading."""
