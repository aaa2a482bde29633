"""The time of an exact comparison against the size of the shingles: five pairs, and their mean (item 76)."""

from __future__ import annotations

from statistics import fmean, median
from typing import TYPE_CHECKING

import lookalike as la
from lookalike.experiments import figures, report_b
from lookalike.experiments.experiment import Column, Experiment, Progress, Setup, Table, Verdict
from lookalike.experiments.rounds import best_times

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

COLUMNS = (
    Column("k", "characters"),
    Column("pair"),
    Column("windows"),  # places where a shingle begins, in both documents together
    Column("shingles"),  # the different ones
    Column("time", "µs", timed=True),
)


def measure(setup: Setup, progress: Progress) -> Table:
    """Time the comparison of each pair at every size."""
    table = Table(COLUMNS)
    cells = [(k, number, pair) for k in report_b.SIZES for number, pair in enumerate(report_b.pairs(setup), 1)]
    works = [_comparison(*pair, report_b.recipe(k)) for k, _, pair in cells]
    times = best_times(works, progress, rounds=2 if setup.quick else 5, least=0.0003 if setup.quick else 0.002)
    for (k, number, pair), seconds in zip(cells, times, strict=True):
        windows = [[shingle.text for shingle in la.shingles(text, report_b.recipe(k))] for text in pair]
        counts = sum(map(len, windows)), sum(len(set(texts)) for texts in windows)
        table.rows.append((k, number, *counts, 1e6 * seconds))
    return table


def _comparison(a: str, b: str, recipe: la.Recipe) -> Callable[[], float]:
    return lambda: la.jaccard(a, b, recipe=recipe)


def draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw the pairs, their mean, and beside them the number of shingles."""
    figure.set_size_inches(12, 4.2)
    left, middle, right = figure.subplots(1, 3)
    for number in table.distinct("pair"):
        one = table.where(pair=number)
        left.plot(one.numbers("k"), one.numbers("time"), **figures.style(int(number) - 1), label=f"pair {number}")
    middle.plot(report_b.SIZES, _by_size(table, "time").values(), **figures.style(0), label="mean of the pairs")
    for n, (column, label) in enumerate((("windows", "windows"), ("shingles", "different shingles"))):
        right.plot(report_b.SIZES, _by_size(table, column).values(), **figures.style(n + 5), label=label)
    for axes, title in ((left, "time, each pair"), (middle, "time, mean"), (right, "number of shingles, mean")):
        report_b.mark_word_length(axes, setup)
        axes.set(title=title, xlabel="k (characters)", xticks=report_b.SIZES[::2])
        axes.legend(loc="lower right" if axes is right else "upper right")
    for axes in (left, middle):  # with room for the legend above the slowest time, however slow it is
        axes.set(ylabel="one comparison (µs)", ylim=(0, 1.8 * max(table.numbers("time"))))
    right.set(ylabel="of both documents", ylim=(0, None))
    figures.note(figure, report_b.sample(setup, f"; best of {2 if setup.quick else 5} rounds"))


def _by_size(table: Table, column: str) -> dict[int, float]:
    return {int(k): fmean(table.where(k=k).numbers(column)) for k in table.distinct("k")}


def judge(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge whether the time depends on k."""
    times = {int(k): median(table.where(k=k).numbers("time")) for k in table.distinct("k")}
    return [_constant(times), _reason(table), _larger(times)]


def _constant(times: dict[int, float]) -> Verdict:
    ratio = max(times.values()) / min(times.values())
    return Verdict(
        claim="The time to compute the Jaccard similarity does not vary at all with k.",
        source="report B, §7.1.1",
        items=(76,),
        finding="holds" if ratio <= 1.1 else "holds in part" if ratio <= 2 else "does not hold",
        evidence=f"The slowest k takes {ratio:.2f} times as long as the fastest (median of the pairs; up to 1.1 holds, "
        "up to 2 in part). The report timed whole programs, and their start hides such differences.",
        numbers={"slowest_to_fastest": ratio, "time_at_1": times[1], "time_at_15": times[15]},
    )


def _reason(table: Table) -> Verdict:
    windows, shingles = _by_size(table, "windows"), _by_size(table, "shingles")
    all_of_them, different = (max(counts.values()) / min(counts.values()) for counts in (windows, shingles))
    alike = (all_of_them <= 1.1) + (different <= 1.1)
    return Verdict(
        claim="That is so because the number of shingles is much the same for every k.",
        source="report B, §7.1.1",
        items=(76, 115),
        finding=("does not hold", "holds in part", "holds")[alike],
        evidence=f"There are {windows[1]:.0f} windows in a pair at k = 1 and {windows[15]:.0f} at 15, and each has to "
        f"be cut and hashed. The different shingles are {shingles[1]:.0f} at k = 1, {shingles[3]:.0f} at 3, "
        f"{shingles[5]:.0f} at 5 and {shingles[15]:.0f} at 15: not much the same, but comparing them is the smaller "
        "part of the work.",
        numbers={"windows_most_to_least": all_of_them, "shingles_most_to_least": different},
    )


def _larger(times: dict[int, float]) -> Verdict:
    ratio = median(times[k] for k in range(11, 16)) / median(times[k] for k in range(1, 6))
    return Verdict(
        claim="A larger k takes more time.",
        source="report A, §9, conclusion 2",
        items=(76, 86),
        finding="holds" if ratio >= 1.5 else "holds in part" if ratio >= 1.1 else "does not hold",
        evidence=f"An exact comparison with k = 11 to 15 takes {ratio:.2f} times as long as with k = 1 to 5 (medians; "
        "from 1.5 it holds, from 1.1 in part). For signatures see time-modular and its like.",
        numbers={"large_to_small_k": ratio},
    )


EXPERIMENT = Experiment(
    id="pair-time",
    title="Time of an exact comparison against k",
    items=(76, 85, 86),
    caption="The time to cut two texts into shingles and compare them: for each pair, and the mean. It follows the "
    "number of windows, which hardly depends on k, and not the number of different shingles.",
    seconds=3,
    measure=measure,
    draw=draw,
    judge=judge,
)
