"""What counts where passages have to be long: compare, every search and the stages against the reference."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import lookalike as la
from lookalike import reference as ref
from lookalike.engine import Asked, choose_strategy, stages
from lookalike.recipe import Recipe
from lookalike.text.excluded import exclude, find_excluded
from tests.property.strategies import collections, tries

Scores = tuple[float, float, float]
METHODS: tuple[dict[str, Any], ...] = (
    {"method": "brute"},
    {"method": "exact"},
    {"method": "signatures", "recall": 0.999999},
    {"method": "lsh", "bands": la.Bands(64, 1)},
)
WORDS = ("a", "b", "The", "the", "don't", "of", "été", "日本")
GAPS = ("“one two three four five”", "\ufdd0", " \ufdd0\ufdd0 ")


class Question(NamedTuple):
    """Texts, and how they are compared."""

    recipe: Recipe
    texts: list[str]
    min_words: int
    skip: list[str]
    ignore: list[str]

    @property
    def how(self) -> dict[str, Any]:
        """The arguments of `find` and `compare` that leave text out."""
        return {"min_words": self.min_words, "skip": self.skip, "ignore": self.ignore}

    def counted(self) -> dict[tuple[int, int], ref.CountedElements]:
        """What the reference says of each pair."""
        seen = [self._units(text) for text in self.texts]
        templates = {shingle for text in self.ignore for shingle in ref.windows(self._plain(text), self.recipe.k)}
        pairs = combinations(range(len(seen)), 2)
        return {(a, b): ref.counted(seen[a], seen[b], self.recipe.k, self.min_words, templates) for a, b in pairs}

    def found(self) -> dict[tuple[int, int], ref.CountedElements]:
        """The same of the pairs that a search compares: texts without units are in none."""
        empty = {number for number, text in enumerate(self.texts) if not self._units(text)}
        return {pair: counted for pair, counted in self.counted().items() if not {*pair} <= empty}

    def _units(self, text: str) -> list[str]:
        if not self.skip:
            return self._plain(text)
        return ref.units(exclude(text, find_excluded(text, self.skip)), self.recipe)

    def _plain(self, text: str) -> list[str]:
        # Without `skip`, the character that stands for excluded text is one like any other.
        return [unit.replace(ref.EXCLUDED, "\ue123") for unit in ref.units(text, self.recipe)]


@st.composite
def questions(draw: st.DrawFn) -> Question:
    """Texts in which the same passages stand in several orders, or texts of any kind."""
    recipe, texts = draw(collections(6, bag=False, hashes=64))
    if draw(st.booleans()):
        part = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
        parts = draw(st.lists(st.one_of(part, st.sampled_from(GAPS)), min_size=1, max_size=5))
        text = st.lists(st.one_of(st.sampled_from(parts), st.sampled_from(WORDS)), max_size=7).map(" ".join)
        texts = draw(st.lists(text, min_size=2, max_size=6))
    template = st.tuples(st.sampled_from(texts), st.integers(1, 20)).map(lambda drawn: drawn[0][: drawn[1]])
    return Question(
        recipe,
        texts,
        draw(st.one_of(st.integers(1, 12), st.integers(recipe.k, recipe.k + 20))),
        draw(st.sampled_from(([], ["quotes"]))),
        draw(st.lists(template, max_size=1)),
    )


def another_order(*texts: str, least: int = 3, **how: Any) -> Question:
    return Question(Recipe(k=1, hashes=64), list(texts), least, how.get("skip", []), how.get("ignore", []))


def scores(found: dict[tuple[int, int], ref.CountedElements], threshold: float) -> dict[tuple[int, int], Scores]:
    return {pair: counted.scores for pair, counted in found.items() if counted.scores[0] >= threshold}


def columns(table: pa.Table) -> dict[tuple[int, int], Scores]:
    return {(r["a"], r["b"]): (r["jaccard"], r["containment_a"], r["containment_b"]) for r in table.to_pylist()}


thresholds = st.one_of(st.sampled_from((0.01, 0.5, 1.0)), st.floats(0.01, 1.0))
EXAMPLES = (
    another_order("a b c", "b a c", "b a c d"),
    another_order("w0 w1 w1", "w1 w0 w0"),
    # Where they are excluded or ignored, equal shingles in equal order are not equal runs.
    another_order("a b c \ufdd0 d e f", "a b c d e f", "a b c d e f g", least=5, skip=["quotes"]),
    another_order("t u a b", "a b", "t u a b c", ignore=["t u"]),
    # Two runs that overlap in one of the texts.
    another_order("a b c d e", "a b c x c d e y", "c d e z a b c"),
)


def with_examples(test: Any) -> Any:
    for question in EXAMPLES:
        test = example(question=question, threshold=0.1)(test)
    return test


@with_examples
@given(question=questions(), threshold=thresholds)
@tries(2)
def test_compare_counts_as_the_reference(question: Question, threshold: float) -> None:
    del threshold
    for (a, b), expected in question.counted().items():
        found = la.compare(question.texts[a], question.texts[b], question.recipe, **question.how)
        assert (found.shared, found.shingles_a, found.shingles_b) == (expected.shared, expected.a, expected.b)
        assert (found.jaccard, found.containment_a, found.containment_b) == expected.scores


@pytest.mark.parametrize("method", METHODS, ids=lambda method: str(method["method"]))
@with_examples
@given(question=questions(), threshold=thresholds)
def test_every_search_finds_what_the_reference_counts(
    method: dict[str, Any], question: Question, threshold: float
) -> None:
    result = la.find(question.texts, threshold, recipe=question.recipe, **method, **question.how)
    found, expected = columns(result.pairs), scores(question.found(), threshold)
    if method["method"] in ("brute", "exact"):
        assert found == expected
    else:  # a pair may be missed, but none is scored otherwise
        assert found.items() <= expected.items()
        assert {pair for pair, (jaccard, *_) in expected.items() if jaccard == 1.0} <= found.keys()


@with_examples
@given(question=questions(), threshold=thresholds)
def test_containment_counts_as_the_reference(question: Question, threshold: float) -> None:
    result = la.find(question.texts, threshold, recipe=question.recipe, metric="containment", **question.how)
    every = {pair: counted.scores for pair, counted in question.found().items()}
    assert columns(result.pairs) == {pair: found for pair, found in every.items() if max(found[1:]) >= threshold}


@with_examples
@given(question=questions(), threshold=thresholds)
def test_the_order_of_the_documents_decides_nothing(question: Question, threshold: float) -> None:
    forth, back = (
        la.find(texts, threshold, recipe=question.recipe, **question.how)
        for texts in (question.texts, question.texts[::-1])
    )
    last = len(question.texts) - 1
    turned = {(last - b, last - a): (j, in_a, in_b) for (a, b), (j, in_b, in_a) in columns(back.pairs).items()}
    assert turned == columns(forth.pairs)
    assert forth.notes == back.notes


@with_examples
@given(question=questions(), threshold=thresholds)
def test_the_stages_count_as_the_reference(question: Question, threshold: float) -> None:
    templates = la.find([], recipe=question.recipe, ignore=question.ignore).excluded_shingles
    options: dict[str, Any] = {
        "skip": tuple(question.skip),
        "min_words": question.min_words,
        "ignored": tuple(templates),
    }
    strategy = choose_strategy(Asked(question.recipe, threshold, method="brute", **options), size=0)
    pairs = list(combinations(range(len(question.texts)), 2))
    table = pa.table({name: pa.array([pair[side] for pair in pairs], pa.uint32()) for side, name in enumerate("ab")})
    assert columns(stages.verify(table, question.texts, strategy)) == scores(question.counted(), threshold)


def test_repeated_shingles_are_refused_with_long_passages() -> None:
    recipe = Recipe(bag=True)
    with pytest.raises(la.RecipeError, match=r"min_words cannot be used .* repeated shingles count"):
        la.compare("a", "b", recipe, min_words=9)
    strategy = choose_strategy(Asked(recipe, 0.5, min_words=9), size=0)
    with pytest.raises(la.RecipeError, match=r"min_words cannot be used .* repeated shingles count"):
        stages.sign_rows(["a"], strategy)
