"""Queries and their answers: documents that share a key, filtered on slots, then verified on what the index keeps.

All functions are the engine's own. A batch of queries is processed as one, so that a query costs little in Python.
"""

from __future__ import annotations

import heapq
import math
import os
import threading
import zlib
from abc import ABC, abstractmethod
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import compress, pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, overload

from lookalike import _native
from lookalike.documents import open_documents
from lookalike.engine.sign import texts_for_core
from lookalike.errors import DamagedError, RecipeError, _show, check_number, check_whole
from lookalike.index.contract import DIGEST, Row
from lookalike.result.view import Recall, recall_values
from lookalike.tables.packed import Texts

if TYPE_CHECKING:
    from lookalike.documents import Source
    from lookalike.engine import Strategy
    from lookalike.index.contract import Head, Met, Store, StoreReader
    from lookalike.index.index_setup import IndexSettings
    from lookalike.tables.packed import Id

__all__ = [
    "AT_ONCE",
    "FEW",
    "MOST",
    "Asked",
    "Hit",
    "Hits",
    "Interrupt",
    "Queryable",
    "Signed",
    "ask",
    "ask_reader",
    "check_addition",
    "check_asked",
    "check_shingles",
    "estimate",
    "go_on",
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
    jaccard: float | None = None
    """Measured on what the index keeps; None where that is only signatures."""
    containment_query: float | None = None
    """The share of the query that is in the document; None where only signatures are kept."""
    containment_document: float | None = None
    """The share of the document that is in the query."""
    estimate: float | None = None
    """Of the Jaccard similarity, where only signatures are kept; None where it is measured."""
    standard_error: float | None = None
    """Of the estimate."""
    same_id: bool = False
    """Whether the query has the same id: often an earlier version of it, or the document itself."""

    @property
    def similarity(self) -> float:
        """What hits are ranked and cut by: `jaccard`, or `estimate` where it is not measured.

        >>> Hit("essay-7", 0.75).similarity, Hit("essay-7", estimate=0.7, standard_error=0.03).similarity
        (0.75, 0.7)
        """
        score = self.estimate if self.jaccard is None else self.jaccard
        return 0.0 if score is None else score

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON says of it."""
        scores: dict[str, Any] = {"jaccard": self.jaccard}
        if self.estimate is not None:
            scores |= {"estimate": self.estimate, "standard_error": self.standard_error}
        else:
            scores |= {
                "containment_query": self.containment_query,
                "containment_document": self.containment_document,
            }
        return {"id": self.id, **scores, "same_id": self.same_id}


class Hits(Sequence[Hit]):
    """The hits of one query, the most similar first.

    >>> hits = Hits([Hit("a", 0.9), Hit("b", 0.8)], query=None)
    >>> len(hits), hits[0].id, hits.ids, hits.truncated
    (2, 'a', ['a', 'b'], False)
    """

    __slots__ = ("_hits", "nearest", "not_judged", "query", "recall", "skipped_same_id", "truncated")

    def __init__(
        self,
        hits: Iterable[Hit],
        *,
        query: Id | None,
        truncated: bool = False,
        recall: Recall | None = None,
        nearest: Iterable[Hit] = (),
        skipped_same_id: bool = False,
        not_judged: bool = False,
    ) -> None:
        """Take hits in their order."""
        self._hits = tuple(hits)
        self.query = query
        """The id of the document that was asked about; None for a text."""
        self.truncated = truncated
        """Whether there may be more hits: `top` left some out, or too many documents share a part of the signature to
        examine all of them."""
        self.recall = recall
        """The share of the stored documents at or above the threshold that is listed; None if none is promised: without
        a threshold, for a truncated answer, and where scores are estimates."""
        self.nearest = tuple(nearest)
        """The five nearest documents, however different, if the index was created with a preset that is meant for
        copied passages: it compares whole documents, so they say more than the hits. Otherwise empty."""
        self.skipped_same_id = skipped_same_id
        """Whether a document that is stored under the id of the query was not compared."""
        self.not_judged = not_judged
        """Whether the query has no words, so that it was compared with nothing."""

    def _values(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

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
            return self._values() == other._values()
        return list(self._hits) == other if isinstance(other, list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Show the hits."""
        return f"Hits({list(self._hits)!r}{', truncated' if self.truncated else ''})"

    def first(self, top: int | None, *, truncated: bool = False) -> Hits:
        """Return the first hits, or all of them; `truncated` says that there are more than anybody wanted to leave out.

        >>> Hits([Hit("a", 0.9), Hit("b", 0.8)], query=None).first(1).ids
        ['a']
        """
        return Hits(
            self._hits[:top],
            query=self.query,
            truncated=self.truncated or truncated,
            recall=None if truncated else self.recall,
            nearest=self.nearest,
            skipped_same_id=self.skipped_same_id,
            not_judged=self.not_judged,
        )

    def to_dict(self, *, nearest: bool = False) -> dict[str, Any]:
        """Return what JSON says of it, without the query; `nearest`: also the nearest documents."""
        said: dict[str, Any] = {"hits": [hit.to_dict() for hit in self._hits], "truncated": self.truncated}
        said["recall"] = recall_values(self.recall)
        if nearest:
            said["nearest"] = [hit.to_dict() for hit in self.nearest]
        if self.skipped_same_id:
            said["skipped_same_id"] = True
        if self.not_judged:
            said["not_judged"] = True
        return said


class Queryable(ABC):
    """What can be queried: an `Index`, or a `Client` of one behind a server."""

    @overload
    def query(
        self,
        documents: str,
        threshold: float | None = ...,
        *,
        top: int | None = ...,
        skip_same_id: bool = ...,
        threads: int = ...,
    ) -> Hits: ...
    @overload
    def query(
        self,
        documents: Any,
        threshold: float | None = ...,
        *,
        top: int | None = ...,
        skip_same_id: bool = ...,
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
        skip_same_id: bool = False,
        text: str | None = None,
        id: str | None = None,
        threads: int = 0,
    ) -> Hits | list[Hits]:
        """Return the stored documents that are like a text, the most similar first; of documents, a list for each.

        * Neither `threshold` nor `top`: all at or above the threshold of the index.
        * `threshold`: all at or above it. Below that of the index, every signature is examined.
        * `top`: at most this many; `Hits.truncated` says that there were more. Without a threshold, or with 0, these
          are the nearest of those that share anything, and every signature is examined.
        * `skip_same_id`: leave out the document that is stored under the id of the one that is asked about. Without it
          it is compared like any other, and `Hit.same_id` marks it.

        `Hits.recall` says what share of the documents at or above the threshold the answer has at least.

        `text` and `id` name the columns of a data frame. For a `Client`, `threads` has no effect, and the server may
        limit `top`.
        """
        threshold, top = check_asked(threshold, top)
        if isinstance(documents, str):
            return self._hits_of_text(documents, Asked(threshold, top, threads))
        source = open_documents(documents, text=text, id=id)
        return list(self._hits_of_each(source, Asked(threshold, top, threads, skip_same_id=bool(skip_same_id))))

    @abstractmethod
    def _hits_of_text(self, text: str, asked: Asked) -> Hits: ...

    @abstractmethod
    def _hits_of_each(self, source: Source, asked: Asked) -> Iterable[Hits]: ...


# -- signing and asking ------------------------------------------------------------------------------------------------

AT_ONCE: Final = 512
"""Queries that are processed together."""
FEW: Final = 16
"""The same for queries that examine every signature: each may have very many candidates."""
MOST: Final = 10_000
"""Documents of one key that are examined; a query that meets a larger bucket is `truncated`."""
_PAIRS: Final = 1 << 15
"""Candidate pairs that are examined between two looks at the time."""
_BYTES: Final = 8 << 20
"""Bytes of stored documents that are verified between two looks at the time, or one document."""
_BYTES_AT_ONCE: Final = 32 << 20
"""Bytes of stored documents that all queries of a process hold at a time, or one portion: more wait their turn."""
_HEADS: Final = 1 << 16
"""Documents whose signatures are remembered from one portion to the next."""
_ALL: Final = 2**32 - 1
_SPARE: Final = 4
"""Without a threshold, this many times as many documents as requested are verified: their estimates may be off."""
_CHANCE: Final = 1 / 256
"""That a byte of two slots agrees although the slots do not."""
_NO_THRESHOLD: Final = 1e-9

Interrupt = Callable[[], None]
"""Called between portions of work; what it raises ends the work."""


def go_on() -> None:
    """Never interrupt."""


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

    def __getitem__(self, some: slice) -> Signed:
        """Return some of them."""

        def part(column: bytes) -> bytes:
            size = len(column) // len(self)
            return column[some.start * size : some.stop * size]

        return Signed(
            self.texts[some],
            part(self.digests),
            self.shingles[some],
            self.lengths[some],
            part(self.keys),
            part(self.slots),
        )

    def at(self, chosen: Sequence[bool]) -> Signed:
        """Return those that are chosen."""
        texts = Texts.of(list(compress(self.texts, chosen)))

        def part(column: bytes) -> bytes:
            size = len(column) // len(self)
            return b"".join(column[place * size :][:size] for place, is_chosen in enumerate(chosen) if is_chosen)

        shingles, lengths = array("I", compress(self.shingles, chosen)), array("Q", compress(self.lengths, chosen))
        return Signed(texts, part(self.digests), shingles, lengths, part(self.keys), part(self.slots))


def check_asked(threshold: float | None, top: int | None) -> tuple[float | None, int | None]:
    """Return what a query asks for, checked; a threshold of 0 is none."""
    if threshold is not None:
        allowed = "a number above 0 and at most 1, or 0 with top"
        threshold = check_number("threshold", threshold, allowed)
        if not 0.0 <= threshold <= 1.0 or (threshold == 0.0 and top is None):
            raise RecipeError("threshold", threshold, allowed)
    return threshold or None, None if top is None else check_whole("top", top, 1, 1_000_000)


def check_addition(threshold: float | None, top: int | None) -> tuple[float | None, int | None]:
    """Return what decides about new documents, checked: for them a threshold of 0 is not none, whatever `top` is."""
    return check_asked(threshold, None)[0], check_asked(None, top)[1]


def in_bands(settings: IndexSettings, asked: Asked) -> bool:
    """Tell whether the bands answer all that is asked; otherwise every signature is examined."""
    if asked.nearest:
        return False
    return asked.top is None if asked.threshold is None else asked.threshold >= settings.threshold


def sign(texts: Texts, settings: IndexSettings, threads: int = 0) -> Signed:
    """Sign texts as the index does."""
    strategy = settings.strategy()
    columns = _native.sign_rows(texts_for_core(texts, strategy), strategy.native(), threads)
    digests, shingles, lengths, keys, slots = columns
    keys = _native.posting_keys(keys, settings.bands.bands)
    return Signed(texts, digests, array("I", shingles), array("Q", lengths), keys, slots)


def without_words(signed: Signed, settings: IndexSettings) -> list[bool]:
    """Tell which texts have nothing to compare: they are copies of one another by their digests, and of nothing."""
    if 1 not in signed.shingles:
        return [False] * len(signed)
    only = sign(Texts.of([""]), settings).digests
    return [signed.digests[place * DIGEST : (place + 1) * DIGEST] == only for place in range(len(signed))]


class Asked(NamedTuple):
    """What is asked of each document of a batch."""

    threshold: float | None
    top: int | None
    threads: int = 0
    interrupt: Interrupt = go_on
    skip_same_id: bool = False
    """Whether the document that is stored under the same id is left out."""
    nearest: int = 0
    """How many of the nearest documents are wanted besides the hits."""


def ask(store: Store, signed: Signed, ids: Sequence[Id | None], asked: Asked) -> list[Hits]:
    """Return the hits of each query, in one snapshot."""
    with store.reading() as reader:
        return ask_reader(reader, store, signed, ids, asked)


def ask_reader(reader: StoreReader, store: Store, signed: Signed, ids: Sequence[Id | None], asked: Asked) -> list[Hits]:
    """Return the hits of each query.

    Candidates are examined and verified portion by portion, so that neither the time until `interrupt` is asked nor
    the memory depends on how many documents are alike.
    """
    judged = [not is_empty for is_empty in without_words(signed, store.settings)]
    if not all(judged):
        others = ask_reader(reader, store, signed.at(judged), list(compress(ids, judged)), asked) if any(judged) else []
        answers = iter(others)
        return [
            next(answers) if has_words else Hits((), query=id, not_judged=True)
            for id, has_words in zip(ids, judged, strict=True)
        ]
    skipped = reader.numbers(ids) if asked.skip_same_id else [None] * len(ids)  # type: ignore[arg-type]
    nearest: list[_Found] = [_Found([], truncated=False, recall=None)] * len(ids)
    if asked.nearest:
        of_all = asked._replace(threshold=None, top=asked.nearest, nearest=0)
        nearest = _search(reader, store, signed, of_all, skipped)
    hits = _search(reader, store, signed, asked._replace(nearest=0), skipped)
    return [
        Hits(
            (ranking.hit(id) for ranking in found.ranked),
            query=id,
            truncated=found.truncated,
            recall=found.recall,
            nearest=(ranking.hit(id) for ranking in near.ranked),
            skipped_same_id=number is not None,
        )
        for id, found, near, number in zip(ids, hits, nearest, skipped, strict=True)
    ]


class _Found(NamedTuple):
    """What a query found, the most similar first."""

    ranked: list[_Ranked]
    truncated: bool
    recall: Recall | None


def _search(
    reader: StoreReader, store: Store, signed: Signed, asked: Asked, skipped: Sequence[int | None]
) -> list[_Found]:
    """Return what each query finds; `skipped` is the number of the document that it is not compared with."""
    settings, threshold, top = store.settings, asked.threshold, asked.top
    if threshold is None and top is None:
        threshold = settings.threshold
    strategy = settings.strategy(_NO_THRESHOLD if threshold is None else threshold)
    truncated: frozenset[int] = frozenset()
    if in_bands(settings, asked):
        met = reader.meet(signed.keys, MOST)
        portions, truncated = _by_bands(reader, met, signed, strategy), met.truncated
    else:
        portions = _by_slots(reader, signed, strategy, threshold, asked)
    ranked: list[list[_Ranked]] = [[] for _ in range(len(signed))]
    cut: set[int] = set()
    for candidates in portions:
        asked.interrupt()
        if any(number is not None for number in skipped):
            candidates = candidates.without(skipped)  # noqa: PLW2901 — what is skipped is never compared
        for query, hit in _scored(reader, store, candidates, signed, strategy, asked):
            hits = ranked[query]
            hits.append(hit)
            if top is not None and len(hits) > 2 * top + _PAIRS:
                ranked[query] = heapq.nsmallest(top, hits)
                cut.add(query)
    if threshold is not None and top is not None:  # without a threshold, the nearest are all that is asked for
        truncated |= cut.union(query for query, hits in enumerate(ranked) if len(hits) > top)
    recall = _recall(settings, strategy, asked)
    return [
        _Found(
            heapq.nsmallest(top, hits) if top is not None else sorted(hits),
            truncated=place in truncated,
            recall=None if place in truncated else recall,
        )
        for place, hits in enumerate(ranked)
    ]


def _recall(settings: IndexSettings, strategy: Strategy, asked: Asked) -> Recall | None:
    """Return what share of the documents at or above the threshold is found; None if none can be promised."""
    if settings.keep == "signature":  # of the documents exactly at the threshold, about half are estimated below it
        return None
    if in_bands(settings, asked):
        return Recall(strategy.promised, of_documents=True)
    if asked.threshold is None:  # the nearest by their estimates are verified, and no others
        return None
    return Recall(1.0 - settings.lost if strategy.least else 1.0, of_documents=True)


class _Ranked(NamedTuple):
    """A hit in its rank: Jaccard, then containment, then the order of adding."""

    minus_jaccard: float
    minus_containment: float
    """Of the query in the document."""
    number: int
    id: Id
    containment_document: float | None
    standard_error: float | None

    def hit(self, query: Id | None) -> Hit:
        same = self.id == query
        if self.standard_error is not None:
            return Hit(self.id, estimate=-self.minus_jaccard, standard_error=self.standard_error, same_id=same)
        return Hit(self.id, -self.minus_jaccard, -self.minus_containment, self.containment_document, same_id=same)


class _Candidates(NamedTuple):
    """Pairs of a query and a document, with the slots that agree."""

    queries: array[int]
    numbers: array[int]
    agreeing: array[int]
    heads: Mapping[int, Head]

    def at(self, places: Sequence[int]) -> _Candidates:
        """Return some of them."""
        queries, numbers, agreeing = (array("I", map(column.__getitem__, places)) for column in self[:3])
        return _Candidates(queries, numbers, agreeing, self.heads)

    def without(self, skipped: Sequence[int | None]) -> _Candidates:
        """Return those that are not of a query and the document that it is not compared with."""
        pairs = enumerate(zip(self.queries, self.numbers, strict=True))
        return self.at([place for place, (query, number) in pairs if skipped[query] != number])


def _by_bands(reader: StoreReader, met: Met, signed: Signed, strategy: Strategy) -> Iterator[_Candidates]:
    """Give the pairs that share a key, and agree on enough slots."""
    size = strategy.recipe.hashes
    heads: dict[int, Head] = {}
    for start in range(0, len(met.numbers), _PAIRS):
        numbers, queries = met.numbers[start : start + _PAIRS], met.queries[start : start + _PAIRS]
        if len(heads) > _HEADS:
            heads = {}
        heads |= reader.heads(sorted(set(numbers) - heads.keys()))
        is_there = [number in heads for number in numbers]
        queries, numbers = array("I", compress(queries, is_there)), array("I", compress(numbers, is_there))
        of_queries = b"".join([signed.slots[query * size : (query + 1) * size] for query in queries])
        of_documents = b"".join([heads[number].slots for number in numbers])
        agreeing = array("I", _native.agree(of_queries, of_documents, size))
        enough = [place for place, slots in enumerate(agreeing) if slots >= strategy.least]
        yield _Candidates(queries, numbers, agreeing, heads).at(enough)


def _by_slots(
    reader: StoreReader, signed: Signed, strategy: Strategy, threshold: float | None, asked: Asked
) -> Iterator[_Candidates]:
    """Examine every signature: there is no band for such a threshold, or no threshold at all."""
    size, top = strategy.recipe.hashes, asked.top
    least = 0 if threshold is None else strategy.least
    most = _ALL if threshold is not None or top is None else top * _SPARE + 16
    best: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for numbers, rows in reader.slots():
        asked.interrupt()
        for query in range(len(signed)):
            of_query = signed.slots[query * size : (query + 1) * size]
            places, agreeing = _native.closest_rows(of_query, rows, least, most)
            best[query] += [
                (-slots, numbers[place]) for place, slots in zip(array("I", places), array("I", agreeing), strict=True)
            ]
            if len(best[query]) > 2 * most:
                best[query] = heapq.nsmallest(most, best[query])
    for query, candidates in sorted(best.items()):
        nearest = heapq.nsmallest(min(most, len(candidates)), candidates)
        for start in range(0, len(nearest), _PAIRS):
            some = nearest[start : start + _PAIRS]
            nearest_numbers = array("I", (number for _, number in some))
            slots = array("I", (-slots_less for slots_less, _ in some))
            heads = reader.heads(sorted(set(nearest_numbers)))
            yield _Candidates(array("I", [query]) * len(some), nearest_numbers, slots, heads)


def _scored(
    reader: StoreReader, store: Store, candidates: _Candidates, signed: Signed, strategy: Strategy, asked: Asked
) -> Iterator[tuple[int, _Ranked]]:
    """Give the hits among candidates, each with its query."""
    if store.settings.keep == "signature":
        for query, number, slots in zip(*candidates[:3], strict=True):
            score, error = estimate(slots, strategy.recipe.hashes)
            if score >= strategy.threshold:
                yield query, _Ranked(-score, 0.0, number, candidates.heads[number].id, None, error)
        return
    for portion, size in _portions(candidates):
        with _BUDGET.hold(size, asked.interrupt):
            order = sorted(set(portion.numbers))
            stored = reader.bodies(order)
            place_of = {number: len(signed) + place for place, number in enumerate(order)}
            b = array("I", [place_of[number] for number in portion.numbers])
            bodies = [stored[number] for number in order]
            try:
                pairs = _verified(portion.queries, b, bodies, signed, store.settings, strategy, asked.threads)
            except ValueError:
                if store.settings.keep == "shingles":
                    check_shingles(store.name, {portion.heads[number].id: stored[number] for number in order})
                raise
            del stored, bodies
        for query, place, jaccard, of_query, of_document in pairs:
            number = order[place - len(signed)]
            yield query, _Ranked(-jaccard, -of_query, number, portion.heads[number].id, of_document, None)


def _portions(candidates: _Candidates) -> Iterator[tuple[_Candidates, int]]:
    """Give candidates so that the stored documents of each portion take some bytes together, and these bytes."""
    numbers = candidates.numbers
    whole = sum(candidates.heads[number].size for number in set(numbers))
    if whole <= _BYTES:
        if numbers:
            yield candidates, whole
        return
    places: list[int] = []
    size, last = 0, -1
    for place in sorted(range(len(numbers)), key=numbers.__getitem__):
        number = numbers[place]
        if number != last:
            if places and size + candidates.heads[number].size > _BYTES:
                yield candidates.at(places), size
                places, size = [], 0
            size, last = size + candidates.heads[number].size, number
        places.append(place)
    yield candidates.at(places), size


class _Budget:
    """Bytes that all queries of this process hold at a time; those who ask for more wait."""

    def __init__(self, limit: int) -> None:
        self._limit, self._held = limit, 0
        self._free = threading.Condition()

    @contextmanager
    def hold(self, size: int, interrupt: Interrupt) -> Iterator[None]:
        with self._free:
            while self._held and self._held + size > self._limit:
                self._free.wait(_LOOK)
                interrupt()
            self._held += size
        try:
            yield
        finally:
            with self._free:
                self._held -= size
                self._free.notify_all()

    def after_fork(self) -> None:
        """Forget what threads hold that a child does not have."""
        self._held, self._free = 0, threading.Condition()


_LOOK: Final = 0.1
"""Seconds between two looks at the time, while a query waits."""
_BUDGET: Final = _Budget(_BYTES_AT_ONCE)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_BUDGET.after_fork)


def check_shingles(name: str, bodies: Mapping[Id, bytes]) -> None:
    """Name a document whose shingles are not sorted: a forged file has the right checksums."""
    for id, body in bodies.items():
        if any(a >= b for a, b in pairwise(array("Q", body))):
            raise DamagedError(name, f"is damaged: document {_show(id)}", "run: lookalike index repair")


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
