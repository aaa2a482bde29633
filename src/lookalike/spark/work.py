"""How a stage runs: what it found is written once, as Parquet, and rows that belong together meet in one task.

A stage that is written is never computed again, so nothing depends on whether Spark would compute it the same way
twice. A work folder that outlives the job also lets the next run resume: a stage is done when its mark is there, and
the mark is written last. The mark names the search; the folder of another search is refused.
"""

from __future__ import annotations

import json
import tempfile
import weakref
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pyspark.sql import Observation
from pyspark.sql import types as T  # noqa: N812

from lookalike.errors import InternalError, RecipeError, StoreError
from lookalike.tables.columns import compute, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

    Shape: TypeAlias = Mapping[str, str]
    """The name and the type, in Spark's words, of each column that a function on an executor returns."""

__all__ = [
    "PAIRS",
    "ROWS_SENT",
    "SCORES",
    "Work",
    "batch_settings",
    "begins_cell",
    "by_cells",
    "ddl",
    "delete",
    "exists",
    "partitions_for",
    "path_of",
    "places",
    "shaped",
    "whole_cells",
]

SCORES: Final = {"jaccard": "double", "containment_a": "double", "containment_b": "double"}
PAIRS: Final = {"a": "bigint", "b": "bigint"} | SCORES
"""Verified pairs, by the numbers of their documents."""

_BATCHES: Final = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "4096",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(64 << 20),
}
"""A batch of texts must fit an Arrow column, which holds 2 GiB, and a worker holds several batches."""
_WORTH_A_TASK: Final = 5000
"""Documents."""
_BLOCK: Final = 32 << 20
"""The least number of bytes worked on at a time; a larger cell is a block of its own."""
ROWS_SENT: Final = 1 << 16
"""Rows that a worker sends back at a time."""


# -- stages ------------------------------------------------------------------------------------------------------------


class Work:
    """A folder for the stages of one search."""

    def __init__(self, spark: SparkSession, folder: str | None, about: str) -> None:
        """Take the folder, or make a temporary one; `about` distinguishes this search from others."""
        self.spark, self._about = spark, about
        self._done: dict[str, dict[str, Any]] = {}
        self._resumes = folder is not None
        self.folder = folder.rstrip("/") if folder is not None else self._temporary()

    def _temporary(self) -> str:
        master = str(self.spark.conf.get("spark.master"))
        if not master.startswith("local"):
            raise RecipeError("work", None, "a folder that every machine of the cluster can read and write")
        folder = tempfile.TemporaryDirectory(prefix="lookalike-spark-", ignore_cleanup_errors=True)
        weakref.finalize(self.spark, folder.cleanup)  # DataFrames that read from it may outlive the search
        return Path(folder.name).as_uri()

    def stage(self, name: str, make: Callable[[], DataFrame], **measures: Column) -> DataFrame:
        """Return the rows of a stage: read if the stage is done, otherwise made and written now.

        `measures` are aggregates of the rows, each a whole number, for `measured`. Spark takes them while it writes the
        rows, so they need no job of their own, and they are kept with the mark.
        """
        path = f"{self.folder}/{name}"
        mark = self._mark(name)
        if mark is None:
            made = make()
            mark = {"schema": made.schema.jsonValue(), "measures": {}}
            seen = Observation()
            if measures:
                made = made.observe(seen, *(column.alias(measure) for measure, column in measures.items()))
            made.write.mode("overwrite").parquet(path)
            if measures:
                mark["measures"] = {measure: int(value or 0) for measure, value in seen.get.items()}
            self._record(name, mark)
        return self.spark.read.schema(T.StructType.fromJson(mark["schema"])).parquet(path)

    def is_done(self, name: str) -> bool:
        """Say whether a stage is done."""
        return self._mark(name) is not None

    def measured(self, name: str, measure: str) -> int:
        """Return a measure of a stage that is done: 0 if it has no rows."""
        mark = self._mark(name)
        if mark is None:
            raise InternalError(f"the stage {name} is not done")
        return int(mark["measures"][measure])

    def clear(self) -> None:
        """Remove the folder and everything in it."""
        delete(self.spark, self.folder)
        self._done.clear()

    def _mark(self, name: str) -> dict[str, Any] | None:
        if name not in self._done and self._resumes and (mark := self._read(f"{name}.done")) is not None:
            if mark.pop("about") != self._about:
                problem = "holds the work of another search"
                raise StoreError(self.folder, problem, "name another folder, or remove this one")
            self._done[name] = mark
        return self._done.get(name)

    def _record(self, name: str, mark: dict[str, Any]) -> None:
        self._done[name] = mark
        if self._resumes:
            self._write(f"{name}.done", mark | {"about": self._about})

    def _read(self, name: str) -> dict[str, Any] | None:
        files, path = _hadoop(self.spark, f"{self.folder}/{name}")
        if not files.exists(path):
            return None
        stream = files.open(path)
        try:
            content: dict[str, Any] = json.loads(bytes(stream.readAllBytes()))
        finally:
            stream.close()
        return content

    def _write(self, name: str, content: dict[str, Any]) -> None:
        files, path = _hadoop(self.spark, f"{self.folder}/{name}")
        stream = files.create(path, True)
        try:
            stream.write(json.dumps(content).encode())
        finally:
            stream.close()


def delete(spark: SparkSession, folder: str) -> None:
    """Remove a folder and everything in it, on whatever file system it is."""
    files, path = _hadoop(spark, folder)
    files.delete(path, True)


def exists(spark: SparkSession, name: str) -> bool:
    """Say whether there is a file or folder, on whatever file system it is."""
    files, path = _hadoop(spark, name)
    return bool(files.exists(path))


def path_of(spark: SparkSession, name: str) -> str:
    """Return the absolute path of a file or folder, without the file system that it is on."""
    files, path = _hadoop(spark, name)
    return str(files.makeQualified(path).toUri().getPath())


def _hadoop(spark: SparkSession, name: str) -> tuple[Any, Any]:
    """Return a path and its file system as Hadoop's objects, which know S3, HDFS and the others."""
    jvm, context = spark._jvm, spark._jsc  # noqa: SLF001 — the only way to Hadoop's file systems
    path = jvm.org.apache.hadoop.fs.Path(name)  # type: ignore[union-attr]
    return path.getFileSystem(context.hadoopConfiguration()), path


@contextmanager
def batch_settings(spark: SparkSession) -> Iterator[None]:
    """Use batches of a suitable size; the session's own settings are restored afterwards."""
    before = {name: spark.conf.get(name, None) for name in _BATCHES}
    for name, value in _BATCHES.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, own in before.items():
            if own is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, own)


def partitions_for(spark: SparkSession, documents: int) -> int:
    """Return how many partitions documents go into: as many as configured, but no more than are worth a task."""
    configured = int(str(spark.conf.get("spark.sql.shuffle.partitions")))
    return min(configured, max(spark.sparkContext.defaultParallelism, -(-documents // _WORTH_A_TASK)))


# -- cells: rows that belong together ----------------------------------------------------------------------------------


def by_cells(
    rows: DataFrame, names: Sequence[str], partitions: int, work: Callable[[pa.Table], pa.Table], shape: Shape
) -> DataFrame:
    """Call `work` with blocks of whole cells; rows with equal values in the columns `names` are a cell.

    Spark puts all rows of a cell into one partition, sorted by cell. The functions of the engine take many cells in one
    call, so that small cells cost little.
    """
    together = rows.repartition(partitions, *names).sortWithinPartitions(*names)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in whole_cells(batches, names):
            yield from shaped(work(table), shape).to_batches(max_chunksize=ROWS_SENT)

    return together.mapInArrow(run, ddl(shape))


def whole_cells(batches: Iterator[pa.RecordBatch], names: Sequence[str], least: int = _BLOCK) -> Iterator[pa.Table]:
    """Yield tables of whole cells from batches sorted by cell; all but the last have at least `least` bytes.

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
    """Say for each row whether its cell differs from that of the row before; `before` is the previous batch, if any.

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


# -- columns that executors return -------------------------------------------------------------------------------------


def ddl(shape: Shape) -> str:
    """Return the columns as Spark reads them.

    >>> ddl({"a": "bigint", "b": "bigint"})
    'a bigint, b bigint'
    """
    return ", ".join(f"{name} {kind}" for name, kind in shape.items())


def shaped(table: pa.Table, shape: Shape) -> pa.Table:
    """Return the columns of a table that Spark expects, in order and with exactly these types."""
    import pyarrow as pa

    types: dict[str, pa.DataType] = {
        "bigint": pa.int64(),
        "int": pa.int32(),
        "double": pa.float64(),
        "boolean": pa.bool_(),
        "binary": pa.binary(),
        "string": pa.string(),
    }
    return table.select(list(shape)).cast(pa.schema([(name, types[kind]) for name, kind in shape.items()]))


def places(numbers: Any, of: Any) -> pa.Array[Any]:
    """Return where each number first occurs in a column.

    >>> import pyarrow as pa
    >>> places(pa.array([30, 10]), pa.array([10, 30, 30])).to_pylist()
    [1, 0]
    """
    import pyarrow as pa

    found = whole(compute().index_in(numbers, value_set=whole(of)))
    if found.null_count:
        raise InternalError(f"{found.null_count} documents of a cell are not in it")
    made: pa.Array[Any] = found.cast(pa.uint32())
    return made
