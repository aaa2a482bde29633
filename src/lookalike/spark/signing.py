"""The first read: what a search keeps of each document, and the number that it has in the collection.

Executors sign the texts where they are; nothing is shuffled but the rows that are kept. Documents are numbered in their
order (`columns.ORDER`), as `find` numbers them when they are given in that order. A number is the place in a sorted
partition plus the rows of the partitions before it, so it depends on the documents alone.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pyspark import TaskContext
from pyspark.sql import functions as F  # noqa: N812 — as everybody calls it
from pyspark.sql import types as T  # noqa: N812

from lookalike.engine.stages import sign_rows
from lookalike.errors import DocumentError, DuplicateIdError
from lookalike.spark.columns import ORDER
from lookalike.spark.work import parts_of
from lookalike.tables.number_columns import compute
from lookalike.tables.packed import Texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from lookalike.engine.strategy import Strategy
    from lookalike.spark.work import Work

__all__ = ["Facts", "facts_of", "fingerprint", "hashed", "in_order", "numbered", "ranked", "sign_documents"]

_SIGNED = "length bigint, text_hash binary, digest binary, keys array<bigint>, slots binary"


# -- signing -----------------------------------------------------------------------------------------------------------


def sign_documents(documents: DataFrame, strategy: Strategy) -> DataFrame:
    """Return the documents with what is kept of their texts instead of the texts.

    `text_hash` is the SHA-256 of the text, null where there is none: it tells equal texts without reading them again,
    and texts that have changed.
    """
    kept = T.StructType([field for field in documents.schema if field.name != "text"])
    added: Any = T.StructType.fromDDL(_SIGNED)

    def sign(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield _sign_batch(batch, strategy)

    return documents.mapInArrow(sign, T.StructType(kept.fields + added.fields))


def _sign_batch(batch: pa.RecordBatch, strategy: Strategy) -> pa.RecordBatch:
    import pyarrow as pa

    given: Any = batch.column(batch.schema.get_field_index("text"))
    texts = Texts.from_arrow(compute().fill_null(given, ""))
    rows = sign_rows(texts, strategy, threads=1)  # Spark runs a task for each core
    columns = {name: column for name, column in zip(batch.schema.names, batch.columns, strict=True) if name != "text"}
    columns |= {
        "length": rows.column("length").cast(pa.int64()),
        "text_hash": _hashes(texts, given.is_valid().to_pylist()),
        "digest": rows.column("digest").cast(pa.binary()),
        "keys": _as_lists(rows.column("keys")),
        "slots": rows.column("slots").cast(pa.binary()),
    }
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))


def _hashes(texts: Texts, there: Sequence[bool]) -> pa.Array[Any]:
    import pyarrow as pa

    data, places = texts.data, texts.places.tolist()
    first = places[0] if places else 0
    spans = pairwise(place - first for place in places)
    made = [hashlib.sha256(data[i:j]).digest() if own else None for own, (i, j) in zip(there, spans, strict=True)]
    return pa.array(made, pa.binary())


def _as_lists(keys: Any) -> pa.Array[Any]:
    """Return keys as Spark has them: it knows no numbers without a sign, and no lists of a fixed length."""
    import pyarrow as pa

    bands = keys.type.list_size
    offsets = pa.array(range(0, bands * len(keys) + 1, bands), pa.int32())
    made: pa.Array[Any] = pa.ListArray.from_arrays(offsets, keys.flatten().view(pa.int64()))
    return made


# -- what is known after it --------------------------------------------------------------------------------------------


def hashed(documents: DataFrame) -> DataFrame:
    """Return what `sign_documents` gives, without what has to be signed: enough for `facts_of` and `fingerprint`."""
    kept = [F.col(name) for name in documents.columns if name != "text"]
    return documents.select(
        *kept, F.length("text").cast("bigint").alias("length"), F.unhex(F.sha2("text", 256)).alias("text_hash")
    )


@dataclass(frozen=True, slots=True)
class Facts:
    """How large a collection is."""

    documents: int
    characters: int
    old_from: int | None
    """How many documents are new, if there are old ones."""


def facts_of(signed: DataFrame, *, against: bool) -> Facts:
    """Count the documents; one without a text, an id or a place, or two with one id, is an error that names it."""
    needed = {"text_hash": "text", "id": "id"} | ({"place": "order"} if "place" in signed.columns else {})
    seen = signed.agg(
        F.count(F.lit(1)).alias("documents"),
        F.coalesce(F.sum("length"), F.lit(0)).alias("characters"),
        F.count_if(~F.col("old")).alias("new"),
        *(F.count(name).alias(f"with_{name}") for name in needed),
    ).first()
    assert seen is not None  # noqa: S101 — an aggregate has one row
    for name, said in needed.items():
        if missing := seen["documents"] - seen[f"with_{name}"]:
            one = signed.where(F.col(name).isNull()).orderBy("id").select("id").first()
            others = f" ({missing:,} rows)" if missing > 1 else ""
            remedy = "leave such rows out: df.where(df.text.isNotNull())" if said == "text" else "give every row one"
            raise DocumentError(one["id"] if one else None, said, f"is null{others}", remedy)
    twice = signed.groupBy("old", "id").count().where("count > 1").orderBy("old", "id").select("id").first()
    if twice is not None:
        raise DuplicateIdError(twice["id"])
    return Facts(seen["documents"], int(seen["characters"]), int(seen["new"]) if against else None)


def fingerprint(signed: DataFrame) -> list[int]:
    """Return numbers that tell these documents from others: how many they are, and their ids and texts in any order."""
    names = [name for name in (*ORDER, "text_hash") if name in signed.columns]
    own = F.xxhash64(*names)
    seen = signed.agg(F.count(F.lit(1)), F.bit_xor(own), F.sum(F.shiftright(own, 32))).first()
    return [int(value or 0) for value in seen] if seen is not None else []


# -- numbers -----------------------------------------------------------------------------------------------------------


def in_order(columns: Sequence[str]) -> list[str]:
    """Return the columns that documents are ordered by."""
    return [name for name in ORDER if name in columns]


def numbered(signed: DataFrame, work: Work) -> DataFrame:
    """Return the signed documents with their numbers."""
    return ranked(signed, in_order(signed.columns), "number", "rows", work)


def ranked(rows: DataFrame, by: Sequence[str], name: str, stage: str, work: Work) -> DataFrame:
    """Return rows with a column `name` that counts them from 0, in the order of the columns `by`; no two are equal."""
    parts = parts_of(work.spark)

    def place() -> DataFrame:
        ordered = rows.repartitionByRange(parts, *by).sortWithinPartitions(*by)
        added: Any = T.StructType.fromDDL("part int, row bigint")
        return ordered.mapInArrow(_place_rows, T.StructType(ordered.schema.fields + added.fields))

    placed = work.stage(stage, place)
    counts = sorted((row["part"], row["count"]) for row in placed.groupBy("part").count().collect())
    starts, total = [], 0
    for part, count in counts:
        starts.append((part, total))
        total += count
    begins = work.spark.createDataFrame(starts, "part int, start bigint")
    made = placed.join(F.broadcast(begins), "part").withColumn(name, F.col("start") + F.col("row"))
    return made.drop("part", "row", "start")


def _place_rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Add the number of the partition, and the place of each row in it."""
    import pyarrow as pa

    context = TaskContext.get()
    part = context.partitionId() if context is not None else 0
    start = 0
    for batch in batches:
        end = start + batch.num_rows
        places: list[Any] = [pa.array([part] * batch.num_rows, pa.int32()), pa.array(range(start, end), pa.int64())]
        yield pa.RecordBatch.from_arrays([*batch.columns, *places], names=[*batch.schema.names, "part", "row"])
        start = end
