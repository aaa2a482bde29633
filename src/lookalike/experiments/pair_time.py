"""The time of an exact comparison against the size of the shingles: five pairs, and their mean (item 76)."""

from __future__ import annotations

from itertools import product
from statistics import fmean, median
from typing import TYPE_CHECKING, Final

import lookalike as la
from lookalike.experiments import figures, report_b
from lookalike.experiments.claims import verdict
from lookalike.experiments.experiment import Column, Experiment, Finding, Progress, Setup, Table, Verdict
from lookalike.experiments.timing import ROUNDS, Spread, comparing, in_rounds

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

COLUMNS: Final = (
    Column("k", "characters"),
    Column("pair"),
    Column("windows"),  # places where a shingle begins, in both documents together
    Column("shingles"),  # the different ones
    Column("round"),
    Column("time", "µs", timed=True),
)
SAME: Final = 1.2
"""A little more than what the report calls "does not vary at all": its files have 6.6 to 7.7 ms, 1.17 times as much."""
ALIKE: Final = 1.1


def measure(setup: Setup, progress: Progress) -> Table:
    """Time the comparison of each pair at every size, in rounds."""
    table = Table(COLUMNS)
    pairs = report_b.pairs(setup)
    cells = list(product(report_b.SIZES, range(len(pairs))))
    works = [comparing([pairs[number]], report_b.recipe(k)) for k, number in cells]
    times = in_rounds(works, progress, least=0.0002 if setup.quick else 0.002)
    for (k, number), rounds in zip(cells, times, strict=True):
        windows = [[shingle.text for shingle in la.shingles(text, report_b.recipe(k))] for text in pairs[number]]
        counts = sum(map(len, windows)), sum(len(set(texts)) for texts in windows)
        table.rows.extend((k, number + 1, *counts, n, 1e6 * seconds) for n, seconds in enumerate(rounds))
    return table


def draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw the pairs, their mean, and beside them the number of shingles."""
    figure.set_size_inches(12, 4.2)
    left, middle, right = figure.subplots(1, 3)
    for number in table.distinct("pair"):
        one = table.where(pair=number)
        times = [median(one.where(k=k).numbers("time")) for k in report_b.SIZES]
        left.plot(report_b.SIZES, times, **figures.style(int(number) - 1), label=f"pair {number}")
    spreads = [Spread.of(_means(table.where(k=k))) for k in report_b.SIZES]
    middle.plot(report_b.SIZES, [s.middle for s in spreads], **figures.style(0), label="mean of the pairs")
    low, high = [s.low for s in spreads], [s.high for s in spreads]
    middle.fill_between(report_b.SIZES, low, high, color=figures.COLOURS[0], alpha=0.2, lw=0)
    for n, (column, label) in enumerate((("windows", "windows"), ("shingles", "different shingles"))):
        right.plot(report_b.SIZES, _by_size(table, column).values(), **figures.style(n + 5), label=label)
    for axes, title in ((left, "time, each pair"), (middle, "time, mean"), (right, "number of shingles, mean")):
        report_b.mark_word_length(axes, setup)
        axes.set(title=title, xlabel="k (characters)", xticks=report_b.SIZES[::2])
        axes.legend(loc="lower right" if axes is right else "upper right")
    for axes in (left, middle):  # with room for the legend above the slowest time, however slow it is
        axes.set(ylabel="one comparison (µs)", ylim=(0, 1.8 * max(left.dataLim.y1, *high)))
    right.set(ylabel="of both documents", ylim=(0, None))
    figures.note(figure, report_b.sample(setup, f"; median of {ROUNDS} rounds (shaded: their spread), processor time"))


def _means(rows: Table) -> list[float]:
    """Return the mean of the pairs in each round."""
    return [fmean(rows.where(round=number).numbers("time")) for number in rows.distinct("round")]


def _by_size(table: Table, column: str) -> dict[int, float]:
    return {int(k): fmean(table.where(k=k).numbers(column)) for k in table.distinct("k")}


def judge(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge whether the time depends on k, and the reason that the report gives."""
    return [_constant(table), _reason(table)]


def _constant(table: Table) -> Verdict:
    """Rule: k = 11 to 15 takes at most 1.2 times as long as k = 1 to 5; it fails from 1.4."""
    means = {int(k): _means(table.where(k=k)) for k in table.distinct("k")}
    late, early = ([median(each) for each in zip(*(means[k] for k in ks), strict=True)] for ks in (_LATE, _EARLY))
    ratio = Spread.of_ratios(late, early)
    return verdict(
        "B-7.1.1-time",
        ratio.decide_below(holds_to=SAME, fails_from=1.4),
        f"A comparison with k = 11 to 15 takes {ratio} times as long as with k = 1 to 5: "
        f"{median(means[15]):.1f} against {median(means[1]):.1f} µs at the ends. Up to {SAME} counts as the same, "
        "which is how far the report's own times are apart.",
        {"ratio": ratio.middle, "low": ratio.low, "high": ratio.high},
    )


_EARLY: Final = range(1, 6)
_LATE: Final = range(11, 16)


def _reason(table: Table) -> Verdict:
    """Rule: the windows, and the different shingles, of the fewest and the most k are within 10 %."""
    windows, shingles = _by_size(table, "windows"), _by_size(table, "shingles")
    all_of_them, different = (max(counts.values()) / min(counts.values()) for counts in (windows, shingles))
    alike = (all_of_them <= ALIKE) + (different <= ALIKE)
    findings: tuple[Finding, ...] = ("does not hold", "holds in part", "holds")
    return verdict(
        "B-7.1.1-count",
        findings[alike],
        f"There are {windows[1]:.0f} windows in a pair at k = 1 and {windows[15]:.0f} at 15, and each has to be cut "
        f"and hashed. The different shingles are {shingles[1]:.0f} at k = 1, {shingles[3]:.0f} at 3, {shingles[5]:.0f} "
        f"at 5 and {shingles[15]:.0f} at 15: not much the same, but comparing them is the smaller part of the work.",
        {"windows_most_to_least": all_of_them, "shingles_most_to_least": different},
    )


EXPERIMENT = Experiment(
    id="pair-time",
    title="Time of an exact comparison against k",
    items=(76, 85),
    caption="The time to cut two texts into shingles and compare them: for each pair, and the mean. It follows the "
    "number of windows, which hardly depends on k, and not the number of different shingles.",
    seconds=3,
    measure=measure,
    draw=draw,
    judge=judge,
    figure="report B, figures 1 and 2",
)
