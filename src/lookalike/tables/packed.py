"""Ids and texts without pyarrow: packed as the core takes them, made into Arrow arrays only where those are asked for.

Packed texts are UTF-8, one after the other, with 64-bit offsets: the layout of Arrow's large_string, so nothing is
copied on the way to Arrow or back. Ids are whole numbers of 64 bits, or texts; never both in one collection.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from lookalike import _native

if TYPE_CHECKING:
    import pyarrow as pa
    from typing_extensions import Buffer

__all__ = ["Id", "Ids", "Packed", "Texts", "encoded"]

Id: TypeAlias = "str | int"
Packed: TypeAlias = "tuple[memoryview, memoryview, int, int]"
"""What the core takes: offsets, UTF-8, the place of the first text, and how many they are."""


def encoded(text: str) -> bytes:
    r"""Return a text as UTF-8; a lone surrogate, which UTF-8 cannot spell, becomes U+FFFD.

    >>> encoded("a\udcff").decode()
    'a�'
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in text).encode("utf-8")


class Texts(Sequence[str]):
    """Texts, packed.

    >>> texts = Texts.of(["one", "", "drei"])
    >>> len(texts), texts[2], texts[1:].take([1]), list(texts)
    (3, 'drei', ['drei'], ['one', '', 'drei'])
    """

    __slots__ = ("_data", "_first", "_length", "_offsets", "_places")

    def __init__(self, offsets: Buffer, data: Buffer, first: int = 0, count: int | None = None) -> None:
        """Take 64-bit offsets and UTF-8 as they lie; they are not copied, and must not change."""
        self._offsets = memoryview(offsets).cast("B")
        self._data = memoryview(data).cast("B")
        self._places = self._offsets.cast("q")
        self._first = first
        self._length = len(self._places) - 1 - first if count is None else count
        if first < 0 or self._length < 0 or first + self._length >= len(self._places):
            raise ValueError(f"{len(self._places)} offsets do not hold {self._length} texts from {first}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle: views of memory cannot be, their bytes can."""
        return Texts, (bytes(self._offsets), bytes(self._data), self._first, self._length)

    @classmethod
    def of(cls, texts: Iterable[str | bytes]) -> Texts:
        """Pack texts, given as str or as valid UTF-8."""
        pieces = [text if isinstance(text, bytes) else encoded(text) for text in texts]
        offsets = array("q", [0])
        end = 0
        for piece in pieces:
            end += len(piece)
            offsets.append(end)
        return cls(offsets, pieces[0] if len(pieces) == 1 else b"".join(pieces))

    @classmethod
    def joined(cls, parts: Iterable[Texts]) -> Texts:
        """Put texts one after the other; one part is not copied.

        >>> list(Texts.joined([Texts.of(["a", "b"])[1:], Texts.of(["c"])]))
        ['b', 'c']
        """
        listed = [part for part in parts if len(part)]
        if len(listed) == 1:
            return listed[0]
        return cls(*_native.join_texts([part.packed() for part in listed]))

    @classmethod
    def from_arrow(cls, column: pa.Array[Any] | Texts) -> Texts:
        """Take an Arrow array of texts without nulls; large_string is not copied."""
        if isinstance(column, Texts):  # they may be packed already
            return column
        import pyarrow as pa

        if column.null_count:
            raise ValueError(f"{column.null_count} texts are null")
        column = column.cast(pa.large_string())  # which may begin elsewhere in its buffers than before
        _, offsets, data = column.buffers()
        if offsets is None or not len(column):
            return cls(bytes(8), b"")
        return cls(offsets, data if data is not None else b"", column.offset, len(column))

    def to_arrow(self) -> pa.Array[Any]:
        """Return them as an Arrow array of large_string; they are not copied."""
        import pyarrow as pa

        buffers = [None, pa.py_buffer(self._offsets), pa.py_buffer(self._data)]
        return pa.Array.from_buffers(pa.large_string(), self._length, buffers, offset=self._first)

    def packed(self) -> Packed:
        """Return what the core takes."""
        return self._offsets, self._data, self._first, self._length

    @property
    def places(self) -> memoryview:
        """Where in the packed data each text begins, and where the last one ends."""
        return self._places[self._first : self._first + self._length + 1]

    @property
    def data(self) -> memoryview:
        """The UTF-8 of these texts, one after the other."""
        return self._data[self._places[self._first] : self._places[self._first + self._length]]

    @property
    def nbytes(self) -> int:
        """How many bytes of UTF-8 they have."""
        return int(self._places[self._first + self._length] - self._places[self._first])

    def __len__(self) -> int:
        """Return their number."""
        return self._length

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Texts: ...
    def __getitem__(self, place: int | slice) -> str | Texts:
        """Return one text, or some that follow each other."""
        if isinstance(place, slice):
            start, stop, step = place.indices(self._length)
            if step != 1:
                raise ValueError("packed texts are cut in one piece")
            return Texts(self._offsets, self._data, self._first + start, max(0, stop - start))
        number = place + self._length if place < 0 else place
        if not 0 <= number < self._length:
            raise IndexError(place)
        start, end = self._places[self._first + number], self._places[self._first + number + 1]
        return str(self._data[start:end], "utf-8")

    def __iter__(self) -> Iterator[str]:
        """Yield each text."""
        places = self.places.tolist()
        for start, end in pairwise(places):
            yield str(self._data[start:end], "utf-8")

    def take(self, numbers: Iterable[int]) -> list[str]:
        """Return the texts of these numbers."""
        places = numbers.tobytes() if isinstance(numbers, memoryview) else array("I", numbers).tobytes()
        return _native.take_texts(self.packed(), places)

    def __eq__(self, other: object) -> bool:
        """Return whether the texts are the same, however they are packed."""
        if not isinstance(other, Texts):
            return NotImplemented
        if len(self) != len(other) or self.data != other.data:
            return False
        own, its = self.places, other.places
        return own == its or [end - own[0] for end in own] == [end - its[0] for end in its]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Return a short description."""
        return f"<Texts: {self._length:,} in {self.nbytes:,} bytes>"


class Ids(Sequence["str | int"]):
    """The ids of documents: all whole numbers, or all texts.

    >>> ids = Ids.of(["a", "b", "c"])
    >>> len(ids), ids[1], ids.take([2, 0]), ids == Ids.of(["a", "b", "c"]), ids.repeated()
    (3, 'b', ['c', 'a'], True, None)
    >>> Ids(range(3)).are_numbers, Ids(range(3)).as_texts() == Ids.of(["0", "1", "2"])
    (True, True)
    """

    __slots__ = ("_values", "are_numbers")

    def __init__(self, values: range | array[int] | memoryview | Sequence[str]) -> None:
        """Take a range, numbers of 64 bits, or texts (a list or `Texts`) as they are; `of` takes anything."""
        self._values: Any = values
        self.are_numbers: bool = isinstance(values, range | array | memoryview)
        """Whether they are whole numbers; else they are texts. No ids at all may be either."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle: a view of memory cannot be, its numbers can."""
        return Ids, (array("q", self._values) if isinstance(self._values, memoryview) else self._values,)

    @classmethod
    def of(cls, values: Iterable[str] | Iterable[int]) -> Ids:
        """Take ids that are all str or all int; no ids are texts. A lone surrogate becomes U+FFFD, as in any text."""
        if isinstance(values, Ids):
            return values
        if isinstance(values, range | Texts):
            return cls(values)
        listed: list[Any] = list(values)
        if listed and isinstance(listed[0], int):
            return cls(array("q", listed))
        try:
            "".join(listed).encode()
        except UnicodeEncodeError:  # the name of a file that is not UTF-8, for one
            listed = [encoded(text).decode() for text in listed]
        return cls(listed)

    @classmethod
    def of_numbers(cls, data: Buffer) -> Ids:
        """Take little-endian numbers of 64 bits."""
        return cls(memoryview(data).cast("B").cast("q"))

    @classmethod
    def of_texts(cls, offsets: Buffer, data: Buffer) -> Ids:
        """Take texts that are packed already."""
        return cls(Texts(offsets, data))

    @classmethod
    def from_arrow(cls, column: pa.Array[Any] | Ids) -> Ids:
        """Take an Arrow array of whole numbers or texts without nulls; int64 and large_string are not copied."""
        if isinstance(column, Ids):  # they may be ids already
            return column
        import pyarrow as pa

        if not pa.types.is_integer(column.type) or column.type == pa.uint64():
            return cls(Texts.from_arrow(column))
        if column.null_count:
            raise ValueError(f"{column.null_count} ids are null")
        column = column.cast(pa.int64())
        data = column.buffers()[1]
        numbers = memoryview(b"" if data is None else data).cast("B").cast("q")
        return cls(numbers[column.offset : column.offset + len(column)])

    def to_arrow(self) -> pa.Array[Any]:
        """Return them as an Arrow array, int64 or large_string."""
        if not self.are_numbers:
            texts = self._values if isinstance(self._values, Texts) else Texts.of(self._values)
            return texts.to_arrow()
        import pyarrow as pa

        values = array("q", self._values) if isinstance(self._values, range) else self._values
        return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(values)])

    @classmethod
    def joined(cls, parts: Iterable[Ids]) -> Ids:
        """Put ids one after the other; where some are texts, all become texts.

        >>> list(Ids.joined([Ids(range(2)), Ids.of(["a"])]))
        ['0', '1', 'a']
        """
        listed = [part for part in parts if len(part)]
        if len(listed) < 2:
            return listed[0] if listed else cls(())
        if all(part.are_numbers for part in listed):
            numbers = array("q")
            for part in listed:
                numbers.extend(part._values)  # noqa: SLF001 — its own
            return cls(numbers)
        texts = [part.as_texts()._values for part in listed]  # noqa: SLF001 — its own
        if all(isinstance(values, Texts) for values in texts):
            return cls(Texts.joined(texts))
        return cls([text for values in texts for text in values])

    def hashes(self) -> array[int]:
        """Return a number of 64 bits for each id: equal ids have equal ones, as long as this process lasts.

        >>> Ids.of(["a", "b"]).hashes() == Ids(Texts.of(["a", "b"])).hashes()
        True
        """
        if self.are_numbers:
            return array("q", map(hash, self._values))
        if not isinstance(self._values, Texts):
            return array("q", [hash(encoded(text)) for text in self._values])
        data, places = bytes(self._values.data), self._values.places.tolist()
        first = places[0] if places else 0
        return array("q", [hash(data[start - first : end - first]) for start, end in pairwise(places)])

    def as_texts(self) -> Ids:
        """Return the ids as texts."""
        return Ids(list(map(str, self._values))) if self.are_numbers else self

    def __len__(self) -> int:
        """Return their number."""
        return len(self._values)

    @overload
    def __getitem__(self, place: int) -> Id: ...
    @overload
    def __getitem__(self, place: slice) -> Ids: ...
    def __getitem__(self, place: int | slice) -> Id | Ids:
        """Return one id, or some that follow each other."""
        found = self._values[place]
        return Ids(found) if isinstance(place, slice) else found

    def __iter__(self) -> Iterator[Any]:
        """Give each id."""
        return iter(self._values)

    def take(self, numbers: Iterable[int]) -> list[Any]:
        """Return the ids of the documents of these numbers."""
        values = self._values
        return values.take(numbers) if isinstance(values, Texts) else [values[number] for number in numbers]

    def repeated(self) -> Id | None:
        """Return the first id that was there before, or None if every document has its own."""
        if isinstance(self._values, Texts):  # a set of millions of texts would take gigabytes
            places = _native.repeated_in(self._values.packed())
            return None if places is None else self._values[places[1]]
        if isinstance(self._values, range) or len(set(self._values)) == len(self):
            return None
        seen: set[Id] = set()
        first: Id | None = None
        for first in self:
            if first in seen:
                break
            seen.add(first)
        return first

    def __eq__(self, other: object) -> bool:
        """Return whether the ids are the same; the number 1 and the text "1" are not."""
        if not isinstance(other, Ids):
            return NotImplemented
        if len(self) != len(other) or (len(self) and self.are_numbers != other.are_numbers):
            return False
        if isinstance(self._values, Texts) and isinstance(other._values, Texts):
            return self._values == other._values
        return all(one == its for one, its in zip(self._values, other._values, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Return a short description."""
        return f"<Ids: {len(self):,} {'numbers' if self.are_numbers else 'texts'}>"
