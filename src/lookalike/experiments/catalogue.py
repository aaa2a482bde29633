"""The experiments, by report and question, and the code that each depends on.

A new one is in a file of this folder, with its id in a line here. A digest of the code tells whether a table is older.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from lookalike.errors import RecipeError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.experiments import Experiment

__all__ = ["GROUPS", "MODULES", "QuestionGroup", "by_id", "code_digest", "experiments", "files_of", "module_of"]


class QuestionGroup(NamedTuple):
    """Experiments of one report, or of ours, that answer one question."""

    report: str
    question: str
    ids: tuple[str, ...]


GROUPS: Final = (
    QuestionGroup("Report A", "How similar are shuffled texts, and which k is right?", ("similarity-by-k",)),
    QuestionGroup("Report A", "How fast are the hash functions?", ("hash-times", "figure-multiplicative")),
    QuestionGroup("Report A", "How do the three approaches grow?", ("approaches", "comparisons", "preprocessing")),
    QuestionGroup("Report A", "How precise is an estimate, and what does it cost?", ("precision", "exact-times")),
    QuestionGroup("Report A", "Which bands?", ("lsh-candidates",)),
    QuestionGroup(
        "Report B",
        "What are Jaccard similarity, MinHash and LSH?",
        ("figure-jaccard", "figure-matrix", "figure-permutation", "figure-bands"),
    ),
    QuestionGroup(
        "Report B",
        "How does the exact similarity depend on k and on the text?",
        ("pair-jaccard", "pair-time", "white-space", "lowercase"),
    ),
    QuestionGroup(
        "Report B",
        "How good are estimates by modular hashing?",
        ("estimate-modular", "surface-modular", "time-modular", "error-modular"),
    ),
    QuestionGroup(
        "Report B",
        "How good are estimates by Jenkins' mix?",
        ("estimate-jenkins", "surface-jenkins", "time-jenkins", "error-jenkins"),
    ),
    QuestionGroup("Report B", "Which of the two is better?", ("error-difference-jenkins", "time-difference-jenkins")),
    QuestionGroup("Report B", "What does LSH find among 20 documents?", ("lsh-quality",)),
    QuestionGroup("Article C", "What if repeated shingles count?", ("bags",)),
    QuestionGroup(
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
    QuestionGroup("Ours", "Why does the time come to rest?", ("shingle-plateau",)),
    QuestionGroup("Ours", "Are the hash functions right?", ("hash-quality", "biased-families")),
    QuestionGroup("Ours", "How often does a pair become a candidate?", ("s-curve",)),
    QuestionGroup("Ours", "Are the texts what the reports needed?", ("collections",)),
    QuestionGroup(
        "Ours",
        "Is what the reports say without a figure right?",
        ("set-joins", "cryptographic", "threshold-speed"),
    ),
)
"""The reports' figures first, ours after them."""

MODULES: Final[tuple[str, ...]] = (
    "text_collections",
    # report A
    "set_similarity",
    "hash_times",
    "growth",
    "approaches",
    "precision",
    "exact_times",
    # report B
    "pair_similarity",
    "estimates",
    "signing_times",
    "differences",
    # LSH, hash functions, diagrams
    "lsh_quality",
    "lsh_bands",
    "hash_families",
    "baselines",
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


# -- the code behind an experiment -------------------------------------------------------------------------------------


_HERE: Final = Path(__file__).parent
_ABOVE: Final = frozenset({"cli", "experiments", "report", "server", "spark"})
"""Parts of the package that no number of an experiment comes from; of this folder, only what is imported counts."""


@cache
def code_digest(id: str) -> str:  # noqa: A002 — what it is called everywhere
    """Return a digest of the code of an experiment: its file, what it imports of this folder, the library, the core."""
    digest = hashlib.sha256(_library_digest())
    for path in files_of(module_of(id)):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def files_of(module: str) -> list[Path]:
    """Return the files of this folder that a module needs, itself included.

    >>> [path.name for path in files_of("figures")]
    ['__init__.py', 'figures.py']
    """
    found: set[str] = set()
    waiting = ["__init__", module]
    while waiting:
        name = waiting.pop()
        if name not in found and (_HERE / f"{name}.py").is_file():
            found.add(name)
            waiting += _imported(_HERE / f"{name}.py")
    return [_HERE / f"{name}.py" for name in sorted(found)]


def _imported(path: Path) -> Iterator[str]:
    """Give the modules of this folder that a file imports, at the top or inside a function."""
    package = "lookalike.experiments"
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module == package:
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(f"{package}."):
            yield node.module.removeprefix(f"{package}.")
        elif isinstance(node, ast.Import):
            yield from (a.name.removeprefix(f"{package}.") for a in node.names if a.name.startswith(f"{package}."))


@cache
def _library_digest() -> bytes:
    from lookalike import _native

    package = _HERE.parent
    sources = (path for path in sorted(package.rglob("*.py")) if path.relative_to(package).parts[0] not in _ABOVE)
    digest = hashlib.sha256(Path(_native.__file__).read_bytes())
    for path in sources:
        digest.update(path.read_bytes())
    return digest.digest()
