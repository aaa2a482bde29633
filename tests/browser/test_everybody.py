"""The report for everybody: both themes, wide and narrow, by keyboard and screen reader, and against bad intent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

import lookalike as la
from lookalike.documents import Flag
from lookalike.documents.metadata import Metadata
from tests.browser.axe import violations
from tests.browser.views import show
from tests.report.essays import essays, name_of
from tests.report.test_report_escaping import PAYLOADS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.conftest import Open

VIEWS = ("pairs", "documents", "groups", "passages", "skipped", "settings", "document-4", "pair-2")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_no_violation(scheme: str, width: int, open_page: Open, class_report: Path) -> None:
    page = open_page(class_report, width=width, color_scheme=scheme)
    for view in VIEWS:
        show(page, class_report, view)
        if view.startswith("pair-"):
            page.keyboard.press("n")
            expect(page.locator(".chip.chosen")).to_have_count(1)
        assert violations(page) == [], view


@pytest.mark.parametrize("width", [1280, 360])
def test_nothing_is_wider_than_the_window(width: int, open_page: Open, class_report: Path) -> None:
    page = open_page(class_report, width=width)
    for view in VIEWS:
        show(page, class_report, view)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width, view


def test_the_theme_follows_the_system_and_the_button(open_page: Open, plain_report: Path) -> None:
    ground = "() => getComputedStyle(document.documentElement).backgroundColor"
    page = open_page(plain_report, color_scheme="dark")
    dark = page.evaluate(ground)
    page.get_by_role("button", name="Light theme").click()
    light = page.evaluate(ground)
    assert light != dark
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert page.evaluate(ground) == light
    page.emulate_media(color_scheme="light")
    page.get_by_role("button", name="Dark theme").click()
    assert page.evaluate(ground) == dark
    page.emulate_media(media="print")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"


def test_everything_is_reached_by_keyboard(open_page: Open, plain_report: Path) -> None:
    page = open_page(plain_report)
    page.keyboard.press("Tab")
    expect(page.locator("#skip-link")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#results")).to_be_focused()
    reached = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "() => { const e = document.activeElement;"
                " return e.id || e.className || e.closest('th')?.textContent || e.tagName; }"
            )
        )
    assert {"tab-pairs", "panel", "sort", "pair-link", "mark-select"} <= reached
    page.goto(plain_report.as_uri())
    page.wait_for_selector("html[data-ready]")
    seen = []
    for _ in range(16):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("() => document.activeElement.id || document.activeElement.className"))
        outline = page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", seen[-1]
    for id_ in ("anonymise", "theme", "print", "export", "import", "handle", "f-query", "f-threshold"):
        assert any(id_ in one for one in seen), id_


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_payload_is_only_text(payload: str, open_page: Open, tmp_path: Path) -> None:
    shown = re.sub("[\u2028-\u202e\u2066\0\7]", lambda found: f"⟨U+{ord(found[0]):04X}⟩", payload).strip()
    text = f"{payload} and a long text that both of the documents share, word for word, to the end. {payload}"
    name = f"a {payload}"
    known = {name: Metadata(name=payload, author=payload, label=payload), "b": Metadata(label="x")}
    result = la.find({name: text, "b": text}, 0.3).with_metadata(known)
    result.flags = {name: [Flag(payload, payload, 1)]}
    result = result.with_origin({"command": payload, "paths": [payload]})
    result.report(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html")
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    for view in (*VIEWS[:-2], "document-1", "pair-1"):
        show(page, tmp_path / "report.html", view)
        assert page.locator("main img, main script, main svg[onload]").count() == 0
        body = page.locator("body").inner_text()
        assert not set("\u202e\u2066\x07") & set(body)
        assert shown in body
    if "\u202e" in payload:
        expect(page.locator("#pair-title")).to_contain_text("⟨U+202E⟩gnp.exe⟨U+2066⟩")
        expect(page.locator(".pane .escape").first).to_have_text("⟨U+202E⟩")


def test_right_to_left_and_cjk_documents(open_page: Open, tmp_path: Path) -> None:
    hebrew = "הגשר הישן נבנה שלוש פעמים והעיר זוכרת את כולן כי הנהר לקח את שני הראשונים בחורף קשה מאוד. " * 3
    japanese = "雨の日は家で本を読むのが好きです。窓の外では静かに雨が降っています。" * 4
    result = la.find(
        {"גשר.txt": hebrew, "גשר-2.txt": f"{hebrew} סוף", "雨.txt": japanese, "雨2.txt": f"{japanese}終"}, 0.3
    )
    result.report(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html")
    for row in page.locator("#panel tbody tr").all():
        row.locator("a").click()
        expect(page.locator(".passage-mark").nth(1)).to_be_visible()
        direction = page.locator(".text").first.evaluate("e => getComputedStyle(e).direction")
        assert direction == ("rtl" if "גשר" in page.locator("#pair-title").inner_text() else "ltr")
        page.keyboard.press("Escape")


def test_a_browser_that_cannot_unpack_still_shows_the_tables(open_page: Open, tmp_path: Path) -> None:
    from lookalike.report import PACKED_FROM

    texts = essays()
    texts[name_of(3)] = texts[name_of(7)] = texts[name_of(3)] + " word" * (PACKED_FROM // 5)
    la.find(texts, 0.5).report(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html")
    expect(page.locator("#panel tbody td[data-label='Shared words']").first).not_to_have_text("–")
    page.add_init_script("delete window.DecompressionStream;")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    expect(page.locator("#notices")).to_contain_text("cannot unpack")
    assert page.locator("#panel tbody tr").count() >= 1
