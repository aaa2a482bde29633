"""Estimates over the size of the shingles and the number of hashes: in three dimensions, and flat (item 79)."""

from __future__ import annotations

import math
from functools import partial
from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING, Final

from lookalike.experiments import figures, report_b
from lookalike.experiments.experiment import Column, Experiment, Progress, Setup, Table, Verdict, each
from lookalike.experiments.summary import error_of_mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

HASHES: Final = (1, 25, 50, *range(100, 1001, 50))
COLUMNS: Final = (
    Column("k", "characters"),
    Column("hashes"),
    Column("exact", "%"),
    Column("estimate", "%"),  # the mean of the pairs in one run, as in the report
    Column("error", "%"),  # |mean estimate of the pairs − their mean similarity|, the mean of all runs
    Column("expected", "%"),  # the same by theory
)


def _runs(setup: Setup) -> int:
    return 2 if setup.quick else 20


def measure(setup: Setup, progress: Progress, *, sketch: str) -> Table:
    """Estimate the five pairs on a grid."""
    table = Table(COLUMNS)
    for hashes, k in each(list(product(HASHES, report_b.SIZES)), progress):
        exact = report_b.exact(setup, k)
        runs = report_b.estimates(setup, sketch, hashes, k, _runs(setup))
        error = fmean(error_of_mean(run, exact) for run in runs)
        # The mean |x| of a normal variable is √(2/π) times its standard deviation.
        expected = math.sqrt(2 / math.pi * sum(j * (1 - j) for j in exact) / hashes) / len(exact)
        table.rows.append((k, hashes, *(100 * share for share in (fmean(exact), fmean(runs[0]), error, expected))))
    return table


def draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw the report's scatter, the same as a map of colours, and how fast it comes to rest."""
    figure.set_size_inches(14, 4.8)
    grid = figure.add_gridspec(1, 3, width_ratios=(1.15, 1, 0.95))
    solid = figure.add_subplot(grid[0], projection="3d")
    columns = [table.numbers(name) for name in ("k", "hashes", "estimate")]
    solid.scatter(*columns, c=columns[2], cmap="cividis", vmin=0, vmax=100, s=10, depthshade=False)
    solid.view_init(elev=22, azim=-58)
    solid.set(
        xlabel="k (characters)", ylabel="hashes", zlabel="estimate (%)", title="mean estimate of the pairs, one run"
    )
    solid.set(xticks=(1, 5, 10, 15), yticks=(1, 250, 500, 750, 1000), zticks=(0, 25, 50, 75, 100))
    solid.yaxis.labelpad = 8
    solid.set_box_aspect(None, zoom=0.9)  # room for the labels
    _draw_map(table, figure, figure.add_subplot(grid[1]))
    _draw_rest(table, figure.add_subplot(grid[2]))
    figures.note(figure, report_b.sample(setup, f"; right: mean of all k and {_runs(setup)} runs"))


def _draw_map(table: Table, figure: Figure, axes: Axes) -> None:
    cells = [table.where(hashes=hashes).numbers("estimate") for hashes in HASHES]
    image = axes.imshow(cells, cmap="cividis", vmin=0, vmax=100, aspect="auto", origin="lower", interpolation="nearest")
    axes.grid(visible=False)
    shown = [place for place, hashes in enumerate(HASHES) if hashes in (1, 25, 50, 100, 200, 400, 600, 800, 1000)]
    axes.set(title="the same, seen from above", xlabel="k (characters)", ylabel="hashes")
    axes.set_xticks(range(0, len(report_b.SIZES), 2), [str(k) for k in report_b.SIZES[::2]])
    axes.set_yticks(shown, [str(HASHES[place]) for place in shown])
    figure.colorbar(image, ax=axes, label="estimate (%)", pad=0.02)


def _draw_rest(table: Table, axes: Axes) -> None:
    errors, expected = (_by_hashes(table, column) for column in ("error", "expected"))
    axes.plot(list(errors), list(errors.values()), **figures.style(1) | {"linestyle": "none"}, label="measured")
    axes.plot(list(expected), list(expected.values()), color=figures.GREY, label="theory, 1/√hashes")
    axes.axvline(200, color=figures.GREY, linestyle=":", linewidth=1, label="200: the report's choice")
    axes.set(title="|error| of the mean of the pairs", xlabel="hashes", ylabel="percentage points")
    if any(errors.values()):  # texts of a few words may leave nothing to estimate
        axes.set_yscale("log")
        axes.set_yticks([0.2, 0.5, 1, 2, 5, 10], ["0.2", "0.5", "1", "2", "5", "10"])
    axes.legend(loc="upper right")


def _by_hashes(table: Table, column: str) -> dict[int, float]:
    return {int(h): fmean(table.where(hashes=h).numbers(column)) for h in table.distinct("hashes")}


def judge(table: Table, _setup: Setup, *, sketch: str) -> list[Verdict]:
    """Judge whether the surface comes to rest at 200 hashes."""
    errors = _by_hashes(table, "error")
    from_200 = max(error for hashes, error in errors.items() if hashes >= 200)
    few, many = (fmean(errors[h] for h in range(start, start + 101, 50)) for start in (150, 900))
    ratio = few / many if many else 1.0
    close = from_200 <= 1
    return [
        Verdict(
            claim="The estimates are stable from about 200 hashes; more are not worth their time.",
            source=report_b.place(sketch),
            items=(79, 80, 82) if sketch == "jenkins" else (79, 80),
            finding="holds" if close and ratio < 1.5 else "holds in part" if close else "does not hold",
            evidence=f"From 200 hashes on, the mean of five pairs is off by at most {from_200:.2f} percentage points. "
            f"From 200 to 950 hashes that error falls {ratio:.1f}-fold. By theory it falls 2.2-fold there, as from any "
            "number to 4.75 times as many: it comes to rest nowhere, and how many hashes are enough depends on the "
            "error that one can bear. (It holds if the error stays below 1 point and falls less than 1.5-fold; with "
            "the first alone, in part.)",
            numbers={"most_from_200": from_200, "error_at_200": few, "error_at_950": many, "ratio": ratio},
        )
    ]


def _experiment(sketch: str, seconds: float) -> Experiment:
    return Experiment(
        id=f"surface-{sketch}",
        title=f"Estimates over k and the number of hashes, with {report_b.LABELS[sketch]}",
        items=(79, 82, 85) if sketch == "jenkins" else (79, 85),
        caption="Left: the mean estimate of five pairs in three dimensions, as the report shows it. Middle: the same "
        "points from above, with the estimate as colour. Right: how far the estimates are from the exact similarity; "
        "there is no number of hashes at which this stops falling.",
        seconds=seconds,
        measure=partial(measure, sketch=sketch),
        draw=draw,
        judge=partial(judge, sketch=sketch),
    )


EXPERIMENTS = tuple(
    _experiment(sketch, seconds)
    for sketch, seconds in (("modular", 9), ("jenkins", 9), ("multiplicative", 3), ("murmur3", 5), ("fast", 3))
)
