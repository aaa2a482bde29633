"""Estimates by signatures against the size of the shingles, for several numbers of hashes (items 78 and 82)."""

from __future__ import annotations

import math
from functools import partial
from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING, Final

from lookalike.experiments import figures, report_b
from lookalike.experiments.experiment import Column, Experiment, Progress, Setup, Table, Verdict, each
from lookalike.experiments.summary import summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

PARTS: Final = ("exact", "once", "least", "most", "mean", "mean_margin", "decided", "error_of_mean")
COLUMNS: Final = (Column("k", "characters"), Column("hashes"), *(Column(part, "%") for part in PARTS))


def measure(setup: Setup, progress: Progress, *, sketch: str) -> Table:
    """Estimate the five pairs for every k and every number of hashes."""
    table = Table(COLUMNS)
    for hashes, k in each(list(product(report_b.HASHES, report_b.SIZES)), progress):
        found = summary(setup, sketch, hashes, k)
        table.rows.append((k, hashes, *(getattr(found, part) for part in PARTS)))
    return table


def draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw one run, as report B has it, and the mean of many runs."""
    figure.set_size_inches(11.5, 4.8)
    panels = figure.subplots(1, 2, sharey=True)
    titles = ("one run: the mean of 5 pairs", f"the mean of {report_b.runs(setup)} runs with other hash functions")
    for axes, column, title in zip(panels, ("once", "mean"), titles, strict=True):
        for n, hashes in enumerate(table.distinct("hashes")):
            rows = table.where(hashes=hashes)
            axes.plot(rows.numbers("k"), rows.numbers(column), **figures.style(n), alpha=0.85, label=str(hashes))
        axes.plot(
            report_b.SIZES,
            table.where(hashes=1).numbers("exact"),
            color="black",
            linewidth=2.5,
            alpha=0.5,
            label="exact",
        )
        report_b.mark_word_length(axes, setup, label=False)
        axes.set(title=title, xlabel="k (characters)", xticks=report_b.SIZES)
    panels[0].set(ylabel="estimated Jaccard similarity (%)")
    report_b.zoom_legend(figure, panels, "hashes")
    figures.note(figure, report_b.sample(setup, "; the dotted line marks the mean word length"))


def judge(table: Table, setup: Setup, *, sketch: str) -> list[Verdict]:
    """Judge what report B reads from its figure."""
    return [_closer(table, sketch), _all_or_nothing(table, sketch), _few_chances(table, setup, sketch)]


def _closer(table: Table, sketch: str) -> Verdict:
    errors = {int(h): fmean(table.where(hashes=h).numbers("error_of_mean")) for h in table.distinct("hashes")}
    steps = [errors[h] for h in (1, 25, 100, 1000)]
    return Verdict(
        claim="With few hashes the estimate is far from the exact similarity; the more hashes, the closer it is.",
        source=report_b.place(sketch),
        items=(78, 82) if sketch == "jenkins" else (78,),
        finding="holds" if steps == sorted(steps, reverse=True) else "does not hold",
        evidence=f"The mean of five estimates is off by {errors[1]:.1f} percentage points with 1 hash, by "
        f"{errors[25]:.1f} with 25, {errors[100]:.2f} with 100 and {errors[1000]:.2f} with 1000 (mean of all k and "
        "runs).",
        numbers={f"error_with_{h}": error for h, error in errors.items()},
    )


def _all_or_nothing(table: Table, sketch: str) -> Verdict:
    shares = table.where(hashes=1).numbers("decided")
    return Verdict(
        claim="With one hash the estimate of a pair is 0 or 100 %; values between come from taking means.",
        source=report_b.place(sketch),
        items=(78,),
        finding="holds" if min(shares) == 100 else "does not hold",
        evidence=f"{fmean(shares):.1f} % of the estimates with one hash are 0 or 100 %.",
        numbers={"decided": fmean(shares)},
    )


def _few_chances(table: Table, setup: Setup, sketch: str) -> Verdict:
    rows = table.where(hashes=1)
    bias = fmean(mean - exact for mean, exact in zip(rows.numbers("mean"), rows.numbers("exact"), strict=True))
    margins = rows.numbers("mean_margin")
    margin = math.hypot(*margins) / len(margins)
    return Verdict(
        claim="The reason is that with few hashes there are few chances for two signatures to agree.",
        source=report_b.place(sketch),
        items=(78,),
        finding="holds" if bias < -margin else "does not hold",
        evidence=f"Fewer chances would make estimates too low. With one hash they are off by {bias:+.2f} ± "
        f"{margin:.2f} percentage points (mean of {report_b.runs(setup)} runs, 99.9 % interval): the share of agreeing "
        "hashes is right on average for any number of hashes, and only its spread is larger with few.",
        numbers={"bias": bias, "margin": margin},
    )


def _experiment(sketch: str, seconds: float) -> Experiment:
    return Experiment(
        id=f"estimate-{sketch}",
        title=f"Estimates against k, with {report_b.LABELS[sketch]}",
        items=(78, 82, 85) if sketch == "jenkins" else (78, 85),
        caption=f"Signatures with {report_b.LABELS[sketch]} estimate the similarity of five pairs. Left: one run, as "
        "in the report; the lines of few hashes jump. Right: the mean of many runs lies on the exact line even for one "
        "hash: few hashes make an estimate uncertain, not wrong on average.",
        seconds=seconds,
        measure=partial(measure, sketch=sketch),
        draw=draw,
        judge=partial(judge, sketch=sketch),
    )


EXPERIMENTS = tuple(
    _experiment(sketch, seconds)
    for sketch, seconds in (("modular", 13), ("jenkins", 14), ("multiplicative", 6), ("murmur3", 9), ("fast", 6))
)
