"""A memory budget as a promise: whether a search fits, and if not, the same search in files."""

from __future__ import annotations

import hashlib
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike import checks
from lookalike.documents import Source, open_documents
from lookalike.errors import RecipeError
from lookalike.search.large import LEAST_MEMORY, LargeSearch
from lookalike.search.load import Loaded
from lookalike.search.workdir import WorkDir

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from lookalike.engine.strategy import Strategy
    from lookalike.recipe import Recipe

__all__ = ["FilePlan", "memory_needed", "plan_files"]

PAGE = 2_000
"""Bytes of a document where only the size of the whole is known."""
BASE = 150 * 2**20
"""What Python, Arrow and the libraries take before any document."""


def memory_needed(size: int, documents: int | None, recipe: Recipe) -> int:
    """Return about how many bytes a search in memory takes: texts, signatures, and the sets of candidates."""
    count = documents if documents is not None else size // PAGE
    return BASE + 3 * size + count * (4 * recipe.hashes + 512)


def plan_files(
    documents: Any, against: Any, recipe: Recipe, memory: int | None, work: str | os.PathLike[str] | None
) -> FilePlan | None:
    """Return how to search in files, or None if the search fits into memory or is there already."""
    budget = None if memory is None else checks.whole("memory", memory, 1)
    if budget is not None and budget < LEAST_MEMORY:
        raise RecipeError("memory", memory, f"at least {LEAST_MEMORY} bytes (512 MiB)")
    if not _is_outside(documents):
        return None
    source = open_documents(documents)
    old = None if against is None else open_documents(against)
    sizes = [s.size() for s in (source, old) if s is not None]
    needed = sum(memory_needed(size.bytes, size.documents, recipe) for size in sizes)
    if work is None and (budget is None or needed <= budget):
        return None
    return FilePlan(source, old, budget or max(LEAST_MEMORY, 2**31), None if work is None else Path(work))


def _is_outside(documents: Any) -> bool:
    """Tell whether documents are still to be read: a list is in memory already."""
    return isinstance(documents, Source) or hasattr(documents, "__fspath__")


@dataclass(frozen=True, slots=True)
class FilePlan:
    """A search that keeps its signatures, keys and sets in files."""

    source: Source
    old: Source | None
    memory: int
    work: Path | None

    def run(
        self,
        strategy: Strategy,
        recipe: Recipe,
        ignored: set[int],
        threads: int,
        progress: Callable[[str, int, int | None], None] | None,
    ) -> tuple[Loaded, int | None, dict[str, Any]]:
        """Search; a folder that was given is left as it is until the search has ended well, and then emptied."""
        if self.work is not None:
            return self._run_in(self.work, strategy, recipe, ignored, threads, progress)
        with tempfile.TemporaryDirectory(prefix="lookalike-") as folder:
            return self._run_in(Path(folder), strategy, recipe, ignored, threads, progress)

    def _run_in(
        self,
        folder: Path,
        strategy: Strategy,
        recipe: Recipe,
        ignored: set[int],
        threads: int,
        progress: Callable[[str, int, int | None], None] | None,
    ) -> tuple[Loaded, int | None, dict[str, Any]]:
        work = WorkDir(folder, self._identity(strategy, recipe, ignored))
        search = LargeSearch(
            work, self.source, recipe, strategy, sorted(ignored), self.memory, threads, self.old, progress
        )
        found = search.run()
        old_from = search.old_from if self.old else None
        ids, lengths = search.ids()
        skipped, notes, flags = search.said(ids)
        loaded = Loaded(
            ids=ids,
            texts=[],
            lengths=lengths,
            skipped=skipped,
            notes=notes,
            flags=flags,
            source=self.source if self.old is None else None,
        )
        work.clear()
        return loaded, old_from, found

    def _identity(self, strategy: Strategy, recipe: Recipe, ignored: set[int]) -> dict[str, Any]:
        """Say what the search is about: a folder with another search in it is refused."""
        sources = [s for s in (self.source, self.old) if s is not None]
        return {
            "recipe": str(recipe),
            "threshold": strategy.threshold,
            "bands": str(strategy.bands),
            "least": strategy.least,
            "ignored": hashlib.sha256(json.dumps(sorted(ignored)).encode()).hexdigest(),
            "sources": [s.name for s in sources],
            "bytes": [s.size().bytes for s in sources],
            "memory": self.memory,
        }
