"""The hash families as the reports' programs have them, beside correct ones, on the pair of similarity 0.6.

A MinHash estimate is right only if every row is equally likely to come first. Report A's programs keep few bits of a
value or take it modulo the number of rows, so that different rows share the least value, and documents agree that
should not (items 107-110). Here those functions are written again, in slow Python, one error at a time.
"""

from __future__ import annotations

import random
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Final

import lookalike as la
from lookalike.experiments import data
from lookalike.experiments.claims import verdict
from lookalike.experiments.experiment import Cell, Column, Experiment, Progress, Setup, Table, Verdict, each
from lookalike.experiments.reported_families import WAYS, estimate
from lookalike.hashing import FAMILIES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT", "bias"]

SIMILARITY: Final = 0.6
K: Final = 9
HASHES: Final = 300
RECIPE: Final = la.Recipe(unit="char", k=K, sketch="classic", hashes=HASHES)

COLUMNS: Final = (
    Column("family"),
    Column("functions"),
    Column("kind"),
    Column("run"),
    Column("exact"),
    Column("estimate"),
)


def measure(setup: Setup, progress: Progress) -> Table:
    """Estimate one pair many times, with new functions each time, in each way."""
    a, b = data.pair_of_similarity(setup, SIMILARITY, K)
    exact = la.jaccard(a, b, recipe=RECIPE)
    rows = _rows_of(a, b)
    chance = random.Random(f"{setup.seed}/biased families")
    table = Table(COLUMNS)
    for run in each(range(8 if setup.quick else 40), progress):
        for way in WAYS:
            table.rows.append((way.family, way.name, way.kind, run, exact, estimate(way, *rows, HASHES, chance)))
        for family in FAMILIES:
            recipe = RECIPE.replace(family=family, seed=chance.getrandbits(64))
            value = la.sign([a, b], recipe, threads=1).estimate(0, 1)
            table.rows.append((family, "lookalike: mixed keys", "ours", run, exact, value))
    return table


def _rows_of(a: str, b: str) -> tuple[list[int], list[int], int]:
    """Return the documents as row numbers of their characteristic matrix, and the number of rows."""
    matrix = la.characteristic_matrix([a, b], RECIPE)
    first, second = (list(rows) for rows in matrix.columns.values())
    return first, second, len(matrix.rows)


def ways(table: Table) -> list[tuple[Cell, Cell, Cell]]:
    """Return (family, functions, kind) of each way, family by family."""
    found = list(dict.fromkeys((row[0], row[1], row[2]) for row in table.rows))
    return [way for family in FAMILIES for way in found if way[0] == family]


def bias(table: Table, family: str, functions: str) -> tuple[float, float]:
    """Return the mean estimate minus the exact similarity, and the standard error of that mean."""
    mine = table.where(family=family, functions=functions)
    values = mine.numbers("estimate")
    return fmean(values) - mine.numbers("exact")[0], stdev(values) / len(values) ** 0.5


# -- the figure ------------------------------------------------------------------------------------------------------


def draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw a line of dots for each way: each dot is one estimate."""
    from lookalike.experiments import figures

    figure.set_size_inches(10, 6.2)
    axes = figure.subplots()
    listed = ways(table)[::-1]
    looks = {"as coded": 1, "one error": 4, "corrected": 2, "ours": 0}
    for height, (family, functions, kind) in enumerate(listed):
        values = table.where(family=family, functions=functions).numbers("estimate")
        look = figures.style(looks[str(kind)])
        axes.plot(values, [height] * len(values), look["marker"], color=look["color"], alpha=0.4)
        axes.plot(fmean(values), height, "|", color="black", ms=17, mew=2)
    exact = table.numbers("exact")[0]
    error = la.standard_error(exact, HASHES)
    axes.axvspan(exact - 2 * error, exact + 2 * error, color=figures.GREY, alpha=0.15, linewidth=0)
    axes.axvline(exact, color=figures.GREY, linestyle="--")
    axes.annotate(f"exact: {exact:.3f}", (exact, len(listed) - 0.45), (4, 0), textcoords="offset points")
    for kind, label in (
        ("as coded", "as in the reports' programs"),
        ("one error", "one of their errors"),
        ("corrected", "corrected, on row numbers"),
        ("ours", "lookalike, on mixed keys"),
    ):
        look = figures.style(looks[kind])
        axes.plot([], [], look["marker"], color=look["color"], label=label)
    axes.plot([], [], "|", color="black", ms=12, mew=2, label="mean")
    axes.set_yticks(range(len(listed)), [f"{family}: {functions}" for family, functions, _ in listed])
    axes.set(xlabel="estimated Jaccard similarity", ylim=(-0.7, len(listed)))
    axes.legend(loc="lower right")
    figures.note(
        figure,
        f"one pair, k = {K}, J = {exact:.4f}; {HASHES} functions an estimate, "
        f"{len(table.distinct('run'))} estimates each; shaded: ±2 standard errors of one estimate; seed {setup.seed}",
    )


# -- the verdicts ----------------------------------------------------------------------------------------------------


def judge(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge whether the families of report A, as coded, estimate the Jaccard similarity; report B's is judged by k."""
    return [
        _verdict(table, "modular", "report A: mod next prime", "ours-bias-modular-A"),
        _verdict(table, "multiplicative", "report A: few bits, 0 skipped", "ours-bias-multiplicative-A"),
        _verdict(table, "murmur3", "report A: mod rows, seeds repeat", "ours-bias-murmur-A"),
    ]


def _verdict(table: Table, family: str, functions: str, claim: str) -> Verdict:
    """Rule: the mean is within 0.02 of J, or within four of its standard errors; it fails if it is 0.03 beyond."""
    off, error = bias(table, family, functions)
    ours, our_error = bias(table, family, "lookalike: mixed keys")
    exact = table.numbers("exact")[0]
    others = "; ".join(
        f"{name} {exact + bias(table, family, str(name))[0]:.3f}"
        for kin, name, kind in ways(table)
        if kin == family and kind in ("one error", "corrected")
    )
    return verdict(
        claim,
        "holds" if abs(off) <= max(4 * error, 0.02) else "does not hold" if abs(off) > 0.05 else "holds in part",
        f"Mean estimate {exact + off:.3f} ± {error:.3f} for J = {exact:.3f}"
        + (f" ({others})" if others else "")
        + f"; lookalike's {family} functions on mixed keys: {exact + ours:.3f} ± {our_error:.3f}.",
        {"bias": off, "standard_error": error, "bias_of_lookalike": ours},
    )


EXPERIMENT: Final = Experiment(
    id="biased-families",
    title="The hash functions of the reports' programs beside corrected ones: which read too high",
    items=(32, 33, 34, 107, 108, 109, 110),
    caption="Each dot is an estimate of one pair of similarity 0.6 by 300 functions. Functions that keep few bits, or "
    "take a hash modulo the number of rows, let different rows share the least value and read too high. Corrected "
    "functions, and lookalike's, scatter about the truth as theory says (shaded).",
    seconds=15,
    measure=measure,
    draw=draw,
    judge=judge,
)
