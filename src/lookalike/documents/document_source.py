"""What every collection of documents looks like to the rest: ids and texts in batches, and a list of what was skipped.

A source can be read more than once and gives the same documents in the same order each time. Nothing is dropped
silently: what is skipped is in `Source.skipped`, what was decided on the way (an encoding, a column) in `Source.notes`.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from bisect import bisect_left
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from lookalike.documents.document_batches import Batch, Form, Size, Skipped
from lookalike.documents.table_errors import changed
from lookalike.tables.packed import Texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    import pyarrow as pa

    from lookalike.documents.document_batches import Flag
    from lookalike.documents.raw_input import RawInput
    from lookalike.documents.table_columns import NativePart
    from lookalike.documents.text_tables import LineForm, UnreadLines

    Again: TypeAlias = Callable[[Sequence[int]], Iterator[tuple[Sequence[int], Texts]]]
    """Reads the texts of some documents, by ascending numbers."""

__all__ = ["Batch", "Identity", "Size", "Skipped", "Source", "check_numbers", "chosen_of", "chosen_texts", "within"]


# -- some documents out of many ----------------------------------------------------------------------------------------


def check_numbers(numbers: Sequence[int]) -> None:
    """Refuse numbers that do not ascend: the caller has made a mistake."""
    if any(later <= earlier for earlier, later in pairwise(numbers)) or (len(numbers) and numbers[0] < 0):
        raise ValueError("the numbers of documents must ascend")


def within(numbers: Sequence[int], start: int, end: int) -> list[int]:
    """Return those of ascending numbers that are in a range, counted from its start.

    >>> within([1, 4, 5, 9], 4, 9)
    [0, 1]
    """
    first, last = bisect_left(numbers, start), bisect_left(numbers, end)
    return [number - start for number in numbers[first:last]]


def chosen_texts(texts: Texts, places: Sequence[int]) -> Texts:
    """Return some texts of a batch; if it is all of them, without a copy."""
    if len(places) == len(texts):
        return texts
    if places and places[-1] - places[0] == len(places) - 1:
        return texts[places[0] : places[-1] + 1]
    starts, data = texts.places, texts.data
    first = starts[0] if len(texts) else 0
    return Texts.of(bytes(data[starts[place] - first : starts[place + 1] - first]) for place in places)


def chosen_of(batches: Iterable[Batch], numbers: Sequence[int], name: str) -> Iterator[tuple[Sequence[int], Texts]]:
    """Yield the texts of some documents of batches that are read from the first; reading ends with the last of them."""
    check_numbers(numbers)
    start = given = 0
    for batch in batches if numbers else ():
        places = within(numbers, start, start + len(batch))
        if places:
            yield [start + place for place in places], chosen_texts(batch.texts, places)
        start += len(batch)
        given += len(places)
        if given == len(numbers):
            return
    if given < len(numbers):
        raise changed(name)


# -- how a source is recognised ----------------------------------------------------------------------------------------

_SAMPLE: Final = 64 << 10
_SAMPLED_TEXTS: Final = 64
_SAMPLED_CHARACTERS: Final = 4096


class Identity:
    """Collects what identifies a source."""

    def __init__(self, name: str) -> None:
        """Begin; `name` is what the source is called."""
        import hashlib  # it loads OpenSSL, which most searches never need

        self._name = name
        self._digest = hashlib.sha256()
        self._bytes = 0

    def add(self, *facts: object) -> None:
        """Take some plain values."""
        self._digest.update(json.dumps(facts, ensure_ascii=True, default=str).encode("ascii") + b"\n")

    def add_file(self, name: str, source: RawInput, *, sample: bool = True) -> None:
        """Take a file: its size, its time and, if asked for, its first, middle and last 64 KiB."""
        size = source.packed_size()
        self._bytes += size
        self.add(name, size, _time(source.path))
        if sample:
            try:
                with source.open_packed() as stream:
                    self._sample(stream, size)
            except OSError as error:
                self.add(type(error).__name__)  # reading it will say more

    def _sample(self, stream: BinaryIO, size: int) -> None:
        for position in sorted({0, max(0, (size - _SAMPLE) // 2), max(0, size - _SAMPLE)}):
            if stream.seekable():
                stream.seek(position)
            self._digest.update(stream.read(_SAMPLE))

    def add_texts(self, texts: Sequence[str], size: int) -> None:
        """Take texts in memory: how many they are, and the beginning and end of some of them."""
        self._bytes += size
        self.add(len(texts))
        for place in range(min(len(texts), _SAMPLED_TEXTS)):
            text = texts[place * len(texts) // min(len(texts), _SAMPLED_TEXTS)]
            self.add(len(text), text[:_SAMPLED_CHARACTERS], text[-_SAMPLED_CHARACTERS:])

    def found(self) -> dict[str, Any]:
        """Return all of it, for JSON: the name, how many bytes there are, and a digest of the rest."""
        return {"name": self._name, "bytes": self._bytes, "sha256": self._digest.hexdigest()}


def _time(path: str | None) -> int | None:
    try:
        return None if path is None else Path(path).stat().st_mtime_ns
    except OSError:
        return None


# -- sources -----------------------------------------------------------------------------------------------------------


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
        """The form of `lines`; None where documents are not lines."""
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
        """Return what distinguishes this source from others, and from itself after a change; small enough for JSON."""
        size = self.size()
        identity = Identity(self.name)
        identity.add(size.documents, size.bytes)
        first = next(iter(self.batches()), None)
        if first is not None:
            identity.add_texts(first.texts, size.bytes)
        return identity.found()

    @abstractmethod
    def skipped(self) -> list[Skipped]:
        """List what was skipped, and why: complete after a full pass over `batches`."""

    @abstractmethod
    def notes(self) -> list[str]:
        """List what the user should be told, such as "notes.txt read as windows-1252": complete after a full pass."""

    def text_columns(self) -> dict[str, str]:
        """Return which column has the texts of each table, by the name of the table."""
        return {}

    def write_unread(self, unread: UnreadLines) -> None:  # noqa: B027 - most sources have none
        """Read the lines again of which no row was made in the last full pass, and write them."""

    def flags(self) -> dict[str, list[Flag]]:
        """Return what is odd about documents, such as hidden text, by their ids: complete after a full pass."""
        return {}

    @property
    def has_files(self) -> bool:
        """Whether documents are files, so that their ids are paths."""
        return False

    def students(self) -> dict[str, str]:
        """Return the names of students by their user names, as receipts have them: complete after a full pass."""
        return {}

    @abstractmethod
    def size(self) -> Size:
        """Return what is known before reading."""
