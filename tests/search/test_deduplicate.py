"""`drop_near_duplicates`: each type of data comes back as it was, without the near-duplicates."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.search.deduplicate import drop_near_duplicates, frame_of
from tests.corpus import pages

if TYPE_CHECKING:
    from collections.abc import Callable

TEXTS = [
    "the tide rises twice a day because the moon pulls at the sea",
    "nothing like the others at all in any word or way",
    "The tide rises twice a day, because the moon pulls at the sea!",
    None,
    "the tide rises twice a day because the moon pulls at the oceans",
    "fin",
    None,
    "fin.",
]
# Rows 0, 2 and 4 belong together, and the two short ones.
STARS = [1, 0, 3, 9, 2, 0, 9, 0]
DAYS = [date(2024, 1, day) for day in (5, 1, 3, 1, 9, 1, 1, 1)]
NAMES = [f"row {n}" for n in range(len(TEXTS))]
TABLE = pa.table({"name": NAMES, "text": TEXTS, "stars": STARS, "day": DAYS, "pages": [[1, 2]] * len(TEXTS)})
OPTIONS: dict[str, Any] = {"threshold": 0.6, "recipe": la.Recipe(k=2)}


class Features:
    """What a Dataset says of its columns."""

    def __init__(self, schema: pa.Schema) -> None:
        self.arrow_schema = schema


class Dataset:
    """The part of a Hugging Face Dataset that is used; the real one was tried by hand."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table
        self.features = Features(table.schema)
        self.column_names = table.column_names

    def __len__(self) -> int:
        return self.table.num_rows

    def select(self, rows: list[int]) -> Dataset:
        return Dataset(self.table.take(pa.array(rows, pa.int64())))

    def select_columns(self, names: list[str]) -> Dataset:
        return Dataset(self.table.select(names))

    def with_format(self, name: str) -> Dataset:
        assert name == "arrow"
        return self

    def __getitem__(self, rows: slice) -> pa.Table:
        assert rows == slice(None)
        return self.table


def pandas_frame() -> pd.DataFrame:
    frame = TABLE.to_pandas()
    frame.index = pd.Index([10 * n for n in range(len(TEXTS))], name="place")
    return frame


TABLES: dict[str, tuple[Any, Callable[[Any], list[str]]]] = {
    "pyarrow table": (TABLE, lambda data: data["name"].to_pylist()),
    "pyarrow table in pieces": (
        pa.concat_tables([TABLE.slice(0, 3), TABLE.slice(3)]),
        lambda data: data["name"].to_pylist(),
    ),
    "pyarrow record batch": (TABLE.combine_chunks().to_batches()[0], lambda data: data.column("name").to_pylist()),
    "pandas": (pandas_frame(), lambda data: data["name"].tolist()),
    "polars": (pl.from_arrow(TABLE), lambda data: data["name"].to_list()),
    "polars lazy": (pl.from_arrow(TABLE).lazy(), lambda data: data.collect()["name"].to_list()),  # type: ignore[union-attr]
    "dataset": (Dataset(TABLE), lambda data: data.table["name"].to_pylist()),
    "list of dicts": (TABLE.to_pylist(), lambda data: [row["name"] for row in data]),
}
COLUMNS: dict[str, tuple[Any, Callable[[Any], list[str | None]]]] = {
    "list": (TEXTS, list),
    "tuple": (tuple(TEXTS), list),
    "dict": (dict(zip(NAMES, TEXTS, strict=True)), lambda data: list(data.values())),
    "pyarrow array": (pa.array(TEXTS), lambda data: data.to_pylist()),
    "pyarrow large array": (pa.array(TEXTS, pa.large_string()).slice(0), lambda data: data.to_pylist()),
    "pyarrow chunked array": (TABLE["text"], lambda data: data.to_pylist()),
    "pandas series": (pandas_frame()["text"], lambda data: [None if pd.isna(text) else text for text in data]),
    "pandas category": (
        pandas_frame()["text"].astype("category"),
        lambda data: [None if pd.isna(t) else t for t in data],
    ),
    "polars series": (pl.Series("text", TEXTS), lambda data: data.to_list()),
    "polars category": (pl.Series("text", TEXTS, dtype=pl.Categorical), lambda data: data.to_list()),
}


def kept_rows(*rows: int) -> list[str]:
    return [NAMES[row] for row in rows]


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize(
    ("keep", "rows"),
    [
        ("first", (0, 1, 3, 5, 6)),
        ("longest", (1, 3, 4, 6, 7)),
        ("max:stars", (1, 2, 3, 5, 6)),
        ("newest:day", (1, 3, 4, 5, 6)),
        ("source:name=row 4,row 7", (1, 3, 4, 6, 7)),
    ],
)
def test_tables_come_back_as_they_were(kind: str, keep: str, rows: tuple[int, ...]) -> None:
    data, names = TABLES[kind]
    kept, plan = drop_near_duplicates(data, "text", keep=keep, id_column="name", return_plan=True, **OPTIONS)
    assert type(kept) is type(data)
    assert names(kept) == kept_rows(*rows)
    assert plan.table["id"].to_pylist() == NAMES
    assert plan.removed_ids.to_pylist() == [name for name in NAMES if name not in kept_rows(*rows)]
    assert (plan.without_text, plan.documents) == (2, len(TEXTS))


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_come_back_as_they_were(kind: str) -> None:
    data, texts = COLUMNS[kind]
    kept, plan = drop_near_duplicates(data, return_plan=True, **OPTIONS)
    assert type(kept) is type(data)
    assert texts(kept) == [TEXTS[row] for row in (0, 1, 3, 5, 6)]
    ids = NAMES if kind == "dict" else list(range(len(TEXTS)))
    assert plan.removed_ids.to_pylist() == [ids[row] for row in (2, 4, 7)]
    assert plan.removals["kept_id"].to_pylist() == [ids[row] for row in (0, 0, 5)]
    assert texts(drop_near_duplicates(data, values=STARS, keep="max:stars", **OPTIONS)) == [
        TEXTS[row] for row in (1, 2, 3, 5, 6)
    ]


@pytest.mark.parametrize("kind", COLUMNS)
def test_nothing_at_all(kind: str) -> None:
    data, texts = COLUMNS[kind]
    nothing = {} if kind == "dict" else data[:0]
    kept = drop_near_duplicates(nothing)
    assert type(kept) is type(data)
    assert texts(kept) == []


def test_other_columns_types_and_the_index_stay() -> None:
    more: dict[str, Any] = {"thing": [{1, 2}] * len(TEXTS), "mixed": [1, "a"] * 4}  # what Arrow does not know
    frame = pandas_frame().assign(**more)
    frame["stars"] = frame["stars"].astype("int8")
    kept = drop_near_duplicates(frame, "text", **OPTIONS)
    assert kept.index.tolist() == [0, 10, 30, 50, 60]
    assert kept.index.name == "place"
    pd.testing.assert_frame_equal(kept, frame.loc[[0, 10, 30, 50, 60]])
    arrow = drop_near_duplicates(TABLE, **OPTIONS)
    assert arrow.schema.equals(TABLE.schema)
    assert arrow.equals(TABLE.take([0, 1, 3, 5, 6]))
    assert isinstance(polars := pl.from_arrow(TABLE), pl.DataFrame)
    assert drop_near_duplicates(polars, **OPTIONS).equals(polars[[0, 1, 3, 5, 6]])


def test_the_data_given_stays_as_it_was() -> None:
    frame, rows = pandas_frame(), TABLE.to_pylist()
    drop_near_duplicates(frame, "text", **OPTIONS)
    drop_near_duplicates(rows, "text", **OPTIONS)
    pd.testing.assert_frame_equal(frame, pandas_frame())
    assert rows == TABLE.to_pylist()


@pytest.mark.parametrize("kind", ["pyarrow table", "pandas", "polars", "polars lazy", "dataset"])
def test_the_column_of_texts_is_told_by_its_name(kind: str) -> None:
    data, names = TABLES[kind]
    assert names(drop_near_duplicates(data, **OPTIONS)) == kept_rows(0, 1, 3, 5, 6)


def test_drop_all() -> None:
    kept, plan = drop_near_duplicates(TEXTS, drop_all=True, return_plan=True, **OPTIONS)
    assert kept == [TEXTS[1], None, None]
    assert plan.removals["kept_id"].to_pylist() == [None] * 5


def test_against_old_documents() -> None:
    old = ["another", TEXTS[1]]
    kept, plan = drop_near_duplicates(TEXTS, against=old, return_plan=True, **OPTIONS)
    assert kept == [TEXTS[0], None, "fin", None]
    assert plan.documents == len(TEXTS)
    (row,) = [row for row in plan.removals.to_pylist() if row["id"] == 1]
    assert (row["kept_id"], row["kept_old"]) == (1, True)
    assert row["score"] == 1.0


def test_options_of_find() -> None:
    texts = pages(7, originals=20, words=40, changes=(1,))
    assert len(drop_near_duplicates(texts, threshold=0.5, method="lsh", recall=0.9, recipe=la.Recipe(k=1))) < 25
    with pytest.raises(TypeError, match="nonsense"):
        drop_near_duplicates(texts, nonsense=1)


def test_texts_that_utf8_does_not_know() -> None:
    assert drop_near_duplicates(["one \ud800 two", "one \ud800 two", "x"]) == ["one \ud800 two", "x"]


@given(st.lists(st.one_of(st.none(), st.sampled_from(("a b c", "a b d", "x y z", "", "A, b, c")))))
def test_a_second_time_changes_nothing(texts: list[str | None]) -> None:
    once = drop_near_duplicates(texts, threshold=0.4, recipe=la.Recipe(k=1))
    assert drop_near_duplicates(once, threshold=0.4, recipe=la.Recipe(k=1)) == once
    assert once.count(None) == texts.count(None)


# -- what cannot be done ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TABLES)
def test_a_column_that_is_not_there(kind: str) -> None:
    data, _ = TABLES[kind]
    text: dict[str, Any] = {"text_column": "text"}
    for how in ({"text_column": "txet"}, text | {"keep": "max:txet"}, text | {"id_column": "txet"}):
        with pytest.raises(la.DocumentError, match="column 'txet'"):
            drop_near_duplicates(data, **how)


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_column_of_what_has_none(kind: str) -> None:
    data, _ = COLUMNS[kind]
    with pytest.raises(la.DocumentError, match="has no column"):
        drop_near_duplicates(data, "text")
    with pytest.raises(la.DocumentError, match="has no column"):
        drop_near_duplicates(data, keep="max:stars")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (["one", 2], "document 1: text is int, not str"),
        ({"a": "one", "b": 2}, "document 'b': text is int, not str"),
        ("one text", "data has the unsupported type 'str'"),
        (b"bytes", "data has the unsupported type 'bytes'"),
        ({"one", "two"}, "data has the unsupported type 'set'"),
        (7, "data has the unsupported type 'int'"),
        (Path("pages.parquet"), "lookalike dedupe PATH -o FILE"),
        ("s3://bucket/pages", "lookalike dedupe PATH -o FILE"),
        ([Path("a"), Path("b")], "lookalike dedupe PATH -o FILE"),
        (la.open_documents(["one text"]), "lookalike dedupe PATH -o FILE"),
        (pa.array([1, 2]), "text is int64, not text"),
        (pd.Series([1.5, 2.5]), "text is double, not text"),
        (pd.Series(["one", 2], dtype=object), "has values that do not go together"),
        (pl.Series([1, 2]), "text is int64, not text"),
        (pa.table({"a": ["x"], "b": ["y"]}), "text column cannot be chosen among the columns 'a', 'b'"),
        (pd.DataFrame({"n": [1]}), "text column is missing; none of the columns holds texts: 'n'"),
        (pa.array([b"\xff", b"a"]), "text is binary, not text"),
    ],
)
def test_data_that_is_none(data: Any, message: str) -> None:
    with pytest.raises(la.DocumentError, match=message):
        drop_near_duplicates(data)


def test_a_column_that_is_there_twice() -> None:
    frame = pd.DataFrame([["a", "b"]], columns=["text", "text"])
    with pytest.raises(la.DocumentError, match="is there 2 times"):
        drop_near_duplicates(frame, "text")


def test_columns_with_numbers_for_names() -> None:
    frame = pd.DataFrame({0: ["one two", "one two", "x"], 1: [1, 2, 3]})
    assert drop_near_duplicates(frame).index.tolist() == [0, 2]
    assert drop_near_duplicates(frame, "0", keep="max:1").index.tolist() == [1, 2]


def test_what_messages_call_it() -> None:
    assert {frame_of(data).kind for data, _ in TABLES.values()} == {"Arrow table", "data frame", "dataset", "list"}


# -- tokens, and arguments that do not exist ---------------------------------------------------------------------------


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame])
def test_a_column_of_tokens(make: Any) -> None:
    data = make({"id": ["a", "b", "c", "d"], "tk": [["x", "y", "z"], ["z", "y", "x"], None, ["p", "q"]]})
    kept, plan = la.drop_near_duplicates(data, tokens="tk", id="id", return_plan=True)
    assert type(kept) is type(data)
    assert list(kept["id"].to_pylist() if isinstance(kept, pa.Table) else kept["id"]) == ["a", "c", "d"]
    assert plan.removals.to_pylist() == [{"id": "b", "kept_id": "a", "score": 1.0, "group": 0}]
    assert plan.without_text == 1


def test_tokens_inside_a_column_and_old_ones() -> None:
    rows = pa.table({"doc": [{"tk": ["x", "y"]}, {"tk": ["p", "q"]}]})
    old = pa.table({"doc": [{"tk": ["q", "p"]}]})
    assert la.drop_near_duplicates(rows, tokens="doc.tk", against=old).num_rows == 1


def test_tokens_that_are_refused() -> None:
    data = pa.table({"text": ["one"], "tk": [["x"]]})
    with pytest.raises(la.RecipeError, match="text cannot be used with tokens"):
        la.drop_near_duplicates(data, "text", tokens="tk")
    with pytest.raises(la.RecipeError, match="tokens must be the name of a column of lists"):
        la.drop_near_duplicates(data, tokens=[["x"]])  # type: ignore[call-overload]
    with pytest.raises(la.DocumentError, match="column 'text' holds string, not lists of tokens"):
        la.drop_near_duplicates(data, tokens="text")
    with pytest.raises(la.DocumentError, match="column 'tokens' does not exist"):
        la.drop_near_duplicates(data, tokens="tokens")


@pytest.mark.parametrize(("name", "hint"), [("treshold", "; did you mean 'threshold'?"), ("xyzzy", "")])
def test_an_argument_that_does_not_exist(name: str, hint: str) -> None:
    with pytest.raises(TypeError) as error:
        la.drop_near_duplicates(["one"], **{name: 0.5})  # type: ignore[call-overload]
    assert str(error.value) == f"drop_near_duplicates() got an unexpected keyword argument {name!r}{hint}"


@pytest.mark.parametrize("kind", ["table", "batch", "chunked", "array"])
def test_views_of_texts_come_back_as_views(kind: str) -> None:
    view = pa.array(TEXTS).cast(pa.string_view())
    bytes_view = pa.array([b"x"] * len(TEXTS), pa.binary_view())
    batch = pa.record_batch([view, bytes_view, pa.array(STARS)], ["text", "bytes", "stars"])
    data: Any = {
        "table": pa.Table.from_batches([batch]),
        "batch": batch,
        "chunked": pa.chunked_array([view]),
        "array": view,
    }[kind]
    kept = drop_near_duplicates(data, "text" if kind in ("table", "batch") else None, **OPTIONS)
    assert type(kept) is type(data)
    same = "schema" if kind in ("table", "batch") else "type"
    assert getattr(kept, same) == getattr(data, same)
    plain = drop_near_duplicates(pa.table({"text": TEXTS, "stars": STARS}), "text", **OPTIONS)
    texts = kept["text"] if kind in ("table", "batch") else kept
    assert texts.to_pylist() == plain["text"].to_pylist()
