"""The plain values that a source gives: documents in batches, what was skipped and why, how much there is."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from lookalike.tables.columns import compute
from lookalike.tables.packed import Ids, Texts
from lookalike.tables.spelling import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

__all__ = [
    "BY_RULE",
    "HIDDEN",
    "INVISIBLE",
    "LARGE",
    "LETTERS",
    "MARKS",
    "PICTURES",
    "REVERSED",
    "SHORT",
    "TARGET",
    "UNKNOWN_BYTES",
    "UNREADABLE",
    "Batch",
    "Extracted",
    "Flag",
    "Form",
    "Log",
    "RefusedError",
    "Size",
    "Skipped",
    "bytes_array",
    "number_array",
    "reason_words",
    "regroup",
    "skipped_words",
    "string_array",
    "text_array",
    "unread",
    "unread_first",
]

UNKNOWN_BYTES: Final = 1 << 60
"""The size of a source that does not give one: it counts as large, so that a search with `memory` stays within it."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not read."""

    id: str
    """The path, or the id that the row of a table has or would have had."""
    reason: str
    """Short, to be counted: "binary", "empty", "hidden", "ignored", "excluded", "null text", "unreadable" …"""
    detail: str = ""
    """A sentence for a person."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents: as many as make a few megabytes of text, and at least one, unless it has rows beside them."""

    ids: Ids
    """All numbers or all texts, the same in every batch of a source."""
    texts: Texts
    """Always valid UTF-8."""
    rows: pa.RecordBatch | None = None
    """Tables only, and when asked for: the whole rows as read, in their order."""
    is_document: pa.BooleanArray | None = None
    """Which of the rows are documents; None if all are. The others have no text that could be judged; they must not
    get lost."""
    text_column: str | None = None
    """Tables only, and when rows are asked for: the column that holds the texts."""
    folder: str = ""
    """Tables only, and when rows are asked for: the folders that gave columns to the rows, as ``year=2024``."""

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Form:
    """How the rows of a table are stored, so that others can be stored in the same way."""

    format: str
    """As `Kind` calls it."""
    codec: str | None = None
    """How they are compressed."""
    group_rows: int | None = None
    """Parquet only: the rows of a row group."""


@dataclass(frozen=True, slots=True)
class Size:
    """What is known of a source before it is read."""

    documents: int | None
    """How many there are at most, since some may be skipped; None if only reading would show."""
    bytes: int
    """About how many bytes of text there are: the size of the files; what is compressed counts three times."""
    too_large: int = 0
    """Files that are not counted because their size shows that they will be skipped."""


# -- what comes of a document with mark-up -----------------------------------------------------------------------------

HIDDEN: Final = "hidden text"
LETTERS: Final = "look-alike letters"
INVISIBLE: Final = "invisible characters"
REVERSED: Final = "reversed text"
MARKS: Final = "marks on vowels"
UNREADABLE: Final = "unreadable letters"
PICTURES: Final = "pictures"


@dataclass(frozen=True, slots=True)
class Flag:
    """Something in a document that a reader does not see, and that can hide copying."""

    kind: str
    """``hidden text``, ``look-alike letters``, ``invisible characters``, ``reversed text``, ``marks on vowels``,
    ``unreadable letters``, ``pictures`` or ``attachments``."""
    detail: str
    """A sentence for a person."""
    count: int = 1
    """How many words, or pages, are concerned."""
    places: tuple[tuple[int, str], ...] = ()
    """Look-alike letters: where the text has another letter than the document, and which letter that is."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of a document, without mark-up."""

    text: str
    flags: tuple[Flag, ...] = ()
    encoding: str = ""
    """The encoding it was read in, if the document is a text with mark-up."""
    guessed: bool = False
    """Whether the encoding is a guess."""


class RefusedError(Exception):
    """A document that cannot be read: a short reason to be counted, and a sentence for the user."""

    def __init__(self, reason: str, detail: str) -> None:
        """Keep both."""
        self.reason = reason
        self.detail = detail
        super().__init__(f"{reason}: {detail}")


# -- batches of a suitable size ----------------------------------------------------------------------------------------

TARGET: Final = 16 << 20
"""Bytes of text that readers aim at for one batch."""

LARGE: Final = 32 << 20
"""Larger batches are split, unless they are one document."""

_SMALL: Final = 4 << 20
"""Smaller batches are combined."""

_MOST_DOCUMENTS: Final = 1 << 17


# `pa.array` of a Python list imports pandas, where that is installed, to check whether the list is one of its types:
# half a second for nothing. The arrays that every run needs are made from buffers instead.


def number_array(numbers: Iterable[int]) -> pa.Array[Any]:
    """Return whole numbers of 64 bits as an array."""
    return Ids(array("q", numbers)).to_arrow()


def string_array(strings: Iterable[str]) -> pa.Array[Any]:
    """Return strings as an array; a lone surrogate becomes U+FFFD, as in every text."""
    return Texts.of(strings).to_arrow()


def text_array(texts: Sequence[bytes]) -> pa.Array[Any]:
    """Return UTF-8 texts as one array; a single text is not copied."""
    return Texts.of(texts).to_arrow()


def bytes_array(values: Sequence[bytes]) -> pa.Array[Any]:
    """Return bytes, whatever they are, as an array."""
    import pyarrow as pa

    ends = array("q", accumulate(map(len, values), initial=0))
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(values))]
    return pa.Array.from_buffers(pa.large_binary(), len(values), buffers)


def regroup(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Split large batches, combine small ones, and drop empty ones; the documents and their order stay the same."""
    waiting: list[Batch] = []
    size = documents = 0
    for batch in batches:
        for piece in _cut(batch):
            more = piece.texts.nbytes
            if waiting and (piece.rows is not None or size + more > TARGET or documents + len(piece) > _MOST_DOCUMENTS):
                yield _joined(waiting)
                waiting, size, documents = [], 0, 0
            waiting.append(piece)
            size += more
            documents += len(piece)
            # Whole rows may be much larger than their texts: they are not copied to be combined.
            if size >= _SMALL or documents >= _MOST_DOCUMENTS or piece.rows is not None:
                yield _joined(waiting)
                waiting, size, documents = [], 0, 0
    if waiting:
        yield _joined(waiting)


def _cut(batch: Batch) -> Iterator[Batch]:
    ends = batch.texts.places
    start, count = 0, len(batch)
    if not count and batch.rows is not None and batch.rows.num_rows:
        yield batch
    while start < count:
        end = max(start + 1, bisect_right(ends, ends[start] + LARGE, start, count + 1) - 1)
        end = min(end, start + _MOST_DOCUMENTS, count)
        yield batch if (start, end) == (0, count) else _slice(batch, start, end)
        start = end


def _slice(batch: Batch, start: int, end: int) -> Batch:
    rows, chosen, first, after = batch.rows, batch.is_document, start, end
    if chosen is not None:  # a row that is no document stays behind the one before it
        places = compute().indices_nonzero(chosen)
        first = places[start].as_py() if start else 0
        after = places[end].as_py() if end < len(batch) else len(chosen)
        chosen = chosen.slice(first, after - first)
    rows = None if rows is None else rows.slice(first, after - first)
    return Batch(batch.ids[start:end], batch.texts[start:end], rows, chosen, batch.text_column, batch.folder)


def _joined(batches: list[Batch]) -> Batch:
    if len(batches) == 1:
        return batches[0]
    ids = Ids.joined(batch.ids for batch in batches)
    return Batch(ids, Texts.joined(batch.texts for batch in batches))


# -- what one pass reports ---------------------------------------------------------------------------------------------

_NAMED: Final = 3
"""Files that are named in a message about many."""


@dataclass(slots=True)
class Log:
    """What was skipped and what the user should be told, in order."""

    skipped: list[Skipped] = field(default_factory=list)
    said: dict[str, list[str]] = field(default_factory=dict)
    """What the user should be told, and the files that it is about: none, if it is a sentence by itself."""
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
        """Remember something that the user should be told, once."""
        self.said.setdefault(note, [])

    def note_about(self, name: str, said: str) -> None:
        """Remember what the user should be told about a file; `said` follows the name."""
        names = self.said.setdefault(said, [])
        if name not in names[-1:]:
            names.append(name)

    def copy(self) -> Log:
        """Return a log that continues from here: what was skipped, and the notes."""
        return Log(list(self.skipped), {said: list(names) for said, names in self.said.items()})

    @property
    def notes(self) -> list[str]:
        """What the user should be told, each thing once, however many files it is about."""
        return [_sentence(names, said) for said, names in self.said.items()]


def _sentence(names: list[str], said: str) -> str:
    """Combine names and what is said of them.

    >>> _sentence(["a.csv"], " read as latin-1"), _sentence(["a.csv", "b.csv"], ": rows are numbered")
    ('a.csv read as latin-1', '2 files (a.csv, b.csv): rows are numbered')
    """
    if len(names) < 2:
        return "".join(names) + said
    more = ", …" if len(names) > _NAMED else ""
    return f"{count(len(names), 'file')} ({', '.join(names[:_NAMED])}{more}){said}"


# -- skipped documents in words ----------------------------------------------------------------------------------------

NO_WORDS: Final = "no words"
"""Why a document was compared with nothing: it is one all the same, and is listed with what was skipped."""
SHORT: Final = frozenset({"too short", "short online text"})
"""Reasons for which a search leaves out what it could read."""
BY_RULE: Final = SHORT | frozenset(
    {"hidden", "ignored", "excluded", "empty", "null text", "link", "link loop", "table", "given twice", "not a file"}
    | {"receipt", NO_WORDS}
)
"""Reasons for which something is skipped on purpose; with any other it should have been read but could not be."""


def unread(skipped: Iterable[Skipped]) -> list[Skipped]:
    """Return those that should have been read but could not be."""
    return [one for one in skipped if one.reason not in BY_RULE]


def unread_first(skipped: Iterable[Skipped]) -> list[Skipped]:
    """Return them with those first that should have been read but could not be: these need attention.

    >>> from lookalike.documents.document_batches import Skipped
    >>> [one.id for one in unread_first([Skipped("a", "empty"), Skipped("b", "too large"), Skipped("c", "hidden")])]
    ['b', 'a', 'c']
    """
    return sorted(skipped, key=lambda one: one.reason in BY_RULE)


def without_words(name: object) -> Skipped:
    """List a document in which nothing is left to compare; it is no copy of another such document.

    >>> without_words(7)
    Skipped(id='7', reason='no words', detail='it has no words, so it was compared with nothing')
    """
    return Skipped(str(name), NO_WORDS, "it has no words, so it was compared with nothing")


def skipped_words(skipped: Iterable[Skipped]) -> str:
    """Return how many were skipped, and why; nothing if none was.

    >>> from lookalike.documents.document_batches import Skipped
    >>> skipped_words([Skipped("a", "empty"), Skipped("b", "too large"), Skipped("c", "binary")])
    '3 skipped: 1 binary, 1 empty, 1 too large'
    """
    return reason_words(Counter(one.reason for one in skipped))


def reason_words(reasons: Counter[str]) -> str:
    """Return the same of reasons that are counted already.

    >>> reason_words(Counter({"empty": 1200, "binary": 1})), reason_words(Counter())
    ('1,201 skipped: 1,200 empty, 1 binary', '')
    >>> reason_words(Counter({"empty": 1, NO_WORDS: 2}))  # which are documents, and not skipped
    '1 skipped: 1 empty; 2 without words'
    """
    wordless = reasons[NO_WORDS]
    by_number = sorted((-number, reason) for reason, number in reasons.items() if reason != NO_WORDS)
    listed = ", ".join(f"{-number:,} {reason}" for number, reason in by_number)
    skipped = f"{reasons.total() - wordless:,} skipped: {listed}" if listed else ""
    return "; ".join(filter(None, (skipped, f"{wordless:,} without words" if wordless else "")))
