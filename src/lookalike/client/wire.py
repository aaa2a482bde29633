"""What is sent to a server, and what it answers, as the values that `la.Index` gives."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lookalike.client.connection import not_lookalike
from lookalike.engine.bands import Bands
from lookalike.engine.groups import Group
from lookalike.errors import ServerError
from lookalike.index import Decision
from lookalike.index.index_setup import IndexSettings
from lookalike.index.query import Hit, Hits
from lookalike.recipe import Recipe
from lookalike.tables.columns import COLUMNS
from lookalike.tables.packed import Ids, encoded
from lookalike.text.comparison import Comparison, Passage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    from lookalike.documents import Source
    from lookalike.tables.packed import Id

__all__ = [
    "MOST_BYTES",
    "MOST_DOCUMENTS",
    "Some",
    "comparison_of",
    "decisions_of",
    "documents_of",
    "group_of",
    "hits_of",
    "in_batches",
    "pairs_table",
    "results_of",
    "settings_of",
    "understood",
]

# -- documents on their way --------------------------------------------------------------------------------------------

MOST_DOCUMENTS: Final = 1000
"""Documents of one request: a server takes no more."""
MOST_BYTES: Final = 4_000_000
"""Bytes of one request, about; a document that is larger is alone in its own."""


@dataclass(slots=True)
class Some:
    """Documents of one request."""

    ids: list[Id] = field(default_factory=list)
    _spelt: list[bytes] = field(default_factory=list)
    """Each as JSON."""
    _size: int = 0

    def fits(self, document: bytes, most: int) -> bool:
        """Tell whether another document may come in."""
        return not self.ids or (len(self.ids) < most and self._size + len(document) <= MOST_BYTES)

    def put(self, id: Id, document: bytes) -> None:
        """Take a document."""
        self.ids.append(id)
        self._spelt.append(document)
        self._size += len(document)

    def body(self, **asked: Any) -> bytes:
        """Return the body of a request: the documents, and what else is asked for."""
        more = "".join(
            f", {json.dumps(name)}: {json.dumps(value)}" for name, value in asked.items() if value is not None
        )
        return b'{"documents": [' + b", ".join(self._spelt) + b"]" + more.encode() + b"}"


def in_batches(documents: Iterable[tuple[Id, str]], most: int = MOST_DOCUMENTS, *, sent_as: str = "") -> Iterator[Some]:
    """Give documents in batches, which are made when they are asked for.

    Where `sent_as` is given, the server sees it with a number behind it in the place of each id.
    """
    some = Some()
    for number, (id, text) in enumerate(documents):
        name = f"{sent_as}-{number}" if sent_as else id
        document = encoded(json.dumps({"id": name, "text": text}, ensure_ascii=False))
        if not some.fits(document, most):
            yield some
            some = Some()
        some.put(id, document)
    if some.ids:
        yield some


def documents_of(source: Source) -> Iterator[tuple[Id, str]]:
    """Give the documents of a source, one by one."""
    for batch in source.batches():
        yield from zip(batch.ids, batch.texts, strict=True)


# -- answers -----------------------------------------------------------------------------------------------------------

_SCORES = ("jaccard", "containment_query", "containment_document", "standard_error")


@contextmanager
def understood(url: str) -> Iterator[None]:
    """Make one error of all that can be wrong with an answer: a field is missing, or is something else."""
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise not_lookalike(url, 200) from error


def hits_of(found: dict[str, Any], query: Id | None) -> Hits:
    """Return the hits of one document."""
    hits = [Hit(hit["id"], *(hit.get(name) for name in _SCORES)) for hit in found["hits"]]
    return Hits(hits, query=query, truncated=bool(found["truncated"]))


def results_of(found: dict[str, Any], ids: Sequence[Id]) -> list[Hits]:
    """Return the hits of each document of a batch."""
    return [hits_of(one, id) for one, id in zip(found["results"], ids, strict=True)]


def decisions_of(found: dict[str, Any], ids: Sequence[Id]) -> list[Decision]:
    """Return what was decided about each document of a batch."""
    return [Decision(id, one["added"], hits_of(one, id)) for one, id in zip(found["results"], ids, strict=True)]


def group_of(found: dict[str, Any], members: Sequence[Id], url: str) -> Group:
    """Return a cluster, whose members may have come in several answers."""
    if len(members) != found["size"]:
        raise ServerError(url, "changed while a cluster was being read", "ask again", 200)
    return Group(found["principal"], tuple(members))


def pairs_table(pairs: Sequence[dict[str, Any]]) -> pa.Table:
    """Return pairs as `Index.pairs` does."""
    import pyarrow as pa

    columns: dict[str, Any] = {name: Ids.of([pair[name] for pair in pairs]).to_arrow() for name in COLUMNS[:2]}
    for name in COLUMNS[2:]:
        scores = [pair.get(name) for pair in pairs]
        if not pairs or scores[0] is not None:  # where only signatures are kept, there is no containment
            columns[name] = pa.array(scores, pa.float64())
    return pa.table(columns)


def comparison_of(found: dict[str, Any]) -> Comparison:
    """Return the comparison of two texts."""
    places = ("a_start", "a_end", "b_start", "b_end", "units")
    names = (
        *("jaccard", "containment_a", "containment_b", "estimate", "standard_error"),
        *("shared", "shingles_a", "shingles_b"),
    )
    return Comparison(
        **{name: found[name] for name in names},
        passages=tuple(Passage(*(passage[name] for name in places)) for passage in found["passages"]),
        recipe=Recipe.from_dict(found["recipe"]),
    )


def settings_of(info: dict[str, Any]) -> IndexSettings:
    """Return the settings of the index; of a secret seed nothing is known, so it reads 0."""
    bands = Bands(info["bands"], info["rows"])
    recipe = Recipe.parse(info["recipe"])
    return IndexSettings(recipe, info["threshold"], info["recall"], bands, info["keep"], info["secret"])
