"""The two doors: the report of a result, and the page of one pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.report.assemble import assemble
from lookalike.report.collect import collect
from lookalike.report.one_pair import collect_pair
from lookalike.result.write import new_file

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from lookalike.documents.metadata import Metadata
    from lookalike.documents.text_file import TextFile
    from lookalike.report.collect import Limits
    from lookalike.report.marks import Marks
    from lookalike.result import Result
    from lookalike.similarity.compare import Comparison

__all__ = ["write_pair", "write_report"]


def write_report(
    result: Result,
    path: str | os.PathLike[str],
    *,
    texts: Any = None,
    metadata: Mapping[str, Metadata] | None = None,
    marks: Marks | None = None,
    limits: Limits | None = None,
) -> str:
    """Write the report of a result, and return what could not be shown, as one line for people, or nothing."""
    page = collect(result, texts=texts, metadata=metadata, marks=marks, limits=limits)
    _write(path, assemble(page))
    return str(page.head["problem"])


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
    _write(path, assemble(collect_pair(a, b, found, least=least, command=command)))


def _write(path: str | os.PathLike[str], page: str) -> None:
    with new_file(path) as stream:
        stream.write(page.encode())
