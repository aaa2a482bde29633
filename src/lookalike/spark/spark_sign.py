"""The documents: their columns, what a search keeps of each, their numbers, and their texts once more.

Executors sign the texts where they are; only the rows that are kept are shuffled. Documents are numbered in their order
(`ORDER`), just as `find` numbers documents given in that order. Verification reads some texts a second time, and
notices those that have changed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from pyspark import TaskContext
from pyspark.sql import functions as F  # noqa: N812 — its usual name
from pyspark.sql import types as T  # noqa: N812

from lookalike.documents.table_columns import BYTES, INTEGER, NESTED, OTHER, TEXT, Choice, TableColumn, choose
from lookalike.engine.stages import sign_rows
from lookalike.errors import DocumentError, DuplicateIdError, RecipeError, suggest
from lookalike.spark.work import begins_cell, partitions_for
from lookalike.tables.columns import compute
from lookalike.tables.packed import Texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame

    from lookalike.engine import Strategy
    from lookalike.spark.work import Work

__all__ = [
    "CollectionSize",
    "TextStore",
    "check_texts",
    "choose_columns",
    "columns_by_name",
    "combined",
    "fingerprint",
    "hashed",
    "in_order",
    "number_from_zero",
    "numbered",
    "quoted",
    "selected",
    "signed_documents",
    "size_of",
]

ORDER: Final = ("old", "place", "id")
"""What determines the numbers of documents: new before old, then the column of the order, then the id."""
FEW: Final = 1_000_000
"""Rows that one task sorts, or that are sent to all executors."""
_SIGNED: Final = "length bigint, text_hash binary, digest binary, keys array<bigint>, slots binary"
_REQUIRED: Final = {"text_hash": "text", "id": "id", "place": "order"}
"""Columns that must not be null, and what errors call them."""
_NAME: Final = "the DataFrame"
_TEXT_NAMES: Final = ("text",)
"""No other name is taken for that of the texts if there are several columns of text: a long job must not guess."""


# -- columns -----------------------------------------------------------------------------------------------------------


def choose_columns(df: DataFrame, text: str | None, id_column: str | None) -> Choice:
    """Choose the columns of the texts and the ids by the rules for all tables."""
    columns = _columns(df)
    choice = choose(_NAME, columns, text, id_column, _TEXT_NAMES)
    if choice.id is None:
        remedy = "name it (id=): the number of a row is not stable on a cluster"
        raise DocumentError(None, "the column of ids", "is missing in the DataFrame", remedy)
    by_name = {column.name: column for column in columns}
    if by_name[choice.text].kind != TEXT:
        problem = f"holds {by_name[choice.text].type}, not text"
        raise DocumentError(_NAME, f"column {choice.text!r}", problem, "decode it first, or name another (text=)")
    if by_name[choice.id].kind not in (TEXT, INTEGER):
        problem = f"holds {by_name[choice.id].type}"
        raise DocumentError(_NAME, f"column {choice.id!r}", problem, "use strings or whole numbers as ids")
    return choice


def columns_by_name(df: DataFrame, text: str | None, id_column: str | None) -> Choice:
    """Choose as `choose_columns` does, but allow rows without ids."""
    return choose(_NAME, _columns(df), text, id_column, _TEXT_NAMES)


def _columns(df: DataFrame) -> list[TableColumn]:
    return [TableColumn(field.name, _kind(field.dataType), field.dataType.simpleString()) for field in df.schema]


def selected(df: DataFrame, choice: Choice, order: str | None, *, old: bool) -> DataFrame:
    """Return the columns `old`, `place` (if there is an order), `id` and `text`."""
    if order is not None and order not in df.columns:
        raise RecipeError("order", order, f"a column of {_NAME}", suggest(order, df.columns))
    own = F.col(quoted(str(choice.id)))
    if not isinstance(df.schema[str(choice.id)].dataType, T.StringType):
        own = own.cast("bigint")
    place: list[Expression] = [] if order is None else [F.col(quoted(order)).alias("place")]
    return df.select(F.lit(old).alias("old"), *place, own.alias("id"), F.col(quoted(choice.text)).alias("text"))


def combined(new: DataFrame, old: DataFrame | None) -> DataFrame:
    """Return new and old documents as one DataFrame; their ids must have the same type."""
    if old is None:
        return new
    kinds = [df.schema["id"].dataType for df in (new, old)]
    if kinds[0] != kinds[1]:
        problem = f"are {kinds[1].simpleString()}, but those of the new documents are {kinds[0].simpleString()}"
        raise DocumentError("against", "ids", problem, "cast both to string")
    return new.unionByName(old)


def in_order(columns: Sequence[str]) -> list[str]:
    """Return the columns that documents are sorted by."""
    return [name for name in ORDER if name in columns]


def quoted(name: str) -> str:
    """Return the name of a column as Spark takes it, whatever characters it contains."""
    return "`" + name.replace("`", "``") + "`"


def _kind(of: T.DataType) -> str:
    if isinstance(of, T.StringType):
        return TEXT
    if isinstance(of, T.BinaryType):
        return BYTES
    if isinstance(of, T.ByteType | T.ShortType | T.IntegerType | T.LongType):
        return INTEGER
    nested: Any = (T.StructType, T.ArrayType, T.MapType)
    return NESTED if isinstance(of, nested) else OTHER


# -- signatures --------------------------------------------------------------------------------------------------------


def signed_documents(documents: DataFrame, strategy: Strategy, work: Work) -> DataFrame:
    """Return the documents with what is kept of their texts in place of the texts; count them on the way.

    `text_hash` is the SHA-256 of the text, or null if there is no text: it identifies equal texts, and texts that have
    changed, without reading the first one again.
    """
    kept = T.StructType([field for field in documents.schema if field.name != "text"])
    added: Any = T.StructType.fromDDL(_SIGNED)

    def sign(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield _sign_batch(batch, strategy)

    signed = documents.mapInArrow(sign, T.StructType(kept.fields + added.fields))
    return work.stage("signed", lambda: signed, **_counts(signed.columns), **_hash_sums(signed.columns))


def _sign_batch(batch: pa.RecordBatch, strategy: Strategy) -> pa.RecordBatch:
    import pyarrow as pa

    given: Any = batch.column(batch.schema.get_field_index("text"))
    texts = Texts.from_arrow(compute().fill_null(given, ""))
    rows = sign_rows(texts, strategy, threads=1)  # Spark runs a task on each core
    columns = {name: column for name, column in zip(batch.schema.names, batch.columns, strict=True) if name != "text"}
    columns |= {
        "length": rows.column("length").cast(pa.int64()),
        "text_hash": _hashes(texts, given.is_valid().to_pylist()),
        "digest": rows.column("digest").cast(pa.binary()),
        "keys": _as_lists(rows.column("keys")),
        "slots": rows.column("slots").cast(pa.binary()),
    }
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))


def _hashes(texts: Texts, valid: Sequence[bool]) -> pa.Array[Any]:
    import pyarrow as pa

    data, offsets = texts.data, texts.places.tolist()
    first = offsets[0] if offsets else 0
    spans = pairwise(offset - first for offset in offsets)
    made = [hashlib.sha256(data[i:j]).digest() if own else None for own, (i, j) in zip(valid, spans, strict=True)]
    return pa.array(made, pa.binary())


def _as_lists(keys: Any) -> pa.Array[Any]:
    """Return keys in a type that Spark knows: it has neither unsigned numbers nor lists of a fixed length."""
    import pyarrow as pa

    bands = keys.type.list_size
    offsets = pa.array(range(0, bands * len(keys) + 1, bands), pa.int32())
    made: pa.Array[Any] = pa.ListArray.from_arrays(offsets, keys.flatten().view(pa.int64()))
    return made


# -- counts and checks -------------------------------------------------------------------------------------------------


def hashed(documents: DataFrame) -> DataFrame:
    """Return what `signed_documents` would, without signatures: enough for `size_of` and `fingerprint`."""
    kept = [F.col(name) for name in documents.columns if name != "text"]
    return documents.select(
        *kept, F.length("text").cast("bigint").alias("length"), F.unhex(F.sha2("text", 256)).alias("text_hash")
    )


@dataclass(frozen=True, slots=True)
class CollectionSize:
    """How large a collection is."""

    documents: int
    characters: int


def _counts(columns: Sequence[str]) -> dict[str, Expression]:
    return {
        "documents": F.count(F.lit(1)),
        "characters": F.sum("length"),
        **{f"with_{name}": F.count(name) for name in _REQUIRED if name in columns},
    }


def _hash_sums(columns: Sequence[str]) -> dict[str, Expression]:
    """Return aggregates of ids and texts that do not depend on the order of the rows."""
    own = F.xxhash64(*(name for name in (*ORDER, "text_hash") if name in columns))
    return {"mixed": F.bit_xor(own), "total": F.sum(F.shiftright(own, 32))}


def _aggregated(rows: DataFrame, measures: dict[str, Expression]) -> dict[str, int]:
    seen = rows.agg(*(measure.alias(name) for name, measure in measures.items())).first()
    return {name: int((seen[name] if seen is not None else 0) or 0) for name in measures}


def size_of(signed: DataFrame, work: Work | None = None) -> CollectionSize:
    """Return the size of a collection; a document without a text, an id or a place is an error that names it.

    `work` counted the documents when they were signed; without it they are counted now.
    """
    counts = _counts(signed.columns)
    seen = _aggregated(signed, counts) if work is None else {name: work.measured("signed", name) for name in counts}
    for name, said in _REQUIRED.items():
        if missing := seen["documents"] - seen.get(f"with_{name}", seen["documents"]):
            one = signed.where(F.col(name).isNull()).orderBy("id").select("id").first()
            others = f" ({missing:,} rows)" if missing > 1 else ""
            remedy = "filter such rows out: df.where(df.text.isNotNull())" if said == "text" else "give every row one"
            raise DocumentError(one["id"] if one else None, said, f"is null{others}", remedy)
    return CollectionSize(seen["documents"], seen["characters"])


def fingerprint(signed: DataFrame, work: Work | None = None) -> list[int]:
    """Return numbers that distinguish these documents from others; `work` as in `size_of`."""
    sums = {"documents": F.count(F.lit(1))} | _hash_sums(signed.columns)
    if work is not None:
        return [work.measured("signed", name) for name in sums]
    return list(_aggregated(signed, sums).values())


# -- numbers -----------------------------------------------------------------------------------------------------------


def numbered(signed: DataFrame, documents: int, work: Work) -> DataFrame:
    """Return the signed documents, each with a `number` that grows in their order; equal ids are an error.

    The high bits of a number are its sorted partition and the low bits the row there. So there are gaps, but every task
    knows the numbers of its rows without anything being counted first.
    """
    by = in_order(signed.columns)
    if "place" in by:  # documents with equal ids need not be neighbours then
        _refuse_repeated(signed.groupBy("old", "id").count().where("count > 1"))
    number = F.shiftleft(F.col("partition").cast("bigint"), 32) + F.col("row")
    partitions = partitions_for(work.spark, documents)
    rows = work.stage(
        "rows",
        lambda: _sorted_rows(signed, by, partitions).withColumn("number", number).drop("partition", "row"),
        repeated=F.count_if("repeats"),
    )
    if work.measured("rows", "repeated"):
        _refuse_repeated(rows.where("repeats"))
    return rows.drop("repeats")


def _refuse_repeated(documents: DataFrame) -> None:
    one = documents.orderBy("old", "id").select("id").first()
    if one is not None:
        raise DuplicateIdError(one["id"])


def number_from_zero(rows: DataFrame, by: str, count: int, name: str, stage: str, work: Work) -> DataFrame:
    """Return `count` rows with a column `name` that numbers them 0, 1, 2 … by a column of unique values."""
    partitions = 1 if count <= FEW else partitions_for(work.spark, count)
    ordered = work.stage(stage, lambda: _sorted_rows(rows, [by], partitions).drop("repeats"))
    if partitions == 1:
        return ordered.withColumnRenamed("row", name).drop("partition")
    sizes = sorted((row["partition"], row["count"]) for row in ordered.groupBy("partition").count().collect())
    starts, total = [], 0
    for partition, size in sizes:
        starts.append((partition, total))
        total += size
    first = work.spark.createDataFrame(starts, "partition int, start bigint")
    made = ordered.join(F.broadcast(first), "partition").withColumn(name, F.col("start") + F.col("row"))
    return made.drop("partition", "row", "start")


def _sorted_rows(rows: DataFrame, by: Sequence[str], partitions: int) -> DataFrame:
    """Return sorted rows with the `partition` and `row` of each, and whether it `repeats` the row before.

    It does if both have the same values in `by`, apart from `place`, which may be of any type.
    """
    together = rows.coalesce(1) if partitions == 1 else rows.repartitionByRange(partitions, *by)
    ordered = together.sortWithinPartitions(*by)
    compared = [name for name in by if name != "place"]
    added: Any = T.StructType.fromDDL("partition int, row bigint, repeats boolean")

    def locate(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from _located(batches, compared)

    return ordered.mapInArrow(locate, T.StructType(ordered.schema.fields + added.fields))


def _located(batches: Iterator[pa.RecordBatch], compared: Sequence[str]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    context = TaskContext.get()
    partition = context.partitionId() if context is not None else 0
    start = 0
    before: pa.RecordBatch | None = None
    for batch in batches:
        if not batch.num_rows:
            continue
        end = start + batch.num_rows
        added: list[Any] = [
            pa.array([partition] * batch.num_rows, pa.int32()),
            pa.array(range(start, end), pa.int64()),
            compute().invert(begins_cell(before, batch, compared)),
        ]
        names = [*batch.schema.names, "partition", "row", "repeats"]
        yield pa.RecordBatch.from_arrays([*batch.columns, *added], names=names)
        start, before = end, batch.slice(batch.num_rows - 1)


# -- texts, once more --------------------------------------------------------------------------------------------------


class TextStore:
    """The documents as they were given, and the numbers they have."""

    def __init__(self, documents: DataFrame, rows: DataFrame) -> None:
        """Take the documents (`old`, `id`, `text`) and their numbered rows."""
        self.documents, self._rows = documents, rows

    def of(self, wanted: DataFrame, most: int) -> DataFrame:
        """Add to rows with a `number` the `text` of the document, and the `text_hash` that it should have.

        `most` is an upper bound of the number of rows: few are sent to all executors, so that no other text moves.
        """
        known = self._rows.select("number", "old", "id", "text_hash")
        named = known.join(wanted, "number")
        if most <= FEW:
            named = F.broadcast(named)
        return self.documents.select("old", "id", "text").join(named, ["old", "id"])


def check_texts(table: pa.Table) -> None:
    """Refuse texts that are not those that were signed."""
    columns = (table[name].to_pylist() for name in ("id", "text", "text_hash"))
    for own, text, expected in zip(*columns, strict=True):
        if hashlib.sha256(text.encode()).digest() != expected:
            problem = "has changed since it was signed"
            raise DocumentError(own, "text", problem, "search again, with documents that do not change meanwhile")
