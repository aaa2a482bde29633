"""Data frames of every make."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lookalike import DocumentError, DuplicateIdError, RecipeError
from lookalike.documents import open_documents
from tests.documents.reading import documents, reasons, rows, texts

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS: dict[str, list[Any]] = {"id": ["a", "b", "c"], "text": ["one", None, "Grüße 🐝"], "n": [1, 2, 3]}


class Relation:
    """Exports a stream and nothing else, as a DuckDB relation does."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)  # type: ignore[no-untyped-call]


class Formatted:
    """A selection of a table, as Hugging Face datasets give one in the format "arrow"."""

    def __init__(self, table: pa.Table, chosen: list[int]) -> None:
        self._table = table
        self._chosen = chosen

    def __getitem__(self, rows: slice) -> pa.Table:
        return self._table.take(pa.array(self._chosen[rows]))


class OldDataset:
    """A Hugging Face dataset from before it exported streams: `data` has all rows, and a selection is kept apart."""

    def __init__(self, table: pa.Table, chosen: list[int]) -> None:
        self.data = Relation(table)
        self._chosen = chosen

    def with_format(self, kind: str) -> Formatted:
        assert kind == "arrow"
        return Formatted(self.data._table, self._chosen)


class HeldTable:
    """Something that holds a table in `data.table`."""

    def __init__(self, table: pa.Table) -> None:
        self.data = type("Data", (), {"table": table})()


TABLE = pa.table(COLUMNS)
FRAMES: dict[str, Any] = {
    "pyarrow": TABLE,
    "batches": TABLE.to_batches()[0],
    "pandas": pd.DataFrame(COLUMNS),
    "pandas arrow": pd.DataFrame(COLUMNS).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.DataFrame(COLUMNS),
    "relation": Relation(TABLE),
    "dataset": OldDataset(TABLE, [0, 1, 2]),
    "held": HeldTable(TABLE),
}


@pytest.mark.parametrize("kind", [*FRAMES, "reader"])
def test_every_make_of_frame(kind: str) -> None:
    frame = pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches()) if kind == "reader" else FRAMES[kind]
    source = open_documents(frame)
    for _ in range(2):  # also what streams only once
        assert documents(source) == {"a": "one", "c": "Grüße 🐝"}
        assert reasons(source) == {"b": "null text"}
    assert source.size().documents == 3
    assert [(row["id"], row["n"]) for row in rows(source)] == [("a", 1), ("c", 3)]
    assert "texts from the column 'text', ids from the column 'id'" in source.notes()[0]


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(["one", "two"]),
        pl.Series(["one", "two"]),
        pa.array(["one", "two"]),
        pa.chunked_array([["one"], ["two"]]),
        pa.array(["one", "two"]).dictionary_encode(),
    ],
    ids=["pandas", "polars", "array", "chunked", "dictionary"],
)
def test_a_single_column_of_texts(series: object) -> None:
    assert documents(open_documents(series)) == {0: "one", 1: "two"}


def test_a_selection_of_a_dataset_is_minded() -> None:
    assert documents(open_documents(OldDataset(TABLE, [2, 0]))) == {"c": "Grüße 🐝", "a": "one"}


def test_rows_are_numbered_from_0_by_position() -> None:
    frame = pd.DataFrame({"text": ["one", "two", "three"], "n": [1, 2, 3]})
    assert documents(open_documents(frame[frame.n > 1])) == {0: "two", 1: "three"}
    assert documents(open_documents(frame.set_index("n"))) == {0: "one", 1: "two", 2: "three"}
    assert documents(open_documents(frame.rename_axis("id"))) == {0: "one", 1: "two", 2: "three"}


def test_the_index_of_pandas_is_no_text() -> None:
    frame = pd.DataFrame({"review": ["one", "two"]}, index=["x", "y"])
    assert documents(open_documents(frame)) == {0: "one", 1: "two"}


def test_named_columns() -> None:
    frame = pl.DataFrame({"key": [3, 4], "title": ["a", "b"], "story": ["one", "two"]})
    assert documents(open_documents(frame, text_column="story", id_column="key")) == {3: "one", 4: "two"}
    with pytest.raises(DocumentError, match=r"column 'stroy' does not exist; .* did you mean 'story'\?"):
        documents(open_documents(frame, text_column="stroy"))
    with pytest.raises(DocumentError, match="text column cannot be chosen among the columns 'title', 'story'"):
        documents(open_documents(frame))


def test_polars_categories_and_lists() -> None:
    frame = pl.DataFrame(
        {"text": pl.Series(["one", "two", None], dtype=pl.Categorical), "tags": [["a"], [], ["b", "c"]]}
    )
    source = open_documents(frame)
    assert texts(source) == ["one", "two"]
    assert [row["tags"] for row in rows(source)] == [["a"], []]


def test_pandas_with_numbers_among_the_texts() -> None:
    with pytest.raises(DocumentError, match=r"document 1: column 'text' is int, not text; give texts only"):
        documents(open_documents(pd.DataFrame({"text": ["one", 2, None]}, dtype=object)))
    with pytest.raises(DocumentError, match=r"cannot be exported as Arrow data .*; give only the columns"):
        documents(open_documents(pd.DataFrame({"text": ["one", "x"], "odd": pd.Series([{1}, "x"], dtype=object)})))


def test_a_frame_of_numbers() -> None:
    with pytest.raises(DocumentError, match="column 'n' holds int64, not text"):
        documents(open_documents(TABLE, text_column="n"))


def test_ids_that_are_twice() -> None:
    with pytest.raises(DuplicateIdError, match="row 1 of the table and row 3 of the table"):
        documents(open_documents(pl.DataFrame({"id": [1, 2, 1], "text": ["a", "b", "c"]})))


def test_tables_by_name_are_read_together_and_the_ids_tell_which() -> None:
    frames = {"train": pl.DataFrame(COLUMNS), "test": pd.DataFrame(COLUMNS)}
    source = open_documents(frames)
    assert documents(source) == {
        "train:a": "one",
        "train:c": "Grüße 🐝",
        "test:a": "one",
        "test:c": "Grüße 🐝",
    }
    assert list(documents(open_documents(frames, id=""))) == ["train:0", "train:2", "test:0", "test:2"]
    with pytest.raises(DocumentError, match=r"document 'test': table is str, not a table like the others"):
        open_documents({"train": TABLE, "test": "one"})


def test_a_dict_of_series_is_not_several_tables() -> None:
    with pytest.raises(DocumentError, match=r"document 'text': text is Series, not str"):
        open_documents({"text": pd.Series(["one"]), "n": pd.Series([1])})


NESTED: list[dict[str, Any]] = [
    {"meta": {"key": n}, "doc": {"text": text}} for n, text in ((7, "one"), (8, None), (9, "two"))
]
MISSING: dict[str, Any] = {"meta": {"key": 10}, "doc": None}


@pytest.mark.parametrize("make", [list, pa.Table.from_pylist, pl.DataFrame, pd.DataFrame])
def test_columns_inside_columns(make: Any) -> None:
    source = open_documents(make([*NESTED, MISSING]), text="doc.text", id="meta.key")
    assert documents(source) == {7: "one", 9: "two"}
    assert reasons(source) == {"8": "null text", "10": "null text"}
    with pytest.raises(DocumentError, match=r"column 'doc.txt' does not exist"):
        documents(open_documents(make(NESTED), text="doc.txt"))


@pytest.mark.parametrize("kind", ["jsonl", "json", "parquet"])
def test_columns_inside_columns_of_files(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"rows.{kind}"
    every = [*NESTED, MISSING]
    if kind == "parquet":
        pq.write_table(pa.Table.from_pylist(every), path)
    else:
        path.write_text("\n".join(map(json.dumps, every)) if kind == "jsonl" else json.dumps(every), encoding="utf-8")
    source = open_documents(path, text="doc.text", id="meta.key")
    assert documents(source) == {7: "one", 9: "two"}
    assert rows(source) == [NESTED[0], NESTED[2]]  # whole rows are what they were
    with pytest.raises(DocumentError, match=r"column 'doc.txt' does not exist"):
        documents(open_documents(path, text="doc.txt"))


def test_a_column_with_a_dot_in_its_name_comes_first() -> None:
    table = pa.table({"doc.text": ["flat"], "doc": [{"text": "nested"}]})
    assert documents(open_documents(table, text="doc.text")) == {0: "flat"}


def test_both_names_of_an_argument() -> None:
    assert documents(open_documents(TABLE, text_column="text", id_column="n")) == {1: "one", 3: "Grüße 🐝"}
    with pytest.raises(RecipeError, match="text_column is its older name"):
        open_documents(TABLE, text="text", text_column="text")


def test_an_empty_frame() -> None:
    source = open_documents(TABLE.slice(0, 0))
    assert documents(source) == {}
    assert reasons(source) == {"the table": "empty"}
    with pytest.raises(DocumentError, match="text column is missing"):
        documents(open_documents(pd.DataFrame()))


def test_large_frames_come_in_slices() -> None:
    table = pa.table({"text": ["word " * 1000] * 20_000})
    sizes = [len(batch) for batch in open_documents(table).batches()]
    assert sum(sizes) == 20_000
    assert len(sizes) > 3


def test_the_same_table_in_many_chunks() -> None:
    chunks = pa.concat_tables([TABLE.slice(i, 1) for i in range(3)])
    assert len(list(open_documents(chunks).batches())) == 1
    assert documents(open_documents(chunks)) == documents(open_documents(TABLE))
