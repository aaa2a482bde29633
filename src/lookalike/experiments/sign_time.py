"""The time of an estimate against the size of the shingles, for several numbers of hashes (items 80 and 118).

Measured twice: from the sets of different shingles, as the report's program does it; and from the texts, as
`lookalike.sign` does it, which hashes every window where a shingle begins.
"""

from __future__ import annotations

import hashlib
from functools import partial
from itertools import product
from statistics import fmean, median
from typing import TYPE_CHECKING, Final

import lookalike as la
from lookalike.experiments import figures, report_b
from lookalike.experiments.claims import verdict
from lookalike.experiments.experiment import Cell, Column, Experiment, Finding, Progress, Setup, Table, Verdict
from lookalike.experiments.timing import ROUNDS, Spread, in_rounds, signing, signing_sets

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "different", "foot", "handing_over", "median_by_k", "number", "sizes", "texts"]

COLUMNS: Final = (
    Column("functions"),
    Column("k", "characters"),
    Column("hashes"),
    Column("windows"),  # of a document, on average
    Column("shingles"),  # the different ones
    Column("round"),
    Column("sets_time", "µs", timed=True),
    Column("texts_time", "µs", timed=True),
)
MANY: Final = 1000
NEAR: Final = (1.0, 2.0)
"""So many characters from the mean word length are near it, and near in part."""


def sizes(setup: Setup) -> tuple[int, ...]:
    """Return the values of k that are timed."""
    return (1, 2, 3, 4, 5, 6, 7, 9, 12, 15) if setup.quick else report_b.SIZES


def texts(setup: Setup) -> list[str]:
    """Return the texts of the five pairs."""
    return [text for pair in report_b.pairs(setup) for text in pair]


def different(text: str, k: int) -> list[int]:
    """Return the different shingles of a text, each as a number of 64 bits."""
    return [number(each) for each in sorted({shingle.text for shingle in la.shingles(text, report_b.recipe(k))})]


def number(shingle: str) -> int:
    """Return a shingle as a number of 64 bits."""
    return int.from_bytes(hashlib.blake2b(shingle.encode(), digest_size=8).digest(), "little")


def handing_over(sets: list[list[int]], k: int) -> Callable[[], object]:
    """Return the work of handing sets over to the core, with one multiplication for each element."""
    return signing_sets(sets, report_b.recipe(k, "multiplicative", 1))


def measure(setup: Setup, progress: Progress, *, functions: tuple[str, ...]) -> Table:
    """Time the signatures for every k and every number of hashes, both ways, in rounds."""
    cells = list(product(functions, report_b.HASHES, sizes(setup)))
    documents = texts(setup)
    sets = {k: [different(text, k) for text in documents] for k in sizes(setup)}
    works: list[Callable[[], object]] = []
    for name, hashes, k in cells:
        recipe = report_b.recipe(k, name, hashes)
        works += [signing_sets(sets[k], recipe), handing_over(sets[k], k), signing(documents, recipe)]
    rounds = ROUNDS if functions == ("modular",) or not setup.quick else 3  # a verdict needs them all
    times = in_rounds(works, progress, rounds=rounds, least=0.0002 if setup.quick else 0.001)
    counts = {k: _counts(documents, sets[k], k) for k in sizes(setup)}
    table = Table(COLUMNS)
    pairs = len(documents) / 2
    for place, (name, hashes, k) in enumerate(cells):
        taken = zip(*times[3 * place : 3 * place + 3], strict=True)
        for n, (filled, handed, whole) in enumerate(taken):
            row: tuple[Cell, ...] = (1e6 * max(filled - handed, 0.0) / pairs, 1e6 * whole / pairs)
            table.rows.append((name, k, hashes, *counts[k], n, *row))
    return table


def _counts(documents: list[str], sets: list[list[int]], k: int) -> tuple[float, float]:
    windows = fmean(len(la.shingles(text, report_b.recipe(k))) for text in documents)
    return windows, fmean(map(len, sets))


def median_by_k(table: Table, column: str, **wanted: Cell) -> dict[int, float]:
    """Return the median over the rounds for each k."""
    rows = table.where(**wanted)
    return {int(k): median(rows.where(k=k).numbers(column)) for k in rows.distinct("k")}


# -- the figure ------------------------------------------------------------------------------------------------------


def draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw the report's figure first, then ours: a line for each number of hashes; and the number of shingles."""
    names = [str(name) for name in table.distinct("functions")]
    figure.set_size_inches(13, 1.2 + 3.4 * len(names))
    grid = figure.subplots(len(names), 3, squeeze=False)
    for (theirs, ours, counts), name in zip(grid, names, strict=True):
        rows = table.where(functions=name)
        _draw_times(rows, theirs, "sets_time")
        _draw_times(rows, ours, "texts_time")
        few = rows.where(hashes=MANY)
        for n, (column, label) in enumerate((("windows", "windows"), ("shingles", "different shingles"))):
            counts.plot(*_line(median_by_k(few, column)), **figures.style(n + 5), label=label)
        titles = (
            f"{report_b.LABELS[name]}:\nfilling signatures from sets, as the report",
            "lookalike: from texts,\neach window hashed",
            "shingles of a document",
        )
        for axes, title, unit in zip((theirs, ours, counts), titles, ("µs", "µs", "number"), strict=True):
            report_b.mark_word_length(axes, setup, label=False)
            axes.set(title=title, xlabel="k (characters)", ylabel=unit, xticks=report_b.SIZES[::2])
            axes.set_ylim(bottom=0)
        counts.legend(loc="lower right")
    report_b.zoom_legend(figure, [grid[0][0]], "hashes")
    figures.note(figure, foot(setup, table) + " From sets: the cost of handing the sets over is taken off.")


def _draw_times(rows: Table, axes: Axes, column: str) -> None:
    for n, hashes in enumerate(rows.distinct("hashes")):
        part, look = rows.where(hashes=hashes), figures.style(n)
        axes.plot(*_line(median_by_k(part, column)), **look, label=str(hashes))
        spreads = [Spread.of(part.where(k=k).numbers(column)) for k in part.distinct("k")]
        low, high = [s.low for s in spreads], [s.high for s in spreads]
        axes.fill_between([int(k) for k in part.distinct("k")], low, high, color=look["color"], alpha=0.15, lw=0)


def _line(values: dict[int, float]) -> tuple[list[int], list[float]]:
    return list(values), list(values.values())


def foot(setup: Setup, table: Table) -> str:
    """Return what stands at the foot of a figure of times."""
    return (
        f"Time of a pair, mean of {report_b.PAIRS} random pairs of shuffles; median of {len(table.distinct('round'))} "
        f"rounds, shaded: their spread; processor time of one thread. Seed {setup.seed}{', quick run' * setup.quick}. "
        "Dotted: mean word length."
    )


# -- the verdicts ----------------------------------------------------------------------------------------------------


def judge(table: Table, setup: Setup) -> list[Verdict]:
    """Judge where the time rises and where it stays."""
    return [_rise(table), _rest(table, setup)]


def _levels(table: Table, round_number: Cell) -> dict[int, float]:
    """Return the time for each number of hashes where k no longer matters: the median from k = 6 on, in one round."""
    rows = table.where(round=round_number)
    late = Table(rows.columns, [row for row in rows.rows if int(row[rows.position("k")]) >= 6])
    return {int(h): median(late.where(hashes=h).numbers("texts_time")) for h in table.distinct("hashes")}


def _rise(table: Table) -> Verdict:
    """Rule: a hash above 250 costs at least 1.5 times as much as one below; it fails up to 1.25."""
    levels = [_levels(table, number) for number in table.distinct("round")]
    above = [(times[MANY] - times[250]) / (MANY - 250) for times in levels]
    below = [(times[250] - times[25]) / (250 - 25) for times in levels]
    bend = Spread.of_ratios(above, below)
    times = {h: Spread.of(each[h] for each in levels).middle for h in levels[0]}
    finding = bend.decide(holds_from=1.5, fails_to=1.25)
    look = " Equal costs look like a bend if, as in the report, the lines are 25 to 50 hashes apart, then 250."
    return verdict(
        "B-7.1.2-250",
        finding,
        f"A pair takes {times[25]:.0f} µs with 25 hashes, {times[100]:.0f} with 100, {times[250]:.0f} with 250, "
        f"{times[500]:.0f} with 500 and {times[MANY]:.0f} with 1000 (median from k = 6 on). A hash above 250 costs "
        f"{bend} times as much as one below." + (look if finding == "does not hold" else ""),
        {f"time_with_{h}": time for h, time in times.items()} | {"above_to_below_250": bend.middle},
    )


def _rest(table: Table, setup: Setup) -> Verdict:
    """Rule: the work, different shingles times hashes, is within 5 % of its most at a k near the mean word length."""
    counts = median_by_k(table.where(hashes=MANY), "shingles")
    level, length = max(counts.values()), report_b.word_length(setup)
    rest = next(k for k, count in counts.items() if count >= 0.95 * level)
    apart = abs(rest - length)
    finding: Finding = "holds" if apart <= NEAR[0] else "holds in part" if apart <= NEAR[1] else "does not hold"
    taken = median_by_k(table.where(hashes=MANY), "sets_time")
    late = median(time for k, time in taken.items() if k >= 6)
    return verdict(
        "B-7.1.2-rest",
        finding,
        f"The report's program hashes every different shingle once for each function: {MANY * counts[1]:,.0f} "
        f"evaluations a document at k = 1, {MANY * counts[3]:,.0f} at 3, {MANY * level:,.0f} at most. Within 5 % of "
        f"that from k = {rest} on; the mean word length is {length:.2f} (within 1 it holds, within 2 in part). The "
        f"measured times follow: {taken[1]:.0f} µs at k = 1, {taken[3]:.0f} at 3, {late:.0f} from 6 on. Why it comes "
        "to rest there, shingle-plateau shows.",
        {"rest": rest, "word_length": length},
    )


def _experiment(name: str, functions: tuple[str, ...], seconds: float, figure: str) -> Experiment:
    told = report_b.LABELS.get(name, "other families")
    return Experiment(
        id=f"time-{name}",
        title=f"Time of an estimate against k, with {told}",
        items=(80, 82, 85) if name == "jenkins" else (80, 85),
        caption="Left: the time to fill the signatures of a pair from its sets of different shingles, as in the report "
        "for several numbers of hashes; it grows and comes to rest as the number of different shingles does, which is "
        "on the right. Middle: the time from the texts, where lookalike hashes every window.",
        seconds=seconds,
        measure=partial(measure, functions=functions),
        draw=draw,
        judge=judge if name == "modular" else lambda _table, _setup: (),
        figure=figure,
    )


EXPERIMENTS = (
    _experiment("modular", ("modular",), 20, "report B, figure 4"),
    _experiment("jenkins", ("jenkins",), 20, "report B, figure 9"),
    _experiment("others", ("multiplicative", "murmur3", "fast"), 30, ""),
)
