"""The experiments, by report and question. A new one is in a file of this folder, with its id in a line here."""

from __future__ import annotations

import difflib
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

from lookalike.errors import RecipeError

if TYPE_CHECKING:
    from lookalike.experiments.experiment import Experiment

__all__ = ["GROUPS", "MODULES", "Group", "by_id", "experiments", "module_of"]


class Group(NamedTuple):
    """Experiments of one report, or of ours, that answer one question."""

    report: str
    question: str
    ids: tuple[str, ...]


GROUPS: Final = (
    Group("Report A", "How similar are shuffled texts, and which k is right?", ("similarity-by-k",)),
    Group("Report A", "How fast are the hash functions?", ("hash-times", "figure-multiplicative")),
    Group("Report A", "How do the three approaches grow?", ("approaches", "comparisons", "preprocessing")),
    Group("Report A", "How precise is an estimate, and what does it cost?", ("precision", "exact-times")),
    Group("Report A", "Which bands?", ("lsh-candidates",)),
    Group(
        "Report B",
        "What are Jaccard similarity, MinHash and LSH?",
        ("figure-jaccard", "figure-matrix", "figure-permutation", "figure-bands"),
    ),
    Group(
        "Report B",
        "How does the exact similarity depend on k and on the text?",
        ("pair-jaccard", "pair-time", "white-space", "lowercase"),
    ),
    Group(
        "Report B",
        "How good are estimates by modular hashing?",
        ("estimate-modular", "surface-modular", "time-modular", "error-modular"),
    ),
    Group(
        "Report B",
        "How good are estimates by Jenkins' mix?",
        ("estimate-jenkins", "surface-jenkins", "time-jenkins", "error-jenkins"),
    ),
    Group("Report B", "Which of the two is better?", ("error-difference-jenkins", "time-difference-jenkins")),
    Group("Report B", "What does LSH find among 20 documents?", ("lsh-quality",)),
    Group("Article C", "What if repeated shingles count?", ("bags",)),
    Group(
        "Ours",
        "The figures of report B with other families",
        (
            "estimate-others",
            "surface-others",
            "time-others",
            "error-others",
            "error-difference-others",
            "time-difference-others",
        ),
    ),
    Group("Ours", "Why does the time come to rest?", ("shingle-plateau",)),
    Group("Ours", "Are the hash functions right?", ("hash-quality", "biased-families")),
    Group("Ours", "How often does a pair become a candidate?", ("s-curve",)),
    Group("Ours", "Are the texts what the reports needed?", ("collections",)),
    Group(
        "Ours",
        "Is what the reports say without a figure right?",
        ("set-joins", "cryptographic", "threshold-speed"),
    ),
)
"""The reports' figures first, ours after them."""

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
    # LSH, S-curve, bags, hash functions, diagrams
    "lsh_quality",
    "s_curve",
    "bags",
    "hash_quality",
    "baselines",
    "biased_families",
    "diagrams",
)
"""The modules of this folder that hold an `EXPERIMENT`, or several of one kind as `EXPERIMENTS`."""


def experiments() -> tuple[Experiment, ...]:
    """Return all experiments, in the order of the groups. They are loaded now, matplotlib is not."""
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
    found = {experiment.id: (module, experiment) for module in MODULES for experiment in _of(module)}
    ordered = [name for group in GROUPS for name in group.ids if name in found]
    return tuple(found[name] for name in dict.fromkeys((*ordered, *found)))


def _of(module: str) -> tuple[Experiment, ...]:
    held = import_module(f"lookalike.experiments.{module}")
    found: tuple[Experiment, ...] = held.EXPERIMENTS if hasattr(held, "EXPERIMENTS") else (held.EXPERIMENT,)
    return found
