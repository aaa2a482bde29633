"""Cosine and Euclidean distance as metrics of a search: candidates by Jaccard, scored and cut by the measure."""

import io
import json
import random
import re
import zipfile
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

import lookalike as la
from lookalike.engine import METRICS, Method
from lookalike.errors import RecipeError
from lookalike.search.derived import search_lower
from lookalike.tables.columns import Metric, score_columns
from lookalike.tables.write_table import FORMATS, Format

WORDS = la.Recipe(k=1)


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """Give documents with repeated words, some of them edited copies, some copies with their words in another order."""
    rng = random.Random(5)
    words = [f"w{number}" for number in range(200)]
    made = []
    for _ in range(12):
        base = rng.choices(words, k=80)
        for edits in (0, 4, 12, 30):
            copy = list(base)
            for place in rng.sample(range(80), edits):
                copy[place] = rng.choice(words)
            rng.shuffle(copy)
            made.append(" ".join(copy))
    return [*made, made[0]]


def truth(texts: list[str], metric: str, threshold: float) -> dict[tuple[int, int], float]:
    def score(a: int, b: int) -> float:
        if metric == "cosine":
            return la.cosine(texts[a], texts[b], recipe=WORDS)
        return 1 / (1 + la.euclidean(texts[a], texts[b], recipe=WORDS))

    scores = {(a, b): score(a, b) for a, b in combinations(range(len(texts)), 2)}
    return {pair: value for pair, value in scores.items() if value >= threshold}


def pairs(result: la.Result, column: str) -> dict[tuple[int, int], float]:
    return {(row["a"], row["b"]): row[column] for row in result.pairs.to_pylist()}


CASES = [("cosine", 0.6, "cosine"), ("cosine", 0.9, "cosine"), ("euclidean", 1 / 8, "euclidean_similarity")]


@pytest.mark.parametrize(("metric", "threshold", "column"), CASES)
def test_brute_force_finds_all_pairs_by_the_measure(
    texts: list[str], metric: Metric, threshold: float, column: str
) -> None:
    result = la.find(texts, threshold, metric=metric, method="brute", recipe=WORDS)
    assert pairs(result, column) == pytest.approx(truth(texts, metric, threshold))
    assert result.recall.of == "pairs that share a shingle"
    assert result.top(1)[column][0].as_py() == 1.0  # the copy


@pytest.mark.parametrize("method", ["auto", "exact", "lsh", "signatures"])
@pytest.mark.parametrize(("metric", "threshold", "column"), CASES)
def test_candidates_by_jaccard_are_cut_by_the_measure(
    texts: list[str], method: Method, metric: Metric, threshold: float, column: str
) -> None:
    result = la.find(texts, threshold, metric=metric, method=method, recipe=WORDS)
    true, found = truth(texts, metric, threshold), pairs(result, column)
    assert found.items() <= true.items()
    bags = WORDS.replace(bag=True)
    least = result.recall.jaccard
    assert least is not None
    promised = {pair for pair in true if la.bag_jaccard(*(texts[one] for one in pair), recipe=bags) >= least}
    assert len(promised & found.keys()) >= 0.95 * len(promised) > 0
    assert f"of pairs at or above a Jaccard of {least:g}" in result.summary()


def test_a_cosine_without_repeats_takes_a_jaccard_of_its_square() -> None:
    rng = random.Random(2)
    for _ in range(300):
        a, b = (frozenset(rng.sample(range(30), rng.randint(1, 30))) for _ in "ab")
        assert la.jaccard(a, b) >= la.cosine(a, b) ** 2 - 1e-12


def test_groups_threshold_and_file(texts: list[str], tmp_path: Path) -> None:
    result = la.find(texts, 0.6, metric="cosine", recipe=WORDS, bands=la.Bands(64, 2))
    higher = result.rethreshold(0.9)
    assert pairs(higher, "cosine").keys() == {pair for pair, value in pairs(result, "cosine").items() if value >= 0.9}
    assert higher.recall.jaccard == pytest.approx(0.75 * 0.81)
    assert higher.recall.promised >= result.recall.promised
    assert 0 in {member for group in higher.groups for member in group.members}
    result.save(tmp_path / "run.lookalike")
    loaded = la.Result.load(tmp_path / "run.lookalike")
    assert (loaded.metric, loaded.recall, loaded.pairs) == ("cosine", result.recall, result.pairs)
    assert loaded.to_dict()["recall"]["jaccard"] == result.recall.jaccard
    assert search_lower(result) is result
    assert result.measured("cosine").column_names == [*result.pairs.drop_columns("cosine").column_names, "cosine"]


def columns_of(result: la.Result, kind: Format) -> list[str]:
    """Return the names under which a format has the scores of a pair: the text between a, b and what follows."""
    stream = io.BytesIO()
    result.write_pairs(stream, kind)
    data = stream.getvalue()
    if kind == "json":
        return list(json.loads(data)["pairs"][0])
    if kind == "jsonl":
        return list(json.loads(data.splitlines()[0]))
    if kind == "parquet":
        return parquet.read_schema(io.BytesIO(data)).names
    if kind == "xlsx":
        with zipfile.ZipFile(stream) as book:
            head, _, _ = book.read("xl/worksheets/sheet1.xml").decode().partition("</row>")
        return re.findall("<t[^>]*>([a-z_]+)</t>", head)
    return re.findall("[a-z_]+", data.decode().splitlines()[0])


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("dated", [False, True])
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("metric", METRICS)
def test_every_format_names_the_measure(metric: Metric, kind: Format, dated: bool, old: bool) -> None:
    texts = {"x": "one two three four", "y": "one two three five", "z": "one two three"}
    result = la.find(texts, 0.05, metric=metric, recipe=WORDS, against={"v": "one two"} if old else None)
    first = []
    if dated:
        result = result.with_metadata({"x": la.Metadata(date=datetime(2020, 1, 1, tzinfo=UTC))})
        first = ["first", *["first_old"] * old]
    names = ["a", "b", *["b_old"] * old, *score_columns(metric), *first]
    assert columns_of(result, kind) == names


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"metric": "euclidean", "threshold": 5}, "for a distance of at most d, give 1 / (1 + d)"),
        ({"metric": "euclidean"}, "threshold must be given"),
        ({"metric": "cosine", "threshold": 1.5}, "at most 1"),
        ({"metric": "cosine", "ignore": ["one two three four five six"]}, "where text is excluded"),
        ({"metric": "cosine", "skip": ["quotes"]}, "where text is excluded"),
        ({"metric": "cosine", "min_words": 9}, "if repeated shingles count"),
    ],
)
def test_what_cannot_be_done_is_refused(texts: list[str], given: dict[str, Any], said: str) -> None:
    with pytest.raises(RecipeError, match=said.replace("(", r"\(").replace(")", r"\)").replace("+", r"\+")):
        la.find(texts, **given)


def test_no_audit(texts: list[str]) -> None:
    with pytest.raises(RecipeError, match="brute"):
        la.find(texts, 0.9, metric="cosine").audit()
