"""Power loss: what was acknowledged is on the disk, and the file is whole, whatever else was on its way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.index.power import lose_power

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_lost(tmp_path: Path, seed: int) -> None:
    assert lose_power(tmp_path, 125, seed) == {"images": 125, "right": 125}


@pytest.mark.parametrize("synchronous", ["NORMAL", "OFF"])
def test_the_test_would_notice(tmp_path: Path, synchronous: str) -> None:
    seen = lose_power(tmp_path, 40, 1, synchronous)
    assert seen["lost"] + seen["damaged"] > 5
