"""The ways to open documents that a program has: texts and tables that it holds, tokens, and one document by its path.

The tokens of a document become a text whose words are the tokens, spelled so that none is cut; docs/format.md, section
2.1, has the rules. A reader is imported when a document asks for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from operator import index
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.document_batches import RefusedError
from lookalike.documents.in_memory import MemorySource, are_records, list_of_array, table_of_records
from lookalike.documents.kinds import Given, Kind, accepted, archive_above, given_as, kind_of, refusal
from lookalike.documents.paths import PathOptions, one_name, open_paths, source_of_paths
from lookalike.documents.raw_input import LIMITS, Limits
from lookalike.documents.source_parts import PartsSource
from lookalike.documents.table import DocumentTable, Rows, TablePart
from lookalike.documents.table_columns import value_at
from lookalike.documents.text_file import READABLE, TextFile, read_text
from lookalike.documents.wrapped_tables import WrappedTable
from lookalike.errors import DocumentError, RecipeError, suggest
from lookalike.opening import is_url, open_file, shown_url
from lookalike.recipe import Recipe
from lookalike.tables.packed import encoded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from lookalike.documents.document_batches import Log
    from lookalike.documents.document_source import Source
    from lookalike.documents.table_columns import Choice

__all__ = ["check_no_text", "open_documents", "open_tokens", "read_document", "spelled", "token_recipe", "token_text"]


# -- what a program holds ----------------------------------------------------------------------------------------------


def open_documents(
    documents: object,
    *,
    text: str | None = None,
    id: str | None = None,  # noqa: A002 - the name that it has everywhere
    limits: Limits | None = None,
    text_column: str | None = None,
    id_column: str | None = None,
    alone: bool = True,
) -> Source:
    """Open what a program holds: texts in a list, dict, iterator or array, dicts, a `Path`, a data frame, a source.

    A data frame is one of pyarrow, pandas, polars, DuckDB, Hugging Face datasets, Dask, Daft or Ray, or anything else
    that exports an Arrow stream; several in a dict (a DatasetDict, for one) are read together. `text` and `id` name the
    columns; ``doc.text`` is the field ``text`` inside the column ``doc``. An id of ``""`` numbers the rows. Documents
    without an id get their position, from 0. `limits` are for files: what is in memory already has none. Columns that
    no file has are an error, unless others are opened with the same columns (not `alone`).

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
        options = PathOptions(text, own_id, limits=limits or LIMITS, alone=alone)
        return source_of_paths([held] if given is Given.PATH else held, options)
    if given is Given.SPLITS or given.is_frame or (given is Given.SEQUENCE and are_records(held)):
        return _of_table(held, given, text, own_id)
    if given not in (Given.SOURCE, Given.SEQUENCE, Given.MAPPING, Given.NUMPY):
        raise refusal(documents, given)
    if text or own_id:
        problem = "does not exist: the documents are " + ("a source" if given is Given.SOURCE else "texts")
        remedy = "omit text and id, or give a table" if given is not Given.SOURCE else "name it when opening it"
        raise DocumentError(None, f"column {text or own_id!r}", problem, remedy)
    if given is Given.SOURCE:
        source: Source = held
        return source
    texts: Any = list_of_array(held) if given is Given.NUMPY else held
    return MemorySource(texts)


def _of_table(held: Any, given: Given, text: str | None, own_id: str | None) -> Source:
    """Open a frame, several in a dict, or a list of dicts."""
    from lookalike.documents.data_frames import source_of_frame, source_of_splits

    if given is Given.SPLITS:
        return source_of_splits(held, text, own_id)
    if given.is_frame:
        return source_of_frame(held, given, text, own_id)
    table, choice = table_of_records(held, text, own_id)
    return source_of_frame(table, Given.ARROW, choice.text, choice.id or "")


# -- tokens ------------------------------------------------------------------------------------------------------------

_REMEDY: Final = "give a list, tuple or set of str, bytes or whole numbers"
_PLAIN: Final = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")


def token_recipe(recipe: Recipe | None) -> Recipe:
    """Return the recipe that takes spelled tokens as they are: k, bag and all settings of signatures stay.

    >>> token_recipe(None).k, token_recipe(Recipe(k=3, stop_words="english")).stop_words
    (1, 'none')
    """
    return (recipe or Recipe(k=1)).replace(
        unit="word",
        lowercase=False,
        whitespace="keep",
        punctuation="keep",
        accents="keep",
        digits="keep",
        stop_words="none",
        invisible="keep",
        form="none",
    )


def check_no_text(text: str | None) -> None:
    """Refuse a column of texts together with tokens."""
    if text is not None:
        raise RecipeError("text", text, "left out with tokens")


def spelled(token: str | bytes | int) -> str:
    """Return a token as one word of letters, digits and underscores; different tokens are different words.

    A number is the token of its decimal digits.

    >>> spelled("word"), spelled(42), spelled("a b"), spelled("_"), spelled("é"), spelled("")
    ('word', '42', 'a_20b', '_5f', '_c3_a9', '_')
    """
    if isinstance(token, str):
        if token.isascii() and token.isalnum():
            return token
        data = encoded(token)
    else:
        data = token if isinstance(token, bytes) else str(index(token)).encode()
    return "".join(chr(byte) if byte in _PLAIN else f"_{byte:02x}" for byte in data) or "_"


def token_text(name: object, tokens: Any, *, ordered: bool = False) -> str:
    """Return the text of a document that is tokens; `name` is for messages. Sets have no order, if one is needed."""
    if isinstance(tokens, str | bytes | Mapping) or not isinstance(tokens, Iterable):
        raise DocumentError(name, "tokens", f"are a single {type(tokens).__name__}, not a list", _REMEDY)
    if isinstance(tokens, AbstractSet) and ordered:
        raise DocumentError(name, "tokens", "are a set, which has no order", "give lists, or a recipe with k=1")
    words = []
    for token in tokens:
        if isinstance(token, bool) or not (isinstance(token, str | bytes) or hasattr(token, "__index__")):
            raise DocumentError(name, "tokens", f"contain a {type(token).__name__}", _REMEDY)
        words.append(spelled(token))
    return " ".join(sorted(words) if isinstance(tokens, AbstractSet) else words)


def open_tokens(documents: Any, tokens: Any, own_id: str | None, *, ordered: bool) -> Source:
    """Open the column `tokens` of a table, or `tokens` themselves where there are no documents."""
    column: str | None = None
    held = tokens
    if isinstance(tokens, str):
        column, held = tokens, documents
    elif documents is not None:
        raise RecipeError("tokens", tokens, "the name of a column, or documents given instead of all others")
    given = accepted(held)
    if given in (Given.ITERABLE, Given.NUMPY):
        held, given = list(held), Given.SEQUENCE
    if given.is_frame:
        return _of_frame(held, given, column, own_id, ordered=ordered)
    if column is not None:
        if given is Given.SEQUENCE and are_records(held):
            return _of_records(held, column, own_id, ordered=ordered)
        kind = type(held).__name__
        remedy = "read it as a table first" if given in (Given.PATH, Given.PATHS) else "give a table"
        raise DocumentError(kind, f"column {column!r}", f"cannot be read from {kind}", remedy)
    if given is Given.MAPPING:
        return MemorySource({name: token_text(name, one, ordered=ordered) for name, one in held.items()})
    if given is not Given.SEQUENCE:
        raise DocumentError(None, "tokens", f"are {type(held).__name__}", "give a list or dict of token lists")
    return MemorySource([token_text(number, one, ordered=ordered) for number, one in enumerate(held)])


def _of_records(rows: Sequence[Any], column: str, own_id: str | None, *, ordered: bool) -> Source:
    from lookalike.documents.data_frames import source_of_frame

    texts = []
    for number, row in enumerate(rows):
        value = value_at(row, column)
        texts.append({**row, column: None if value is None else token_text(number, value, ordered=ordered)})
    if rows and all(text[column] is None for text in texts):
        raise DocumentError("the rows", f"column {column!r}", "has no tokens", "name the column of tokens")
    table, choice = table_of_records(texts, column, own_id)
    return source_of_frame(table, Given.ARROW, choice.text, choice.id or "")


def _of_frame(held: Any, given: Given, column: str | None, own_id: str | None, *, ordered: bool) -> Source:
    from lookalike.documents.data_frames import table_of_frame

    table = table_of_frame(held, given, column, own_id)
    if column is None:
        names = table.columns().names
        if len(names) != 1:
            problem = f"cannot be chosen among the columns {', '.join(map(repr, names[:12]))}"
            raise DocumentError(table.name, "tokens", problem, "name one: find(table, tokens=…)")
        column = names[0]
    elif column not in (names := table.columns([column]).names):
        known = f"does not exist; the columns are {', '.join(map(repr, names[:12]))}"
        raise DocumentError(table.name, f"column {column!r}", known, suggest(column, names) or "name another: tokens=…")
    return PartsSource(table.name, [TablePart(TokenTable(table, column, ordered=ordered), column, own_id)])


class TokenTable(WrappedTable):
    """A table in which a column of lists of tokens is one of texts."""

    def __init__(self, table: DocumentTable, column: str, *, ordered: bool) -> None:
        """Take a table, and the name of the column."""
        super().__init__(table)
        self._column = column
        self._ordered = ordered

    def columns(self, wanted: Sequence[str] = ()) -> pa.Schema:
        """Return its columns, with texts instead of the tokens."""
        import pyarrow as pa

        schema = self._table.columns(wanted)
        at = schema.get_field_index(self._column)
        if at < 0:
            return schema
        kind = schema.field(at).type
        if not (pa.types.is_nested(kind) or pa.types.is_null(kind)):
            raise DocumentError(self.name, f"column {self._column!r}", f"holds {kind}, not lists of tokens", _REMEDY)
        return schema.set(at, pa.field(self._column, pa.large_string()))

    def schema(self) -> pa.Schema:
        """Return the columns: whole rows have the texts too."""
        return self.columns()

    def read(self, choice: Choice, log: Log, *, whole: bool) -> Iterator[Rows]:
        """Read the rows, and spell the tokens."""
        import pyarrow as pa

        for rows in self._table.read(choice, log, whole=whole):
            at = rows.batch.schema.get_field_index(self._column)
            texts = [
                None if tokens is None else token_text(number, tokens, ordered=self._ordered)
                for number, tokens in zip(rows.numbers, rows.batch.column(at).to_pylist(), strict=True)
            ]
            columns = list(rows.batch.columns)
            columns[at] = pa.array(texts, pa.large_string())
            yield Rows(pa.RecordBatch.from_arrays(columns, names=rows.batch.schema.names), rows.numbers)


# -- one document by its path ------------------------------------------------------------------------------------------

_SHOWN: Final = 3


def read_document(path: str | os.PathLike[str], limits: Limits = LIMITS) -> TextFile:
    """Read one document, or standard input if `path` is ``-``; what cannot be read is a `DocumentError`.

    A member of an archive is named like ``essays.zip/anna/essay.docx``; an archive with one document, by itself.

    >>> read_document("no/such/essay.pdf")
    Traceback (most recent call last):
        ...
    lookalike.errors.DocumentError: document 'no/such/essay.pdf': file does not exist; check the name
    """
    from lookalike.documents.extract.clean_text import unmasked
    from lookalike.documents.lms import receipt_of

    name = os.fspath(path)
    if is_url(name):
        return _remote(name, limits)
    file = Path(name)
    if name in ("", "-") or "\0" in name:
        return read_text(name, limits)
    if not file.is_file():
        archive = archive_above(file)
        return read_text(name, limits) if archive is None else _member(archive, PurePath(name).as_posix(), limits)
    kind = kind_of(name)
    if kind.is_archive:
        return _only_member(name, limits)
    if kind.format == "office":
        raise DocumentError(name, "file", "is not read", kind.office)
    if kind.is_document or (kind.compression and not kind.is_table) or _has_reader(file):
        return _extracted(name, kind, limits)
    text = read_text(name, limits)
    if (receipt := receipt_of(name, text.text)) is not None and receipt.text:
        text = replace(text, text=receipt.text)
    if text.text.isascii():
        return text
    seen, flags = unmasked(text.text)
    return TextFile(text.name, seen, text.encoding, text.guessed, flags)


def _remote(url: str, limits: Limits) -> TextFile:
    """Read a copy of a remote document, and call it by its URL."""
    from lookalike.documents.remote_files import copied, look

    file = look(url)
    name = shown_url(url)
    if file is None:
        raise DocumentError(name, "file", "is a folder", "give the URL of a file")
    copies, (copy,) = copied([file])
    try:
        found = read_document(copy, limits)
    except DocumentError as error:
        raise DocumentError(name, error.field, error.problem, error.remedy) from None
    del copies  # it was needed until here
    return replace(found, name=name if found.name == copy else found.name.replace(copy, name, 1))


def _has_reader(file: Path) -> bool:
    try:
        with open_file(file) as stream:
            return stream.read(16).startswith(READABLE)
    except OSError:
        return False  # `read_text` says why


def _extracted(name: str, kind: Kind, limits: Limits) -> TextFile:
    from lookalike.documents.extract.pool import extract

    try:
        found = extract(name, kind, limits=limits)
    except RefusedError as refused:
        raise DocumentError(name, "file", f"cannot be read ({refused.reason})", refused.detail) from None
    return TextFile(name, found.text, found.encoding or "UTF-8", found.guessed, found.flags)


def _member(archive: Path, name: str, limits: Limits) -> TextFile:
    source = open_paths([archive], limits=limits)
    for found, text in _texts(source):
        if found == name:
            return TextFile(name, text, "UTF-8", flags=tuple(source.flags().get(name, ())))
    for skipped in source.skipped():
        if skipped.id == name:
            raise DocumentError(name, "file", f"cannot be read ({skipped.reason})", skipped.detail)
    raise DocumentError(name, "file", "is not in the archive", f"lookalike files {archive} lists what is")


def _only_member(name: str, limits: Limits) -> TextFile:
    source = open_paths([name], limits=limits)
    found = list(_texts(source))
    if len(found) != 1:
        problem = f"is an archive of {len(found)} documents" if found else "is an archive without any document"
        names = ", ".join(member for member, _ in found[:_SHOWN])
        raise DocumentError(name, "file", problem, f"name one of them, such as {names}" if found else "check it")
    member, text = found[0]
    return TextFile(member, text, "UTF-8", flags=tuple(source.flags().get(member, ())))


def _texts(source: Source) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for batch in source.batches():
        pairs += zip(map(str, batch.ids), batch.texts, strict=True)
    return pairs
