"""`--against`: old documents, in files or in an index."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lookalike.cli.index_opening import open_index
from lookalike.cli.options import typed
from lookalike.errors import DocumentError, MismatchError, RecipeError, StoreError
from lookalike.recipe import Recipe

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lookalike.cli.reading import Reading
    from lookalike.documents import Source

__all__ = ["is_index", "old_documents", "refuse_servers", "without_password"]

_SERVER: Final = ("postgresql://", "postgres://")
_SQLITE: Final = b"SQLite format 3\0"
_APPLICATION: Final = slice(68, 72)
"""Where the header of a file says whose it is."""


def old_documents(against: Sequence[str], recipe: Recipe, reading: Reading, memory: int | None) -> Source | None:
    """Open what new documents are compared with."""
    if not against:
        return None
    if not any(map(is_index, against)):
        return reading.open(against, memory)
    if len(against) > 1:
        shown = " ".join(map(without_password, against))
        raise RecipeError("--against", shown, "given once where it is an index", "add the other documents to the index")
    from lookalike.index.index_documents import IndexSource

    store = open_index(against[0])
    if store.settings.keep != "text":
        problem, remedy = "keeps no texts to compare with", "use lookalike check, or build it with --keep text"
        raise StoreError(store.name, problem, remedy)
    _check_recipe(store.settings.recipe, recipe, store.name, secret=store.settings.secret)
    return IndexSource(store)


def _check_recipe(own: Recipe, recipe: Recipe, name: str, *, secret: bool) -> None:
    """Refuse another recipe than that of the index, and say which options make it."""
    if secret:
        own = own.replace(seed=recipe.seed)
    if differ := own.differences(recipe):
        wanted = " ".join(typed(own, Recipe())) or "no options of the recipe"
        raise MismatchError(name, f"this scan (give it {wanted})", differ)


def is_index(path: str) -> bool:
    """Tell whether a path is an index: the address of a server, or a file whose header says so."""
    if path.startswith(_SERVER):
        return True
    header = b""
    with suppress(OSError, ValueError):
        if Path(path).is_file():
            with Path(path).open("rb") as file:
                header = file.read(_APPLICATION.stop)
    if not header.startswith(_SQLITE):
        return False
    from lookalike.index.sqlite_schema import APPLICATION

    return int.from_bytes(header[_APPLICATION], "big") == APPLICATION


def refuse_servers(paths: Iterable[str]) -> None:
    """Refuse the address of a server where documents are expected: a message about a file would show its password."""
    for path in paths:
        if path.startswith(_SERVER):
            remedy = "give it with --against, or to lookalike check with --index"
            raise DocumentError(without_password(path), "file", "is an index, not a document", remedy)


def without_password(path: str | os.PathLike[str]) -> str:
    """Return a path as it may be shown and saved: the address of a server without a user, a password or options.

    >>> without_password("postgresql://me:secret@host/db?password=secret#essays"), without_password("old/")
    ('postgresql://host/db#essays', 'old/')
    """
    name = os.fspath(path)
    if not name.startswith(_SERVER):
        return name
    from lookalike.index.postgres_store import Address

    return Address.of(name).name
