"""The report says what is true: what was omitted, which documents are odd, how long a passage is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from lookalike.cli import main

if TYPE_CHECKING:
    from tests.browser.conftest import Open

CLASS = Path(__file__).parents[2] / "examples" / "class"
WORDS = re.compile(r"(\d+) words")


def scan(path: Path, *more: str) -> Path:
    """Scan the sample class as its page says."""
    known = [f"--ignore={CLASS / 'assignment.docx'}", "--skip=quotes,references", f"--meta={CLASS / 'info.csv'}"]
    output = ["-t", "0.1", "--quiet", "--report", str(path / "r.html"), "-o", str(path / "pairs.csv")]
    assert main(["scan", str(CLASS / "essays"), *known, *output, *more]) == 0
    return path / "r.html"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scan(tmp_path_factory.mktemp("sample"), "--group-by", "author")


def fact(page: Page) -> str:
    return page.locator(".fact", has=page.locator("#fact-pairs")).inner_text()


def test_omitted_pairs_are_named(open_page: Open, sample: Path, tmp_path: Path) -> None:
    page = open_page(sample)
    expect(page.locator("#omitted-pairs")).to_contain_text("1 pair between documents of one author omitted")
    assert "All but the omitted ones" in fact(page)
    page = open_page(scan(tmp_path))
    expect(page.locator("#omitted-pairs")).to_have_count(0)
    assert "All that the search found" in fact(page)


def test_omitted_marked_pairs_are_named(open_page: Open, tmp_path: Path) -> None:
    marks = tmp_path / "secret.json"
    pair = {"a": "berg.pdf", "b": "castle.docx", "mark": "not an issue"}
    marks.write_text(json.dumps({"schema": "lookalike-marks/1", "pairs": [pair]}))
    page = open_page(scan(tmp_path, "--marks", str(marks)))
    expect(page.locator("#omitted-pairs")).to_contain_text("1 pair marked as not an issue is omitted (--marks")
    page.locator("#anonymise").click()
    expect(page.locator("#omitted-pairs")).not_to_contain_text("secret")


def test_flags_are_seen_at_once(open_page: Open, sample: Path) -> None:
    page = open_page(sample)
    said = page.locator("#flagged")
    expect(said).to_have_text("2 documents have hidden text or look-alike letters: ito.docx, jung.html.")
    row = page.locator("#panel tbody tr", has_text="ito.docx").locator(".pair-name").nth(1)
    expect(row.locator(".badge-flag")).to_have_text(["hidden text", "look-alike letters"])
    expect(page.locator("#panel tbody tr", has_text="fox.docx").locator(".badge-flag")).to_have_count(0)
    said.get_by_role("link", name="jung.html").click()
    expect(page.locator("#panel tbody tr")).to_have_count(1)
    expect(page.locator("#panel tbody tr")).to_contain_text("klein.txt")


def test_passages_have_the_words_of_the_pair_view(open_page: Open, sample: Path) -> None:
    page = open_page(sample)
    longest = page.locator("#panel tbody td[data-label='Longest passage']").all_inner_texts()
    page.locator("#tab-passages").click()
    listed = page.locator(".passage")
    expect(listed.filter(has_text="hara.pdf").locator(".passage-head")).to_have_text("228 words in 2 documents")
    heads = [int(found[1]) for text in page.locator(".passage-head").all_inner_texts() if (found := WORDS.search(text))]
    assert set(map(int, longest)) - {104} <= set(heads)  # 104 words are a part of 179
    three = listed.filter(has_text="fox.docx").filter(has_text="fox-draft.txt")
    expect(three.locator(".passage-head")).to_have_text("up to 179 words in 3 documents")
    items = three.locator(".passage-documents li").all_inner_texts()
    assert [WORDS.findall(item) for item in items] == [["179"], ["179"], ["104"]]


@pytest.mark.parametrize("more", [(), ("--anonymise",)], ids=["names", "anonymous"])
def test_pairs_with_short_passages_are_listed_on_their_own(
    open_page: Open, tmp_path: Path, more: tuple[str, ...]
) -> None:
    essay = next(path for path in sorted((CLASS / "essays").iterdir()) if path.suffix == ".txt").read_text("utf-8")
    words = essay.split()
    words[3::5] = [f"other{place}" for place in range(len(words[3::5]))]
    (tmp_path / "class").mkdir()
    for name, text in {"original": essay, "mosaic": " ".join(words), "last": "The last of all is another one."}.items():
        (tmp_path / "class" / f"{name}.txt").write_text(text, encoding="utf-8")
    output = ["--quiet", "--report", str(tmp_path / "r.html"), "-o", str(tmp_path / "pairs.csv")]
    assert main(["scan", str(tmp_path / "class"), "--preset", "essays", *output, *more]) == 0
    page = open_page(tmp_path / "r.html")
    listed = page.locator("#short-passages")
    expect(listed.locator("h2")).to_have_text("Similar only in passages shorter than 5 words (1 pair, not counted)")
    expect(page.locator("#fact-pairs")).to_have_text("0")
    assert "1 pair shares only short passages" in fact(page)
    expect(listed.locator("tbody tr")).to_have_count(1)
    heads = listed.locator("thead th").all_inner_texts()  # their passages may have differences, which the scores count
    assert not {"Shared words", "Longest passage", "Kind"} & set(heads)
    listed.locator("tbody a.pair-link").first.click()
    expect(page.locator("#pair .scores-box")).to_contain_text("The scores count passages of any length")
    expect(page.locator("#pair .chips li")).not_to_have_count(0)  # runs of four words, with a word between them
