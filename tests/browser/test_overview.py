"""The report as a person uses it: facts, the threshold, filters and tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

import lookalike as la
from lookalike.search.derived import search_lower
from tests.report.essays import TASK, essays, name_of, old_essays

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.conftest import Open

TABS = ("pairs", "documents", "groups", "passages", "skipped", "settings")


def pair_count(page: Page) -> int:
    return int(page.locator("#fact-pairs").inner_text().replace(",", ""))


def at(page: Page, value: str) -> None:
    expect(page.get_by_role("slider", name="Threshold")).to_have_attribute("aria-valuenow", value)


def test_the_top_says_what_was_run_and_four_facts(open_page: Open, class_report: Path) -> None:
    page = open_page(class_report)
    expect(page.get_by_role("heading", level=1)).to_have_text("essays/")
    expect(page.locator(".caution").first).to_contain_text("Similarity is not proof of copying: read the passages.")
    result = la.find(essays(), 0.2, ignore=[TASK], against=old_essays())
    expect(page.locator("#fact-documents")).to_have_text(str(result.documents))
    expect(page.locator("#fact-pairs")).to_have_text(str(result.pair_count))
    expect(page.locator("#fact-groups")).to_have_text(str(len(result.groups)))
    expect(page.locator("#fact-highest")).to_have_text("100%")
    assert all(len(note) > 20 for note in page.locator(".fact-note").all_inner_texts())
    expect(page.locator("#foot")).to_contain_text(result.recipe.digest)
    expect(page.locator("#foot")).to_contain_text("lookalike scan essays/")


def test_the_closest_pair_is_first_and_numbers_are_those_of_the_search(open_page: Open, plain_report: Path) -> None:
    page = open_page(plain_report)
    first = page.locator("#panel tbody tr").first
    expect(first).to_contain_text(name_of(3))
    expect(first).to_contain_text(name_of(7))
    expect(first).to_contain_text("identical")
    expected = la.find(essays(), 0.2).top(1000).to_pylist()
    shown = page.locator("#panel tbody td[data-label=Similarity]").all_inner_texts()
    assert [text.strip() for text in shown] == [
        "100%" if pair["jaccard"] == 1 else f"{100 * pair['jaccard']:.1f}%" for pair in expected
    ]


def test_the_threshold_is_dragged(open_page: Open, plain_report: Path) -> None:
    page = open_page(plain_report)
    before = pair_count(page)
    plot = page.locator(".plot").bounding_box()
    assert plot is not None
    handle = page.get_by_role("slider", name="Threshold")
    box = handle.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 4, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(plot["x"] + plot["width"] / 2, plot["y"] + 40, steps=5)
    page.mouse.up()
    at(page, "60")
    expect(page.locator("#f-threshold")).to_have_value("60")
    expect(page.locator("#fact-pairs")).not_to_have_text(str(before))
    assert pair_count(page) == la.find(essays(), 0.2).rethreshold(0.6).pair_count
    page.mouse.move(plot["x"] + 10, plot["y"] + 40)  # let go: nothing follows any more
    at(page, "60")


def test_the_threshold_moves_by_keyboard(open_page: Open, plain_report: Path) -> None:
    page = open_page(plain_report)
    before = pair_count(page)
    page.get_by_role("slider", name="Threshold").focus()
    for key, value in (("ArrowRight", "21"), ("PageUp", "26"), ("ArrowLeft", "25"), ("End", "100"), ("Home", "20")):
        page.keyboard.press(key)
        at(page, value)
    page.keyboard.press("ArrowLeft")  # lower was not searched
    at(page, "20")
    assert pair_count(page) == before


def test_the_threshold_goes_as_low_as_the_search_went(open_page: Open, tmp_path: Path) -> None:
    texts = essays()
    search_lower(la.find(texts, 0.8)).report(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html")
    at(page, "80")
    assert pair_count(page) == la.find(texts, 0.8).pair_count == 2
    page.get_by_role("slider", name="Threshold").focus()
    page.keyboard.press("Home")
    at(page, "2")
    listed = page.locator("#panel tbody tr")
    assert pair_count(page) > 20
    for row in listed.all()[:3]:
        assert int(row.locator("td[data-label='Longest passage']").inner_text()) >= 8
    page.get_by_role("button", name="Reset filters").click()
    at(page, "80")
    page.locator("#show-lower").click()
    at(page, "2")


def test_an_empty_list_says_what_helps(open_page: Open, tmp_path: Path) -> None:
    texts = {"a": "one two three four five six seven eight nine", "b": "ten eleven twelve thirteen fourteen fifteen"}
    la.find(texts, 0.8).report(tmp_path / "none.html")
    page = open_page(tmp_path / "none.html")
    lower = "less similar pairs were not searched for"
    expect(page.locator(".empty")).to_have_text(f"No two documents are at least 80% similar; {lower}.")
    expect(page.locator("#run")).to_contain_text("recall 1, of pairs at or above 80%")
    texts["b"] = f"{texts['a']} {texts['b']} and many more words that the first one does not have at all"
    search_lower(la.find(texts, 0.8)).report(tmp_path / "lower.html")
    page = open_page(tmp_path / "lower.html")
    expect(page.locator(".empty")).to_contain_text("No pair reaches 80%. Lower the threshold")
    expect(page.locator(".lower")).to_contain_text("1 more pair below 80% shares passages.")


def test_every_tab_opens_by_click_and_by_arrow(open_page: Open, class_report: Path) -> None:
    page = open_page(class_report)
    for tab in TABS:
        page.locator(f"#tab-{tab}").click()
        expect(page.locator(f"#tab-{tab}")).to_have_attribute("aria-selected", "true")
        expect(page.locator("#panel")).to_have_attribute("aria-labelledby", f"tab-{tab}")
        assert page.locator("#panel").inner_text().strip()
        assert page.url.endswith(f"#{tab}")
    for tab in TABS:  # from the last to the first, and on
        page.keyboard.press("ArrowRight")
        expect(page.locator(f"#tab-{tab}")).to_be_focused()
    page.go_back()
    expect(page.locator("#tab-skipped")).to_have_attribute("aria-selected", "true")


def test_the_table_is_sorted_by_its_headings(open_page: Open, plain_report: Path) -> None:
    page = open_page(plain_report)
    heading = page.get_by_role("columnheader", name="Longest passage")
    column = page.locator("#panel tbody td[data-label='Longest passage']")
    heading.get_by_role("button").click()
    expect(heading).to_have_attribute("aria-sort", "descending")
    longest = [int(text) for text in column.all_inner_texts()]
    assert longest == sorted(longest, reverse=True)
    heading.get_by_role("button").click()
    expect(heading).to_have_attribute("aria-sort", "ascending")
    assert [int(text) for text in column.all_inner_texts()] == sorted(longest)


def test_filters_act_at_once_and_can_be_undone(open_page: Open, class_report: Path) -> None:
    page = open_page(class_report)
    everything = pair_count(page)
    page.get_by_label("Find a document").fill("essay 18")
    expect(page.locator("#fact-pairs")).to_have_text("1")
    page.get_by_role("button", name="Reset filters").click()
    expect(page.locator("#fact-pairs")).to_have_text(str(everything))
    page.get_by_label("New and old").select_option("New against old")
    expect(page.locator("#fact-pairs")).to_have_text("1")
    expect(page.locator("#panel tbody tr")).to_contain_text("2025/lind.txt")
    page.get_by_label("New and old").select_option("New against new")
    expect(page.locator("#fact-pairs")).to_have_text(str(everything - 1))
    page.get_by_label("New and old").select_option("All pairs")
    page.get_by_label("Label").select_option("class a")
    expect(page.locator("#fact-pairs")).not_to_have_text(str(everything))
    assert all("class a" in row for row in page.locator("#panel tbody tr").all_inner_texts())


def test_shortest_passage_and_quotes_change_what_counts(open_page: Open, class_report: Path) -> None:
    page = open_page(class_report, "#passages")
    passages = page.locator(".passage")
    before = passages.count()
    page.get_by_label("Shortest passage").fill("30")
    expect(passages).not_to_have_count(before)
    assert all(int(text.split()[0]) >= 30 for text in page.locator(".passage-head b").all_inner_texts())
    page.get_by_role("button", name="Reset filters").click()
    page.locator("#tab-pairs").click()
    shared = page.locator("#panel tbody tr", has_text="essay 3").first.locator("td[data-label='Shared words']")
    words = int(shared.inner_text())
    page.get_by_label("Quotations").check()
    expect(shared).not_to_have_text(str(words))
    assert int(shared.inner_text()) < words
    page.get_by_label("Template text").uncheck()
    page.get_by_label("Quotations").uncheck()
    expect(shared).not_to_have_text(str(words))
    assert int(shared.inner_text()) > words


def test_only_filters_that_can_do_something_are_there(open_page: Open, plain_report: Path) -> None:
    page = open_page(plain_report)
    for absent in ("New and old", "Label", "Template text", "Common text"):
        expect(page.get_by_label(absent, exact=True)).to_have_count(0)
    for there in ("Quotations", "References", "Marks", "Find a document"):
        expect(page.get_by_label(there, exact=True)).to_have_count(1)


def test_documents_lead_to_their_pairs(open_page: Open, class_report: Path) -> None:
    page = open_page(class_report, "#documents")
    expect(page.locator("#panel tbody tr")).to_have_count(22)
    page.locator("#panel th").get_by_role("link", name="Diaz, essay 3", exact=True).click()
    page.locator("#its-pairs").click()
    expect(page.locator("#tab-pairs")).to_have_attribute("aria-selected", "true")
    assert all("Diaz, essay 3" in row for row in page.locator("#panel tbody tr").all_inner_texts())
    page.get_by_role("button", name="Show all").click()
    expect(page.locator(".filter-only")).to_be_hidden()


def test_groups_have_a_heat_map_and_a_timeline(open_page: Open, class_report: Path) -> None:
    page = open_page(class_report, "#groups")
    groups = la.find(essays(), 0.2, ignore=[TASK], against=old_essays()).groups
    expect(page.locator(".group")).to_have_count(len(groups))
    largest = page.locator(".group").first
    size = max(len(group) for group in groups)
    expect(largest.locator(".heat tbody tr")).to_have_count(size)
    expect(largest.locator(".timeline li")).to_have_count(size)
    expect(largest.locator(".timeline li").first).to_contain_text("first")
    dates = largest.locator("time").all_inner_texts()
    assert dates == sorted(dates)
    largest.locator(".heat-cell a").first.click()
    expect(page.locator("#pair-title")).to_be_visible()


@pytest.mark.parametrize("linkage", ["star", "linked"])
@pytest.mark.parametrize("old", [True, False])
def test_the_page_groups_as_lookalike_does(linkage: str, old: bool, open_page: Open, tmp_path: Path) -> None:
    against = old_essays() if old else None
    result = la.find(essays(), 0.05, against=against, linkage=linkage)  # type: ignore[arg-type]
    result.report(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html", "#groups")
    for threshold in ("0.05", "0.3", "0.5", "0.9"):
        page.locator("#f-threshold").fill(str(round(100 * float(threshold))))
        at(page, str(round(100 * float(threshold))))
        expected = result.rethreshold(float(threshold)).groups
        expect(page.locator("#fact-groups")).to_have_text(str(len(expected)))
        shown = [frozenset(group.locator(".members bdi").all_inner_texts()) for group in page.locator(".group").all()]
        assert set(shown) == {frozenset(map(str, group.members)) for group in expected}


def test_skipped_and_settings_tell_what_was_done(open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name, text in essays().items():
        (tmp_path / "in" / name).write_text(text)
    (tmp_path / "in" / "blank.txt").write_text("")
    la.find(la.open_paths([str(tmp_path / "in")]), 0.2).report(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html")
    page.get_by_role("link", name="1 skipped").click()
    expect(page.locator("#tab-skipped")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#panel tbody tr")).to_contain_text("blank.txt")
    expect(page.locator("#panel tbody tr")).to_contain_text("empty")
    page.locator("#tab-settings").click()
    expect(page.locator("#tab-settings")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#panel")).to_contain_text("Length of a sequence")
    expect(page.locator("#panel .digest code")).to_have_count(20)


def test_many_rows_come_page_by_page_and_what_is_missing_is_said(open_page: Open, tmp_path: Path) -> None:
    from lookalike.report.collect import PageLimits
    from lookalike.result.from_texts import write_report

    texts = {f"copy {i}": "the same words stand in every one of these documents, again and again" for i in range(30)}
    result = la.find(texts, 0.5)
    write_report(result, tmp_path / "report.html", limits=PageLimits(pairs=120, text=200, shared=1))
    page = open_page(tmp_path / "report.html")
    expect(page.locator("#panel tbody tr")).to_have_count(50)
    page.get_by_role("button", name="Next →").click()
    page.get_by_role("button", name="Next →").click()
    expect(page.locator("#panel tbody tr")).to_have_count(20)
    expect(page.locator(".pager-text")).to_have_text("101–120 of 120")
    expect(page.locator("#notices")).to_contain_text("the 120 closest of 435 pairs")
    expect(page.locator("#notices")).to_contain_text("did not fit into this file")
    page.locator("#panel tbody a").last.click()
    expect(page.locator("#pair")).to_contain_text("lookalike compare")


def test_five_thousand_documents_and_twenty_thousand_pairs(open_page: Open, tmp_path: Path) -> None:
    texts = {
        f"g{group:03d}/d{i}": " ".join(f"w{group}x{word}" for word in range(12)) + f" own{group}y{i}"
        for group in range(556)
        for i in range(9)
    }
    result = la.find(texts, 0.5)
    assert (result.documents, result.pair_count) == (5004, 20_016)
    result.report(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html")
    expect(page.locator("#fact-documents")).to_have_text("5,004")
    expect(page.locator("#notices")).to_contain_text("the 20,000 closest of 20,016 pairs")
    for tab in TABS:
        page.locator(f"#tab-{tab}").click()
        expect(page.locator(f"#tab-{tab}")).to_have_attribute("aria-selected", "true")
        assert page.locator("#panel *").count() < 5000  # a page of it at a time
    page.get_by_label("Find a document").fill("g123/")
    expect(page.locator("#fact-pairs")).to_have_text("36")
    page.locator("#tab-pairs").click()
    expect(page.locator("#tab-pairs")).to_have_attribute("aria-selected", "true")
    page.locator("#panel tbody a").first.click()
    expect(page.locator(".passage-mark").first).to_be_visible()
