"""The primer teaches around the figures: it names experiments that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lookalike.experiments import catalogue

PRIMER = (Path(__file__).parents[2] / "docs" / "primer.md").read_text(encoding="utf-8")
NAMED = sorted(
    {
        name
        for part in re.findall(r"\*Experiments?:\*.*?\n\n", PRIMER, re.DOTALL)
        for name in re.findall("`(.+?)`", part)
    }
    | set(re.findall(r"`lookalike experiment run ([a-z0-9-]+) ", PRIMER))
)


def test_the_primer_names_experiments() -> None:
    assert len(NAMED) >= 12


@pytest.mark.parametrize("name", NAMED)
def test_an_experiment_that_the_primer_names_exists(name: str) -> None:
    assert name in {experiment.id for experiment in catalogue.experiments()}


@pytest.mark.parametrize(
    "name", ["s-curve", "lsh-quality", "bags", "hash-quality", "biased-families", "similarity-by-k"]
)
def test_the_primer_uses_the_figures_of_the_method(name: str) -> None:
    assert f"`{name}`" in PRIMER or f"run {name} " in PRIMER
