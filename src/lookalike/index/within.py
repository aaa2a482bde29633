"""The pairs and groups of all documents of an index, as a search of the same documents gives them."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, NamedTuple

from lookalike import _native
from lookalike.engine.groups import Group, groups
from lookalike.index.query import estimate
from lookalike.index.source import IndexSource
from lookalike.search.find import find
from lookalike.tables.found import COLUMNS
from lookalike.tables.packed import Ids

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from lookalike.engine.strategy import Strategy
    from lookalike.index.contract import Row, Store

    _Scored = tuple[array[int], array[int], array[float], array[float] | None, array[float] | None]

__all__ = ["found_within"]

_UNLIMITED = (2**62, 2**62)


class Within(NamedTuple):
    """Pairs and groups, by id."""

    pairs: pa.Table
    groups: Sequence[Group]


def found_within(store: Store, threshold: float | None) -> Within:
    """Return the pairs at or above a threshold, and the groups that they make."""
    settings = store.settings
    if settings.keep == "text":
        least = settings.threshold if threshold is None else threshold
        found = find(IndexSource(store), least, recipe=settings.recipe, recall=settings.recall)
        return Within(found.pairs, found.groups)
    strategy = settings.strategy(threshold)
    with store.reading() as reader:
        rows = [row for block in reader.rows() for _, row in block]
    scored = _exact(rows, strategy) if settings.keep == "shingles" else _estimated(rows, strategy)
    ends = list(zip(scored[0], scored[1], strict=True))
    return Within(_table(rows, scored), _named(rows, groups(len(rows), ends)))


def _candidates(rows: list[Row], strategy: Strategy) -> tuple[array[int], array[int]]:
    """Return the pairs that share a key, copies among them; a number for each document as its digest."""
    digests = b"".join(place.to_bytes(24, "little") for place in range(len(rows)))
    columns = (digests, b"".join(row.keys for row in rows), b"".join(row.slots for row in rows))
    core = strategy.native(limits=_UNLIMITED)
    a, b, _, _ = _native.propose(columns, core, classes=None, old_from=None, threads=0)
    return array("I", a), array("I", b)


def _exact(rows: list[Row], strategy: Strategy) -> _Scored:
    a, b = _candidates(rows, strategy)
    ends = array("Q", [0])
    for row in rows:
        ends.append(ends[-1] + len(row.body) // 8)
    elements = b"".join(row.body for row in rows)
    found = _native.verify_sets(a.tobytes(), b.tobytes(), (ends.tobytes(), elements), strategy.native(), 0)
    numbers = [array("I", found[name]) for name in COLUMNS[:2]]
    scores = [array("d", found[name]) for name in COLUMNS[2:]]
    return numbers[0], numbers[1], scores[0], scores[1], scores[2]


def _estimated(rows: list[Row], strategy: Strategy) -> _Scored:
    a, b = _candidates(rows, strategy)
    hashes = strategy.recipe.hashes
    slots = [b"".join(rows[place].slots for place in side) for side in (a, b)]
    scores = [estimate(slots_, hashes)[0] for slots_ in array("I", _native.agree(slots[0], slots[1], hashes))]
    kept = [place for place, score in enumerate(scores) if score >= strategy.threshold]
    first, second = (array("I", (side[place] for place in kept)) for side in (a, b))
    return first, second, array("d", (scores[place] for place in kept)), None, None


def _table(rows: list[Row], scored: _Scored) -> pa.Table:
    import pyarrow as pa

    a, b, jaccard, in_b, in_a = scored
    ids = [row.id for row in rows]
    columns: dict[str, Any] = {
        name: Ids.of([ids[place] for place in side]).to_arrow()  # type: ignore[arg-type]
        for name, side in (("a", a), ("b", b))
    }
    columns["jaccard"] = pa.array(jaccard, pa.float64())
    if in_b is not None and in_a is not None:
        columns |= {"containment_a": pa.array(in_b, pa.float64()), "containment_b": pa.array(in_a, pa.float64())}
    return pa.table(columns)


def _named(rows: list[Row], found: list[Group]) -> list[Group]:
    def name(number: Any) -> Any:
        return rows[number].id

    return [Group(name(one.principal), tuple(map(name, one.members))) for one in found]
