"""What Spark costs: `python -m benchmarks.spark`, on a cluster of two executors with one core each, on this machine.

overhead   seconds of `lookalike.spark.find`, pairs and groups written, beside `lookalike.find` with two threads, and
           bytes shuffled, by Spark's own count; for 20,000 and 200,000 documents
MLlib      Spark's own MinHashLSH on the same cluster and the same documents: time, recall and precision
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks import files
from benchmarks.measure import ROOT, circumstances, headline, is_quick, print_table, run_module, write_record

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["HEADERS", "cells", "measured"]

MASTER: Final = "local-cluster[2,1,2048]"
THRESHOLD: Final = 0.8
SIZES: Final = (20_000, 200_000)
MLLIB: Final = 5_000
"""Documents that MLlib gets: its join compares all that share one of its hashes."""
TABLES: Final = 10
_WRITTEN: Final = re.compile(r"Arguments: file:[^\s,]*/([\w-]+), ")
"""Where a plan of Spark names the folder that it writes."""
HEADERS: Final = (
    "documents",
    "la.find, s",
    "Spark, s",
    "µs a document more",
    "bytes shuffled a document",
    "same groups",
)


def _session(events: str) -> SparkSession:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.executorEnv.PYTHONPATH": str(ROOT / "src"),
        "spark.executor.memory": "2g",
        "spark.driver.memory": "2g",
        "spark.sql.shuffle.partitions": "8",
        "spark.ui.enabled": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": Path(events).as_uri(),
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        "spark.driver.host": "127.0.0.1",
    }
    builder = SparkSession.builder.master(MASTER).appName("lookalike benchmark")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session.range(1000).repartition(4).count()  # executors and their Python are there from now on
    return session


def _shuffled(events: str) -> dict[str, int]:
    """Return the bytes that tasks have written to shuffles, by the stage of the search that they were for."""
    written: dict[str, int] = {}
    executions: dict[int, str] = {}
    stages: dict[int, str] = {}
    for path in Path(events).iterdir():
        with path.open(encoding="utf-8") as lines:
            for event in map(json.loads, lines):
                kind = event["Event"]
                if kind.endswith("SparkListenerSQLExecutionStart"):
                    found = _WRITTEN.search(event["physicalPlanDescription"])
                    executions[event["executionId"]] = found[1] if found else "counts"
                elif kind == "SparkListenerJobStart":
                    execution = int(event["Properties"].get("spark.sql.execution.id", -1))
                    stages.update(dict.fromkeys(event["Stage IDs"], executions.get(execution, "counts")))
                elif kind == "SparkListenerTaskEnd":
                    metrics = (event.get("Task Metrics") or {}).get("Shuffle Write Metrics", {})
                    name = stages.get(event["Stage ID"], "counts")
                    written[name] = written.get(name, 0) + metrics.get("Shuffle Bytes Written", 0)
    return written


def measured(count: int) -> dict[str, Any]:
    """Search on the cluster and without it; the whole of one measurement, in this process."""
    import lookalike as la
    import lookalike.spark as las

    path = files.parquet(count)
    start = time.perf_counter()
    result = la.find(path, THRESHOLD, method="lsh", threads=2)
    own = {(name, group.principal) for group in result.groups for name in group.members}
    alone = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as out:
        spark = _session(folder)
        df = spark.read.parquet(str(path))
        start = time.perf_counter()
        found = las.find(df, THRESHOLD, method="lsh")
        found.pairs.write.parquet(f"{out}/pairs")
        found.groups.write.parquet(f"{out}/groups")
        seconds = time.perf_counter() - start
        same = {(row["id"], row["principal"]) for row in found.groups.collect()} == own
        spark.stop()
        shuffled = _shuffled(folder)
    total = sum(shuffled.values())
    by_stage = {name: one / count for name, one in shuffled.items() if one}
    row = {"documents": count, "find_s": alone, "spark_s": seconds, "shuffled": total, "same": same}
    return row | {"shuffled_by_stage": by_stage}


def mllib(count: int) -> dict[str, Any]:
    """Search with Spark's MinHashLSH, on word 5-grams as ours."""
    import lookalike as la
    import lookalike.spark as las

    path = files.parquet(max(count, files.ROW_GROUP))
    with tempfile.TemporaryDirectory() as folder:
        spark = _session(folder)
        df = spark.read.parquet(str(path)).limit(count).cache()
        df.count()
        start = time.perf_counter()
        theirs = {tuple(sorted(row)) for row in _minhash_pairs(df).collect()}
        seconds = time.perf_counter() - start
        start = time.perf_counter()
        ours = {tuple(sorted(row)) for row in las.find(df, THRESHOLD, method="lsh").pairs.select("a", "b").collect()}
        our_seconds = time.perf_counter() - start
        texts = {row["id"]: row["text"] for row in df.collect()}
        spark.stop()
    pairs = la.find(texts, THRESHOLD, method="exact").pairs
    listed: Any = zip(pairs["a"].to_pylist(), pairs["b"].to_pylist(), strict=True)
    true = {tuple(sorted(pair)) for pair in listed}

    def judged(found: set[Any], taken: float) -> dict[str, float]:
        there = len(found & true)
        return {"s": taken, "recall": there / max(1, len(true)), "precision": there / max(1, len(found))}

    judged_both = {"mllib": judged(theirs, seconds), "lookalike": judged(ours, our_seconds)}
    return {"documents": count, "true_pairs": len(true), **judged_both}


def _minhash_pairs(df: DataFrame) -> Any:
    from pyspark.ml.feature import HashingTF, MinHashLSH, NGram, RegexTokenizer
    from pyspark.sql import functions as F  # noqa: N812

    words = RegexTokenizer(inputCol="text", outputCol="words", pattern=r"\W+").transform(df)
    grams = NGram(n=5, inputCol="words", outputCol="grams").transform(words)
    sets = HashingTF(inputCol="grams", outputCol="set", numFeatures=1 << 20, binary=True).transform(grams)
    sets = sets.where(F.size("grams") > 0).select("id", "set").cache()
    model = MinHashLSH(inputCol="set", outputCol="hashes", numHashTables=TABLES, seed=1).fit(sets)
    met = model.approxSimilarityJoin(sets, sets, 1 - THRESHOLD + 1e-9, "distance")
    return met.where("datasetA.id < datasetB.id").select(F.col("datasetA.id"), F.col("datasetB.id"))


def cells(row: dict[str, Any]) -> list[str]:
    """Return a row of the table."""
    more = (row["spark_s"] - row["find_s"]) / row["documents"] * 1e6
    return [
        f"{row['documents']:,}",
        f"{row['find_s']:.2f}",
        f"{row['spark_s']:.1f}",
        f"{more:,.0f}",
        f"{row['shuffled'] / row['documents']:,.0f}",
        "yes" if row["same"] else "NO",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        kind, count = given.one[0], int(given.one[1])
        print(json.dumps(mllib(count) if kind == "mllib" else measured(count)))
        return
    record = circumstances()
    print(headline(record))
    sizes = (2_000,) if is_quick() else SIZES
    rows = [run_module("benchmarks.spark", "--one", "find", str(count)) for count in sizes]
    print_table("Spark beside the library", HEADERS, [cells(row) for row in rows])
    rival = run_module("benchmarks.spark", "--one", "mllib", str(1_000 if is_quick() else MLLIB))
    both = [
        [name, *(f"{rival[name][what]:.3f}" for what in ("s", "recall", "precision"))]
        for name in ("mllib", "lookalike")
    ]
    print_table(f"{rival['documents']:,} documents, one run", ("engine", "s", "recall", "precision"), both)
    print(f"kept in {write_record('spark', record | {'rows': rows, 'mllib': rival})}")


if __name__ == "__main__":
    main()
