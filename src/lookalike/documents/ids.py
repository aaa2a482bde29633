"""Ids: of one type for a whole source, none missing, no duplicates."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.arrow_columns import decoded, sound
from lookalike.documents.table_errors import duplicate_id
from lookalike.errors import DocumentError, DuplicateIdError
from lookalike.tables.number_columns import whole
from lookalike.tables.packed import Ids

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Sequence

    import pyarrow as pa

__all__ = ["IdCheck", "checked_ids", "ids_of", "made_ids", "of_one_kind"]

_FIRST_CHECK: Final = 1 << 12
_SLOTS_EACH: Final = 8
"""Slots for each id: one in sixteen then finds its slot taken, and is checked more closely."""


def ids_of(column: pa.Array[Any], numbers: bool, name: str) -> pa.Array[Any]:
    """Return a column of table `name` as ids, int64 or large_string; nulls stay."""
    import pyarrow as pa

    target: pa.DataType = pa.int64() if numbers else pa.large_string()
    column = sound(column)
    if isinstance(column, pa.ExtensionArray):
        values: list[Any] = [scalar.as_py() for scalar in column]  # a uuid, for example
        return pa.array([None if value is None else _shown(value) for value in values], target)
    if isinstance(column, pa.DictionaryArray):
        column = decoded(column)
    try:
        return column if column.type == target else column.cast(target)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        if numbers:
            problem = "holds values that are not 64-bit integers"
            raise DocumentError(name, "id column", problem, "give all ids as text, or all as numbers") from None
        # What Arrow cannot turn into text, as Python shows it; bytes that are not text, as hex digits.
        return pa.array([None if value is None else _shown(value) for value in column.to_pylist()], target)


def _shown(value: object) -> str:
    if not isinstance(value, bytes):
        return str(value)
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.hex()


def made_ids(name: str, numbers: Sequence[int], named: bool) -> Ids:
    """Return ids for rows that have none: their position from 0, or ``table:row`` with rows from 1."""
    if not named:
        return Ids(numbers) if isinstance(numbers, range) else Ids.of(numbers)
    return Ids([f"{name}:{number + 1}" for number in numbers])


def checked_ids(given: Any) -> Ids:
    """Return the ids that a caller gives: all str or all 64-bit integers, none missing, no duplicates."""
    if hasattr(given, "type") and hasattr(given, "null_count"):
        if given.null_count:
            raise DocumentError(given.to_pylist().index(None), "id", "is missing", "give every document an id")
        ids = Ids.from_arrow(whole(given))
    else:
        ids = given if isinstance(given, Ids) else Ids.of(of_one_kind(list(given)))
    if (twice := ids.repeated()) is not None:
        raise DuplicateIdError(twice)
    return ids


def of_one_kind(ids: list[Any]) -> list[Any]:
    """Return ids that are all str or all 64-bit integers, of Python or numpy; others are refused by name.

    >>> of_one_kind([1, "a"])
    Traceback (most recent call last):
        ...
    lookalike.errors.DocumentError: document 'a': id is not of the same type as the first; give all ids as text, or \
all as numbers
    """
    one_kind = "give all ids as text, or all as numbers"
    made: list[Any] = []
    for place, one in enumerate(ids):
        if one is None:
            raise DocumentError(place, "id", "is missing", "give every document an id")
        if isinstance(one, str):
            made.append(one)
        elif isinstance(one, bool) or not hasattr(one, "__index__"):
            raise DocumentError(place, "id", f"is {type(one).__name__}, not str or int", one_kind)
        else:
            made.append(index(one))
            if not -(2**63) <= made[-1] < 2**63:
                raise DocumentError(one, "id", "does not fit in 64 bits", "give ids as text")
        if isinstance(made[-1], str) != isinstance(made[0], str):
            raise DocumentError(one, "id", "is not of the same type as the first", one_kind)
    return made


class IdCheck:
    """Finds an id that is given twice while documents are still being read.

    Each id takes a slot of a table of bytes, by its hash. A hash that finds its slot taken may be that of a
    duplicate; whether it is one is looked up among the ids so far, which the reader of the source keeps too, whenever
    there are twice as many as the last time, and at the end. In all, an id takes 16 to 24 bytes.
    """

    def __init__(self) -> None:
        """Begin with no ids."""
        self._ids: list[Ids] = []
        self._places: list[Callable[[int], str]] = []
        self._hashes: list[array[int]] = []
        self._count = 0
        self._next = _FIRST_CHECK
        self._slots = bytearray(_FIRST_CHECK * _SLOTS_EACH)
        self._suspects: set[int] = set()

    def add(self, ids: Ids, where: Callable[[int], str]) -> None:
        """Take some ids, and what names the place of each; `DuplicateIdError` if that is the time to see one twice."""
        hashes = ids.hashes()
        self._ids.append(ids)
        self._places.append(where)
        self._hashes.append(hashes)
        self._count += len(ids)
        slots, last, suspects = self._slots, len(self._slots) - 1, self._suspects
        for value in hashes:
            slot = value & last
            if slots[slot]:
                suspects.add(value)
            slots[slot] = 1
        if self._count >= self._next:
            self._look()
            self._grow()

    def finish(self) -> None:
        """Look at what is left."""
        self._look()

    def _grow(self) -> None:
        """Make room for twice as many ids, none of which was there twice so far."""
        self._next = 2 * self._count
        self._suspects = set()
        size = len(self._slots)
        while size < self._next * _SLOTS_EACH:
            size *= 2
        if size > len(self._slots):
            self._slots = slots = bytearray(size)
            last = size - 1
            for hashes in self._hashes:
                for value in hashes:
                    slots[value & last] = 1

    def _look(self) -> None:
        suspects = self._suspects
        seen: dict[int, list[tuple[int, int]]] = {}
        for batch, hashes in enumerate(self._hashes if suspects else ()):
            for row, value in enumerate(hashes):
                if value in suspects:
                    before = seen.setdefault(value, [])
                    if before:
                        self._compare(before, batch, row)
                    before.append((batch, row))

    def _compare(self, before: list[tuple[int, int]], batch: int, row: int) -> None:
        """Raise if an id is one of those of the same hash before it."""
        own = self._ids[batch][row]
        for its_batch, its_row in before:
            if self._ids[its_batch][its_row] == own:
                raise duplicate_id(own, self._places[its_batch](its_row), self._places[batch](row))
