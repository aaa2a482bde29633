"""Documents that a program holds: texts in a list, a dict, an iterator or an array, and rows that are dicts; and ids.

Ids are of one type for a whole source, none missing, no duplicates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from operator import index
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from lookalike.documents.arrow_columns import decoded, sound
from lookalike.documents.document_source import Batch, Identity, Size, Skipped, Source, check_numbers
from lookalike.documents.table_columns import INTEGER, MIXED, NESTED, NULL, OTHER, TEXT, TableColumn, choose, value_at
from lookalike.documents.table_errors import changed, duplicate_id
from lookalike.errors import DocumentError, DuplicateIdError, check_text
from lookalike.tables.columns import whole
from lookalike.tables.packed import Ids, Texts, encoded

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from lookalike.documents.table_columns import Choice

__all__ = [
    "Documents",
    "IdCheck",
    "MemorySource",
    "are_records",
    "checked_ids",
    "columns_of_records",
    "gather",
    "ids_of",
    "list_of_array",
    "made_ids",
    "of_one_kind",
    "table_of_records",
]

# -- ids ---------------------------------------------------------------------------------------------------------------

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


# -- texts -------------------------------------------------------------------------------------------------------------

Documents: TypeAlias = Iterable[str] | Mapping[str, str] | Mapping[int, str]


def gather(documents: Documents) -> tuple[list[str] | list[int] | range, list[str]]:
    """Return ids (the keys of a dict, or positions) and texts; what is not a text is an error that names it.

    >>> gather({"a.txt": "one", "b.txt": "two"})
    (['a.txt', 'b.txt'], ['one', 'two'])
    >>> gather(["one", None])
    Traceback (most recent call last):
        ...
    lookalike.errors.DocumentError: document 1: text is NoneType, not str; leave the document out or give it an empty \
text
    """
    if isinstance(documents, str | bytes) or not isinstance(documents, Iterable):
        kind = type(documents).__name__
        raise DocumentError(None, "documents", f"are one {kind}, not a collection", "give a list or dict of texts")
    ids: list[Any] | range
    if isinstance(documents, Mapping):
        ids, texts = of_one_kind(list(documents.keys())), list(documents.values())
    else:
        texts = list(documents)
        ids = range(len(texts))
    if not set(map(type, texts)) <= {str}:
        for name, text in zip(ids, texts, strict=True):
            check_text(name, text)
    return ids, texts


# -- texts as a source -------------------------------------------------------------------------------------------------

_BATCH_CHARACTERS: Final = 8 << 20
_BATCH_DOCUMENTS: Final = 1 << 16
_SAMPLED_IDS: Final = 64


def _ids(given: Sequence[str] | Sequence[int]) -> Ids:
    if isinstance(given, range):
        return Ids(given)
    if len(given) and isinstance(given[0], str):  # all of them are; a lone surrogate is replaced, as in every text
        return Ids([name if name.isascii() else encoded(name).decode() for name in map(str, given)])
    return Ids.of(given)


class MemorySource(Source):
    """Texts in a list or a dict."""

    def __init__(self, documents: Iterable[str] | Mapping[str, str] | Mapping[int, str]) -> None:
        """Take texts; anything that is not one is an error that names it."""
        self.name = "the documents"
        ids, self.texts = gather(documents)
        """The texts as they were given."""
        self.ids = _ids(ids)
        """The keys of a dict, or the positions in a list."""

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        """Yield the texts, encoded again each time, so that they are not held twice."""
        del rows
        start = size = 0
        for number, text in enumerate(self.texts, 1):
            size += len(text)
            if size >= _BATCH_CHARACTERS or number - start == _BATCH_DOCUMENTS:
                yield self._batch(start, number)
                start, size = number, 0
        if start < len(self.texts):
            yield self._batch(start, len(self.texts))

    def _batch(self, start: int, end: int) -> Batch:
        return Batch(self.ids[start:end], Texts.of(self.texts[start:end]))

    def fetch(self, numbers: Sequence[int]) -> Iterator[tuple[Sequence[int], Texts]]:
        """Yield some of the texts."""
        check_numbers(numbers)
        if len(numbers) and numbers[-1] >= len(self.texts):
            raise changed(self.name)
        start = size = 0
        for place, number in enumerate(numbers, 1):
            size += len(self.texts[number])
            if size >= _BATCH_CHARACTERS or place == len(numbers):
                found = numbers[start:place]
                yield found, Texts.of(self.texts[number] for number in found)
                start, size = place, 0

    def identity(self) -> dict[str, Any]:
        """Look at some of the ids and texts."""
        identity = Identity(self.name)
        identity.add(*self.ids[:_SAMPLED_IDS])
        identity.add_texts(self.texts, self.size().bytes)
        return identity.found()

    def skipped(self) -> list[Skipped]:
        """Nothing is skipped."""
        return []

    def notes(self) -> list[str]:
        """Nothing is decided."""
        return []

    def size(self) -> Size:
        """Count the texts and their characters."""
        return Size(len(self.texts), sum(map(len, self.texts)))


# -- dicts and arrays --------------------------------------------------------------------------------------------------

_SAMPLED_ROWS: Final = 1000


def are_records(documents: Sequence[Any]) -> bool:
    """Return whether documents are dicts, by the first that is anything at all."""
    return isinstance(next((one for one in documents if one is not None), None), Mapping)


def columns_of_records(rows: Sequence[Any], *named: str | None) -> list[TableColumn]:
    """Describe the columns of dicts, by the first of them; a path that is named is a column too."""
    kinds: dict[str, set[str]] = {}
    for row in islice(rows, _SAMPLED_ROWS):
        for name, value in (row or {}).items():
            kinds.setdefault(str(name), set()).add(_kind(value))
    for name in named:
        if name and name not in kinds:
            found = {_kind(value) for row in rows if (value := value_at(row or {}, name)) is not None}
            kinds |= {name: found} if found else {}
    return [TableColumn(name, _together(found - {NULL})) for name, found in kinds.items()]


def _kind(value: object) -> str:
    if value is None:
        return NULL
    if isinstance(value, str):
        return TEXT
    if isinstance(value, Mapping | list | tuple):
        return NESTED
    return INTEGER if hasattr(value, "__index__") and not isinstance(value, bool) else OTHER


def _together(kinds: set[str]) -> str:
    if not kinds:
        return NULL
    return kinds.pop() if len(kinds) == 1 else MIXED if TEXT in kinds else OTHER


def table_of_records(rows: Sequence[Any], text: str | None, id_column: str | None) -> tuple[pa.Table, Choice]:
    """Return the texts and ids of dicts as a table, and which columns they are."""
    import pyarrow as pa

    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            problem = f"is {type(row).__name__}, not a dict like the others"
            raise DocumentError(number, "row", problem, "give dicts only, or texts only")
    choice = choose("the rows", columns_of_records(rows, text, id_column), text, id_column)
    texts = [_text(number, value_at(row, choice.text), choice.text) for number, row in enumerate(rows)]
    columns: dict[str, pa.Array[Any]] = {choice.text: pa.array(texts, pa.large_string())}
    if choice.id is not None:
        ids = [value_at(row, choice.id) for row in rows]
        kept = of_one_kind([own for own in ids if own is not None])
        kind = pa.int64() if kept and not isinstance(kept[0], str) else pa.large_string()
        given = iter(kept)
        columns[choice.id] = pa.array([None if own is None else next(given) for own in ids], kind)
    return pa.table(columns), choice


def _text(number: int, value: object, column: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        problem = f"is {type(value).__name__}, not text"
        raise DocumentError(number, f"column {column!r}", problem, "give its text as str, or None")
    return value if value.isascii() else encoded(value).decode()


def list_of_array(array: Any) -> list[str | None]:
    """Return the texts of an array of numpy: of objects, of fixed width, or of StringDType; NaN is None."""
    if array.ndim != 1:
        problem = f"are an array of {array.ndim} dimensions"
        raise DocumentError(None, "documents", problem, "give one dimension, for example by .ravel()")
    if array.dtype.kind not in "OUT":
        remedy = "decode it first: numpy.char.decode(array)" if array.dtype.kind == "S" else "give an array of texts"
        raise DocumentError(None, "documents", f"are an array of {array.dtype}, not of texts", remedy)
    return [None if isinstance(one, float) and one != one else one for one in array.tolist()]  # noqa: PLR0124 - NaN
