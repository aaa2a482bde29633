"""Estimates by signatures against the size of the shingles, for several numbers of hashes (items 78 and 82)."""

from __future__ import annotations

import math
from functools import partial
from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING, Final

from lookalike.experiments import figures, report_b
from lookalike.experiments.claims import verdict
from lookalike.experiments.experiment import Column, Experiment, Finding, Progress, Setup, Table, Verdict, each
from lookalike.experiments.summary import LABELS, REPORTED, summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

PARTS: Final = ("exact", "once", "least", "most", "mean", "mean_margin", "decided", "error_of_mean")
COLUMNS: Final = (
    Column("functions"),
    Column("k", "characters"),
    Column("hashes"),
    *(Column(part, "%") for part in PARTS),
)


def measure(setup: Setup, progress: Progress, *, functions: tuple[str, ...]) -> Table:
    """Estimate the five pairs for every k and every number of hashes."""
    table = Table(COLUMNS)
    for name, hashes, k in each(list(product(functions, report_b.HASHES, report_b.SIZES)), progress):
        found = summary(setup, name, hashes, k)
        table.rows.append((name, k, hashes, *(getattr(found, part) for part in PARTS)))
    return table


def draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw one run, as report B has it, with its functions; and beside it the mean of many runs with ours."""
    names = [str(name) for name in table.distinct("functions")]
    many = f"the mean of {report_b.runs(setup)} runs"
    # The report's figure first: its own functions, one run. Of families that it does not have, one panel each.
    shown = [(names[0], "once"), (names[-1], "mean")] if len(names) < 3 else [(name, "once") for name in names]
    figure.set_size_inches(2.5 + 4.5 * len(shown), 4.8)
    panels = figure.subplots(1, len(shown), sharey=True)
    for axes, (name, column) in zip(panels, shown, strict=True):
        _draw_lines(table.where(functions=name), axes, column)
        report_b.mark_word_length(axes, setup, label=False)
        axes.set(xlabel="k (characters)", xticks=report_b.SIZES)
        axes.set_title(f"{LABELS[name]}:\n{'one run, the mean of 5 pairs' if column == 'once' else many}")
    panels[0].set(ylabel="estimated Jaccard similarity (%)")
    report_b.zoom_legend(figure, panels, "hashes")
    figures.note(figure, report_b.sample(setup, "; the dotted line marks the mean word length"))


def _draw_lines(rows: Table, axes: Axes, column: str) -> None:
    for n, hashes in enumerate(rows.distinct("hashes")):
        part = rows.where(hashes=hashes)
        axes.plot(part.numbers("k"), part.numbers(column), **figures.style(n), alpha=0.85, label=str(hashes))
    exact = rows.where(hashes=1).numbers("exact")
    axes.plot(report_b.SIZES, exact, color="black", linewidth=2.5, alpha=0.5, label="exact")


def judge(table: Table, setup: Setup) -> list[Verdict]:
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
        f"percentage points (mean of {report_b.runs(setup)} runs, 99.9 % interval): the share of agreeing hashes is "
        "right on average for any number of hashes, and only its spread is larger with few.",
        {"bias": bias, "margin": margin},
    )


def _experiment(name: str, functions: tuple[str, ...], seconds: float, figure: str) -> Experiment:
    told = report_b.LABELS.get(name, "other families")
    return Experiment(
        id=f"estimate-{name}",
        title=f"Estimates against k, with {told}",
        items=(78, 82, 85) if name == "jenkins" else (78, 85),
        caption=(
            "Signatures estimate the similarity of five pairs. Left: one run, as in the report, with its functions; "
            "the lines of few hashes jump. Right: the mean of many runs with lookalike's functions lies on the exact "
            "line even for one hash: few hashes make an estimate uncertain, not wrong on average."
            if figure
            else "The figure of report B with families that it does not have: one run each, mean of five pairs. The "
            "lines of few hashes jump; those of many lie on the exact one."
        ),
        seconds=seconds,
        measure=partial(measure, functions=functions),
        draw=draw,
        judge=judge if name == "modular" else lambda _table, _setup: (),
        figure=figure,
    )


EXPERIMENTS = (
    _experiment("modular", (REPORTED, "modular"), 30, "report B, figure of §7.1.2.1"),
    _experiment("jenkins", ("jenkins",), 14, "report B, figure 7.1.2.2"),
    _experiment("others", ("multiplicative", "murmur3", "fast"), 20, ""),
)
