"""The two doors to documents: what a person types on a command line, and what a program holds.

What only frames or only lists need is imported where one is given: commands read files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.documents.given import Given, accepted, given_as, refusal
from lookalike.documents.limits import LIMITS, Limits
from lookalike.documents.paths import PathOptions, source_of_paths
from lookalike.errors import DocumentError, RecipeError

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from lookalike.documents.source import Source

__all__ = ["one_name", "open_documents", "open_paths"]


def open_paths(
    paths: Sequence[str | os.PathLike[str]],
    *,
    text: str | None = None,
    id: str | None = None,  # noqa: A002 - the name that it has everywhere
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    encoding: str = "auto",
    hidden: bool = False,
    limits: Limits | None = None,
    text_column: str | None = None,
    id_column: str | None = None,
) -> Source:
    """Open folders, files, globs of files, URLs and ``-`` (standard input) as one source.

    * A folder is read with all folders in it, and each text file is a document; so is each pdf, docx, odt, pptx, epub,
      rtf, html, eml, Markdown, LaTeX and notebook file, of which the text is taken.
    * Zip and tar files are read like folders; a member has an id like ``essays.zip/anna/essay.docx``.
    * ``.parquet``, ``.arrow``, ``.feather``, ``.jsonl``, ``.json``, ``.csv`` and ``.tsv`` files that are named directly
      give a document for each row.
    * Any other file that is named directly is one document.
    * ``s3://``, ``gs://``, ``hf://`` and ``https://`` URLs are remote files and folders, with the extra ``remote``.

    `text` and `id` name the columns of tables; ``doc.text`` is the field ``text`` inside the column ``doc``. An id of
    ``""`` numbers the rows. (`text_column` and `id_column` are their older names.)

    `include` and `exclude` are globs on the path inside a folder; `hidden` also reads what begins with a dot. `limits`
    say how large a document may be, and how far a compressed file may expand.
    """
    text, own_id = one_name("text", text, text_column), one_name("id", id, id_column)
    options = PathOptions(text, own_id, tuple(include), tuple(exclude), encoding, hidden, limits or LIMITS)
    return source_of_paths(paths, options)


def open_documents(
    documents: object,
    *,
    text: str | None = None,
    id: str | None = None,  # noqa: A002 - the name that it has everywhere
    limits: Limits | None = None,
    text_column: str | None = None,
    id_column: str | None = None,
) -> Source:
    """Open what a program holds: texts in a list, dict, iterator or array, dicts, a `Path`, a data frame, a source.

    A data frame is one of pyarrow, pandas, polars, DuckDB, Hugging Face datasets, Dask, Daft or Ray, or anything else
    that exports an Arrow stream; several in a dict (a DatasetDict, for one) are read together. `text` and `id` name the
    columns; ``doc.text`` is the field ``text`` inside the column ``doc``. An id of ``""`` numbers the rows. Documents
    without an id get their position, from 0. `limits` are for files: what is in memory already has none.

    (`text_column` and `id_column` are the older names of `text` and `id`.)

    >>> source = open_documents({"a": "one", "b": "two"})
    >>> [list(batch.ids) for batch in source.batches()]
    [['a', 'b']]
    """
    text, own_id = one_name("text", text, text_column), one_name("id", id, id_column)
    given = accepted(documents)
    held: Any = documents
    if given is Given.ITERABLE:
        held = list(held)
        given = given_as(held)
    if given in (Given.PATH, Given.PATHS):
        options = PathOptions(text, own_id, limits=limits or LIMITS)
        return source_of_paths([held] if given is Given.PATH else held, options)
    from lookalike.documents.records import are_records

    if given is Given.SPLITS or given.is_frame or (given is Given.SEQUENCE and are_records(held)):
        return _of_table(held, given, text, own_id)
    if given not in (Given.SOURCE, Given.SEQUENCE, Given.MAPPING, Given.NUMPY):
        raise refusal(documents, given)
    if text or own_id:
        problem = "is in no table: the documents are " + ("a source" if given is Given.SOURCE else "texts")
        remedy = "leave text and id out, or give a table" if given is not Given.SOURCE else "name it when opening it"
        raise DocumentError(None, f"column {text or own_id!r}", problem, remedy)
    if given is Given.SOURCE:
        source: Source = held
        return source
    from lookalike.documents.memory import MemorySource
    from lookalike.documents.records import list_of_array

    texts: Any = list_of_array(held) if given is Given.NUMPY else held
    return MemorySource(texts)


def _of_table(held: Any, given: Given, text: str | None, own_id: str | None) -> Source:
    """Open a frame, several in a dict, or a list of dicts."""
    from lookalike.documents.arrow import source_of_frame, source_of_splits
    from lookalike.documents.records import table_of_records

    if given is Given.SPLITS:
        return source_of_splits(held, text, own_id)
    if given.is_frame:
        return source_of_frame(held, given, text, own_id)
    table, choice = table_of_records(held, text, own_id)
    return source_of_frame(table, Given.ARROW, choice.text, choice.id or "")


def one_name(name: str, given: str | None, older: str | None) -> str | None:
    """Return the name of a column, which may be given under the older name of the argument."""
    if given is not None and older is not None:
        raise RecipeError(name, given, f"given once, and {name}_column is its older name")
    return older if given is None else given
