"""Connected components: one task and rounds of stars link the same documents."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.filterwarnings("default")]


def test_both_ways_to_link_pairs_agree(spark: SparkSession) -> None:
    from lookalike.spark.clusters import components_of
    from lookalike.spark.work import Work

    rng = random.Random(5)
    edges = [(n, n + 1) for n in range(8)] + [(100 + n, 100) for n in range(1, 50)]
    edges += [(rng.randrange(1000, 1100), rng.randrange(1000, 1100)) for _ in range(40)]
    edges = [(min(pair), max(pair)) for pair in edges if pair[0] != pair[1]]
    rng.shuffle(edges)
    df = spark.createDataFrame(edges, "a bigint, b bigint")
    one, stars = (components_of(df, len(edges), Work(spark, None, ""), how) for how in ("one", "stars"))
    assert (one.count, one.largest) == (stars.count, stars.largest)
    linked = sorted(map(tuple, one.documents.collect()))
    assert linked == sorted(map(tuple, stars.documents.collect()))
    of_8, of_149 = ([row[1:] for row in linked if row[0] == number] for number in (8, 149))
    assert (of_8, of_149) == ([(0, 9)], [(100, 50)])
