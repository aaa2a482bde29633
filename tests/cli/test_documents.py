"""Documents of many formats on the command line: scanned, compared, listed, flagged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import lookalike as la
from tests.documents.making import Put, docx, lines_at, pdf, scanned_pdf, zipped

if TYPE_CHECKING:
    from tests.cli.conftest import Run

WORDS = "the miller lived by the river and his mill turned day and night until the water froze in the cold winter"
HIDDEN = Put(60, 300, "copied words here", before="1 1 1 rg")


def fill() -> None:
    folder = Path("essays")
    folder.mkdir()
    (folder / "a.pdf").write_bytes(pdf([[*lines_at(700, WORDS[:60].rsplit(" ", 1)[0], WORDS[55:]), HIDDEN]]))
    (folder / "class.zip").write_bytes(zipped({"anna/b.docx": docx([WORDS]), "c.docx": b"PK\3\4 broken"}))
    (folder / "scan.pdf").write_bytes(scanned_pdf())
    (folder / "d.txt").write_text("The mіller sold the mіll, which is another story altogether.")


def test_scan_finds_copies_across_formats_and_archives(run: Run) -> None:
    fill()
    done = run("scan", "essays", "-t", "0.3", "--format", "json")
    assert done.code == 0
    found = done.json
    assert [(pair["a"], pair["b"]) for pair in found["pairs"]] == [("a.pdf", "class.zip/anna/b.docx")]
    assert found["skipped"] == [
        {"id": "class.zip/c.docx", "reason": "damaged"},
        {"id": "scan.pdf", "reason": "no text"},
    ]
    assert [(flag["id"], flag["kind"], flag["count"]) for flag in found["flags"]] == [
        ("a.pdf", "hidden text", 3),
        ("d.txt", "look-alike letters", 2),
    ]
    assert "a.pdf has hidden text: 3 words are invisible to a reader" in done.err
    assert "scan.pdf" in run("files", "essays", "--format", "json").out
    assert run("scan", "essays", "--strict").code == 3


def test_the_next_command_compares_a_file_with_a_member(run: Run) -> None:
    fill()
    done = run("scan", "essays", "-t", "0.3")
    assert "Next: lookalike compare essays/a.pdf essays/class.zip/anna/b.docx" in done.out.replace(" \\\n    ", " ")
    compared = run("compare", "essays/a.pdf", "essays/class.zip/anna/b.docx", "--format", "json")
    assert compared.code == 0
    assert "has hidden text" in compared.err


def test_compare_says_why_a_document_cannot_be_read(run: Run) -> None:
    fill()
    done = run("compare", "essays/scan.pdf", "essays/a.pdf")
    assert done.code == 2
    assert done.err.startswith("lookalike: essays/scan.pdf cannot be read (no text): a scan: its pages are pictures")


def test_flags_are_saved_and_survive_a_search_in_files(run: Run) -> None:
    fill()
    run("scan", "essays", "--save", "run.lookalike", "-q")
    result = la.Result.load("run.lookalike")
    assert {name: [flag.kind for flag in flags] for name, flags in result.flags.items()} == {
        "a.pdf": ["hidden text"],
        "d.txt": ["look-alike letters"],
    }
    large = la.find(la.open_paths(["essays"]), 0.8, work="work", method="lsh")
    assert large.flags == result.flags
    against = la.find(la.open_paths(["essays"]), 0.8, against=la.open_paths(["essays"]))
    assert set(against.flags) == set(against.old_flags) == {"a.pdf", "d.txt"}
