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
from lookalike.index.contract import kind_of
from lookalike.index.index_setup import IndexSettings
from lookalike.index.query import Hit, Hits
from lookalike.recipe import Recipe
from lookalike.result.view import Recall
from lookalike.tables.columns import COLUMNS
from lookalike.tables.packed import Ids, encoded
from lookalike.text.comparison import Comparison, Passage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    from lookalike.documents import Source
    from lookalike.index.index_setup import Keep
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

    def fits(self, id: Id, document: bytes, most: int) -> bool:
        """Tell whether another document may come in; a server takes ids of one kind at a time."""
        if not self.ids:
            return True
        is_room = len(self.ids) < most and self._size + len(document) <= MOST_BYTES
        return is_room and kind_of(id) == kind_of(self.ids[0])

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


def in_batches(documents: Iterable[tuple[Id, str]], most: int = MOST_DOCUMENTS) -> Iterator[Some]:
    """Give documents in batches, which are made when they are asked for."""
    some = Some()
    for id, text in documents:
        document = encoded(json.dumps({"id": id, "text": text}, ensure_ascii=False))
        if not some.fits(id, document, most):
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

_OF_HIT = ("jaccard", "containment_query", "containment_document", "estimate", "standard_error")


@contextmanager
def understood(url: str) -> Iterator[None]:
    """Make one error of all that can be wrong with an answer: a field is missing, or is something else."""
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise not_lookalike(url, 200) from error


def hits_of(found: dict[str, Any], query: Id | None) -> Hits:
    """Return the hits of one document."""
    return Hits(
        map(_hit, found["hits"]),
        query=query,
        truncated=bool(found["truncated"]),
        recall=recall_of(found["recall"]),
        nearest=map(_hit, found.get("nearest", ())),
        skipped_same_id=bool(found.get("skipped_same_id")),
        not_judged=bool(found.get("not_judged")),
    )


def _hit(found: dict[str, Any]) -> Hit:
    return Hit(found["id"], **{name: found.get(name) for name in _OF_HIT}, same_id=bool(found["same_id"]))


def recall_of(found: dict[str, Any]) -> Recall | None:
    """Return the recall that an answer states; None if none is promised."""
    return None if found["promised"] is None else Recall(float(found["promised"]), of_documents=True)


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


_ESTIMATED = ("estimate", "standard_error")


def pairs_table(pairs: Sequence[dict[str, Any]], keep: Keep) -> pa.Table:
    """Return pairs as `Index.pairs` does for an index that keeps this."""
    import pyarrow as pa

    columns: dict[str, Any] = {name: Ids.of([pair[name] for pair in pairs]).to_arrow() for name in COLUMNS[:2]}
    for name in _ESTIMATED if keep == "signature" else COLUMNS[2:]:
        columns[name] = pa.array([pair[name] for pair in pairs], pa.float64())
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
    kept = (info["keep"], info["secret"], info["preset"])
    return IndexSettings(recipe, info["threshold"], info["recall"], bands, *kept)
