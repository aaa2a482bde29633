"""The first read: what a search keeps of each document, and the number that it has in the collection.

Executors sign the texts where they are; nothing is shuffled but the rows that are kept. Documents are numbered in their
order (`columns.ORDER`), as `find` numbers them when they are given in that order. A number is the place in a sorted
partition plus the rows of the partitions before it, so it depends on the documents alone.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from pyspark import TaskContext
from pyspark.sql import functions as F  # noqa: N812 — as everybody calls it
from pyspark.sql import types as T  # noqa: N812

from lookalike.engine.stages import sign_rows
from lookalike.errors import DocumentError, DuplicateIdError
from lookalike.spark.cells import begins_cell
from lookalike.spark.columns import ORDER
from lookalike.spark.work import parts_of
from lookalike.tables.columns import compute
from lookalike.tables.packed import Texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

    from lookalike.engine.strategy import Strategy
    from lookalike.spark.work import Work

__all__ = ["Facts", "facts_of", "fingerprint", "hashed", "in_order", "numbered", "ranked", "signed_documents"]

_SIGNED = "length bigint, text_hash binary, digest binary, keys array<bigint>, slots binary"
_NEEDED: Final = {"text_hash": "text", "id": "id", "place": "order"}
"""Columns without nulls, and what they are made of."""
FEW: Final = 1_000_000
"""Rows that one task sorts."""


# -- signing -----------------------------------------------------------------------------------------------------------


def signed_documents(documents: DataFrame, strategy: Strategy, work: Work) -> DataFrame:
    """Return the documents with what is kept of their texts instead of the texts; they are counted on the way.

    `text_hash` is the SHA-256 of the text, null where there is none: it tells equal texts without reading them again,
    and texts that have changed.
    """
    kept = T.StructType([field for field in documents.schema if field.name != "text"])
    added: Any = T.StructType.fromDDL(_SIGNED)

    def sign(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield _sign_batch(batch, strategy)

    signed = documents.mapInArrow(sign, T.StructType(kept.fields + added.fields))
    return work.stage("signed", lambda: signed, **_counts(signed.columns), **_marks(signed.columns))


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


def _counts(columns: Sequence[str]) -> dict[str, Column]:
    """Return how `facts_of` counts signed documents."""
    return {
        "documents": F.count(F.lit(1)),
        "characters": F.sum("length"),
        **{f"with_{name}": F.count(name) for name in _NEEDED if name in columns},
    }


def _marks(columns: Sequence[str]) -> dict[str, Column]:
    """Return what tells documents from others: their ids and texts, in any order."""
    own = F.xxhash64(*(name for name in (*ORDER, "text_hash") if name in columns))
    return {"mixed": F.bit_xor(own), "total": F.sum(F.shiftright(own, 32))}


def _aggregated(rows: DataFrame, measures: dict[str, Column]) -> dict[str, int]:
    seen = rows.agg(*(measure.alias(name) for name, measure in measures.items())).first()
    return {name: int((seen[name] if seen is not None else 0) or 0) for name in measures}


def facts_of(signed: DataFrame, work: Work | None = None) -> Facts:
    """Return how many documents there are; one without a text, an id or a place is an error that names it.

    `work` has counted them while they were signed; without it they are counted now.
    """
    counts = _counts(signed.columns)
    seen = _aggregated(signed, counts) if work is None else {name: work.measured("signed", name) for name in counts}
    for name, said in _NEEDED.items():
        if missing := seen["documents"] - seen.get(f"with_{name}", seen["documents"]):
            one = signed.where(F.col(name).isNull()).orderBy("id").select("id").first()
            others = f" ({missing:,} rows)" if missing > 1 else ""
            remedy = "leave such rows out: df.where(df.text.isNotNull())" if said == "text" else "give every row one"
            raise DocumentError(one["id"] if one else None, said, f"is null{others}", remedy)
    return Facts(seen["documents"], seen["characters"])


def fingerprint(signed: DataFrame, work: Work | None = None) -> list[int]:
    """Return numbers that tell these documents from others, counted as those of `facts_of` are."""
    marks = {"documents": F.count(F.lit(1))} | _marks(signed.columns)
    if work is not None:
        return [work.measured("signed", name) for name in marks]
    return list(_aggregated(signed, marks).values())


# -- numbers -----------------------------------------------------------------------------------------------------------


def in_order(columns: Sequence[str]) -> list[str]:
    """Return the columns that documents are ordered by."""
    return [name for name in ORDER if name in columns]


def numbered(signed: DataFrame, documents: int, work: Work) -> DataFrame:
    """Return the signed documents with a `number` each, which grows in their order; two with one id are an error.

    A number is that of a sorted partition, and behind it the place there. So numbers are not without gaps, but nothing
    has to be counted, and each is known where its row is.
    """
    by = in_order(signed.columns)
    if "place" in by:  # then documents with one id need not be neighbours
        twice = signed.groupBy("old", "id").count().where("count > 1")
        _refuse(twice)
    number = F.shiftleft(F.col("part").cast("bigint"), 32) + F.col("row")

    def place() -> DataFrame:
        return _placed(signed, by, parts_of(work.spark, documents)).withColumn("number", number).drop("part", "row")

    rows = work.stage("rows", place, repeated=F.count_if("repeats"))
    if work.measured("rows", "repeated"):
        _refuse(rows.where("repeats"))
    return rows.drop("repeats")


def _refuse(twice: DataFrame) -> None:
    """Refuse documents whose ids others have too; name the first."""
    one = twice.orderBy("old", "id").select("id").first()
    if one is not None:
        raise DuplicateIdError(one["id"])


def ranked(rows: DataFrame, by: str, count: int, name: str, stage: str, work: Work) -> DataFrame:
    """Return `count` rows with a column `name` that counts them from 0, in the order of a column; no two are equal."""
    parts = 1 if count <= FEW else parts_of(work.spark, count)
    placed = work.stage(stage, lambda: _placed(rows, [by], parts).drop("repeats"))
    if parts == 1:
        return placed.withColumnRenamed("row", name).drop("part")
    counts = sorted((row["part"], row["count"]) for row in placed.groupBy("part").count().collect())
    starts, total = [], 0
    for part, those in counts:
        starts.append((part, total))
        total += those
    begins = work.spark.createDataFrame(starts, "part int, start bigint")
    made = placed.join(F.broadcast(begins), "part").withColumn(name, F.col("start") + F.col("row"))
    return made.drop("part", "row", "start")


def _placed(rows: DataFrame, by: Sequence[str], parts: int) -> DataFrame:
    """Return rows, sorted, with the number of their `part`, their place (`row`) in it, and whether one `repeats`.

    That is so if the row before it has the same values in `by`, `place` aside.
    """
    together = rows.coalesce(1) if parts == 1 else rows.repartitionByRange(parts, *by)
    ordered = together.sortWithinPartitions(*by)
    same = [name for name in by if name != "place"]  # which may be of any type
    added: Any = T.StructType.fromDDL("part int, row bigint, repeats boolean")

    def place(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from _place_rows(batches, same)

    return ordered.mapInArrow(place, T.StructType(ordered.schema.fields + added.fields))


def _place_rows(batches: Iterator[pa.RecordBatch], same: Sequence[str]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    context = TaskContext.get()
    part = context.partitionId() if context is not None else 0
    start = 0
    before: pa.RecordBatch | None = None
    for batch in batches:
        if not batch.num_rows:
            continue
        end = start + batch.num_rows
        added: list[Any] = [
            pa.array([part] * batch.num_rows, pa.int32()),
            pa.array(range(start, end), pa.int64()),
            compute().invert(begins_cell(before, batch, same)),
        ]
        names = [*batch.schema.names, "part", "row", "repeats"]
        yield pa.RecordBatch.from_arrays([*batch.columns, *added], names=names)
        start, before = end, batch.slice(batch.num_rows - 1)
