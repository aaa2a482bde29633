"""Names of documents for people: escaped, without the folder that all of them share, and cut to fit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.tables.wording import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["common_folder", "path_of", "quoted", "shorten"]

GAP = "…"


def shorten(name: str, width: int) -> str:
    """Return the name in at most `width` cells; what is cut is in the middle, and the end, which tells more, is longer.

    >>> shorten("essays/2024/autumn/why-tides-rise.txt", 24)
    'essays/…y-tides-rise.txt'
    >>> shorten("雨の日.txt", 7)
    '雨….txt'
    """
    from rich.cells import cell_len, set_cell_size

    shown = visible(name)
    if cell_len(shown) <= width:
        return shown
    head = (width - 1) // 3
    tail = width - 1 - head
    end = shown[-tail:]
    while cell_len(end) > tail:
        end = end[1:]
    return set_cell_size(shown, head).rstrip() + GAP + end


def common_folder(names: Iterable[str]) -> str:
    """Return the folder that all names begin with, with its slash, or nothing.

    >>> common_folder(["a/b/one.txt", "a/b/c/two.txt"]), common_folder(["a/one.txt", "two.txt"])
    ('a/b/', '')
    """
    shared: str | None = None
    for name in names:
        folder = name[: name.rfind("/") + 1]
        if shared is None:
            shared = folder
        while not folder.startswith(shared):
            shared = shared[: shared[:-1].rfind("/") + 1]
        if not shared:
            return ""
    return shared or ""


def quoted(name: str) -> str:
    """Return the name as it is typed in a shell.

    >>> quoted("plain.txt"), quoted("two words.txt")
    ('plain.txt', "'two words.txt'")
    """
    import shlex

    return shlex.quote(name)


def path_of(name: object, paths: Iterable[str]) -> str | None:
    """Return the path of a document that is a file: its name may be that inside one of the folders."""
    for path in (*(Path(folder) / str(name) for folder in paths), Path(str(name))):
        if path.is_file():
            return str(path)
    return None
