"""One cluster for all tests of Spark: they are one group for pytest-xdist, so one worker runs them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest

from tests.spark.cluster import java_is_there, start

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    if not java_is_there():
        pytest.skip("no Java: make setup installs it")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of PySpark and pandas are not ours
        session = start()
        yield session
        session.stop()


@pytest.fixture(scope="session")
def las() -> Any:
    import lookalike.spark

    return lookalike.spark
