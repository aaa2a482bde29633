"""An index: documents that stay. Add, query, remove; what was acknowledged is kept."""

from __future__ import annotations

import os
from contextlib import contextmanager
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from lookalike import _native
from lookalike.documents import open_documents
from lookalike.engine.sign import texts_for_core
from lookalike.errors import ConflictError, RecipeError, StoreError, check_threads
from lookalike.index.contract import DIGEST, Check, Row, check_several, missing_documents
from lookalike.index.index_documents import IndexSource, found_within
from lookalike.index.query import (
    AT_ONCE,
    FEW,
    Asked,
    Hit,
    Hits,
    Interrupt,
    Queryable,
    Signed,
    ask,
    check_addition,
    go_on,
    in_bands,
    sign,
)
from lookalike.index.store_opening import MemoryStore, open_store
from lookalike.index.unless_similar import Deciding, Decision, only_estimates
from lookalike.tables.packed import Texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType

    import pyarrow as pa

    from lookalike.documents import Source
    from lookalike.documents.document_batches import Batch
    from lookalike.engine.groups import Group
    from lookalike.index.contract import Store, StoreWriter
    from lookalike.recipe import Recipe
    from lookalike.tables.packed import Id

__all__ = ["Check", "Decision", "Ensured", "Hit", "Hits", "Index"]

_NAMED: Final = 100
"""Ids that an error names at most."""
_PAGE, _LARGEST_PAGE = 1000, 1 << 16
"""Ids that are read at once: few at first, because many ask for the first alone."""


class Ensured(NamedTuple):
    """What `Index.ensure` did."""

    added: int
    unchanged: int
    """Documents that were already there with the same content."""


class Index(Queryable):
    """Documents that stay: in memory, in a file, or in PostgreSQL.

    >>> index = Index.open(":memory:")
    >>> index.add({"fox": "the quick brown fox jumps over the lazy dog", "cat": "the cat sleeps on the warm wall"})
    2
    >>> index.query("The quick brown fox jumps over the lazy dog!")
    Hits([Hit(id='fox', jaccard=1.0, containment_query=1.0, containment_document=1.0, estimate=None, \
standard_error=None, same_id=False)])
    >>> index.remove(["fox"]), len(index), "cat" in index
    (1, 1, True)
    """

    def __init__(self, store: Store, interrupt: Interrupt = go_on) -> None:
        """Take a store; `Index.open` opens one.

        `interrupt` is called between documents and between portions of a query; what it raises ends the work, and a
        write is undone.
        """
        if isinstance(store, str | os.PathLike):
            raise RecipeError("store", store, "an open store", f"use la.Index.open({os.fspath(store)!r})")
        self._store, self._interrupt = store, interrupt
        self.without_words = 0
        """How many documents without words `add` and `replace` have stored here; they are like nothing."""

    @classmethod
    def open(
        cls,
        where: str | os.PathLike[str],
        *,
        recipe: Recipe | None = None,
        threshold: float | None = None,
        recall: float | None = None,
        keep: str | None = None,
        secret: bool = False,
        create: bool | None = None,
        preset: str | None = None,
    ) -> Index:
        """Open an index, or create it.

        `where` is the path of a file, ``":memory:"``, or ``"postgresql://…"``, with the schema of the index as
        ``#name`` at its end. `create` says whether it must be new (True) or must be there (False); with None, it is
        created if there is none.

        The settings are fixed when an index is created; later they may be left out, and are refused if they differ:

        * `recipe`: what a similarity is.
        * `preset`: the name of a preset, whose recipe and threshold are taken unless others are given. An index
          compares whole documents: a preset that is meant for copied passages (essays) adds `Hits.nearest` to its
          answers, and its threshold, which is of passages, is not taken.
        * `threshold`, `recall`: queries at or above the threshold (0.8) are answered from bands that find at least
          the share `recall` (0.999) of the documents at the threshold, and more above it.
        * `keep`: ``"text"`` (scores are exact, and passages can be shown), ``"shingles"`` (exact), or ``"signature"``
          (scores are estimates, with their standard error).
        * `secret`: draw a random seed that is never shown, so that nobody can craft texts that collide.
        """
        return cls(open_store(where, recipe, threshold, recall, keep, secret, create, preset))

    # -- writing -----------------------------------------------------------------------------------------------------

    def add(
        self,
        documents: Any,
        *,
        text: str | None = None,
        id: str | None = None,
        threads: int = 0,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Add whatever `find` takes; returns how many. They are safe when it returns.

        All of them are added or none: an id that is there already, or twice, is a `DuplicateIdError`. `text` and `id`
        name the columns of a data frame.
        """
        return self._write(open_documents(documents, text=text, id=id), threads, progress, replace=False)

    def replace(
        self,
        documents: Any,
        *,
        text: str | None = None,
        id: str | None = None,
        threads: int = 0,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Add documents in the place of those with the same ids, if there are any; returns how many were given."""
        return self._write(open_documents(documents, text=text, id=id), threads, progress, replace=True)

    def ensure(self, documents: Any, *, text: str | None = None, id: str | None = None, threads: int = 0) -> Ensured:
        """Add the documents that are not there yet, and leave those that are: it can be repeated without harm.

        All of them are added or none: ids that are there with another content are a `ConflictError`, which names them.
        """
        source, threads = open_documents(documents, text=text, id=id), check_threads(threads)
        added = unchanged = 0
        others: list[Id] = []
        with self._writing() as writer:
            for batch in source.batches():
                rows = self._signed_rows(batch, threads)
                known = writer.contents([row.id for row in rows])
                new: list[Row] = []
                for row in rows:
                    if row.id not in known:
                        new.append(row)
                        known[row.id] = row.content()
                    elif known[row.id] == row.content():
                        unchanged += 1
                    else:
                        others.append(row.id)
                if not others:
                    writer.put(new)
                added += len(new)
            if others:
                raise self._conflict(others)
        return Ensured(added, unchanged)

    def add_unless_similar(
        self,
        documents: Any,
        threshold: float | None = None,
        *,
        top: int | None = None,
        text: str | None = None,
        id: str | None = None,
        threads: int = 0,
    ) -> list[Decision]:
        """Add the documents that are like none that is stored: decided and done in one transaction.

        * `threshold`: documents at or above it are similar; by default that of the index.
        * `top`: at most this many hits for each document.

        Of documents that are like one another, the first is added. A document that is stored already, under the same id
        and with the same content, counts as added, so a call can be repeated; with another content, nothing is added,
        and a `ConflictError` names the documents. The index must keep texts or shingles.

        >>> index = Index.open(":memory:")
        >>> fox, cat = "the quick brown fox jumps over the lazy dog", "the cat sleeps on the warm wall"
        >>> decisions = index.add_unless_similar({"fox": fox, "cat": cat, "copy": fox.upper()})
        >>> [(decision.id, decision.is_added, decision.hits.ids) for decision in decisions]
        [('fox', True, []), ('cat', True, []), ('copy', False, ['fox'])]
        """
        if self._store.settings.keep == "signature":
            raise only_estimates(self._store.name)
        threshold, top = check_addition(threshold, top)
        threshold = threshold or self._store.settings.threshold
        source, threads = open_documents(documents, text=text, id=id), check_threads(threads)
        asked = Asked(threshold, top, threads, self._interrupt)
        together = AT_ONCE if in_bands(self._store.settings, asked) else FEW
        decisions: list[Decision] = []
        with self._writing() as writer:
            deciding = Deciding(self._store, writer, MemoryStore(self._store.settings), asked)
            for batch in source.batches():
                for start in range(0, len(batch), together):
                    self._interrupt()
                    signed = sign(batch.texts[start : start + together], self._store.settings, threads)
                    rows = self._rows(list(batch.ids[start : start + together]), signed, threads)
                    decisions += deciding.decide(rows, signed)
            if deciding.conflicts:
                raise self._conflict(deciding.conflicts)
        return decisions

    @contextmanager
    def _writing(self) -> Iterator[StoreWriter]:
        """Write, if nobody has interrupted it: while others wrote, or until it is done."""
        with self._store.writing() as writer:
            self._interrupt()
            yield writer
            self._interrupt()

    def _conflict(self, ids: list[Id]) -> ConflictError:
        return ConflictError(tuple(ids[:_NAMED]), len(ids), self._store.name)

    def put(self, id: Id, text: str, *, threads: int = 0) -> str:
        """Store a text under an id, whatever was there; returns "added", "replaced" or "unchanged"."""
        (batch,) = open_documents({id: text}).batches()
        (row,) = self._signed_rows(batch, check_threads(threads))
        with self._writing() as writer:
            known = writer.contents([row.id]).get(row.id)
            if known == row.content():
                return "unchanged"
            if known is not None:
                writer.discard([row.id])
            writer.put([row])
        return "added" if known is None else "replaced"

    def remove(self, ids: Iterable[Id]) -> int:
        """Remove documents; returns how many of them there were."""
        check_several(ids)
        removed = list(ids)

        def discard() -> int:
            with self._writing() as writer:
                return writer.discard(removed)

        return self._store.with_room(discard)

    def _write(self, source: Source, threads: int, progress: Callable[[int], None] | None, *, replace: bool) -> int:
        threads, added, without_words = check_threads(threads), 0, 0
        nothing = sign(Texts.of([""]), self._store.settings).digests
        with self._writing() as writer:
            for batch in source.batches():
                rows = self._signed_rows(batch, threads)
                without_words += sum(row.digest == nothing for row in rows)
                if replace:
                    writer.discard([row.id for row in rows])
                writer.put(rows)
                added += len(rows)
                if progress is not None:
                    progress(added)
        self.without_words += without_words
        return added

    def _signed_rows(self, batch: Batch, threads: int) -> list[Row]:
        self._interrupt()
        return self._rows(batch.ids, sign(batch.texts, self._store.settings, threads), threads)

    def _rows(self, ids: Iterable[Id], signed: Signed, threads: int) -> list[Row]:
        keys, slots = 8 * self._store.settings.bands.bands, self._store.settings.recipe.hashes
        return [
            Row(
                id,
                signed.shingles[place],
                signed.lengths[place],
                signed.digests[place * DIGEST : (place + 1) * DIGEST],
                signed.keys[place * keys : (place + 1) * keys],
                signed.slots[place * slots : (place + 1) * slots],
                body,
            )
            for place, (id, body) in enumerate(zip(ids, self._bodies(signed, threads), strict=True))
        ]

    def _bodies(self, signed: Signed, threads: int) -> Iterator[bytes]:
        settings = self._store.settings
        if settings.keep == "signature":
            yield from (b"" for _ in range(len(signed)))
            return
        if settings.keep == "text":
            data, places = signed.texts.data, signed.texts.places.tolist()
        else:
            strategy = settings.strategy()
            given = texts_for_core(signed.texts, strategy)
            offsets, elements = _native.sets_of(given, strategy.native(), threads)
            data, places = memoryview(elements), [8 * place for place in memoryview(offsets).cast("Q")]
        first = places[0] if places else 0
        for start, end in pairwise(places):
            yield bytes(data[start - first : end - first])

    # -- asking ------------------------------------------------------------------------------------------------------

    def _hits_of_text(self, text: str, asked: Asked) -> Hits:
        asked = self._completed(asked)
        return ask(self._store, sign(Texts.of([text]), self._store.settings, asked.threads), [None], asked)[0]

    def _hits_of_each(self, source: Source, asked: Asked) -> Iterator[Hits]:
        asked = self._completed(asked)
        together = AT_ONCE if in_bands(self._store.settings, asked) else FEW
        for batch in source.batches():
            for start in range(0, len(batch), together):
                signed = sign(batch.texts[start : start + together], self._store.settings, asked.threads)
                yield from ask(self._store, signed, list(batch.ids[start : start + together]), asked)

    def _completed(self, asked: Asked) -> Asked:
        threads, nearest = check_threads(asked.threads), self._store.settings.nearest
        return asked._replace(threads=threads, interrupt=self._interrupt, nearest=nearest)

    def get(self, id: Id) -> str:
        """Return the text of a document; `KeyError` if there is none with this id."""
        if self._store.settings.keep != "text":
            raise StoreError(self._store.name, "keeps no texts", "create an index with keep='text'")
        with self._store.reading() as reader:
            (number,) = reader.numbers([id])
            if number is None:
                raise KeyError(id)
            return reader.bodies([number])[number].decode("utf-8")

    def ids(self) -> Iterator[Id]:
        """Give the ids of all documents, in the order in which they were added.

        They are read page by page, and nobody waits in between: an id that is added meanwhile may come or not, and one
        that is replaced may come twice.
        """
        after, documents, versions, size = -1, 0, set(), _PAGE
        while True:
            with self._store.reading() as reader:
                page = list(islice(reader.listed(after), size))
                versions.add(reader.version())
                if not page and len(versions) == 1 and documents != reader.count():
                    raise missing_documents(self._store.name, documents, reader.count())
            yield from (id for _, id in page)
            if not page:
                return
            after, documents, size = page[-1][0], documents + len(page), min(2 * size, _LARGEST_PAGE)

    def __len__(self) -> int:
        """Return how many documents there are."""
        with self._store.reading() as reader:
            return reader.count()

    def __bool__(self) -> bool:
        """Return True: an empty index is still an index."""
        return True

    def __contains__(self, id: object) -> bool:
        """Tell whether there is a document with this id."""
        if not isinstance(id, str | int) or isinstance(id, bool):
            return False
        with self._store.reading() as reader:
            return reader.numbers([id]) != [None]

    def __iter__(self) -> Iterator[Id]:
        """Give the ids."""
        return self.ids()

    def documents(self) -> Source:
        """Return the documents as a source, for `find(..., against=index.documents())` and the like."""
        return IndexSource(self._store)

    def pairs(self, threshold: float | None = None) -> pa.Table:
        """Return the pairs of stored documents: a, b and their scores, as `Result.pairs` has them.

        Where only signatures are kept, the scores are the columns `estimate` and `standard_error`. Where texts are, not
        all pairs of very large clusters are listed, as by `find`: `la.find(index.documents())` says of how many
        documents, and lists all with `max_pairs`.
        """
        return found_within(self._store, threshold).pairs

    def groups(self, threshold: float | None = None) -> list[Group]:
        """Return the clusters of similar stored documents."""
        return list(found_within(self._store, threshold).groups)

    # -- keeping -----------------------------------------------------------------------------------------------------

    @property
    def recipe(self) -> Recipe:
        """What a similarity is in this index; a secret seed reads 0."""
        return self._store.settings.shown().recipe

    def info(self) -> dict[str, Any]:
        """Describe it, and how large it is: ready for JSON."""
        settings = self._store.settings.shown()
        return {
            **self._store.info(),
            "documents": len(self),
            "recipe": str(settings.recipe),
            "threshold": settings.threshold,
            "recall": settings.strategy().promised,
            "bands": settings.bands.bands,
            "rows": settings.bands.rows,
            "keep": settings.keep,
            "secret": settings.secret,
            "preset": settings.preset,
        }

    def verify(self) -> Check:
        """Check every document and every key; `.ok` says whether all is well, `.problems` what is wrong."""
        return self._store.verify()

    def repair(self) -> Check:
        """Repair what can be repaired; what cannot is in `.lost`, and has to be added again."""
        return self._store.repair()

    def compact(self) -> None:
        """Free the space of removed documents, and make queries as fast as possible."""
        self._store.compact()

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Write a copy to a new file; the index can be used meanwhile."""
        self._store.backup(path)

    def close(self) -> None:
        """Close it. What was added is safe already."""
        self._store.close()

    def __enter__(self) -> Self:
        """Return the index."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def __repr__(self) -> str:
        """Name it."""
        return f"<Index: {self._store.name}>"
