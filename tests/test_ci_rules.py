"""What conftest.py promises: with CI=true nothing is skipped in silence, and examples are the same on every run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

CONFTEST = Path(__file__).with_name("conftest.py")

SKIPPING = """
import pytest

@pytest.mark.skip(reason="no such thing here")
def test_marked():
    pass

def test_inside():
    pytest.skip("no such thing here")

@pytest.fixture
def missing():
    pytest.skip("no such thing here")

def test_fixture(missing):
    pass

@pytest.mark.xfail(reason="known", strict=True)
def test_expected_to_fail():
    assert False

def test_good():
    pass
"""
SKIPPED_FILE = """
import pytest
pytest.importorskip("there_is_no_such_module")

def test_never():
    pass
"""


def outcome(folder: Path, ci: str) -> tuple[int, str]:
    """Run pytest on a folder of its own with our conftest."""
    shutil.copy(CONFTEST, folder / "conftest.py")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(folder)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env=environment | {"CI": ci}, timeout=120
    )
    return done.returncode, done.stdout.splitlines()[-1]


def test_skips_are_failures_in_ci_only(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(SKIPPING)
    code, summary = outcome(tmp_path, ci="true")
    assert code == 1
    # What is skipped before the test begins, by a mark or a fixture, counts as an error of its set-up.
    assert summary.startswith("1 failed, 1 passed, 1 xfailed, 2 errors")
    code, summary = outcome(tmp_path, ci="")
    assert code == 0
    assert summary.startswith("1 passed, 3 skipped, 1 xfailed")


def test_a_skipped_file_is_a_failure_in_ci_only(tmp_path: Path) -> None:
    (tmp_path / "test_none.py").write_text(SKIPPED_FILE)
    (tmp_path / "test_good.py").write_text("def test_good():\n    pass\n")
    code, summary = outcome(tmp_path, ci="true")
    assert code != 0
    assert "1 error" in summary
    code, summary = outcome(tmp_path, ci="false")
    assert code == 0
    assert "1 skipped" in summary


def test_examples_are_the_same_on_every_run() -> None:
    if os.environ.get("HYPOTHESIS_PROFILE", "default") != "default":
        pytest.xfail("another profile was asked for")
    assert settings().derandomize
    assert settings().deadline is None
    assert settings().max_examples >= 60
