"""The job: `python -m lookalike.spark INPUT OUTPUT` writes what `lookalike scan` and `dedupe` find."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.documents import open_paths
from lookalike.spark.__main__ import main
from tests.spark.cluster import MASTER, QUICK_START, mixed

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.filterwarnings("default")]

TEXTS = mixed(7, 60)


def groups_of(result: la.Result) -> list[tuple[Any, int]]:
    return sorted((own, number) for number, group in enumerate(result.groups) for own in group.members)


def written(folder: Path) -> list[tuple[Any, int]]:
    return sorted((row["id"], row["group"]) for row in pq.read_table(folder / "groups").to_pylist())


def test_a_folder_of_texts_on_a_cluster_of_its_own(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for number, text in enumerate(TEXTS):
        (corpus / f"{number}.txt").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "lookalike.spark", str(corpus), str(tmp_path / "out"), "--threshold", "0.8"]
    settings = [word for name, value in QUICK_START.items() for word in ("--conf", f"{name}={value}")]
    submitted = os.environ | {"PYSPARK_SUBMIT_ARGS": shlex.join([*settings, "pyspark-shell"])}
    done = subprocess.run(
        [*command, "--master", MASTER],
        capture_output=True,
        text=True,
        timeout=480,
        check=False,
        env=submitted,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    result = la.find(open_paths([str(corpus)]), 0.8)
    assert groups_of(result)
    assert written(tmp_path / "out") == groups_of(result)
    pairs = pq.read_table(tmp_path / "out" / "pairs")
    assert pairs.to_pylist() == result.pairs.to_pylist()
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"pairs", "groups", "plan"}


def test_parquet_is_read_by_the_executors_in_the_order_of_its_rows(spark: SparkSession, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    ids = [f"d{number}" for number in range(len(TEXTS))]
    half = len(TEXTS) // 2
    for name, part in (("a", slice(0, half)), ("b", slice(half, None))):
        pq.write_table(pa.table({"id": ids[part], "text": TEXTS[part]}), corpus / f"{name}.parquet")
    out = tmp_path / "out"
    assert main([str(corpus), str(out), "-t", "0.7", "-k", "3", "--method", "lsh", "--keep", "longest"]) == 0
    result = la.find(corpus, 0.7, recipe=la.Recipe(k=3), method="lsh")
    assert written(out) == groups_of(result)
    assert pq.read_table(out / "pairs").to_pylist() == result.pairs.to_pylist()
    assert pq.read_table(out / "plan").to_pylist() == result.plan("longest").table.to_pylist()


def test_errors_are_one_line(spark: SparkSession, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "corpus.parquet"
    pq.write_table(pa.table({"id": [1, 1], "text": ["one", "two"]}), table)
    assert main([str(table), str(tmp_path / "out")]) == 2
    assert "lookalike: document 1: id is used by more than one document" in capfd.readouterr().err
    assert main([str(table), str(tmp_path / "out"), "--threads", "2"]) == 2
    assert "lookalike: --threads cannot be used on Spark" in capfd.readouterr().err
