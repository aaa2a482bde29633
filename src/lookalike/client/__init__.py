"""The client: an index behind `lookalike serve`, with the methods of `la.Index`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self

from lookalike.client.connection import Connection, spelt
from lookalike.client.wire import (
    MOST_DOCUMENTS,
    comparison_of,
    decisions_of,
    documents_of,
    group_of,
    hits_of,
    in_batches,
    pairs_table,
    results_of,
    settings_of,
    understood,
)
from lookalike.documents import open_documents
from lookalike.errors import DocumentError, RecipeError, StoreError
from lookalike.index.contract import NO_KIND, check_several, kind_of, wrong_id
from lookalike.index.query import FEW, Asked, Queryable, check_addition, in_bands
from lookalike.index.unless_similar import only_estimates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import TracebackType

    import pyarrow as pa

    from lookalike.documents import Source
    from lookalike.engine.groups import Group
    from lookalike.index import Decision
    from lookalike.index.index_setup import IndexSettings
    from lookalike.index.query import Hits
    from lookalike.recipe import Recipe
    from lookalike.tables.packed import Id, Texts
    from lookalike.text.comparison import Comparison

__all__ = ["Client", "StoredThere"]


_PAGE: Final = 1000
"""Ids, pairs or clusters that are requested at once."""


class Client(Queryable):
    """An index behind a server; a thread or several may use it.

    What its methods take and return is what those of `Index` do. What a server or the network does wrong is a
    `ServerError`.

    >>> Client("http://127.0.0.1:8000")
    <Client: http://127.0.0.1:8000>
    """

    def __init__(self, url: str, token: str | None = None, timeout: float = 30.0, retries: int = 3) -> None:
        """Take the address of a server; nothing is asked of it yet.

        * `token`: the read token, or the write token, which may read as well. It is sent to this address alone:
          redirects are not followed.
        * `timeout`: seconds to wait for the connection, and for each part of an answer.
        * `retries`: how often a request is repeated if the connection fails, or if the server has too much to do. The
          waits in between grow, and are as long as the server asks for.
        """
        self._server = Connection(url, token, timeout, retries)
        self._kind = NO_KIND
        self._settings: IndexSettings | None = None

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

        Documents are sent in batches of up to 1,000 or about 4 MB, and each batch is added as a whole or not at all. An
        id that is there with another text is a `DuplicateIdError`; the batches before it stay. A document that is
        there with the same text counts as added, so that an `add` that failed can be repeated. `text` and `id` name the
        columns of a data frame; `threads` has no effect here.
        """
        del threads
        added = 0
        for some in in_batches(documents_of(open_documents(documents, text=text, id=id))):
            self._server.ask("POST", "/v1/documents", body=some.body(), ids=some.ids)
            added += len(some.ids)
            if progress is not None:
                progress(added)
        return added

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
        """Add each document unless one that is stored, or comes before it, is like it; returns what was decided.

        Documents are sent in batches, each of which is decided and added in one transaction, so of several clients
        that add the same text one adds it. An id that is there with another text is a `ConflictError`; the batches
        before it stay. A call that failed can be repeated. `threads` has no effect here, and the server may limit
        `top`.
        """
        del threads
        threshold, top = check_addition(threshold, top)
        source = open_documents(documents, text=text, id=id)
        return list(self.decisions(documents_of(source), threshold, top))

    def decisions(
        self, documents: Iterable[tuple[Id, str]], threshold: float | None, top: int | None
    ) -> Iterator[Decision]:
        """Add documents unless similar ones are there; give what was decided, batch by batch."""
        if self.settings.keep == "signature":
            raise only_estimates(self.url)
        together = MOST_DOCUMENTS if in_bands(self.settings, Asked(threshold, None)) else FEW
        for some in in_batches(documents, together):
            body = some.body(threshold=threshold, top=top)
            answer = self._server.ask("POST", "/v1/add-unless-similar", body=body, ids=some.ids, conflicts=True)
            with understood(self.url):
                decisions = decisions_of(answer, some.ids)
            yield from decisions

    def replace(
        self,
        documents: Any,
        *,
        text: str | None = None,
        id: str | None = None,
        threads: int = 0,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Add documents in the place of those with the same ids, if there are any; returns how many were given.

        They are sent one by one, and each is safe when the next is sent. `threads` has no effect here.
        """
        del threads
        given = 0
        for name, its in documents_of(open_documents(documents, text=text, id=id)):
            kind = self._known_kind()
            if kind == NO_KIND:  # the first document decides whether ids are texts or numbers: an address cannot tell
                self.add({name: its})
            elif problem := wrong_id(name, kind, self.url):
                raise DocumentError(name, "id", problem, "give it another id")
            else:
                self._server.ask("PUT", "/v1/document", query={"id": name}, body=spelt({"text": its}), ids=[name])
            given += 1
            if progress is not None:
                progress(given)
        return given

    def remove(self, ids: Iterable[Id]) -> int:
        """Remove documents, one by one; returns how many of them there were.

        A document does not count if the answer to its removal got lost and the request was repeated.
        """
        check_several(ids)
        return sum(self._document("DELETE", name) is not None for name in ids)

    # -- asking ------------------------------------------------------------------------------------------------------

    def _hits_of_text(self, text: str, asked: Asked) -> Hits:
        body = {"text": text, "threshold": asked.threshold, "top": asked.top}
        found = self._server.ask("POST", "/v1/check", body=spelt(body))
        with understood(self.url):
            return hits_of(found, None)

    def _hits_of_each(self, source: Source, asked: Asked) -> Iterator[Hits]:
        return self.answers(documents_of(source), asked)

    def answers(self, documents: Iterable[tuple[Id, str]], asked: Asked) -> Iterator[Hits]:
        """Give the hits of documents, batch by batch."""
        asked = asked._replace(nearest=self.settings.nearest)
        together = MOST_DOCUMENTS if in_bands(self.settings, asked) else FEW
        wanted = {"threshold": asked.threshold, "top": asked.top, "skip_same_id": asked.skip_same_id or None}
        for some in in_batches(documents, together):
            found = self._server.ask("POST", "/v1/check", body=some.body(**wanted), ids=some.ids)
            with understood(self.url):
                hits = results_of(found, some.ids)
            yield from hits

    def compare(
        self, a: str | None = None, b: str | None = None, *, id_a: Id | None = None, id_b: Id | None = None
    ) -> Comparison:
        """Compare two texts with the recipe of the index; `id_a` or `id_b` names a stored document instead."""
        sides: dict[str, Any] = {}
        for side, text, name in (("a", a, id_a), ("b", b, id_b)):
            if (text is None) == (name is None):
                raise RecipeError(side, text, f"a text, or id_{side} the id of a stored document")
            sides[side] = {"text": text} if name is None else {"id": name}
        ids = [name for name in (id_a, id_b) if name is not None]
        found = self._server.ask("POST", "/v1/compare", body=spelt(sides), ids=ids)
        with understood(self.url):
            return comparison_of(found)

    def get(self, id: Id) -> str:
        """Return the text of a document; `KeyError` if there is none with this id."""
        found = self._document("GET", id)
        if found is None:
            raise KeyError(id)
        text = found.get("text")
        if not isinstance(text, str):
            raise StoreError(self.url, "keeps no texts", "create an index with keep='text'")
        return text

    def ids(self) -> Iterator[Id]:
        """Give the ids of all documents, in the order in which they were added."""
        for found in self._pages("/v1/documents", "documents"):
            with understood(self.url):
                name = found["id"]
            yield name

    def __len__(self) -> int:
        """Return how many documents there are."""
        info = self.info()
        with understood(self.url):
            return int(info["documents"])

    def __bool__(self) -> bool:
        """Return True: an empty index is still an index."""
        return True

    def __contains__(self, id: object) -> bool:
        """Tell whether there is a document with this id."""
        if not isinstance(id, str | int) or isinstance(id, bool):
            return False
        return self._document("GET", id) is not None

    def __iter__(self) -> Iterator[Id]:
        """Give the ids."""
        return self.ids()

    def pairs(self, threshold: float | None = None) -> pa.Table:
        """Return the pairs of stored documents, the closest first: a, b and their scores, as in `Result.pairs`."""
        found = list(self._pages("/v1/pairs", "pairs", threshold))
        keep = self.settings.keep
        with understood(self.url):
            return pairs_table(found, keep)

    def groups(self, threshold: float | None = None) -> list[Group]:
        """Return the clusters of similar stored documents, the largest first."""
        found = list(self._pages("/v1/groups", "groups", threshold))
        with understood(self.url):
            return [group_of(one, self._members(one, threshold), self.url) for one in found]

    def _members(self, group: dict[str, Any], threshold: float | None) -> list[Id]:
        """Return the documents of a cluster; of a large one, a list of clusters names only the first."""
        members: list[Id] = list(group["documents"])
        path = f"/v1/groups/{int(group['group'])}"
        while len(members) < group["size"]:
            query = {"threshold": threshold, "limit": _PAGE, "after": str(len(members))}
            found = self._server.ask("GET", path, query=query)
            if not found["documents"] or found["principal"] != group["principal"]:
                break
            members += found["documents"]
        return members

    def info(self) -> dict[str, Any]:
        """Say what the index is and how large, what the server allows, and what the token may do."""
        found: dict[str, Any] = self._server.ask("GET", "/v1/info")
        return found

    # -- the server --------------------------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        """The address of the server."""
        return self._server.url

    @property
    def recipe(self) -> Recipe:
        """What a similarity is in this index; a secret seed reads 0."""
        return self.settings.recipe

    @property
    def settings(self) -> IndexSettings:
        """The settings of the index, which never change; a secret seed reads 0."""
        if self._settings is None:
            info = self.info()
            with understood(self.url):
                self._settings = settings_of(info)
        return self._settings

    def close(self) -> None:
        """Close the connections. What was added is safe already."""
        self._server.close()

    def __enter__(self) -> Self:
        """Return the client."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def __repr__(self) -> str:
        """Name the server."""
        return f"<Client: {self.url}>"

    def _document(self, method: str, id: Id) -> dict[str, Any] | None:
        """Ask for a document, or for its removal; None if there is none with this id."""
        if kind_of(id) != self._known_kind():  # in an address, 7 and "7" are the same
            return None
        try:
            # Not in the path: there, proxies change what looks like a folder.
            found: dict[str, Any] = self._server.ask(method, "/v1/document", query={"id": id}, ids=[id])
        except KeyError:
            return None
        return found

    def _known_kind(self) -> str:
        """Return what the ids are; once there was a document, that never changes."""
        if self._kind == NO_KIND:
            info = self.info()
            with understood(self.url):
                self._kind = str(info["ids"])
        return self._kind

    def _pages(self, path: str, name: str, threshold: float | None = None) -> Iterator[dict[str, Any]]:
        """Give all of a list, which the server hands out page by page."""
        after: str | None = None
        while True:
            query = {"threshold": threshold, "limit": _PAGE, "after": after}
            found = self._server.ask("GET", path, query=query)
            with understood(self.url):
                page, after = list(found[name]), found["next"]
            yield from page
            if after is None:
                return


# -- as a check sees it ------------------------------------------------------------------------------------------------


class StoredThere:
    """The documents of the index behind a server."""

    def __init__(self, client: Client) -> None:
        """Ask the server what its index is."""
        self.name, self.settings = client.url, client.settings
        self.to_replace = "la.Client.replace replaces them"
        self._client = client

    def ask(self, ids: Sequence[Id], texts: Texts, asked: Asked) -> list[Hits]:
        """Query the server."""
        return list(self._client.answers(zip(ids, texts, strict=True), asked))

    def there(self, ids: Sequence[Id]) -> set[Id]:
        """Ask for each."""
        return {name for name in ids if name in self._client}

    def first_id(self) -> Id | None:
        """Ask for the first."""
        return next(self._client.ids(), None)

    def add_unless_similar(self, ids: Sequence[Id], texts: Texts, threshold: float, top: int | None) -> list[Decision]:
        """Have the server decide."""
        return list(self._client.decisions(zip(ids, texts, strict=True), threshold or None, top))

    def get(self, id: Id) -> str:
        """Ask for its text."""
        return self._client.get(id)

    def count(self) -> int:
        """Ask how many there are."""
        return len(self._client)
