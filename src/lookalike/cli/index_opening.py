"""Opening an index that a person has named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.errors import StoreError

if TYPE_CHECKING:
    from lookalike.index.contract import Store

__all__ = ["open_index"]


def open_index(where: str) -> Store:
    """Open an index that is there."""
    from lookalike.index.opening import MEMORY, open_store

    if where == MEMORY:
        raise StoreError(where, "is gone when a command ends", "give the name of a file, or a postgresql:// URL")
    try:
        return open_store(where, None, None, None, None, False, False)
    except StoreError as error:
        if error.problem != "does not exist":
            raise
        raise StoreError(error.store, error.problem, "check the name, or make it: lookalike index build") from None
