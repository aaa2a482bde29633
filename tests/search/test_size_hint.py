"""What files say of their size decides what is kept while they are read, never what is found."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike import _native
from lookalike.documents.raw_input import LIMITS
from tests.search.making import RECIPE, answer, mixed_pages

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXTS = mixed_pages(120, seed=5)
SIZE = sum(map(len, TEXTS))


def json_lines(path: Path, beside: str) -> Path:
    rows: list[dict[str, Any]] = [{"id": f"d{i}", "text": text, "beside": beside} for i, text in enumerate(TEXTS)]
    rows.insert(3, {"id": "none", "text": None, "beside": beside})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def parquet(path: Path, beside: str) -> Path:
    ids = [f"d{i}" for i in range(len(TEXTS))]
    pq.write_table(pa.table({"id": ids, "text": TEXTS, "beside": [beside] * len(TEXTS)}), path, row_group_size=50)
    return path


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What each reading of the documents was told to keep."""
    seen: list[str] = []

    def intake(strategy: Any, keep: str, *others: Any) -> Any:
        seen.append(keep)
        return real(strategy, keep, *others)

    real = _native.Intake
    monkeypatch.setattr("lookalike.search.search_run._native.Intake", intake)
    return seen


def up_to(monkeypatch: pytest.MonkeyPatch, characters: int) -> None:
    """Let collections of at most so many characters be joined exactly."""
    monkeypatch.setattr("lookalike.engine.SMALL", characters // 6)


FILLER = "x" * 4000


@pytest.mark.parametrize(
    ("write", "most", "beside", "expected"),
    [
        (json_lines, 2 * SIZE, "", ["auto"]),
        (json_lines, 2 * SIZE, FILLER, ["rows", "sets"]),  # only reading tells how much of a line is the text
        (json_lines, SIZE // 2, FILLER, ["rows"]),
        (parquet, 2 * SIZE, "", ["auto"]),
        (parquet, 2 * SIZE, FILLER, ["auto"]),
        (parquet, SIZE // 4, FILLER, ["rows"]),
    ],
)
def test_the_size_of_the_texts_decides_not_that_of_the_file(
    write: Callable[[Path, str], Path],
    most: int,
    beside: str,
    expected: list[str],
    tmp_path: Path,
    kept: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = write(tmp_path / f"pages.{'parquet' if write is parquet else 'jsonl'}", beside)
    up_to(monkeypatch, most)
    found = la.find(path, 0.6, recipe=RECIPE)
    assert kept == expected
    assert found.method == ("exact" if most > SIZE else "lsh")
    options: dict[str, Any] = {"method": found.method}
    assert answer(found) == answer(la.find(path, 0.6, recipe=RECIPE, **options))
    assert [one.id for one in found.skipped] == (["none"] if write is json_lines else []) + ["d0", "d2"]


def test_a_parquet_file_says_how_much_text_it_has(tmp_path: Path) -> None:
    path = parquet(tmp_path / "pages.parquet", "x" * 4000)
    table = _native.TableFile.open(str(path), "parquet", None, LIMITS.native())
    told = _native.Input.of_table(table, "text").text_bytes()
    size = sum(len(text.encode()) + 4 for text in TEXTS)  # each text has its length before it
    assert told is not None
    assert size * 0.5 < told < size * 1.1
    assert _native.Input.of_table(table, "missing").text_bytes() is None
    assert _native.Input.of_texts(TEXTS).text_bytes() is None
