"""What every outcome can be asked, whether executors found it or the driver."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from lookalike.engine.strategy import Strategy
    from lookalike.result import Result
    from lookalike.result.audit import Audit

__all__ = ["Answers"]


class Answers(ABC):
    """Pairs, groups and plans; `SparkResult` tells what they are."""

    documents: int
    hot: int
    strategy: Strategy

    @abstractmethod
    def pairs(self) -> DataFrame:
        """Return the pairs."""

    @abstractmethod
    def groups(self) -> DataFrame:
        """Return the groups."""

    @abstractmethod
    def plan(self, keep: str, *, drop_all: bool) -> DataFrame:
        """Return a plan."""

    @abstractmethod
    def audit(self, sample: int, seed: int) -> Audit:
        """Measure the recall."""

    @abstractmethod
    def sample(self, documents: int) -> Result:
        """Return some clusters as a result."""

    @abstractmethod
    def close(self) -> None:
        """Remove what is kept in files."""
