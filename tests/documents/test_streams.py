"""Data frames that are not held: read part by part, and more than once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dask.dataframe as dd
import datasets
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.documents import open_documents
from tests.documents.reading import documents, rows
from tests.faults.child import PEAK, run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def stream(count: int, seen: list[int]) -> Any:
    def make() -> Iterator[dict[str, Any]]:
        for number in range(count):
            seen.append(number)
            yield {"text": f"text number {number}", "n": number}

    return datasets.IterableDataset.from_generator(make)


def test_a_stream_is_read_no_further_than_asked() -> None:
    seen: list[int] = []
    source = open_documents(stream(50_000, seen))
    assert not [one for one in seen if one > 2000]  # the columns are known from the first rows
    assert len(next(iter(source.batches())).texts) > 0
    assert source.size().documents is None


def test_a_stream_without_features_is_read_again_from_the_start() -> None:
    source = open_documents(stream(2500, []))
    for _ in range(2):
        assert len(documents(source)) == 2500
    assert [row["n"] for row in rows(source)[:2]] == [0, 1]


def test_rows_that_lack_a_column_at_first() -> None:
    def make() -> Iterator[dict[str, Any]]:
        yield from ({"text": None if number < 1500 else "one two"} for number in range(1502))

    given = datasets.IterableDataset.from_generator(make)
    assert documents(open_documents(given)) == {1500: "one two", 1501: "one two"}
    kept, plan = la.drop_near_duplicates(given, return_plan=True)
    assert plan.removed_ids.to_pylist() == [1501]
    assert len(list(kept)) == 1501


def test_dropping_from_a_stream_against_old_documents() -> None:
    kept, plan = la.drop_near_duplicates(
        stream(4, []), "text", against=["text number 2"], threshold=1.0, return_plan=True
    )
    assert [row["n"] for row in kept] == [0, 1, 3]
    assert plan.documents == 4


def test_a_dataset_of_files(tmp_path: Path) -> None:
    for number in range(3):
        pq.write_table(pa.table({"text": [f"one {number}", None]}), tmp_path / f"{number}.parquet")
    given = ds.dataset(tmp_path)
    assert documents(open_documents(given)) == {0: "one 0", 2: "one 1", 4: "one 2"}
    kept: Any = la.drop_near_duplicates(given, threshold=1.0)
    assert kept.num_rows == 6


def test_partitions_of_dask_that_are_empty() -> None:
    frame = pd.DataFrame({"text": ["one two", "one two", "x", "y"], "n": [1, 2, 3, 4]}, index=[5, 6, 7, 8])
    make: Any = dd.from_pandas
    given = make(frame, npartitions=4)
    some = given[given.n > 2]
    assert documents(open_documents(some)) == {0: "x", 1: "y"}
    assert la.drop_near_duplicates(some).compute().index.tolist() == [7, 8]
    assert la.drop_near_duplicates(given).compute().index.tolist() == [5, 7, 8]
    assert documents(open_documents(given[given.n > 9])) == {}


def test_other_functions_say_that_streams_cannot_be_changed() -> None:
    with pytest.raises(la.DocumentError, match="is IterableDataset, whose texts cannot be changed"):
        la.drop_repeated_parts(stream(2, []))


def test_a_stream_of_300_megabytes_takes_far_less() -> None:
    program = f"""
{PEAK}
import datasets
from lookalike.documents import open_documents

def rows():
    for number in range(3000):
        yield {{"text": str(number) * (100_000 // len(str(number)))}}

first = next(iter(open_documents(datasets.IterableDataset.from_generator(lambda: iter([{{"text": "x"}}]))).batches()))
before, read = peak(), 0
for batch in open_documents(datasets.IterableDataset.from_generator(rows)).batches():
    read += batch.texts.nbytes
print(read, peak() - before)
"""
    read, taken = map(int, run(program).split())
    assert read > 280 << 20
    assert taken < 200 << 20, taken


def test_a_search_in_files_and_its_cost(tmp_path: Path) -> None:
    texts = [
        f"document {number // 2} of a stream that is put in files, word for word {number // 2}"
        for number in range(3000)
    ]
    given = datasets.Dataset.from_dict({"text": texts}).to_iterable_dataset()
    expected = la.find(texts, method="lsh").pairs.to_pylist()
    assert la.find(given, method="lsh", memory=1 << 30, work=tmp_path / "work").pairs.to_pylist() == expected
    with pytest.raises(la.DocumentError, match="size is known only after reading"):
        la.estimate_cost(stream(3, []))
