"""New documents: an index made of a source, and which stored documents are near-duplicates of new ones.

A new index is filled portion by portion, and gets its name only when it is whole. New documents without near-duplicates
can be added on the way.
"""

from __future__ import annotations

import heapq
import os
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from lookalike.documents.document_batches import Batch
from lookalike.errors import DocumentError, StoreError
from lookalike.index import Index
from lookalike.index.contract import NO_KIND, exists_already, kind_of, wrong_id
from lookalike.index.index_documents import Portion, portions
from lookalike.index.index_setup import being_built, remove_abandoned, sync_folder
from lookalike.index.query import AT_ONCE, FEW, Hit, Hits, ask, sign
from lookalike.index.store_opening import MEMORY, MemoryStore, is_server, server_store
from lookalike.tables.packed import Ids, Texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lookalike.documents import Source
    from lookalike.index.contract import Store
    from lookalike.index.index_setup import IndexSettings
    from lookalike.tables.packed import Id

__all__ = ["Built", "Checking", "StoredDocuments", "StoredHere", "build"]

_BESIDE: Final = ("", "-wal", "-shm", "-lock", "-journal")
"""What the names of the files of an index end in."""


class Built(NamedTuple):
    """What a new index is."""

    name: str
    """Without a user or a password."""
    documents: int
    bytes: int


def build(
    where: str,
    source: Source,
    *,
    progress: Callable[[int], None] | None = None,
    judge: Callable[[int], None] | None = None,
    threads: int = 0,
    **settings: Any,
) -> Built:
    """Make an index of all documents of a source; `settings` are those of `Index.open`.

    It is built under another name and gets its own when it is whole. What fails leaves nothing behind. `judge` is told
    how many documents were read, and may still refuse.
    """
    if where == MEMORY:
        raise StoreError(where, "would be lost at once", "give the name of a file, or a postgresql:// URL")
    placed = server_store(where).new_place(where) if is_server(where) else _new_file(where)
    with placed as (name, unfinished):
        try:
            with Index.open(unfinished, create=True, **settings) as index:
                added = _fill(index, source, threads, progress)
                if judge is not None:
                    judge(added)
                index.compact()
                size = index.info()["bytes"]
        except StoreError as error:  # which knows the other name only
            raise type(error)(name, error.problem, error.remedy) from error
    return Built(name, added, size)


def _fill(index: Index, source: Source, threads: int, progress: Callable[[int], None] | None) -> int:
    added = 0
    for portion in portions(source):

        def told(done: int, before: int = added) -> None:
            if progress is not None:
                progress(before + done)

        added += index.add(portion, threads=threads, progress=told)
    return added


@contextmanager
def _new_file(where: str) -> Iterator[tuple[str, str]]:
    """Give a name, and the name of a file that becomes `where`, unless something goes wrong."""
    path = Path(where)
    if os.path.lexists(path):
        raise exists_already(where)
    remove_abandoned(path)
    unfinished = path.with_name(f"{path.name}.new-{os.getpid()}-{os.urandom(4).hex()}")
    with being_built(unfinished):
        yield from _finished(where, path, unfinished)


def _finished(where: str, path: Path, unfinished: Path) -> Iterator[tuple[str, str]]:
    try:
        yield where, str(unfinished)
        log = unfinished.with_name(unfinished.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise StoreError(where, "could not be finished: another process has opened it", "try again")
        try:
            os.link(unfinished, path)
        except FileExistsError:
            raise exists_already(where) from None
        except OSError:  # a file system without links
            unfinished.rename(path)
        sync_folder(path.parent)
    finally:
        for ending in _BESIDE:
            unfinished.with_name(unfinished.name + ending).unlink(missing_ok=True)


# -- what documents are checked against --------------------------------------------------------------------------------


class StoredDocuments(Protocol):
    """What documents are checked against."""

    name: str
    """What to call it in a message."""
    settings: IndexSettings
    """As they may be known: a secret seed may read 0."""
    to_replace: str
    """What replaces stored documents, for a message."""

    def ask(self, ids: Sequence[Id], texts: Texts, threshold: float | None, top: int | None) -> list[Hits]:
        """Return the hits of each document, its own id among them if it is stored."""

    def there(self, ids: Sequence[Id]) -> set[Id]:
        """Return the ids under which a document is stored."""

    def first_id(self) -> Id | None:
        """Return the id of the document that was added first; None if there is none."""

    def add(self, ids: Sequence[Id], texts: Texts) -> int:
        """Add documents; they are safe when it returns."""

    def get(self, id: Id) -> str:
        """Return the text of a document; `KeyError` if there is none with this id."""

    def count(self) -> int:
        """Return how many documents are stored."""


class StoredHere:
    """The documents of an index that is open in this process."""

    def __init__(self, store: Store, threads: int = 0) -> None:
        """Take the store of the index, and how many threads to work with."""
        self.name, self.settings = store.name, store.settings
        self.to_replace = "lookalike index add --replace replaces them"
        self._store, self._threads = store, threads

    def ask(self, ids: Sequence[Id], texts: Texts, threshold: float | None, top: int | None) -> list[Hits]:
        """Query the index."""
        signed = sign(texts, self.settings, self._threads)
        return ask(self._store, signed, list(ids), threshold, top, self._threads)

    def there(self, ids: Sequence[Id]) -> set[Id]:
        """Look the ids up."""
        with self._store.reading() as reader:
            return {name for name, number in zip(ids, reader.numbers(ids), strict=True) if number is not None}

    def first_id(self) -> Id | None:
        """Look at the first document."""
        with self._store.reading() as reader:
            return next((id for _, id in reader.listed()), None)

    def add(self, ids: Sequence[Id], texts: Texts) -> int:
        """Add them in one transaction."""
        batch = Batch(Ids.of(ids), texts)  # type: ignore[arg-type]
        return Index(self._store).add(Portion("new documents", [batch]), threads=self._threads)

    def get(self, id: Id) -> str:
        """Read it."""
        return Index(self._store).get(id)

    def count(self) -> int:
        """Count them."""
        return len(Index(self._store))


# -- the check ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Checking:
    """One run of checks, and its outcome."""

    stored: StoredDocuments
    threshold: float
    """0 asks for the nearest of those that share anything; `top` says how many."""
    top: int | None = None
    """At most this many hits per document."""
    own: bool = False
    """Whether a document that is stored under its own id is its own hit."""
    add: bool = False
    """Whether documents without a hit are added, so that later ones meet them."""
    documents: int = 0
    alike: int = 0
    """Documents with a hit."""
    added: int = 0
    not_added: int = 0
    """Documents without a hit whose ids were there already."""
    own_omitted: int = 0
    """Documents that were stored under their own ids, and would have been their own hits."""
    truncated: int = 0
    """Documents that share a key with too many others to examine all of them."""
    closest: float = 0.0
    _kind: str = NO_KIND
    """What the ids of the store are, as far as is known."""

    def refuses(self, name: Id) -> str:
        """Say why a document with this id cannot be added; nothing if it can. The first one decides what ids are."""
        if self._kind == NO_KIND:
            first = self.stored.first_id()
            self._kind = kind_of(name if first is None else first)
        return wrong_id(name, self._kind, self.stored.name)

    def check(self, ids: Sequence[Id], texts: Texts) -> Iterator[Hits]:
        """Give the hits of each document; what is added is safe before they are given."""
        many = AT_ONCE if self.threshold >= self.stored.settings.threshold else FEW
        for start in range(0, len(ids), many):
            some = slice(start, start + many)
            yield from self._some(list(ids[some]), texts[some])

    def _some(self, ids: list[Id], texts: Texts) -> list[Hits]:
        found = self._counted(self.stored.ask(ids, texts, self.threshold or None, self._asked))
        if self.add:
            found = self._kept(ids, texts, found)
        found = [Hits(hits[: self.top], query=hits.query, truncated=hits.truncated) for hits in found]
        self.documents += len(found)
        self.truncated += sum(hits.truncated for hits in found)
        self.alike += sum(bool(hits) for hits in found)
        self.closest = max([self.closest, *(hits[0].jaccard for hits in found if hits)])
        return found

    @property
    def _asked(self) -> int | None:
        """How many hits to ask for: the document itself may be among them."""
        return None if self.top is None else self.top + 1

    def _counted(self, found: list[Hits]) -> list[Hits]:
        """Drop hits of a document with itself, unless they are wanted."""
        if self.own:
            return found
        others = [_without(hits, hits.query) for hits in found]
        self.own_omitted += sum(len(few) < len(all_) for few, all_ in zip(others, found, strict=True))
        return others

    def _kept(self, ids: list[Id], texts: Texts, found: list[Hits]) -> list[Hits]:
        """Add the documents without a hit; each meets those of the same batch that were added before it."""
        there = self.stored.there([name for name, hits in zip(ids, found, strict=True) if not hits])
        beside = Index(MemoryStore(self.stored.settings))
        new: list[int] = []
        answers = []
        for place, (name, text, hits) in enumerate(zip(ids, texts, found, strict=True)):
            also = beside.query(text, self.threshold, top=self._asked, threads=1) if new else ()
            named = [replace(hit, id=ids[int(hit.id)]) for hit in also]
            answer = _together(hits, [hit for hit in named if self.own or hit.id != name])
            answers.append(answer)
            if answer:
                continue
            if name in there:
                self.not_added += 1
                continue
            there.add(name)
            new.append(place)
            beside.add({place: text}, threads=1)  # by number: ids of both kinds may be there, until all are added
        if new:
            self._add([ids[place] for place in new], Texts.of(texts.take(new)))
        return answers

    def _add(self, ids: list[Id], texts: Texts) -> None:
        for name in ids:
            if problem := self.refuses(name):
                raise DocumentError(name, "id", problem, "give it another id")
        self.added += self.stored.add(ids, texts)


def _without(hits: Hits, name: Id | None) -> Hits:
    return Hits((hit for hit in hits if hit.id != name), query=hits.query, truncated=hits.truncated)


def _together(hits: Hits, more: Sequence[Hit]) -> Hits:
    """Put hits together, the most similar first; of equal ones those that were stored first."""
    if not more:
        return hits
    merged = heapq.merge(hits, more, key=lambda hit: (-hit.jaccard, -(hit.containment_query or 0.0)))
    return Hits(merged, query=hits.query, truncated=hits.truncated)
