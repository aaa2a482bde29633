"""Pairs that share only passages shorter than `min_words`: counted, the closest named, with the scores without it."""

from __future__ import annotations

import json
import random
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.report.side_files import read_marks
from lookalike.result.from_texts import collect
from lookalike.result.pairs import without_marked
from lookalike.search.derived import search_lower

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lookalike.tables.columns import Metric

ESSAYS = la.Recipe(k=3)
LEAST, THRESHOLD = 5, 0.1


def essay(seed: int, words: int = 120) -> list[str]:
    """Words that hardly any other essay has in this order."""
    chance = random.Random(seed)
    return [f"w{chance.randrange(400)}" for _ in range(words)]


def every(nth: int, words: list[str]) -> list[str]:
    """The same with every nth word exchanged."""
    return [f"x{place}" if place % nth == nth - 1 else word for place, word in enumerate(words)]


def a_class(size: int = 6) -> dict[str, str]:
    """Essays of which some are mosaics of others, one has a copied passage, and two are the same."""
    texts = {f"s{number}": essay(number) for number in range(size)}
    texts |= {"fifth": every(5, texts["s0"]), "fourth": every(4, texts["s1"]), "third": every(3, texts["s2"])}
    texts |= {"passage": essay(99, 60) + texts["s3"][:40], "copy": texts["s4"]}
    return {name: " ".join(words) for name, words in texts.items()}


def scores_by_definition(a: str, b: str, metric: Metric) -> tuple[float, float]:
    """The score of two texts with passages of any length, and with those that are long enough."""
    found = la.compare(a, b, ESSAYS, min_words=LEAST)
    assert found.any_length is not None
    if metric == "jaccard":
        return found.any_length.jaccard, found.jaccard
    return (
        max(found.any_length.containment_a, found.any_length.containment_b),
        max(found.containment_a, found.containment_b),
    )


def by_definition(new: dict[str, str], old: dict[str, str], metric: Metric) -> dict[tuple[str, str], float]:
    pairs = [*combinations(new.items(), 2), *product(new.items(), old.items())]
    found = {}
    for (a, x), (b, y) in pairs:
        loose, strict = scores_by_definition(x, y, metric)
        if x != y and loose >= THRESHOLD > strict:
            found[a, b] = loose
    return found


def score(pair: dict[str, Any], metric: Metric) -> float:
    return float(pair["jaccard"] if metric == "jaccard" else max(pair["containment_a"], pair["containment_b"]))


@pytest.mark.parametrize("against", [False, True], ids=["alone", "against"])
@pytest.mark.parametrize(
    ("metric", "how"),
    [
        ("containment", {}),
        ("containment", {"method": "brute"}),
        ("jaccard", {"method": "exact"}),
        ("jaccard", {"method": "brute"}),
        ("jaccard", {"method": "lsh", "bands": la.Bands(256, 1)}),
        ("jaccard", {"method": "lsh", "bands": la.Bands(256, 1), "work": "work"}),
        ("jaccard", {"method": "signatures", "recall": 0.9999999}),
    ],
    ids=str,
)
def test_they_are_those_of_the_definition(tmp_path: Path, metric: Metric, how: dict[str, Any], against: bool) -> None:
    new = a_class()
    del new["copy"]
    old = {name: new.pop(name) for name in ("s0", "s2")} if against else {}
    how = how | ({"work": tmp_path / "work"} if "work" in how else {})
    result = la.find(
        new, THRESHOLD, recipe=ESSAYS, metric=metric, min_words=LEAST, against=old if against else None, **how
    )
    expected = by_definition(new, old, metric)
    assert len(expected) >= 2
    assert {(pair["a"], pair["b"]): score(pair, metric) for pair in result.short_passage_pairs} == expected
    assert result.short_passage_count == len(expected)
    closest = [score(pair, metric) for pair in result.short_passage_pairs]
    assert closest == sorted(closest, reverse=True)
    assert not {(pair["a"], pair["b"]) for pair in result.pairs.to_pylist()} & expected.keys()


def test_the_hundred_closest_are_named_and_all_are_counted() -> None:
    source = essay(1, 300)
    texts = {f"m{number}": " ".join(every(4, source[number:])) for number in range(40)} | {"source": " ".join(source)}
    result = la.find(texts, THRESHOLD, recipe=ESSAYS, metric="containment", min_words=LEAST)
    expected = by_definition(texts, {}, "containment")
    assert result.short_passage_count == len(expected) > 100
    named = [score(pair, "containment") for pair in result.short_passage_pairs]
    assert named == sorted(expected.values(), reverse=True)[:100]
    above = result.rethreshold(named[9])
    assert (above.short_passage_count, above.to_dict()["short_passages"]["threshold"]) == (
        sum(value >= named[9] for value in expected.values()),
        named[9],
    )
    assert above.rethreshold(THRESHOLD).short_passage_pairs == result.short_passage_pairs


def found() -> la.Result:
    return la.find(a_class(), preset="essays")


def names(result: la.Result) -> set[frozenset[str]]:
    return {frozenset((pair["a"], pair["b"])) for pair in result.short_passage_pairs}


MOSAICS = {frozenset(("s0", "fifth")), frozenset(("s1", "fourth"))}


def saved(result: la.Result, path: Path) -> la.Result:
    result.save(path / "run.lookalike")
    return la.Result.load(path / "run.lookalike")


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (saved, MOSAICS),
        (lambda result, _: search_lower(result), MOSAICS),
        (lambda result, path: saved(search_lower(result), path), MOSAICS),
        (lambda result, _: result.rethreshold(0.3), {frozenset(("s0", "fifth"))}),
        (lambda result, _: result.rethreshold(0.9), set()),
        (lambda result, _: result.rethreshold(0.9).rethreshold(0.1), MOSAICS),
        (
            lambda result, _: result.group_by(lambda name: "ann" if name in ("s0", "fifth") else name),
            {frozenset(("s1", "fourth"))},
        ),
        (lambda result, _: result.group_by(lambda name: name), MOSAICS),
    ],
    ids=["saved", "lower", "lower and saved", "higher", "too high", "back", "by author", "by other authors"],
)
def test_they_go_with_the_result(
    tmp_path: Path, change: Callable[[la.Result, Path], la.Result], left: set[frozenset[str]]
) -> None:
    result = change(found(), tmp_path)
    assert names(result) == left
    assert result.short_passage_count == len(left)
    values = result.to_dict()["short_passages"]
    assert values["count"] == len(left)
    plain = [{name: pair[name] for name in result.short_passage_pairs[0]} for pair in values["pairs"]]
    assert plain == result.short_passage_pairs


def test_a_marked_pair_is_omitted(tmp_path: Path) -> None:
    listed = [{"a": "fifth", "b": "s0", "mark": "not an issue", "note": ""}]
    path = tmp_path / "marks.json"
    path.write_text(json.dumps({"schema": "lookalike-marks/1", "pairs": listed}), encoding="utf-8")
    assert names(without_marked(found(), read_marks(path))) == {frozenset(("s1", "fourth"))}


def test_the_pairs_of_a_search_below_the_threshold_are_counted_there() -> None:
    lower = search_lower(found())
    at = lower.rethreshold(lower.searched_threshold)
    assert frozenset(("s1", "fourth")) in names(at)
    assert names(at.rethreshold(THRESHOLD)) == MOSAICS


def test_one_sentence_says_that_there_are_some() -> None:
    assert found().notes[0].startswith("2 pairs are similar only in passages shorter than 5 words")
    assert la.find(["one two three"], preset="essays").short_passage_pairs == []
    assert la.find(a_class(), 0.1).to_dict()["short_passages"] == {"threshold": 0.1, "count": 0, "pairs": []}


def test_the_report_has_them_behind_all_other_pairs() -> None:
    page = collect(search_lower(found()))
    head, ids = page.head, page.head["documents"]["id"]
    start = head["short"]["from"]
    ends = list(zip(head["pairs"]["a"], head["pairs"]["b"], strict=True))
    assert {frozenset((ids[a], ids[b])) for a, b in ends[start:]} == MOSAICS
    assert head["short"]["count"] == 2
    assert len(set(ends)) == len(ends)
    assert page.body["blocks"][start]  # runs of four words are one passage


def test_they_are_among_the_sources_of_a_document() -> None:
    sources = found().sources("fifth")
    assert [source.id for source in sources.sources] == ["s0"]
    assert sources.share > 0.7
    sources = found().sources("fourth")
    assert (sources.share, [(one.id, one.k) for one in sources.short]) == (0.0, [("s1", 3)])


@pytest.mark.parametrize(
    ("nth", "share", "sources", "short"), [(5, 0.8, ["s5"], []), (4, 0.0, [], ["s5"])], ids=["fifth", "fourth"]
)
def test_a_mosaic_is_found_by_the_settings_for_all_texts(
    nth: int, share: float, sources: list[str], short: list[str]
) -> None:
    mosaic = " ".join(every(nth, essay(5)))
    seen = la.sources(mosaic, a_class())
    assert seen.share == pytest.approx(share, abs=0.01)
    assert [one.id for one in seen.sources] == sources
    assert [one.id for one in seen.short] == short
    assert [one["id"] for one in seen.to_dict()["short_passages"]] == [one.id for one in seen.short]


def test_the_main_source_is_named_beside_another_one() -> None:
    main, other = essay(5), essay(6)
    seen = la.sources(" ".join(other[:45] + every(4, main)), {"main": " ".join(main), "other": " ".join(other)})
    assert [one.id for one in seen.sources] == ["other"]
    assert [one.id for one in seen.short] == ["main"]


def test_sources_are_shown_without_their_texts() -> None:
    text = " ".join(essay(5))
    assert len(repr(la.sources(text, {"copy": text}))) < 100


def test_the_note_names_the_pairs_of_the_threshold_that_is_set(tmp_path: Path) -> None:
    source = essay(5, 300)
    texts = {"source": " ".join(source), "partly": " ".join(source[:40] + every(5, source[40:]))}
    result = la.find(texts, preset="essays")
    assert (result.pair_count, result.notes) == (1, ())
    for raised in (result.rethreshold(0.3), saved(result.rethreshold(0.3), tmp_path)):
        (note,) = raised.notes
        assert "1 pair below it was not scored with shorter passages" in note
        assert raised.to_dict()["notes"] == [note]
        assert raised.rethreshold(THRESHOLD).notes == ()
    (note,) = la.find(texts, 0.3, preset="essays").notes
    assert note.startswith("1 pair is similar only in passages")
    assert found().rethreshold(0.3).notes[0].startswith("1 pair is similar only in passages")
    assert not any("named in the table" in note for note in found().rethreshold(0.9).notes)
    assert found().group_by(lambda name: "ann" if name in ("s0", "fifth") else name).notes[0].startswith("1 pair is")
