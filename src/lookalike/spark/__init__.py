"""The same search on a Spark cluster: executors run the functions of the engine, and the answer is that of `find`.

    import lookalike.spark as las

    found = las.find(df, threshold=0.8)            # DataFrames: found.pairs, found.groups, found.plan()
    clean = las.drop_near_duplicates(df)

docs/scale.md says how to submit a job, and what it costs.
"""

from __future__ import annotations

from lookalike.errors import MissingExtraError

try:
    import pyspark  # noqa: F401 — to see whether it is installed
except ImportError:
    raise MissingExtraError("lookalike.spark", "spark") from None

from lookalike.spark.spark_find import drop_near_duplicates, find
from lookalike.spark.spark_result import SparkResult

__all__ = ["SparkResult", "drop_near_duplicates", "find"]
