"""Searches and comparisons that leave text out: what counts, what is said, and that compare and find agree."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.result.describe import excluded_words
from lookalike.text.excluded import excluded_spans

QUOTE = "the tide rises because the moon pulls the water of the sea towards itself"
SHEET = "Please write an essay of two pages about the tides and hand it in by Friday at noon."
A = f"{SHEET} My own words are here, and there are a good many of them. “{QUOTE}” says the first chapter of his book."
B = f"{SHEET} Somebody wrote: “{QUOTE}”. I have completely different things to say about it, and I do say them."
OPTIONS: list[dict[str, Any]] = [
    {},
    {"skip": ["quotes"]},
    {"ignore": [SHEET]},
    {"skip": ["quotes"], "ignore": [SHEET]},
    {"min_words": 16},
    {"min_words": 16, "skip": ["quotes"]},
    {"min_words": 30},
]


def score(found: la.Result) -> float:
    pairs = found.pairs.to_pylist()
    return float(pairs[0]["jaccard"]) if pairs else 0.0


@pytest.mark.parametrize("options", OPTIONS)
def test_find_and_compare_agree(options: dict[str, Any]) -> None:
    assert score(la.find([A, B], 0.001, **options)) == la.compare(A, B, **options).jaccard


def test_each_option_lowers_the_score_and_all_together_leave_nothing() -> None:
    whole, quoted, ignored, both = (la.compare(A, B, **options).jaccard for options in OPTIONS[:4])
    assert whole > max(quoted, ignored) > min(quoted, ignored) > both == 0.0


@pytest.mark.parametrize(
    "recipe",
    [la.Recipe(k=3), la.Recipe(unit="char", k=7, whitespace="remove"), la.Recipe(whitespace="keep", unit="char")],
)
def test_nothing_is_made_of_the_words_around_a_gap(recipe: la.Recipe) -> None:
    # Without a cut, "ends right here and goes on" would be shared once the quotes are gone.
    a = f"zig ends right here “{QUOTE}” and goes on there zag"
    b = "ends right here and goes on there"
    left, right = "zig ends right here ", " and goes on there zag"
    shared = set(la.shingles(left, recipe)) | set(la.shingles(right, recipe))
    texts = {shingle.text for shingle in shared}
    expected = len(texts & {shingle.text for shingle in la.shingles(b, recipe)})
    found = la.compare(a, b, recipe, skip=["quotes"])
    assert found.shared == expected
    assert found.shingles_a == len(texts)


def test_equal_documents_read_one_whatever_is_excluded() -> None:
    for options in OPTIONS:
        assert score(la.find([A, A + "\n"], 0.5, **options)) == 1.0
    assert score(la.find([f"“{QUOTE}”"] * 2, 0.5, skip=["quotes"])) == 1.0


def test_passages_keep_their_places_and_end_at_a_gap() -> None:
    a, b = f"{QUOTE} he wrote “{SHEET}” and then {QUOTE}", f"{QUOTE} he wrote “{SHEET}” and then {QUOTE}!"
    passages = la.compare(a, b, skip=["quotes"]).passages
    assert [a[p.a_start : p.a_end] for p in passages] == [f"{QUOTE} he wrote", f"and then {QUOTE}"]
    assert [b[p.b_start : p.b_end] for p in passages] == [f"{QUOTE} he wrote", f"and then {QUOTE}"]


def test_two_gaps_of_one_length_are_no_passage() -> None:
    a, b = (f"{own} “{'quoted words ' * 20}” {own}" for own in ("here is mine", "there was yours"))
    found = la.compare(a, b, skip=["quotes"], least=1)
    assert (found.shared, found.passages) == (0, ())


def test_templates_are_cut_out_of_passages() -> None:
    a, b = f"{SHEET} {QUOTE}", f"{SHEET} {QUOTE}"
    found = la.compare(a, b + " indeed", ignore=[SHEET])
    assert [a[p.a_start : p.a_end] for p in found.passages] == [QUOTE]
    assert found.excluded_a == {"template": 18}


def test_excluded_words_are_counted_by_reason() -> None:
    result = la.find({"a": A, "b": A + " More."}, skip=["quotes"], ignore=[SHEET])
    assert result.to_dict()["left_out"] == [
        {"id": name, "quotes": 14, "references": 0, "template": 18, "common": 0} for name in "ab"
    ]
    assert result.to_dict()["skip"] == ["quotes"]
    assert la.find([A, A]).to_dict()["left_out"] == []
    found = la.compare(A, B, skip=["quotes"])
    assert found.to_dict()["left_out"] == {"a": {"quotes": 14}, "b": {"quotes": 14}}
    assert la.compare(A, B, min_words=16).to_dict()["min_words"] == 16
    assert A[found.spans_a[0].start : found.spans_a[0].end] == f"“{QUOTE}”"


def test_common_text_is_told_from_the_template() -> None:
    texts = {str(n): f"{SHEET} Everyone here begins like this today. {word * 9}" for n, word in enumerate("abcdefgh")}
    result = la.find(texts | {"x": texts["0"] + " And more."}, 0.1, ignore=[SHEET], common=0.5)
    words = {each["id"]: each for each in result.to_dict()["left_out"]}["0"]
    assert (words["template"], words["common"], words["quotes"]) == (18, 6, 0)


def test_short_passages_do_not_count() -> None:
    assert la.find([A, B], 0.1).pair_count == 1
    result = la.find([A, B], 0.1, min_words=30)
    assert result.pair_count == 0
    assert result.notes[0].startswith("1 pair is similar only in passages shorter than 30 words: ")
    # A shingle of five words is a passage of five words.
    assert score(la.find([A, B], 0.1, min_words=5)) == score(la.find([A, B], 0.1))


def test_old_documents_are_blanked_too() -> None:
    assert la.find([A], 0.1, against=[B], ignore=[SHEET]).pair_count == 1
    assert la.find([A], 0.1, against=[B], ignore=[SHEET], skip=["quotes"]).pair_count == 0


def test_what_cannot_be_done_is_refused() -> None:
    with pytest.raises(la.RecipeError, match="min_words cannot be used if repeated shingles count"):
        la.find([A, B], metric="bag", min_words=9)
    with pytest.raises(la.RecipeError, match="skip must be quotes or references"):
        la.find([A, B], skip=["citations"])
    with pytest.raises(la.RecipeError, match="min_words must be a whole number"):
        la.compare(A, B, min_words=0)


@pytest.mark.parametrize("options", OPTIONS)
def test_a_search_in_files_leaves_out_the_same(options: dict[str, Any], tmp_path: Path) -> None:
    texts = {"a": A, "b": B, "c": A + " More.", "d": B + " More."}
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).with_suffix(".txt").write_text(text)
    expected = la.find(list(texts.values()), 0.2, method="lsh", **options)
    for method in ("lsh", "exact"):
        found = la.find(folder, 0.2, method=method, work=tmp_path / "work", **options)
        scores = ["jaccard", "containment_a", "containment_b"]
        assert found.pairs.select(scores).equals(expected.pairs.select(scores))
        assert found.notes == expected.notes
        assert [list(each.values())[1:] for each in found.to_dict()["left_out"]] == [
            list(each.values())[1:] for each in expected.to_dict()["left_out"]
        ]


def test_a_saved_result_knows_what_was_excluded(tmp_path: Path) -> None:
    result = la.find({"a": A, "b": A + " More."}, 0.1, skip=["quotes"], ignore=[SHEET], min_words=9)
    result.save(tmp_path / "run")
    loaded = la.Result.load(tmp_path / "run")
    assert loaded.exclusions == result.exclusions
    with pytest.deprecated_call(match="now Result.exclusions"):
        assert loaded.uncounted is loaded.exclusions
    with pytest.warns(DeprecationWarning, match=r"is now Result\.excluded_shingles"):
        assert loaded.ignored is loaded.excluded_shingles
    assert loaded.to_dict()["min_words"] == 9
    assert loaded.to_dict()["left_out"] == []  # the texts are not there any more
    assert excluded_words(loaded, {0: A}) == {0: {"quotes": 14, "template": 18}}


def test_a_passage_at_the_edges_of_characters_counts_whole() -> None:
    """A passage that is cut out of its text would lose the blanks at its edges, and with them the shingles there."""
    shared = "the quick brown fox jumps over the lazy dog while the cat sleeps on the warm stone wall"
    a, b = f"one {shared} six", f"two {shared} ten"
    recipe = la.PRESETS["edited"].recipe
    whole = la.compare(a, b, recipe).jaccard
    assert la.compare(a, b, recipe, min_words=20).jaccard == whole
    assert score(la.find([a, b], whole, recipe=recipe, min_words=20)) == whole


@given(
    st.lists(st.sampled_from(["one two three four five six", "“seven eight nine ten eleven”", "x y", "\n\n", SHEET]))
)
def test_spans_of_all_kinds_are_apart(parts: list[str]) -> None:
    text, recipe = " ".join(parts), la.Recipe()
    templates = frozenset(la.find([SHEET], ignore=[SHEET]).excluded_shingles)
    spans = excluded_spans(text, recipe, ("quotes",), templates, templates)
    assert all(x.end <= y.start for x, y in pairwise(spans))
    assert {span.reason for span in spans} <= {"quotes", "template"}
