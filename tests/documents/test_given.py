"""What a caller may pass as documents, and how everything else is refused."""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

import lookalike as la
from lookalike import DocumentError
from lookalike.documents import open_documents
from lookalike.documents.in_memory import MemorySource
from lookalike.documents.kinds import Given, given_as
from tests.documents.reading import documents
from tests.documents.test_data_frames import COLUMNS, TABLE, HeldTable, OldDataset, Relation
from tests.faults.child import run

if TYPE_CHECKING:
    from collections.abc import Iterator


def generator() -> Iterator[str]:
    yield "one"


KINDS: list[tuple[Any, Given]] = [
    (MemorySource(["one"]), Given.SOURCE),
    (Path("a"), Given.PATH),
    ([Path("a"), Path("b")], Given.PATHS),
    (["one"], Given.SEQUENCE),
    ((), Given.SEQUENCE),
    ({"a": "one"}, Given.MAPPING),
    ({}, Given.MAPPING),
    (generator(), Given.ITERABLE),
    ({"a": "one"}.values(), Given.ITERABLE),
    (TABLE, Given.ARROW),
    (TABLE.to_batches()[0], Given.ARROW),
    (TABLE["text"], Given.ARROW),
    (TABLE["text"].chunk(0), Given.ARROW),
    (TABLE.to_reader(), Given.ARROW_READER),
    (ds.dataset(TABLE), Given.ARROW_DATASET),
    (pd.DataFrame(COLUMNS), Given.PANDAS),
    (pd.Series(["one"]), Given.PANDAS),
    (pl.DataFrame(COLUMNS), Given.POLARS),
    (pl.Series(["one"]), Given.POLARS),
    (pl.DataFrame(COLUMNS).lazy(), Given.POLARS_LAZY),
    (OldDataset(TABLE, [0]), Given.DATASET),
    (Relation(TABLE), Given.STREAM),
    (HeldTable(TABLE), Given.STREAM),
    ("one", Given.ONE_TEXT),
    (memoryview(b"one"), Given.ONE_TEXT),
    ({"one"}, Given.SET),
    ({"train": TABLE}, Given.SPLITS),
    ({"text": TABLE["text"]}, Given.MAPPING),
    (ds.dataset(TABLE).scanner(), Given.ARROW_SCANNER),
    (np.array(["one"]), Given.NUMPY),
    (7, Given.OTHER),
    (None, Given.OTHER),
]


@pytest.mark.parametrize(("given", "kind"), KINDS, ids=[f"{kind.name}-{i}" for i, (_, kind) in enumerate(KINDS)])
def test_every_kind(given: Any, kind: Given) -> None:
    assert given_as(given) is kind


def test_datasets_of_pyarrow_and_lazy_frames_are_read(tmp_path: Path) -> None:
    expected = {"a": "one", "c": "Grüße 🐝"}
    for frame in (ds.dataset(TABLE), pl.DataFrame(COLUMNS).lazy()):
        source = open_documents(frame)
        assert documents(source) == documents(source) == expected


class Dask:
    """A frame that is iterated over by the names of its columns, and exports nothing."""

    columns = ("id", "text")

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def compute(self) -> pd.DataFrame:
        return pd.DataFrame(COLUMNS)


class Streamed:
    """A dataset that is not held: rows come one by one."""

    def with_format(self, kind: str) -> Streamed:
        return self

    def __iter__(self) -> Iterator[dict[str, str]]:
        yield {"text": "one"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"one", "two"}, "documents are a set, which has no order; give a list of texts, or a dict"),
        (frozenset(), "documents are a frozenset, which has no order"),
        (bytearray(b"one"), "are one bytearray, not a collection"),
        (Dask(), r"are Dask of tests, which exports no Arrow data; call .compute() first"),
        (Streamed(), "are Streamed of tests, which exports no Arrow data; give a table"),
        (array("q", [1]), "document 0: text is int, not str"),
    ],
)
def test_the_rest_is_refused_by_name(given: Any, message: str) -> None:
    for function in (open_documents, la.find, la.sign):
        with pytest.raises(DocumentError) as caught:
            function(given)
        assert message in str(caught.value)


def test_a_dataset_of_nothing_but_names_is_refused_where_rows_are_given_back() -> None:
    with pytest.raises(DocumentError, match="data has the unsupported type 'Dask'"):
        la.drop_near_duplicates(Dask())


def test_sign_takes_what_find_takes(tmp_path: Path) -> None:
    texts = ["one two three", "four five six", "Grüße aus dem Süden"]
    expected = la.sign(texts).to_bytes()
    (tmp_path / "a.jsonl").write_text("".join(f'{{"text": "{text}"}}\n' for text in texts), encoding="utf-8")
    frame = {"text": texts}
    for given in (
        *(tuple(texts), iter(texts), dict(enumerate(texts)), tmp_path / "a.jsonl", [tmp_path / "a.jsonl"]),
        *(pa.table(frame), pd.DataFrame(frame), pl.DataFrame(frame).lazy(), open_documents(texts)),
    ):
        assert la.sign(given).to_bytes() == expected
    assert len(la.sign([])) == len(la.sign(pa.table({"text": pa.array([], pa.string())}))) == 0


def test_pandas_before_it_exported_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (pd.DataFrame, pd.Series):
        monkeypatch.delattr(kind, "__arrow_c_stream__")
    assert documents(open_documents(pd.DataFrame(COLUMNS))) == {"a": "one", "c": "Grüße 🐝"}
    assert documents(open_documents(pd.Series(["one"]))) == {0: "one"}


def test_polars_before_it_exported_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (pl.DataFrame, pl.Series):
        monkeypatch.delattr(kind, "__arrow_c_stream__")
    for frame in (pl.DataFrame(COLUMNS), pl.DataFrame(COLUMNS).lazy()):
        assert documents(open_documents(frame)) == {"a": "one", "c": "Grüße 🐝"}
    assert documents(open_documents(pl.Series(["one"]))) == {0: "one"}


@pytest.mark.parametrize(
    ("library", "frame"), [("pandas", pd.DataFrame(COLUMNS)), ("polars", pl.DataFrame(COLUMNS).lazy())]
)
def test_a_library_that_is_too_old(monkeypatch: pytest.MonkeyPatch, library: str, frame: Any) -> None:
    monkeypatch.setattr(f"{library}.__version__", "0.9.1")
    message = rf"of {library} 0.9.1, which is too old: (\S+) or newer is needed; .* --upgrade '{library}>=\1'"
    for function in (la.find, la.sign, la.drop_near_duplicates):
        with pytest.raises(DocumentError, match=message):
            function(frame)


@pytest.mark.parametrize("own", ["2.0", "2.1.4", "3.0rc1", "unknown"])
def test_a_library_that_is_new_enough(monkeypatch: pytest.MonkeyPatch, own: str) -> None:
    monkeypatch.setattr("pandas.__version__", own)
    assert len(la.sign(pd.DataFrame(COLUMNS))) == 2


@pytest.mark.parametrize("kind", [object, str, np.dtypes.StringDType()])
def test_arrays_of_numpy(kind: Any) -> None:
    assert documents(open_documents(np.array(["one", "zwei 🐝"], kind))) == {0: "one", 1: "zwei 🐝"}


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([1.5]), "are an array of float64, not of texts; give an array of texts"),
        (np.array([b"one"]), "are an array of |S3, not of texts; decode it first"),
        (np.array([["one"]]), "are an array of 2 dimensions; give one dimension"),
        (np.array(["one", None], object), "document 1: text is NoneType, not str"),
    ],
)
def test_arrays_that_are_no_texts(array: Any, message: str) -> None:
    with pytest.raises(DocumentError) as caught:
        la.find(array)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({2**63: "x"}, "document 9223372036854775808: id does not fit in 64 bits; give ids as text"),
        ({1: "x", "a": "y"}, "document 'a': id is not of the same type as the first"),
        ({None: "x"}, "document 0: id is missing"),
        ({True: "x"}, "id is bool, not str or int"),
        ({1.5: "x"}, "id is float, not str or int"),
        ([{"id": 1, "text": "x"}, {"id": "a", "text": "y"}], "document 'a': id is not of the same type"),
        ([{"id": 1, "text": "x"}, {"id": None, "text": "y"}], "'the table:2': id is missing"),
    ],
)
def test_ids_that_are_none(given: Any, message: str) -> None:
    for function in (la.find, la.sign):
        with pytest.raises(DocumentError) as caught:
            function(given)
        assert message in str(caught.value)


def test_ids_of_numpy() -> None:
    assert documents(open_documents({np.int64(7): "one", np.uint8(8): "two"})) == {7: "one", 8: "two"}


def test_dicts_are_rows() -> None:
    given: list[Any] = [{"id": 7, "text": "one"}, {"id": 8, "text": None}, {"id": 9, "text": "\udcff"}]
    assert documents(open_documents(given)) == documents(open_documents(iter(given))) == {7: "one", 9: "\ufffd"}
    assert documents(open_documents(given, id="")) == {0: "one", 2: "\ufffd"}
    with pytest.raises(DocumentError, match="document 1: row is str, not a dict like the others"):
        la.find([{"text": "one"}, "two"])
    with pytest.raises(DocumentError, match="document 1: column 'text' is int, not text"):
        la.find([{"text": "one"}, {"text": 2}])


def test_columns_of_what_is_no_table() -> None:
    for given, why in ((["one"], "the documents are texts"), (MemorySource(["one"]), "the documents are a source")):
        with pytest.raises(DocumentError, match=f"column 'body' does not exist: {why}"):
            la.find(given, text="body")


def test_messages_name_no_argument_that_find_lacks() -> None:
    wrong: list[dict[str, Any]] = [{}, {"text": "n"}, {"text": "nothing"}, {"id": "nothing"}]
    for options in wrong:
        with pytest.raises(DocumentError) as caught:
            la.find(pl.DataFrame({"n": [1], "a": ["x"], "b": ["y"]}), **options)
        assert "text_column" not in str(caught.value)
        assert "id_column" not in str(caught.value)


def test_nothing_is_imported_to_find_out() -> None:
    program = """
import sys
from lookalike.documents.kinds import given_as
print(given_as(["one"]).name, given_as(iter([])).name, given_as(7).name)
print(sorted({"numpy", "pandas", "polars", "pyarrow"} & set(sys.modules)))
"""
    assert run(program).splitlines() == ["SEQUENCE ITERABLE OTHER", "[]"]
