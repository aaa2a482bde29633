"""The parts that the report is made of: passages with differences, passages once."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.report.pair_passages import REASONS, MarkedSpan, MarkedText, Reasons, blocks_of, to_utf16
from lookalike.report.shared import shared_passages
from tests.corpus import near_copy, prose

RECIPE = la.Recipe()
WORDS = st.lists(st.sampled_from(["one", "two", "three", "four", "fünf", "😀six", "seven", "eight."]), max_size=60)


def document(text: str) -> MarkedText:
    return MarkedText.of(text, RECIPE)


@given(WORDS, WORDS, st.integers(1, 12))
def test_blocks_are_runs_that_both_have_in_order(a: list[str], b: list[str], least: int) -> None:
    one, other = " ".join(a), " ".join(b)
    last = 0
    for block in blocks_of(document(one), document(other), RECIPE, least):
        assert block.units >= least
        assert block.units == sum(len(la.units(one[start:end])) for start, end, _, _ in block.runs)
        for a_start, a_end, b_start, b_end in block.runs:
            assert la.normalize(one[a_start:a_end]) == la.normalize(other[b_start:b_end])
        assert block.ends[0] >= last
        last = block.ends[1]
        ends = [end for run in block.runs for end in run[:2]], [end for run in block.runs for end in run[2:]]
        assert all(places == sorted(places) for places in ends)


def test_a_copy_with_one_word_in_six_changed_is_one_passage() -> None:
    rng = random.Random(4)
    words = prose(rng, 120)
    changed = [f"changed{i}" if i % 6 == 5 else word for i, word in enumerate(words)]
    assert la.passages(" ".join(words), " ".join(changed)) == []
    (block,) = blocks_of(document(" ".join(words)), document(" ".join(changed)), RECIPE)
    assert block.units == 100
    assert len(block.runs) == 20


def test_moved_parts_are_passages_of_their_own() -> None:
    rng = random.Random(5)
    first, second = prose(rng, 40), prose(rng, 40)
    blocks = blocks_of(document(" ".join(first + second)), document(" ".join(second + first)), RECIPE)
    assert sum(block.units for block in blocks) >= 79
    assert [block.ends[2] for block in blocks] != sorted(block.ends[2] for block in blocks)


def test_words_that_one_of_both_leaves_out_are_counted_apart() -> None:
    text = "one two three four five six seven eight nine ten"
    a = MarkedText.of(text, RECIPE, [MarkedSpan(0, 7, REASONS["quotes"])])
    b = MarkedText.of(text, RECIPE, [MarkedSpan(4, 13, REASONS["template"])])
    (block,) = blocks_of(a, b, RECIPE)
    quotes, template = REASONS["quotes"], REASONS["template"]
    assert block.masks == (0, 7, quotes, 1, template, 1, quotes | template, 1)
    assert a.counts() == [0, 8, quotes, 2]


@given(st.text(st.sampled_from("ab😀\u05d0"), max_size=30))
def test_places_in_utf_16(text: str) -> None:
    moved = document(text).moved
    for place in range(len(text) + 1):
        assert to_utf16(moved, place) == len(text[:place].encode("utf-16-le")) // 2


def test_quotes_are_known_without_having_been_excluded() -> None:
    text = "He wrote “so we beat on, boats against the current” and no more."
    (span,) = Reasons(RECIPE).spans(text)
    assert text[span.start : span.end].startswith("“so we")
    assert span.bit == REASONS["quotes"]
    assert Reasons(RECIPE).excluded_from_scores == []


def test_a_passage_at_the_same_place_is_the_same_passage() -> None:
    rng = random.Random(6)
    page, extra = prose(rng, 60), prose(rng, 30)
    texts = {
        0: " ".join(page),
        1: " ".join(near_copy(rng, page, 2)),
        2: " ".join(page[:55] + extra),
        3: " ".join(extra),
    }
    documents = {number: document(text) for number, text in texts.items()}
    pairs = [(0, 1), (0, 2), (1, 2), (2, 3)]
    blocks = [blocks_of(documents[a], documents[b], RECIPE) for a, b in pairs]
    found = shared_passages(pairs, blocks, texts, RECIPE)
    assert [one.documents for one in found] == [(2, 3), (0, 1, 2)]
    assert found[1].pairs == (0, 1, 2)
    assert texts[found[0].places[0][0]][slice(*found[0].places[0][1:])] == " ".join(extra)


def test_a_part_of_a_passage_in_the_same_documents_is_not_listed_again() -> None:
    rng = random.Random(8)
    page = prose(rng, 100)
    texts = {0: " ".join(page), 1: " ".join(page), 2: " ".join(page[:45] + prose(rng, 9) + page[54:])}
    documents = {number: document(text) for number, text in texts.items()}
    pairs = [(0, 1), (1, 2)]
    blocks = [blocks_of(documents[a], documents[b], RECIPE) for a, b in pairs]
    assert [len(listed) for listed in blocks] == [1, 2]
    (found,) = shared_passages(pairs, blocks, texts, RECIPE)
    assert (found.documents, found.blocks) == ((0, 1, 2), ((0, 0), (1, 0), (1, 1)))


def test_a_document_that_only_has_the_template_does_not_have_the_passage() -> None:
    rng = random.Random(9)
    task, page = prose(rng, 80), prose(rng, 20)
    texts = {0: " ".join(task + page), 1: " ".join(task + page), 2: " ".join(task + prose(rng, 20))}
    spans = [MarkedSpan(0, len(" ".join(task)), REASONS["template"])]
    documents = {number: MarkedText.of(texts[number], RECIPE, spans) for number in (0, 1)}
    blocks = [blocks_of(documents[0], documents[1], RECIPE)]
    (found,) = shared_passages([(0, 1)], blocks, texts, RECIPE)
    assert found.documents == (0, 1, 2)
    (found,) = shared_passages([(0, 1)], blocks, texts, RECIPE, dict.fromkeys((0, 1), spans))
    assert found.documents == (0, 1)


@given(WORDS, WORDS)
def test_runs_in_units_are_the_runs_in_characters(a: list[str], b: list[str]) -> None:
    one, other = document(" ".join(a)), document(" ".join(b))
    for block in blocks_of(one, other, RECIPE, 4):
        flat = block.unit_runs(one, other)
        assert sum(flat[2::3]) == block.units
        for in_a, in_b, units, run in zip(flat[::3], flat[1::3], flat[2::3], block.runs, strict=True):
            assert (one.starts[in_a], other.starts[in_b]) == (run[0], run[2])
            assert units == len(la.units(one.text[run[0] : run[1]]))


def test_units_that_may_be_excluded_are_given_as_ranges() -> None:
    text = "one two three four five six"
    spans = [MarkedSpan(4, 13, REASONS["quotes"]), MarkedSpan(14, 18, REASONS["template"])]
    assert MarkedText.of(text, RECIPE, spans).masked() == [1, 3, REASONS["quotes"], 3, 4, REASONS["template"]]
    assert document(text).masked() == []
