"""Queries and their answers: documents that share a key, filtered on slots, then verified on what the index keeps.

All functions are the engine's own. A batch of queries is processed as one, so that a query costs little in Python.
"""

from __future__ import annotations

import heapq
import math
import zlib
from abc import ABC, abstractmethod
from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any, Final, overload

from lookalike import _native
from lookalike.documents import open_documents
from lookalike.engine.sign import texts_for_core
from lookalike.errors import RecipeError, check_number, check_whole
from lookalike.index.contract import Row
from lookalike.tables.packed import Texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lookalike.documents import Source
    from lookalike.engine import Strategy
    from lookalike.index.contract import Head, Store, StoreReader
    from lookalike.index.index_setup import IndexSettings
    from lookalike.tables.packed import Id

__all__ = [
    "AT_ONCE",
    "FEW",
    "MOST",
    "Hit",
    "Hits",
    "Queryable",
    "Signed",
    "ask",
    "check_asked",
    "estimate",
    "in_bands",
    "rebuilt_row",
    "sign",
]

# -- answers -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hit:
    """A stored document that is like the query.

    >>> Hit("essay-7", 0.75, 0.8, 0.9).jaccard
    0.75
    """

    id: Id
    jaccard: float
    """Exact where the index keeps texts or shingles; else an estimate."""
    containment_query: float | None = None
    """The share of the query that is in the document; None where only signatures are kept."""
    containment_document: float | None = None
    """The share of the document that is in the query."""
    standard_error: float | None = None
    """Of the estimate; None where the score is exact."""

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON says of it."""
        found = {"id": self.id, "jaccard": self.jaccard}
        if self.standard_error is not None:
            return found | {"standard_error": self.standard_error}
        return found | {
            "containment_query": self.containment_query,
            "containment_document": self.containment_document,
        }


class Hits(Sequence[Hit]):
    """The hits of one query, the most similar first.

    >>> hits = Hits([Hit("a", 0.9), Hit("b", 0.8)], query=None)
    >>> len(hits), hits[0].id, hits.ids, hits.truncated
    (2, 'a', ['a', 'b'], False)
    """

    __slots__ = ("_hits", "query", "truncated")

    def __init__(self, hits: Iterable[Hit], *, query: Id | None, truncated: bool = False) -> None:
        """Take hits in their order."""
        self._hits = tuple(hits)
        self.query = query
        """The id of the document that was asked about; None for a text."""
        self.truncated = truncated
        """Whether too many documents share a part of the signature to examine all of them."""

    @property
    def ids(self) -> list[Id]:
        """The ids of the hits."""
        return [hit.id for hit in self._hits]

    def __len__(self) -> int:
        """Return how many they are."""
        return len(self._hits)

    @overload
    def __getitem__(self, place: int) -> Hit: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Hit]: ...
    def __getitem__(self, place: int | slice) -> Hit | Sequence[Hit]:
        """Return a hit, or some."""
        return self._hits[place]

    def __eq__(self, other: object) -> bool:
        """Tell whether the hits are the same."""
        if isinstance(other, Hits):
            return (self._hits, self.query, self.truncated) == (other._hits, other.query, other.truncated)
        return list(self._hits) == other if isinstance(other, list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Show the hits."""
        return f"Hits({list(self._hits)!r}{', truncated' if self.truncated else ''})"


class Queryable(ABC):
    """What can be queried: an `Index`, or a `Client` of one behind a server."""

    @overload
    def query(
        self, documents: str, threshold: float | None = ..., *, top: int | None = ..., threads: int = ...
    ) -> Hits: ...
    @overload
    def query(
        self,
        documents: Any,
        threshold: float | None = ...,
        *,
        top: int | None = ...,
        text: str | None = ...,
        id: str | None = ...,
        threads: int = ...,
    ) -> list[Hits]: ...
    def query(
        self,
        documents: Any,
        threshold: float | None = None,
        *,
        top: int | None = None,
        text: str | None = None,
        id: str | None = None,
        threads: int = 0,
    ) -> Hits | list[Hits]:
        """Return the stored documents that are like a text, the most similar first; of documents, a list for each.

        * Neither `threshold` nor `top`: all at or above the threshold of the index.
        * `threshold`: all at or above it. Below that of the index, every signature is examined.
        * `top`: at most this many. Without a threshold, or with 0, these are the nearest of those that share anything,
          and every signature is examined.

        `text` and `id` name the columns of a data frame. For a `Client`, `threads` has no effect, and the server may
        limit `top`.
        """
        threshold, top = check_asked(threshold, top)
        if isinstance(documents, str):
            return self._hits_of_text(documents, threshold, top, threads)
        return list(self._hits_of_each(open_documents(documents, text=text, id=id), threshold, top, threads))

    @abstractmethod
    def _hits_of_text(self, text: str, threshold: float | None, top: int | None, threads: int) -> Hits: ...

    @abstractmethod
    def _hits_of_each(
        self, source: Source, threshold: float | None, top: int | None, threads: int
    ) -> Iterable[Hits]: ...


# -- signing and asking ------------------------------------------------------------------------------------------------

AT_ONCE: Final = 1024
"""Queries that are processed together."""
FEW: Final = 16
"""The same for queries that examine every signature: each may have very many candidates, whose texts are held."""
MOST: Final = 10_000
"""Documents of one key that are examined; a query that meets a larger bucket is `truncated`."""
_ALL: Final = 2**32 - 1
_SPARE: Final = 4
"""Without a threshold, this many times as many documents as requested are verified: their estimates may be off."""
_CHANCE: Final = 1 / 256
"""That a byte of two slots agrees although the slots do not."""
_NO_THRESHOLD: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Signed:
    """Texts with what `sign_rows` says of each; keys know their band."""

    texts: Texts
    digests: bytes
    shingles: array[int]
    lengths: array[int]
    keys: bytes
    slots: bytes

    def __len__(self) -> int:
        """Return how many they are."""
        return len(self.texts)


def check_asked(threshold: float | None, top: int | None) -> tuple[float | None, int | None]:
    """Return what a query asks for, checked; a threshold of 0 is none."""
    if threshold is not None:
        allowed = "a number above 0 and at most 1, or 0 with top"
        threshold = check_number("threshold", threshold, allowed)
        if not 0.0 <= threshold <= 1.0 or (threshold == 0.0 and top is None):
            raise RecipeError("threshold", threshold, allowed)
    return threshold or None, None if top is None else check_whole("top", top, 1, 1_000_000)


def in_bands(settings: IndexSettings, threshold: float | None, top: int | None) -> bool:
    """Tell whether the bands answer a query; otherwise every signature is examined."""
    return top is None if threshold is None else threshold >= settings.threshold


def sign(texts: Texts, settings: IndexSettings, threads: int = 0) -> Signed:
    """Sign texts as the index does."""
    strategy = settings.strategy()
    columns = _native.sign_rows(texts_for_core(texts, strategy), strategy.native(), threads)
    digests, shingles, lengths, keys, slots = columns
    keys = _native.posting_keys(keys, settings.bands.bands)
    return Signed(texts, digests, array("I", shingles), array("Q", lengths), keys, slots)


def ask(
    store: Store,
    signed: Signed,
    ids: Sequence[Id | None],
    threshold: float | None,
    top: int | None,
    threads: int,
) -> list[Hits]:
    """Return the hits of each query."""
    settings = store.settings
    if threshold is None and top is None:
        threshold = settings.threshold
    strategy = settings.strategy(_NO_THRESHOLD if threshold is None else threshold)
    with store.reading() as reader:
        if threshold is not None and threshold >= settings.threshold:
            found = _by_bands(reader, signed, strategy)
        else:
            found = _by_slots(reader, signed, strategy, threshold, top)
        bodies = reader.bodies(sorted(set(found.numbers))) if settings.keep != "signature" else {}
    hits = _scored(found, bodies, signed, settings, strategy, threads)
    answers = []
    for place, id in enumerate(ids):
        best = heapq.nsmallest(top, hits[place]) if top is not None else sorted(hits[place])
        answers.append(Hits((hit for *_, hit in best), query=id, truncated=place in found.truncated))
    return answers


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Pairs of a query and a document, with the slots that agree."""

    queries: array[int]
    numbers: array[int]
    agreeing: array[int]
    ids: dict[int, Id]
    truncated: frozenset[int] = frozenset()


def _by_bands(reader: StoreReader, signed: Signed, strategy: Strategy) -> _Candidates:
    met = reader.meet(signed.keys, MOST)
    heads = reader.heads(sorted(set(met.numbers)))
    there = [number in heads for number in met.numbers]
    queries, numbers = array("I", compress(met.queries, there)), array("I", compress(met.numbers, there))
    size = strategy.recipe.hashes
    own = b"".join([signed.slots[query * size : (query + 1) * size] for query in queries])
    its = b"".join([heads[number].slots for number in numbers])
    agreeing = array("I", _native.agree(own, its, size))
    enough = [slots >= strategy.least for slots in agreeing]
    queries, numbers, agreeing = (array("I", compress(column, enough)) for column in (queries, numbers, agreeing))
    return _Candidates(queries, numbers, agreeing, _ids(heads), met.truncated)


def _by_slots(
    reader: StoreReader, signed: Signed, strategy: Strategy, threshold: float | None, top: int | None
) -> _Candidates:
    """Examine every signature: there is no band for such a threshold, or no threshold at all."""
    size = strategy.recipe.hashes
    least = 0 if threshold is None else strategy.least
    most = _ALL if threshold is not None or top is None else top * _SPARE + 16
    best: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for numbers, rows in reader.slots():
        for query in range(len(signed)):
            own = signed.slots[query * size : (query + 1) * size]
            places, agreeing = _native.closest_rows(own, rows, least, most)
            best[query] += [
                (-slots, numbers[place]) for place, slots in zip(array("I", places), array("I", agreeing), strict=True)
            ]
            if len(best[query]) > 2 * most:
                best[query] = heapq.nsmallest(most, best[query])
    queries, found, slots = array("I"), array("I"), array("I")
    for query, candidates in sorted(best.items()):
        for agreeing_less, number in heapq.nsmallest(min(most, len(candidates)), candidates):
            queries.append(query)
            found.append(number)
            slots.append(-agreeing_less)
    return _Candidates(queries, found, slots, _ids(reader.heads(sorted(set(found)))))


def _ids(heads: dict[int, Head]) -> dict[int, Id]:
    return {number: head.id for number, head in heads.items()}


_Ranked = tuple[float, float, int, Hit]


def _scored(
    found: _Candidates,
    bodies: dict[int, bytes],
    signed: Signed,
    settings: IndexSettings,
    strategy: Strategy,
    threads: int,
) -> dict[int, list[_Ranked]]:
    """Return the hits of each query with their rank: Jaccard, then containment, then the order of adding."""
    hits: dict[int, list[_Ranked]] = defaultdict(list)
    if not found.numbers:
        return hits
    if settings.keep == "signature":
        for query, number, slots in zip(found.queries, found.numbers, found.agreeing, strict=True):
            score, error = estimate(slots, strategy.recipe.hashes)
            if score >= strategy.threshold:
                hits[query].append((-score, 0.0, number, Hit(found.ids[number], score, standard_error=error)))
        return hits
    order = sorted(bodies)
    place_of = {number: len(signed) + place for place, number in enumerate(order)}
    b = array("I", [place_of[number] for number in found.numbers])
    pairs = _verified(found.queries, b, [bodies[number] for number in order], signed, settings, strategy, threads)
    for query, place, jaccard, in_document, in_query in pairs:
        number = order[place - len(signed)]
        hit = Hit(found.ids[number], jaccard, in_document, in_query)
        hits[query].append((-jaccard, -in_document, number, hit))
    return hits


def _verified(
    a: array[int],
    b: array[int],
    bodies: list[bytes],
    signed: Signed,
    settings: IndexSettings,
    strategy: Strategy,
    threads: int,
) -> Iterable[tuple[int, int, float, float, float]]:
    """Return the exact scores of candidates: a, b, Jaccard, containment of a and of b."""
    core = strategy.native()
    if settings.keep == "text":
        stored = Texts.of(bodies)
        found = _native.verify(a.tobytes(), b.tobytes(), [signed.texts.packed(), stored.packed()], core, threads)
    else:
        offsets, elements = _native.sets_of([signed.texts.packed()], core, threads)
        ends = array("Q", offsets)
        for body in bodies:
            ends.append(ends[-1] + len(body) // 8)
        found = _native.verify_sets(
            a.tobytes(), b.tobytes(), (ends.tobytes(), b"".join([elements, *bodies])), core, threads
        )
    scores = [array("d", found[name]) for name in ("jaccard", "containment_a", "containment_b")]
    return zip(array("I", found["a"]), array("I", found["b"]), *scores, strict=True)


def estimate(agreeing: int, hashes: int) -> tuple[float, float]:
    """Return the estimate of Jaccard from the bytes of slots that agree, and its standard error.

    A share J of the slots agrees, and 1/256 of the others by chance: docs/format.md §6.
    """
    share = agreeing / hashes
    found = max(0.0, (share - _CHANCE) / (1 - _CHANCE))
    return found, math.sqrt(share * (1 - share) / hashes) / (1 - _CHANCE)


# -- repairing ---------------------------------------------------------------------------------------------------------


def rebuilt_row(row: Row, body_checksum: int, settings: IndexSettings) -> Row | None:
    """Return a row rebuilt from its text, if a text was kept and is the one that was added; otherwise None.

    Its own checksum tells. The digest would not: it is of the normalized text, and the same when a letter has become a
    capital.
    """
    if settings.keep != "text" or zlib.crc32(row.body) != body_checksum:
        return None
    try:
        text = row.body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    signed = sign(Texts.of([text]), settings)
    return Row(row.id, signed.shingles[0], signed.lengths[0], signed.digests, signed.keys, signed.slots, row.body)
