"""The experiments, in the order in which they are listed. A new one is a file of this folder and a line here."""

from __future__ import annotations

import difflib
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from lookalike.errors import RecipeError

if TYPE_CHECKING:
    from lookalike.experiments.experiment import Experiment

__all__ = ["MODULES", "by_id", "experiments", "module_of"]

MODULES: Final[tuple[str, ...]] = (
    "texts",
    # report A
    "similarity_by_k",
    "hash_times",
    "comparisons",
    "approaches",
    "preprocessing",
    "precision",
    "exact_times",
    "lsh_candidates",
    # report B: Jaccard, time, estimates
    "pair_jaccard",
    "pair_time",
    "text_options",
    "estimate",
    "surface",
    "sign_time",
    "plateau",
    "estimate_error",
    "error_difference",
    "time_difference",
    # LSH, S-curve, bags, hash functions
    "lsh_quality",
    "s_curve",
    "bags",
    "hash_quality",
    "biased_families",
    "conclusions",
)
"""The modules of this folder that hold an `EXPERIMENT`, or several of one kind as `EXPERIMENTS`."""


def experiments() -> tuple[Experiment, ...]:
    """Return all experiments, in order. They are loaded now, matplotlib is not."""
    return tuple(experiment for _, experiment in _loaded())


def module_of(name: str) -> str:
    """Return the module that holds the experiment with this id."""
    return next(module for module, experiment in _loaded() if experiment.id == name)


def by_id(name: str) -> Experiment:
    """Return the experiment with this id.

    >>> by_id("nonsense")
    Traceback (most recent call last):
        ...
    lookalike.errors.RecipeError: ID must be an experiment (see: lookalike experiment list), not 'nonsense'
    """
    known = {experiment.id: experiment for experiment in experiments()}
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=3)
    hint = f"did you mean {' or '.join(repr(each) for each in near)}?" if near else ""
    raise RecipeError("ID", name, "an experiment (see: lookalike experiment list)", hint)


@cache
def _loaded() -> tuple[tuple[str, Experiment], ...]:
    return tuple((module, experiment) for module in MODULES for experiment in _of(module))


def _of(module: str) -> tuple[Experiment, ...]:
    held = import_module(f"lookalike.experiments.{module}")
    found: tuple[Experiment, ...] = held.EXPERIMENTS if hasattr(held, "EXPERIMENTS") else (held.EXPERIMENT,)
    return found
