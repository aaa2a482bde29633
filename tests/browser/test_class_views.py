"""A class with copying of every kind, as a platform exports it, and a course of programs: all views, and no names."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

import lookalike as la
from lookalike.search.derived import search_lower
from tests.browser.views import show
from tests.text.test_code import CELLS, CODE, PYTHON, PYTHON_RENAMED, notebook

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Open

ROOT = Path(__file__).parents[2]
MAKE: dict[str, Any] = runpy.run_path(str(ROOT / "examples" / "make_class.py"))
STUDENTS = {"Amelia Abbott": 101, "Ben Baker": 102, "Chloe Carr": 103, "Dora Diaz": 104, "Ed Ek": 105, "Hal Ho": 108}
STUDENTS |= {"Fay Fox": 106, "Gus Gil": 107}
LOOK_ALIKES = str.maketrans("aeopc", "аеорс")
"""To Cyrillic."""
FOUND = {
    ("Amelia Abbott", "Ben Baker"),  # two paragraphs
    ("Ben Baker", "Chloe Carr"),  # one word in 17 exchanged
    ("Dora Diaz", "Ed Ek"),  # a mosaic of three, one of them a pdf with running heads
    ("Dora Diaz", "Fay Fox"),
    ("Dora Diaz", "Gus Gil"),
    ("Dora Diaz", "Hal Ho"),
    ("Gus Gil", "Hal Ho"),  # look-alike letters
}


def export() -> dict[str, bytes]:
    """Return what the students handed in."""
    texts: dict[str, list[str]] = MAKE["read_texts"]()
    a, b, c, d, e, f = (texts[name] for name in ("anna", "clara", "emma", "gita", "jonas", "kira"))
    own = (ROOT / "examples" / "collection" / "river-cleanup.txt").read_text(encoding="utf-8").split("\n\n")
    exchanged = "\n\n".join(c).split(" ")
    exchanged[3::17] = ["other"] * len(exchanged[3::17])
    disguised = "\n\n".join(f).split(" ")
    disguised[::6] = [word.translate(LOOK_ALIKES) for word in disguised[::6]]
    files: dict[tuple[str, str], bytes] = {
        ("Amelia Abbott", "essay.txt"): "\n\n".join(["By Amelia Abbott", *a]).encode(),
        ("Ben Baker", "final.docx"): MAKE["as_docx"](["By Ben Baker", *a[:2], *b[2:]]),
        ("Ben Baker", "notes.txt"): " ".join(exchanged).encode(),
        ("Chloe Carr", "work.txt"): "\n\n".join(c).encode(),
        ("Chloe Carr", "draft.txt"): "\n\n".join(c[1:]).encode(),
        ("Dora Diaz", "mosaic.html"): MAKE["as_html"]([own[0], d[1], own[1], e[1], f[1]]),
        ("Ed Ek", "essay.pdf"): MAKE["as_pdf"](d),
        ("Fay Fox", "essay.txt"): "\n\n".join(e).encode(),
        ("Gus Gil", "essay.txt"): " ".join(disguised).encode(),
        ("Hal Ho", "essay.txt"): "\n\n".join(f).encode(),
        ("Hal Ho", "note.txt"): b"All my own work.",
    }
    return {f"{who}_{STUDENTS[who]}_assignsubmission_file_/{name}": data for (who, name), data in files.items()}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the report of the class, and that without names."""
    folder = tmp_path_factory.mktemp("export")
    (folder / "class.zip").write_bytes(MAKE["packed"](export()))
    result = search_lower(la.find(folder / "class.zip", preset="essays", min_length=40)).group_by("lms")
    assert {(pair.a, pair.b) for pair in result.submission_pairs} == FOUND
    result.report(folder / "named.html")
    result.report(folder / "anonymous.html", anonymise=True)
    return folder


def facts(page: Page) -> list[str]:
    return page.locator(".fact-value, .fact-name, .fact-note").all_inner_texts()


def open_document(page: Page, name: str) -> None:
    page.locator("#tab-documents").click()
    # The list of pairs has links of these names too, and is there until the next frame is drawn.
    page.locator("#panel th a:not(.pair-link)").filter(has_text=name).click()


def test_a_mosaic_names_its_sources_and_look_alike_letters_are_marked(open_page: Open, reports: Path) -> None:
    page = open_page(reports / "named.html")
    open_document(page, "Dora Diaz")
    expect(page.locator(".source-list a")).to_have_count(4)
    assert {one.inner_text() for one in page.locator(".source-list a").all()} == {
        "Ed Ek",
        "Fay Fox",
        "Gus Gil",
        "Hal Ho",
    }
    assert 70 < float(page.locator(".score-main .score-value").inner_text().rstrip("%")) < 85
    page.keyboard.press("Escape")
    open_document(page, "Gus Gil")
    expect(page.locator("#document .flag-note")).to_contain_text("look-alike letters")
    assert page.locator("#document .look-alike").count() > 20


def test_the_report_without_names_says_the_same(open_page: Open, reports: Path) -> None:
    page, other = (open_page(reports / name) for name in ("named.html", "anonymous.html"))
    numbers = [re.findall(r"\d+", " ".join(facts(one)[:9])) for one in (page, other)]
    assert numbers[0] == numbers[1]
    rows = [one.locator("#panel tbody tr") for one in (page, other)]
    assert rows[0].count() == rows[1].count() == len(FOUND)
    for one in (page, other):
        one.locator("#f-threshold").fill("30")
    for listed in rows:
        expect(listed).not_to_have_count(len(FOUND))  # drawn in the next frame
    assert rows[0].count() == rows[1].count() < len(FOUND)
    expect(other.locator("#panel tbody").get_by_text("2 pairs of files")).to_have_count(1)
    expect(other.locator("#panel tbody")).to_contain_text(re.compile(r"Documents \d+, \d+"))
    written = (reports / "anonymous.html").read_bytes().decode()
    names = [part for name in STUDENTS for part in name.split() if len(part) > 3]
    said = [*names, *STUDENTS, "class.zip", "mosaic.html", "assignsubmission"]
    assert [name for name in said if name in written] == []


def test_programs_keep_their_lines_in_every_view(open_page: Open, tmp_path: Path) -> None:
    files = {"ann.ipynb": notebook(CELLS, outputs=True), "ben.ipynb": notebook(CELLS, outputs=False)}
    files |= {"cleo.py": PYTHON, "dan.py": PYTHON_RENAMED}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    result = la.find(tmp_path, preset="code")
    assert result.recipe == CODE
    assert result.pair_count == 6
    result.report(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html")
    open_document(page, "dan.py")
    shown = page.locator("#document .text")
    assert "mono" in shown.evaluate("e => getComputedStyle(e).fontFamily").lower()
    assert shown.locator(".line").count() == PYTHON_RENAMED.count("\n") + 1
    show(page, tmp_path / "report.html", "passages")
    assert page.locator("blockquote").first.evaluate("e => getComputedStyle(e).whiteSpace") == "pre-wrap"
    show(page, tmp_path / "report.html", "pair-1")
    expect(page.locator(".reading .explain")).to_contain_text("names may differ")
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".proof td").first.evaluate("e => getComputedStyle(e).whiteSpace") == "pre-wrap"
