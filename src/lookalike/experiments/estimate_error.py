"""The error of estimates against the size of the shingles, for several numbers of hashes, in three zooms (item 81)."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise, product
from statistics import fmean
from typing import TYPE_CHECKING, Final

from lookalike.experiments import figures, report_b
from lookalike.experiments.chance import Z, slope
from lookalike.experiments.claims import verdict
from lookalike.experiments.experiment import Column, Experiment, Finding, Progress, Setup, Table, Verdict, each
from lookalike.experiments.summary import LABELS, REPORTED, summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

PARTS: Final = ("exact", "error_once", "error_of_mean", "error", "expected", "margin")
COLUMNS: Final = (
    Column("functions"),
    Column("k", "characters"),
    Column("hashes"),
    *(Column(part, "%") for part in PARTS),
)


def measure(setup: Setup, progress: Progress, *, functions: tuple[str, ...]) -> Table:
    """Find the errors for every k and every number of hashes."""
    table = Table(COLUMNS)
    for name, hashes, k in each(list(product(functions, report_b.HASHES, report_b.SIZES)), progress):
        found = summary(setup, name, hashes, k)
        table.rows.append((name, k, hashes, *(getattr(found, part) for part in PARTS)))
    return table


# -- the figure ------------------------------------------------------------------------------------------------------


def draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw the report's three figures in the first row, and ours below: each with fewer numbers of hashes."""
    names = [str(name) for name in table.distinct("functions")]
    rows = [(names[0], "error_once"), (names[-1], "error")] if len(names) < 3 else [(name, "error") for name in names]
    figure.set_size_inches(12.5, 1.2 + 3.1 * len(rows))
    grid = figure.subplots(len(rows), len(report_b.ZOOMS), sharex=True)
    for line, (name, column) in zip(grid, rows, strict=True):
        _draw_row(table.where(functions=name), line, column, setup)
        what = "|error| of the mean of 5 pairs, one run" if column == "error_once" else "mean |error| of a pair"
        line[0].set(ylabel="percentage points")
        line[0].set_title(f"{LABELS[name]}:\n{what}", fontweight="bold", fontsize=9.5)
    for axes in grid[-1]:
        axes.set(xlabel="k (characters)", xticks=report_b.SIZES[::2])
    report_b.zoom_legend(figure, grid[0], "hashes")
    figures.note(
        figure,
        report_b.sample(
            setup, f"; mean errors of a pair are over {report_b.runs(setup)} runs with other hash functions"
        )
        + " Pale: what theory expects. Dotted: mean word length.",
    )


def _draw_row(table: Table, panels: Sequence[Axes], column: str, setup: Setup) -> None:
    for axes, fewest in zip(panels, report_b.ZOOMS, strict=True):
        for n, hashes in enumerate(report_b.HASHES):
            if hashes < fewest:
                continue
            rows, look = table.where(hashes=hashes), figures.style(n)
            axes.plot(rows.numbers("k"), rows.numbers(column), **look, label=str(hashes))
            if column == "error":
                axes.plot(rows.numbers("k"), rows.numbers("expected"), color=look["color"], linewidth=4, alpha=0.2)
        report_b.mark_word_length(axes, setup, label=False)
        axes.set(title="all numbers of hashes" if fewest == 1 else f"from {fewest} hashes", ylim=(0, None))


# -- the verdicts ----------------------------------------------------------------------------------------------------


def judge(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge that more hashes mean less error, and how much less."""
    rows = table.where(functions="modular")
    return [_less(rows), _half(rows)]


def _less(table: Table) -> Verdict:
    """Rule: the mean |error| of a pair falls at every step of the report's numbers of hashes; in part at all but "
    "one."""
    errors, of_means = (
        {int(h): fmean(table.where(hashes=h).numbers(column)) for h in table.distinct("hashes")}
        for column in ("error", "error_of_mean")
    )
    falls = sum(later < earlier for earlier, later in pairwise(errors.values()))
    steps = len(errors) - 1
    return verdict(
        "B-7.1.2-error",
        "holds" if falls == steps else "holds in part" if falls >= steps - 1 else "does not hold",
        f"The mean |error| of a pair falls in {falls} of {steps} steps: {errors[1]:.1f} percentage points with 1 hash, "
        f"{errors[25]:.2f} with 25, {errors[100]:.2f} with 100, {errors[250]:.2f} with 250, {errors[1000]:.2f} with "
        f"1000. The report's error, that of the mean of five pairs, is {of_means[1]:.1f}, {of_means[25]:.2f}, "
        f"{of_means[100]:.2f}, {of_means[250]:.2f} and {of_means[1000]:.2f} (mean of all runs).",
        {f"error_with_{h}": error for h, error in errors.items()}
        | {f"of_mean_with_{h}": error for h, error in of_means.items()},
    )


def _half(table: Table) -> Verdict:
    """Rule: from 250 to 1000 hashes the error falls to 0.4 to 0.6, and the interval of that is inside 0.3 to 0.7."""
    few, many = (table.where(hashes=hashes) for hashes in (250, 1000))
    low, high = (fmean(rows.numbers("error")) for rows in (many, few))
    ratio = low / high if high else 0.5
    sizes = [sum(rows.numbers("expected")) for rows in (few, many)]
    spreads = [math.hypot(*rows.numbers("margin")) / Z for rows in (few, many)]
    margin = 2 * ratio * math.hypot(*(spread / size for spread, size in zip(spreads, sizes, strict=True) if size))
    near = abs(ratio - 0.5) <= 0.1
    finding: Finding = "holds" if near and margin <= 0.1 else "does not hold" if abs(ratio - 0.5) > 0.2 else "undecided"
    return verdict(
        "ours-B-hashes",
        finding,
        f"With 1000 hashes the mean |error| of a pair is {ratio:.2f} ± {margin:.2f} times that with 250. Over all "
        f"numbers of hashes it goes as h to the power {_exponent(table, 'error'):.2f} (theory "
        f"{_exponent(table, 'expected'):.2f}). So choose the error that can be borne first: ±3.5 points are 200 "
        "hashes, ±1.6 are 1000 (standard errors at a similarity of 50 %).",
        {"ratio": ratio, "margin": margin},
    )


def _exponent(table: Table, column: str) -> float:
    """Return the power of the number of hashes with which the mean over all k goes."""
    means = {int(h): fmean(table.where(hashes=h).numbers(column)) for h in table.distinct("hashes")}
    logs = [(math.log(h), math.log(mean)) for h, mean in means.items() if mean > 0]
    return slope([x for x, _ in logs], [y for _, y in logs]) if len(logs) > 1 else 0.0


def _experiment(name: str, functions: tuple[str, ...], seconds: float, figure: str) -> Experiment:
    told = report_b.LABELS.get(name, "other families")
    return Experiment(
        id=f"error-{name}",
        title=f"Error of the estimates against k, with {told}",
        items=(81, 82, 85, 86) if name == "jenkins" else (81, 85, 86),
        caption=("Above: the report's error, of the mean of five pairs in one run, with its functions. " * bool(figure))
        + "The mean |error| of the estimate of a pair, three times with a finer scale, is largest where the similarity "
        "is near 50 %, vanishes where it is 0 or 100 %, and halves when there are four times as many hashes. The pale "
        "lines are what theory expects" + (", and the most that the fast sketch may have." if not figure else "."),
        seconds=seconds,
        measure=partial(measure, functions=functions),
        draw=draw,
        judge=judge if name == "modular" else lambda _table, _setup: (),
        figure=figure,
    )


EXPERIMENTS = (
    _experiment("modular", (REPORTED, "modular"), 30, "report B, figures 5 to 7"),
    _experiment("jenkins", ("jenkins",), 14, "report B, figures 10 to 12"),
    _experiment("others", ("multiplicative", "murmur3", "fast"), 20, ""),
)
