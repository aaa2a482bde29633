"""PDF files and office documents: what is read of each, and what is flagged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.documents.making import Put, docx, epub, lines_at, odt, pdf, pptx, rtf, shape
from tests.documents.reading import flags_of, text_of

if TYPE_CHECKING:
    from pathlib import Path


CJK = ("吾輩は猫である。名前はまだ無い。", "どこで生れたかとんと見当がつかぬ。")


# -- pdf ---------------------------------------------------------------------------------------------------------------


def test_pdf_lines_become_paragraphs_and_divided_words_whole(tmp_path: Path) -> None:
    page = lines_at(700, "The miller lived by the ri-", "ver, and his mill turned", "day and night.")
    page += lines_at(640, "His daughter sold the flour.")
    text = text_of(tmp_path, "x.pdf", pdf([page]))
    assert text == "The miller lived by the river, and his mill turned day and night.\n\nHis daughter sold the flour."


def test_pdf_words_and_paragraphs_go_on_over_pages(tmp_path: Path) -> None:
    pages = [
        lines_at(700, "One sentence begins on the first", "page and is con-"),
        lines_at(700, "tinued on the second."),
    ]
    assert (
        text_of(tmp_path, "x.pdf", pdf(pages))
        == "One sentence begins on the first page and is continued\fon the second."
    )


def test_pdf_of_japanese_lines_has_no_blanks_between_them(tmp_path: Path) -> None:
    assert text_of(tmp_path, "x.pdf", pdf([lines_at(700, *CJK)])) == "".join(CJK)


def test_pdf_headers_footers_and_page_numbers_that_repeat_are_left_out(tmp_path: Path) -> None:
    words = ["alpha", "beta", "gamma", "delta", "epsilon"]
    pages = [
        [
            Put(60, 770, "The Journal of Mills, vol. 3"),
            *lines_at(600, f"Page about {word} only."),
            Put(300, 25, f"Page {number} of 5"),
            Put(60, 40, "Draft, do not copy"),
        ]
        for number, word in enumerate(words, 1)
    ]
    text = text_of(tmp_path, "x.pdf", pdf(pages))
    assert text.split("\n\n\f") == [f"Page about {word} only." for word in words]


def test_pdf_lines_at_the_edge_that_do_not_repeat_stay(tmp_path: Path) -> None:
    pages = [lines_at(780, "One begins here."), lines_at(780, "Another begins there.")]
    assert text_of(tmp_path, "x.pdf", pdf(pages)) == "One begins here.\n\n\fAnother begins there."
    one_page = [*lines_at(780, "A single page has no headers."), Put(300, 20, "1")]
    assert text_of(tmp_path, "x.pdf", pdf([one_page])).startswith("A single page has no headers.")


@pytest.mark.parametrize(
    "unseen",
    [
        Put(60, 500, "copied words here", before="1 1 1 rg"),
        Put(60, 500, "copied words here", before="3 Tr"),
        Put(60, 500, "copied words here", size=1),
        Put(60, 5000, "copied words here"),
    ],
    ids=["white", "without ink", "tiny", "beside the page"],
)
def test_pdf_hidden_text(tmp_path: Path, unseen: Put) -> None:
    data = pdf([[*lines_at(700, "What everybody sees."), unseen]])
    assert text_of(tmp_path, "x.pdf", data) == "What everybody sees."
    detail, count = flags_of(tmp_path, "x.pdf", data)["hidden text"]
    assert count == 3
    assert detail.endswith("copied words here")


def test_pdf_white_text_on_a_dark_ground_is_seen(tmp_path: Path) -> None:
    data = pdf([[Put(60, 500, "white on blue", before="1 1 1 rg")]], extra="0 0 0.5 rg 0 400 600 200 re f")
    assert text_of(tmp_path, "x.pdf", data) == "white on blue"
    assert flags_of(tmp_path, "x.pdf", data) == {}
    pale = pdf(
        [[Put(60, 500, "white on white", before="1 1 1 rg"), Put(60, 700, "seen")]], extra="q 1 g 0 0 600 800 re f Q"
    )
    assert text_of(tmp_path, "x.pdf", pale) == "seen"


# -- office ------------------------------------------------------------------------------------------------------------


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def test_docx_parts(tmp_path: Path) -> None:
    body = (
        f"<w:p>{run('Kept ')}<w:ins>{run('and added ')}</w:ins><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
        f"<w:moveFrom>{run('moved away')}</w:moveFrom>{run('text')}<w:r><w:br/><w:t>next line</w:t><w:tab/></w:r></w:p>"
        f"<w:tbl><w:tr><w:tc><w:p>{run('cell one')}</w:p></w:tc>"
        f"<w:tc><w:p>{run('cell two')}</w:p></w:tc></w:tr></w:tbl>"
        "<w:p><w:r><w:instrText>PAGE</w:instrText></w:r></w:p>"
    )
    text = text_of(tmp_path, "x.docx", docx(body, notes="A footnote.", header="On every page"))
    assert text == "Kept and added text\nnext line\n\ncell one\n\ncell two\n\nA footnote."


@pytest.mark.parametrize(
    "properties",
    ["<w:vanish/>", '<w:color w:val="FFFFFF"/>', '<w:sz w:val="2"/>', '<w:rStyle w:val="Unseen"/>'],
    ids=["vanish", "white", "tiny", "by style"],
)
def test_docx_hidden_text(tmp_path: Path, properties: str) -> None:
    styles = (
        '<w:style w:styleId="Base"><w:rPr><w:vanish/></w:rPr></w:style>'
        '<w:style w:styleId="Unseen"><w:basedOn w:val="Base"/></w:style>'
    )
    data = docx(f"<w:p>{run('What everybody sees.')}{run(' copied words', properties)}</w:p>", styles=styles)
    assert text_of(tmp_path, "x.docx", data) == "What everybody sees."
    assert flags_of(tmp_path, "x.docx", data)["hidden text"][1] == 2


WHITE = '<w:color w:val="FFFFFF"/>'
BLUE = '<w:shd w:fill="000080"/>'


@pytest.mark.parametrize(
    "body",
    [
        "<w:p>" + run("seen", '<w:vanish w:val="0"/>') + "</w:p>",
        "<w:p>" + run("seen", WHITE + BLUE) + "</w:p>",
        f"<w:tbl><w:tr><w:tc><w:tcPr>{BLUE}</w:tcPr><w:p>{run('seen', WHITE)}</w:p></w:tc></w:tr></w:tbl>",
    ],
    ids=["switched off", "shaded run", "shaded cell"],
)
def test_docx_text_that_can_be_seen_after_all(tmp_path: Path, body: str) -> None:
    assert text_of(tmp_path, "x.docx", docx(body)) == "seen"
    assert flags_of(tmp_path, "x.docx", docx(body)) == {}


def test_docx_styles_are_read_where_they_matter(tmp_path: Path) -> None:
    shaded = '<w:style w:styleId="Box"><w:pPr><w:shd w:fill="1F3864"/></w:pPr></w:style>'
    white = f'<w:p><w:pPr><w:pStyle w:val="Box"/></w:pPr>{run("seen", """<w:color w:val="FFFFFF"/>""")}</w:p>'
    assert text_of(tmp_path, "x.docx", docx(white, styles=shaded)) == "seen"
    assert flags_of(tmp_path, "x.docx", docx(white + f"<w:p>{run('more')}</w:p>"))["hidden text"][1] == 1
    tiny = '<w:style w:styleId="Tiny"><w:rPr><w:sz w:val="2"/></w:rPr></w:style>'
    body = f'<w:p><w:pPr><w:pStyle w:val="Tiny"/></w:pPr>{run("unseen")}</w:p><w:p>{run("more")}</w:p>'
    assert text_of(tmp_path, "y.docx", docx(body, styles=tiny)) == "more"


def test_odt_parts_and_hidden_text(tmp_path: Path) -> None:
    styles = '<style:style style:name="H"><style:text-properties text:display="none"/></style:style>'
    body = (
        "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
        "<text:h>Heading</text:h><text:p>One<text:s text:c='3'/>two<text:note>"
        "<text:note-citation>1</text:note-citation>"
        "<text:note-body><text:p>A note.</text:p></text:note-body></text:note><text:line-break/>three</text:p>"
        "<text:p>Seen <text:span text:style-name='H'>copied words</text:span></text:p>"
        "<text:p><office:annotation><text:p>comment</text:p></office:annotation>End.</text:p>"
    )
    text = text_of(tmp_path, "x.odt", odt(body, styles))
    assert text == "Heading\n\nOne two\nthree\n\nSeen\n\nEnd.\n\nA note."
    assert flags_of(tmp_path, "x.odt", odt(body, styles))["hidden text"][1] == 2


def test_pptx_slides_in_their_order_with_notes_and_without_furniture(tmp_path: Path) -> None:
    slides = [
        shape("First slide") + shape("Footer", kind="ftr") + shape("3", kind="sldNum"),
        shape("Second slide") + shape("unseen shape", extra='hidden="1"'),
        "<!--hidden-->" + shape("a slide that is not shown"),
    ]
    data = pptx(slides, notes="What to say.")
    assert text_of(tmp_path, "x.pptx", data) == "First slide\n\nWhat to say.\n\nSecond slide"
    assert flags_of(tmp_path, "x.pptx", data)["hidden text"][1] == 8


def test_epub_chapters_in_their_order(tmp_path: Path) -> None:
    data = epub(["<h1>One</h1><p>a</p>", "<p>b <span hidden='hidden'>unseen</span></p>", "<p>c</p>"])
    assert text_of(tmp_path, "x.epub", data).split() == ["One", "a", "b", "c"]
    assert flags_of(tmp_path, "x.epub", data)["hidden text"][1] == 1


def test_rtf_without_headers_and_hidden_text(tmp_path: Path) -> None:
    data = rtf("One {\\b bold} word.\\par {\\v copied words} Seen {\\pict " + "0a" * 4000 + "}again.")
    assert text_of(tmp_path, "x.rtf", data) == "One bold word.\nSeen again."
    assert flags_of(tmp_path, "x.rtf", data)["hidden text"][1] == 2
