"""What Spark costs: `python -m benchmarks.spark`, on a cluster of two executors with one core each, on this machine.

overhead   seconds of `lookalike.spark.find`, pairs and groups written, beside `lookalike.find` with two threads; jobs,
           tasks and bytes shuffled, by Spark's own count; for several sizes
large      the same with the limits lowered, so that Spark does what it does for 10⁸ documents: nothing is sent to all
           executors, two bands in each pass, whole keys, components by rounds of stars
growth     the line through the smallest and the largest size: a fixed cost, and a cost for each document
MLlib      Spark's own MinHashLSH on the same cluster and the same documents: time, recall and precision

Each part runs in a process of its own, and is in the record as soon as it is measured. One that exceeds its limit is
stopped and recorded as such, and the next one begins. All limits together are 23 minutes; a run takes about eight.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

from benchmarks import files
from benchmarks.measure import ROOT, circumstances, headline, is_quick, own_environment, print_table, write_record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

__all__ = ["HEADERS", "cells", "growth_of", "measured", "measured_as_large", "mllib", "problem"]

MASTER: Final = "local-cluster[2,1,2048]"
THRESHOLD: Final = 0.8
FIND: Final = {20_000: 120, 60_000: 150, 200_000: 270}
"""Documents that are searched, and the seconds that it may take; the cluster starts within them."""
LARGE: Final = {20_000: 210, 200_000: 330}
"""The same with the limits lowered."""
MLLIB: Final = {2_000: 120, 10_000: 180}
"""The same for MLlib, whose join compares all documents that share one of its hashes, and for ours beside it."""
QUICK_FIND: Final = {2_000: 240}
QUICK_LARGE: Final = {2_000: 240}
QUICK_MLLIB: Final = {1_000: 240}
_NO_BROADCAST: Final = {"spark.sql.autoBroadcastJoinThreshold": "-1"}
TABLES: Final = 10
_WRITTEN: Final = re.compile(r"Arguments: file:[^\s,]*/([\w-]+), ")
"""Where a plan of Spark names the folder that it writes."""
HEADERS: Final = (
    "documents",
    "la.find, s",
    "Spark, s",
    "µs a document more",
    "times la.find",
    "jobs",
    "bytes shuffled a document",
    "same groups",
)


def _session(events: str, **more: str) -> SparkSession:
    from pyspark.sql import SparkSession

    from lookalike.spark.__main__ import ON_ONE_MACHINE

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = ON_ONE_MACHINE | {
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
    for name, value in (settings | more).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session.range(1000).repartition(4).count()  # executors and their Python are there from now on
    return session


def _counted(events: str) -> dict[str, Any]:
    """Return the jobs and tasks of the search, and what each stage shuffled and took, from Spark's event log."""
    jobs = tasks = 0
    written: dict[str, int] = {}
    taken: dict[str, float] = {}
    executions: dict[int, str] = {}
    stages: dict[int, str] = {}
    for path in Path(events).iterdir():
        with path.open(encoding="utf-8") as lines:
            for event in map(json.loads, lines):
                kind = event["Event"]
                if kind.endswith("SparkListenerSQLExecutionStart"):
                    found = _WRITTEN.search(event["physicalPlanDescription"])
                    executions[event["executionId"]] = found[1] if found else "counts"
                elif kind == "SparkListenerJobStart" and event["Properties"].get("spark.jobGroup.id") == "search":
                    jobs += 1
                    execution = int(event["Properties"].get("spark.sql.execution.id", -1))
                    stages.update(dict.fromkeys(event["Stage IDs"], executions.get(execution, "counts")))
                elif kind == "SparkListenerTaskEnd" and event["Stage ID"] in stages:
                    tasks += 1
                    metrics = event.get("Task Metrics") or {}
                    name = stages[event["Stage ID"]]
                    shuffled = metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
                    written[name] = written.get(name, 0) + shuffled
                    taken[name] = taken.get(name, 0.0) + metrics.get("Executor Run Time", 0) / 1e3
    by_stage = {"shuffled_by_stage": written, "task_s_by_stage": taken}
    return {"jobs": jobs, "tasks": tasks, "shuffled": sum(written.values()), **by_stage}


def measured_as_large(count: int) -> dict[str, Any]:
    """Search as if there were too many documents for whatever is done with few."""
    from lookalike.spark import candidates, clusters, spark_sign

    with (
        patch.multiple(candidates, HALVES=0, ROWS=2 * count),
        patch.multiple(clusters, ONE_NODE=0),
        patch.multiple(spark_sign, FEW=0),
    ):
        return measured(count, **_NO_BROADCAST)


def measured(count: int, **more: str) -> dict[str, Any]:
    """Search on the cluster and without it; the whole of one measurement, in this process."""
    import lookalike as la
    import lookalike.spark as las

    path = files.parquet(count)
    start = time.perf_counter()
    result = la.find(path, THRESHOLD, method="lsh", threads=2)
    own = {(name, group.principal) for group in result.groups for name in group.members}
    alone = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as out:
        spark = _session(folder, **more)
        df = spark.read.parquet(str(path))
        spark.sparkContext.setJobGroup("search", "search")
        start = time.perf_counter()
        found = las.find(df, THRESHOLD, method="lsh")
        found.pairs.write.parquet(f"{out}/pairs")
        found.groups.write.parquet(f"{out}/groups")
        seconds = time.perf_counter() - start
        spark.sparkContext.setJobGroup("check", "check")
        same = {(row["id"], row["principal"]) for row in spark.read.parquet(f"{out}/groups").collect()} == own
        spark.stop()
        counted = _counted(folder)
    by_stage = {
        each: {name: one / count for name, one in counted.pop(total).items() if one}
        for each, total in (("shuffled_by_stage", "shuffled_by_stage"), ("task_s_a_document", "task_s_by_stage"))
    }
    row = {"documents": count, "find_s": alone, "spark_s": seconds, "same": same}
    return row | counted | by_stage


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
    """Return a row of the table; for a part that was stopped or failed, say so."""
    if "spark_s" not in row:
        return [f"{row['documents']:,}", "-", problem(row), *["-"] * (len(HEADERS) - 3)]
    more = (row["spark_s"] - row["find_s"]) / row["documents"] * 1e6
    return [
        f"{row['documents']:,}",
        f"{row['find_s']:.2f}",
        f"{row['spark_s']:.1f}",
        f"{more:,.0f}",
        f"{row['spark_s'] / row['find_s']:.1f}",
        str(row["jobs"]),
        f"{row['shuffled'] / row['documents']:,.0f}",
        "yes" if row["same"] else "NO",
    ]


def problem(part: dict[str, Any]) -> str:
    """Say why a part has no figures."""
    return f"over {part['exceeded_s']} s" if "exceeded_s" in part else "failed"


def growth_of(rows: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the line through the smallest and the largest size, and how far sizes between are from it.

    >>> rows = [{"documents": n, "find_s": n / 100, "spark_s": 20 + n / 10} for n in (100, 200, 1000)]
    >>> grown = growth_of(rows)
    >>> {name: grown[name] for name in ("fixed_s", "spark_us_a_document", "find_us_a_document", "off_the_line")}
    {'fixed_s': 20.0, 'spark_us_a_document': 100000.0, 'find_us_a_document': 10000.0, 'off_the_line': [0.0]}
    """
    done = [row for row in rows if "spark_s" in row]
    if len(done) < 2:
        return None
    first, *between, last = done
    added = last["documents"] - first["documents"]
    slope = {name: (last[name] - first[name]) / added for name in ("spark_s", "find_s")}
    fixed = first["spark_s"] - slope["spark_s"] * first["documents"]
    off = [row["spark_s"] / (fixed + slope["spark_s"] * row["documents"]) - 1 for row in between]
    return {
        "from": first["documents"],
        "to": last["documents"],
        "documents_times": last["documents"] / first["documents"],
        "seconds_times": last["spark_s"] / first["spark_s"],
        "fixed_s": round(fixed, 3),
        "spark_us_a_document": round(slope["spark_s"] * 1e6, 3),
        "find_us_a_document": round(slope["find_s"] * 1e6, 3),
        "off_the_line": [round(share, 3) for share in off],
    }


# -- all parts ---------------------------------------------------------------------------------------------------------


def _part(kind: str, count: int, limit: float) -> dict[str, Any]:
    """Measure one part in a process of its own, which is stopped, with its cluster, when it has taken too long."""
    command = [sys.executable, "-m", "benchmarks.spark", "--one", kind, str(count)]
    pipe = subprocess.PIPE
    child = subprocess.Popen(
        command, cwd=ROOT, env=own_environment(), start_new_session=True, stdout=pipe, stderr=pipe, text=True
    )
    try:
        out, problem = child.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        return {"documents": count, "exceeded_s": limit}
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)  # the cluster is in the same group
        child.wait()
    if child.returncode:
        return {"documents": count, "failed": problem.strip().splitlines()[-1:]}
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


def _print_rivals(rivals: Sequence[dict[str, Any]]) -> None:
    for rival in rivals:
        if "mllib" not in rival:
            print(f"\nMLlib, {rival['documents']:,} documents: {problem(rival)}")
            continue
        both = [
            [name, *(f"{rival[name][what]:.3f}" for what in ("s", "recall", "precision"))]
            for name in ("mllib", "lookalike")
        ]
        print_table(f"{rival['documents']:,} documents, one run", ("engine", "s", "recall", "precision"), both)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        kind, count = given.one[0], int(given.one[1])
        run = {"find": measured, "large": measured_as_large, "mllib": mllib}[kind]
        print(json.dumps(run(count)))
        return
    _measure_all()


def _measure_all() -> None:
    record = circumstances()
    print(headline(record), flush=True)
    quick = (QUICK_FIND, QUICK_LARGE, QUICK_MLLIB)
    sizes, large_sizes, rival_sizes = quick if is_quick() else (FIND, LARGE, MLLIB)
    for count in (*sizes, *large_sizes, *rival_sizes):
        files.parquet(max(count, files.ROW_GROUP) if count in rival_sizes else count)  # not within a limit
    parts: dict[str, Any] = {"rows": [], "growth": None, "large": [], "mllib": []}
    for count, limit in sizes.items():
        parts["rows"].append(_part("find", count, limit))
        parts["growth"] = growth_of(parts["rows"])
        write_record("spark", record | parts)
    print_table("Spark beside the library", HEADERS, [cells(row) for row in parts["rows"]])
    if parts["growth"]:
        print(f"growth: {json.dumps(parts['growth'])}", flush=True)
    for count, limit in large_sizes.items():
        parts["large"].append(_part("large", count, limit))
        write_record("spark", record | parts)
    print_table("Spark, with the plan of a large collection", HEADERS, [cells(row) for row in parts["large"]])
    for count, limit in rival_sizes.items():
        parts["mllib"].append(_part("mllib", count, limit))
        write_record("spark", record | parts)
    _print_rivals(parts["mllib"])
    print(f"kept in {write_record('spark', record | parts)}")


if __name__ == "__main__":
    main()
