"""The page of a server for everybody: both themes and widths, keyboard alone, tokens, and against bad intent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.payloads import PAYLOADS, TRICKY_IDS
from tests.browser.serving import built, served
from tests.browser.test_page_check import sent
from tests.report.essays import essays, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.browser.conftest import Visit

ESSAY = essays()[name_of(3)]
WIDTHS = (1280, 360)


def views(page: Page, url: str) -> Iterator[str]:
    """Go to every page, and wait until it is there."""
    expect(page.locator("#check")).to_be_visible()
    yield "empty"
    page.get_by_label("Text", exact=True).fill(ESSAY)
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator("#found-title")).to_be_focused()
    yield "found"
    page.locator(".found tbody a").first.click()
    expect(page.locator(".passage-mark").first).to_be_visible()
    page.keyboard.press("n")
    expect(page.locator(".chip.chosen")).to_have_count(1)
    yield "pair"
    page.goto(f"{url}/#documents")
    expect(page.locator("tbody tr").first).to_be_visible()
    yield "documents"
    page.goto(f"{url}/#document/{name_of(3)}")
    expect(page.locator("#like-title")).to_be_visible()
    yield "document"
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    yield "question"
    page.keyboard.press("Escape")
    page.goto(f"{url}/#groups")
    expect(page.locator(".bars rect").first).to_be_attached()
    expect(page.locator(".group").first).to_be_visible()
    yield "groups"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_axe_finds_no_violation_and_nothing_is_too_wide(
    scheme: str, width: int, visit: Visit, essays_server: str
) -> None:
    page = visit(essays_server, width=width, color_scheme=scheme)
    for view in views(page, essays_server):
        assert violations(page) == [], view
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width, view


def test_the_theme_is_chosen_and_kept(visit: Visit, essays_server: str) -> None:
    ground = "() => getComputedStyle(document.documentElement).backgroundColor"
    page = visit(essays_server, color_scheme="dark")
    dark = page.evaluate(ground)
    page.get_by_role("button", name="Light theme").click()
    assert page.evaluate(ground) != dark
    page.reload()
    expect(page.get_by_role("button", name="Dark theme")).to_be_visible()


def focused(page: Page) -> str:
    found = page.evaluate("() => document.activeElement.id || document.activeElement.textContent.trim()")
    return str(found)


def tab_to(page: Page, wanted: str) -> None:
    """Press Tab until something has the focus that can be seen."""
    for _ in range(40):
        page.keyboard.press("Tab")
        seen = "e => e === document.body || getComputedStyle(e).outlineStyle !== 'none'"
        assert page.evaluate(f"() => ({seen})(document.activeElement)"), focused(page)
        if focused(page) == wanted:
            return
    pytest.fail(f"{wanted} cannot be reached by keyboard")


def test_everything_is_done_by_keyboard(visit: Visit, own_server: str) -> None:
    page = visit(own_server)
    expect(page.locator("#check")).to_be_visible()
    page.keyboard.press("Tab")
    assert focused(page) == "skip-link"
    page.keyboard.press("Enter")
    assert focused(page) == "main"
    tab_to(page, "text")
    page.keyboard.insert_text(ESSAY)
    tab_to(page, "choose")
    tab_to(page, "threshold")
    tab_to(page, "check")
    page.keyboard.press("Enter")
    expect(page.locator("#found-title")).to_be_focused()
    tab_to(page, name_of(3))
    page.keyboard.press("Enter")
    expect(page.locator("#pair-title")).to_be_focused()
    expect(page.locator(".passage-mark").first).to_be_visible()
    tab_to(page, "next-passage")
    page.keyboard.press("Enter")
    expect(page.locator("#live")).to_contain_text("Passage 1 of")
    page.keyboard.press("Escape")
    expect(page.locator(".found").get_by_role("link", name=name_of(3))).to_be_focused()
    tab_to(page, "name")
    page.keyboard.insert_text("by-keyboard.txt")
    page.keyboard.press("Enter")
    expect(page.locator("#add-form .done")).to_contain_text("by-keyboard.txt")
    tab_to(page, "by-keyboard.txt")
    page.keyboard.press("Enter")
    expect(page.locator("#title")).to_be_focused()
    tab_to(page, "remove")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#said")).to_contain_text("Removed: by-keyboard.txt")


def test_escape_returns_to_the_row_that_one_came_from(visit: Visit, essays_server: str) -> None:
    page = visit(essays_server, f"#document/{name_of(3)}")
    row = page.locator(".found").get_by_role("link", name=name_of(7))
    row.press("Enter")
    expect(page.locator(".passage-mark").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(row).to_be_focused()
    page.locator("#places").get_by_text("Documents").click()
    expect(page.locator("#title")).to_be_focused()


def test_a_text_is_sent_with_ctrl_and_enter(visit: Visit, essays_server: str) -> None:
    page = visit(essays_server)
    page.get_by_label("Text", exact=True).fill(ESSAY)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#found-title")).to_be_focused()


# -- browsing ----------------------------------------------------------------------------------------------------------


def test_documents_are_listed_page_by_page_and_searched(visit: Visit, tmp_path: Path) -> None:
    names = [f"{'Éssay' if i % 2 else 'note'} {i:03d}" for i in range(120)]
    with served(built(tmp_path / "x.db", {name: f"text number {name} alone" for name in names})) as url:
        page = visit(url, "#documents")
        rows = page.locator("tbody tr")
        expect(rows).to_have_count(50)
        expect(page.locator("#documents-said")).to_have_text("120 documents in the collection.")
        seen = rows.all_inner_texts()
        for shown in ("51–100 of 120", "101–120 of 120"):
            page.get_by_role("button", name="Next →").click()
            expect(page.locator(".pager-text")).to_have_text(shown)
            seen += rows.all_inner_texts()
        assert [text.strip() for text in seen] == names
        page.get_by_role("button", name="← Previous").click()
        expect(page.locator(".pager-text")).to_have_text("51–100 of 120")
        page.get_by_label("Part of a name").fill("essay 00")
        expect(page.locator("#documents-said")).to_contain_text("5 documents with “essay 00”")
        expect(rows).to_have_count(5)
        page.get_by_label("Part of a name").fill("nothing like it")
        expect(page.locator(".empty")).to_be_visible()


def test_groups_and_the_histogram(visit: Visit, essays_server: str) -> None:
    page = visit(essays_server, "#groups")
    group = page.locator(".group").filter(has_text=name_of(3))
    expect(group.locator(".members")).to_contain_text(name_of(7))
    counts = page.locator(".as-table td.number").all_text_contents()
    total = sum(int(text) for text in counts)
    assert total >= 1
    noun = "1 pair of stored documents is" if total == 1 else f"{total} pairs of stored documents are"
    expect(page.locator(".card").first).to_contain_text(f"{noun} at least 80% similar")
    group.get_by_role("link", name=f"Compare {name_of(3)} with {name_of(7)}").click()
    expect(page.locator(".score-value").first).to_have_text("100%")
    expect(page.locator("#back")).to_contain_text(name_of(3))


def test_addresses_that_lead_nowhere(visit: Visit, essays_server: str) -> None:
    page = visit(essays_server, "#document/nobody", refused=(404,))
    expect(page.get_by_role("alert")).to_contain_text("not in the index")
    page.goto(f"{essays_server}/#hit/{name_of(3)}")
    expect(page.get_by_role("heading", level=1)).to_have_text("The text is gone")
    for odd in ("#%", "#nothing", "#pair/a", "#__proto__", "#constructor/x", "#document"):
        page.goto(f"{essays_server}/{odd}")
        expect(page.get_by_role("heading", level=1)).to_have_text("Have we seen this before?")


# -- tokens ------------------------------------------------------------------------------------------------------------


def test_a_token_is_asked_for_and_kept_in_memory_only(visit: Visit, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.txt"
    read, write = "r" * 43, "w" * 43
    tokens.write_text(f"read {read}\nwrite {write}\n")
    tokens.chmod(0o600)
    with served(built(tmp_path / "x.db", essays()), "--token-file", str(tokens)) as url:
        page = visit(url, refused=(401,))
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("This server requires a token")
        expect(page.get_by_label("Token", exact=True)).to_be_focused()
        assert violations(page) == []
        page.keyboard.insert_text("wrong" * 8)
        page.keyboard.press("Enter")
        expect(dialog).to_contain_text("This server does not know that token")
        page.get_by_label("Token", exact=True).fill(read)
        page.get_by_role("button", name="Use this token").click()
        expect(page.locator("#foot")).to_contain_text("you can read, but not change anything")
        page.get_by_label("Text", exact=True).fill(ESSAY)
        page.get_by_role("button", name="Check", exact=True).click()
        expect(page.locator(".found")).to_contain_text(name_of(7))
        assert page.locator("#add-form").count() == 0
        page.locator(".found tbody a").first.click()
        expect(page.locator(".passage-mark").first).to_be_visible()
        page.goto(f"{url}/#document/{name_of(3)}")
        expect(page.locator("#like-title")).to_be_visible()
        assert page.locator("#remove").count() == 0
        kept = page.evaluate("() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])")
        assert read not in kept

        page.reload()  # it is gone
        expect(dialog).to_contain_text("This server requires a token")
        page.get_by_label("Token", exact=True).fill(f" {write} ")
        page.keyboard.press("Enter")
        expect(page.locator("#remove")).to_be_visible()
        page.reload()
        expect(dialog).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("alert")).to_contain_text("Without a token this server answers no requests")


def test_a_server_that_is_read_only_hides_what_cannot_be_done(visit: Visit, tmp_path: Path) -> None:
    with served(built(tmp_path / "x.db", essays()), "--read-only") as url:
        page = visit(url, f"#document/{name_of(3)}")
        expect(page.locator("#like-title")).to_be_visible()
        assert page.locator("#remove").count() == 0


# -- bad intent --------------------------------------------------------------------------------------------------------

SHARED = "a long text that all of the documents share, word for word, from its beginning to its very end, and no more"


def shown(text: str) -> str:
    """What the page makes of a name: characters that cannot be seen are escapes."""
    return re.sub("[\u2028-\u202e\u2066\x07\t\n]", lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def assert_only_text(page: Page) -> None:
    odd = "img, iframe, object, embed, video, audio, base, math, style, marquee, template, script"
    assert page.locator(", ".join(f"body {name}" for name in odd.split(", "))).count() == 0
    assert page.locator("[onload], [onerror], [onfocus], [onclick], [style*=url], [href^=javascript]").count() == 0


@pytest.fixture(scope="module")
def hostile_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    texts = {f"{payload}": f"{payload} {SHARED} {payload}" for payload in PAYLOADS}
    with served(built(tmp_path_factory.mktemp("hostile") / "x.db", texts)) as url:
        yield url


def test_payloads_as_ids_and_texts_are_only_text(visit: Visit, hostile_server: str) -> None:
    page = visit(hostile_server, "#documents")
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(50)
    page.get_by_role("button", name="Next →").click()
    expect(rows).to_have_count(len(PAYLOADS) - 50)
    assert_only_text(page)
    for payload in PAYLOADS:
        page.goto(f"{hostile_server}/#document/{quote(payload, safe='')}")
        expect(page.locator("#title")).to_have_text(re.compile("^" + re.escape(shown(payload).strip()) + "$"))
        expect(page.locator("#like-title")).to_be_visible()
        assert SHARED in page.locator(".document-text").inner_text()
        assert_only_text(page)
        assert not set("\u202e\u2066\x07") & set(page.locator("body").inner_text())
    page.goto(f"{hostile_server}/#groups")
    expect(page.locator(".bars")).to_be_attached()
    expect(page.locator(".group").first).to_be_visible()
    assert_only_text(page)
    page.locator(".members").get_by_text("Compare", exact=True).first.click()
    expect(page.locator(".pane").first).to_be_visible()
    assert_only_text(page)


def test_payloads_that_are_pasted_and_added_are_only_text(visit: Visit, tmp_path: Path) -> None:
    with served(built(tmp_path / "x.db", {"seed": SHARED})) as url:
        page = visit(url)
        for payload in PAYLOADS[::3]:
            page.get_by_label("Text", exact=True).fill(f"{payload} {SHARED}")
            page.get_by_role("button", name="Check", exact=True).click()
            expect(page.locator("#found-title")).to_be_focused()
            page.get_by_label("Name", exact=True).fill(payload)
            page.get_by_role("button", name="Add it").click()
            expect(page.locator("#add-form .done")).to_contain_text("Added as")
            assert_only_text(page)
        page.goto(f"{url}/#documents")
        expect(page.locator("tbody tr")).to_have_count(1 + len(PAYLOADS[::3]))


def test_payloads_as_names_of_files_are_only_text(visit: Visit, essays_server: str) -> None:
    page = visit(essays_server, refused=(415,))
    for payload in PAYLOADS[::4]:
        name = f"{payload}.zip"
        page.locator("#file").set_input_files(sent(name, b"x"))
        expect(page.get_by_role("alert")).to_contain_text("archive")
        assert_only_text(page)


def test_any_id_is_opened_and_removed(visit: Visit, tmp_path: Path) -> None:
    with served(built(tmp_path / "x.db", {id_: f"{SHARED} {n}" for n, id_ in enumerate(TRICKY_IDS)})) as url:
        page = visit(url, "#documents")
        for number, id_ in enumerate(TRICKY_IDS):
            row = page.locator("tbody tr").first
            expect(row).to_have_text(shown(id_))
            row.locator("a").click()
            expect(page.locator(".document-text")).to_contain_text(f"{SHARED} {number}")
            page.get_by_role("button", name="Remove", exact=True).click()
            page.get_by_role("button", name="Remove it").click()
            expect(page.locator("#said")).to_contain_text("Removed")
            left = len(TRICKY_IDS) - number - 1
            expect(page.locator("#foot")).to_contain_text(f"{left} document")
            if left:
                expect(page.locator("tbody tr")).to_have_count(left)
