"""`python -m lookalike.spark INPUT OUTPUT`: the pairs, groups and plan of a collection, for spark-submit.

Executors read Parquet; everything else is read on the driver, by the readers of `scan`. Either way documents have the
ids and the order that `lookalike scan` gives them, so the groups are the same. Errors and exit codes are those of the
other commands.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 — its usual name
from typer.main import get_command

from lookalike.cli import run_guarded
from lookalike.cli.commands import Command, examples
from lookalike.cli.input import Reading, limits_of, say_notes, say_skipped, with_reading
from lookalike.cli.messages import complain
from lookalike.cli.search_options import Search, template_texts, with_recipe, with_search
from lookalike.errors import DocumentError, LookalikeError, RecipeError, StoreError
from lookalike.presets import PRESETS, check_removal, finding_preset
from lookalike.recipe import Recipe  # noqa: TC001 — the signature is read at run time
from lookalike.result.plan import KEEP, KeepRule
from lookalike.spark.clusters import COMPONENTS
from lookalike.spark.spark_find import METHODS, find
from lookalike.spark.spark_sign import choose_columns, columns_by_name, quoted
from lookalike.spark.work import delete, exists, path_of
from lookalike.tables.columns import MEASURES
from lookalike.tables.spelling import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import Column, DataFrame

    from lookalike.documents import Source
    from lookalike.spark.spark_result import SparkResult

__all__ = ["ON_ONE_MACHINE", "main"]

HELP = examples(
    "Find near-duplicate documents in a collection, on a Spark cluster.",
    "python -m lookalike.spark s3a://bucket/corpus s3a://bucket/out -t 0.8 --master yarn",
    "python -m lookalike.spark corpus/ out/ --master 'local-cluster[2,1,2048]'",
    "python -m lookalike.spark new.parquet out --against old.parquet --keep first",
    last="Writes OUTPUT/pairs, OUTPUT/groups and OUTPUT/plan as Parquet: what lookalike scan and dedupe would find, "
    "but for the differences that docs/scale.md lists. "
    "The executors read Parquet; everything else that scan reads is read by the driver. docs/scale.md explains how to "
    "run it with spark-submit. Not available on Spark: --common, --memory, --threads, the methods signatures and "
    "brute, and the metrics cosine and euclidean.",
)

_ID, _TEXT, _PLACE, _ROW = "id", "text", "lookalike_place", "lookalike_row"
_CHUNK: Final = 128 << 20
"""Bytes of text that the driver hands over at a time."""
_TABLES: Final = ("pairs", "groups", "plan")
_QUICK: Final = "-XX:TieredStopAtLevel=1"
ON_ONE_MACHINE: Final = {"spark.driver.extraJavaOptions": _QUICK, "spark.executor.extraJavaOptions": _QUICK}
"""Settings for Spark on this machine: Java compiles quickly rather than well, because a search is over in a minute."""

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
    str | None,
    typer.Option(
        "--keep",
        metavar="RULE",
        help=f"Keep which document of a cluster: {', '.join(KEEP)} (default: first; with containment longest).",
        show_default=False,
    ),
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
    keep: KeepOption = None,
    components: ComponentsOption = "auto",
    master: MasterOption = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Search a collection and write what was found."""
    _refuse(search)
    rule = KeepRule.for_search(keep, search.metric)
    spark = _session(master)
    _check_output(spark, output, overwrite=overwrite)
    with _work_folder(spark, search.work, output) as work:
        given = _opened(spark, path, reading, f"{work}/documents", order_column, alone=not search.against)
        old = _old(spark, search, reading, f"{work}/old", given)
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
            bands=search.banding(recipe.hashes),
            against=None if old is None else old.df,
            ignore=template_texts(search.ignore, reading),
            skip=search.skip,
            min_words=search.min_words,
            linkage=search.linkage,
            max_pairs=search.max_pairs,
            components=components,  # type: ignore[arg-type]
            work=f"{work}/stages",
        )
        _write(found, output, str(rule))
        _report(spark, found, output)
        _say_large([given] if old is None else [given, old], found.documents, reading)


def _refuse(search: Search) -> None:
    """Refuse options that mean nothing on a cluster."""
    for option, given in (("--memory", search.memory), ("--common", search.common), ("--threads", search.threads)):
        if given:
            raise RecipeError(option, given, "left out on Spark")
    check_removal(
        finding_preset(search.preset, search.threshold),
        f"write it: -t {PRESETS['prose'].threshold:g}; OUTPUT/plan says what to remove",
        option="--threshold",
    )
    if search.method not in METHODS:
        raise RecipeError("--method", search.method, f"{', '.join(METHODS)} on Spark")
    if search.metric in MEASURES:
        raise RecipeError("--metric", search.metric, "jaccard, containment or bag on Spark")


def _session(master: str | None) -> SparkSession:
    """Open a session; workers on this machine use the Python that runs the job."""
    builder = SparkSession.builder.appName("lookalike")
    if master is not None and master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        for name, value in ON_ONE_MACHINE.items():
            builder = builder.config(name, value)
    return (builder if master is None else builder.master(master)).getOrCreate()


def _check_output(spark: SparkSession, output: str, *, overwrite: bool) -> None:
    """Refuse, before anything is searched, to write where something is."""
    there = [name for name in _TABLES if exists(spark, f"{output.rstrip('/')}/{name}")]
    if there and not overwrite:
        raise StoreError(output, f"already contains {', '.join(there)}", "name another folder, or add --overwrite")


@contextmanager
def _work_folder(spark: SparkSession, folder: str | None, output: str) -> Iterator[str]:
    """Yield the folder for the stages: `folder`, or one in the output that is removed when the job ends or is refused.

    It stays if Spark fails or the job is killed, because the next job continues there. So does one from such a job.
    """
    if folder is not None:
        yield folder
        return
    work = f"{output.rstrip('/')}/_work"
    resumes = exists(spark, work)
    try:
        yield work
    except LookalikeError:
        if not resumes:
            delete(spark, work)
        raise
    delete(spark, work)


def _opened(spark: SparkSession, path: str, reading: Reading, folder: str, order: str | None, *, alone: bool) -> _Input:
    plain = not (reading.include or reading.exclude or reading.hidden)
    if plain and path != "-" and (files := _parquet_files(spark, path)):
        return _read_parquet(spark, path, files, reading, order)
    if order is not None:
        raise RecipeError("--order-column", order, "left out unless INPUT is Parquet")
    source = reading.open([path], alone=alone)
    made = _read_by_driver(spark, source, folder)
    say_notes(source.notes())
    say_skipped(source.skipped())
    return made


def _old(spark: SparkSession, search: Search, reading: Reading, folder: str, new: _Input) -> _Input | None:
    """Open the old documents, if any; their columns are called as those of the new ones."""
    if not search.against:
        return None
    if len(search.against) > 1:
        raise RecipeError("--against", search.against, "given once on Spark", "put the old documents into one folder")
    old = _opened(spark, search.against[0], reading, folder, None, alone=False)
    return old._replace(df=old.df.withColumnsRenamed({old.text: new.text, old.id: new.id}))


def _write(found: SparkResult, output: str, keep: str) -> None:
    tables: tuple[DataFrame, ...] = (found.pairs, found.groups, found.plan(keep))
    for name, table in zip(_TABLES, tables, strict=True):
        table.write.mode("overwrite").parquet(f"{output.rstrip('/')}/{name}")


def _report(spark: SparkSession, found: SparkResult, output: str) -> None:
    def rows(name: str) -> Any:
        return spark.read.parquet(f"{output.rstrip('/')}/{name}")

    pairs, groups = rows("pairs").count(), rows("groups").select("group").distinct().count()
    said = f"{count(found.documents, 'document')}, {count(pairs, 'pair')} in {count(groups, 'cluster')}"
    complain(f"{output}: {said}, {found.recall}")
    if found.hot:
        complain(f"note: {found.hot:,} documents are in clusters so large that not all their pairs may be listed")


def _say_large(inputs: Sequence[_Input], searched: int, reading: Reading) -> None:
    """Tell how many texts were too large; Parquet files know how many rows they have."""
    if large := sum(one.rows.count() for one in inputs) - searched:
        limits = limits_of(reading.max_document, None)
        complain(f"note: {count(large, 'document')} skipped: {limits.too_large('each')}")


# -- reading -----------------------------------------------------------------------------------------------------------


class _Input(NamedTuple):
    """Documents, and the columns that hold them."""

    df: DataFrame
    text: str
    id: str
    order: str | None
    rows: DataFrame
    """All rows of Parquet files, also those whose texts are too large."""


def _parquet_files(spark: SparkSession, path: str) -> int:
    """Return how many files there are if all are Parquet, else 0; names that begin with _ or a dot do not count.

    0 also for a path that does not exist: the readers of `scan` say so.
    """
    if not (_is_glob(path) or exists(spark, path)):
        return 0
    # Listed, not read: a job would have a task for every 32 of very many small files.
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(path).inputFiles()
    return len(files) if all(name.lower().endswith(".parquet") for name in files) else 0


def _is_glob(path: str) -> bool:
    return re.search(r"[*?{\[]", path) is not None


def _read_parquet(spark: SparkSession, path: str, files: int, reading: Reading, order: str | None) -> _Input:
    """Let the executors read Parquet; without a column for the order, files and their rows come in their own order.

    As in a scan, rows without an id column are named by their file and number, and texts beyond a limit are skipped.
    """
    rows = spark.read.option("recursiveFileLookup", "true").parquet(path)
    file = F.url_decode(F.replace(F.col("_metadata.file_path"), F.lit("+"), F.lit("%2B")))  # it is part of a URL
    df, own_id = rows, reading.id_column
    by_name = columns_by_name(rows, reading.text_column, own_id)
    say_notes([f"{path}{by_name.note}"] if by_name.note else [])
    if own_id == "" or (by_name.id is None and not _is_glob(path)):
        df, own_id = df.withColumn(_ROW, _row_ids(spark, path, files, file)), _ROW
    choice = choose_columns(df, reading.text_column, own_id)
    if order is None:
        df = df.withColumn(_PLACE, _place(file, "_metadata.row_index"))
    most = limits_of(reading.max_document, None).document
    df = df.where(F.coalesce(F.octet_length(quoted(choice.text)), F.lit(0)) <= most)
    return _Input(df, choice.text, str(choice.id), order or _PLACE, rows)


def _place(file: Column, row: str) -> Column:
    """Return what documents are ordered by, in the same form whoever reads them."""
    return F.struct(file.alias("file"), F.col(row).alias("row"))


def _row_ids(spark: SparkSession, path: str, files: int, file: Column) -> Column:
    """Return the ids that a scan gives to rows without one: numbers from 0 in one file, or ``file:row`` from 1."""
    row = F.col("_metadata.row_index")
    if files == 1:
        return row
    root = f"{path_of(spark, path)}/"
    name = F.substring(file, F.instr(file, root) + len(root), F.length(file))
    return F.concat(name, F.lit(":"), row + 1)


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
    df = spark.read.parquet(folder)
    return _Input(df.withColumn(_PLACE, _place(F.lit(""), _PLACE)), _TEXT, _ID, _PLACE, df)


def main(args: Sequence[str] | None = None) -> int:
    """Run the job, with the arguments of the process if none are given, and return the exit code."""
    app = typer.Typer(
        name="lookalike.spark", add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False
    )
    app.command(cls=Command, help=HELP)(job)
    command = get_command(app)
    # PySpark 4 warns of pandas 3, which it looks for but does not use here.
    warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)

    def run() -> object:
        try:
            return command(args, prog_name="python -m lookalike.spark", standalone_mode=False)
        except (PySparkException, Py4JError) as error:
            raise LookalikeError(_in_short(str(error))) from error

    return run_guarded(run)


def _in_short(report: str) -> str:
    r"""Return what Spark reports in one line: an error of ours on an executor, or the first line of Spark's own.

    >>> _in_short("Job aborted: Traceback:\nlookalike.errors.DocumentError: document 3: text has changed\n at x.Y")
    'document 3: text has changed'
    >>> _in_short("[PATH_NOT_FOUND] Path does not exist: x.\nJVM stacktrace:\n at x.Y")
    'Spark failed: [PATH_NOT_FOUND] Path does not exist: x.'
    """
    if own := re.search(r"^lookalike\.errors\.\w+: (.+)$", report, re.MULTILINE):
        return own[1]
    return f"Spark failed: {next(filter(None, map(str.strip, report.splitlines())), 'it does not say why')}"


if __name__ == "__main__":
    sys.exit(main())
