"""The time of an exact comparison against k: beside that of an estimate, and for five pairs.

The first was left out of report A but is in its programs; the second is in report B, §7.1.1.
"""

from __future__ import annotations

from itertools import product
from statistics import fmean, median
from typing import TYPE_CHECKING, Final

import lookalike as la
from lookalike.experiments import (
    Column,
    Experiment,
    Finding,
    Progress,
    Setup,
    Table,
    Verdict,
    data,
    figures,
    reports,
    verdict,
)
from lookalike.experiments.figures import ROUNDS, Spread, comparing, in_rounds, signing

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

# == beside an estimate (report A's programs) ==========================================================================


HASHES: Final = 200
SHUFFLES, BOOK = "two shuffles", "two books"
EXACT, CLASSIC, FAST = "exact", "estimate, multiplicative", "estimate, fast sketch"
SETS, READY = "intersection of ready sets (Python's)", "estimate, signatures ready"
_WAYS: Final = (EXACT, CLASSIC, FAST, SETS, READY)


def _pairs(setup: Setup) -> dict[str, tuple[str, str]]:
    size = 20_000 if setup.quick else 300_000
    return {SHUFFLES: data.pairs(setup)[0], BOOK: (data.book(setup, size, "first"), data.book(setup, size, "second"))}


def _sizes(setup: Setup) -> tuple[int, ...]:
    return (1, 2, 3, 5, 9, 14, 20) if setup.quick else tuple(range(1, 21))


def _measure_exact(setup: Setup, progress: Progress) -> Table:
    columns = (
        Column("text", "name"),
        Column("k", "characters"),
        Column("way", "name"),
        Column("shingles"),
        Column("round"),
        Column("time", "s", timed=True),
    )
    cells, works = [], []
    for name, pair in _pairs(setup).items():
        for k in _sizes(setup):
            sets = tuple({s.text for s in la.shingles(text, reports.recipe_a(k))} for text in pair)
            for way, work in _works(k, pair, sets).items():
                cells.append((name, k, way, round(fmean(map(len, sets)))))
                works.append(work)
    times = in_rounds(works, progress, least=0.0002 if setup.quick else 0.001)
    rows = [(*cell, n, time) for cell, rounds in zip(cells, times, strict=True) for n, time in enumerate(rounds)]
    return Table(columns, list(rows))


def _works(k: int, pair: tuple[str, str], sets: tuple[set[str], ...]) -> dict[str, Callable[[], object]]:
    """Return what is timed: comparing two texts, or what was made of them before."""
    classic = signing(pair, reports.recipe_a(k, hashes=HASHES, sketch="classic", family="multiplicative"))
    fast = signing(pair, reports.recipe_a(k, hashes=HASHES))
    signed = fast()
    first, second = sets
    return {
        EXACT: comparing([pair], reports.recipe_a(k, hashes=HASHES)),
        CLASSIC: lambda: classic().agreeing(0, 1),
        FAST: lambda: fast().agreeing(0, 1),
        SETS: lambda: len(first & second),
        READY: lambda: signed.agreeing(0, 1),
    }


# -- the figure --------------------------------------------------------------------------------------------------------


def _draw_exact(table: Table, setup: Setup, figure: Figure) -> None:
    figure.set_size_inches(8.6, 5)
    panels = figure.subplots(1, 2)
    for axes, name in zip(panels, (SHUFFLES, BOOK), strict=True):
        for number, way in enumerate(_WAYS):
            part = table.where(text=name, way=way)
            times = [1000 * median(part.where(k=k).numbers("time")) for k in part.distinct("k")]
            axes.plot([int(k) for k in part.distinct("k")], times, label=way, **figures.style(number))
        axes.set(title=name, xlabel="k: characters of a shingle", yscale="log")
        axes.set_xticks(range(2, 21, 2))
        figures.plain_numbers(axes.yaxis)
    panels[0].set_ylabel("time of one comparison [ms]")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    shingles = {name: table.where(text=name, k=9).values("shingles")[0] for name in (SHUFFLES, BOOK)}
    figures.note(
        figure,
        f"{HASHES} hashes; processor time of one thread, median of {ROUNDS} rounds. Distinct shingles at k = 9: "
        f"{shingles[SHUFFLES]:,} in a shuffle, {shingles[BOOK]:,} in a book. "
        f"Seed {setup.seed}.",
    )


# -- the verdicts ------------------------------------------------------------------------------------------------------


def _judge_exact(table: Table, setup: Setup) -> list[Verdict]:
    """Rule: comparing the signatures of books takes at most twice as long as of shuffles; it fails from 4 times."""
    rounds = {
        (text, way): [_median(table, text, way, number) for number in table.distinct("round")]
        for text in (SHUFFLES, BOOK)
        for way in (SETS, READY)
    }
    same = Spread.of_ratios(rounds[BOOK, READY], rounds[SHUFFLES, READY])
    gain = Spread.of_ratios(rounds[BOOK, SETS], rounds[BOOK, READY])
    longer = [table.where(text=text, k=9).numbers("shingles")[0] for text in (BOOK, SHUFFLES)]
    return [
        verdict(
            "A-4.1",
            same.decide_below(holds_to=2, fails_from=4),
            f"A book has {longer[0] / longer[1]:,.0f} times as many distinct shingles at k = 9 as a shuffle of "
            f"{len(data.words(setup))} words. Once their signatures are made, comparing two of books takes {same} "
            f"times as long as two of shuffles; intersecting the ready sets of the books takes {gain.middle:,.0f} "
            "times as long as comparing their signatures.",
            {"books_to_shuffles": same.middle, "gain": gain.middle},
        )
    ]


def _median(table: Table, text: str, way: str, number: object) -> float:
    return median(table.where(text=text, way=way, round=number).numbers("time"))  # type: ignore[arg-type]


_EXACT = Experiment(
    id="exact-times",
    title="Time of exact Jaccard and of an estimate, by k",
    items=(8, 74, 86),
    caption=(
        "Time to compare two documents, short and long. From the text on, an estimate has to read the text as exact "
        "comparison does, but sorts no sets. The real gain comes after that: signatures that are ready are compared in "
        "the same short time whatever the texts, while ready sets take as long as they are large."
    ),
    seconds=40,
    measure=_measure_exact,
    draw=_draw_exact,
    judge=_judge_exact,
)


# == five pairs (report B, §7.1.1) =====================================================================================


PAIRS_COLUMNS: Final = (
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


def _measure_pairs(setup: Setup, progress: Progress) -> Table:
    """Time the comparison of each pair at every size, in rounds."""
    table = Table(PAIRS_COLUMNS)
    pairs = reports.pairs(setup)
    cells = list(product(reports.SIZES, range(len(pairs))))
    works = [comparing([pairs[number]], reports.recipe_b(k)) for k, number in cells]
    times = in_rounds(works, progress, least=0.0002 if setup.quick else 0.002)
    for (k, number), rounds in zip(cells, times, strict=True):
        windows = [[shingle.text for shingle in la.shingles(text, reports.recipe_b(k))] for text in pairs[number]]
        counts = sum(map(len, windows)), sum(len(set(texts)) for texts in windows)
        table.rows.extend((k, number + 1, *counts, n, 1e6 * seconds) for n, seconds in enumerate(rounds))
    return table


def _draw_pairs(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw the pairs, their mean, and beside them the number of shingles."""
    figure.set_size_inches(12, 4.2)
    left, middle, right = figure.subplots(1, 3)
    for number in table.distinct("pair"):
        one = table.where(pair=number)
        times = [median(one.where(k=k).numbers("time")) for k in reports.SIZES]
        left.plot(reports.SIZES, times, **figures.style(int(number) - 1), label=f"pair {number}")
    spreads = [Spread.of(_means(table.where(k=k))) for k in reports.SIZES]
    middle.plot(reports.SIZES, [s.middle for s in spreads], **figures.style(0), label="mean of the pairs")
    low, high = [s.low for s in spreads], [s.high for s in spreads]
    middle.fill_between(reports.SIZES, low, high, color=figures.COLOURS[0], alpha=0.2, lw=0)
    for n, (column, label) in enumerate((("windows", "windows"), ("shingles", "different shingles"))):
        right.plot(reports.SIZES, _by_size(table, column).values(), **figures.style(n + 5), label=label)
    for axes, title in ((left, "time, each pair"), (middle, "time, mean"), (right, "number of shingles, mean")):
        reports.mark_word_length(axes, setup)
        axes.set(title=title, xlabel="k (characters)", xticks=reports.SIZES[::2])
        axes.legend(loc="lower right" if axes is right else "upper right")
    for axes in (left, middle):  # with room for the legend above the slowest time, however slow it is
        axes.set(ylabel="one comparison (µs)", ylim=(0, 1.8 * max(left.dataLim.y1, *high)))
    right.set(ylabel="of both documents", ylim=(0, None))
    figures.note(figure, reports.sample(setup, f"; median of {ROUNDS} rounds (shaded: their spread), processor time"))


def _means(rows: Table) -> list[float]:
    """Return the mean of the pairs in each round."""
    return [fmean(rows.where(round=number).numbers("time")) for number in rows.distinct("round")]


def _by_size(table: Table, column: str) -> dict[int, float]:
    return {int(k): fmean(table.where(k=k).numbers(column)) for k in table.distinct("k")}


def _judge_pairs(table: Table, _setup: Setup) -> list[Verdict]:
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


_PAIRS = Experiment(
    id="pair-time",
    title="Time of an exact comparison against k",
    items=(76, 85),
    caption="The time to cut two texts into shingles and compare them: for each pair, and the mean. It follows the "
    "number of windows, which hardly depends on k, and not the number of different shingles.",
    seconds=3,
    measure=_measure_pairs,
    draw=_draw_pairs,
    judge=_judge_pairs,
    figure="report B, figures 1 and 2",
)

EXPERIMENTS = (
    _EXACT,
    _PAIRS,
)
