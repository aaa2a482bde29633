"""Item 52: how many comparisons all pairs are, counted and computed, up to a million documents."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import lookalike as la
from lookalike.experiments import data, figures, report_a
from lookalike.experiments.claims import verdict
from lookalike.experiments.experiment import Column, Experiment, Progress, Setup, Table, Verdict, each

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

COUNTED: Final = (2, 5, 10, 20, 50, 100, 200, report_a.DOCUMENTS)
COMPUTED: Final = (1_000, 10_000, 100_000, 1_000_000)
THRESHOLD: Final = 0.8


def _measure(setup: Setup, progress: Progress) -> Table:
    columns = (Column("documents"), Column("source", "name"), Column("comparisons"), Column("doubled documents"))
    recipe = report_a.recipe(5)
    texts = data.permutations(setup, 2 * report_a.DOCUMENTS)
    table = Table(columns)
    for size in each(COUNTED, progress):
        counts = [la.find(texts[:n], THRESHOLD, method="brute", recipe=recipe).candidates for n in (size, 2 * size)]
        table.rows.append((size, "counted", *counts))
    for size in COMPUTED:
        table.rows.append((size, "computed", math.comb(size, 2), math.comb(2 * size, 2)))
    return table


def _draw(table: Table, setup: Setup, figure: Figure) -> None:
    axes = figure.subplots()
    for number, source in enumerate(("counted", "computed")):
        part = table.where(source=source)
        label = f"all pairs, {'counted in a run' if source == 'counted' else 'computed, n(n − 1)/2'}"
        axes.plot(part.numbers("documents"), part.numbers("comparisons"), label=label, **figures.style(number))
    small = range(2, 42)
    axes.plot(small, [2.0**n for n in small], color=figures.GREY, linewidth=1.2, linestyle=":", label="exponential, 2ⁿ")
    sizes = table.numbers("documents")
    axes.plot(sizes, sizes, color=figures.GREY, linewidth=1, label="one for each document, n")
    line = {"arrowstyle": "-", "color": figures.GREY, "linewidth": 0.8}
    axes.annotate("20 documents: 190", (20, 190), xytext=(60, 4), fontsize=8.5, arrowprops=line)
    million = math.comb(1_000_000, 2)
    axes.annotate(
        f"a million documents: {million:,}",
        (1e6, million),
        xytext=(-14, 2),
        fontsize=8.5,
        textcoords="offset points",
        ha="right",
    )
    axes.set(xscale="log", yscale="log", xlabel="documents", ylabel="comparisons", ylim=(0.7, 3e12))
    figures.plain_numbers(axes.xaxis, *(10.0**power for power in range(1, 7)))
    axes.legend(loc="lower right")
    figures.note(figure, f"Counted on shuffles of {len(data.words(setup))} words, up to 820. Seed {setup.seed}.")


def _judge(table: Table, _setup: Setup) -> list[Verdict]:
    counted = table.where(source="counted")
    right = all(int(row[2]) == math.comb(int(row[0]), 2) for row in counted.rows)
    twenty = counted.where(documents=20).numbers("comparisons")[0]
    million = table.where(documents=1_000_000).numbers("comparisons")[0]
    ratios = [float(row[3]) / float(row[2]) for row in table.rows if int(row[0]) >= 100]
    quadratic = all(3.9 <= ratio <= 4.1 for ratio in ratios)
    return [
        verdict(
            "A-8.1-pairs",
            "holds" if right and twenty == 190 else "does not hold",
            f"Counted: {twenty:.0f} for 20 documents, and n(n-1)/2 for each of {len(counted.rows)} sizes.",
            {"twenty": twenty},
        ),
        verdict(
            "A-8.3-exponential",
            "does not hold" if quadratic else "holds",
            f"Twice as many documents are {min(ratios):.2f} to {max(ratios):.2f} times as many comparisons, from 100 "
            "documents on: it is quadratic. An exponential would square its value instead. Not feasible for large sets "
            "it is all the same.",
            {"least_ratio": min(ratios), "largest_ratio": max(ratios)},
        ),
        verdict(
            "B-4.1.1",
            "holds" if million == 499_999_500_000 else "does not hold",
            f"Computed for a million: {million:,.0f}.",
            {"million": million},
        ),
    ]


EXPERIMENT = Experiment(
    id="comparisons",
    title="How many comparisons all pairs are",
    items=(51, 52, 101),
    caption=(
        "Comparing every document with every other takes n(n − 1)/2 comparisons: four times as many for twice the "
        "documents. That is quadratic, far from the exponential that report A calls it, and still too much for a "
        "million."
    ),
    seconds=2,
    measure=_measure,
    draw=_draw,
    judge=_judge,
)
