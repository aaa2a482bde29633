"""The columns of a DataFrame that hold the texts, the ids and the order, under names of our own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import functions as F  # noqa: N812 — as everybody calls it
from pyspark.sql import types as T  # noqa: N812

from lookalike.checks import suggest
from lookalike.documents.columns import BYTES, INTEGER, NESTED, OTHER, TEXT, Choice, Column, choose
from lookalike.errors import DocumentError, RecipeError

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame

__all__ = ["ORDER", "chosen", "named", "put_together", "quoted"]

ORDER: Final = ("old", "place", "id")
"""What documents are numbered by: old ones behind the new ones, then by the column of the order, then by their ids."""

_NAME: Final = "the DataFrame"


def named(df: DataFrame, text: str | None, own_id: str | None) -> Choice:
    """Choose the columns of the texts and the ids, by the rules of every other table."""
    columns = [Column(field.name, _kind(field.dataType), field.dataType.simpleString()) for field in df.schema]
    choice = choose(_NAME, columns, text, own_id)
    if choice.id is None:
        remedy = "name it (id=): the number of a row is not stable on a cluster"
        raise DocumentError(None, "the column of ids", "is missing in the DataFrame", remedy)
    kinds = {column.name: column for column in columns}
    if kinds[choice.text].kind != TEXT:
        problem = f"holds {kinds[choice.text].type}, not text"
        raise DocumentError(_NAME, f"column {choice.text!r}", problem, "decode it first, or name another (text=)")
    if kinds[choice.id].kind not in (TEXT, INTEGER):
        problem = f"holds {kinds[choice.id].type}"
        raise DocumentError(_NAME, f"column {choice.id!r}", problem, "give ids that are texts or whole numbers")
    return choice


def chosen(df: DataFrame, choice: Choice, order: str | None, *, old: bool) -> DataFrame:
    """Return the columns `old`, `place` (if there is an order), `id` and `text`."""
    if order is not None and order not in df.columns:
        raise RecipeError("order", order, f"a column of {_NAME}", suggest(order, df.columns))
    own = F.col(quoted(str(choice.id)))
    if not isinstance(df.schema[str(choice.id)].dataType, T.StringType):
        own = own.cast("bigint")
    place: list[Expression] = [] if order is None else [F.col(quoted(order)).alias("place")]
    return df.select(F.lit(old).alias("old"), *place, own.alias("id"), F.col(quoted(choice.text)).alias("text"))


def put_together(new: DataFrame, old: DataFrame | None) -> DataFrame:
    """Return new and old documents in one; their ids must be of one kind."""
    if old is None:
        return new
    kinds = [df.schema["id"].dataType for df in (new, old)]
    if kinds[0] != kinds[1]:
        problem = f"are {kinds[1].simpleString()}, and those of the new documents {kinds[0].simpleString()}"
        raise DocumentError("against", "ids", problem, "cast both to string")
    return new.unionByName(old)


def quoted(name: str) -> str:
    """Return the name of a column as Spark takes it, whatever characters it has."""
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
