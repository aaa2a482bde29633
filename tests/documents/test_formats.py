"""Every format: its text, in order, without mark-up; hidden text left out and flagged."""

from __future__ import annotations

from email.message import EmailMessage
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.documents import open_paths
from lookalike.documents.open import read_document
from tests.documents.making import docx, eml, epub, lines_at, odt, pdf, pptx, rtf, shape, zipped
from tests.documents.reading import documents, flags_of, reasons, text_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LATIN = ("The miller lived by the river, and his mill turned day and night.", "Naïve café — “quoted” £5.")
CJK = ("吾輩は猫である。名前はまだ無い。", "どこで生れたかとんと見当がつかぬ。")
RTL = ("كان الطحان يعيش قرب النهر.", "הטוחן גר ליד הנהר.")


FORMATS: dict[str, Callable[[tuple[str, ...]], bytes]] = {
    "x.docx": docx,
    "x.odt": odt,
    "x.pptx": lambda paragraphs: pptx(["".join(shape(text) for text in paragraphs)]),
    "x.epub": lambda paragraphs: epub([f"<p>{text}</p>" for text in paragraphs]),
    "x.rtf": lambda paragraphs: rtf("\\par ".join(paragraphs)),
    "x.html": lambda paragraphs: "".join(f"<p>{text}</p>" for text in paragraphs).encode(),
    "x.md": lambda paragraphs: "\n\n".join(paragraphs).encode(),
    "x.tex": lambda paragraphs: "\n\n".join(paragraphs).encode(),
    "x.eml": lambda paragraphs: eml(paragraphs[0], "\n\n".join(paragraphs[1:])),
    "x.txt": lambda paragraphs: "\n\n".join(paragraphs).encode(),
}


@pytest.mark.parametrize("name", list(FORMATS))
@pytest.mark.parametrize("paragraphs", [LATIN, CJK, RTL], ids=["latin", "cjk", "right-to-left"])
def test_paragraphs_of_every_format_and_script(tmp_path: Path, name: str, paragraphs: tuple[str, str]) -> None:
    text = text_of(tmp_path, name, FORMATS[name](paragraphs))
    assert [part.strip() for part in text.splitlines() if part.strip()] == list(paragraphs)


# -- mark-up -----------------------------------------------------------------------------------------------------------

PAGE = """<!doctype html><html><head><title>Title</title><style>.gone, #off {display: none}
@media print {.paper {display: none}}</style><script>var x = "<p>no</p>"</script></head>
<body><header>Site name</header><nav><a>Home</a></nav><div role="navigation">Menu</div>
<main><h1>The mill</h1><p>It turned <b>day</b> and&nbsp;night &amp; day.<br>Next line.</p><noscript>Switch on</noscript>
<template>no</template><table><tr><td>one</td><td>two</td></tr></table>
<p class="paper">Not on paper.</p>%s</main><aside>Ads</aside><footer>Imprint</footer></body></html>"""


def test_html_without_navigation_scripts_and_styles(tmp_path: Path) -> None:
    text = text_of(tmp_path, "x.html", PAGE % "")
    assert text.split("\n") == [
        *("The mill", "", "It turned day and night & day.", "Next line.", "", "one two", "", "Not on paper.")
    ]


@pytest.mark.parametrize(
    "attribute",
    [
        *('style="display:none"', 'style="color:red; visibility: hidden"', "hidden", 'class="a gone"', 'id="off"'),
        *('style="font-size:1px"', 'style="color:#fff"', 'style="opacity:0"'),
    ],
)
def test_html_hidden_text(tmp_path: Path, attribute: str) -> None:
    page = PAGE % f"<div {attribute}><p>copied <i>words</i></p></div><p>seen</p>"
    text = text_of(tmp_path, "x.html", page)
    assert "copied" not in text
    assert text.endswith("seen")
    assert flags_of(tmp_path, "x.html", page)["hidden text"][1] == 2


def test_html_that_can_be_seen_after_all(tmp_path: Path) -> None:
    page = '<div style="background-color: navy"><p style="color: white">seen</p></div><p style="opacity: 0.5">too</p>'
    assert text_of(tmp_path, "x.html", page) == "seen\n\ntoo"
    assert flags_of(tmp_path, "x.html", page) == {}


def test_html_that_is_all_header_is_read_all_the_same(tmp_path: Path) -> None:
    assert text_of(tmp_path, "x.html", "<header><h1>Nothing else</h1></header>") == "Nothing else"


def test_markdown_without_marks(tmp_path: Path) -> None:
    source = (
        "---\ntitle: x\n---\n# The *mill*\n\nIt [turned](https://example.org) `day` and\nnight.\n\n- one\n- two\n\n"
        "| a | b |\n|---|---|\n| c | d |\n\n```python\ncode = 1\n```\n\n<div>in <b>HTML</b></div>\n\n"
        "![a picture](x.png)\n"
    )
    words = " ".join(text_of(tmp_path, "x.md", source).split())
    assert words == "The mill It turned day and night. one two a b c d code = 1 in HTML a picture"


def test_latex_without_commands(tmp_path: Path) -> None:
    source = r"""\documentclass{article}\usepackage{x}
\begin{document}\section{The mill}
It turned \emph{day} and \textbf{night}~\cite{miller}. % a comment
Caf\'e na\"ive.

\begin{itemize}\item one \item two\end{itemize}
\iffalse not printed \fi \textcolor{white}{copied words}
\end{document} after"""
    text = text_of(tmp_path, "x.tex", source)
    for piece in ("It turned day and night", "Café naïve.", "one", "two"):
        assert piece in text
    for piece in ("cite", "comment", "usepackage", "printed", "copied", "after", "\\"):
        assert piece not in text
    assert flags_of(tmp_path, "x.tex", source)["hidden text"][1] == 2


def test_mails(tmp_path: Path) -> None:
    data = eml("About the mill – again", "It turned day and night.", "<p>It turned <b>day</b></p>")
    assert text_of(tmp_path, "x.eml", data) == "About the mill – again\n\nIt turned day and night."
    only = eml("S", html='<p>It turned</p><p style="display:none">copied</p>', charset="iso-8859-1")
    assert text_of(tmp_path, "x.eml", only) == "S\n\nIt turned"
    assert flags_of(tmp_path, "x.eml", only)["hidden text"][1] == 1


def test_what_is_attached_to_a_mail_is_read_as_documents_of_their_own(tmp_path: Path) -> None:
    inner = EmailMessage()
    inner["Subject"] = "The first mail"
    inner.set_content("It was forwarded.")
    inner.add_attachment(docx(["Deep inside."]), maintype="application", subtype="msword", filename="deep.docx")
    message = EmailMessage()
    message["Subject"] = "My essay"
    message.set_content("Here it is.")
    message.add_attachment(docx(["The essay itself."]), maintype="application", subtype="msword", filename="essay.docx")
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="logo.png")
    message.add_attachment(b"\0\0", maintype="application", subtype="octet-stream", filename="a/../evil.bin")
    message.add_attachment(inner)
    (tmp_path / "x.eml").write_bytes(message.as_bytes())
    (tmp_path / "y.zip").write_bytes(zipped({"in.eml": message.as_bytes()}))
    source = open_paths([tmp_path])
    found = documents(source)
    assert found == {
        "x.eml": "My essay\n\nHere it is.",
        "x.eml/essay.docx": "The essay itself.",
        "x.eml/attachment 3.eml": "The first mail\n\nIt was forwarded.",
        "x.eml/attachment 3.eml/deep.docx": "Deep inside.",
        "y.zip/in.eml": "My essay\n\nHere it is.",
        "y.zip/in.eml/essay.docx": "The essay itself.",
        "y.zip/in.eml/attachment 3.eml": "The first mail\n\nIt was forwarded.",
    }
    assert [flag.detail for flag in source.flags()["x.eml"]] == ["not read: logo.png"]
    assert reasons(source)["x.eml/a_.._evil.bin"] == "binary"
    assert documents(source) == found
    assert read_document(tmp_path / "x.eml" / "essay.docx").text == "The essay itself."


# -- names and encodings -----------------------------------------------------------------------------------------------


def test_the_first_bytes_tell_what_a_document_is(tmp_path: Path) -> None:
    (tmp_path / "pdf.txt").write_bytes(pdf([lines_at(700, "from a pdf")]))
    (tmp_path / "docx").write_bytes(docx(["from a docx"]))
    (tmp_path / "rtf.doc").write_bytes(rtf("from an rtf"))
    (tmp_path / "html.doc").write_bytes(b"<html><body>from html</body></html>")
    (tmp_path / "new.doc").write_bytes(docx(["from a docx too"]))
    assert documents(open_paths([tmp_path])) == {
        "docx": "from a docx",
        "html.doc": "from html",
        "new.doc": "from a docx too",
        "pdf.txt": "from a pdf",
        "rtf.doc": "from an rtf",
    }


ENCODED = {
    "utf-8": "Der Müller und die größere Brücke über den Fluß.",
    "utf-16": "Der Müller und die größere Brücke über den Fluß.",
    "latin-1": "Der Müller und die größere Brücke über den Fluß, früher und später.",
    "shift_jis": "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で。",
    "gb18030": "从前有一座山，山上有一座庙，庙里有一个老和尚在给小和尚讲故事，故事说的是从前有一座山。",
    "cp1251": "Мельник жил у реки, и мельница его работала день и ночь без перерыва, и мука была хороша.",
}


@pytest.mark.parametrize("codec", list(ENCODED))
def test_encodings_of_texts_and_pages(tmp_path: Path, codec: str) -> None:
    text = ENCODED[codec]
    (tmp_path / "text.txt").write_bytes(text.encode(codec))
    (tmp_path / "told.html").write_bytes(f'<meta charset="{codec}"><p>{text}</p>'.encode(codec))
    old = f'<meta http-equiv="Content-Type" content="text/html; charset={codec}"><p>{text}</p>'
    (tmp_path / "old.html").write_bytes(old.encode(codec))
    (tmp_path / "untold.html").write_bytes(f"<p>{text}</p>".encode(codec))
    (tmp_path / "x.eml").write_bytes(eml("S", text, charset="utf-8" if codec == "utf-16" else codec))
    found = documents(open_paths([tmp_path]))
    assert found.pop("x.eml").removeprefix("S\n\n").strip() == text
    assert found == dict.fromkeys(("old.html", "text.txt", "told.html", "untold.html"), text)


def test_a_told_encoding_goes_before_the_one_in_the_page(tmp_path: Path) -> None:
    (tmp_path / "x.html").write_bytes('<meta charset="utf-8"><p>Müller</p>'.encode("cp850"))
    assert documents(open_paths([tmp_path], encoding="cp850")) == {"x.html": "Müller"}


@pytest.mark.parametrize("name", ["x.txt", "x.html", "x.docx", "x.pdf"])
def test_look_alike_letters_are_flagged_in_every_format(tmp_path: Path, name: str) -> None:
    text = "The ѕtudent сopied eνerything in\u200bvis\u200bibly, si\u200blently, qu\u200bickly."
    data = pdf([lines_at(700, text)]) if name == "x.pdf" else FORMATS[name]((text,))
    flags = flags_of(tmp_path, name, data)
    assert flags["look-alike letters"][1] == 3
    assert "ѕtudent (U+0455)" in flags["look-alike letters"][0]
    assert text_of(tmp_path, name, data).startswith("The student copied everything")
    if name != "x.pdf":  # PDFium drops them
        assert flags["invisible characters"][1] == 3


def test_phonetic_letters_in_words_are_read_as_what_they_look_like(tmp_path: Path) -> None:
    text = "The ɑrt of lɑnɡuaɡe is ɑ kind of mɑɡic."
    assert text_of(tmp_path, "x.txt", text) == "The art of language is a kind of magic."
    assert flags_of(tmp_path, "x.txt", text) == {}  # so few may be pronunciations
    assert flags_of(tmp_path, "y.txt", text * 7)["look-alike letters"][1] == 21


@pytest.mark.parametrize(
    "text",
    [
        *("a bag is /bæɡ/, and get is [ɡet]", "a garden is ˈɡɑːdən", "the letter [ɡ]"),
        "In American English, hot is pronounced hɑt and got is pronounced ɡɑt; in Boston, cod is kɑd. " * 30,
        "cot (kɑt), palm: pɑm, “not” “nɑt”, got ɡɑt",
        *("5 μm and 3 kΩ, Δt, α-helix, πr²", "Москва and Moscow", "Ελλάδα, Greece", "نمی‌خواهم", "👩‍🚀 flies"),
        *("naïve café", "Straße", "Łódź", "x₁ + y₂"),
    ],
)
def test_ordinary_texts_are_not_flagged(tmp_path: Path, text: str) -> None:
    assert flags_of(tmp_path, "x.txt", text) == {}


@pytest.mark.parametrize("letters", ["aаeеoоpрcсyуxх", "oοvνiιuυ", "aаoοsѕhհ"], ids=["cyrillic", "greek", "several"])
def test_essays_that_look_equal_are_equal(tmp_path: Path, letters: str) -> None:
    essay = "A lone hiker paused as a cop sat on a horse: I saw a yew, a pope, a vice and a cow. Happy is a poor son."
    table = str.maketrans(letters[::2], letters[1::2])
    assert text_of(tmp_path, "x.txt", essay.translate(table)) == essay
    russian = "Мельник жил у реки, а сор и рос у воды. Он читал Moby Dick. Это сорт Apple."
    assert text_of(tmp_path, "y.txt", russian) == russian
    assert text_of(tmp_path, "z.txt", russian.replace("воды", "вoды")) == russian


def test_a_saved_result_keeps_the_places_of_letters(tmp_path: Path) -> None:
    for name, text in (
        ("a.txt", "ѕome words that are copied from here"),
        ("b.txt", "some words that are copied from here"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    result = la.find(open_paths([tmp_path]), 0.9)
    assert result.pairs["jaccard"].to_pylist() == [1.0]
    result.save(tmp_path / "x.lookalike")
    (flag,) = la.Result.load(tmp_path / "x.lookalike").flags["a.txt"]
    assert flag.places == ((0, "ѕ"),)


def test_what_is_not_read_is_called_by_its_name_with_a_remedy(tmp_path: Path) -> None:
    for name in ("a.pages", "b.gdoc", "Thumbs.db", "c.msg"):
        (tmp_path / name).write_bytes(b"PK\3\4" if name == "a.pages" else b'{"url": "x"}')
    (tmp_path / "d.doc").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    source = open_paths([tmp_path])
    assert documents(source) == {}
    said = {one.id: (one.reason, one.detail) for one in source.skipped()}
    names = ("a.pages", "b.gdoc", "c.msg", "d.doc")  # and nobody hears of Thumbs.db
    assert {name: reason for name, (reason, _) in said.items()} == dict.fromkeys(names, "not text")
    for name, remedy in (("a.pages", "export it"), ("b.gdoc", "as .docx"), ("c.msg", ".eml"), ("d.doc", "soffice")):
        assert remedy in said[name][1]


def test_spreadsheets_and_empty_documents_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "x.xlsx").write_bytes(b"PK\3\4")
    (tmp_path / "empty.docx").write_bytes(docx([""]))
    (tmp_path / "empty.html").write_text("<script>x</script>")
    (tmp_path / "blank.pdf").write_bytes(pdf([[]]))
    source = open_paths([tmp_path])
    assert documents(source) == {}
    assert reasons(source) == {
        "x.xlsx": "not text",
        "empty.docx": "empty",
        "empty.html": "empty",
        "blank.pdf": "no text",
    }
