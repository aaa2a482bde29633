"""Collections with labels: how they are read, and which of their pairs are judged."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from benchmarks.accuracy.labelled import KIND, Labelled, read_collection
from benchmarks.accuracy.pairs import METRICS, choose_pairs, score
from benchmarks.accuracy.recipes import GRID, OWN, own_recipes, recipes_for

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, name: str, rows: list[tuple[str, ...]]) -> None:
    with (folder / name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


def test_reading_pairs_and_clusters(tmp_path: Path) -> None:
    for name in ("by_pairs", "by_clusters"):
        (tmp_path / name).mkdir()
        pq.write_table(
            pa.table({"id": ["x", "y", "z"], "text": ["1", "2", "3"]}), tmp_path / name / "documents.parquet"
        )
    write(tmp_path / "by_pairs", "pairs.csv", [("a", "b", "label"), ("z", "x", "copy"), ("x", "y", "non")])
    write(tmp_path / "by_clusters", "clusters.csv", [("id", "cluster"), ("x", "p"), ("z", "p"), ("y", "q")])
    pairs, clusters = (read_collection(tmp_path / name) for name in ("by_pairs", "by_clusters"))
    assert pairs.only_labelled
    assert (pairs.positives, pairs.negatives) == (1, 1)
    assert not clusters.only_labelled
    assert (clusters.positives, clusters.negatives) == (1, 2)


def test_every_kind_has_a_preset_of_ours() -> None:
    assert set(KIND.values()) == set(OWN)
    assert all(set(kinds) <= set(OWN) for kinds, _ in GRID.values())


def test_no_recipe_is_judged_twice_under_two_names_of_ours() -> None:
    recipes = recipes_for("edited")
    assert {"prose", "edited", "essays", "words, k = 4", "characters, k = 13"} <= recipes.keys()
    assert not {"words, k = 5", "characters, k = 9", "code, k = 8", "cjk, k = 3"} & recipes.keys()  # presets; others


# -- which pairs ------------------------------------------------------------------------------------------------------


def made_up(documents: int) -> Labelled:
    """Documents of ten words, two and two with eight of them in common."""
    words = [
        [f"w{number // 2}x{i}" for i in range(8)] + [f"own{number}a", f"own{number}b"] for number in range(documents)
    ]
    return Labelled("made up", [" ".join(text) for text in words], [], [number // 2 for number in range(documents)])


def test_labelled_pairs_are_judged_alone_and_one_by_one() -> None:
    collection = Labelled("made up", ["a", "b", "c", "d"], [(3, 0, "copy"), (3, 1, "non"), (2, 3, "cut")], [])
    judged = choose_pairs(collection, own_recipes())
    assert list(zip(judged.a.tolist(), judged.b.tolist(), strict=True)) == [(0, 3), (1, 3), (2, 3)]
    assert judged.label == ("copy", "non", "cut")
    assert judged.together.tolist() == [True, False, True]
    assert judged.units == 3
    assert judged.source is not None
    assert judged.source.tolist() == [3, 3, 3]  # the one that is in all pairs


def test_a_small_collection_is_judged_whole() -> None:
    judged = choose_pairs(made_up(20), own_recipes())
    assert len(judged) == 190
    assert set(judged.weight.tolist()) == {1.0}
    assert judged.together.sum() == 10


def test_the_weights_of_a_sample_stand_for_all_pairs() -> None:
    collection = made_up(120)
    judged = choose_pairs(collection, own_recipes(), sample=40)
    assert len(judged) < 120 * 119 // 2
    assert judged.weight[judged.together].sum() == pytest.approx(collection.positives)
    assert judged.weight[~judged.together].sum() == pytest.approx(collection.negatives)
    assert judged.together.sum() == 40  # of 60
    keys = judged.a * 120 + judged.b
    assert len(np.unique(keys)) == len(keys)
    assert (judged.a < judged.b).all()


def test_pairs_without_a_name_belong_to_no_group() -> None:
    collection = Labelled("made up", ["a", "b", "c", "d"], [(0, 2, "copy")], [])
    judged = choose_pairs(collection, own_recipes())
    together = [(a, b) for a, b, yes in zip(judged.a, judged.b, judged.together, strict=True) if yes]
    assert together == [(0, 2)]
    assert judged.units == 3


def test_scores_are_those_of_the_library() -> None:
    collection = Labelled("made up", ["a b c d e f a b c", "a b c d e g", "x y z"], [], [0, 0, 1])
    judged = choose_pairs(collection, own_recipes())
    recipe = la.Recipe(k=2)
    found = score(collection.texts, recipe, judged)
    assert tuple(found) == METRICS
    for number, (a, b) in enumerate(zip(judged.a, judged.b, strict=True)):
        one, other = collection.texts[a], collection.texts[b]
        compared = la.compare(one, other, recipe)
        assert found["Jaccard"][number] == compared.jaccard
        assert found["containment"][number] == max(compared.containment_a, compared.containment_b)
        bags = la.compare(one, other, recipe.replace(bag=True))
        assert found["Jaccard of bags"][number] == bags.jaccard
