"""`lookalike sources`: one document, and all that have passages of it."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from tests.report.essays import MOSAIC, TASK, name_of, with_mosaic
from tests.report.page_data import parts_of

if TYPE_CHECKING:
    from tests.cli.conftest import Run

SOURCES = {name_of(1), name_of(8), name_of(10)}


@pytest.fixture
def folder(run: Run) -> Path:
    Path("class").mkdir()
    for name, text in with_mosaic().items():
        Path("class", name).write_text(text)
    Path("task.txt").write_text(TASK)
    return Path("class")


def test_a_mosaic_is_told_with_its_sources_and_places(run: Run, folder: Path) -> None:
    essay = str(folder / MOSAIC)
    given = (essay, str(folder), "--min-words", "30", "--ignore", "task.txt")
    done = run("sources", *given)
    assert done.code == 0
    assert "60.2% of its text is found elsewhere" in done.out
    assert "142 of 236 words" in done.out
    assert all(name in done.out for name in SOURCES)
    assert done.out.count(MOSAIC) == 1  # it is not a source of itself
    said = json.loads(run("sources", *given, "--format", "json").out)
    assert (said["id"], said["units"], said["found"]) == (essay, 236, 142)
    assert said["recall"] == {"promised": 1.0, "measured": None}
    assert "recall 1 of documents that share a shingle" in done.out
    assert {source["id"] for source in said["sources"]} == SOURCES
    text = with_mosaic()[MOSAIC]
    for source in said["sources"]:
        other = with_mosaic()[source["id"]]
        assert source["adds"] == source["units"]
        for passage in source["passages"]:
            start, end = passage["start"], passage["end"]
            assert passage["text"] == text[start:end]
            assert passage["line"] == text[:start].count("\n") + 1
            assert passage["source_line"] == other[: passage["source_start"]].count("\n") + 1
            own, its = la.normalize(text[start:end]), other[passage["source_start"] : passage["source_end"]]
            assert own == la.normalize(its)


def test_the_page_opens_at_the_document(run: Run, folder: Path) -> None:
    assert run("sources", str(folder / MOSAIC), str(folder), "--html", "essay.html", "-q").code == 0
    head = parts_of(Path("essay.html")).head
    assert head["opens"] == "document-1"
    assert head["documents"]["id"][0] == str(folder / MOSAIC)
    assert set(head["pairs"]["a"]) == {0}


def test_what_cannot_be_done_is_one_line(run: Run, folder: Path) -> None:
    Path("blank.txt").write_text(" \n")
    assert "blank.txt" in run("sources", "blank.txt", str(folder)).complaint
    essay = str(folder / MOSAIC)
    assert "among the documents" in run("sources", essay, str(folder), "--html", essay).complaint
    assert "--report" in run("scan", str(folder), "--anonymise").complaint


def test_without_another_document_there_is_no_answer(run: Run, folder: Path) -> None:
    essay = str(folder / MOSAIC)
    Path("broken").mkdir()
    Path("broken/x.docx").write_bytes(b"PK\3\4 damaged")
    assert "broken contains no readable document: x.docx: " in run("sources", essay, "broken").complaint
    assert "contains no other document" in run("sources", essay, essay).complaint
    assert run("index", "build", "o.db", str(folder)).code == 0
    assert "is an index, not a document" in run("sources", essay, "o.db").complaint


def test_what_was_not_read_is_named(run: Run, folder: Path) -> None:
    (folder / "x.docx").write_bytes(b"PK\3\4 damaged")
    done = run("sources", str(folder / MOSAIC), str(folder), "--format", "json")
    assert "1 skipped: x.docx (" in done.err
    assert [one["id"] for one in done.json["skipped"]] == ["x.docx"]
    assert "x.docx" not in run("sources", str(folder / MOSAIC), str(folder), "-q").err


def test_a_document_without_words_is_not_compared(run: Run, folder: Path) -> None:
    Path("stars.txt").write_text("*** !!!", encoding="utf-8")
    done = run("sources", "stars.txt", str(folder))
    assert "Not compared" in done.out
    assert "0.0%" not in done.out
    assert run("sources", "stars.txt", str(folder), "--format", "json").json["recall"]["promised"] is None


def test_the_number_of_the_report_is_that_of_the_command() -> None:
    texts = with_mosaic()
    by_command = la.sources(texts.pop(MOSAIC), texts, ignore=[TASK], least=30)
    result = la.find(with_mosaic(), 0.02, ignore=[TASK])
    by_result = result.sources(MOSAIC, least=30)
    assert (by_command.found, by_command.units) == (by_result.found, by_result.units) == (142, 236)
    assert [one.id for one in by_command.sources] == [one.id for one in by_result.sources]
    with pytest.raises(la.RecipeError, match="id of a document"):
        result.sources("nobody")


def test_words_that_several_sources_have_count_once() -> None:
    one, two = " ".join(f"a{i}" for i in range(30)), " ".join(f"b{i}" for i in range(20))
    found = la.sources(f"{one} {two}", {"x": one, "copy": one, "most": f"{one} {two[:23]}", "y": f"no {two}"})
    assert found.share == 1.0
    assert [(source.id, source.adds) for source in found.sources[:2]] == [("most", 38), ("y", 12)]
    assert sorted(source.id for source in found.sources[2:]) == ["copy", "x"]
    assert all(source.adds == 0 for source in found.sources[2:])


def test_a_member_of_an_archive_is_no_source_of_itself(run: Run) -> None:
    Path("class").mkdir()
    text = " ".join(f"word{number}" for number in range(80))
    with zipfile.ZipFile("class/late.zip", "w") as archive:
        archive.writestr("reyes.txt", text)
    Path("class/other.txt").write_text("nothing of this is anywhere else in the class at all", encoding="utf-8")
    done = run("sources", "class/late.zip/reyes.txt", "class", "--format", "json")
    assert done.json["sources"] == []
