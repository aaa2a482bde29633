"""What a job reads: Parquet by the executors, everything else by the readers of `scan`, on the driver.

Either way documents have the ids and the order that `lookalike scan` gives them, so its groups are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pyspark.sql import functions as F  # noqa: N812 — as everybody calls it

from lookalike.errors import DocumentError
from lookalike.spark.columns import named

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from lookalike.documents import Source

__all__ = ["Input", "holds_parquet", "read_by_driver", "read_parquet"]

_ID, _TEXT, _PLACE = "id", "text", "lookalike_place"
_CHUNK: Final = 128 << 20
"""Bytes of text that the driver hands over at a time."""


class Input(NamedTuple):
    """Documents, and the columns that they are in."""

    df: DataFrame
    text: str
    id: str
    order: str | None


def holds_parquet(spark: SparkSession, path: str) -> bool:
    """Say whether all files of a path are Parquet; those that begin with _ or a dot do not count, as everywhere."""
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(path).select("path")
    seen = files.agg(F.count(F.lit(1)), F.count_if(F.lower("path").endswith(".parquet"))).first()
    return seen is not None and seen[0] > 0 and seen[0] == seen[1]


def read_parquet(spark: SparkSession, path: str, text: str | None, own_id: str | None, order: str | None) -> Input:
    """Let the executors read Parquet; rows are in the order of files and of the rows in them, unless one is named."""
    df = spark.read.option("recursiveFileLookup", "true").parquet(path)
    choice = named(df, text, own_id)
    if order is None:
        place = F.struct(F.col("_metadata.file_path"), F.col("_metadata.row_index"))
        df = df.select("*", place.alias(_PLACE))
    return Input(df, choice.text, str(choice.id), order or _PLACE)


def read_by_driver(spark: SparkSession, source: Source, folder: str) -> Input:
    """Read documents on the driver, and write them to a folder as Parquet, for the executors."""
    import pyarrow as pa

    held: list[pa.Table] = []
    place, mode = 0, "overwrite"

    def write() -> None:
        nonlocal mode
        spark.createDataFrame(pa.concat_tables(held)).write.mode(mode).parquet(folder)
        held.clear()
        mode = "append"

    for batch in source.batches():
        places = pa.array(range(place, place + len(batch)), pa.int64())
        held.append(pa.table({_ID: batch.ids.to_arrow(), _TEXT: batch.texts.to_arrow(), _PLACE: places}))
        place += len(batch)
        if sum(table.nbytes for table in held) >= _CHUNK:
            write()
    if held:
        write()
    if not place:
        raise DocumentError(source.name, "file", "holds no document that can be read", "name another path")
    return Input(spark.read.parquet(folder), _TEXT, _ID, _PLACE)
