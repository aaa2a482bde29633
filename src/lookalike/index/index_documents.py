"""The documents of an index: as sources on their way in and out, and the pairs and clusters among them."""

from __future__ import annotations

import threading
import weakref
from array import array
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lookalike import _native
from lookalike.documents.document_batches import Batch, Size, Skipped
from lookalike.documents.document_source import Source
from lookalike.engine.groups import Group, groups
from lookalike.errors import LookalikeError, StoreError
from lookalike.index.query import check_shingles, estimate, sign
from lookalike.result.view import Recall
from lookalike.search.find import find
from lookalike.tables.columns import COLUMNS
from lookalike.tables.packed import Ids, Texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from lookalike.engine import Strategy
    from lookalike.index.contract import Row, Store, StoreReader

    _Scored = tuple[array[int], array[int], Mapping[str, array[float]]]
    """Both sides of each pair, and its scores by name."""

__all__ = ["PORTION", "IndexSource", "OnlyNew", "Portion", "found_within", "portions"]

# -- documents on their way in -----------------------------------------------------------------------------------------

PORTION: Final = 50_000
"""Documents that are committed at once, about."""


class Portion(Source):
    """Some batches, as they come."""

    def __init__(self, name: str, batches: Iterable[Batch]) -> None:
        """Take batches, which may be read while they are asked for."""
        self.name = name
        self._batches = batches

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        """Give them; once, if they come from an iterator."""
        del rows
        yield from self._batches

    def skipped(self) -> list[Skipped]:
        """Know nothing of it: the source does."""
        return []

    def notes(self) -> list[str]:
        """Know nothing of it."""
        return []

    def size(self) -> Size:
        """Know nothing before it is read."""
        return Size(None, 0)


def portions(source: Source, size: int = PORTION) -> Iterator[Portion]:
    """Give a source in portions; each has to be read to its end before the next is asked for."""
    batches = source.batches()

    def some(first: Batch) -> Iterator[Batch]:
        count = len(first)
        yield first
        while count < size and (batch := next(batches, None)) is not None:
            count += len(batch)
            yield batch

    while (first := next(batches, None)) is not None:
        yield Portion(source.name, some(first))


class OnlyNew(Source):
    """The documents of a source whose ids are not in a store; everything else is the source's."""

    def __init__(self, source: Source, store: Store) -> None:
        """Take both."""
        self.name = source.name
        self._source, self._store = source, store
        self.already_stored = 0
        """Documents whose ids were there already, after `batches`."""

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        """Read the source."""
        del rows
        self.already_stored = 0
        for batch in self._source.batches():
            ids = list(batch.ids)
            with self._store.reading() as reader:
                new = [place for place, number in enumerate(reader.numbers(ids)) if number is None]
            self.already_stored += len(ids) - len(new)
            if new:
                texts = Texts.of(batch.texts.take(new))
                yield Batch(Ids.of([ids[place] for place in new]), texts)  # type: ignore[arg-type]

    def skipped(self) -> list[Skipped]:
        """Ask the source."""
        return self._source.skipped()

    def notes(self) -> list[str]:
        """Ask the source."""
        return self._source.notes()

    def size(self) -> Size:
        """Ask the source; some may be stored already."""
        return self._source.size()


# -- documents on their way out ----------------------------------------------------------------------------------------

_BATCH: Final = 8 << 20


def _release(held: ExitStack) -> None:
    with suppress(LookalikeError):  # of a server that has ended, and the snapshot with it
        held.close()


class IndexSource(Source):
    """The texts that an index keeps, in the order in which they were added.

    They are those of one moment, that of the first reading, however often they are read: the snapshot is held until
    nobody refers to this source any more.
    """

    def __init__(self, store: Store) -> None:
        """Take the store of an index that keeps texts."""
        if store.settings.keep != "text":
            raise StoreError(store.name, "keeps no texts", "create an index with keep='text'")
        self.name = store.name
        self._store = store
        self._snapshot: StoreReader | None = None
        self._lock = threading.Lock()

    def _reader(self) -> StoreReader:
        with self._lock:
            if self._snapshot is None:
                held = ExitStack()
                self._snapshot = held.enter_context(self._store.snapshot())
                weakref.finalize(self, _release, held)
            return self._snapshot

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        """Read all documents."""
        del rows
        ids: list[str | int] = []
        texts: list[bytes] = []
        size = 0
        with self._store.errors():
            for block in self._reader().rows():
                for _, row in block:
                    ids.append(row.id)
                    texts.append(row.body)
                    size += len(row.body)
                    if size >= _BATCH:
                        yield Batch(Ids.of(ids), Texts.of(texts))  # type: ignore[arg-type]
                        ids, texts, size = [], [], 0
        if ids:
            yield Batch(Ids.of(ids), Texts.of(texts))  # type: ignore[arg-type]

    def skipped(self) -> list[Skipped]:
        """Nothing is skipped."""
        return []

    def notes(self) -> list[str]:
        """Nothing is decided."""
        return []

    def size(self) -> Size:
        """Count the documents; of their texts only reading would tell."""
        with self._store.errors():
            return Size(self._reader().count(), 0)


# -- pairs and clusters ------------------------------------------------------------------------------------------------

_UNLIMITED = (2**62, 2**62)


class Within(NamedTuple):
    """Pairs and clusters, by id."""

    pairs: pa.Table
    groups: Sequence[Group]
    recall: Recall | None
    """Of the pairs at or above the threshold, or of the clusters if it is `limited`; None where scores are estimates,
    and none is promised."""


def found_within(store: Store, threshold: float | None) -> Within:
    """Return the pairs at or above a threshold, and the clusters that they form."""
    settings = store.settings
    if settings.keep == "text":
        least = settings.threshold if threshold is None else threshold
        found = find(IndexSource(store), least, recipe=settings.recipe, recall=settings.recall)
        return Within(found.pairs, found.groups, found.recall)
    strategy = settings.strategy(threshold)
    with store.snapshot() as reader:
        only = sign(Texts.of([""]), settings).digests
        rows = [row for block in reader.rows() for _, row in block if row.digest != only]  # without words
    scored = _exact(rows, strategy, store.name) if settings.keep == "shingles" else _estimated(rows, strategy)
    ends = list(zip(scored[0], scored[1], strict=True))
    recall = Recall(strategy.promised) if settings.keep == "shingles" else None
    return Within(_table(rows, scored), _named(rows, groups(len(rows), ends)), recall)


def _candidates(rows: list[Row], strategy: Strategy) -> tuple[array[int], array[int]]:
    """Return the pairs that share a key, copies among them; a number for each document as its digest."""
    digests = b"".join(place.to_bytes(24, "little") for place in range(len(rows)))
    columns = (digests, b"".join(row.keys for row in rows), b"".join(row.slots for row in rows))
    core = strategy.native(limits=_UNLIMITED)
    a, b, _, _ = _native.propose(columns, core, classes=None, old_from=None, threads=0)
    return array("I", a), array("I", b)


def _exact(rows: list[Row], strategy: Strategy, name: str) -> _Scored:
    a, b = _candidates(rows, strategy)
    ends = array("Q", [0])
    for row in rows:
        ends.append(ends[-1] + len(row.body) // 8)
    elements = b"".join(row.body for row in rows)
    try:
        found = _native.verify_sets(a.tobytes(), b.tobytes(), (ends.tobytes(), elements), strategy.native(), 0)
    except ValueError:
        check_shingles(name, {row.id: row.body for row in rows})
        raise
    numbers = [array("I", found[name]) for name in COLUMNS[:2]]
    return numbers[0], numbers[1], {name: array("d", found[name]) for name in COLUMNS[2:]}


def _estimated(rows: list[Row], strategy: Strategy) -> _Scored:
    a, b = _candidates(rows, strategy)
    hashes = strategy.recipe.hashes
    slots = [b"".join(rows[place].slots for place in side) for side in (a, b)]
    scores = [estimate(slots_, hashes) for slots_ in array("I", _native.agree(slots[0], slots[1], hashes))]
    kept = [place for place, (score, _) in enumerate(scores) if score >= strategy.threshold]
    first, second = (array("I", (side[place] for place in kept)) for side in (a, b))
    names = ("estimate", "standard_error")
    return first, second, {name: array("d", (scores[at][part] for at in kept)) for part, name in enumerate(names)}


def _table(rows: list[Row], scored: _Scored) -> pa.Table:
    import pyarrow as pa

    a, b, scores = scored
    ids = [row.id for row in rows]
    columns: dict[str, Any] = {
        name: Ids.of([ids[place] for place in side]).to_arrow()  # type: ignore[arg-type]
        for name, side in (("a", a), ("b", b))
    }
    return pa.table(columns | {name: pa.array(values, pa.float64()) for name, values in scores.items()})


def _named(rows: list[Row], found: list[Group]) -> list[Group]:
    def name(number: Any) -> Any:
        return rows[number].id

    return [Group(name(one.principal), tuple(map(name, one.members))) for one in found]
