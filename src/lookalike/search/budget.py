"""What a search takes of memory: estimated before it runs, and divided where there is a limit.

The figures are measured: `python -m benchmarks.estimates` compares them with whole processes.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lookalike import _native
from lookalike.documents.combined_source import KEPT
from lookalike.engine import HELD, UNIT_LENGTH
from lookalike.errors import RecipeError, check_whole
from lookalike.tables.spelling import Bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lookalike.engine import Strategy
    from lookalike.search.intake import SearchInput

__all__ = [
    "LEAST_MEMORY",
    "PAGE",
    "Footprint",
    "check_memory",
    "join_factor",
    "left",
    "resident",
    "row_bytes",
    "stored_bytes",
]

LEAST_MEMORY: Final = 512 * 2**20
PAGE: Final = 2_000
"""Bytes of a document where only the size of the whole is known."""
PROCESS: Final = 128 * 2**20
"""What a process with the usual libraries takes, with what it reads, where the system does not tell."""
_LOADED: Final = 4 * 2**20
"""What is loaded while a search runs."""
_ARROW: Final = 60 * 2**20
"""What is loaded besides for tables that Python reads."""
_ROW: Final = 36
"""Bytes that are kept of a document besides its keys and slots."""
_BESIDE: Final = 104
"""Bytes of a document besides its row: place, class, id, length, a second digest, its part of the tables of bands."""
_THREAD: Final = 4 * 2**20
"""What a thread takes to read and sign: blocks of a file, and buffers for a text of average length."""
_PAGE_ROWS: Final = 1024
_LEAST_PAGE: Final = 2**20
"""Writers end a page of Parquet after so many rows, once it has so many bytes."""
_PAGES: Final = 5
"""Pages that a thread holds: packed, unpacked, those that texts are still taken from, and what is free between them."""
_AHEAD: Final = 64 * 2**20
"""Bytes that Arrow has read of a table and not yet given."""
_WAITING: Final = 32 * 2**20
"""Bytes of batches that Python has read and no thread has signed."""
_ALIKE: Final = 0.25
"""The share of the text that is in documents with a near-duplicate, as on the web; only a search would tell."""
_AT_ONCE: Final = 0.35
"""The share of their sets that is held at once: those of documents whose copies have all been read are released."""
_JOINED: Final = 2.1
"""What may be taken of texts that are compared, as a multiple of what is held of them; at a low threshold more."""
_SETS: Final = 0.9
"""What sets take that are joined, as a multiple of what is estimated of them; an index comes on top."""
_INDEX: Final = 1.5, 1.0
"""What the index of a set takes, as a multiple of its prefix, if few documents are alike: Jaccard, containment."""
_FULL_INDEX: Final = 4.0, 5.0
"""What it takes at most, if all are alike: all that is in a prefix is in other documents too, and has postings."""
_PAIR: Final = 40
"""Bytes of a pair that is listed."""
_LEAST_HELD: Final = 32 * 2**20
"""Bytes of sets that are held in any case: with fewer the texts would be read again too often."""


def check_memory(memory: int | None) -> int | None:
    """Return a limit of memory, unless it is too low to search at all."""
    if memory is not None and check_whole("memory", memory, 1) < LEAST_MEMORY:
        raise RecipeError("memory", Bytes(memory), f"at least {Bytes(LEAST_MEMORY)}")
    return memory


def resident() -> int:
    """Return how many bytes of memory this process has at the moment."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):  # not Linux
        return PROCESS


def stored_bytes(strategy: Strategy) -> int:
    """Return how many bytes the row of a document takes in a file."""
    return _ROW + strategy.recipe.hashes + 4 * (strategy.bands.bands if strategy.bands else 0)


def row_bytes(strategy: Strategy) -> int:
    """Return how many bytes are kept of a document once its text is released."""
    return _BESIDE + stored_bytes(strategy)


def join_factor(strategy: Strategy, *, most: bool = False) -> float:
    """Return what joining sets takes, as a multiple of the sets: if few documents are alike, or if all are.

    The index has the first 1 - threshold of each set, its prefix: at 0.1 nearly everything.
    """
    if strategy.method == "brute":
        return _SETS
    index = (_FULL_INDEX if most else _INDEX)[strategy.metric == "containment"]
    factor = _SETS + index * (1 - strategy.threshold)
    return max(_JOINED, factor) if most else factor


def left(memory: int, taken: int, factor: float = _JOINED) -> int:
    """Return how many bytes of sets may be held within a limit, of which so many are taken.

    Comparing them takes `factor` times as much: see `join_factor`.
    """
    return max(_LEAST_HELD, int((memory - taken) / factor))


class Footprint:
    """What the search of some inputs takes: all figures in bytes."""

    def __init__(self, inputs: Sequence[SearchInput], size: int, documents: int | None, threads: int) -> None:
        """Take inputs whose texts have `size` bytes; `threads` read them, 0 for one per core."""
        self.size = size
        self.documents = documents if documents is not None else size // PAGE
        self._inputs = inputs
        has_pages = any(one.has_pages for one in inputs)
        page = max(_LEAST_PAGE, _PAGE_ROWS * size // max(1, self.documents)) if has_pages else 0
        self._thread = _THREAD + _PAGES * min(page, size)
        self._threads = threads or os.cpu_count() or 1

    def threads(self, memory: int | None) -> int:
        """Return how many threads may read: their buffers take a quarter of a limit at most."""
        return self._threads if memory is None else max(1, min(self._threads, memory // 4 // self._thread))

    def reading(self, memory: int | None = None) -> int:
        """Return what reading takes, beside the process and what is kept of the documents."""
        buffers = _LOADED + min(self.size, self.threads(memory) * self._thread)
        if all(one.is_cheap for one in self._inputs):
            return buffers
        arrow = _ARROW + min(self.size, _AHEAD) if any(one.has_tables for one in self._inputs) else 0
        return buffers + arrow + min(self.size, KEPT) + min(self.size, _WAITING)

    def kept(self, strategy: Strategy, *, most: bool = False) -> int:
        """Return what is kept of all documents between the two reads; for an exact join, what the join takes."""
        if strategy.method in ("lsh", "signatures"):
            return self.documents * row_bytes(strategy)
        return self.documents * (_ROW + _BESIDE) + round(join_factor(strategy, most=most) * self.sets(strategy))

    def sets(self, strategy: Strategy) -> int:
        """Return how many bytes the sets of shingles of all documents take."""
        recipe = strategy.recipe
        return 8 * max(0, self.size // UNIT_LENGTH[recipe.unit] - self.documents * (recipe.k - 1))

    def verifying(self, strategy: Strategy, *, most: bool = False) -> int:
        """Return what is held of documents while they are compared: usually, or if most of them are alike."""
        by_rows = strategy.method in ("lsh", "signatures")
        sets = self.sets(strategy) if by_rows else 0
        return (
            round(join_factor(strategy, most=True) * min(HELD, sets))
            if most
            else min(HELD, round(_ALIKE * _AT_ONCE * sets))
        )

    @property
    def _pairs(self) -> int:
        """What pairs take if they are as many as can be listed."""
        return _PAIR * min(_native.limits(self.documents)[1], self.documents * (self.documents - 1) // 2)

    def whole(self, strategy: Strategy, process: int, *, most: bool = False) -> int:
        """Return what a process takes that has `process` bytes before it searches."""
        # What is kept of the documents is released before they are compared, but for a few bytes.
        compared = self.documents * (_BESIDE // 2) + self.verifying(strategy, most=most)
        return process + self.reading() + max(self.kept(strategy, most=most), compared) + (self._pairs if most else 0)

    def fits(self, strategy: Strategy, process: int, memory: int) -> bool:
        """Return whether a search stays within a limit without files, also if all documents are alike."""
        held = min(HELD, self.sets(strategy)) if strategy.method in ("lsh", "signatures") else 0
        return process + self.reading(memory) + self.kept(strategy, most=True) + held <= memory

    def left(self, strategy: Strategy, memory: int, taken: int) -> int:
        """Return how many bytes of sets may be held by a process that has taken so much, and will read once more."""
        return left(memory, taken + self.reading(memory), join_factor(strategy, most=True))
