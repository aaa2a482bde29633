"""Item 73 (report A, §8.4): how precise an estimate is, by the number of hash functions, beside what theory says."""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import fmean, linear_regression
from typing import TYPE_CHECKING, Any, Final

import lookalike as la
from lookalike.experiments import data, figures, report_a
from lookalike.experiments.claims import verdict
from lookalike.experiments.experiment import Column, Experiment, Finding, Progress, Setup, Table, Verdict, each

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

HASHES: Final = range(1, 300)
K: Final = 9
SIMILARITY: Final = 0.6
RANGES: Final = ((1, 9), (10, 99), (100, 199), (200, 299))
WITHIN: Final = {1: 0.6827, 2: 0.9545}
"""The share of a normal distribution within so many standard errors."""
_NORMAL: Final = 30
"""With fewer functions few estimates are possible, and the normal distribution does not fit them yet."""


def _measure(setup: Setup, progress: Progress) -> Table:
    columns = (
        Column("family", "name"),
        Column("hashes"),
        Column("estimate"),
        Column("exact"),
        Column("standard error"),
    )
    pair = data.pair_of_similarity(setup, SIMILARITY, K)
    plain = la.Recipe(unit="char", k=K)
    exact = la.jaccard(*pair, recipe=plain)
    table = Table(columns)
    for family in report_a.SKETCHES:
        for hashes in each(HASHES, lambda share, family=family: progress(_share(family, share))):  # type: ignore[misc]
            # Other functions for each point, or neighbours would share their errors and the bands could not be checked.
            seed = report_a.hash_seed(setup, hashes)
            recipe = plain.replace(hashes=hashes, seed=seed, **report_a.sketch(family))
            estimate = la.sign(list(pair), recipe, threads=1).estimate(0, 1)
            table.rows.append((family, hashes, estimate, exact, la.standard_error(exact, hashes)))
    return table


def _share(family: str, share: float) -> float:
    return (report_a.SKETCHES.index(family) + share) / len(report_a.SKETCHES)


# -- the figure --------------------------------------------------------------------------------------------------------


def _draw(table: Table, setup: Setup, figure: Figure) -> None:
    figure.set_size_inches(9.2, 6)
    panels = figure.subplots(2, 3)
    for number, (axes, family) in enumerate(zip(panels.flat, report_a.SKETCHES, strict=False)):
        _draw_family(table.where(family=family), number, axes)
        axes.set_title(family)
    _draw_errors(table, panels[1][2])
    for axes in (panels[0][0], panels[1][0]):
        axes.set_ylabel("estimated similarity")
    for axes in panels[1]:
        axes.set_xlabel("hash functions")
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    figures.note(
        figure,
        f"One pair of texts, Jaccard similarity {table.numbers('exact')[0]:.4f} at k = {K}; one estimate with new hash "
        f"functions for each number from {HASHES[0]} to {HASHES[-1]}. Errors are means over ranges of that number. "
        f"Seed {setup.seed}.",
    )


def _draw_family(part: Table, number: int, axes: Axes) -> None:
    exact = part.numbers("exact")[0]
    for errors, shade in ((2, 0.18), (1, 0.3)):
        lower, upper = ([exact + sign * errors * error for error in part.numbers("standard error")] for sign in (-1, 1))
        label = f"±{errors} standard error{'s' * (errors > 1)}, theory"
        axes.fill_between(part.numbers("hashes"), lower, upper, color=figures.GREY, alpha=shade, lw=0, label=label)
    axes.axhline(exact, color="black", linewidth=1, label="exact")
    style: dict[str, Any] = {"color": figures.COLOURS[number], "linestyle": "none", "marker": "o", "markersize": 2.2}
    axes.plot(part.numbers("hashes"), part.numbers("estimate"), label="estimate", **style)
    axes.set(ylim=(0, 1.02), xlim=(0, HASHES[-1] + 1))


def _draw_errors(table: Table, axes: Axes) -> None:
    middles = [math.sqrt(low * high) for low, high in RANGES]
    for number, family in enumerate(report_a.SKETCHES):
        errors = [_mean_error(table.where(family=family), low, high) for low, high in RANGES]
        axes.plot(middles, errors, label=family, **figures.style(number))
    theory = [math.sqrt(2 / math.pi) * la.standard_error(SIMILARITY, hashes) for hashes in HASHES]
    axes.plot(HASHES, theory, color="black", linewidth=1, label="theory")
    axes.set(xscale="log", yscale="log", title="mean absolute error")
    figures.plain_numbers(axes.xaxis, 1, 10, 100, 300)
    figures.plain_numbers(axes.yaxis, 0.02, 0.05, 0.1, 0.2, 0.4)
    axes.legend(fontsize=7, loc="lower left")


# -- the verdicts ------------------------------------------------------------------------------------------------------


def _mean_error(part: Table, low: int, high: int) -> float:
    rows = zip(part.numbers("hashes"), part.numbers("estimate"), part.numbers("exact"), strict=True)
    return fmean(abs(estimate - exact) for hashes, estimate, exact in rows if low <= hashes <= high)


def _judge(table: Table, _setup: Setup) -> list[Verdict]:
    return [_reason(table), _shrinks(table), _root(table)]


def _shrinks(table: Table) -> Verdict:
    """Rule: the mean |error| of all families falls from each range of numbers of functions to the next."""
    means = [fmean(_mean_error(table.where(family=f), low, high) for f in report_a.SKETCHES) for low, high in RANGES]
    falls = all(later < earlier for earlier, later in pairwise(means))
    listed = ", ".join(f"{error:.3f} for {low} to {high}" for (low, high), error in zip(RANGES, means, strict=True))
    return verdict(
        "A-9.5",
        "holds" if falls else "does not hold",
        f"Mean absolute error over all families, by the number of hash functions: {listed}.",
        {f"error_{low}_{high}": error for (low, high), error in zip(RANGES, means, strict=True)},
    )


def _root(table: Table) -> Verdict:
    """Rule: |error| ≈ c · h^exponent, on means over blocks of ten, has an exponent within 0.15 of −0.5."""
    blocks = [(low, low + 9) for low in range(10, 290, 10)]
    errors = [fmean(_mean_error(table.where(family=f), *block) for f in report_a.SKETCHES) for block in blocks]
    fit = linear_regression([math.log(low + 4.5) for low, _ in blocks], [math.log(max(e, 1e-9)) for e in errors])
    exponent = fit.slope
    finding: Finding = (
        "holds" if abs(exponent + 0.5) <= 0.15 else "holds in part" if -1 < exponent < -0.25 else "does not hold"
    )
    return verdict(
        "ours-root",
        finding,
        f"A power law fitted to the mean absolute errors of all families has the exponent {exponent:.2f}; 1/√h has "
        f"-0.50. So four times as many hashes halve the error: 300 instead of 75 bring the standard error from "
        f"{la.standard_error(SIMILARITY, 75):.3f} to {la.standard_error(SIMILARITY, 300):.3f}.",
        {"exponent": exponent},
    )


def _reason(table: Table) -> Verdict:
    """Rule: if perfect permutations, which never collide, would scatter as these functions do, it is not collisions."""
    part = [row for row in table.rows if int(row[1]) >= _NORMAL]
    inside = {
        errors: fmean(abs(float(row[2]) - float(row[3])) <= errors * float(row[4]) for row in part) for errors in WITHIN
    }
    wrong = max(abs(inside[errors] - share) for errors, share in WITHIN.items())
    leaning = {family: _leaning(table.where(family=family)) for family in report_a.SKETCHES}
    worst = max(leaning, key=lambda family: abs(leaning[family]))
    perfect = wrong <= 0.05 and abs(leaning[worst]) < 4
    return verdict(
        "A-8.4-reason",
        "does not hold" if perfect else "holds in part" if wrong <= 0.1 else "holds",
        f"Perfect permutations, which never collide, scatter by √(J(1−J)/h). So do these functions: of {len(part)} "
        f"estimates with {_NORMAL} hashes or more, {inside[1]:.1%} are within one such standard error and "
        f"{inside[2]:.1%} within two (a normal distribution has {WITHIN[1]:.1%} and {WITHIN[2]:.1%}), and the family "
        f"that leans most, {worst}, is {leaning[worst]:+.1f} standard errors off in all (4 would be a bias). What "
        "shrinks is chance, not the part of collisions; those bias an estimate for any number of functions, as "
        "biased-families shows.",
        {"within_1": inside[1], "within_2": inside[2], "largest_leaning": leaning[worst]},
    )


def _leaning(part: Table) -> float:
    """Return the sum of the errors of independent estimates, in standard errors of that sum."""
    errors = (a - b for a, b in zip(part.numbers("estimate"), part.numbers("exact"), strict=True))
    return sum(errors) / math.sqrt(sum(error**2 for error in part.numbers("standard error")))


EXPERIMENT = Experiment(
    id="precision",
    title="Precision of the estimate, by the number of hash functions",
    items=(51, 73, 86, 109, 110),
    caption=(
        "Two texts whose similarity is 0.6 at k = 9 by construction, and its estimate with 1 to 299 hash functions of "
        "each family. The grey bands are one and two standard errors √(J(1−J)/h) around the exact value; about 68 % "
        "and 95 % of the points should lie in them. The last panel shows that the error shrinks as 1/√h."
    ),
    seconds=3,
    measure=_measure,
    draw=_draw,
    judge=_judge,
    figure="report A, figure 5",
)
