"""The page of a walk: its script computes what the reference computes, for everybody, on any screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from lookalike.experiments.walk import walk
from lookalike.experiments.walk_page import state_table, tables
from lookalike.recipe import Recipe
from tests.browser.axe import violations

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from lookalike.experiments.walk import Walk
    from tests.browser.conftest import Open

NURSERY = {
    "S1": "The cat sat on the mat, and the mat was flat.",
    "S2": "the cat sat on the mat and the hat was flat",
    "S3": "A dog\tlay on a log; 日本語 and 𝒳.",
    "S4": "",
}
CELLS = "table => [...table.rows].map(row => [...row.cells].map(cell => cell.textContent))"


def set_slider(page: Page, name: str, value: int) -> None:
    page.locator(f"#slider-{name}").evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }", str(value)
    )


def shown(page: Page, name: str) -> list[list[str]]:
    cells: list[list[str]] = page.locator(f"table[data-table={name}]").evaluate(CELLS)
    return [[cell if cell not in ("Label", "Function") else "" for cell in row] for row in cells]


def agrees(page: Page, made: Walk) -> None:
    for table in tables(made):
        assert shown(page, table.id) == [table.header, *table.rows], (table.id, made.recipe.k, made.bands)


@pytest.mark.parametrize(
    ("texts", "recipe", "sort"),
    [
        (NURSERY, Recipe(unit="char", k=3, seed=7), False),
        (NURSERY, Recipe(unit="word", k=1, punctuation="keep"), True),
        ({"one\u202e.txt": "x" * 300 + "y", "two.txt": "xy"}, Recipe(unit="char", k=3), False),
    ],
)
def test_the_page_computes_what_the_reference_computes(
    texts: dict[str, str], recipe: Recipe, sort: bool, open_page: Open, tmp_path: Path
) -> None:
    walk(texts, recipe=recipe, sort=sort).write(tmp_path / "walk.html")
    page = open_page(tmp_path / "walk.html")
    agrees(page, walk(texts, recipe=recipe, sort=sort))
    for k, h, b, r in ((2, 12, 6, 2), (1, 64, 16, 4), (5, 7, 2, 3), (20, 1, 1, 1), (4, 50, 50, 1)):
        if k > int(page.locator("#slider-k").get_attribute("max") or 0):
            continue
        for name, value in (("k", k), ("h", h), ("r", r), ("b", b)):
            set_slider(page, name, value)
        made = walk(texts, recipe=recipe, k=k, hashes=h, bands=b, rows=r, sort=sort)
        agrees(page, made)
        last = len(made.elements) - 1
        for row in {0, last // 2, last}:
            page.locator("#row").evaluate("(bar, x) => { bar.value = x; bar.dispatchEvent(new Event('input')); }", row)
            without_values = [cells[:-1] for cells in shown(page, "state")]
            expected = state_table(made, row)
            assert without_values == [expected.header, *expected.rows]


def test_the_article_step_by_step(open_page: Open, tmp_path: Path) -> None:
    texts = {"S1": "a d", "S2": "c", "S3": "b d e", "S4": "a c d"}
    made = walk(texts, recipe=Recipe(unit="word"), k=1, hashes=2, bands=2, functions=[(1, 1), (3, 1)], sort=True)
    made.write(tmp_path / "walk.html")
    page = open_page(tmp_path / "walk.html")
    assert shown(page, "state")[1:] == [["h1", "1", "∞", "∞", "1", "1"], ["h2", "1", "∞", "∞", "1", "1"]]
    for _ in range(4):
        page.get_by_role("button", name="Next row").click()
    expect(page.locator(".step-says")).to_contain_text("Row 4 of 0 to 4: “e” is in S3. Smaller now: S3: h1 2 → 0.")
    assert page.locator("td.changed").all_inner_texts() == ["0"]
    assert shown(page, "state")[1:] == [["h1", "1", "3", "0", "1", "0"], ["h2", "0", "2", "0", "0", "3"]]
    expect(page.get_by_role("button", name="Next row")).to_be_disabled()


def test_bands_and_rows_never_need_more_than_there_is(open_page: Open, tmp_path: Path) -> None:
    walk(NURSERY).write(tmp_path / "walk.html")
    page = open_page(tmp_path / "walk.html")
    page.locator("#slider-r").focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#value-r")).to_have_text("6")
    expect(page.locator("#value-b")).to_have_text("2")
    expect(page.locator("#live")).to_contain_text("k 3, h 12, 2 bands of 6 rows")
    set_slider(page, "h", 5)
    assert [page.locator(f"#value-{name}").inner_text() for name in "hbr"] == ["5", "1", "5"]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_no_violation_and_nothing_is_too_wide(
    scheme: str, width: int, open_page: Open, tmp_path: Path
) -> None:
    walk(NURSERY).write(tmp_path / "walk.html")
    page = open_page(tmp_path / "walk.html", width=width, color_scheme=scheme)
    assert violations(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_without_scripts_the_tables_are_there(open_page: Open, browser: object, tmp_path: Path) -> None:
    made = walk({"<b>bold</b>": "<img src=x onerror=alert(1)>", "S2": "<script>alert(1)</script>"})
    made.write(tmp_path / "walk.html")
    context = browser.new_context(java_script_enabled=False)  # type: ignore[attr-defined]
    page = context.new_page()
    page.goto((tmp_path / "walk.html").as_uri())
    assert page.locator("main table").count() == len(tables(made))
    assert page.locator("main img, main b, main script").count() == 0
    context.close()
    page = open_page(tmp_path / "walk.html")
    agrees(page, made)
    assert page.locator("main img, main b, main script").count() == 0
