"""The same search on a cluster: the answers of `lookalike.spark` are those of the library."""

from __future__ import annotations

import gc
import hashlib
import os
import random
import signal
import subprocess
import threading
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.errors import DocumentError, DuplicateIdError, RecipeError, StoreError
from lookalike.spark.spark_sign import check_texts
from lookalike.spark.work import Work
from tests.corpus import near_copy, prose
from tests.spark.cluster import answer, configured, frame, mixed, same_answer, same_tables, windows

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from lookalike.spark import SparkResult

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.filterwarnings("default")]

SEARCH = "the search that tests share"
"""The name under which Spark counts its jobs."""
ADAPTIVE, SHUFFLED = "spark.sql.adaptive.enabled", "spark.sql.shuffle.partitions"
COMPILED = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}
"""Spark's defaults: with many rows, queries that are compiled take less time."""

TEXTS = mixed(1, 60)
STARS = [(number * 37) % 11 for number in range(len(TEXTS))]


@pytest.fixture(scope="module")
def expected() -> la.Result:
    return la.find(TEXTS, 0.7, method="lsh")


@pytest.fixture(scope="module")
def documents(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    folder = tmp_path_factory.mktemp("documents")
    table = pa.table({"id": range(len(TEXTS)), "text": TEXTS, "stars": STARS})
    for part in range(3):
        pq.write_table(table.take(list(range(part, len(TEXTS), 3))), folder / f"{part}.parquet")
    return spark.read.parquet(folder.as_uri())


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("spark") / "work"


@pytest.fixture(scope="module")
def found(spark: SparkSession, las: Any, documents: DataFrame, work: Path) -> SparkResult:
    spark.sparkContext.setJobGroup(SEARCH, SEARCH)
    try:
        with configured(spark, {ADAPTIVE: "true"}):  # Spark's default; every shuffle and every broadcast is a job
            made: SparkResult = las.find(documents, 0.7, method="lsh", work=work.as_uri())
            made.pairs.write.parquet((work.parent / "pairs").as_uri())
            made.groups.write.parquet((work.parent / "groups").as_uri())
    finally:
        spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
    return made


# -- the same answers ---


def test_answers_are_those_of_the_library(found: SparkResult, expected: la.Result) -> None:
    same_answer(found, expected)
    assert found.plan().toArrow().to_pylist() == expected.plan().table.to_pylist()
    assert len(expected.groups) > 20


def test_a_search_takes_few_jobs(spark: SparkSession, found: SparkResult) -> None:
    """Each job costs its start, however few documents there are: docs/scale.md says how many a search has."""
    assert found.documents == len(TEXTS)
    jobs = spark.sparkContext.statusTracker().getJobIdsForGroup(SEARCH)
    assert 20 < len(jobs) <= 42


def test_ids_that_are_texts_give_the_order(spark: SparkSession, las: Any) -> None:
    names = [f"d{number}" for number in range(len(TEXTS))]
    df = spark.createDataFrame(pa.table({"id": names, "text": TEXTS}))
    sorted_by_name = dict(sorted(zip(names, TEXTS, strict=True)))
    options: dict[str, Any] = {"recipe": la.Recipe(k=1, bag=True, sketch="classic"), "recall": 0.9, "method": "lsh"}
    same_answer(las.find(df, 0.6, **options), la.find(sorted_by_name, 0.6, **options))


@pytest.mark.parametrize(
    ("texts", "threshold", "recipe", "options", "parts", "adaptive"),
    [
        (TEXTS, 0.5, la.Recipe(k=2), {"linkage": "linked"}, 1, "true"),
        (TEXTS, 0.7, la.Recipe(unit="char", k=6, hashes=128), {"ignore": ["one two three " * 5]}, 7, "false"),
        (TEXTS, 0.7, la.Recipe(), {}, 64, "true"),
        (windows("engine/*.py"), 0.6, la.Recipe.preset("code"), {"components": "stars"}, 7, "true"),
        (windows("text/*.py"), 0.6, la.Recipe(k=3), {"skip": ["quotes"], "min_words": 8}, 7, "false"),
    ],
    ids=["linked", "characters", "64 parts", "code", "passages"],
)
def test_partitions_order_of_rows_and_adaptive_execution_change_no_answer(
    spark: SparkSession,
    las: Any,
    texts: list[str],
    threshold: float,
    recipe: la.Recipe,
    options: dict[str, Any],
    parts: int,
    adaptive: str,
) -> None:
    asked: dict[str, Any] = {"recipe": recipe, "method": "lsh"} | options
    with configured(spark, {ADAPTIVE: adaptive, SHUFFLED: "3" if parts == 7 else "2"}):
        found = las.find(frame(spark, texts, parts=parts, seed=parts), threshold, **asked)
        tables = found.pairs, found.groups
        del found
        gc.collect()  # the tables are in a temporary folder, which stays nevertheless
        asked.pop("components", None)
        expected = la.find(texts, threshold, **asked)
        assert len(expected.groups) > 5
        same_tables(*tables, expected)


def test_a_killed_executor_and_an_order_by_a_column(spark: SparkSession, las: Any) -> None:
    names = [f"d{number}" for number in range(len(TEXTS))]
    rank = range(0, -len(TEXTS), -1)
    df = spark.createDataFrame(pa.table({"name": names, "body": TEXTS, "rank": rank})).repartition(5)
    turned = dict(reversed(list(zip(names, TEXTS, strict=True))))
    killed: list[int] = []
    stage = Work.stage

    def killing(work: Work, name: str, make: Any, **measures: Any) -> DataFrame:
        if name in ("rows", "verified"):  # what the stages before it left in shuffles and caches is lost
            threading.Timer(0.3, lambda: killed.append(kill_an_executor())).start()
        return stage(work, name, make, **measures)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Work, "stage", killing)
        found = las.find(df, 0.7, text="body", id="name", order="rank", method="lsh")
    same_answer(found, la.find(turned, 0.7, method="lsh"))
    assert len(killed) == 2


def kill_an_executor() -> int:
    """Kill one executor of the cluster that this process has started."""
    listed = subprocess.run(["ps", "-ww", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()[1:]]
    own = {str(os.getpid())}
    for _ in range(5):
        own |= {pid for pid, parent, *_ in rows if parent in own}
    executors = [int(row[0]) for row in rows if row[0] in own and "CoarseGrainedExecutorBackend" in row[-1]]
    os.kill(executors[0], signal.SIGKILL)
    return executors[0]


def test_a_bucket_of_20_000_documents_and_a_template_finish(spark: SparkSession, las: Any) -> None:
    rng = random.Random(3)
    page = prose(rng, 60)
    texts = [" ".join(near_copy(rng, page, 1)) for _ in range(20_000)]
    template = prose(rng, 300)  # most of each page, but no two pages are near-duplicates
    texts += [" ".join([*template, *prose(rng, 40)]) for _ in range(1000)]
    texts += mixed(2, 20)
    df = frame(spark, texts, parts=4)
    result = la.find(texts, 0.8, method="lsh")
    with configured(spark, COMPILED):
        found = las.find(df, 0.8, method="lsh")
        assert found.hot > 15_000  # the others are copies
        groups = [(row["id"], row["group"], row["principal"]) for row in found.groups.toArrow().to_pylist()]
        longest = [row["id"] for row in found.plan("longest").where("not kept").toArrow().to_pylist()]
    assert groups == answer(result)["groups"]
    assert longest == result.plan("longest").removed_ids.to_pylist()


def test_old_documents(spark: SparkSession, las: Any) -> None:
    new, old = TEXTS[:200], TEXTS[150:]
    result = la.find(new, 0.7, method="lsh", against=old)
    found = las.find(frame(spark, new), 0.7, method="lsh", against=frame(spark, old))
    assert found.pairs.toArrow().to_pylist() == result.pairs.to_pylist()
    assert found.plan().toArrow().to_pylist() == result.plan().table.to_pylist()
    members = [
        (own, old, number)
        for number, group in enumerate(result.groups)
        for own, old in zip(group.members, group.members_old, strict=True)
    ]
    rows = found.groups.toArrow().to_pylist()
    assert sorted((row["id"], row["old"], row["group"]) for row in rows) == sorted(members)


def test_small_collections_are_joined_exactly_on_the_driver(spark: SparkSession, las: Any) -> None:
    found = las.find(frame(spark, TEXTS), 0.7)
    assert found.strategy.method == "exact"
    same_answer(found, la.find(TEXTS, 0.7))
    contained = las.find(frame(spark, TEXTS), preset="essays")
    same_answer(contained, la.find(TEXTS, preset="essays"))


# -- what can be asked of it ---


def test_keep_rules(found: SparkResult, expected: la.Result) -> None:
    for keep, values in (("longest", None), ("max:stars", STARS)):
        plan = expected.plan(keep, values=values)
        assert found.plan(keep).toArrow().to_pylist() == plan.table.to_pylist()
    dropped = found.plan(drop_all=True).toArrow().to_pylist()
    assert dropped == expected.plan(drop_all=True).table.to_pylist()
    with pytest.raises(RecipeError, match="a rule with a column of the DataFrame"):
        found.plan("max:starz")


def test_dropping_near_duplicates(
    las: Any, documents: DataFrame, found: SparkResult, expected: la.Result, work: Path
) -> None:
    assert found.documents == len(TEXTS)  # its stages are in the folder, and are not made again
    kept = las.drop_near_duplicates(documents, threshold=0.7, keep="max:stars", method="lsh", work=work.as_uri())
    plan = expected.plan("max:stars", values=STARS)
    assert sorted(row["id"] for row in kept.collect()) == [row["id"] for row in plan.table.to_pylist() if row["kept"]]
    assert kept.columns == documents.columns


def test_recall_is_measured_and_a_sample_can_be_reported(
    found: SparkResult, expected: la.Result, tmp_path: Path
) -> None:
    seen = found.audit(sample=len(TEXTS))
    own = expected.audit(sample=len(TEXTS), documents=TEXTS).audited
    assert own is not None
    assert (seen.drawn, seen.of, seen.true_pairs, seen.found) == (own.drawn, own.of, own.true_pairs, own.found)
    assert seen.missed.num_rows == own.true_pairs - own.found
    sample = found.sample(60)
    assert 2 <= sample.documents <= 60
    groups = {(group.principal, group.members) for group in expected.groups}
    assert {(group.principal, group.members) for group in sample.groups} <= groups
    sample.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_what_is_done_is_not_done_again(
    spark: SparkSession, las: Any, found: SparkResult, expected: la.Result, documents: DataFrame, work: Path
) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in (work / "signed").iterdir()}
    for name in ("verified", "pairs", "groups"):  # as if the job had been killed there
        (work / f"{name}.done").unlink(missing_ok=True)
    again = las.find(documents, 0.7, method="lsh", work=work.as_uri())
    assert {path.name: path.stat().st_mtime_ns for path in (work / "signed").iterdir()} == before
    same_answer(again, expected)
    with pytest.raises(StoreError, match="another search"):
        las.find(documents, 0.8, method="lsh", work=work.as_uri())
    with pytest.raises(StoreError, match="other documents"):
        las.find(documents.where("id > 0"), 0.7, method="lsh", work=work.as_uri())
    again.close()
    assert not work.exists()


# -- what is refused ---


@pytest.mark.parametrize("method", ["auto", "lsh"])  # on the driver, and on the executors
def test_wrong_rows_are_one_clear_error(spark: SparkSession, las: Any, method: str) -> None:
    df = frame(spark, TEXTS[:20])
    twice = df.unionByName(df.where("id = 3"))
    with pytest.raises(DuplicateIdError, match="document 3: id is used by more than one document"):
        las.find(twice, method=method)
    with pytest.raises(DuplicateIdError, match="document 3: id is used by more than one document"):
        las.find(twice.selectExpr("*", "rand() AS place"), method=method, order="place")
    without = spark.createDataFrame([(1, "one"), (2, None), (3, None)], "id int, text string")
    with pytest.raises(DocumentError, match=r"document 2: text is null \(2 rows\); filter such rows out"):
        las.find(without, method=method)
    nameless = spark.createDataFrame([(1, "one"), (None, "two")], "id int, text string")
    with pytest.raises(DocumentError, match=r"^id is null; give every row one"):
        las.find(nameless, method=method)


def test_a_text_that_changes_during_the_search_is_noticed() -> None:
    table = pa.table({"id": [3], "text": ["new"], "text_hash": [hashlib.sha256(b"old").digest()]})
    with pytest.raises(DocumentError, match="document 3: text has changed since it was signed"):
        check_texts(table)


def test_wrong_arguments_are_one_clear_error(spark: SparkSession, las: Any) -> None:
    df = frame(spark, TEXTS[:20])
    with pytest.raises(DocumentError, match="column 'body' does not exist; the columns are 'id', 'text'"):
        las.find(df, text="body")
    with pytest.raises(DocumentError, match="column of ids is missing"):
        las.find(df.drop("id"))
    with pytest.raises(RecipeError, match="order must be a column"):
        las.find(df, order="when")
    with pytest.raises(RecipeError, match="method must be one of auto, lsh, exact"):
        las.find(df, method="brute")
    with pytest.raises(RecipeError, match="common is not supported on Spark; give the text that documents share: ign"):
        las.drop_near_duplicates(df, common=0.3)
    with pytest.raises(RecipeError, match="tokens is not supported on Spark"):
        las.find(df, tokens="text")
    with pytest.raises(RecipeError, match="metric must be jaccard, containment or bag"):
        las.find(df, metric="cosine")
    with pytest.raises(TypeError, match="unexpected keyword argument 'treshold'"):
        las.find(df, treshold=0.8)


def test_a_preset_for_finding_brings_its_recipe_only_where_rows_are_removed(
    spark: SparkSession, las: Any, tmp_path: Path
) -> None:
    words = prose(random.Random(3), 90)
    texts = [" ".join(words), " ".join(words[:60]), " ".join([*words, "more"])]
    df = frame(spark, texts)
    for preset in ("essays", "fineweb"):
        kept = la.drop_near_duplicates(texts, preset=preset)
        rows = las.drop_near_duplicates(df, preset=preset).toArrow()["text"].to_pylist()
        assert sorted(rows) == sorted(kept)
    found = las.find(df, preset="essays")
    with pytest.raises(RecipeError, match=r"search again with threshold=0\.8") as caught:
        found.plan()
    assert caught.value.field == "threshold"
    assert las.find(df, 0.1, preset="essays").plan().count() == len(texts)
