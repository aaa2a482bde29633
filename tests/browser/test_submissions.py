"""Rows of two submissions in the report: students by name, files to unfold, marks for all files, hidden names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

import lookalike as la
from tests.browser.axe import violations
from tests.documents.exports import MOODLE, packed

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.conftest import Open


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("moodle")
    result = la.find(packed(MOODLE, folder / "moodle.zip"), 0.3, metric="containment", min_length=40)
    result.group_by("lms").report(folder / "report.html")
    return folder / "report.html"


def test_two_students_are_one_row_that_unfolds(open_page: Open, report: Path) -> None:
    page = open_page(report)
    rows = page.locator("#panel tbody tr")
    expect(rows).to_have_count(3)
    expect(page.locator("#fact-pairs")).to_have_text("3")
    expect(page.locator("#tab-pairs")).to_contain_text("3")
    first = rows.nth(0)
    expect(first.locator(".pair-name")).to_have_text(["ABen Baker", "BZoë Čapek-Ríos"])
    files = first.locator(".row-files li")
    expect(files.nth(0)).to_be_hidden()
    first.get_by_text("2 pairs of files").click()
    expect(files).to_have_text(["100%notes.txt – draft.txt", "100%notes.txt – essay.txt"])
    page.locator("#f-threshold").fill("40")
    expect(files.nth(0)).to_be_visible()  # it stays open while the list is drawn again
    files.nth(1).get_by_role("link").click()
    expect(page.locator("#pair-title")).to_contain_text("Ben Baker: notes.txt")
    expect(page.locator("#pair-title")).to_contain_text("Zoë Čapek-Ríos: essay.txt")


def test_a_student_with_one_file_has_its_name_beside(open_page: Open, report: Path) -> None:
    page = open_page(report)
    row = page.locator("#panel tbody tr").nth(1)
    expect(row.locator(".pair-name")).to_have_text(["AAnn Lee [105]essay.txt", "BAnn Lee [106]essay.txt"])
    page.locator("#f-query").fill("zoë")
    expect(page.locator("#panel tbody tr")).to_have_count(1)
    page.locator("#tab-documents").click()
    expect(page.locator("#panel tbody tr")).to_have_count(2)
    expect(page.locator("#panel tbody tr").nth(0)).to_contain_text("Zoë Čapek-Ríos: ")


def test_a_mark_is_for_all_files_of_the_row(open_page: Open, report: Path) -> None:
    page = open_page(report)
    page.locator("#panel tbody tr").nth(0).locator("select").select_option("checked")
    page.locator("#f-mark").select_option("none")
    expect(page.locator("#panel tbody tr")).to_have_count(2)
    page.locator("#f-mark").select_option("checked")
    expect(page.locator("#panel tbody tr").get_by_text("2 pairs of files")).to_have_count(1)


def test_no_name_is_left_when_names_are_hidden(open_page: Open, report: Path) -> None:
    page = open_page(report)
    page.locator("#anonymise").click()
    page.get_by_text("2 pairs of files").click()
    said = page.locator("#panel").inner_text()
    assert "Author " in said
    assert not [name for name in ("Ben", "Zoë", "notes", "essay", "Ann") if name in said]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_rows_are_for_everybody(open_page: Open, report: Path, theme: str, width: int) -> None:
    page = open_page(report, width=width, color_scheme=theme)
    page.get_by_text("2 pairs of files").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []
