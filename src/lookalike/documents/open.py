"""The two doors to documents: what a person types on a command line, and what a program holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.documents.arrow import source_of_frame
from lookalike.documents.given import Given, given_as, refusal
from lookalike.documents.limits import LIMITS, Limits
from lookalike.documents.memory import MemorySource
from lookalike.documents.paths import PathOptions, source_of_paths
from lookalike.errors import DocumentError

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from lookalike.documents.source import Source

__all__ = ["open_documents", "open_paths"]


def open_paths(
    paths: Sequence[str | os.PathLike[str]],
    *,
    text_column: str | None = None,
    id_column: str | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    encoding: str = "auto",
    hidden: bool = False,
    limits: Limits | None = None,
) -> Source:
    """Open folders, files, globs of files and ``-`` (standard input) as one source.

    * A folder is read with all folders in it, and each text file is a document; so is each pdf, docx, odt, pptx, epub,
      rtf, html, eml, Markdown and LaTeX file, of which the text is taken.
    * Zip and tar files are read like folders; a member has an id like ``essays.zip/anna/essay.docx``.
    * ``.parquet``, ``.arrow``, ``.feather``, ``.jsonl``, ``.json``, ``.csv`` and ``.tsv`` files that are named directly
      give a document for each row.
    * Any other file that is named directly is one document.

    `include` and `exclude` are globs on the path inside a folder; `hidden` also reads what begins with a dot. `limits`
    say how large a document may be, and how far a compressed file may unfold.
    """
    options = PathOptions(text_column, id_column, tuple(include), tuple(exclude), encoding, hidden, limits or LIMITS)
    return source_of_paths(paths, options)


def open_documents(
    documents: object,
    *,
    text_column: str | None = None,
    id_column: str | None = None,
    limits: Limits | None = None,
) -> Source:
    """Open what a program holds: a source, a list, tuple or iterator of str, a dict id → str, a `Path` or a data frame.

    A data frame is anything that exports an Arrow stream (pyarrow, pandas, polars, DuckDB, Hugging Face datasets).
    Documents without an id get their position, from 0. `limits` are for files: what is in memory already has none.

    >>> source = open_documents({"a": "one", "b": "two"})
    >>> [list(batch.ids) for batch in source.batches()]
    [['a', 'b']]
    """
    given = given_as(documents)
    held: Any = documents
    if given is Given.ITERABLE:
        held = list(held)
        given = given_as(held)
    if given is Given.SOURCE:
        source: Source = held
        return source
    if given in (Given.PATH, Given.PATHS):
        options = PathOptions(text_column, id_column, limits=limits or LIMITS)
        return source_of_paths([held] if given is Given.PATH else held, options)
    if given.is_frame:
        return source_of_frame(held, given, text_column, id_column)
    if given not in (Given.SEQUENCE, Given.MAPPING):
        raise refusal(documents, given)
    if text_column or id_column:
        column = text_column or id_column
        remedy = "leave text_column and id_column out, or give a data frame"
        raise DocumentError(0, f"column {column!r}", "is in no table: the documents are texts", remedy)
    return MemorySource(held)
