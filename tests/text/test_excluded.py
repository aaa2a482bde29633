"""Quotes and references: what is found, and what must not be taken for one."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.text import _NAMES
from lookalike.text.excluded import EXCLUDED, KINDS, LONGEST_QUOTE, count_words, exclude, excluded_words, find_excluded

LISTED = "Smith, J. (2010). The Sea. London: Press.\nDoe, A. (2011). Tides. https://example.org\n"
PROSE = "These words are about nothing in particular and they go on for quite some time here. " * 20


def found(text: str, *kinds: str) -> list[str]:
    return [text[span.start : span.end] for span in find_excluded(text, kinds or KINDS)]


@pytest.mark.parametrize(
    "quote",
    [
        '"one two three four five"',
        "“one two three four five”",
        "„eins zwei drei vier fünf“",
        "„raz dwa trzy cztery pięć”",
        "”ett två tre fyra fem”",
        "«un deux trois quatre cinq»",
        "« un deux trois quatre cinq »",
        "»eins zwei drei vier fünf«",
        "「今日は雨が降っています」",
        "『今日は雨が降っています』",
        "《三国演义是一部小说》",
        "``one two three four five''",
        "“one two three\nfour five”",
    ],
)
def test_quotation_marks_of_many_languages(quote: str) -> None:
    assert found(f"Before it {quote}, and after it.") == [quote]


@pytest.mark.parametrize(
    "text",
    [
        "It's the teachers' room, isn't it, said one of the teachers' children.",
        'A nail of 5" and a board of 8 feet and 6" are all that we need for this.',
        'One mark " stands alone in this paragraph and nothing at all closes it.',
        "He opened “ and never closed it in the whole of this paragraph.\n\nThe next one is free”.",
        'An unclosed "quote begins here and goes on.\n\nThis one "never ends either.',
        'The "so called" expert and the "house" rule.',
        f"“{'word ' * LONGEST_QUOTE}”",
    ],
)
def test_what_is_no_quote(text: str) -> None:
    assert found(text) == []


def test_a_mark_too_many_does_not_swallow_the_next_quote() -> None:
    text = 'A board of 6" length, he said, "is all that I will ever need" and left.'
    assert found(text) == ['"is all that I will ever need"']


def test_a_quote_of_several_paragraphs_opens_in_each() -> None:
    text = "“The first part of it goes on\n\n“and the second part of it ends.” After it."
    assert found(text) == ["“The first part of it goes on", "“and the second part of it ends.”"]


def test_block_quotes() -> None:
    assert found("Before.\n> one\n> two\n\nAfter 3 > 2 it goes on.") == ["> one\n> two\n"]


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("x.md", "Mine.\n\n> One two *three*\n> four five six.\n\nMine again.\n"),
        ("x.html", "<p>Mine.</p><blockquote><p>One two <i>three</i></p><p>four five six.</p></blockquote>Mine again."),
    ],
)
def test_block_quotes_of_documents_are_still_seen(tmp_path: Path, name: str, document: str) -> None:
    (tmp_path / name).write_text(document)
    (text,) = (text for batch in la.open_paths([tmp_path / name]).batches() for text in batch.texts)
    assert " ".join("".join(found(text)).split()) == "> One two three > four five six."
    assert "Mine again." in text


@pytest.mark.parametrize(
    "heading",
    [
        *("References", "REFERENCES:", "Works cited", "## Bibliography", "7. References", "**Literatur**"),
        *("Bibliografía", "参考文献", "Список литературы", "Références", "\\section*{References}", "IV. Kaynakça"),
        *("المراجع", "참고문헌"),
    ],
)
def test_headings_of_references(heading: str) -> None:
    text = f"{PROSE}\n\n{heading}\n\n{LISTED}"
    assert found(text, "references") == [text[text.index(heading) :]]


@pytest.mark.parametrize("heading", ["Appendix", "Appendix A: data", "Anhang", "## What remains", "附录", "Annexe 2"])
def test_the_text_goes_on_after_the_references(heading: str) -> None:
    text = f"{PROSE}\n\nReferences\n\n{LISTED}\n{heading}\n\n{PROSE}"
    assert found(text) == [f"References\n\n{LISTED}\n"]


def test_a_table_of_contents_is_no_list_of_references() -> None:
    text = f"Contents\nIntroduction\nReferences\n\n{PROSE}\n\nReferences\n\n{LISTED}"
    assert found(text) == [f"References\n\n{LISTED}"]


def test_a_heading_over_prose_leaves_nothing_out() -> None:
    assert found(f"References\n\n{PROSE}") == []
    assert found("The references in this line are part of a sentence.\nReferences to them follow.") == []


# -- a heading on the line of the first entry --------------------------------------------------------------------------

MORE = "Duffer, R. (2013) Why young Americans drive less. Tribune, 12 May 2013, pp. 3-4. Berg, A. (2011) Streets. Oslo."
ENTRIES = (
    "Rosenthal, E. (2009) In German suburb, life goes on without cars. Times.",
    "Rosenthal, E. (2009). In German suburb, life goes on without cars. Times.",
    "Rosenthal, E., & Duffer, R. (2009) In German suburb.",
    "Rosenthal, E. and van der Berg, A. B. (2009, May 11), In German suburb.",
    "E. Rosenthal (2009) In German suburb.",
    "García Márquez, G. (1967). Cien años de soledad.",
    "Müller, H./Meier, K. (Hrsg.) (1998): Der Titel des Buchs.",
    "Papadopoulos, G. (n.d.) A title of 1999.",
    "Иванов, И. И. (2009). Название книги в городе.",
    "1. Иванов И. И. Название книги. М., 2009.",
    "1. Rosenthal E. In German suburb. Times 2009.",
    "[1] Rosenthal, E. In German suburb. Times, 2009.",
    "[1] Rosenthal E, Duffer R. In German suburb. Times 2009.",
    "[1] E. Rosenthal, “In German suburb,” Times, 2009.",
    "[1] Elisabeth Rosenthal. In German suburb. 2009.",
    "[1] 王小明, 李四. 城市交通研究[M]. 北京: 出版社, 2009.",
    "Rosenthal, Elisabeth. “In German suburb, life goes on without cars.” Times, 2009.",
)
AFTER_COLON = (
    "山田太郎（2009）『書名』東京",
    "[1] 王小明, 李四. 城市[M]. 北京, 2009",
    "أحمد، محمد (2009). العنوان",
    "김철수 (2009). 제목",
)


@pytest.mark.parametrize("between", [" ", "\n", "\n\n"], ids=["line", "lines", "paragraphs"])
@pytest.mark.parametrize(
    "heading", ["References ", "References: ", "REFERENCES. ", "7. Works cited: ", "**Literatur** "]
)
def test_the_first_entry_may_stand_on_the_line_of_the_heading(heading: str, between: str) -> None:
    for entry in ENTRIES:
        text = f"{PROSE}\n\n{heading}{entry}{between}{MORE}"
        assert found(text, "references") == [text[len(PROSE) + 2 :]], entry


@pytest.mark.parametrize("heading", ["参考文献：", "参考文献: ", "المراجع: ", "참고문헌: "])
def test_in_scripts_without_capitals_the_colon_tells(heading: str) -> None:
    for entry in AFTER_COLON:
        text = f"{PROSE}\n\n{heading}{entry} 2010 {MORE}"
        assert found(text, "references") == [text[len(PROSE) + 2 :]], entry


def test_an_entry_may_go_on_in_the_next_line() -> None:
    text = f"{PROSE}\n\nReferences Rosenthal, E.\n(2009)\nIn German suburb. {MORE}"
    assert found(text, "references") == [text[len(PROSE) + 2 :]]


SENTENCES = (
    "of unrest in 1848 were many.",
    "to Smith, J. (2009) abound in the text.",
    "in Smith, J. (2009) The Title are few.",
    "by E. Rosenthal (2009) In German suburb are good.",
    "on this (Smith, J., 2009) say much.",
    "(Smith, J., 2009) agree.",
    "Smith, J. (2009) gives are old.",
    "Smith, J. (2009), who wrote first, gives are old.",
    "Smith, J. (2009), Jones, K. (2010) and Brown, L. (2011) agree.",
    "Smith, J. (2009) and Jones, K. (2010) disagree.",
    "Smith, J. was wrong about (2009). The others were right.",
    "Smith and Jones (2009) The Title used",
    "Smith (2009) The Title",
    "A. Smith (1776) had were few.",
    "[1] and [2] show that in 2009.",
    "[1] A. Smith gave are wrong.",
    "[1] 指出，2009年的城市。",
    "[1]和[2]指出，2009年。",
    "指出（2009）的城市。",
    "1848 and 1849 are rare.",
    "London, Paris. They are of 2009.",
    "I. Newton used in 1687 (1999) are lost.",
    "1. are old (2009).",
)


@pytest.mark.parametrize("name", sorted(set(_NAMES)))
def test_a_sentence_that_begins_with_a_heading_is_none(name: str) -> None:
    # So many years that only the line itself can tell.
    years = "The years 2001, 2002, 2003 and 2004, pp. 3-4.\n"
    for shown in {name.capitalize(), name.upper(), name.title()}:
        for sentence in SENTENCES:
            for between in (" ", ": "):
                text = f"{PROSE}\n\n{shown}{between}{sentence} {years}"
                assert found(text, "references") == [], text[len(PROSE) + 2 :]


def test_a_line_in_the_middle_of_a_sentence_is_no_heading() -> None:
    assert found(f"We follow the\nsources Smith, J. (2009) The Title. {MORE}", "references") == []


def test_quotes_inside_references_are_counted_once() -> None:
    text = f'{PROSE}\n\nReferences\n\nSmith (2010). "One two three four five six". Press.\n'
    spans = find_excluded(text, KINDS)
    assert [span.reason for span in spans] == ["references"]
    assert excluded_words(text, spans) == {"references": 10}


def test_unknown_kinds_are_refused() -> None:
    with pytest.raises(la.RecipeError, match="skip must be quotes or references, or both, not 'quote'"):
        find_excluded("", ["quote"])


def test_words_are_counted_for_people() -> None:
    texts = ("one two", "", "雨の日", "one — two!", "isn't 3.5", "《三国》，", "カタカナ", "한국어 문장")
    assert [count_words(text) for text in texts] == [2, 0, 3, 2, 2, 2, 1, 2]


MARKS = ("“”", "„“", "«»", "「」", "『』", "《》", "〈〉", "〝〟", '""', "＂＂")


@pytest.mark.parametrize("marks", MARKS)
@pytest.mark.parametrize(
    ("four", "five"),
    [
        ("one two three four", "one two three four five"),
        ("one, two: three; four!", "one, two: three; four! five?"),
        ("三国演义", "三国演义书"),
        ("三国，演义。", "三国，演义，书。"),
        ("한국어 인용문 네 낱말", "한국어 인용문 다섯 낱말 이다"),
    ],
)
def test_all_marks_need_as_many_words(marks: str, four: str, five: str) -> None:
    title, quote = (f"{marks[0]}{words}{marks[1]}" for words in (four, five))
    assert found(f"Before it {title} and after it.") == []
    assert found(f"Before it {quote} and after it.") == [quote]


@given(st.text(alphabet=st.sampled_from("ab \n“”\"„«»「」>.'`"), max_size=200), st.sampled_from([KINDS, ("quotes",)]))
def test_spans_are_in_order_apart_and_blanking_keeps_places(text: str, kinds: tuple[str, ...]) -> None:
    spans = find_excluded(text, kinds)
    assert all(x.end <= y.start for x, y in pairwise(spans))
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    made = exclude(text, spans)
    assert len(made) == len(text)
    assert made.count(EXCLUDED) == sum(span.end - span.start for span in spans)
    assert all(x in (y, EXCLUDED) for x, y in zip(made, text, strict=True))
