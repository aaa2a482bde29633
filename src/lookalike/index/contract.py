"""The contract of a store: what an index keeps, and what a store must be able to do with it.

A store holds rows and finds them by key; it knows nothing of texts or scores. `Index` signs, filters and verifies, with
the engine's own functions, so every store gives the same answers. The rules of every store:

* **A write is whole.** `writing()` is one transaction: all of it is kept when it ends, or nothing.
* **A write that has returned is kept**, whatever happens to the process, and to the machine if the disk keeps its
  promises. The memory store keeps nothing beyond the process.
* **A read sees whole writes.** `reading()` is a snapshot.
* **Numbers are never reused**, and rise in the order in which documents were added.
* **Damage is an error.** Rows have checksums, which are checked before a row is used.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from lookalike.errors import DamagedError, DocumentError, StoreError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from lookalike.index.index_setup import IndexSettings
    from lookalike.tables.packed import Id

    Result = TypeVar("Result")

__all__ = [
    "DIGEST",
    "LARGEST_BODY",
    "LAST_NUMBER",
    "LONGEST_ID",
    "NO_KIND",
    "Check",
    "Content",
    "Head",
    "Met",
    "Row",
    "ServerStore",
    "Store",
    "StoreReader",
    "StoreWriter",
    "Version",
    "check_rows",
    "check_several",
    "checksum",
    "exists_already",
    "is_readable",
    "kind_of",
    "may_be_stored",
    "met_of",
    "missing_documents",
    "wrong_id",
]

DIGEST: Final = 24
LONGEST_ID: Final = 1 << 20
"""Bytes of an id in UTF-8."""
LARGEST_BODY: Final = 64 << 20
"""Bytes that are kept of a document besides its signature."""
NO_KIND: Final = "none"
"""What the ids are before there are any."""
LAST_NUMBER: Final = 2**31 - 2
"""The largest number of a document, and so how many can ever be added to one index."""


class Content(NamedTuple):
    """What tells the content of a document apart from another without loading it."""

    digest: bytes
    length: int
    body_checksum: int


@dataclass(frozen=True, slots=True)
class Row:
    """What is kept of a document."""

    id: Id
    shingles: int
    length: int
    digest: bytes
    keys: bytes
    """A number of 64 bits for each band, which knows its band."""
    slots: bytes
    body: bytes
    """The text in UTF-8, its shingles in 64 bits each, or nothing: as the settings say."""

    def checksum(self) -> int:
        """Return a checksum of all but the body."""
        return checksum(self.id, self.shingles, self.length, self.digest, self.keys, self.slots)

    def content(self) -> Content:
        """Return what tells this content from another."""
        return Content(self.digest, self.length, zlib.crc32(self.body))


def checksum(id: Id, shingles: int, length: int, *parts: bytes) -> int:
    """Return a checksum of what is kept of a document; the id 1 and the id "1" have different ones."""
    return zlib.crc32(b"".join((repr((id, shingles, length)).encode("utf-8", "surrogatepass"), *parts)))


def is_readable(body: bytes, settings: IndexSettings) -> bool:
    """Tell whether what was kept of a document can be used: a forged file has the right checksums."""
    if settings.keep == "text" and not body.isascii():
        try:
            body.decode("utf-8")
        except UnicodeDecodeError:
            return False
    return settings.keep != "shingles" or len(body) % 8 == 0


def kind_of(id: Id) -> str:
    """Return what an id is, int or str."""
    return "int" if isinstance(id, int) else "str"


def may_be_stored(id: object) -> bool:
    """Tell whether there can be a document with an id at all: a text in UTF-8, or a number of 64 bits."""
    if isinstance(id, str):
        return id.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in id)
    return isinstance(id, int) and not isinstance(id, bool) and -(2**63) <= id < 2**63


def check_several(ids: object) -> None:
    """Refuse a single id where several are expected: the letters of a string would be taken for ids."""
    if isinstance(ids, str | bytes | int):
        raise DocumentError(ids, "ids", "are one id, not a collection", f"give a list: [{ids!r}]")


def wrong_id(id: Id, kind: str, name: str) -> str:
    """Say what is wrong with an id for an index whose ids are of a kind; nothing if it can be added."""
    if kind not in (NO_KIND, kind_of(id)):
        own, its = ("a number", "texts") if isinstance(id, int) else ("a text", "numbers")
        return f"is {own}; the ids of {name} are {its}"
    if isinstance(id, str) and len(id) > LONGEST_ID // 4 and len(id.encode()) > LONGEST_ID:
        return f"is longer than {LONGEST_ID >> 20} MiB"
    return ""


def check_rows(rows: Sequence[Row], kind: str, name: str) -> str:
    """Refuse what is too large, and ids of two kinds; the first document decides, and the kind is returned."""
    for row in rows:
        if kind == NO_KIND:
            kind = kind_of(row.id)
        if problem := wrong_id(row.id, kind, name):
            raise DocumentError(row.id, "id", problem, "give it another id")
        if len(row.body) > LARGEST_BODY:
            problem = f"is larger than {LARGEST_BODY >> 20} MiB, or its shingles are"
            raise DocumentError(row.id, "text", problem, "split it, or make an index with keep='signature'")
    return kind


class Head(NamedTuple):
    """What is needed of a stored document to decide whether it is worth verifying."""

    id: Id
    slots: bytes
    size: int
    """Bytes that were kept besides."""


class Version(NamedTuple):
    """Which state an index is in: two that are equal have the same documents.

    Numbers are never reused, so an addition raises `next`; a removal alone lowers `documents`.
    """

    next: int
    """The number of the next document."""
    documents: int
    """How many there are."""
    kind: str
    """What the ids are: int, str, or none so far."""


class Met(NamedTuple):
    """What the keys of some queries meet."""

    queries: array[int]
    """For each meeting the query, ascending."""
    numbers: array[int]
    """And the document."""
    truncated: frozenset[int]
    """Queries with a key that more documents have than are examined."""


def met_of(found: tuple[bytes, bytes, list[int]]) -> Met:
    """Return what a native table met."""
    return Met(array("I", found[0]), array("I", found[1]), frozenset(found[2]))


@dataclass(slots=True)
class Check:
    """What `verify` found, or `repair` did."""

    documents: int = 0
    """How many are in the index."""
    problems: list[str] = field(default_factory=list)
    """What is wrong, in sentences; empty if all is well."""
    lost: list[Id] = field(default_factory=list)
    """Documents that cannot be used any more: add them again."""

    def add(self, error: StoreError) -> None:
        """Record the error that ended a check as a problem, in a sentence of its own."""
        what = error.problem.removeprefix("is damaged: ")
        if what == "is damaged":
            what = "the database is damaged"
        elif what != error.problem and not what.endswith("is missing"):
            what = f"{what} is damaged"
        self.problems.append(what)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


class StoreWriter(ABC):
    """One transaction."""

    reader: StoreReader
    """What was there when it began."""

    @abstractmethod
    def put(self, rows: Sequence[Row]) -> None:
        """Add documents; `DuplicateIdError` if one is there."""

    @abstractmethod
    def discard(self, ids: Iterable[Id]) -> int:
        """Remove documents; returns how many there were."""

    @abstractmethod
    def contents(self, ids: Sequence[Id]) -> dict[Id, Content]:
        """Return what tells the documents apart that are there under these ids, as the transaction has them."""


class StoreReader(ABC):
    """One snapshot."""

    @abstractmethod
    def version(self) -> Version:
        """Return which state this is."""

    def count(self) -> int:
        """Return how many documents there are."""
        return self.version().documents

    @abstractmethod
    def meet(self, keys: bytes, most: int) -> Met:
        """Return the documents that share a key with each query; of a key, the first `most` documents."""

    @abstractmethod
    def heads(self, numbers: Sequence[int]) -> dict[int, Head]:
        """Return what is known of documents by number; those that were removed are missing."""

    @abstractmethod
    def bodies(self, numbers: Sequence[int]) -> dict[int, bytes]:
        """Return what was kept of documents."""

    @abstractmethod
    def numbers(self, ids: Sequence[Id]) -> list[int | None]:
        """Return the number of each document, None where there is no such document."""

    @abstractmethod
    def slots(self) -> Iterator[tuple[array[int], bytes]]:
        """Give all documents in blocks, in the order of their numbers: numbers, and their slots in one piece."""

    @abstractmethod
    def rows(self) -> Iterator[list[tuple[int, Row]]]:
        """Give all documents in blocks, in the order of their numbers."""

    @abstractmethod
    def listed(self, after: int = -1) -> Iterator[tuple[int, Id]]:
        """Yield the numbers and ids of all documents after a number, in order."""


class Store(ABC):
    """Where an index keeps its documents."""

    name: str
    """What to call it in a message."""
    settings: IndexSettings

    @abstractmethod
    def writing(self) -> AbstractContextManager[StoreWriter]:
        """Start to write: what is written is kept when the block ends, and dropped if it ends with an error."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[StoreReader]:
        """Start to read: the block sees one state."""

    def snapshot(self) -> AbstractContextManager[StoreReader]:
        """Start to read for long: the block sees one state, and nobody waits for it."""
        return self.reading()

    @abstractmethod
    def errors(self) -> AbstractContextManager[None]:
        """Translate errors that are raised outside `reading` and `writing`."""

    def with_room(self, write: Callable[[], Result]) -> Result:
        """Do what frees space, and make room for it first where that is needed and possible."""
        return write()

    @abstractmethod
    def verify(self) -> Check:
        """Check everything."""

    @abstractmethod
    def repair(self) -> Check:
        """Repair what can be repaired, from what is kept of each document."""

    @abstractmethod
    def compact(self) -> None:
        """Free the space of what was removed."""

    @abstractmethod
    def backup(self, path: str | os.PathLike[str]) -> None:
        """Write a copy to a new file, while the index is in use."""

    @abstractmethod
    def info(self) -> dict[str, Any]:
        """Describe where it is and how large it is: ready for JSON."""

    @abstractmethod
    def close(self) -> None:
        """Release everything."""


class ServerStore(Store):
    """A store on a database server, which an address selects (`lookalike.opening.SERVERS`)."""

    @classmethod
    @abstractmethod
    def open_or_create(
        cls, url: str, create: bool | None, chosen: Callable[[], IndexSettings]
    ) -> tuple[ServerStore, bool]:
        """Open an index, or create it; returns also whether it is new."""

    @classmethod
    @abstractmethod
    def shown_name(cls, where: str) -> str:
        """Return an address without a user, a password or options."""

    @classmethod
    @abstractmethod
    def new_place(cls, where: str) -> AbstractContextManager[tuple[str, str]]:
        """Give a name, and an address that becomes `where` when the block ends, unless something goes wrong."""


def exists_already(name: str) -> StoreError:
    """Return the error for a new index under a name that is taken."""
    return StoreError(name, "exists already", "give another name, or add to it: lookalike index add")


def missing_documents(name: str, there: int, expected: int) -> DamagedError:
    """Return the error for a list that is not whole."""
    return DamagedError(
        name, f"is damaged: it lists {there:,} documents of {expected:,}", "run: lookalike index repair"
    )
