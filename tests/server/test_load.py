"""Many connections at the same time: every answer is right, and memory stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.server.load import run_load

if TYPE_CHECKING:
    from pathlib import Path


def test_as_many_connections_as_are_allowed(tmp_path: Path) -> None:
    found = run_load(tmp_path, 64, 4.0, seed=1)
    assert set(found["answers"]) == {"right"}, found
    assert found["answers"]["right"] >= 64, found
    before, after = found["memory MB"]
    assert after < 1.5 * before + 50, found
