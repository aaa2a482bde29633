"""Texts of tables that were read natively, read again by number."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la

TEXTS: list[str | None] = [" ".join(f"ä{word + page % 3}" for word in range(30)) for page in range(40)]
TEXTS[7] = None
KEPT = [text for text in TEXTS if text is not None]


@pytest.fixture(params=["parquet", "jsonl"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"pages.{request.param}"
    if request.param == "parquet":
        pq.write_table(pa.table({"text": TEXTS}), path, row_group_size=9)
    else:
        path.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS), encoding="utf-8")
    return path


def fetched(source: la.Source | None, numbers: list[int]) -> dict[int, str]:
    assert source is not None
    return {number: text for those, texts in source.fetch(numbers) for number, text in zip(those, texts, strict=True)}


def test_texts_are_those_that_were_searched(table: Path) -> None:
    result = la.find(table)
    assert fetched(result.source, []) == {}
    for numbers in ([0], [3, 6, 7, 38], list(range(39))):
        assert fetched(result.source, numbers) == {number: KEPT[number] for number in numbers}


def test_old_documents_stand_behind_the_new_ones(table: Path, tmp_path: Path) -> None:
    (tmp_path / "old.jsonl").write_text(json.dumps({"text": "something old"}) + "\n", encoding="utf-8")
    result = la.find(table, against=tmp_path / "old.jsonl")
    assert fetched(result.source, [1, 39]) == {1: KEPT[1], 39: "something old"}


def test_a_file_that_has_changed_is_refused(table: Path) -> None:
    result = la.find(table)
    table.write_bytes(table.read_bytes()[:-5])
    with pytest.raises(la.DocumentError, match="changed"):
        fetched(result.source, [1])


def test_a_number_that_nobody_has_is_refused(table: Path) -> None:
    result = la.find(table)
    with pytest.raises(la.DocumentError):
        fetched(result.source, [39])
