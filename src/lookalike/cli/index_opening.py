"""Opening an index that a person has named."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lookalike.index.contract import Store

__all__ = ["open_index"]


def open_index(where: str) -> Store:
    """Open an index that is there; what that takes is loaded now."""
    from lookalike.index.store_opening import open_existing

    return open_existing(where)
