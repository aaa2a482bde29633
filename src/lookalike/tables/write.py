"""Tables as files: CSV, JSON, JSON lines, Parquet and Markdown, whole or not at all, always UTF-8."""

from __future__ import annotations

import io
import json
import math
from typing import IO, TYPE_CHECKING, Any, Final, Literal, cast, get_args

from lookalike.errors import RecipeError
from lookalike.recipe import suggest
from lookalike.tables.columns import compute
from lookalike.tables.files import opened
from lookalike.tables.packed import Texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa

    from lookalike.tables.columns import Column
    from lookalike.tables.files import Target

__all__ = ["FORMATS", "Format", "safe_for_spreadsheets", "write_json", "write_table"]

Format = Literal["csv", "jsonl", "parquet", "md", "json"]
FORMATS: Final[tuple[str, ...]] = get_args(Format)

_ROWS: Final = 10_000
"""How many rows are turned into Python objects at a time."""
_FORMULA: Final = r"\A[=+\-@\t\r]"
"""What a spreadsheet takes for the beginning of a formula."""


def write_table(target: Target, table: pa.Table, format: str) -> None:  # noqa: A002 — what everybody calls it
    """Write a table to a file or a stream.

    >>> import io, pyarrow as pa
    >>> stream = io.StringIO()
    >>> write_table(stream, pa.table({"id": ["=1+1", "b"], "score": [0.5, None]}), "csv")
    >>> print(stream.getvalue())
    id,score
    "'=1+1",0.5
    "b",
    <BLANKLINE>
    """
    writers = {"csv": _csv, "jsonl": _jsonl, "parquet": _parquet, "md": _markdown}
    if format not in writers:
        raise RecipeError("format", format, "one of " + ", ".join(writers), suggest(format, writers))
    with opened(target) as stream:
        writers[format](stream, table)


def write_json(target: Target, head: Mapping[str, Any], lists: Mapping[str, pa.Table | Iterable[Any]]) -> None:
    """Write one JSON object: what `head` says, then lists, which are written bit by bit and never whole in memory."""
    with opened(target) as stream:
        stream.write(json.dumps(head, ensure_ascii=False, indent=2).removesuffix("\n}").encode())
        for name, rows in lists.items():
            stream.write(f",\n  {json.dumps(name)}: [".encode())
            written = False
            for piece in _json_rows(rows, before=",\n    ", after=""):
                stream.write(piece if written else piece[1:])
                written = True
            stream.write(b"\n  ]" if written else b"]")
        stream.write(b"\n}\n")


def safe_for_spreadsheets(table: pa.Table) -> pa.Table:
    """Put an apostrophe before each text that a spreadsheet would take for a formula; numbers stay as they are.

    >>> import pyarrow as pa
    >>> safe_for_spreadsheets(pa.table({"id": ["=cmd()", "-1", "a=b"], "n": [-1, 2, 3]})).to_pydict()
    {'id': ["'=cmd()", "'-1", 'a=b'], 'n': [-1, 2, 3]}
    """
    import pyarrow as pa

    pc = compute()
    for place, field in enumerate(table.schema):
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
            column: Any = table.column(place)
            quoted = pc.binary_join_element_wise(_text("'", field.type), column, _text("", field.type))
            safe = pc.if_else(pc.match_substring_regex(column, _FORMULA), quoted, column)
            table = table.set_column(place, field.name, safe)
    return table


def _csv(stream: IO[bytes], table: pa.Table) -> None:
    import pyarrow.csv

    stream.write((",".join(table.column_names) + "\n").encode())
    options = pyarrow.csv.WriteOptions(include_header=False, batch_size=_ROWS)
    pyarrow.csv.write_csv(safe_for_spreadsheets(table), _unclosed(stream), options)


def _jsonl(stream: IO[bytes], table: pa.Table) -> None:
    for piece in _json_rows(table, before="", after="\n"):
        stream.write(piece)


def _parquet(stream: IO[bytes], table: pa.Table) -> None:
    import pyarrow.parquet

    pyarrow.parquet.write_table(table, _unclosed(stream), compression="zstd")


def _markdown(stream: IO[bytes], table: pa.Table) -> None:
    names = table.column_names
    for line in (names, ["---"] * len(names)):
        stream.write(f"| {' | '.join(line)} |\n".encode())
    for batch in table.to_batches(max_chunksize=_ROWS):
        for row in batch.to_pylist():
            stream.write(f"| {' | '.join(_cell(value) for value in row.values())} |\n".encode())


def _cell(value: Any) -> str:
    """Return a value for a Markdown table; a score is cut after four digits, never rounded up to 1."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{math.floor(value * 10_000) / 10_000:.4f}"
    text = " ".join(str(value).split())
    for special in "\\|`*_<>[]&":
        text = text.replace(special, f"\\{special}" if special not in "<>&" else f"&#{ord(special)};")
    return text


def _json_rows(rows: pa.Table | Iterable[Any], before: str, after: str) -> Iterator[bytes]:
    """Give rows as JSON, each between `before` and `after`, in pieces of any size that are not empty."""
    import pyarrow as pa

    if not isinstance(rows, pa.Table):
        for row in rows:
            yield f"{before}{json.dumps(row, ensure_ascii=False)}{after}".encode()
        return
    pc, kind = compute(), pa.large_string()
    for batch in rows.to_batches(max_chunksize=_ROWS):
        if not batch.num_rows:
            continue
        parts: list[Any] = []
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            parts += [_text(f"{', ' if parts else before + '{'}{json.dumps(name)}: ", kind), _json_column(column)]
        lines = pc.binary_join_element_wise(*parts, _text("}" + after, kind), _text("", kind))
        length = pc.sum(pc.binary_length(lines)).as_py()
        yield lines.buffers()[2].slice(0, length).to_pybytes()  # the lines, one after the other


def _json_column(column: Column) -> Column:
    """Return each value of a column of texts, numbers or truths as JSON writes it."""
    import pyarrow as pa

    pc, kind = compute(), pa.large_string()
    if pa.types.is_floating(column.type) or pa.types.is_integer(column.type) or pa.types.is_boolean(column.type):
        texts = column.cast(kind)
        if pa.types.is_floating(column.type):  # 1.0 is not 1
            texts = pc.replace_substring_regex(texts, r"\A(-?[0-9]+)\z", r"\1.0")
    else:
        encoded: Any = column.dictionary_encode()
        values = [json.dumps(value, ensure_ascii=False) for value in encoded.dictionary.to_pylist()]
        texts = Texts.of(values).to_arrow().cast(kind).take(encoded.indices)
    made: Column = pc.fill_null(texts, _text("null", kind))
    return made


class _Unclosed(io.RawIOBase):
    """A stream that pyarrow may close without closing the one behind it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._stream.write(data)
        return len(data)


def _unclosed(stream: IO[bytes]) -> IO[bytes]:
    return cast("IO[bytes]", _Unclosed(stream))


def _text(text: str, kind: pa.DataType) -> Any:
    """Return a text as Arrow's kernels take it; see `scalar` for why not by Arrow's own way."""
    return Texts.of([text]).to_arrow().cast(kind)[0]
