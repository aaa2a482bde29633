"""One document with all its sources, in the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect
from pypdfium2 import PdfDocument

import lookalike as la
from lookalike.search.derived import search_lower
from tests.browser.axe import violations
from tests.browser.views import show
from tests.report.essays import MOSAIC, TASK, name_of, with_mosaic

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.conftest import Open

LEAST = 30
"""Words: the made-up essays share shorter runs by chance."""


@pytest.fixture(scope="module")
def mosaic_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mosaic") / "report.html"
    search_lower(la.find(with_mosaic(), 0.8, ignore=[TASK])).report(path)
    return path


def mosaic(page: Page) -> None:
    """Open the list of documents, and let only long passages count."""
    page.get_by_label("Shortest passage").fill(str(LEAST))
    page.locator("#tab-documents").click()
    expect(page.locator("#panel tbody tr", has_text=MOSAIC).locator("td[data-label=Sources]")).to_have_text("3")


def test_a_mosaic_of_three_sources_is_seen(open_page: Open, mosaic_report: Path) -> None:
    page = open_page(mosaic_report)
    assert la.find(with_mosaic(), 0.8, ignore=[TASK]).rethreshold(0.8).pair_count == 2
    mosaic(page)
    rows = page.locator("#panel tbody tr")
    shares = [
        float(text.strip().rstrip("%")) for text in rows.locator("td[data-label='Found elsewhere']").all_inner_texts()
    ]
    assert shares == sorted(shares, reverse=True)
    own = rows.filter(has_text=MOSAIC)
    expect(own.locator("td[data-label='Best match']")).to_have_text("–")
    share = own.locator("td[data-label='Found elsewhere']").inner_text().strip()
    assert 55 < float(share.rstrip("%")) < 80
    others = {name_of(number) for number in (3, 7, 12, 15, 17, 18)}
    first = [row.locator("th").inner_text() for row in rows.all()[:7]]
    assert set(first) == {MOSAIC, *others}
    own.get_by_role("link", name=MOSAIC).click()
    expect(page.locator("#document-title")).to_be_focused()
    expect(page.locator(".score-main .score-value")).to_have_text(share)
    listed = page.locator(".source-list li")
    expect(listed).to_have_count(3)
    assert {name_of(number) for number in (1, 8, 10)} == {item.locator("a").inner_text() for item in listed.all()}
    assert page.locator(".source-letter").all_inner_texts() == ["A", "B", "C"]
    assert len({mark.get_attribute("class") for mark in page.locator("#document .passage-mark").all()}) == 3
    assert sorted(page.locator("#document .tag").all_inner_texts()) == ["A", "B", "C"]


def test_the_number_is_the_union_and_follows_the_boxes(open_page: Open, mosaic_report: Path) -> None:
    page = open_page(mosaic_report)
    mosaic(page)
    page.locator("#panel th").get_by_role("link", name=MOSAIC).click()
    value = page.locator(".score-main .score-note")
    words = int(value.inner_text().split()[0])
    units = [int(text.split()[0]) for text in page.locator(".source-list .about").all_inner_texts()]
    assert words == sum(units)  # no two of the three have the same words
    page.locator(".source-list input").first.uncheck()
    expect(value).to_contain_text(f"{sum(units[1:])} of ")
    expect(page.locator("#document .passage-mark")).to_have_count(2)
    expect(page.locator(".source-list input").first).to_be_focused()


def test_a_passage_opens_the_pair_and_leads_back(open_page: Open, mosaic_report: Path) -> None:
    page = open_page(mosaic_report)
    mosaic(page)
    page.locator("#panel th").get_by_role("link", name=MOSAIC).click()
    expect(page.locator("#document-title")).to_be_focused()  # a click returns before the address has changed
    page.keyboard.press("n")
    expect(page.locator("#document .tag").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#pair-title")).to_contain_text(MOSAIC)
    expect(page.locator(".chip.chosen")).to_have_count(1)
    expect(page.locator("#back")).to_contain_text(f"Sources of {MOSAIC}")
    page.keyboard.press("Escape")
    expect(page.locator("#document-title")).to_be_visible()
    page.locator("#document .passage-mark").last.click(position={"x": 60, "y": 12})
    expect(page.locator("#pair-title")).to_be_visible()
    page.locator("#back").click()
    expect(page.locator("#document-title")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#tab-documents")).to_be_focused()


def test_a_key_that_comes_before_the_view_is_not_lost(open_page: Open, mosaic_report: Path) -> None:
    number = list(with_mosaic()).index(MOSAIC) + 1
    page = open_page(mosaic_report)
    page.evaluate(
        """address => {
            const changed = new Promise((done) => window.addEventListener("hashchange", () => done(), { once: true }));
            window.location.hash = address;
            document.dispatchEvent(new KeyboardEvent("keydown", { key: "n", bubbles: true }));
            return changed;  // resolved after the page's own listener, which must not draw the view again
        }""",
        f"#document-{number}",
    )
    expect(page.locator("#document .tag").first).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_the_view_is_for_everybody(scheme: str, width: int, open_page: Open, mosaic_report: Path) -> None:
    number = list(with_mosaic()).index(MOSAIC) + 1
    page = open_page(mosaic_report, f"#document-{number}", width=width, color_scheme=scheme)
    assert violations(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_the_page_counts_as_the_library_does(open_page: Open, tmp_path: Path) -> None:
    passage = " ".join(f"word{i}" for i in range(20))
    texts = {"a": f"{passage} and more of its own", "b": f"{passage} then again {passage} to the end of it"}
    texts |= {name: text for name, text in with_mosaic().items() if name in (MOSAIC, name_of(1), name_of(8))}
    result = la.find(texts, 0.02)
    result.report(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html", "#documents")
    for name in texts:
        row = page.locator("#panel tbody tr").filter(has=page.get_by_role("rowheader", name=name, exact=True))
        shown = row.locator("td[data-label='Found elsewhere']").inner_text().strip()
        assert shown == f"{100 * result.sources(name).share:.1f}%", name
    page.get_by_role("link", name="b", exact=True).first.click()
    expect(page.locator("#document .passage-mark")).to_have_count(2)


def test_accents_do_not_hide_a_name(open_page: Open, mosaic_report: Path) -> None:
    page = open_page(mosaic_report, "#documents")
    page.get_by_label("Find a document").fill("MOSAIC-ZOE")
    expect(page.locator("#panel tbody tr")).to_have_count(1)


def test_printed_lists_repeat_their_headings_and_passages_have_lines(
    open_page: Open, mosaic_report: Path, tmp_path: Path
) -> None:
    page = open_page(mosaic_report)
    page.locator("#show-lower").click()
    expect(page.locator("#panel tbody tr")).to_have_count(50)
    page.pdf(path=tmp_path / "list.pdf", format="A4")
    printed = [words.get_text_range() for words in (one.get_textpage() for one in PdfDocument(tmp_path / "list.pdf"))]
    tables = [text for text in printed if "in part" in text]
    assert len(tables) > 2
    assert all("Similarity" in text and "A in B" in text for text in tables)
    show(page, mosaic_report, "pair-2")
    page.pdf(path=tmp_path / "pair.pdf", format="A4")
    assert "lines 3–5, characters" in PdfDocument(tmp_path / "pair.pdf")[0].get_textpage().get_text_range()
