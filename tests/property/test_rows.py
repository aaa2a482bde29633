"""Rows that `dedupe` writes are the rows that it read, whatever is in them: kept and removed ones together are all."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from lookalike.cli import main

SLOW = settings(max_examples=25, deadline=None)
texts = st.sampled_from(["one two three", "four five six", "one two three four", "seven", "eight nine"])
cells = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=8)


def split(folder: Path, source: str, kind: str, *options: str) -> tuple[Path, Path]:
    """Run the command; return both outputs."""
    kept, removed = folder / f"kept.{kind}", folder / f"removed.{kind}"
    outputs = ["-o", str(kept), "--removed", str(removed)]
    assert main(["dedupe", str(folder / source), "-t", "0.6", "--quiet", *options, *outputs]) == 0
    return kept, removed


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | cells,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(cells, inner, max_size=3),
    max_leaves=6,
)


@SLOW
@given(
    st.lists(st.tuples(texts, st.dictionaries(cells, json_values, max_size=4), st.booleans()), min_size=1, max_size=8),
    st.sampled_from([(",", ":"), (", ", ": "), (" , ", "  : ")]),
)
def test_lines_of_json(rows: list[tuple[str, dict[str, Any], bool]], separators: tuple[str, str]) -> None:
    lines = [
        json.dumps({**more, "text": text}, ensure_ascii=ascii_only, separators=separators).encode()
        for text, more, ascii_only in rows
    ]
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in.jsonl").write_bytes(b"\n".join(lines))
        outputs = split(folder, "in.jsonl", "jsonl", "--text-column", "text", "--id-column", "")
        found = [line for output in outputs for line in output.read_bytes().split(b"\n")[:-1]]
    assert Counter(found) == Counter(lines)


@SLOW
@given(
    st.lists(st.tuples(texts, cells, st.text(alphabet='a",;\n\r é=-', max_size=6)), min_size=1, max_size=8),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([",", ";", "|"]),
)
def test_rows_of_csv(rows: list[tuple[str, str, str]], quoting: Any, end: str, delimiter: str) -> None:
    lines: list[bytes] = []
    if quoting == csv.QUOTE_MINIMAL:  # Python 3.11 leaves a lone return without quotes, where it ends a row
        rows = [(text, a, b.replace("\r", "")) for text, a, b in rows]
    for row in [("text", "a", "b"), *rows]:
        stream = io.StringIO(newline="")
        csv.writer(stream, delimiter=delimiter, lineterminator=end, quoting=quoting).writerow(row)
        lines.append(stream.getvalue().encode())
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in.csv").write_bytes(b"".join(lines))
        outputs = [output.read_bytes() for output in split(folder, "in.csv", "csv", "--encoding", "utf-8")]
    assert all(output.startswith(lines[0]) for output in outputs)
    read = [output.removeprefix(lines[0]).decode() for output in outputs]
    parted = [_rows(text, end) for text in read]
    assert Counter(row for rows in parted for row in rows) == Counter(line.decode() for line in lines[1:])


def _rows(text: str, end: str) -> list[str]:
    """Part CSV into rows: an end of line counts where the quotes before it are even."""
    rows, begun = [], ""
    for piece in text.split(end)[:-1]:
        begun += piece + end
        if begun.count('"') % 2 == 0:
            rows.append(begun)
            begun = ""
    assert not begun
    return rows


numbers = st.none() | st.sampled_from([math.nan, math.inf, -math.inf]) | st.floats(width=32)
columns = st.sampled_from(
    [
        (pa.int64(), st.none() | st.integers(-(2**63), 2**63 - 1)),
        (pa.uint64(), st.none() | st.integers(0, 2**64 - 1)),
        (pa.bool_(), st.none() | st.booleans()),
        (pa.binary(), st.none() | st.binary(max_size=5)),
        (pa.string(), st.none() | cells),
        (pa.large_string(), st.none() | cells),
        (pa.date32(), st.none() | st.dates()),
        (pa.timestamp("us", "UTC"), st.none() | st.integers(0, 2**50)),
        (pa.timestamp("ns"), st.none() | st.integers(0, 2**62)),
        (pa.duration("us"), st.none() | st.integers(0, 2**40)),
        (pa.decimal128(12, 2), st.none() | st.decimals(-(10**9), 10**9, places=2)),
        (pa.list_(pa.float32()), st.none() | st.lists(numbers, max_size=3)),
        (
            pa.struct([("x", pa.int8()), ("y", pa.string())]),
            st.none() | st.fixed_dictionaries({"x": st.integers(0, 9)}),
        ),
        (pa.map_(pa.string(), pa.int8()), st.none() | st.lists(st.tuples(cells, st.integers(0, 9)), max_size=2)),
        (pa.dictionary(pa.int32(), pa.string()), st.none() | cells),
    ]
)


@SLOW
@given(st.data(), st.lists(texts, min_size=1, max_size=8), st.lists(columns, max_size=4))
def test_rows_of_parquet(data: st.DataObject, rows: list[str], kinds: list[tuple[pa.DataType, Any]]) -> None:
    table = pa.table({"id": range(len(rows)), "text": rows})
    for at, (kind, values) in enumerate([(pa.float32(), numbers), *kinds]):
        column = data.draw(st.lists(values, min_size=len(rows), max_size=len(rows)))
        table = table.append_column(f"c{at}", _array(column, kind))
    with TemporaryDirectory() as name:
        folder = Path(name)
        parquet.write_table(table, folder / "in.parquet", row_group_size=3)
        before = parquet.read_table(folder / "in.parquet")
        outputs = [parquet.read_table(output) for output in split(folder, "in.parquet", "parquet")]
        lines = [
            line for output in split(folder, "in.parquet", "jsonl") for line in output.read_text("utf-8").split("\n")
        ]
    assert all(output.schema.equals(before.schema, check_metadata=True) for output in outputs)
    found = sorted((row for output in outputs for row in output.to_pylist()), key=lambda row: int(row["id"]))
    assert repr(found) == repr(before.to_pylist()), "as text, because not a number equals nothing"
    _check_lines([json.loads(line) for line in lines if line], before)


def _array(values: list[Any], kind: pa.DataType) -> Any:
    if pa.types.is_dictionary(kind):
        return pa.array(values, pa.string()).dictionary_encode()
    return pa.array(values, kind)


def _check_lines(rows: list[dict[str, Any]], before: pa.Table) -> None:
    """No value is null that was none, and numbers are what they were."""
    by_id = {row["id"]: row for row in rows}
    assert len(by_id) == before.num_rows
    for name, column in zip(before.column_names, before.columns, strict=True):
        for number, scalar in enumerate(column):
            value = by_id[number][name]
            assert (value is None) == (not scalar.is_valid)
            if pa.types.is_integer(column.type):
                assert value == scalar.as_py()
            if pa.types.is_floating(column.type) and value is not None:
                assert repr(float(value)) == repr(scalar.as_py())
