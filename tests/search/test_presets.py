"""Every preset finds exactly what comparing all pairs by the reference finds, in one collection of real texts."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

import lookalike as la
from lookalike import reference as ref
from lookalike.presets import PRESETS, Preset
from tests.search.making import mixed_pages

EXAMPLES = Path(__file__).parents[2] / "examples" / "collection"
REAL = [path.read_text(encoding="utf-8")[:3000] for path in sorted(EXAMPLES.glob("*.txt"))]
EDITED = [" ".join(word for place, word in enumerate(text.split()) if place % 9) for text in REAL[:6]]
MASKED = [REAL[0].replace("e", "e\u200b"), REAL[1].replace("a", "\U0001d41a"), "\ufeff" + REAL[2]]
TEXTS = [*REAL, *EDITED, *MASKED, *mixed_pages(30, seed=4), "", "---"]

Scores = tuple[float, float, float]


def expected(preset: Preset) -> dict[tuple[int, int], Scores]:
    units = [ref.units(text, preset.recipe) for text in TEXTS]
    sets = [ref.elements(text, preset.recipe) for text in TEXTS]

    def scores(a: int, b: int) -> Scores:
        if preset.min_words is not None:
            return ref.counted(units[a], units[b], preset.recipe.k, preset.min_words, set()).scores
        x, y = sets[a], sets[b]
        return ref.jaccard(x, y), ref.containment(x, y), ref.containment(y, x)

    every = {(a, b): scores(a, b) for a, b in combinations(range(len(TEXTS)), 2) if units[a] or units[b]}
    is_containment = preset.metric == "containment"
    return {
        pair: found
        for pair, found in every.items()
        if (max(found[1], found[2]) if is_containment else found[0]) >= preset.threshold
    }


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_finds_every_pair_with_its_score(name: str) -> None:
    result = la.find(TEXTS, preset=name)
    found = {(r["a"], r["b"]): (r["jaccard"], r["containment_a"], r["containment_b"]) for r in result.pairs.to_pylist()}
    assert found == expected(PRESETS[name])
    assert len(found) > 3
