"""Two documents side by side: passages, keys, marks, print, and the page of one pair."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Page, expect

import lookalike as la
from lookalike.report import write_pair
from lookalike.report.side_files import read_marks
from tests.browser.axe import violations
from tests.browser.views import show
from tests.report.essays import essays, name_of
from tests.report.page_data import parts_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.conftest import Open


def number_of(report: Path, a: int, b: int) -> int:
    pairs = parts_of(report).head["pairs"]
    return list(zip(pairs["a"], pairs["b"], strict=True)).index((a, b)) + 1


def in_sight(page: Page, selector: str) -> bool:
    """Whether the beginning of an element can be seen inside the pane that it is in."""
    seen = page.locator(selector).evaluate(
        "e => { const pane = e.closest('.pane').getBoundingClientRect(), own = e.getBoundingClientRect();"
        " return own.top >= pane.top - 1 && own.top <= pane.bottom; }"
    )
    return bool(seen)


def test_a_pair_is_opened_from_the_table_and_left_again(open_page: Open, plain_report: Path) -> None:
    page = open_page(plain_report)
    page.locator("#panel tbody a").first.click()
    expect(page.locator("#pair-title")).to_be_focused()
    expect(page.locator("#pair-title")).to_contain_text(name_of(3))
    expect(page.locator("#overview")).to_be_hidden()
    expect(page.locator(".score .exact")).to_have_count(3)
    page.get_by_role("link", name="Next pair").click()
    expect(page.locator(".pair-place")).to_contain_text("Pair 2 of")
    page.keyboard.press("Escape")
    expect(page.locator("#overview")).to_be_visible()
    expect(page.locator("#tab-pairs")).to_be_focused()


def test_passages_are_numbered_and_reached_by_keys_and_clicks(open_page: Open, plain_report: Path) -> None:
    page = open_page(plain_report, f"#pair-{number_of(plain_report, 3, 15)}", height=700)
    total = page.locator(".chip").count()
    assert total > 1
    for side in "AB":
        assert page.locator(f"[id^=mark-{side}-]").count() == total
    for press, expected in (("n", 1), ("n", 2), ("p", 1), ("p", total)):
        page.keyboard.press(press)
        expect(page.locator(".chip.chosen .chip-number")).to_have_text(str(expected))
        for side in "AB":
            expect(page.locator(f"#mark-{side}-{expected}")).to_have_class(re.compile("chosen"))
            assert in_sight(page, f"#mark-{side}-{expected}")
    expect(page.locator("#live")).to_contain_text(f"Passage {total} of {total}")
    page.locator("#mark-A-1 .tag").click()
    expect(page.locator(".chip.chosen .chip-number")).to_have_text("1")
    page.get_by_role("button", name="Next →").click()
    expect(page.locator(".chip.chosen .chip-number")).to_have_text("2")
    page.get_by_label("Keys n and p").uncheck()
    page.keyboard.press("n")
    expect(page.locator(".chip.chosen .chip-number")).to_have_text("2")


def test_passages_differ_by_more_than_colour(open_page: Open, plain_report: Path) -> None:
    page = open_page(plain_report, f"#pair-{number_of(plain_report, 17, 18)}")
    looks: list[Any] = page.locator("[id^=mark-A-]").evaluate_all(
        "marks => marks.map(m => [getComputedStyle(m).borderInlineStartStyle, getComputedStyle(m).backgroundColor])"
    )
    assert len(looks) >= 2
    assert len({style for style, _ in looks}) >= 2
    assert len({colour for _, colour in looks}) >= 2


def test_word_differences_are_marked_and_can_be_hidden(open_page: Open, plain_report: Path) -> None:
    page = open_page(plain_report, f"#pair-{number_of(plain_report, 3, 12)}")
    words = page.locator(".pane").nth(1).locator(".diff").all_inner_texts()
    assert words
    assert {word for text in words for word in text.split()} & {"certainly", "perhaps", "really"}
    first = page.locator(".diff").first
    weight = "e => getComputedStyle(e).textDecorationLine"
    assert first.evaluate(weight) == "underline"
    page.get_by_label("Word differences").uncheck()
    assert first.evaluate(weight) == "none"


def test_columns_scroll_together(open_page: Open, plain_report: Path) -> None:
    page = open_page(plain_report, f"#pair-{number_of(plain_report, 3, 12)}", height=600)
    left, right = page.locator(".pane").all()
    left.hover()
    page.mouse.wheel(0, 300)
    page.wait_for_timeout(300)
    assert right.evaluate("e => e.scrollTop") > 50
    page.get_by_label("Scroll together").uncheck()
    before = right.evaluate("e => e.scrollTop")
    left.hover()
    page.mouse.wheel(0, -300)
    page.wait_for_timeout(200)
    assert right.evaluate("e => e.scrollTop") == before


def test_excluded_text_is_grey_with_its_reason(open_page: Open, class_report: Path) -> None:
    page = open_page(class_report, f"#pair-{number_of(class_report, 3, 7)}")
    assert page.locator(".excluded .why").all_inner_texts() == ["template text, excluded"] * 2
    expect(page.locator(".scores-box")).to_contain_text("Excluded from the scores: template text.")
    show(page, class_report, "pairs")
    page.get_by_label("Quotations").check()
    page.locator("#panel tbody a").first.click()
    expect(page.locator(".excluded", has_text="the bells of the lower town")).to_have_count(2)
    expect(page.locator(".scores-box")).to_contain_text("Excluded from the passages: quotations, template text.")


def test_marks_are_kept_exported_and_read_again(open_page: Open, plain_report: Path, tmp_path: Path) -> None:
    page = open_page(plain_report, "#pair-1")
    page.get_by_label("Checked").check()
    page.get_by_label("Note").fill("spoke to both <b>\n")
    show(page, plain_report, "pairs")
    page.locator("#panel .mark-select").nth(1).select_option("not an issue")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    selects = page.locator("#panel .mark-select")
    expect(selects.nth(0)).to_have_value("checked")
    expect(selects.nth(1)).to_have_value("not an issue")
    page.get_by_label("Marks", exact=True).select_option("Checked")
    expect(page.locator("#fact-pairs")).to_have_text("1")
    with page.expect_download() as started:
        page.get_by_role("button", name="Export marks").click()
    started.value.save_as(tmp_path / "marks.json")
    found = read_marks(tmp_path / "marks.json")
    mark = found.of(name_of(3), name_of(7))
    assert mark is not None
    assert (mark.mark, mark.note, len(found)) == ("checked", "spoke to both <b>\n", 2)

    other = open_page(plain_report)
    expect(other.locator("#panel .mark-select").nth(0)).to_have_value("")
    other.locator("#import-file").set_input_files(tmp_path / "marks.json")
    expect(other.locator("#panel .mark-select").nth(0)).to_have_value("checked")
    expect(other.locator("#notices")).to_contain_text("2 marks read from marks.json")
    for name, content in (("broken.json", "{"), ("other.json", json.dumps({"schema": "x"}))):
        (tmp_path / name).write_text(content)
        other.locator("#import-file").set_input_files(tmp_path / name)
        expect(other.locator("#said")).to_contain_text("That file")


def test_marks_work_where_nothing_can_be_stored(open_page: Open, plain_report: Path, browser: Any) -> None:
    page = open_page(plain_report)
    page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } });")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.locator("#panel .mark-select").first.select_option("checked")
    page.locator("#panel tbody a").first.click()
    expect(page.get_by_label("Checked")).to_be_checked()


def test_anonymise_hides_names_everywhere(open_page: Open, class_report: Path) -> None:
    page = open_page(class_report)
    page.get_by_role("button", name="Anonymise").click()
    expect(page.get_by_role("button", name="Anonymise")).to_have_attribute("aria-pressed", "true")
    for place in ("pairs", "documents", "groups", "passages", "skipped", "settings", "pair-1"):
        show(page, class_report, place)
        text = page.locator("body").evaluate(
            "e => { const c = e.cloneNode(true);"
            " c.querySelectorAll('script, .text, blockquote').forEach(x => x.remove()); return c.innerHTML; }"
        )
        for name in ("Diaz", "Haddad", "essay-03", "2025/lind", "essays/"):
            assert name not in text, (place, name)
        assert "Document 4" in text or place == "skipped"
    assert page.title() == "A collection of documents · lookalike"


def test_print_this_pair_is_a_numbered_proof(open_page: Open, class_report: Path) -> None:
    page = open_page(class_report, f"#pair-{number_of(class_report, 3, 12)}")
    passages = page.locator(".chip").count()
    page.evaluate("() => { window.print = () => { window.printed = true; }; }")
    page.get_by_role("button", name="Print this pair").click()
    assert page.evaluate("() => window.printed")
    page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    expect(page.locator("#proof")).to_be_visible()
    for hidden in ("#pair", ".bar", "#foot"):
        expect(page.locator(hidden)).to_be_hidden()
    rows = page.locator("#proof tbody tr")
    expect(rows).to_have_count(passages)
    for number in range(passages):
        expect(rows.nth(number).locator("th")).to_contain_text(str(number + 1))
        expect(rows.nth(number).locator("td")).to_have_count(2)
    proof = page.locator("#proof")
    for said in ("not proof of copying", "Scores (exact)", "SHA-256 of A", "lookalike-recipe/2", "Diaz, essay 3"):
        expect(proof).to_contain_text(said)
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_the_page_of_one_pair(open_page: Open, tmp_path: Path) -> None:
    from lookalike.documents.text_file import TextFile

    texts = essays()
    a, b = (TextFile(name_of(i), texts[name_of(i)], "UTF-8") for i in (3, 12))
    write_pair(a, b, la.compare(a.text, b.text), tmp_path / "pair.html")
    page = open_page(tmp_path / "pair.html")
    expect(page.get_by_role("heading", level=1)).to_contain_text(name_of(3))
    expect(page.locator("#overview")).to_be_hidden()
    expect(page.locator("#pair")).to_contain_text("Similarity is not proof of copying: read the passages.")
    page.keyboard.press("n")
    expect(page.locator(".chip.chosen .chip-number")).to_have_text("1")
    page.get_by_role("button", name="Anonymise").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Document 1")
    expect(page.locator("#back")).to_have_count(0)


def test_lines_that_an_editor_broke_flow_and_other_lines_stay(open_page: Open, tmp_path: Path) -> None:
    words = essays()[name_of(0)].split()
    wrapped = "\n".join(" ".join(words[i : i + 11]) for i in range(0, len(words), 11))
    poem = "\n".join(" ".join(words[i : i + 4]) for i in range(0, len(words), 4))
    la.find({"wrapped": wrapped, "poem": poem}, 0.5).report(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html", "#pair-1")
    columns = dict(zip(("wrapped", "poem"), page.locator(".text").all(), strict=True))
    assert "\n" not in (columns["wrapped"].text_content() or "")
    assert (columns["poem"].text_content() or "").count("\n") == poem.count("\n")
    page.keyboard.press("n")  # places are the same
    assert page.locator("#mark-A-1").inner_text().startswith(f"1{' '.join(words[:20])}")


# -- source code -----------------------------------------------------------------------------------------------------

_LEFT = """\
# Adds numbers; <b>not markup</b>
def total(prices, limit=100):
    result = 0
    for price in prices:
        if price < limit and price != "free":
            result += price // 2
    return result
"""
_RIGHT = "import os\n" + re.sub(r"#.*\n", "", _LEFT).replace("price", "x").replace("result", "s").replace("100", "7")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_code_has_line_numbers_and_colours(open_page: Open, tmp_path: Path, theme: str) -> None:
    result = la.find({"anna.py": _LEFT, "ben.py": _RIGHT}, 0.5, recipe=la.Recipe.preset("code"))
    result.report(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html", "#pair-1", color_scheme=theme)
    text = page.locator(".pane .text").first
    assert "mono" in text.evaluate("e => getComputedStyle(e).fontFamily").lower()
    lines = page.locator(".column").first.locator(".line")
    assert lines.evaluate_all("all => all.map((e) => e.dataset.line)") == [str(n + 1) for n in range(8)]
    colours = {
        kind: text.locator(f".code-{kind}").first.evaluate("e => getComputedStyle(e).color")
        for kind in ("comment", "keyword", "number", "string")
    }
    assert len(set(colours.values())) == 4
    assert text.locator(".code-comment").inner_text() == "# Adds numbers; <b>not markup</b>"
    assert text.locator(".code-string").inner_text() == '"free"'
    expect(page.locator(".chip")).to_have_count(1)
    assert page.locator("#mark-B-1").inner_text().endswith("return s")
    assert violations(page) == []
    text.locator(".tag").evaluate_all("all => all.forEach((tag) => tag.remove())")
    assert text.evaluate("e => e.textContent") == _LEFT


def test_hostile_code_is_shown_in_linear_time(open_page: Open, tmp_path: Path) -> None:
    text = "/* <!-- ' \" ` '''" * 20_000 + "\n" + '"\\' * 20_000 + "\nint a = b + c * d - e / f % g < h > i & j;\n"
    result = la.find({"a.c": text, "b.c": text + "x"}, 0.1, recipe=la.Recipe.preset("code"))
    result.report(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html", "#pair-1")
    expect(page.locator(".column").first.locator(".line")).to_have_count(4)
