"""The error of estimates against the size of the shingles, for several numbers of hashes, in three zooms (item 81)."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise, product
from statistics import fmean
from typing import TYPE_CHECKING, Final

from lookalike.experiments import figures, report_b
from lookalike.experiments.chance import slope
from lookalike.experiments.experiment import Column, Experiment, Progress, Setup, Table, Verdict, each
from lookalike.experiments.summary import summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

PARTS: Final = ("exact", "error", "expected", "margin", "error_of_mean")
COLUMNS: Final = (Column("k", "characters"), Column("hashes"), *(Column(part, "%") for part in PARTS))


def measure(setup: Setup, progress: Progress, *, sketch: str) -> Table:
    """Find the mean |error| for every k and every number of hashes."""
    table = Table(COLUMNS)
    for hashes, k in each(list(product(report_b.HASHES, report_b.SIZES)), progress):
        found = summary(setup, sketch, hashes, k)
        table.rows.append((k, hashes, *(getattr(found, part) for part in PARTS)))
    return table


def draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw all numbers of hashes, then those from 25, then those from 50, each with the line of theory."""
    figure.set_size_inches(12.5, 4.4)
    panels = figure.subplots(1, len(report_b.ZOOMS))
    for axes, fewest in zip(panels, report_b.ZOOMS, strict=True):
        for n, hashes in enumerate(report_b.HASHES):
            if hashes < fewest:
                continue
            rows, look = table.where(hashes=hashes), figures.style(n)
            axes.plot(rows.numbers("k"), rows.numbers("error"), **look, label=str(hashes))
            axes.plot(rows.numbers("k"), rows.numbers("expected"), color=look["color"], linewidth=4, alpha=0.2)
        report_b.mark_word_length(axes, setup, label=False)
        title = "all numbers of hashes" if fewest == 1 else f"from {fewest} hashes"
        axes.set(title=title, xlabel="k (characters)", xticks=report_b.SIZES[::2], ylim=(0, None))
    panels[0].set(ylabel="mean |error| of a pair (percentage points)")
    report_b.zoom_legend(figure, panels, "hashes")
    figures.note(
        figure,
        report_b.sample(setup, f", {report_b.runs(setup)} runs with other hash functions")
        + " Pale: what theory expects. Dotted: mean word length.",
    )


def judge(table: Table, _setup: Setup, *, sketch: str) -> list[Verdict]:
    """Judge that more hashes mean less error, and how much less."""
    errors = {int(h): fmean(table.where(hashes=h).numbers("error")) for h in table.distinct("hashes")}
    return [_less(table, errors, sketch), _root(table, sketch)]


def _less(table: Table, errors: dict[int, float], sketch: str) -> Verdict:
    falls = sum(later < earlier for earlier, later in pairwise(errors.values()))
    of_means = {h: fmean(table.where(hashes=h).numbers("error_of_mean")) for h in errors}
    steps = len(errors) - 1
    return Verdict(
        claim="The more hashes, the smaller the error of the estimate.",
        source=f"{report_b.place(sketch)}; report A, §9, conclusion 5",
        items=(81, 82, 86) if sketch == "jenkins" else (81, 86),
        finding="holds" if falls == steps else "holds in part" if falls >= steps - 1 else "does not hold",
        evidence=f"The mean |error| of a pair falls in {falls} of {steps} steps: {errors[1]:.1f} percentage points "
        f"with 1 hash, {errors[25]:.2f} with 25, {errors[100]:.2f} with 100, {errors[250]:.2f} with 250, "
        f"{errors[1000]:.2f} with 1000. The report's error, that of the mean of five pairs, is {of_means[1]:.1f}, "
        f"{of_means[25]:.2f}, {of_means[100]:.2f}, {of_means[250]:.2f} and {of_means[1000]:.2f}.",
        numbers={f"error_with_{h}": error for h, error in errors.items()}
        | {f"of_mean_with_{h}": error for h, error in of_means.items()},
    )


def _root(table: Table, sketch: str) -> Verdict:
    """Compare with √(J(1−J)/h): each mean |error| with the interval that theory gives it, and the slope of them all."""
    measured, expected, margins = (table.numbers(name) for name in ("error", "expected", "margin"))
    # An error of 0 is certain where all shingles are shared, or none.
    chances = [(e, x, m) for e, x, m in zip(measured, expected, margins, strict=True) if x > 0]
    above = sum(e > x + m for e, x, m in chances)
    outside = above + sum(e < x - m for e, x, m in chances)
    exponent, theory = _exponent(table, "error"), _exponent(table, "expected")
    fine = above <= 0.05 * len(chances) and exponent <= theory + 0.04
    better = " The fast sketch may do better than that, never worse." if sketch == "fast" else ""
    return Verdict(
        claim="The mean |error| shrinks as 1/√h, as the theory of independent hashes says.",
        source=f"docs/primer.md, §4, for {report_b.LABELS[sketch]}",
        items=(25, 81),
        finding="holds" if fine else "does not hold",
        evidence=f"Of {len(chances)} mean errors {outside} lie outside the 99.9 % interval of theory, {above} of them "
        f"above it (chance does that to 0.05 %; up to 5 % holds). The error goes as h to the power {exponent:.3f}, and "
        f"by theory {theory:.3f}: −0.5, but for the step from one hash, where the error is all or nothing.{better}",
        numbers={"outside": outside, "above": above, "cells": len(chances), "exponent": exponent, "theory": theory},
    )


def _exponent(table: Table, column: str) -> float:
    """Return the power of the number of hashes with which the mean over all k goes."""
    means = {int(h): fmean(table.where(hashes=h).numbers(column)) for h in table.distinct("hashes")}
    logs = [(math.log(h), math.log(mean)) for h, mean in means.items() if mean > 0]
    return slope([x for x, _ in logs], [y for _, y in logs]) if len(logs) > 1 else 0.0


def _experiment(sketch: str, seconds: float) -> Experiment:
    return Experiment(
        id=f"error-{sketch}",
        title=f"Error of the estimates against k, with {report_b.LABELS[sketch]}",
        items=(81, 82, 85, 86) if sketch == "jenkins" else (81, 85, 86),
        caption="The mean |error| of the estimate of a pair, three times with a finer scale. It is largest where the "
        "similarity is near 50 %, vanishes where it is 0 or 100 %, and halves when there are four times as many "
        "hashes. The pale lines are what theory expects"
        + (", and the most that this sketch may have." if sketch == "fast" else "."),
        seconds=seconds,
        measure=partial(measure, sketch=sketch),
        draw=draw,
        judge=partial(judge, sketch=sketch),
    )


EXPERIMENTS = tuple(
    _experiment(sketch, seconds)
    for sketch, seconds in (("modular", 13), ("jenkins", 14), ("multiplicative", 6), ("murmur3", 9), ("fast", 6))
)
