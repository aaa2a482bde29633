"""PDF files that Chromium itself prints, and what the pair view shows of pages and look-alike letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

import lookalike as la
from lookalike.documents.open import read_document
from lookalike.report import write_pair

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

    from tests.browser.conftest import Open

PERSIAN = (
    "باران از صبح می‌بارید و خیابان‌های شهر پر از آب شده بود. مردم با چترهای رنگارنگ (قرمز و آبی) از کنار هم "
    "می‌گذشتند و در سال 1999 هیچ‌کس نمی‌دانست که باران چه روزی بند خواهد آمد. او کتاب «Moby Dick» را خواند."
)
ARABIC = (
    "كان المطر يهطل منذ الصباح، وامتلأت شوارع المدينة بالماء. مرّ الناس بمظلاتهم الملونة (الحمراء والزرقاء) بعضهم "
    "بجانب بعض، ولم يعرف أحد متى سيتوقف المطر في عام 1999. قرأ كتاب Moby Dick ثم لا شيء."
)


@pytest.mark.parametrize("text", [PERSIAN, ARABIC], ids=["persian", "arabic"])
def test_a_printed_page_has_the_words_of_its_text(browser: Browser, tmp_path: Path, text: str) -> None:
    page = browser.new_page()
    page.set_content(f"<html dir='rtl'><body style='font: 12pt DejaVu Sans; width: 30em'><p>{text}</p></body></html>")
    page.pdf(path=tmp_path / "x.pdf")
    page.close()
    assert " ".join(read_document(tmp_path / "x.pdf").text.split()) == text


def test_pages_and_look_alike_letters_are_shown_where_they_stand(
    browser: Browser, tmp_path: Path, open_page: Open
) -> None:
    words = "The miller lived by the river and sold his flour to every town around before the winter closed the road."
    page = browser.new_page()
    page.set_content(f"<p>Another beginning.</p><p style='break-before: page'>{words}</p>")
    page.pdf(path=tmp_path / "a.pdf")
    page.close()
    (tmp_path / "b.txt").write_text(words.replace("e", "е").replace("o", "ο"), encoding="utf-8")
    a, b = read_document(tmp_path / "a.pdf"), read_document(tmp_path / "b.txt")
    assert b.text == words
    write_pair(a, b, la.compare(a.text, b.text), tmp_path / "pair.html")
    shown = open_page(tmp_path / "pair.html")
    expect(shown.locator(".page-number")).to_have_text(["p. 2"])
    expect(shown.locator(".chip").first).to_contain_text("A p. 2")
    marked = shown.locator(".look-alike")
    assert set(marked.all_inner_texts()) == {"e", "o"}
    assert marked.count() == words.count("e") + words.count("o")
    expect(marked.first).to_have_attribute(
        "title", "the document has ⟨U+0435⟩ here, a letter of another alphabet that looks like this one"
    )
    assert "The miller lived by the river" in shown.locator(".pane").nth(1).inner_text()
