"""Files beside the documents, such as marks and tables of names: text that is held as a whole, and so has a limit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from lookalike.documents.text_file import read_text
from lookalike.errors import DocumentError
from lookalike.tables.wording import size

if TYPE_CHECKING:
    import os

__all__ = ["LARGEST", "read_small"]

LARGEST: Final = 100_000_000
"""Bytes; a million rows of a hundred."""


def read_small(path: str | os.PathLike[str], remedy: str) -> str:
    """Return the text of a file, or of standard input; one that is larger than `LARGEST` is not read."""
    try:
        too_large = Path(path).stat().st_size > LARGEST
    except (OSError, ValueError):  # standard input, or no file: the reader says what is wrong
        too_large = False
    if too_large:
        raise DocumentError(str(path), "file", f"is larger than {size(LARGEST)}", remedy)
    return read_text(path).text
