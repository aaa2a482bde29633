"""The file itself: a page, or the page of one pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.report.assemble import assemble
from lookalike.report.one_pair import collect_pair
from lookalike.tables.files import new_file

if TYPE_CHECKING:
    import os

    from lookalike.documents.text_file import TextFile
    from lookalike.report.collect import Page
    from lookalike.text.comparison import Comparison

__all__ = ["write_page", "write_pair"]


def write_page(page: Page, path: str | os.PathLike[str]) -> None:
    """Write a page as one file."""
    with new_file(path, private=True) as stream:
        stream.write(assemble(page).encode())


def write_pair(
    a: TextFile,
    b: TextFile,
    found: Comparison,
    path: str | os.PathLike[str],
    *,
    least: int | None = None,
    command: str = "",
) -> None:
    """Write the page of one pair."""
    write_page(collect_pair(a, b, found, least=least, command=command), path)
