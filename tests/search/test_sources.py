"""Every source of documents in memory: found, signed, given back as it was; docs/guide.md has the table of it.

Run as a script, it writes that table anew: ``python tests/search/test_sources.py``.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import daft
import dask.dataframe as dd
import datasets
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

import lookalike as la

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GUIDE: Final = Path(__file__).parents[2] / "docs" / "guide.md"
BEGIN: Final = "<!-- sources: written by tests/search/test_sources.py -->\n"
END: Final = "<!-- end of sources -->\n"

TEXTS: Final = [
    "the tide rises twice a day because the moon pulls at the sea",
    "nothing like the others at all in any word or way",
    "The tide rises twice a day, because the moon pulls at the sea!",
    "something else again that nobody has written anywhere before",
]
NAMES: Final = ["a", "b", "c", "d"]
KEPT: Final = [TEXTS[0], TEXTS[1], TEXTS[3]]
TABLE: Final = pa.table({"name": NAMES, "text": TEXTS, "doc": [{"text": text} for text in TEXTS]})


class RayDataset:
    """The part of a Dataset of Ray that is used; the real one takes a cluster to start."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def columns(self) -> list[str]:
        return self.table.column_names

    def select_columns(self, names: list[str]) -> RayDataset:
        return RayDataset(self.table.select(names))

    def iter_batches(self, *, batch_size: int, batch_format: str) -> Iterator[pa.Table]:
        assert (batch_size, batch_format) == (256, "pyarrow")
        for start in range(0, self.table.num_rows, 2):
            yield self.table.slice(start, 2)


RayDataset.__module__ = "ray.data.dataset"


class Exporter:
    """Exports an Arrow stream and nothing else."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return TABLE.__arrow_c_stream__(requested_schema)  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class Kind:
    """One source: how to make it, and how to read the texts of what comes back."""

    library: str
    name: str
    make: Callable[[], Any]
    texts: Callable[[Any], list[Any]]
    has_columns: bool = True
    gives: str = ""
    """What comes back, where it is not the same."""
    note: str = ""


def _pandas() -> Any:
    return TABLE.to_pandas()


def _dask() -> Any:
    # With types of Arrow, since Dask makes text of a column of dicts.
    make: Any = dd.from_pandas
    return make(TABLE.to_pandas(types_mapper=pd.ArrowDtype), npartitions=2)


def _column(data: Any) -> list[Any]:
    found: list[Any] = data["text"].to_pylist()
    return found


STREAMS: Final = "read part by part, never held whole"
HELD: Final = "read part by part; what is kept is held"
KINDS: Final = [
    Kind("Python", "list of `str`", lambda: list(TEXTS), list, has_columns=False),
    Kind("", "tuple of `str`", lambda: tuple(TEXTS), list, has_columns=False),
    Kind("", "dict of `str` by id", lambda: dict(zip(NAMES, TEXTS, strict=True)), lambda d: list(d.values()), False),
    Kind("", "generator, iterator", lambda: (text for text in TEXTS), list, False, "list"),
    Kind("", "list of dicts", TABLE.to_pylist, lambda data: [row["text"] for row in data]),
    Kind("numpy", "array of objects", lambda: np.array(TEXTS, object), list, has_columns=False),
    Kind("", "array of `str`", lambda: np.array(TEXTS), list, has_columns=False),
    Kind("", "array of StringDType", lambda: np.array(TEXTS, np.dtypes.StringDType()), list, has_columns=False),
    Kind("pyarrow", "Table", lambda: TABLE, _column),
    Kind("", "RecordBatch", lambda: TABLE.to_batches()[0], _column),
    Kind("", "Array", lambda: TABLE["text"].chunk(0), lambda data: data.to_pylist(), has_columns=False),
    Kind("", "ChunkedArray", lambda: TABLE["text"], lambda data: data.to_pylist(), has_columns=False),
    Kind("", "RecordBatchReader", TABLE.to_reader, lambda data: _column(data.read_all()), note="read once, and held"),
    Kind("", "Dataset", lambda: ds.dataset(TABLE), _column, gives="Table", note=HELD),
    Kind("", "Scanner", lambda: ds.dataset(TABLE).scanner(), _column, gives="Table", note="read once, and held"),
    Kind("pandas", "DataFrame", _pandas, lambda data: data["text"].tolist(), note="the index stays"),
    Kind("", "Series", lambda: _pandas()["text"], lambda data: data.tolist(), False, note="the index stays"),
    Kind("polars", "DataFrame", lambda: pl.from_arrow(TABLE), lambda data: data["text"].to_list()),
    Kind(
        "",
        "LazyFrame",
        lambda: pl.DataFrame(TABLE).lazy(),
        lambda data: data.collect()["text"].to_list(),
        note="collected, and lazy again afterwards",
    ),
    Kind("", "Series", lambda: pl.Series("text", TEXTS), lambda data: data.to_list(), has_columns=False),
    Kind(
        "DuckDB",
        "relation",
        lambda: duckdb.from_arrow(TABLE),
        lambda data: [row[0] for row in data.select("text").fetchall()],
        note="run once, and held; of the same connection",
    ),
    Kind("Hugging Face", "Dataset", lambda: datasets.Dataset(TABLE), lambda data: list(data["text"])),
    Kind(
        "",
        "DatasetDict",
        lambda: datasets.DatasetDict(train=datasets.Dataset(TABLE.slice(0, 2)), test=datasets.Dataset(TABLE.slice(2))),
        lambda data: [*data["train"]["text"], *data["test"]["text"]],
        note="all splits together; ids are `train:0`, or `train:` and the id",
    ),
    Kind(
        "",
        "IterableDataset",
        lambda: datasets.Dataset(TABLE).to_iterable_dataset(num_shards=2),
        lambda data: [row["text"] for row in data],
        note=f"{STREAMS}; one shard comes back",
    ),
    Kind("Dask", "DataFrame", _dask, lambda data: data["text"].compute().tolist(), note=STREAMS),
    Kind("", "Series", lambda: _dask()["text"], lambda data: data.compute().tolist(), False, note=STREAMS),
    Kind(
        "Daft",
        "DataFrame",
        lambda: daft.from_arrow(TABLE),
        lambda data: data.to_pydict()["text"],
        note=HELD,
    ),
    Kind(
        "Ray",
        "Dataset",
        lambda: RayDataset(TABLE),
        lambda data: _column(data.table),
        note=f"{HELD}. Tried with a stand-in, not with Ray itself",
    ),
    Kind(
        "any",
        "dict of tables",
        lambda: {"train": TABLE.slice(0, 2), "test": pl.DataFrame(TABLE.slice(2))},
        lambda data: [*data["train"]["text"].to_pylist(), *data["test"]["text"].to_list()],
        note="as a DatasetDict",
    ),
    Kind("", "`__arrow_c_stream__`", Exporter, _column, gives="Table", note="read once, and held"),
]
IDS: Final = [f"{number}-{kind.name}" for number, kind in enumerate(KINDS)]
OPTIONS: Final[dict[str, Any]] = {"threshold": 0.6, "recipe": la.Recipe(k=2)}


def finds(kind: Kind) -> bool:
    """Say whether `find` finds the one pair."""
    result = la.find(kind.make(), **OPTIONS)
    return (len(result.ids), result.pair_count) == (4, 1)


def signs(kind: Kind) -> bool:
    """Say whether `sign` gives what it gives for the texts."""
    return la.sign(kind.make()).to_bytes() == la.sign(TEXTS).to_bytes()


def dropped(kind: Kind) -> str:
    """Return the type that comes back without the near-duplicate: "same", or its name."""
    given = kind.make()
    kept = la.drop_near_duplicates(given, **OPTIONS)
    assert kind.texts(kept) == KEPT
    return "same" if type(kept) is type(given) else type(kept).__name__


def nested(kind: Kind) -> bool:
    """Say whether all three take a column inside another."""
    found = la.find(kind.make(), text="doc.text", **OPTIONS)
    signed = la.sign(kind.make(), text="doc.text")
    kept = la.drop_near_duplicates(kind.make(), "doc.text", **OPTIONS)
    return found.pair_count == 1 and signed.to_bytes() == la.sign(TEXTS).to_bytes() and kind.texts(kept) == KEPT


def row_of(kind: Kind) -> str:
    """Run everything, and return the row of the table that says what came of it."""
    cells = [kind.library, kind.name, "yes" if finds(kind) else "no", "yes" if signs(kind) else "no", dropped(kind)]
    cells.append(("yes" if nested(kind) else "no") if kind.has_columns else "–")
    return "| " + " | ".join([*cells, kind.note]) + " |\n"


def table() -> str:
    """Return the table of the guide."""
    head = '| library | source | `find` | `sign` | `drop_near_duplicates` gives | `text="doc.text"` | |\n'
    return head + "|---|---|---|---|---|---|---|\n" + "".join(map(row_of, KINDS))


def stand_in(monkeypatch: pytest.MonkeyPatch | None) -> None:
    """Put a module in the place of Ray."""
    module: Any = type(sys)("ray")
    module.data = type(sys)("ray.data")
    module.data.from_arrow = RayDataset
    if monkeypatch is None:
        sys.modules["ray"] = module
    else:
        monkeypatch.setitem(sys.modules, "ray", module)


@pytest.fixture(autouse=True)
def _ray(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch)


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
def test_every_source(kind: Kind) -> None:
    assert finds(kind)
    assert signs(kind)
    assert dropped(kind) == (kind.gives or "same")
    if kind.has_columns:
        assert nested(kind)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.has_columns], ids=lambda kind: kind.name)
def test_ids_of_a_column(kind: Kind) -> None:
    split = isinstance(kind.make(), dict)
    expected = ["train:a", "test:c"] if split else ["a", "c"]
    (pair,) = la.find(kind.make(), text="text", id="name", **OPTIONS).pairs.to_pylist()
    assert [pair["a"], pair["b"]] == expected
    _, plan = la.drop_near_duplicates(kind.make(), "text", id="name", return_plan=True, **OPTIONS)
    assert plan.removed_ids.to_pylist() == expected[1:]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.has_columns], ids=lambda kind: kind.name)
def test_keep_rules_name_columns(kind: Kind) -> None:
    kept = la.drop_near_duplicates(kind.make(), "text", keep="max:name", **OPTIONS)
    assert kind.texts(kept) == TEXTS[1:]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.has_columns], ids=lambda kind: kind.name)
def test_a_column_that_is_not_there(kind: Kind) -> None:
    for function in (la.find, la.sign, la.drop_near_duplicates):
        for name in ("txet", "doc.txet"):
            with pytest.raises(la.DocumentError, match=f"column '{name}' does not exist"):
                function(kind.make(), text=name)


def test_the_table_of_the_guide_is_what_was_run() -> None:
    before, _, rest = GUIDE.read_text(encoding="utf-8").partition(BEGIN)
    assert rest, f"{before[:20]}… has no line {BEGIN}"
    assert rest.partition(END)[0] == table(), "run python tests/search/test_sources.py to write the table anew"


if __name__ == "__main__":
    stand_in(None)
    before, _, rest = GUIDE.read_text(encoding="utf-8").partition(BEGIN)
    GUIDE.write_text(before + BEGIN + table() + END + rest.partition(END)[2], encoding="utf-8")
