"""Which store an index is in, by what was named."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lookalike.errors import RecipeError, StoreError
from lookalike.index.memory import MemoryStore
from lookalike.index.settings import IndexSettings
from lookalike.index.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Callable

    from lookalike.index.contract import Store
    from lookalike.recipe import Recipe

__all__ = ["MEMORY", "is_server", "open_existing", "open_store"]

MEMORY = ":memory:"


def is_server(where: str | os.PathLike[str]) -> bool:
    """Tell whether an index is in PostgreSQL.

    >>> is_server("postgresql://host/db"), is_server("essays.db")
    (True, False)
    """
    return isinstance(where, str) and where.startswith(("postgresql://", "postgres://"))


def open_store(
    where: str | os.PathLike[str],
    recipe: Recipe | None,
    threshold: float | None,
    recall: float | None,
    keep: str | None,
    secret: bool,
    create: bool | None,
) -> Store:
    """Open a store, or create it."""
    if not isinstance(where, str | os.PathLike):
        raise RecipeError("the place of an index", where, "a path, ':memory:' or a postgresql:// URL")

    def chosen() -> IndexSettings:
        return IndexSettings.chosen(recipe, threshold, recall, keep, secret)

    store: Store
    if where == MEMORY:
        return MemoryStore(chosen())
    if is_server(where):
        from lookalike.index.postgres import PostgresStore

        store, new = PostgresStore.open_or_create(str(where), create, chosen)
    else:
        store, new = _open_file(where, create, chosen)
    if not new:
        try:
            store.settings.check_asked(recipe, threshold, recall, keep, secret, store.name)
        except BaseException:
            store.close()
            raise
    return store


def _open_file(
    where: str | os.PathLike[str], create: bool | None, chosen: Callable[[], IndexSettings]
) -> tuple[Store, bool]:
    there = os.path.lexists(where)
    if create is True and there:
        raise StoreError(os.fspath(where), "exists already", "give another name, or open it with create=False")
    if create is False and not there:
        raise StoreError(os.fspath(where), "does not exist", "check the name, or create it with create=True")
    if there:
        return SqliteStore.open(where), False
    return SqliteStore.create(where, chosen()), True


def open_existing(where: str) -> Store:
    """Open an index that is there, and lasts."""
    if where == MEMORY:
        raise StoreError(where, "is gone when a command ends", "give the name of a file, or a postgresql:// URL")
    try:
        return open_store(where, None, None, None, None, False, False)
    except StoreError as error:
        if error.problem != "does not exist":
            raise
        raise StoreError(error.store, error.problem, "check the name, or make it: lookalike index build") from None
