"""`python -m lookalike.spark INPUT OUTPUT`: the pairs, groups and plan of a collection, for spark-submit.

Executors read Parquet; everything else is read on the driver, by the readers of `scan`. Either way documents have the
ids and the order that `lookalike scan` gives them, so the groups are the same. Errors and exit codes are those of the
other commands.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 — its usual name
from typer.main import get_command

from lookalike.cli import run_guarded
from lookalike.cli.commands import Command, examples
from lookalike.cli.input import Reading, say_notes, say_skipped, with_reading
from lookalike.cli.messages import complain
from lookalike.cli.search_options import Search, template_texts, with_recipe, with_search
from lookalike.errors import DocumentError, RecipeError
from lookalike.recipe import Recipe  # noqa: TC001 — the signature is read at run time
from lookalike.result.plan import KEEP, KeepRule
from lookalike.spark.clusters import COMPONENTS
from lookalike.spark.find import find
from lookalike.spark.sign import choose_columns
from lookalike.spark.work import delete
from lookalike.tables.spelling import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from lookalike.documents import Source
    from lookalike.spark.result import SparkResult

__all__ = ["main"]

HELP = examples(
    "Find near-duplicate documents in a collection, on a Spark cluster.",
    "spark-submit -m lookalike.spark s3://bucket/corpus s3://bucket/out -t 0.8",
    "python -m lookalike.spark corpus/ out/ --master 'local-cluster[2,1,2048]'",
    "python -m lookalike.spark new.parquet out --against old.parquet --keep longest",
    last="Writes OUTPUT/pairs, OUTPUT/groups and OUTPUT/plan as Parquet: what lookalike scan and dedupe would find. "
    "The executors read Parquet; everything else that scan reads is read by the driver.",
)

_ID, _TEXT, _PLACE = "id", "text", "lookalike_place"
_CHUNK: Final = 128 << 20
"""Bytes of text that the driver hands over at a time."""

InputArgument = Annotated[str, typer.Argument(metavar="INPUT", help="A path that Spark or scan can read.")]
OutputArgument = Annotated[str, typer.Argument(metavar="OUTPUT", help="The folder to write.")]
MasterOption = Annotated[
    str | None,
    typer.Option("--master", metavar="URL", help="The cluster, for example local[4]; default: as submitted."),
]
OrderOption = Annotated[
    str | None,
    typer.Option("--order-column", metavar="NAME", help="A column to order documents by; default: the order of rows."),
]
KeepOption = Annotated[
    str, typer.Option("--keep", metavar="RULE", help=f"The document of a cluster to keep: {', '.join(KEEP)}.")
]
ComponentsOption = Annotated[
    str, typer.Option("--components", metavar="HOW", help=f"How to link pairs: {', '.join(COMPONENTS)}.")
]
OverwriteOption = Annotated[bool, typer.Option("--overwrite", help="Replace what is in OUTPUT.")]


@with_recipe
@with_reading
@with_search
def job(
    path: InputArgument,
    output: OutputArgument,
    *,
    reading: Reading,
    search: Search,
    recipe: Recipe,
    order_column: OrderOption = None,
    keep: KeepOption = "first",
    components: ComponentsOption = "auto",
    master: MasterOption = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Search a collection and write what was found."""
    _refuse(search)
    KeepRule.parse(keep)
    spark = _session(master)
    work = search.work or f"{output.rstrip('/')}/_work"
    given = _opened(spark, path, reading, f"{work}/documents", order_column)
    old = _old(spark, search, reading, f"{work}/old")
    if old is not None and (old.text, old.id) != (given.text, given.id):
        old = old._replace(df=old.df.withColumnsRenamed({old.text: given.text, old.id: given.id}))
    found = find(
        given.df,
        search.least,
        text=given.text,
        id=given.id,
        order=given.order,
        recall=search.recall,
        method=search.method,
        metric=search.metric,
        recipe=recipe,
        against=None if old is None else old.df,
        ignore=template_texts(search.ignore, reading),
        skip=search.skip,
        min_words=search.min_words,
        linkage=search.linkage,
        components=components,  # type: ignore[arg-type]
        work=f"{work}/stages",
    )
    _write(found, output, keep, overwrite=overwrite)
    _report(spark, found, output)
    if search.work is None:
        delete(spark, work)


def _refuse(search: Search) -> None:
    """Refuse options that mean nothing on a cluster."""
    for option, given in (("--memory", search.memory), ("--common", search.common), ("--threads", search.threads)):
        if given:
            raise RecipeError(option, given, "left out on Spark")


def _session(master: str | None) -> SparkSession:
    """Open a session; workers on this machine use the Python that runs the job."""
    if master is not None and master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("lookalike")
    return (builder if master is None else builder.master(master)).getOrCreate()


def _opened(spark: SparkSession, path: str, reading: Reading, folder: str, order: str | None) -> _Input:
    plain = not (reading.include or reading.exclude or reading.hidden)
    if plain and path != "-" and _holds_parquet(spark, path):
        return _read_parquet(spark, path, reading.text_column, reading.id_column, order)
    if order is not None:
        raise RecipeError("--order-column", order, "left out unless INPUT is Parquet")
    source = reading.open([path])
    made = _read_by_driver(spark, source, folder)
    say_notes(source.notes())
    say_skipped(source.skipped())
    return made


def _old(spark: SparkSession, search: Search, reading: Reading, folder: str) -> _Input | None:
    if not search.against:
        return None
    if len(search.against) > 1:
        raise RecipeError("--against", search.against, "given once on Spark", "put the old documents into one folder")
    return _opened(spark, search.against[0], reading, folder, None)


def _write(found: SparkResult, output: str, keep: str, *, overwrite: bool) -> None:
    tables: dict[str, DataFrame] = {"pairs": found.pairs, "groups": found.groups, "plan": found.plan(keep)}
    for name, table in tables.items():
        table.write.mode("overwrite" if overwrite else "error").parquet(f"{output.rstrip('/')}/{name}")


def _report(spark: SparkSession, found: SparkResult, output: str) -> None:
    def rows(name: str) -> Any:
        return spark.read.parquet(f"{output.rstrip('/')}/{name}")

    pairs, groups = rows("pairs").count(), rows("groups").select("group").distinct().count()
    said = f"{count(found.documents, 'document')}, {count(pairs, 'pair')} in {count(groups, 'cluster')}"
    complain(f"{output}: {said}, recall at least {found.recall.promised:.4g}")
    if found.hot:
        complain(f"note: {found.hot:,} documents are in clusters so large that not all their pairs may be listed")


# -- reading -----------------------------------------------------------------------------------------------------------


class _Input(NamedTuple):
    """Documents, and the columns that hold them."""

    df: DataFrame
    text: str
    id: str
    order: str | None


def _holds_parquet(spark: SparkSession, path: str) -> bool:
    """Say whether all files of a path are Parquet; those whose names begin with _ or a dot do not count."""
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(path).select("path")
    seen = files.agg(F.count(F.lit(1)), F.count_if(F.lower("path").endswith(".parquet"))).first()
    return seen is not None and seen[0] > 0 and seen[0] == seen[1]


def _read_parquet(spark: SparkSession, path: str, text: str | None, id_column: str | None, order: str | None) -> _Input:
    """Let the executors read Parquet; without a column for the order, files and their rows come in their own order."""
    df = spark.read.option("recursiveFileLookup", "true").parquet(path)
    choice = choose_columns(df, text, id_column)
    if order is None:
        place = F.struct(F.col("_metadata.file_path"), F.col("_metadata.row_index"))
        df = df.select("*", place.alias(_PLACE))
    return _Input(df, choice.text, str(choice.id), order or _PLACE)


def _read_by_driver(spark: SparkSession, source: Source, folder: str) -> _Input:
    """Read documents on the driver, and write them to a folder as Parquet for the executors."""
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
    return _Input(spark.read.parquet(folder), _TEXT, _ID, _PLACE)


def main(args: Sequence[str] | None = None) -> int:
    """Run the job, with the arguments of the process if none are given, and return the exit code."""
    app = typer.Typer(
        name="lookalike.spark", add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False
    )
    app.command(cls=Command, help=HELP)(job)
    command = get_command(app)
    return run_guarded(lambda: command(args, prog_name="python -m lookalike.spark", standalone_mode=False))


if __name__ == "__main__":
    sys.exit(main())
