"""Rules for all tests: how many examples hypothesis tries, and that in CI nothing is skipped."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Generator

# Tests share helpers as `tests.<folder>.<module>`: the same name from the root, from an editor, and for mypy.
sys.path.insert(0, str(Path(__file__).parents[1]))

# `default` tries the same examples on every run, so that a failure is about the change and not about luck.
# `thorough` looks for new ones: HYPOTHESIS_PROFILE=thorough pytest tests/property
_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]  # the reference is slow on purpose
settings.register_profile(
    "default", max_examples=60, derandomize=True, deadline=None, database=None, suppress_health_check=_SLOW
)
settings.register_profile("thorough", max_examples=2_000, deadline=None, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def _nothing_may_be_missing() -> bool:
    return os.environ.get("CI", "").lower() in ("1", "true")


def _refuse_to_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    # An expected failure is reported as skipped too, and is none.
    if _nothing_may_be_missing() and report.skipped and not hasattr(report, "wasxfail"):
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"skipped, which counts as a failure with CI=true: {why}"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Make a skipped test a failure in CI."""
    report = yield
    _refuse_to_skip(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Make a skipped file a failure in CI."""
    report = yield
    _refuse_to_skip(report)
    return report
