"""The work folder: what each stage found is written once, as Parquet, and read by the next.

A stage that is written is never computed again, so nothing depends on whether Spark would compute it twice in the same
way. A folder that outlives the job also lets the next run go on: a stage is done when its mark is there, and that is
written behind it. The mark names the search; a folder of another search is refused.
"""

from __future__ import annotations

import json
import tempfile
import weakref
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import Observation
from pyspark.sql import types as T  # noqa: N812

from lookalike.errors import RecipeError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["Work", "batch_settings", "delete", "parts_of"]

_BATCHES: Final = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "4096",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(64 << 20),
}
"""A batch of texts must fit a column of Arrow, which has 2 GiB, and several of them a worker."""

PART: Final = 5000
"""Documents that are worth a task of their own."""


class Work:
    """A folder for the stages of one search."""

    def __init__(self, spark: SparkSession, folder: str | None, about: str) -> None:
        """Take the folder, or make one; `about` tells this search from others."""
        self.spark, self._about = spark, about
        self._done: dict[str, dict[str, Any]] = {}
        self.resumes = folder is not None
        self.folder = folder.rstrip("/") if folder is not None else self._temporary()

    def _temporary(self) -> str:
        master = str(self.spark.conf.get("spark.master"))
        if not master.startswith("local"):
            raise RecipeError("work", None, "a folder that every machine of the cluster can read and write")
        folder = tempfile.TemporaryDirectory(prefix="lookalike-spark-", ignore_cleanup_errors=True)
        weakref.finalize(self.spark, folder.cleanup)  # DataFrames that read from it may outlive the search
        return Path(folder.name).as_uri()

    def stage(self, name: str, make: Callable[[], DataFrame], **measures: Column) -> DataFrame:
        """Return what a stage found: from its files if it is done, else made and written now.

        `measures` are aggregates of its rows, whole numbers, which `measured` returns. They are taken while the rows
        are written, so that they need no job of their own, and kept with the mark.
        """
        path = f"{self.folder}/{name}"
        found = self.mark(name)
        if found is None:
            made = make()
            found = {"schema": made.schema.jsonValue(), "measures": {}}
            seen = Observation()
            if measures:
                made = made.observe(seen, *(measure.alias(own) for own, measure in measures.items()))
            made.write.mode("overwrite").parquet(path)
            if measures:
                found["measures"] = {own: int(value or 0) for own, value in seen.get.items()}
            self.record(name, found)
        return self.spark.read.schema(T.StructType.fromJson(found["schema"])).parquet(path)

    def measured(self, name: str, measure: str) -> int:
        """Return what was measured while a stage was written: 0 if it has no rows."""
        found = self.mark(name)
        assert found is not None  # noqa: S101 — asked for after the stage only
        return int(found["measures"][measure])

    def mark(self, name: str) -> dict[str, Any] | None:
        """Return what was recorded with a stage that is done; None if it is not."""
        if name not in self._done and self.resumes and (found := self._read(f"{name}.done")) is not None:
            if found.pop("about") != self._about:
                problem = "has the work of another search"
                raise StoreError(self.folder, problem, "name another folder, or remove this one")
            self._done[name] = found
        return self._done.get(name)

    def record(self, name: str, found: dict[str, Any]) -> None:
        """Say that a stage is done."""
        self._done[name] = found
        if self.resumes:
            self._write(f"{name}.done", found | {"about": self._about})

    def clear(self) -> None:
        """Remove the folder with all that is in it."""
        delete(self.spark, self.folder)
        self._done.clear()

    def _read(self, name: str) -> dict[str, Any] | None:
        files, path = _hadoop(self.spark, f"{self.folder}/{name}")
        if not files.exists(path):
            return None
        stream = files.open(path)
        try:
            found: dict[str, Any] = json.loads(bytes(stream.readAllBytes()))
        finally:
            stream.close()
        return found

    def _write(self, name: str, found: dict[str, Any]) -> None:
        files, path = _hadoop(self.spark, f"{self.folder}/{name}")
        stream = files.create(path, True)
        try:
            stream.write(json.dumps(found).encode())
        finally:
            stream.close()


@contextmanager
def batch_settings(spark: SparkSession) -> Iterator[None]:
    """Use batches of a good size; the settings of the session are put back afterwards."""
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


def parts_of(spark: SparkSession, documents: int) -> int:
    """Return into how many partitions documents go: what is configured, but not more than are worth a task."""
    configured = int(str(spark.conf.get("spark.sql.shuffle.partitions")))
    return min(configured, max(spark.sparkContext.defaultParallelism, -(-documents // PART)))


def delete(spark: SparkSession, folder: str) -> None:
    """Remove a folder with all that is in it, wherever it is."""
    files, path = _hadoop(spark, folder)
    files.delete(path, True)


def _hadoop(spark: SparkSession, name: str) -> tuple[Any, Any]:
    """Return the file system of a path and the path, as Hadoop has them: it knows S3, HDFS and the others."""
    jvm, context = spark._jvm, spark._jsc  # noqa: SLF001 — the only door to Hadoop's file systems
    path = jvm.org.apache.hadoop.fs.Path(name)  # type: ignore[union-attr]
    return path.getFileSystem(context.hadoopConfiguration()), path
