"""Rows that belong together, out of a sorted partition.

Spark puts all rows of a cell into one partition, sorted by the cell. The functions of the engine take many cells in one
call, so blocks of whole cells are given, of a good size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lookalike.spark.shapes import ddl, shaped
from lookalike.tables.columns import compute

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from lookalike.spark.shapes import Shape

__all__ = ["begins_cell", "by_cells", "whole_cells"]

BLOCK: Final = 32 << 20
"""Bytes of rows that are worked on at a time, at the least; a cell that is larger is a block of its own."""
_SENT: Final = 1 << 16
"""Rows that are sent back at a time."""


def by_cells(
    rows: DataFrame, names: Sequence[str], parts: int, work: Callable[[pa.Table], pa.Table], shape: Shape
) -> DataFrame:
    """Call `work` with blocks of whole cells, which the columns `names` tell apart; `parts` partitions."""
    together = rows.repartition(parts, *names).sortWithinPartitions(*names)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in whole_cells(batches, names):
            yield from shaped(work(table), shape).to_batches(max_chunksize=_SENT)

    return together.mapInArrow(run, ddl(shape))


def whole_cells(batches: Iterator[pa.RecordBatch], names: Sequence[str], least: int = BLOCK) -> Iterator[pa.Table]:
    """Give tables of whole cells, of at least `least` bytes but for the last, from batches that are sorted by cell.

    >>> import pyarrow as pa
    >>> rows = [pa.record_batch({"cell": cells}) for cells in ([1, 1], [1, 2, 2], [2, 3])]
    >>> [table["cell"].to_pylist() for table in whole_cells(iter(rows), ["cell"], least=1)]
    [[1, 1, 1], [2, 2, 2], [3]]
    """
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        border = -1
        if held and size >= least:
            border = compute().index(begins_cell(held[-1], batch, names), pa.scalar(value=True)).as_py()
        if border < 0:
            held.append(batch)
            size += batch.nbytes
            continue
        yield pa.Table.from_batches([*held, batch.slice(0, border)])
        held = [batch.slice(border)]
        size = held[0].nbytes
    if held:
        yield pa.Table.from_batches(held)


def begins_cell(before: pa.RecordBatch | None, batch: pa.RecordBatch, names: Sequence[str]) -> pa.Array[Any]:
    """Say of each row whether it is in another cell than the row before it; `before` is the batch before, if any.

    >>> import pyarrow as pa
    >>> batch = pa.record_batch({"cell": [1, 1, 2]})
    >>> begins_cell(None, batch, ["cell"]).to_pylist(), begins_cell(batch.slice(0, 1), batch, ["cell"]).to_pylist()
    ([True, False, True], [False, False, True])
    """
    import pyarrow as pa

    pc = compute()
    changes: Any = None
    for name in names:
        own = batch.column(name)
        column = own if before is None else pa.concat_arrays([before.column(name).slice(before.num_rows - 1), own])
        differs = pc.not_equal(column.slice(1), column.slice(0, len(column) - 1))
        changes = differs if changes is None else pc.or_(changes, differs)
    return changes if before is not None else pa.concat_arrays([pa.array([True]), changes])
