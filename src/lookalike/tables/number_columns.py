"""Small tools for columns of numbers: the core's bytes as Arrow arrays, and back."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    Column: TypeAlias = pa.Array[Any]
    Chunks: TypeAlias = pa.ChunkedArray[Any]

__all__ = [
    "as_bytes",
    "compute",
    "counting",
    "joined",
    "key",
    "numbers",
    "permutation",
    "scalar",
    "shares",
    "view",
    "whole",
]


def compute() -> Any:
    """Return `pyarrow.compute`, loaded now; untyped, because its stubs refuse plain numbers and texts as arguments."""
    import pyarrow.compute

    return pyarrow.compute


def numbers(data: bytes) -> Column:
    """Return bytes of the core as a column of 32-bit whole numbers.

    >>> numbers(bytes([7, 0, 0, 0, 0, 1, 0, 0])).to_pylist()
    [7, 256]
    """
    import pyarrow as pa

    return pa.Array.from_buffers(pa.uint32(), len(data) // 4, [None, pa.py_buffer(data)])


def shares(data: bytes) -> Column:
    """Return bytes of the core as a column of 64-bit floats."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.float64(), len(data) // 8, [None, pa.py_buffer(data)])


def scalar(value: float, kind: pa.DataType) -> Any:
    """Return a number as Arrow's kernels take it.

    `pa.scalar`, and a plain number given to a kernel, would load pandas wherever it is installed, which takes longer
    than a search of ten thousand documents.

    >>> import pyarrow as pa
    >>> scalar(7, pa.uint32()), scalar(0.5, pa.float64())
    (<pyarrow.UInt32Scalar: 7>, <pyarrow.DoubleScalar: 0.5>)
    """
    import pyarrow as pa

    if pa.types.is_floating(kind):
        data = struct.pack("<d", value)
    else:
        data = int(value).to_bytes(kind.bit_width // 8, "little")
    return pa.Array.from_buffers(kind, 1, [None, pa.py_buffer(data)])[0]


def as_bytes(column: Column | Chunks) -> bytes:
    """Return a column of numbers without nulls as the core takes it.

    >>> as_bytes(numbers(bytes(range(12))).slice(1)) == bytes(range(4, 12))
    True
    """
    return bytes(view(column))


def view(column: Column | Chunks) -> memoryview:
    """Return the bytes of a column of fixed width without nulls; they are not copied.

    >>> list(view(numbers(bytes(range(12))).slice(2)))
    [8, 9, 10, 11]
    """
    flat = whole(column)
    if flat.null_count:
        raise ValueError(f"{flat.null_count} values are null")
    width, data = flat.type.bit_width // 8, flat.buffers()[1]
    return memoryview(b"" if data is None else data).cast("B")[flat.offset * width :][: len(flat) * width]


def counting(count: int) -> Column:
    """Return the numbers 0, 1, 2 … as a column.

    >>> counting(3).to_pylist()
    [0, 1, 2]
    """
    import pyarrow as pa

    pc = compute()
    one = scalar(1, pa.uint32())
    made: Column = pc.subtract(pc.cumulative_sum(pa.repeat(one, count)), one)
    return made


def whole(column: Column | Chunks) -> Column:
    """Return a column in one piece."""
    import pyarrow as pa

    made: Any = column
    if isinstance(made, pa.ChunkedArray):
        # Not by combine_chunks, which loads pandas for a column of no piece, and gives another kind in some versions.
        made = pa.concat_arrays(made.chunks) if made.num_chunks else pa.nulls(0, made.type)
    flat: Column = made
    return flat


def joined(*columns: Column | Chunks) -> Column:
    """Return columns of one type, one after the other.

    >>> joined(counting(2), counting(3)).to_pylist()
    [0, 1, 0, 1, 2]
    """
    import pyarrow as pa

    return pa.concat_arrays([whole(column) for column in columns])


def key(major: Column | Chunks, minor: Column | Chunks) -> Column:
    """Return two 32-bit numbers as one of 64 bits, which sorts and is looked up as one.

    >>> key(counting(2), counting(2)).to_pylist()
    [0, 4294967297]
    """
    import pyarrow as pa

    pc = compute()
    high = pc.shift_left(whole(major).cast(pa.uint64()), scalar(32, pa.uint64()))
    made: Column = pc.add(high, whole(minor).cast(pa.uint64()))
    return made


def permutation(given: Sequence[int] | Chunks) -> Column | None:
    """Return an order of documents as a column, or None unless it names every number from 0 once.

    >>> permutation([2, 0, 1]).to_pylist(), permutation([0, 0]), permutation([-1, 0])
    ([2, 0, 1], None, None)
    """
    import pyarrow as pa

    try:
        order: Column = whole(given) if isinstance(given, pa.ChunkedArray) else pa.array(given, type=pa.uint32())
    except (pa.ArrowException, OverflowError, TypeError):
        return None
    pc = compute()
    return order if order.take(pc.sort_indices(order)).equals(counting(len(order))) else None
