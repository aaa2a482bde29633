"""Pairs in other formats: what a spreadsheet, a program and a person get."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.tables.spelling import spelt_for_json
from lookalike.tables.write_table import FORMATS, write_table
from tests.result.making import Case, rows

CASE = Case([0, 1, 0], {(0, 1): (0.75, 0.8, 0.9999999)})
NAMES = ["=1+1", 'say "hi", ü', "-x\n|y"]
RESULT = CASE.result(ids=pa.array(NAMES, pa.large_string()))


def written(form: Any, result: la.Result = RESULT, **how: Any) -> str:
    stream = io.BytesIO()
    result.write_pairs(stream, form, **how)
    return stream.getvalue().decode()


def test_csv_is_safe_and_exact() -> None:
    first, *rest = csv.reader(io.StringIO(written("csv"), newline=""))
    assert first == ["a", "b", "jaccard", "containment_a", "containment_b"]
    assert [row[:2] for row in rest] == [["'=1+1", NAMES[1]], ["'=1+1", "'-x\n|y"], [NAMES[1], "'-x\n|y"]]
    assert [tuple(map(float, row[2:])) for row in rest] == [row[2:] for row in rows(RESULT.pairs)]


@given(st.lists(st.one_of(st.none(), st.text(st.sampled_from("=+-@＝\t\ra1 \xa0'\"\n,;")))))
def test_no_cell_of_a_csv_begins_a_formula(texts: list[str | None]) -> None:
    stream = io.StringIO()
    write_table(stream, pa.table({"id": pa.array(texts, pa.string()), "n": pa.array([-1] * len(texts))}), "csv")
    _, *rows = csv.reader(io.StringIO(stream.getvalue(), newline=""))
    assert [row[1] for row in rows] == ["-1"] * len(texts)
    for before, (after, _) in zip(texts, rows, strict=True):
        dangerous = before is not None and before.lstrip(" \xa0\n'\"").startswith(tuple("=+-@＝\t\r"))
        assert after == (f"'{before}" if dangerous else before or "")


def test_json_lines() -> None:
    assert [json.loads(line) for line in written("jsonl").splitlines()] == RESULT.pairs.to_pylist()


_texts = st.text(st.characters(exclude_categories=["Cs"]))


@given(
    st.lists(st.tuples(st.one_of(st.none(), _texts), st.integers(-(2**63), 2**63 - 1), st.floats(0, 1), st.booleans()))
)
def test_json_lines_say_exactly_what_there_is(values: list[tuple[Any, ...]]) -> None:
    kinds = {'a"': pa.string(), "n": pa.int64(), "score": pa.float64(), "kept": pa.bool_()}
    columns = list(zip(*values, strict=True)) or [()] * 4
    table = pa.table([pa.array(c, k) for c, k in zip(columns, kinds.values(), strict=True)], names=list(kinds))
    stream = io.BytesIO()
    write_table(stream, table, "jsonl")
    expected = [spelt_for_json(json.dumps(row, ensure_ascii=False)) for row in table.to_pylist()]
    lines = stream.getvalue().decode().split("\n")[:-1]
    assert [json.loads(line) for line in lines] == [json.loads(line) for line in expected]
    assert [line.split('"score"')[0] for line in lines] == [line.split('"score"')[0] for line in expected]


def test_json_is_to_dict() -> None:
    assert json.loads(written("json")) == RESULT.to_dict()
    assert json.loads(written("json", Case([], {}).result())) == Case([], {}).result().to_dict()


def test_parquet() -> None:
    stream = io.BytesIO()
    RESULT.write_pairs(stream, "parquet")
    assert not stream.closed
    assert pyarrow.parquet.read_table(io.BytesIO(stream.getvalue())).equals(RESULT.pairs)


def test_markdown_is_one_line_for_each_pair_and_rounds_nothing_up() -> None:
    lines = written("md").splitlines()
    assert lines[:2] == ["| a | b | jaccard | containment_a | containment_b |", "| --- | --- | --- | --- | --- |"]
    assert lines[2] == '| =1+1 | say "hi", ü | 0.7500 | 0.8000 | 0.9999 |'
    assert lines[3] == "| =1+1 | -x \\|y | 1.0000 | 1.0000 | 1.0000 |"
    assert len(lines) == 5


def test_only_the_top() -> None:
    assert len(written("jsonl", top=1).splitlines()) == 1
    assert json.loads(written("json", top=1))["pairs"][0]["jaccard"] == 1.0


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_has_what_a_stream_gets(form: Any, tmp_path: Path) -> None:
    RESULT.write_pairs(tmp_path / "out", form)
    stream = io.BytesIO()
    RESULT.write_pairs(stream, form)
    assert (tmp_path / "out").read_bytes() == stream.getvalue()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_text_streams_get_utf8(tmp_path: Path) -> None:
    caught = io.StringIO()
    RESULT.write_pairs(caught, "jsonl")
    assert caught.getvalue() == written("jsonl")
    with (tmp_path / "out").open("w", encoding="ascii") as stream:  # a terminal that is not UTF-8
        RESULT.write_pairs(stream, "jsonl")
    assert (tmp_path / "out").read_text(encoding="utf-8") == written("jsonl")


def test_a_format_that_is_none() -> None:
    with pytest.raises(la.RecipeError, match="did you mean 'jsonl'"):
        RESULT.write_pairs(io.BytesIO(), "jsnl")  # type: ignore[arg-type]


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(la.DocumentError, match=r"cannot be written \(No such file or directory\)"):
        RESULT.write_pairs(tmp_path / "no" / "out.csv", "csv")
    with pytest.raises(la.DocumentError, match=r"cannot be written \(Is a directory\)"):
        RESULT.write_pairs(tmp_path, "csv")


def test_a_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out.csv"
    target.write_text("old")
    target.chmod(0o640)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(la.DocumentError, match="No space left on device"):
            write_table(target, RESULT.pairs, "csv")
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
    write_table(target, RESULT.pairs, "csv")
    assert target.read_text(encoding="utf-8") == written("csv")
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    write_table(tmp_path / "link.csv", RESULT.pairs, "csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text(encoding="utf-8") == written("csv")


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd here")
def test_a_pipe_that_the_shell_has_opened_is_written_to() -> None:
    reading, writing = os.pipe()
    write_table(f"/dev/fd/{writing}", RESULT.pairs, "csv")
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        assert stream.read() == written("csv").encode()
