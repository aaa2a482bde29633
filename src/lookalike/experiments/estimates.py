"""Estimates by signatures, and their errors, against k for several numbers of hashes (report B, §7.1.2)."""

from __future__ import annotations

import math
from itertools import pairwise, product
from statistics import fmean
from typing import TYPE_CHECKING, Final

from lookalike.experiments import Column, Finding, Progress, Setup, Table, Verdict, each, figures, reports, verdict
from lookalike.experiments.figures import Z, slope
from lookalike.experiments.reports import LABELS, summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


__all__ = ["EXPERIMENTS"]

# == estimates =========================================================================================================


ESTIMATE_PARTS: Final = ("exact", "once", "least", "most", "mean", "mean_margin", "decided", "error_of_mean")


def _measure_parts(setup: Setup, progress: Progress, functions: tuple[str, ...], parts: tuple[str, ...]) -> Table:
    """Sum up the estimates of the five pairs for every k and every number of hashes."""
    columns = (Column("functions"), Column("k", "characters"), Column("hashes"), *(Column(part, "%") for part in parts))
    table = Table(columns)
    for name, hashes, k in each(list(product(functions, reports.HASHES, reports.SIZES)), progress):
        found = summary(setup, name, hashes, k)
        table.rows.append((name, k, hashes, *(getattr(found, part) for part in parts)))
    return table


def _measure_estimate(setup: Setup, progress: Progress, *, functions: tuple[str, ...]) -> Table:
    return _measure_parts(setup, progress, functions, ESTIMATE_PARTS)


def _draw_estimate(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw one run, as report B has it, with its functions; and beside it the mean of many runs with ours."""
    names = [str(name) for name in table.distinct("functions")]
    many = f"the mean of {reports.runs(setup)} runs"
    # The report's figure first: its own functions, one run. Of families that it does not have, one panel each.
    shown = [(names[0], "once"), (names[-1], "mean")] if len(names) < 3 else [(name, "once") for name in names]
    figure.set_size_inches(2.5 + 4.5 * len(shown), 4.8)
    panels = figure.subplots(1, len(shown), sharey=True)
    for axes, (name, column) in zip(panels, shown, strict=True):
        _draw_lines(table.where(functions=name), axes, column)
        reports.mark_word_length(axes, setup, label=False)
        axes.set(xlabel="k (characters)", xticks=reports.SIZES)
        axes.set_title(f"{LABELS[name]}:\n{'one run, the mean of 5 pairs' if column == 'once' else many}")
    panels[0].set(ylabel="estimated Jaccard similarity (%)")
    reports.zoom_legend(figure, panels, "hashes")
    figures.note(figure, reports.sample(setup, "; the dotted line marks the mean word length"))


def _draw_lines(rows: Table, axes: Axes, column: str) -> None:
    for n, hashes in enumerate(rows.distinct("hashes")):
        part = rows.where(hashes=hashes)
        axes.plot(part.numbers("k"), part.numbers(column), **figures.style(n), alpha=0.85, label=str(hashes))
    exact = rows.where(hashes=1).numbers("exact")
    axes.plot(reports.SIZES, exact, color="black", linewidth=2.5, alpha=0.5, label="exact")


def _judge_estimate(table: Table, setup: Setup) -> list[Verdict]:
    """Judge what report B reads from its figure, with modular functions that are right on average."""
    rows = table.where(functions="modular")
    return [_closer(rows), _few_chances(rows, setup), _all_or_nothing(rows)]


def _closer(table: Table) -> Verdict:
    """Rule: the error of the mean of five pairs falls from 1 to 25 to 100 to 1000 hashes."""
    errors = {int(h): fmean(table.where(hashes=h).numbers("error_of_mean")) for h in table.distinct("hashes")}
    steps = [errors[h] for h in (1, 25, 100, 1000)]
    return verdict(
        "B-7.1.2-closer",
        "holds" if steps == sorted(steps, reverse=True) and steps[0] > steps[-1] else "does not hold",
        f"The mean of five estimates is off by {errors[1]:.1f} percentage points with 1 hash, by {errors[25]:.1f} with "
        f"25, {errors[100]:.2f} with 100 and {errors[1000]:.2f} with 1000 (mean of all k and runs).",
        {f"error_with_{h}": error for h, error in errors.items()},
    )


def _all_or_nothing(table: Table) -> Verdict:
    """Rule: every estimate with one hash is 0 or 100 %."""
    shares = table.where(hashes=1).numbers("decided")
    return verdict(
        "B-7.1.2-one",
        "holds" if min(shares) == 100 else "does not hold",
        f"{fmean(shares):.1f} % of the estimates of a pair with one hash are 0 or 100 %; values between come from "
        "means of pairs, as the report says.",
        {"decided": fmean(shares)},
    )


def _few_chances(table: Table, setup: Setup) -> Verdict:
    """Rule: few chances would make estimates too low; it holds if the whole interval of the bias is below −1 point."""
    rows = table.where(hashes=1)
    bias = fmean(mean - exact for mean, exact in zip(rows.numbers("mean"), rows.numbers("exact"), strict=True))
    margins = rows.numbers("mean_margin")
    margin = math.hypot(*margins) / len(margins)
    finding: Finding = "holds" if bias + margin < -1 else "does not hold" if bias + margin > 0 else "undecided"
    return verdict(
        "B-7.1.2-chances",
        finding,
        f"Fewer chances would make estimates too low. With one hash they are off by {bias:+.2f} ± {margin:.2f} "
        f"percentage points (mean of {reports.runs(setup)} runs, 99.9 % interval): the share of agreeing hashes is "
        "right on average for any number of hashes, and only its spread is larger with few.",
        {"bias": bias, "margin": margin},
    )


_ESTIMATE = reports.experiments_by_family(
    "estimate",
    "Estimates against k",
    (78, 85),
    (
        (
            "Signatures estimate the similarity of five pairs. Left: one run, as in the report, with its functions; "
            "the lines of few hashes jump. Right: the mean of many runs with lookalike's functions lies on the exact "
            "line even for one hash: few hashes make an estimate uncertain, not wrong on average."
        ),
        (
            "The figure of report B with families that it does not have: one run each, mean of five pairs. The lines "
            "of few hashes jump; those of many lie on the exact one."
        ),
    ),
    _measure_estimate,
    _draw_estimate,
    _judge_estimate,
    seconds=(30, 14, 20),
    figures=("report B, figure of §7.1.2.1", "report B, figure 7.1.2.2"),
)


# == errors, in three zooms ============================================================================================


ERROR_PARTS: Final = ("exact", "error_once", "error_of_mean", "error", "expected", "margin")


def _measure_error(setup: Setup, progress: Progress, *, functions: tuple[str, ...]) -> Table:
    return _measure_parts(setup, progress, functions, ERROR_PARTS)


# -- the figure ------------------------------------------------------------------------------------------------------


def _draw_error(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw the report's three figures in the first row, and ours below: each with fewer numbers of hashes."""
    names = [str(name) for name in table.distinct("functions")]
    rows = [(names[0], "error_once"), (names[-1], "error")] if len(names) < 3 else [(name, "error") for name in names]
    figure.set_size_inches(12.5, 1.2 + 3.1 * len(rows))
    grid = figure.subplots(len(rows), len(reports.ZOOMS), sharex=True)
    for line, (name, column) in zip(grid, rows, strict=True):
        _draw_row(table.where(functions=name), line, column, setup)
        what = "|error| of the mean of 5 pairs, one run" if column == "error_once" else "mean |error| of a pair"
        line[0].set(ylabel="percentage points")
        line[0].set_title(f"{LABELS[name]}:\n{what}", fontweight="bold", fontsize=9.5)
    for axes in grid[-1]:
        axes.set(xlabel="k (characters)", xticks=reports.SIZES[::2])
    reports.zoom_legend(figure, grid[0], "hashes")
    figures.note(
        figure,
        reports.sample(setup, f"; mean errors of a pair are over {reports.runs(setup)} runs with other hash functions")
        + " Pale: what theory expects. Dotted: mean word length.",
    )


def _draw_row(table: Table, panels: Sequence[Axes], column: str, setup: Setup) -> None:
    for axes, fewest in zip(panels, reports.ZOOMS, strict=True):
        for n, hashes in enumerate(reports.HASHES):
            if hashes < fewest:
                continue
            rows, look = table.where(hashes=hashes), figures.style(n)
            axes.plot(rows.numbers("k"), rows.numbers(column), **look, label=str(hashes))
            if column == "error":
                axes.plot(rows.numbers("k"), rows.numbers("expected"), color=look["color"], linewidth=4, alpha=0.2)
        reports.mark_word_length(axes, setup, label=False)
        axes.set(title="all numbers of hashes" if fewest == 1 else f"from {fewest} hashes", ylim=(0, None))


# -- the verdicts ----------------------------------------------------------------------------------------------------


def _judge_error(table: Table, _setup: Setup) -> list[Verdict]:
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


_CAPTION: Final = (
    "The mean |error| of the estimate of a pair, three times with a finer scale, is largest where the similarity is "
    "near 50 %, vanishes where it is 0 or 100 %, and halves when there are four times as many hashes. The pale lines "
    "are what theory expects"
)
_ERROR = reports.experiments_by_family(
    "error",
    "Error of the estimates against k",
    (81, 85, 86),
    (
        f"Above: the report's error, of the mean of five pairs in one run, with its functions. {_CAPTION}.",
        f"{_CAPTION}, and the most that the fast sketch may have.",
    ),
    _measure_error,
    _draw_error,
    _judge_error,
    seconds=(30, 14, 20),
    figures=("report B, figures 5 to 7", "report B, figures 10 to 12"),
)

EXPERIMENTS = (
    *_ESTIMATE,
    *_ERROR,
)
