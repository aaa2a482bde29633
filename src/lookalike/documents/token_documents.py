"""Documents that are tokens already: each becomes a text whose words are the tokens, spelled so that none is cut.

docs/format.md, section 2.1, has the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from operator import index
from typing import TYPE_CHECKING, Any, Final

from lookalike.checks import suggest
from lookalike.documents.data_frames import source_of_frame, table_of_frame
from lookalike.documents.given import Given, accepted
from lookalike.documents.in_memory import MemorySource, are_records, table_of_records
from lookalike.documents.source_parts import PartsSource
from lookalike.documents.table import DocumentTable, Rows, TablePart
from lookalike.documents.table_columns import value_at
from lookalike.documents.wrapped_tables import WrappedTable
from lookalike.errors import DocumentError, RecipeError
from lookalike.recipe import Recipe
from lookalike.tables.packed import encoded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from lookalike.documents.document_batches import Log
    from lookalike.documents.document_source import Source
    from lookalike.documents.table_columns import Choice

__all__ = ["check_no_text", "open_tokens", "spelled", "token_recipe", "token_text"]

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
        form="none",
    )


def check_no_text(text: str | None) -> None:
    """Refuse a column of texts beside tokens."""
    if text is not None:
        raise RecipeError("text", text, "left out where tokens are given")


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
    texts = []
    for number, row in enumerate(rows):
        value = value_at(row, column)
        texts.append({**row, column: None if value is None else token_text(number, value, ordered=ordered)})
    if rows and all(text[column] is None for text in texts):
        raise DocumentError("the rows", f"column {column!r}", "has no tokens", "name the column of tokens")
    table, choice = table_of_records(texts, column, own_id)
    return source_of_frame(table, Given.ARROW, choice.text, choice.id or "")


def _of_frame(held: Any, given: Given, column: str | None, own_id: str | None, *, ordered: bool) -> Source:
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
