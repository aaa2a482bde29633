"""The job: `python -m lookalike.spark INPUT OUTPUT` writes what `lookalike scan` and `dedupe` find."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.documents import Limits, open_paths
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
    scan = [sys.executable, "-m", "lookalike", "scan", str(corpus), "--threshold", "0.8", "--format", "json"]
    result = json.loads(subprocess.run(scan, capture_output=True, text=True, check=True).stdout)
    groups = sorted((own, number) for number, group in enumerate(result["groups"]) for own in group["members"])
    assert len(groups) > 20
    assert written(tmp_path / "out") == groups
    pairs = pq.read_table(tmp_path / "out" / "pairs")
    assert pairs.to_pylist() == result["pairs"]
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


def test_files_and_rows_are_named_and_ordered_as_in_a_scan(
    spark: SparkSession, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Rows without ids, names that a URL writes otherwise, given bands, and a text that is too large."""
    corpus, out = tmp_path / "corpus", tmp_path / "out"
    (corpus / "x").mkdir(parents=True)
    names = ["é.parquet", "x 1.parquet", "x+1.parquet", "x!.parquet", "x%41.parquet", "x/a.parquet", "y.parquet"]
    for number, name in enumerate(names):
        part = TEXTS[number :: len(names)] + ["large " * 900] * (name == "y.parquet")
        pq.write_table(pa.table({"body": part}), corpus / name)
    options = ["-t", "0.6", "--bands", "9", "--rows", "4", "--text-column", "body", "--max-document", "5kB"]
    assert main([str(corpus), str(out), *options, "--method", "lsh"]) == 0
    assert "note: 1 document skipped: each is larger than 5 kB" in capfd.readouterr().err
    source = open_paths([str(corpus)], text_column="body", limits=Limits(document=5000))
    result = la.find(source, 0.6, bands=la.Bands(9, 4), method="lsh")
    assert result.documents == len(TEXTS)
    assert pq.read_table(out / "pairs").to_pylist() == result.pairs.to_pylist()
    assert written(out) == groups_of(result)


def test_parquet_against_a_folder_of_texts(spark: SparkSession, tmp_path: Path) -> None:
    new, old = tmp_path / "new.parquet", tmp_path / "old"
    old.mkdir()
    for number, text in enumerate(TEXTS[80:]):
        (old / f"{number:03}.txt").write_text(text, encoding="utf-8")
    pq.write_table(pa.table({"key": [f"d{number}" for number in range(100)], "body": TEXTS[:100]}), new)
    columns = ["--text-column", "body", "--id-column", "key"]
    assert main([str(new), str(tmp_path / "out"), *columns, "--against", str(old), "--method", "lsh"]) == 0
    given = {f"d{number}": text for number, text in enumerate(TEXTS[:100])}
    result = la.find(given, 0.8, against=open_paths([str(old)]), method="lsh")
    assert sum(row["b_old"] for row in result.pairs.to_pylist()) > 20
    assert pq.read_table(tmp_path / "out" / "pairs").to_pylist() == result.pairs.to_pylist()
    assert pq.read_table(tmp_path / "out" / "plan").to_pylist() == result.plan().table.to_pylist()


def test_nothing_is_searched_in_vain(spark: SparkSession, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    table, out = tmp_path / "corpus.parquet", tmp_path / "out"
    pq.write_table(pa.table({"text": ["one", "one"]}), table)
    assert main([str(table), str(out)]) == 0
    assert pq.read_table(out / "pairs").select(["a", "b"]).to_pylist() == [{"a": 0, "b": 1}]
    capfd.readouterr()
    assert main([str(table), str(out)]) == 2
    said = capfd.readouterr().err
    assert f"lookalike: {out} already contains pairs, groups, plan; name another folder, or add --overwrite" in said
    assert main([str(table), str(out), "--overwrite"]) == 0
    assert main([str(tmp_path / "nothing"), str(out / "other")]) == 2
    assert "nothing does not exist: check the name" in capfd.readouterr().err
    table.write_bytes(b"PAR1 and nothing else PAR1")
    assert main([str(table), str(out / "other")]) == 2
    said = capfd.readouterr().err
    assert "lookalike: Spark failed: " in said
    assert "bug" not in said


def test_errors_are_one_line(spark: SparkSession, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "corpus.parquet"
    pq.write_table(pa.table({"id": [1, 1], "text": ["one", "two"]}), table)
    assert main([str(table), str(tmp_path / "out")]) == 2
    assert "lookalike: document 1: id is used by more than one document" in capfd.readouterr().err
    assert main([str(table), str(tmp_path / "out"), "--threads", "2"]) == 2
    assert "lookalike: --threads cannot be used on Spark" in capfd.readouterr().err
    for option, given, allowed in (("--method", "brute", "auto, lsh, exact"), ("--metric", "cosine", "jaccard")):
        assert main([str(table), str(tmp_path / "out"), option, given]) == 2
        assert f"{option} must be {allowed}" in capfd.readouterr().err


def test_a_refused_job_leaves_no_work(spark: SparkSession, tmp_path: Path) -> None:
    rows: list[dict[str, list[Any]]] = [
        {"id": [1, 1], "text": ["one", "two"]},
        {"id": [1, 2], "text": ["one", None]},
    ]
    out = tmp_path / "out"
    for number, table in enumerate(rows):
        path = tmp_path / f"{number}.parquet"
        pq.write_table(pa.table(table), path)
        for options in ([], ["--bands", "9", "--rows", "4", "--method", "lsh"]):
            assert main([str(path), str(out), *options]) == 2
            assert not (out / "_work").exists()
    lines = tmp_path / "corpus.jsonl"
    lines.write_text('{"id": 1, "text": "one"}\n{"id": 1, "text": "two"}\n', encoding="utf-8")
    assert main([str(lines), str(out)]) == 2
    assert not (out / "_work").exists()
    (out / "_work").mkdir(parents=True)  # that of a job that was killed: the next one may continue there
    assert main([str(tmp_path / "0.parquet"), str(out)]) == 2
    assert (out / "_work").is_dir()


def test_a_column_of_text_is_not_guessed(
    spark: SparkSession, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    table, out = tmp_path / "corpus.parquet", tmp_path / "out"
    pq.write_table(pa.table({"key": ["a", "b"], "body": ["one", "one"]}), table)
    assert main([str(table), str(out)]) == 2
    said = capfd.readouterr().err
    assert "text column cannot be chosen among the columns 'key', 'body'; say which has the texts" in said
    assert not (out / "pairs").exists()
    assert main([str(table), str(out), "--text-column", "body"]) == 0
    assert f"note: {table}: rows are numbered" in capfd.readouterr().err
    assert main([str(table), str(out), "--text-column", "body", "--id-column", "key", "--overwrite"]) == 0
    assert "note: " not in capfd.readouterr().err
    assert pq.read_table(out / "pairs").select(["a", "b"]).to_pylist() == [{"a": "a", "b": "b"}]
    pq.write_table(pa.table({"body": ["one", "one"]}), table)
    assert main([str(table), str(out), "--overwrite"]) == 0
    assert f"note: {table}: texts from the column 'body', rows are numbered" in capfd.readouterr().err
