"""Where tokens may be, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lookalike as la

TOKENS = [["x", "y", "z"], ["z", "y", "x"], ["q"]]
TABLE = pa.table({"name": ["a", "b", "c"], "words": TOKENS, "doc": [{"words": tokens} for tokens in TOKENS]})
EXPECTED = la.sign(tokens=TOKENS).to_bytes()


@pytest.mark.parametrize(
    "tokens",
    [
        TOKENS,
        tuple(map(set, TOKENS)),
        iter(TOKENS),
        dict(enumerate(TOKENS)),
        [[b"x", b"y", b"z"], np.array(["z", "y", "x"]), ("q",)],
        pa.array(TOKENS),
        pl.Series(TOKENS),
        pd.Series(TOKENS),
    ],
    ids=["lists", "sets", "iterator", "dict", "mixed", "pyarrow", "polars", "pandas"],
)
def test_tokens_by_themselves(tokens: Any) -> None:
    assert la.sign(tokens=tokens).to_bytes() == EXPECTED


@pytest.mark.parametrize(
    "make",
    [
        lambda: TABLE,
        TABLE.to_pylist,
        TABLE.to_pandas,
        lambda: pl.DataFrame(TABLE),
        lambda: datasets.Dataset(TABLE),
        lambda: datasets.Dataset(TABLE).to_iterable_dataset(),
    ],
    ids=["pyarrow", "dicts", "pandas", "polars", "dataset", "stream"],
)
@pytest.mark.parametrize("column", ["words", "doc.words"])
def test_a_column_of_tokens(make: Any, column: str) -> None:
    assert la.sign(make(), tokens=column).to_bytes() == EXPECTED
    (pair,) = la.find(make(), tokens=column, id="name").pairs.to_pylist()
    assert (pair["a"], pair["b"], pair["jaccard"]) == ("a", "b", 1.0)
    for name in ("wrods", "doc.wrods"):
        with pytest.raises(la.DocumentError, match=f"column '{name}'"):
            la.find(make(), tokens=name)


def test_numbers_are_their_decimal_digits() -> None:
    assert la.find(tokens=[[1, -2], ["1", "-2"], np.array([1, -2])]).pair_count == 3


def test_a_row_without_tokens_is_skipped() -> None:
    result = la.find(pa.table({"words": [["x"], None, ["x"]]}), tokens="words")
    assert result.pairs.to_pylist()[0]["b"] == 2
    assert [one.reason for one in result.skipped] == ["null text"]


def test_old_documents_and_templates_are_tokens_too() -> None:
    result = la.find(tokens={"new": ["a b", "c"]}, against={"old": ["c", "a b"], "other": ["a", "b", "c"]})
    assert [(row["a"], row["b"]) for row in result.pairs.to_pylist()] == [("new", "old")]
    again = la.find(TABLE, tokens="words", id="", against=TABLE.slice(2))
    assert again.pair_count == 2
    assert la.find(tokens=[["t t", "a", "b"], ["t t", "c", "d"]], threshold=0.2).pair_count == 1
    templates: Any = [["t t"]]
    assert la.find(tokens=[["t t", "a", "b"], ["t t", "c", "d"]], threshold=0.2, ignore=templates).pair_count == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tokens": ["abc"]}, "document 0: tokens are a single str, not a list"),
        ({"tokens": [["a"], None]}, "document 1: tokens are a single NoneType, not a list"),
        ({"tokens": {"x": [1.5]}}, "document 'x': tokens contain a float"),
        ({"tokens": [[True]]}, "document 0: tokens contain a bool"),
        ({"tokens": [{"a"}], "recipe": la.Recipe(k=2)}, "document 0: tokens are a set, which has no order"),
        ({"tokens": 7}, "tokens are int; give a list or dict"),
        ({"tokens": {"a", "b"}}, "tokens are set; give a list or dict"),
        ({"tokens": TABLE}, "tokens cannot be chosen among the columns 'name', 'words', 'doc'"),
        ({"documents": TABLE, "tokens": "name"}, "column 'name' holds string, not lists of tokens"),
        ({"documents": TABLE, "tokens": "word"}, "did you mean 'words'?"),
        ({"documents": ["a"], "tokens": "words"}, "column 'words' cannot be read from list"),
        ({"documents": Path("a.parquet"), "tokens": "words"}, "read it as a table first"),
        ({"documents": ["a"], "tokens": TOKENS}, "tokens must be the name of a column"),
        ({"documents": TABLE, "tokens": "words", "text": "name"}, "text cannot be used with tokens"),
    ],
)
def test_what_is_refused(arguments: dict[str, Any], message: str) -> None:
    for function in (la.find, la.sign):
        with pytest.raises(la.LookalikeError) as caught:
            function(**arguments)
        assert message in str(caught.value)


def test_quotes_of_tokens() -> None:
    with pytest.raises(la.RecipeError, match="skip is not supported with tokens"):
        la.find(tokens=TOKENS, skip=["quotes"])
