"""How large documents and files may be: one set of limits for every reader.

They keep a process below 300 MB, whatever a file claims or expands to. Texts and tables that a program already holds
are not limited.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from lookalike import checks
from lookalike.errors import DocumentError

__all__ = ["HARMLESS", "LIMITS", "MOST_COLUMNS", "Limits", "too_many_columns"]

HARMLESS: Final = 256 << 20
"""Bytes that any compressed or dictionary-encoded file may expand to, however small it is."""

MOST_COLUMNS: Final = 10_000
"""Columns of one table."""

_BASE: Final = 128 << 20
"""Bytes of a process beside the document that it reads: Python, the libraries, rows and buffers."""
_TIMES: Final = 12
"""How many times its size a document takes while it is read and signed: in other forms, and beside others."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What is skipped or refused for its size.

    >>> Limits(document=1 << 20).too_large("it")
    'it is larger than 1 MiB; --max-document SIZE (in Python: Limits(document=...)) allows more'
    """

    document: int = 16 << 20
    """Bytes of one document: a text file, a line of JSON, a cell, the text of a PDF. A larger one is skipped."""
    expansion: int = 200
    """How many times its size a file may expand to, beyond 256 MiB. One that expands to more is refused."""
    memory: int | None = None
    """The budget for which `document` was lowered, if it was."""

    def __post_init__(self) -> None:
        """Check the numbers."""
        checks.whole("max_document", self.document, 1)
        checks.whole("max_expansion", self.expansion, 1)

    def within(self, memory: int | None) -> Limits:
        """Return limits under which one document never takes a process beyond a budget of memory.

        >>> Limits(document=10**9).within(600_000_000).document
        38815189
        """
        most = self.document if memory is None else max(1 << 20, (memory - _BASE) // _TIMES)
        return self if most >= self.document else replace(self, document=most, memory=memory)

    def most(self, packed: int) -> int:
        """Return how many bytes a file of `packed` bytes may expand to."""
        return max(HARMLESS, packed * self.expansion)

    def allows_whole(self, packed: int, unpacked: int) -> bool:
        """Return whether something that is held whole may expand to so many bytes: a fourth of what a file may."""
        return unpacked <= max(HARMLESS // 4, packed * self.expansion)

    def native(self) -> tuple[int, int, int, int]:
        """Return the limits as the native readers take them."""
        largest = 2**63 - 1
        return min(self.document, largest), min(self.expansion, largest), HARMLESS, MOST_COLUMNS

    def too_large(self, what: str) -> str:
        """Say that something is larger than a document may be, and how to read it anyway."""
        if self.memory is not None:
            budget = f"what fits into a memory of {_size(self.memory)}"
            return f"{what} is larger than {_size(self.document)}, {budget}; give more --memory (in Python: memory=...)"
        option = "--max-document SIZE (in Python: Limits(document=...))"
        return f"{what} is larger than {_size(self.document)}; {option} allows more"

    def expands(self) -> str:
        """Say that something expands to more than it may, and how to read it anyway."""
        option = "--max-expansion N (in Python: Limits(expansion=N))"
        return f"expands to more than {self.expansion:,} times its size; if that is right, {option} allows more"

    def expansion_error(self, name: str) -> DocumentError:
        """Return the error for a file that expands to more than it may."""
        problem, remedy = self.expands().split("; ", 1)
        return DocumentError(name, "file", problem, remedy)


LIMITS: Final = Limits()
"""The limits unless others are given."""


def too_many_columns(name: str) -> DocumentError:
    """Return the error for a table with more columns than a table may have."""
    remedy = "check what separates its cells, or write only the columns that are needed"
    return DocumentError(name, "table", f"has more than {MOST_COLUMNS:,} columns", remedy)


def _size(count: int) -> str:
    """Return a number of bytes as a person writes it.

    >>> [_size(count) for count in (16 << 20, 600_000_000, 1 << 30, 5000)]
    ['16 MiB', '600 MB', '1 GiB', '5 kB']
    """
    for power, unit in ((3, "G"), (2, "M"), (1, "K")):
        if count and count % 1024**power == 0:
            return f"{count // 1024**power} {unit}iB"
    for power, unit in ((3, "G"), (2, "M"), (1, "k")):
        if count >= 1000**power:
            return f"{count / 1000**power:.4g} {unit}B"
    return f"{count} bytes"
