"""No text takes quadratic time: ten times as long a text, ten times as long a wait.

At these sizes, what is linear takes about a second, and what is quadratic minutes to days: a limit far from both tells
them apart on any machine. Processor time counts, so that a busy machine does no harm.
"""

from __future__ import annotations

import re
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.documents.document_batches import RefusedError
from lookalike.documents.extract.clean_text import decoded
from lookalike.documents.extract.html_mail import html_to_text
from lookalike.documents.extract.markup import latex_pieces, latex_to_text, markdown_to_text
from lookalike.report.pair_passages import MarkedText, blocks_of
from lookalike.text.excluded import Span, _with, exclude, find_excluded
from tests.hostile.adversarial import LONG, SHAPES, built_in_patterns, repeated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no limit of processor time there")

LIMIT = 30.0
"""Seconds of processor time; what is below takes two at the most."""


@contextmanager
def limited(what: str, seconds: float = LIMIT) -> Iterator[None]:
    """Fail what takes longer; the module `re` hears of it too."""

    def ring(*_: object) -> None:
        raise TimeoutError(f"{what} takes more than {seconds:g} s")

    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def test_the_limit_works() -> None:
    with pytest.raises(TimeoutError), limited("a pattern that goes back", 0.2):
        re.search(r"\s*x", " " * 100_000)


# -- patterns ----------------------------------------------------------------------------------------------------------

PATTERNS = built_in_patterns()


def test_all_patterns_are_found() -> None:
    names = " ".join(PATTERNS)
    for part in (
        "markup._HIDDEN",
        "markup._DEAD",
        "html_mail._RULE",
        "text_tables._JSON_SPACE",
        "cli.output",
        "text.resume",
    ):
        assert part in names, part


@pytest.mark.parametrize("name", PATTERNS)
def test_no_pattern_goes_back_again_and_again(name: str) -> None:
    for shape in SHAPES:
        text = repeated(shape, LONG // 2)
        with limited(f"{name} on {shape}"):
            PATTERNS[name](text)


# -- excluded text ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES[: SHAPES.index("pages") + 1])
def test_quotes_and_references(shape: str) -> None:
    text = repeated(shape)
    with limited(shape):
        spans = find_excluded(text, ["quotes", "references"])
        assert len(exclude(text, spans)) == len(text)


def test_references_after_eight_million_blanks() -> None:
    with limited("blanks"):
        assert find_excluded("References\n" + " " * 8_000_000 + "x", ["references"]) == []


def test_spans_are_merged_in_one_pass() -> None:
    count = 60_000
    spans = [Span(10 * number, 10 * number + 4, "quotes") for number in range(count)]
    with limited("spans"):
        made = _with(spans, [(10 * number + 2, 10 * number + 7) for number in range(count)], "template")
    assert made[:4] == [
        *(Span(0, 4, "quotes"), Span(4, 7, "template")),
        *(Span(10, 14, "quotes"), Span(14, 17, "template")),
    ]
    assert len(made) == 2 * count


def test_a_place_that_covers_several_spans() -> None:
    spans = [Span(2, 4, "quotes"), Span(6, 8, "quotes"), Span(9, 20, "quotes")]
    assert [(s.start, s.end, s.reason[0]) for s in _with(spans, [(0, 3), (3, 10), (15, 18), (19, 25)], "template")] == [
        *((0, 2, "t"), (2, 4, "q"), (4, 6, "t"), (6, 8, "q"), (8, 9, "t"), (9, 20, "q"), (20, 25, "t")),
    ]


def test_blocks_of_a_report() -> None:
    def text(side: str) -> str:
        return " ".join(
            " ".join(f"s{number}x{word}" for word in range(8)) + " " + " ".join(f"{side}{number}" for _ in range(9))
            for number in range(12_000)
        )

    recipe = la.Recipe()
    with limited("blocks"):
        a, b = (MarkedText.of(text(side), recipe) for side in "ab")
        assert len(blocks_of(a, b, recipe)) == 12_000


# -- readers -----------------------------------------------------------------------------------------------------------


def read(what: str, reader: Callable[[str], object], text: str) -> None:
    """Read a text, or have it refused; but soon."""
    try:
        with limited(what):
            reader(text)
    except (RefusedError, RecursionError):
        pass


def test_web_pages() -> None:
    for shape in SHAPES:
        text = repeated(shape, LONG // 4)
        read(shape, html_to_text, text)
        read(f"style: {shape}", html_to_text, f"<style>{text}</style><p class='a'>x</p>")


def test_style_sheets_still_hide() -> None:
    long = ", ".join(f".c{number}" for number in range(100))
    page = f"<style>@media print{{.b{{display:none}}}} @import 'x'; {long} {{display:none}}</style>"
    assert html_to_text(page + "<p class='c7'>hidden</p><p class='b'>seen</p>").text == "seen"


# What the library for Markdown is slow at takes 20 µs for each character: a second at this size.
MARKED = (
    "blanks",
    "newlines",
    "brackets",
    "links",
    "backslashes",
    "asterisks",
    "emphasis",
    "backticks",
    "block quotes",
)


@pytest.mark.parametrize(
    "shape", [*MARKED, "declarations", "tags", "pipes", "front matter", "front matter with blanks"]
)
def test_markdown(shape: str) -> None:
    read(shape, markdown_to_text, repeated(shape, 50_000))


TEX = ("blanks", "blank lines", "tabs behind a word", "words", "braces", "backslashes", "dollar signs", "percent signs")
TEX_MARKS = ("unclosed environments", "unclosed comments", "dead code", "begin with blanks", "citations", "phantoms")


@pytest.mark.parametrize("shape", [*TEX, *TEX_MARKS, "curly marks in paragraphs", "ampersands"])
def test_latex(shape: str) -> None:
    read(shape, latex_to_text, repeated(shape, 200_000))


@pytest.mark.parametrize("shape", SHAPES)
def test_the_parser_of_latex_is_never_given_much(shape: str) -> None:
    source = repeated(shape, 300_000)
    with limited(shape):
        cut = list(latex_pieces(source))
    assert "".join(cut) == source
    assert max(map(len, cut)) <= 1 << 16
    assert len(cut) < 100


PAPER = r"""\section{One} Some \emph{words}.

\begin{quote} A quote

with {\it two

paragraphs.} \end{quote}

The last \textbf{one}, \{ not a group.

"""


def test_a_long_paper_is_cut_between_paragraphs() -> None:
    cut = list(latex_pieces(PAPER * 50, 100, 10_000))
    assert len(cut) > 20
    assert all(piece.endswith("\n\n") for piece in cut[:-1])
    assert all(piece.count(r"\begin") == piece.count(r"\end") for piece in cut)
    long = latex_to_text(PAPER * 500).text
    assert long.split() == latex_to_text(PAPER).text.split() * 500


BYTES = {
    "high": b"\xff",
    "words": b"\xe4 ",
    "lines": b"\n\xe4",
    "escapes": b"\x1b$B\xff",
    "rare": b"a" * 1000 + b"\xe4",
}


@pytest.mark.parametrize("name", BYTES)
def test_plain_text(name: str) -> None:
    data = BYTES[name] * (LONG // len(BYTES[name]))
    read(name, lambda _: decoded(data, "auto"), "")
