"""Estimates over the size of the shingles and the number of hashes: in three dimensions, and flat (item 79)."""

from __future__ import annotations

import math
from functools import partial
from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from lookalike.experiments import figures, report_b
from lookalike.experiments.claims import verdict
from lookalike.experiments.experiment import Column, Experiment, Progress, Setup, Table, Verdict, each
from lookalike.experiments.summary import LABELS, REPORTED, error_of_mean, estimates

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

HASHES: Final = report_b.STEPS
COLUMNS: Final = (
    Column("functions"),
    Column("k", "characters"),
    Column("hashes"),
    Column("exact", "%"),
    Column("estimate", "%"),  # the mean of the pairs in one run, as in the report
    Column("error", "%"),  # |mean estimate of the pairs − their mean similarity|, the mean of all runs
    Column("expected", "%"),  # the same by theory
)


def _runs(setup: Setup) -> int:
    return 2 if setup.quick else 20


def measure(setup: Setup, progress: Progress, *, functions: tuple[str, ...]) -> Table:
    """Estimate the five pairs on a grid."""
    table = Table(COLUMNS)
    for name, hashes, k in each(list(product(functions, HASHES, report_b.SIZES)), progress):
        exact = report_b.exact(setup, k)
        runs = estimates(setup, name, hashes, k, _runs(setup))
        error = fmean(error_of_mean(run, exact) for run in runs)
        # The mean |x| of a normal variable is √(2/π) times its standard deviation.
        expected = math.sqrt(2 / math.pi * sum(j * (1 - j) for j in exact) / hashes) / len(exact)
        shares = (100 * share for share in (fmean(exact), fmean(runs[0]), error, expected))
        table.rows.append((name, k, hashes, *shares))
    return table


def draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw the report's scatter with its functions; the same from above, and how the error falls, with ours."""
    names = [str(name) for name in table.distinct("functions")]
    figure.set_size_inches(14, 4.8)
    if len(names) > 2:
        grid = figure.add_gridspec(1, len(names))
        for place, name in enumerate(names):
            _draw_solid(table.where(functions=name), figure.add_subplot(grid[place], projection="3d"), LABELS[name])
    else:
        grid = figure.add_gridspec(1, 3, width_ratios=(1.15, 1, 0.95))
        _draw_solid(table.where(functions=names[0]), figure.add_subplot(grid[0], projection="3d"), LABELS[names[0]])
        ours = table.where(functions=names[-1])
        _draw_map(ours, figure, figure.add_subplot(grid[1]))
        _draw_rest(ours, figure.add_subplot(grid[2]))
    many = f"; right: mean of all k and {_runs(setup)} runs" * (len(names) < 3)
    figures.note(figure, report_b.sample(setup, many))


def _draw_solid(table: Table, solid: Any, title: str) -> None:  # Axes3D, of which there are no types
    columns = [table.numbers(name) for name in ("k", "hashes", "estimate")]
    solid.scatter(*columns, c=columns[2], cmap="cividis", vmin=0, vmax=100, s=10, depthshade=False)
    solid.view_init(elev=22, azim=-58)
    solid.set(xlabel="k (characters)", ylabel="hashes", zlabel="estimate (%)")
    solid.set_title(f"{title}:\nmean of the pairs, one run")
    solid.set(xticks=(1, 5, 10, 15), yticks=(1, 250, 500, 750, 1000), zticks=(0, 25, 50, 75, 100))
    solid.yaxis.labelpad = 8
    solid.set_box_aspect(None, zoom=0.9)  # room for the labels


def _draw_map(table: Table, figure: Figure, axes: Axes) -> None:
    cells = [table.where(hashes=hashes).numbers("estimate") for hashes in HASHES]
    image = axes.imshow(cells, cmap="cividis", vmin=0, vmax=100, aspect="auto", origin="lower", interpolation="nearest")
    axes.grid(visible=False)
    shown = [place for place, hashes in enumerate(HASHES) if hashes in (1, 25, 50, 100, 200, 400, 600, 800, 1000)]
    axes.set(title="lookalike's functions, from above", xlabel="k (characters)", ylabel="hashes")
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


def judge(table: Table, _setup: Setup) -> list[Verdict]:
    """Rule: from 200 hashes on the error is below 1 point and falls less than 1.5-fold; in part if the first is so."""
    errors = _by_hashes(table.where(functions="modular"), "error")
    from_200 = max(error for hashes, error in errors.items() if hashes >= 200)
    few, many = (fmean(errors[h] for h in range(start, start + 101, 50)) for start in (150, 900))
    ratio = few / many if many else 1.0
    close = from_200 <= 1
    return [
        verdict(
            "B-7.1.2-stable",
            "holds" if close and ratio < 1.5 else "holds in part" if close else "does not hold",
            f"From 200 hashes on, the mean of five pairs is off by at most {from_200:.2f} percentage points. From 200 "
            f"to 950 hashes that error falls {ratio:.1f}-fold. By theory it falls 2.2-fold there, as from any number "
            "to 4.75 times as many: it comes to rest nowhere, and how many hashes are enough depends on the error that "
            "one can bear. (It holds if the error stays below 1 point and falls less than 1.5-fold; with the first "
            "alone, in part.)",
            {"most_from_200": from_200, "error_at_200": few, "error_at_950": many, "ratio": ratio},
        )
    ]


def _experiment(name: str, functions: tuple[str, ...], seconds: float, figure: str) -> Experiment:
    told = report_b.LABELS.get(name, "other families")
    return Experiment(
        id=f"surface-{name}",
        title=f"Estimates over k and the number of hashes, with {told}",
        items=(79, 82, 85) if name == "jenkins" else (79, 85),
        caption=(
            "Left: the mean estimate of five pairs in three dimensions, as the report shows it, with its functions. "
            "Middle: lookalike's functions, with the estimate as colour. Right: how far those estimates are from the "
            "exact similarity; there is no number of hashes at which this stops falling."
            if len(functions) < 3
            else "The figure of report B in three dimensions with families that it does not have: the mean estimate of "
            "five pairs, over k and the number of hashes."
        ),
        seconds=seconds,
        measure=partial(measure, functions=functions),
        draw=draw,
        judge=judge if name == "modular" else lambda _table, _setup: (),
        figure=figure,
    )


EXPERIMENTS = (
    _experiment("modular", (REPORTED, "modular"), 20, "report B, figure 3"),
    _experiment("jenkins", ("jenkins",), 9, "report B, figure 8"),
    _experiment("others", ("multiplicative", "murmur3", "fast"), 11, ""),
)
