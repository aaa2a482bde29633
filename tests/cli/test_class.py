"""The sample class: the documented command finds what is planted in it, and nothing else."""

import re
import runpy
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lookalike as la

ROOT = Path(__file__).parents[2]
CLASS = ROOT / "examples" / "class"
PLANTED = {
    ("berg.pdf", "castle.docx"),
    ("hara.pdf", "ito.docx"),
    ("fox.docx", "grant.txt"),
    ("dunn.txt", "eke.html"),
    ("jung.html", "klein.txt"),
    ("berg.pdf", "late.zip/reyes.txt"),
    ("castle.docx", "late.zip/reyes.txt"),
    ("grant.txt", "late.zip/fox-draft.txt"),
}


def documented() -> list[str]:
    """The command of the page, without its report."""
    page = (CLASS / "README.md").read_text(encoding="utf-8")
    block = re.search(r"^    (lookalike scan .*?)\n\n", page, re.DOTALL | re.MULTILINE)
    assert block is not None
    words = shlex.split(block[1].replace("\\\n", " "))[1:]
    place = words.index("--report")
    return [*words[:place], *words[place + 2 :]]


@pytest.fixture
def scan(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.chdir(ROOT)
    return lambda *more: run(*documented(), *more, "--format", "json").json


def pairs_of(found: Any) -> list[tuple[str, str]]:
    return [(pair["a"], pair["b"]) for pair in found["pairs"]]


def test_the_planted_copies_are_found_and_no_innocent_pair(scan: Callable[..., Any]) -> None:
    assert set(pairs_of(scan())) == PLANTED
    below = scan("-t", "0.01")  # the last -t counts
    ranked = sorted(below["pairs"], key=lambda pair: -pair["jaccard"])
    assert {(pair["a"], pair["b"]) for pair in ranked[: len(PLANTED)]} == PLANTED
    assert all(pair["jaccard"] < 0.05 for pair in ranked[len(PLANTED) :])


def test_disguises_are_flagged_and_a_copy_in_another_format_reads_one(scan: Callable[..., Any]) -> None:
    found = scan()
    assert {(flag["id"], flag["kind"]) for flag in found["flags"]} == {
        ("ito.docx", "hidden text"),
        ("ito.docx", "look-alike letters"),
        ("jung.html", "hidden text"),
    }
    assert found["pairs"][0]["jaccard"] == 1.0


def test_the_older_one_was_first(scan: Callable[..., Any]) -> None:
    firsts = {(pair["a"], pair["b"]): pair["first"] for pair in scan()["pairs"]}
    assert firsts["berg.pdf", "castle.docx"] == "berg.pdf"
    assert firsts["jung.html", "klein.txt"] == "klein.txt"
    assert firsts["grant.txt", "late.zip/fox-draft.txt"] == "late.zip/fox-draft.txt"


def test_excluded_words_are_listed(scan: Callable[..., Any]) -> None:
    words = {each["id"]: each for each in scan()["left_out"]}
    assert words["berg.pdf"]["template"] > 60
    assert words["berg.pdf"]["quotes"] == words["berg.pdf"]["references"] == 0


def test_each_option_leaves_out_what_the_page_says(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    sheet = ["--ignore", "examples/class/assignment.docx"]
    skip = ["--skip", "quotes,references"]

    def pairs(*options: str) -> set[tuple[str, str]]:
        done = run("scan", "examples/class/essays", "-t", "0.1", "--format", "json", *options)
        return set(pairs_of(done.json))

    assert len(pairs()) > 100
    assert ("lund.docx", "marsh.txt") in pairs(*sheet)
    assert ("lund.docx", "marsh.txt") not in pairs(*sheet, *skip)
    assert pairs(*sheet, *skip) == PLANTED | {("fox.docx", "late.zip/fox-draft.txt")}


def test_the_files_are_what_the_program_makes(tmp_path: Path) -> None:
    made = runpy.run_path(str(ROOT / "examples" / "make_class.py"))["files"]()
    there = {path.relative_to(CLASS).as_posix(): path.read_bytes() for path in CLASS.rglob("*") if path.is_file()}
    del there["README.md"]
    assert there == made
    assert sum(map(len, made.values())) < 300_000


def test_the_page_lists_every_document() -> None:
    page = (CLASS / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/.-]+\.(?:pdf|docx|html|txt))`", page)) - {"examples/class_essays.txt", "report.html"}
    source = la.open_paths([CLASS / "essays"])
    assert named == {str(name) for batch in source.batches() for name in batch.ids}
