"""A real Spark cluster of two executors on this machine, and what its answers are compared with."""

from __future__ import annotations

import os
import random
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

import lookalike as la
from tests.corpus import near_copy, pages, prose

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

    from lookalike.spark import SparkResult

__all__ = [
    "MASTER",
    "QUICK_START",
    "answer",
    "configured",
    "frame",
    "java_is_there",
    "mixed",
    "same_answer",
    "same_tables",
    "start",
    "windows",
]

MASTER = "local-cluster[2,1,2048]"
QUICK_START = {
    # Compiling takes longer than all that these small collections need, and so does planning a query while it runs.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.ui.enabled": "false",
    # Nobody answers for an executor that was killed: ask again at once, not three times after 5 s.
    "spark.shuffle.io.retryWait": "100ms",
}
"""Settings with which a small search takes less time; its answers are the same."""


def java_is_there() -> bool:
    home = os.environ.get("JAVA_HOME")
    return shutil.which(str(Path(home) / "bin" / "java") if home else "java") is not None


def start() -> SparkSession:
    """Start the cluster; executors import the package that is tested."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    source = str(Path(la.__file__).parents[1])
    builder = SparkSession.builder.master(MASTER).appName("lookalike tests")
    settings = {
        "spark.executorEnv.PYTHONPATH": source,
        "spark.executor.memory": "1g",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }
    for name, value in (settings | QUICK_START).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


@contextmanager
def configured(spark: SparkSession, settings: dict[str, str]) -> Iterator[None]:
    """Change settings of the session for a while."""
    before = {name: str(spark.conf.get(name)) for name in settings}
    try:
        for name, value in settings.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


def mixed(seed: int, originals: int) -> list[str]:
    """Return near copies of several degrees, exact copies that are written otherwise, and short and empty texts."""
    rng = random.Random(seed)
    texts = pages(seed, originals, 60, (0, 1, 2, 4, 8))
    texts += [text.upper() + "!" for text in rng.sample(texts, originals // 5)]
    texts += rng.sample(texts, originals // 10)
    chain = prose(rng, 80)
    for _ in range(30):  # each like the one before, the ends unlike
        chain = near_copy(rng, chain, 1)
        texts.append(" ".join(chain))
    texts += ["", "", "one", "one", "two words"]
    rng.shuffle(texts)
    return texts


def windows(pattern: str) -> list[str]:
    """Return overlapping parts of the package's own files: code and prose as people write it."""
    made = []
    for path in sorted(Path(la.__file__).parent.glob(pattern))[:8]:
        lines = path.read_text(encoding="utf-8").splitlines()
        made += ["\n".join(lines[first : first + 60]) for first in range(0, len(lines), 7)]
    return made


def frame(spark: SparkSession, texts: list[str], *, parts: int = 3, seed: int | None = None) -> DataFrame:
    """Return texts as a DataFrame with their places as ids; a seed shuffles the rows."""
    rows = list(enumerate(texts))
    if seed is not None:
        random.Random(seed).shuffle(rows)
    ids, given = zip(*rows, strict=True)
    return spark.createDataFrame(pa.table({"id": ids, "text": given})).repartition(parts)


def answer(result: la.Result) -> dict[str, Any]:
    """Return the pairs and groups of a result of the library, as plain values in the order of the documents."""
    place = {own: at for at, own in enumerate(result.ids.to_pylist())}
    groups = [(own, number, group.principal) for number, group in enumerate(result.groups) for own in group.members]
    return {"pairs": result.pairs.to_pylist(), "groups": sorted(groups, key=lambda row: place[row[0]])}


def same_answer(found: SparkResult, result: la.Result) -> None:
    """Compare pairs and groups, in their order, with those of the library."""
    same_tables(found.pairs, found.groups, result)


def same_tables(pairs: DataFrame, groups: DataFrame, result: la.Result) -> None:
    """Compare what `SparkResult.pairs` and `groups` gave with the library's, row by row."""
    expected = answer(result)
    table: pa.Table = pairs.toArrow()
    assert table.to_pylist() == expected["pairs"]
    rows = [(row["id"], row["group"], row["principal"]) for row in groups.toArrow().to_pylist()]
    assert rows == expected["groups"]
