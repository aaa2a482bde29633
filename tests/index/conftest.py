"""An index of each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.index.stores import KINDS, Place, places

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(params=KINDS)
def new(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Place]:
    """Give what makes a new place of each kind."""
    return places(request.param, tmp_path)
