"""New documents: an index made of a source, and which stored documents are near-duplicates of new ones.

A new index is filled portion by portion, and gets its name only when it is whole. New documents without near-duplicates
can be added on the way.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from lookalike.documents.document_batches import Batch
from lookalike.errors import ConflictError, DocumentError, StoreError
from lookalike.index import Index
from lookalike.index.contract import NO_KIND, exists_already, kind_of, wrong_id
from lookalike.index.index_documents import Portion, portions
from lookalike.index.index_setup import being_built, remove_abandoned, sync_folder
from lookalike.index.query import AT_ONCE, FEW, Asked, Hits, ask, in_bands, sign
from lookalike.index.store_opening import MEMORY, is_server, server_store
from lookalike.tables.packed import Ids, Texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lookalike.documents import Source
    from lookalike.index.contract import Store
    from lookalike.index.index_setup import IndexSettings
    from lookalike.index.unless_similar import Decision
    from lookalike.result import Recall
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
    without_words: int
    """Documents that are like nothing."""


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
    return Built(name, added, size, index.without_words)


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

    def ask(self, ids: Sequence[Id], texts: Texts, asked: Asked) -> list[Hits]:
        """Return the hits of each document, and the nearest if the index has them."""

    def there(self, ids: Sequence[Id]) -> set[Id]:
        """Return the ids under which a document is stored."""

    def first_id(self) -> Id | None:
        """Return the id of the document that was added first; None if there is none."""

    def add_unless_similar(self, ids: Sequence[Id], texts: Texts, threshold: float, top: int | None) -> list[Decision]:
        """Add the documents that are like none that is stored, as `Index.add_unless_similar` does."""

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

    def ask(self, ids: Sequence[Id], texts: Texts, asked: Asked) -> list[Hits]:
        """Query the index."""
        signed = sign(texts, self.settings, self._threads)
        return ask(self._store, signed, list(ids), asked._replace(threads=self._threads))

    def there(self, ids: Sequence[Id]) -> set[Id]:
        """Look the ids up."""
        with self._store.reading() as reader:
            return {name for name, number in zip(ids, reader.numbers(ids), strict=True) if number is not None}

    def first_id(self) -> Id | None:
        """Look at the first document."""
        with self._store.reading() as reader:
            return next((id for _, id in reader.listed()), None)

    def add_unless_similar(self, ids: Sequence[Id], texts: Texts, threshold: float, top: int | None) -> list[Decision]:
        """Decide and add them in one transaction."""
        return Index(self._store).add_unless_similar(_portion(ids, texts), threshold, top=top, threads=self._threads)

    def get(self, id: Id) -> str:
        """Read it."""
        return Index(self._store).get(id)

    def count(self) -> int:
        """Count them."""
        return len(Index(self._store))


def _portion(ids: Sequence[Id], texts: Texts) -> Portion:
    return Portion("new documents", [Batch(Ids.of(ids), texts)])  # type: ignore[arg-type]


# -- the check ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Checking:
    """One run of checks, and its outcome."""

    stored: StoredDocuments
    threshold: float
    """0 asks for the nearest of those that share anything; `top` says how many."""
    top: int | None = None
    """At most this many hits per document."""
    skip_same_id: bool = False
    """Whether the document that is stored under the id of a new one is left out."""
    add: bool = False
    """Whether documents without a hit are added, so that later ones meet them."""
    documents: int = 0
    alike: int = 0
    """Documents with a hit."""
    added: int = 0
    not_added: int = 0
    """Documents without a hit whose ids were there already."""
    skipped: int = 0
    """Stored documents that were not compared with a new one because they have its id."""
    cut: int = 0
    """Documents of which `top` may have left hits out."""
    truncated: int = 0
    """Other documents that may have more hits: they share a key with too many others to examine all of them."""
    not_judged: int = 0
    """Documents without words."""
    closest: float = 0.0
    recall: Recall | None = None
    """The least that any answer promises; None if one promises none. Documents without words need none."""
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
        many = AT_ONCE if in_bands(self.stored.settings, self._question()) else FEW
        for start in range(0, len(ids), many):
            some = slice(start, start + many)
            yield from self._some(list(ids[some]), texts[some])

    def _some(self, ids: list[Id], texts: Texts) -> list[Hits]:
        answers = self._added(ids, texts) if self.add else self.stored.ask(ids, texts, self._question())
        answers = [hits.first(self.top) for hits in answers]
        judged = [hits for hits in answers if not hits.not_judged]
        if judged:
            before = [self.recall] if self.documents > self.not_judged else []
            recalls = [*before, *(hits.recall for hits in judged)]
            known = [recall for recall in recalls if recall is not None]
            self.recall = min(known, key=attrgetter("promised")) if len(known) == len(recalls) else None
        self.documents += len(answers)
        self.not_judged += len(answers) - len(judged)
        cut = sum(hits.truncated and len(hits) == self.top for hits in answers)
        self.cut += cut
        self.truncated += sum(hits.truncated for hits in answers) - cut
        self.alike += sum(bool(hits) for hits in answers)
        self.skipped += sum(hits.skipped_same_id for hits in answers)
        self.closest = max([self.closest, *(hits[0].similarity for hits in answers if hits)])
        return answers

    def _question(self) -> Asked:
        nearest = self.stored.settings.nearest
        return Asked(self.threshold or None, self.top, skip_same_id=self.skip_same_id, nearest=nearest)

    def _added(self, ids: list[Id], texts: Texts) -> list[Hits]:
        """Add the documents without a hit; those whose ids are stored, or come again, are only looked up."""
        there = self.stored.there(ids)
        answers: dict[int, Hits] = {}
        first = {id: place for place, id in reversed(list(enumerate(ids)))}
        while new := [place for id, place in sorted(first.items(), key=lambda item: item[1]) if id not in there]:
            names = [ids[place] for place in new]
            for name in names:
                if problem := self.refuses(name):
                    raise DocumentError(name, "id", problem, "give it another id")
            try:
                decisions = self.stored.add_unless_similar(names, Texts.of(texts.take(new)), self.threshold, self.top)
            except ConflictError as error:  # others have added documents with these ids meanwhile
                if there.issuperset(error.documents):
                    raise
                there |= set(error.documents)
                continue
            answers = {place: decision.hits for place, decision in zip(new, decisions, strict=True)}
            self.added += sum(decision.is_added for decision in decisions)
            if self.stored.settings.nearest:
                answers |= self._with_nearest(answers, ids, texts)
            break
        if rest := [place for place in range(len(ids)) if place not in answers]:
            known = self.stored.ask([ids[place] for place in rest], Texts.of(texts.take(rest)), self._question())
            self.not_added += sum(not hits for hits in known)
            answers |= dict(zip(rest, known, strict=True))
        return [answers[place] for place in range(len(ids))]

    def _with_nearest(self, answers: dict[int, Hits], ids: list[Id], texts: Texts) -> dict[int, Hits]:
        """Return decided documents with the nearest others; those that were just added do not meet themselves."""
        places, found = list(answers), dict[int, Hits]()
        question = self._question()._replace(skip_same_id=True)
        for start in range(0, len(places), FEW):
            some = places[start : start + FEW]
            asked = self.stored.ask([ids[place] for place in some], Texts.of(texts.take(some)), question)
            for place, others in zip(some, asked, strict=True):
                hits = answers[place]
                found[place] = Hits(
                    hits,
                    query=hits.query,
                    truncated=hits.truncated,
                    recall=hits.recall,
                    nearest=others.nearest,
                    not_judged=hits.not_judged,
                )
        return found
