"""The ids of all documents of a search, by their numbers: those of the new documents, then those of the old ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.tables.columns import compute, scalar
from lookalike.tables.packed import Ids

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    from lookalike.tables.columns import Column
    from lookalike.tables.packed import Id

__all__ = ["DocumentIds"]


class DocumentIds:
    """New ids and old ids, each as they were given.

    An old document may have the id of a new one, or ids of another kind. So where there are old documents, a column
    ``x`` of ids has a column ``x_old`` beside it, which says whether the document is old. An Arrow column has one type:
    if the ids are of two kinds, ``x`` has those of new documents only, and ``x_old_id`` those of old ones.

    >>> ids = DocumentIds(Ids.of([7, 8]), Ids.of(["a", "b"]))
    >>> ids.columns("b", [1, 3])
    {'b': [8, 'b'], 'b_old': [False, True]}
    """

    def __init__(self, new: Ids, old: Ids | None = None) -> None:
        """Take both; None where no old documents were given, which is not the same as none of them."""
        self.new, self.old = new, old

    @property
    def old_from(self) -> int | None:
        """The number of the first old document."""
        return None if self.old is None else len(self.new)

    @property
    def are_mixed(self) -> bool:
        """Whether old ids are of another kind than new ones."""
        return bool(self.old and self.new) and self.old.are_numbers != self.new.are_numbers  # type: ignore[union-attr]

    def __len__(self) -> int:
        """Return how many documents there are."""
        return len(self.new) + len(self.old or ())

    def __getitem__(self, number: int) -> Id:
        """Return the id of a document."""
        border = len(self.new)
        return self.new[number] if self.old is None or number < border else self.old[number - border]

    def __iter__(self) -> Iterator[Any]:
        """Give each id."""
        yield from self.new
        yield from self.old or ()

    def is_old(self, number: int) -> bool:
        """Say whether a document is old."""
        return self.old is not None and number >= len(self.new)

    def take(self, numbers: Iterable[int]) -> list[Any]:
        """Return the ids of the documents of these numbers."""
        if self.old is None:
            return self.new.take(numbers)
        listed, border = list(numbers), len(self.new)
        new = iter(self.new.take([number for number in listed if number < border]))
        old = iter(self.old.take([number - border for number in listed if number >= border]))
        return [next(new if number < border else old) for number in listed]

    def columns(self, name: str, numbers: Sequence[int | None]) -> dict[str, list[Any]]:
        """Return the ids of documents as plain values, None where there is no number, and which of them are old."""
        found = iter(self.take(number for number in numbers if number is not None))
        ids = {name: [None if number is None else next(found) for number in numbers]}
        if self.old is None:
            return ids
        return ids | {f"{name}_old": [None if number is None else self.is_old(number) for number in numbers]}

    def names(self, name: str) -> list[str]:
        """Name what `columns` gives.

        >>> DocumentIds(Ids(range(2))).names("b"), DocumentIds(Ids(range(2)), Ids(range(3))).names("b")
        (['b'], ['b', 'b_old'])
        """
        return [name, *([] if self.old is None else [f"{name}_old"])]

    def arrow_columns(self, name: str, numbers: Column) -> dict[str, Column]:
        """Return the ids of documents in Arrow, null where there is no number, and which of them are old."""
        import pyarrow as pa

        if self.old is None:
            return {name: self.new.to_arrow().take(numbers)}
        pc = compute()
        border = scalar(len(self.new), pa.uint32())
        is_old = pc.greater_equal(numbers, border)
        none = pa.nulls(1, pa.uint32())[0]
        new = self.new.to_arrow().take(pc.if_else(is_old, none, numbers))
        # What is subtracted from the number of a new document wraps around; those places are null.
        old = self.old.to_arrow().take(pc.if_else(is_old, pc.subtract(numbers, border), none))
        if self.are_mixed:
            return {name: new, f"{name}_old": is_old, f"{name}_old_id": old}
        ids = new if not len(self.old) else old if not len(self.new) else pc.coalesce(new, old)
        return {name: ids, f"{name}_old": is_old}

    def as_texts_if_mixed(self) -> pa.Array[Any]:
        """Return all ids in one Arrow column, to rank documents by; as texts where they are of two kinds."""
        return Ids.joined([self.new, *([] if self.old is None else [self.old])]).to_arrow()
