"""PDF documents as real programs lay them out: running heads, headings, pages, letters that cannot be read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from lookalike.documents.extract.pdf import Glyph, in_reading_order
from lookalike.text.comparison import LineNumbers
from lookalike.text.excluded import find_excluded
from tests.documents.making import Put, lines_at, pdf, scanned_pdf, with_picture_pages, without_map
from tests.documents.reading import flags_of, text_of

if TYPE_CHECKING:
    from pathlib import Path

WORDS = (  # noqa: SIM905
    "the miller lived by a river and his mill turned day and night while farmers brought grain from valleys "
    "where villages kept old customs and sold flour to the town before winter closed every road"
).split()
ENTRIES = (
    "Breland, H. M. (1987). Assessing writing skill. College Board.",
    "Page, E. B. (1966). Grading essays. Phi Delta Kappan, 47, 238.",
    "Shermis, M. D. (2014). Automated scoring. https://doi.org/10.1016/x",
)


def body(page: int, lines: int = 30) -> list[str]:
    """Lines of words that are on no other page."""
    return [
        " ".join(WORDS[(page * 7 + line * 3 + i * (page + 1)) % len(WORDS)] for i in range(9)) for line in range(lines)
    ]


def latex_page(number: int, head: str, *, head_last: bool) -> list[Put]:
    """A page of LaTeX's article: head and foot stand an eighth of the page from its edges; a word goes on."""
    text = body(number)
    text[-1] += " incorpo-"
    if number > 1:
        text[0] = f"rated {text[0]}"
    lines = [Put(134, 640 - 14 * line, words, 10) for line, words in enumerate(text)]
    top, foot = Put(134, 680, head, 10), Put(300, 96, str(number), 10)
    return [*lines, foot, top] if head_last else [top, *lines, foot]


@pytest.mark.parametrize("head_last", [False, True], ids=["head first", "head last in the file"])
@pytest.mark.parametrize(
    "head", ["Name Surname 12345", "{} Proceedings of the Society", "Chapter {title}, part two {}"]
)
def test_running_heads_under_the_margins_of_latex(tmp_path: Path, head: str, head_last: bool) -> None:
    titles = ["On mills", "On rivers", "On grain", "On towns"]
    pages = [
        latex_page(number, head.format(1744 + number, title=titles[number % 4]), head_last=head_last)
        for number in range(1, 9)
    ]
    text = text_of(tmp_path, "x.pdf", pdf(pages))
    assert not re.search(r"Surname|Proceedings|Chapter|\d", text)
    assert text.count("incorporated\f") == 7
    assert text.count("\f") == 7


def test_first_lines_that_only_begin_alike_stay(tmp_path: Path) -> None:
    pages = [lines_at(690, f"{number} mills stood by the river of {word}.") for number, word in enumerate("abcdef", 3)]
    text = text_of(tmp_path, "x.pdf", pdf([[*page, *lines_at(600, *body(i, 5))] for i, page in enumerate(pages)]))
    assert text.count("mills stood") == 6
    other = [lines_at(690, f"In {year} the mill burnt down.", *body(i, 5)) for i, year in enumerate((1801, 1799, 1850))]
    assert text_of(tmp_path, "y.pdf", pdf(other)).count("burnt down") == 3


@pytest.mark.parametrize("size", [12, 14], ids=["double-spaced essay", "larger heading"])
def test_a_heading_is_apart_from_the_list_of_references(tmp_path: Path, size: int) -> None:
    lines = [*body(1, 6), "Works Cited" if size == 12 else "7 References", *ENTRIES]
    page = [Put(72, 720 - 28 * i, line, size if i == 6 else 12) for i, line in enumerate(lines)]
    text = text_of(tmp_path, "x.pdf", pdf([page]))
    (span,) = find_excluded(text, ["references"])
    assert text[span.start : span.end].split()[-1] == "https://doi.org/10.1016/x"
    assert text[: span.start].strip().endswith(body(1, 6)[-1])


def test_a_heading_in_other_letters_begins_a_paragraph_and_ends_one(tmp_path: Path) -> None:
    page = [*lines_at(700, *body(1, 4)), Put(60, 644, "The old mill", 15), *lines_at(630, "Below", *body(2, 4))]
    text = text_of(tmp_path, "x.pdf", pdf([page]))
    assert text.split("\n\n") == [" ".join(body(1, 4)), "The old mill", " ".join(["Below", *body(2, 4)])]


def test_hyphens_that_a_font_calls_soft_are_seen(tmp_path: Path) -> None:
    page = lines_at(700, "A well\xadknown mill was divi\xad", "ded by Jean\xad", "Paul of the river.")
    assert text_of(tmp_path, "x.pdf", pdf([page])) == "A well-known mill was divided by Jean-Paul of the river."


def test_every_place_has_its_page_also_behind_pages_without_text(tmp_path: Path) -> None:
    pages = [
        [],
        lines_at(700, "The second page."),
        [],
        lines_at(700, "The fourth page goes on"),
        lines_at(700, "here."),
    ]
    text = text_of(tmp_path, "x.pdf", pdf(pages))
    lines = LineNumbers(text)
    assert [lines.page(text.index(word)) for word in ("second", "fourth", "here")] == [2, 4, 5]


def test_pictures_among_typed_pages_are_flagged(tmp_path: Path) -> None:
    data = with_picture_pages([lines_at(700, "Typed words."), None, None, lines_at(700, "More of them.")])
    detail, count = flags_of(tmp_path, "x.pdf", data)["pictures"]
    assert detail.startswith("pages 2–3 are pictures")
    assert count == 2
    assert scanned_pdf() != data


def test_letters_that_no_program_can_read_are_flagged(tmp_path: Path) -> None:
    page = lines_at(700, *body(1, 20))
    assert "unreadable letters" not in flags_of(tmp_path, "x.pdf", pdf([page]))
    private = [Put(put.x, put.y, "".join(chr(0xE000 + ord(letter)) for letter in put.text)) for put in page]
    for data in (pdf([private]), without_map(pdf([page]))):
        assert flags_of(tmp_path, "x.pdf", data)["unreadable letters"][0].startswith("page 1 uses a font")
    exchanged = str.maketrans("abcdefghijklmnopqrstuvwxyz", "qwzxvbjkfpygmhcduronlitsea")
    data = pdf([[Put(put.x, put.y, put.text.translate(exchanged)) for put in page]])
    assert "as in any language" in flags_of(tmp_path, "x.pdf", data)["unreadable letters"][0]


def glyphs(visual: str) -> list[Glyph]:
    """Letters from left to right, ten points each, blanks a gap."""
    return [Glyph(letter, 10.0 * at, 10.0 * at + 10) for at, letter in enumerate(visual) if letter != " "]


@pytest.mark.parametrize(
    ("visual", "read"),
    [
        ("kciD yboM"[::-1] + " לש רפסה", "הספר של Moby Dick"),
        (".1999 תנשב", "בשנת 1999."),
        (")םיחופת( 15 12", "12 15 (תפוחים)"),
        ("»ראותה« רפס", "ספר «התואר»"),
    ],
)
def test_lines_are_read_by_where_their_letters_stand(visual: str, read: str) -> None:
    given = glyphs(visual)
    assert in_reading_order(given, 12) == read
    assert in_reading_order(given[::-1], 12) == read


def test_words_of_another_direction_in_a_latin_line() -> None:
    assert in_reading_order(glyphs("the word 12 םולש here"), 12, leftward=False) == "the word 12 שלום here"
