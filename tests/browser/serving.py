"""A server of lookalike for a browser to open: over a file in a process of its own, over memory in a thread."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import lookalike as la
from lookalike.index.store_opening import open_store
from tests.server.live import child, in_thread

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["built", "served", "served_in_memory"]


def built(
    path: Path,
    documents: Mapping[str, str] | Mapping[int, str],
    keep: str | None = None,
    recipe: la.Recipe | None = None,
) -> Path:
    """Make an index in a file."""
    with la.Index.open(path, recipe=recipe, keep=keep, create=True) as index:
        index.add(dict(documents))
    return path


@contextmanager
def served(index: Path, *options: str) -> Iterator[str]:
    """Serve an index in a file; gives the address."""
    with child(index, *options, log=index.with_suffix(".log")) as site:
        yield site.url


@contextmanager
def served_in_memory(documents: Mapping[str, str], keep: str | None = None, preset: str | None = None) -> Iterator[str]:
    """Serve an index in memory; gives the address."""
    store = open_store(":memory:", None, None, None, keep, False, None, preset)
    la.Index(store).add(dict(documents))
    with in_thread(store) as site:
        yield site.url
