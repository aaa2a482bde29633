"""What changes with the size of a collection, with the limits lowered: the answers stay those of the library."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.engine.bands import limits_for
from lookalike.spark import candidates, clusters, spark_sign, verify
from tests.corpus import near_copy, prose
from tests.spark.cluster import answer, frame, mixed, same_answer

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.filterwarnings("default")]

TEXTS = mixed(4, 60)


def test_several_passes_whole_keys_tiles_and_stars(
    spark: SparkSession, las: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "HALVES", 0)  # whole keys
    monkeypatch.setattr(candidates, "ROWS", 10 * len(TEXTS))  # ten bands in each pass
    monkeypatch.setattr(candidates, "TILE", 3)
    monkeypatch.setattr(verify, "CELL", 6)
    monkeypatch.setattr(clusters, "ONE_NODE", 0)
    monkeypatch.setattr(spark_sign, "FEW", 0)  # nothing is sorted in one task, or sent to all executors
    found = las.find(frame(spark, TEXTS), 0.7, method="lsh", work=tmp_path.as_uri())
    same_answer(found, la.find(TEXTS, 0.7, method="lsh"))
    stages = {path.name for path in tmp_path.iterdir() if path.is_dir()}
    assert {"buckets-0", "buckets-10", "buckets-20", "round-0", "round-1"} <= stages
    assert found.strategy.bands is not None
    assert sum(name.startswith("buckets-") for name in stages) == -(-found.strategy.bands.bands // 10)


@pytest.mark.parametrize("together", [candidates.HOT_TOGETHER, 0], ids=["one task", "by component"])
def test_hot_documents(
    spark: SparkSession, las: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: int
) -> None:
    """Two pages in many versions and a template; the documents of the large buckets are joined by themselves."""
    rng = random.Random(6)
    versions = [prose(rng, 100), prose(rng, 90)]
    template = prose(rng, 100)
    texts = [" ".join(near_copy(rng, versions[number % 2], 1)) for number in range(240)]
    texts += [" ".join([*template, *prose(rng, 25)]) for _ in range(120)]
    texts += mixed(8, 20)
    rng.shuffle(texts)
    monkeypatch.setattr(
        candidates, "limits_for", lambda *given: limits_for(*given)._replace(proposals=5000, pairs=2000)
    )
    monkeypatch.setattr(candidates, "HOT_TOGETHER", together)
    found = las.find(frame(spark, texts), 0.8, method="lsh", work=tmp_path.as_uri())
    assert found.hot > 200
    assert found.recall.limited == found.hot
    expected = la.find(texts, 0.8, method="exact")  # so are hot documents joined, whoever makes them hot
    groups = [(row["id"], row["group"], row["principal"]) for row in found.groups.toArrow().to_pylist()]
    assert groups == answer(expected)["groups"]
    assert (tmp_path / "verified-hot").is_dir()
    longest = found.plan("longest").toArrow().to_pylist()
    assert longest == expected.plan("longest").table.to_pylist()
