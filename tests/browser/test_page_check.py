"""The page of a server as a person uses it: a text or a file is checked, read side by side, added, found, removed."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import FilePayload, Page, expect

import lookalike as la
from tests.browser.serving import built, served, served_in_memory
from tests.documents.making import docx, lines_at, pdf
from tests.report.essays import essays, name_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.conftest import Visit

ESSAY = essays()[name_of(3)]
HIDDEN = "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>nobody sees these words here</w:t></w:r></w:p>"


def check(page: Page, text: str) -> None:
    page.get_by_label("Text", exact=True).fill(text)
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator("#found-title")).to_be_focused()


def file_of(name: str) -> FilePayload:
    """The essay as a file of a kind."""
    paragraphs = ESSAY.split("\n\n")
    if name.endswith(".docx"):
        data = docx(paragraphs)
    elif name.endswith(".pdf"):
        lines = [line for paragraph in paragraphs for line in textwrap.wrap(paragraph, 80)]
        data = pdf([lines_at(760, *lines[start : start + 50]) for start in range(0, len(lines), 50)])
    elif name.endswith(".html"):
        data = ("<html><body>" + "".join(f"<p>{one}</p>" for one in paragraphs) + "</body></html>").encode()
    else:
        data = ESSAY.encode()
    return sent(name, data)


def sent(name: str, data: bytes) -> FilePayload:
    """Bytes as a file that a person chooses."""
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


def hit_rows(page: Page) -> list[list[str]]:
    labels = ("Document", "Similarity", "Of your text in it", "Of it in your text")
    return [
        [row.locator(f"[data-label='{label}']").inner_text().strip() for label in labels]
        for row in page.locator(".found tbody tr").all()
    ]


def percent(share: float) -> str:
    return "100%" if share >= 1 else f"{min(100 * share, 99.9):.1f}%"


def test_a_pasted_copy_is_found_and_its_passages_are_read(visit: Visit, essays_server: str) -> None:
    page = visit(essays_server)
    expect(page.get_by_role("heading", level=1)).to_have_text("Have we seen this before?")
    expect(page.locator("#view")).to_contain_text("20 stored documents")
    page.get_by_label("Minimum similarity, %").fill("30")
    check(page, ESSAY)
    with la.Index.open(":memory:") as index:
        index.add(essays())
        hits = index.query(ESSAY, 0.3)
    expected = [
        [
            str(hit.id),
            percent(hit.similarity),
            percent(hit.containment_query or 0),
            percent(hit.containment_document or 0),
        ]
        for hit in hits
    ]
    assert len(expected) >= 3
    assert hit_rows(page) == expected
    expect(page.locator("#found-title")).to_have_text(f"{len(expected)} stored documents are similar to your text")
    expect(page.locator("#live")).to_contain_text(f"The closest is {name_of(3)}, 100%")

    page.locator(".found").get_by_role("link", name=name_of(12)).click()
    expect(page.locator("#pair-title")).to_be_focused()
    expect(page.locator("#pair-title")).to_contain_text(name_of(12))
    expect(page.locator(".score .exact")).to_have_count(3)
    total = page.locator(".chip").count()
    assert total >= 1
    for side in "AB":
        expect(page.locator(f"[id^=mark-{side}-]")).to_have_count(total)
    words = page.locator(".pane").nth(1).locator(".diff").all_inner_texts()
    assert {word for text in words for word in text.split()} & {"certainly", "perhaps", "really"}
    page.keyboard.press("n")
    expect(page.locator(".chip.chosen .chip-number")).to_have_text("1")
    page.keyboard.press("Escape")
    expect(page.get_by_label("Text", exact=True)).to_have_value(ESSAY)
    assert hit_rows(page) == expected


def test_what_is_not_stored_is_said_and_the_nearest_are_shown(visit: Visit, essays_server: str) -> None:
    page = visit(essays_server)
    check(page, "The river changed the narrow valley before the snow melted. " + "Something else altogether. " * 3)
    expect(page.locator("#found-title")).to_have_text("No, nothing similar is stored")
    page.get_by_role("button", name="Show the 10 nearest").click()
    expect(page.locator("#found-title")).to_contain_text("The nearest")
    assert hit_rows(page)
    page.get_by_label("Text", exact=True).fill("changed")  # what was found belongs to another text
    expect(page.locator("#found-title")).to_have_count(0)


@pytest.mark.parametrize("keep", ["text", "signature"])
def test_an_index_for_passages_lists_the_nearest(visit: Visit, keep: str) -> None:
    texts = essays()
    words = [texts[name_of(number)].split() for number in (3, 8, 14)]
    collage = " ".join(word for one in words for word in one[: len(one) // 3])
    with served_in_memory(texts, keep, "essays") as url:
        page = visit(url)
        check(page, collage)
        expect(page.locator("#found-title")).to_have_text("No stored document is similar to your text as a whole")
        expect(page.locator(".found")).to_contain_text("a copied paragraph is not searched")
        expect(page.locator(".found")).not_to_contain_text("nothing similar")
        names = page.locator(".found tbody [data-label='Document']")
        expect(names).to_have_count(5)
        assert set(names.all_inner_texts()) >= {name_of(number) for number in (3, 8, 14)}
        check(page, texts[name_of(3)])
        expect(page.locator("#found-title")).to_contain_text("similar to your text")
        listed = names.all_inner_texts()
        assert len(set(listed)) == len(listed) >= 5, "the nearest are listed beside the hits"


def test_a_file_with_the_name_of_a_stored_document_is_compared(visit: Visit) -> None:
    with served_in_memory({"copy.txt": ESSAY, "other.txt": "The moon pulls the water."}) as url:
        page = visit(url)
        page.locator("#file").set_input_files([file_of("copy.txt")])
        expect(page.locator("#found-title")).to_have_text("1 stored document is similar to your text")
        expect(page.locator(".found tbody .same-id")).to_have_text("same name")
        expect(page.locator("#recall")).to_have_text(
            "At least 99.9% of the documents that are at least 80% similar are found."
        )
        page.goto(f"{url}#document/copy.txt")
        expect(page.locator("#like-title")).to_have_text("No other document is similar to it")


def test_nothing_to_check_is_said(visit: Visit, essays_server: str) -> None:
    page = visit(essays_server)
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("There is no text yet")


@pytest.mark.parametrize("name", ["copy.docx", "copy.pdf", "copy.html", "copy.txt"])
def test_a_chosen_file_is_read_and_checked(name: str, visit: Visit, essays_server: str) -> None:
    page = visit(essays_server)
    page.locator("#file").set_input_files([file_of(name)])
    expect(page.locator("#found-title")).to_be_focused()
    expect(page.locator(".found")).to_contain_text(name_of(7))
    expect(page.get_by_label("Name", exact=True)).to_have_value(name)


@pytest.mark.parametrize("name", ["dropped.docx", "dropped.pdf"])
def test_a_dropped_file_is_read_and_checked(name: str, visit: Visit, essays_server: str) -> None:
    page = visit(essays_server)
    drop(page, file_of(name))
    expect(page.locator("#found-title")).to_be_focused()
    expect(page.locator(".found")).to_contain_text(name_of(3))


def drop(page: Page, *files: FilePayload) -> None:
    """Drop files on the page as the system does."""
    plain = [[file["name"], list(file["buffer"])] for file in files]
    data = page.evaluate_handle(
        "files => { const data = new DataTransfer();"
        " for (const [name, bytes] of files) data.items.add(new File([new Uint8Array(bytes)], name)); return data; }",
        plain,
    )
    page.dispatch_event("#drop", "dragover", {"dataTransfer": data})
    assert page.locator("#drop.drop-over").count() == 1
    page.dispatch_event("#drop", "drop", {"dataTransfer": data})
    assert page.locator("#drop.drop-over").count() == 0


def test_files_that_cannot_be_read_are_told(visit: Visit, essays_server: str) -> None:
    page = visit(essays_server, refused=(415, 422))
    alert = page.get_by_role("alert")
    for name, data, said in (
        ("essays.zip", b"PK\3\4", "archive"),
        ("film.txt", b"\0\1\2" * 100, "cannot be read"),
        ("half.pdf", b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog", "damaged"),
    ):
        page.locator("#file").set_input_files(sent(name, data))
        expect(alert).to_contain_text(said)
        expect(alert).to_contain_text(name)
    drop(page, file_of("one.txt"), file_of("two.txt"))
    expect(alert).to_contain_text("One file at a time")
    page.locator("#file").set_input_files(sent("large.txt", b"x" * 10_000_001))
    expect(alert).to_contain_text("this server accepts up to 10 MB")


def test_hidden_text_of_a_file_is_told(visit: Visit, essays_server: str) -> None:
    page = visit(essays_server)
    body = "".join(f"<w:p><w:r><w:t>{one}</w:t></w:r></w:p>" for one in ESSAY.split("\n\n"))
    page.locator("#file").set_input_files(sent("x.docx", docx(body + HIDDEN)))
    expect(page.locator("#notes")).to_contain_text("hidden text")
    check(page, "Another text, which is not that file.")
    expect(page.locator("#notes")).to_have_count(0)
    expect(page.get_by_label("Name", exact=True)).to_have_value("")


def test_a_document_is_added_found_replaced_and_removed(visit: Visit, own_server: str) -> None:
    page = visit(own_server, refused=(409,))
    new = "A text that nobody has seen before, about lighthouses and the people who paint them every second summer."
    check(page, new)
    page.get_by_label("Name", exact=True).fill("lighthouse/1 ü.txt")
    page.get_by_role("button", name="Add it").click()
    expect(page.locator("#add-form .done")).to_have_text("Added as lighthouse/1 ü.txt.")
    expect(page.locator("#foot")).to_contain_text("21 documents")
    expect(page.locator(".lead")).to_contain_text("compared with 21 stored documents")
    page.get_by_role("button", name="Add it").click()
    expect(page.locator("#add-form .done")).to_contain_text("It was there already, with the same text")

    check(page, new + " And more.")
    page.get_by_label("Name", exact=True).fill("lighthouse/1 ü.txt")
    page.get_by_role("button", name="Add it").click()
    expect(page.get_by_role("alert")).to_contain_text("There is already a document called lighthouse/1 ü.txt")
    page.get_by_role("button", name="Replace it").click()
    expect(page.locator("#add-form .done")).to_contain_text("has this text now")

    page.get_by_role("link", name="Documents", exact=True).click()
    page.get_by_label("Part of a name").fill("LIGHTHOUSE/1 u")
    expect(page.locator("#documents-said")).to_contain_text("1 document with")
    page.locator("tbody a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("lighthouse/1 ü.txt")
    expect(page.locator(".document-text")).to_contain_text("every second summer. And more.")
    expect(page.locator("#like-title")).to_have_text("No other document is similar to it")

    page.get_by_role("button", name="Remove", exact=True).click()
    question = page.get_by_role("dialog")
    expect(question).to_contain_text("Remove lighthouse/1 ü.txt?")
    page.keyboard.press("Escape")
    expect(question).to_have_count(0)
    expect(page.get_by_role("button", name="Remove", exact=True)).to_be_focused()
    page.get_by_role("button", name="Remove", exact=True).click()
    page.get_by_role("button", name="Remove it").click()
    expect(page.locator("#said")).to_have_text("Removed: lighthouse/1 ü.txt.")
    page.get_by_label("Part of a name").fill("lighthouse")
    expect(page.locator("#documents-said")).to_contain_text("0 documents with")


def test_of_two_people_with_the_same_text_the_second_is_told(visit: Visit, own_server: str) -> None:
    """Both have checked it before one of them adds it."""
    page = visit(own_server)
    check(page, "a text that two people have, and that both of them look for at the same time")
    expect(page.locator("#found-title")).to_have_text("No, nothing similar is stored")
    with la.Client(own_server) as other:
        other.add({"faster": "a text that two people have, and that both of them look for at the same time"})
        page.get_by_label("Name", exact=True).fill("slower")
        page.get_by_role("button", name="Add it", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text(
            "Not added, because a similar document is stored: faster, 100%."
        )
        assert "slower" not in other
        page.get_by_role("button", name="Add it anyway").click()
        expect(page.locator("#add-form .done")).to_have_text("Added as slower.")
        assert "slower" in other


def test_long_work_is_shown_and_cancelled(visit: Visit, essays_server: str) -> None:
    page = visit(essays_server)
    page.route("**/v1/check", lambda route: None)  # an answer that never comes
    page.get_by_label("Text", exact=True).fill(ESSAY)
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator("#work")).to_contain_text("Comparing the text with all stored documents")
    expect(page.locator("#live")).to_contain_text("Comparing")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#work")).to_be_hidden()
    expect(page.locator("#check-messages")).to_have_text("Cancelled.")
    page.unroute("**/v1/check")
    check(page, ESSAY)


def test_a_busy_server_is_asked_again(visit: Visit, essays_server: str) -> None:
    page = visit(essays_server, refused=(503,))
    answers = iter([True, True, False])

    def answer(route: object) -> None:
        if next(answers):
            headers = {"Retry-After": "1", "Content-Type": "application/problem+json"}
            route.fulfill(status=503, headers=headers, body="{}")  # type: ignore[attr-defined]
        else:
            route.continue_()  # type: ignore[attr-defined]

    page.route("**/v1/check", answer)
    check(page, ESSAY)
    assert next(answers, None) is None


def test_a_server_that_is_gone_is_told(visit: Visit, tmp_path: Path) -> None:
    with served(built(tmp_path / "x.db", {"a": "some words of a text"})) as url:
        page = visit(url)
        expect(page.locator("#check")).to_be_visible()
        page.get_by_label("Text", exact=True).fill("some words")
        page.evaluate("() => { window.fetch = () => Promise.reject(new TypeError('gone')); }")
        page.get_by_role("button", name="Check", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("The server does not answer")


def test_an_index_in_memory(visit: Visit) -> None:
    with served_in_memory(essays()) as url:
        page = visit(url)
        check(page, ESSAY)
        expect(page.locator(".found")).to_contain_text(name_of(7))


@pytest.mark.parametrize("keep", ["shingles", "signature"])
def test_an_index_without_texts_says_so(keep: str, visit: Visit, tmp_path: Path) -> None:
    with served(built(tmp_path / "x.db", essays(), keep=keep)) as url:
        page = visit(url)
        check(page, ESSAY)
        expect(page.locator(".found")).to_contain_text("This index keeps no texts")
        assert page.locator(".found tbody a").count() == 0
        expect(page.locator(".found")).to_contain_text("estimated" if keep == "signature" else "All three are exact")
        page.goto(f"{url}/#document/{name_of(3)}")
        expect(page.locator(".document-text")).to_contain_text("keeps no texts")


PROGRAM = """int total(int[] prices) {
    int result = 0;  // in cents
    for (int i = 0; i < prices.length; i++) {
        if (prices[i] < 100) { result += prices[i]; }
    }
    return result;
}
"""


def test_an_index_of_programs(visit: Visit, tmp_path: Path) -> None:
    code = la.Recipe.preset("code")
    with served(built(tmp_path / "x.db", {"Total.java": PROGRAM, "notes": "x = y + z * 2"}, recipe=code)) as url:
        page = visit(url)
        expect(page.get_by_label("Text", exact=True)).to_have_class("code")
        assert page.locator("#file").get_attribute("accept") is None
        check(page, PROGRAM.replace("prices", "xs").replace("result", "sum"))
        expect(page.locator(".found")).to_contain_text("short sequences of tokens")
        expect(page.locator(".badge")).to_have_attribute("title", re.compile("same tokens .* apart from names"))
        page.locator(".hit-link").click()
        expect(page.locator(".pane .code .line")).to_have_count(2 * (PROGRAM.count("\n") + 1))
        expect(page.locator(".reading")).to_contain_text("a few other tokens may differ")
        page.goto(f"{url}/#document/Total.java")
        text = page.locator(".document-text .code")
        expect(text.locator(".code-keyword").first).to_have_text("int")
        expect(text.locator(".code-comment")).to_have_text("// in cents")
        assert text.text_content() == PROGRAM


def test_ids_that_are_numbers(visit: Visit, tmp_path: Path) -> None:
    big = 2**63 - 1
    with served(built(tmp_path / "x.db", {7: ESSAY, big: ESSAY + " The end."})) as url:
        page = visit(url, "#groups")
        page.get_by_role("link", name=f"Compare 7 with {big}").click()
        expect(page.locator(".passage-mark").first).to_be_visible()
        page.goto(f"{url}/#document/{big}")
        expect(page.locator(".document-text")).to_contain_text("The end.")
        expect(page.locator("#like-title")).to_have_text("1 other document is similar to this document")
        page.goto(f"{url}/#check")
        check(page, ESSAY)
        page.get_by_label("Name", exact=True).fill("8")
        page.get_by_role("button", name="Add it").click()
        expect(page.locator("#add-form .done")).to_have_text("Added as 8.")
