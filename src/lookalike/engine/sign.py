"""Signatures: a few hundred numbers for each document, whose share of equal positions estimates Jaccard.

`Signatures` holds whole signatures; the rows that a search keeps of its documents are Arrow tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from lookalike._native import SignatureMatrix
from lookalike.errors import DocumentError, LookalikeError, RecipeError, check_text, check_threads, check_whole
from lookalike.recipe import DEFAULT, Recipe, settings
from lookalike.tables.columns import view, whole
from lookalike.tables.packed import Texts
from lookalike.tables.spelling import count
from lookalike.text.excluded import exclude_kinds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    from lookalike.engine import Strategy
    from lookalike.tables.packed import Packed

    Given: TypeAlias = Sequence[str] | Texts | pa.Array[Any] | pa.ChunkedArray[Any]

__all__ = [
    "RowParts",
    "Signatures",
    "check_rows",
    "check_slots",
    "row_schema",
    "rows_of_bytes",
    "sign_sets",
    "sign_texts",
    "texts_for_core",
]

SIGNED_BY: Final = b"lookalike.signed_by"
"""The key under which a schema names the strategy that signed its rows."""
DIGEST: Final = 24


class Signatures:
    """The signatures of a collection, with the recipe that made them.

    >>> from lookalike.text.measures import standard_error
    >>> signatures = sign_texts(["one two three four five six", "one two three four five seven"], Recipe(k=2))
    >>> len(signatures), len(signatures[0])
    (2, 256)
    >>> abs(signatures.estimate(0, 1) - 4 / 6) < 4 * standard_error(4 / 6, 256)
    True
    """

    def __init__(self, matrix: SignatureMatrix, recipe: Recipe) -> None:
        """Keep a native matrix; use `sign_texts` to make one."""
        self._matrix = matrix
        self.recipe = recipe

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self._matrix)

    def __repr__(self) -> str:
        """Return a short description."""
        return f"<Signatures: {count(len(self), 'document')} × {self.recipe.hashes} hashes, {self.recipe!r}>"

    def __getitem__(self, i: int) -> list[int]:
        """Return the slots of one signature; 4294967295 stands for infinity, the slot of an empty set."""
        return self._matrix.slots(i)

    def estimate(self, i: int, j: int) -> float:
        """Return the share of slots in which two signatures agree; two infinities do not agree (docs/primer.md §4)."""
        return self._matrix.agreeing(i, j) / self.recipe.hashes

    def union(self, rows: Iterable[int]) -> Signatures:
        """Return the one signature of all these documents put together.

        >>> both = sign_texts(["a b c", "d e f"], Recipe(k=1)).union([0, 1])
        >>> both[0] == sign_texts(["a b c d e f"], Recipe(k=1))[0]
        True
        """
        return Signatures(self._matrix.union(list(rows)), self.recipe)

    def to_bytes(self) -> bytes:
        """Return the slots as little-endian 32-bit numbers, document by document."""
        return self._matrix.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes, recipe: Recipe) -> Signatures:
        """Read back what `to_bytes` gave; the recipe must be the one that made it."""
        if len(data) % (4 * recipe.hashes):
            raise LookalikeError(f"{len(data)} bytes are not whole signatures of {recipe.hashes} hashes")
        return cls(SignatureMatrix.of_bytes(data, recipe.hashes), recipe)

    def __reduce__(self) -> tuple[object, tuple[bytes, Recipe]]:
        """Pickle: worker processes send signatures back."""
        return Signatures.from_bytes, (self.to_bytes(), self.recipe)

    @property
    def native(self) -> SignatureMatrix:
        """The native matrix, for the other functions of this package."""
        return self._matrix


def sign_texts(texts: list[str] | list[Packed], recipe: Recipe | None = None, *, threads: int = 0) -> Signatures:
    """Return the signatures of texts, plain or packed; `threads=0` takes all cores. The numbers do not depend on it."""
    recipe = recipe or DEFAULT
    return Signatures(SignatureMatrix.of_texts(texts, settings(recipe), check_threads(threads)), recipe)


def _iterable(number: int, given: Iterable[int]) -> Iterable[int]:
    if not hasattr(given, "__iter__"):
        raise RecipeError(f"set {number}", given, "a set or list of whole numbers")
    return given


def sign_sets(
    sets: Iterable[Sequence[int] | set[int]], recipe: Recipe | None = None, *, threads: int = 0
) -> Signatures:
    """Return the signatures of sets of 64-bit numbers that are already hashes; an empty set is all infinity."""
    recipe = recipe or DEFAULT
    listed = [
        [check_whole(f"an element of set {i}", x, 0, 2**64 - 1) for x in _iterable(i, s)] for i, s in enumerate(sets)
    ]
    return Signatures(SignatureMatrix.of_sets(listed, settings(recipe), check_threads(threads)), recipe)


class RowParts(NamedTuple):
    """The parts of rows that candidates are found by, one row after the other; not copied."""

    digest: memoryview
    keys: memoryview
    slots: memoryview


def row_schema(strategy: Strategy) -> pa.Schema:
    """Return the columns of rows that a strategy signs."""
    import pyarrow as pa

    bands = strategy.bands.bands if strategy.bands else 0
    columns: dict[str, pa.DataType] = {
        "digest": pa.binary(DIGEST),
        "shingles": pa.uint32(),
        "length": pa.uint64(),
        "keys": pa.list_(pa.uint64(), bands),
        "slots": pa.binary(strategy.recipe.hashes),
    }
    return pa.schema(columns, metadata={SIGNED_BY: strategy.signs.encode()})


def rows_of_bytes(columns: tuple[bytes, bytes, bytes, bytes, bytes], strategy: Strategy) -> pa.RecordBatch:
    """Return the columns that the core gives as rows."""
    import pyarrow as pa

    schema = row_schema(strategy)
    documents = len(columns[0]) // DIGEST

    def column(kind: pa.DataType, data: bytes, length: int) -> pa.Array[Any]:
        if not pa.types.is_fixed_size_list(kind):
            return pa.Array.from_buffers(kind, length, [None, pa.py_buffer(data)])
        values = column(kind.value_type, data, len(data) // 8)
        return pa.Array.from_buffers(kind, length, [None], children=[values])

    made = [column(kind, data, documents) for kind, data in zip(schema.types, columns, strict=True)]
    return pa.RecordBatch.from_arrays(made, schema=schema)


def check_rows(rows: pa.RecordBatch | pa.Table, strategy: Strategy) -> RowParts:
    """Return the parts of rows; rows that another strategy has signed are refused.

    Of rows that lost the name of their strategy on the way, only the types are checked.
    """
    _check_columns(rows, RowParts._fields, strategy)
    keys: Any = whole(rows.column("keys"))
    return RowParts(view(rows.column("digest")), view(keys.flatten()), view(rows.column("slots")))


def check_slots(rows: pa.RecordBatch | pa.Table, strategy: Strategy) -> memoryview:
    """Return the slots of rows, which need no other columns; they are checked in the same way."""
    _check_columns(rows, ("slots",), strategy)
    return view(rows.column("slots"))


def _check_columns(rows: pa.RecordBatch | pa.Table, names: Sequence[str], strategy: Strategy) -> None:
    expected, given = row_schema(strategy), rows.schema
    for name in names:
        place = given.get_field_index(name)
        kind = given.field(place).type if place >= 0 else "missing"
        if kind != expected.field(name).type:
            raise LookalikeError(
                f"{name} of the rows is {kind}, not {expected.field(name).type}: sign with this strategy"
            )
    if (given.metadata or {}).get(SIGNED_BY, strategy.signs.encode()) != strategy.signs.encode():
        raise LookalikeError("the rows were signed with another recipe, other bands or other excluded text")


def texts_for_core(texts: Given, strategy: Strategy) -> list[Any]:
    """Return texts as the core takes them, without the text that the strategy excludes.

    >>> from lookalike.engine import Asked, choose_strategy
    >>> from lookalike.recipe import DEFAULT
    >>> texts_for_core(["one", "two"], choose_strategy(Asked(DEFAULT, 0.8), size=0))
    ['one', 'two']
    """
    if isinstance(texts, str | bytes):
        raise DocumentError(None, "texts", "are one text, not a collection", "give a list of texts")
    if isinstance(texts, Texts):
        return [exclude_kinds(texts, strategy.skip).packed()]
    if hasattr(texts, "null_count"):
        return [exclude_kinds(part, strategy.skip).packed() for part in _of_arrow(texts)]
    if not strategy.skip:
        return texts if isinstance(texts, list) else list(texts)
    read = Texts.of(check_text(place, text) for place, text in enumerate(texts))
    return [exclude_kinds(read, strategy.skip).packed()]


def _of_arrow(column: Any) -> list[Texts]:
    import pyarrow as pa

    kind = column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view()):
        raise DocumentError(None, "texts", f"are {kind}, not text", "give a column of texts")
    if column.null_count:
        problem = f"are missing in {column.null_count} of {len(column)} rows"
        raise DocumentError(None, "texts", problem, "drop these rows or give them an empty text")
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    return [Texts.from_arrow(chunk) for chunk in chunks]
