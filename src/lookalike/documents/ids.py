"""Ids: one type for a whole source, none missing, none twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.batching import number_array, string_array
from lookalike.documents.columns import decoded, sound
from lookalike.errors import DocumentError, DuplicateIdError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

__all__ = ["IdCheck", "id_type", "ids_of", "made_ids", "place"]

_FIRST_CHECK: Final = 1 << 12


def id_type(kind: pa.DataType) -> pa.DataType:
    """Return the type in which ids of some type are kept: whole numbers as int64, all else as text."""
    import pyarrow as pa

    small = pa.types.is_integer(kind) and kind != pa.uint64()
    return pa.int64() if small else pa.large_string()


def ids_of(column: pa.Array[Any], target: pa.DataType, name: str) -> pa.Array[Any]:
    """Return a column of table `name` as ids of the target type, int64 or large_string; nulls stay."""
    import pyarrow as pa

    column = sound(column)
    if isinstance(column, pa.ExtensionArray):
        values: list[Any] = [scalar.as_py() for scalar in column]  # a uuid, for one
        return pa.array([None if value is None else _shown(value) for value in values], target)
    if isinstance(column, pa.DictionaryArray):
        column = decoded(column)
    try:
        return column if column.type == target else column.cast(target)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        if target == pa.int64():
            problem = "holds values that are not whole numbers of 64 bits"
            raise DocumentError(name, "id column", problem, "give all ids as text, or all as numbers") from None
        # What Arrow cannot turn into text, as Python shows it; bytes that are no text, as hex digits.
        return pa.array([None if value is None else _shown(value) for value in column.to_pylist()], target)


def _shown(value: object) -> str:
    if not isinstance(value, bytes):
        return str(value)
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.hex()


def made_ids(name: str, numbers: Sequence[int], named: bool) -> pa.Array[Any]:
    """Return ids for rows that have none: their position from 0, or ``table:row`` with rows from 1."""
    if not named:
        return number_array(numbers)
    return string_array(f"{name}:{number + 1}" for number in numbers)


def place(name: str, number: int) -> str:
    """Name a row for a person, who counts from 1.

    >>> place("corpus.jsonl", 16)
    'row 17 of corpus.jsonl'
    """
    return f"row {number + 1} of {name}"


class IdCheck:
    """Finds an id that is given twice while documents are still being read.

    The ids so far, which whoever reads the source keeps too, are counted by Arrow whenever there are twice as many as
    the last time, and at the end: in all, each id is looked at about twice.
    """

    def __init__(self) -> None:
        """Begin with no ids."""
        self._ids: list[pa.Array[Any]] = []
        self._places: list[Callable[[int], str]] = []
        self._count = 0
        self._next = _FIRST_CHECK
        self._unchecked = False

    def add(self, ids: pa.Array[Any], where: Callable[[int], str]) -> None:
        """Take some ids, and what names the place of each; `DuplicateIdError` if that is the time to see one twice."""
        self._ids.append(ids)
        self._places.append(where)
        self._count += len(ids)
        self._unchecked = True
        if self._count >= self._next:
            self._look()
            self._next = 2 * self._count

    def finish(self) -> None:
        """Look at what is left."""
        if self._unchecked:
            self._look()

    def _look(self) -> None:
        import pyarrow as pa

        self._unchecked = False
        ids = pa.chunked_array(self._ids)
        if len(ids.unique()) == len(ids):
            return
        counted = ids.value_counts()
        twice = next(i for i, count in enumerate(counted.field("counts")) if count.as_py() != 1)
        value = counted.field("values")[twice]
        places = self._places_of(value)
        raise _duplicate(value.as_py(), places[0], places[1])

    def _places_of(self, value: pa.Scalar[Any]) -> list[str]:
        """Return the first two places where an id is."""
        found: list[str] = []
        for ids, where in zip(self._ids, self._places, strict=True):
            at = ids.index(value).as_py()
            while at >= 0 and len(found) < 2:
                found.append(where(at))
                at = ids.index(value, at + 1, len(ids)).as_py() if at + 1 < len(ids) else -1
        return found


def _duplicate(value: object, first: str, second: str) -> DuplicateIdError:
    error = DuplicateIdError(value)
    problem = f"is used by more than one document: {first} and {second}"
    remedy = "give every document its own id, or name another column with --id-column ('' numbers the rows)"
    DocumentError.__init__(error, value, "id", problem, remedy)
    return error
