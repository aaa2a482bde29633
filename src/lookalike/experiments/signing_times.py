"""The time of signing against k, and why it comes to rest (report B, §7.1.2).

Signing is measured twice: from the sets of different shingles, as the report's program does it; and from the texts, as
`lookalike.sign` does it, which hashes every window where a shingle begins.

The report's draft asks why the time comes to rest near the mean word length. If the length of words decided it, texts
of longer words would come to rest later. If the length of the text did, longer texts would. So both are changed, one at
a time.
"""

from __future__ import annotations

from itertools import product
from statistics import fmean, median
from typing import TYPE_CHECKING, Final

import lookalike as la
from lookalike.experiments import (
    Cell,
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
from lookalike.experiments.figures import ROUNDS, Spread, correlation, in_rounds, signing, signing_sets

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


__all__ = ["EXPERIMENTS"]

# == the time ==========================================================================================================


SIGNING_COLUMNS: Final = (
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


def _measure_signing(setup: Setup, progress: Progress, *, functions: tuple[str, ...]) -> Table:
    """Time the signatures for every k and every number of hashes, both ways, in rounds."""
    cells = list(product(functions, reports.HASHES, reports.sizes(setup)))
    documents = reports.texts_of_pairs(setup)
    sets = {k: [reports.different(text, k) for text in documents] for k in reports.sizes(setup)}
    works: list[Callable[[], object]] = []
    for name, hashes, k in cells:
        recipe = reports.recipe_b(k, name, hashes)
        works += [signing_sets(sets[k], recipe), reports.handing_over(sets[k], k), signing(documents, recipe)]
    rounds = ROUNDS if functions == ("modular",) or not setup.quick else 3  # a verdict needs them all
    times = in_rounds(works, progress, rounds=rounds, least=0.0002 if setup.quick else 0.001)
    counts = {k: _counts(documents, sets[k], k) for k in reports.sizes(setup)}
    table = Table(SIGNING_COLUMNS)
    pairs = len(documents) / 2
    for place, (name, hashes, k) in enumerate(cells):
        taken = zip(*times[3 * place : 3 * place + 3], strict=True)
        for n, (filled, handed, whole) in enumerate(taken):
            row: tuple[Cell, ...] = (1e6 * max(filled - handed, 0.0) / pairs, 1e6 * whole / pairs)
            table.rows.append((name, k, hashes, *counts[k], n, *row))
    return table


def _counts(documents: list[str], sets: list[list[int]], k: int) -> tuple[float, float]:
    windows = fmean(len(la.shingles(text, reports.recipe_b(k))) for text in documents)
    return windows, fmean(map(len, sets))


# -- the figure ------------------------------------------------------------------------------------------------------


def _draw_signing(table: Table, setup: Setup, figure: Figure) -> None:
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
            counts.plot(*_line(reports.median_by_k(few, column)), **figures.style(n + 5), label=label)
        titles = (
            f"{reports.LABELS[name]}:\nfilling signatures from sets, as the report",
            "lookalike: from texts,\neach window hashed",
            "shingles of a document",
        )
        for axes, title, unit in zip((theirs, ours, counts), titles, ("µs", "µs", "number"), strict=True):
            reports.mark_word_length(axes, setup, label=False)
            axes.set(title=title, xlabel="k (characters)", ylabel=unit, xticks=reports.SIZES[::2])
            axes.set_ylim(bottom=0)
        counts.legend(loc="lower right")
    reports.zoom_legend(figure, [grid[0][0]], "hashes")
    figures.note(figure, reports.foot(setup, table) + " From sets: the cost of handing the sets over is taken off.")


def _draw_times(rows: Table, axes: Axes, column: str) -> None:
    for n, hashes in enumerate(rows.distinct("hashes")):
        part, look = rows.where(hashes=hashes), figures.style(n)
        axes.plot(*_line(reports.median_by_k(part, column)), **look, label=str(hashes))
        spreads = [Spread.of(part.where(k=k).numbers(column)) for k in part.distinct("k")]
        low, high = [s.low for s in spreads], [s.high for s in spreads]
        axes.fill_between([int(k) for k in part.distinct("k")], low, high, color=look["color"], alpha=0.15, lw=0)


def _line(values: dict[int, float]) -> tuple[list[int], list[float]]:
    return list(values), list(values.values())


# -- the verdicts ----------------------------------------------------------------------------------------------------


def _judge_signing(table: Table, setup: Setup) -> list[Verdict]:
    """Judge where the time rises and where it stays."""
    return [_rise(table), _rest_signing(table, setup)]


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


def _rest_signing(table: Table, setup: Setup) -> Verdict:
    """Rule: the work, different shingles times hashes, is within 5 % of its most at a k near the mean word length."""
    counts = reports.median_by_k(table.where(hashes=MANY), "shingles")
    level, length = max(counts.values()), reports.word_length(setup)
    rest = next(k for k, count in counts.items() if count >= 0.95 * level)
    apart = abs(rest - length)
    finding: Finding = "holds" if apart <= NEAR[0] else "holds in part" if apart <= NEAR[1] else "does not hold"
    taken = reports.median_by_k(table.where(hashes=MANY), "sets_time")
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


_CAPTION: Final = (
    "Left: the time to fill the signatures of a pair from its sets of different shingles, as in the report for several "
    "numbers of hashes; it grows and comes to rest as the number of different shingles does, which is on the right. "
    "Middle: the time from the texts, where lookalike hashes every window."
)
_SIGNING = reports.experiments_by_family(
    "time",
    "Time of an estimate against k",
    (80, 85),
    (_CAPTION, _CAPTION),
    _measure_signing,
    _draw_signing,
    _judge_signing,
    seconds=(20, 20, 30),
    figures=("report B, figure 4", "report B, figure 9"),
    modular=("modular",),
)


# == why it comes to rest ==============================================================================================


HASHES: Final = 250
FULL: Final = 0.95
"""The share of windows with different shingles from which on their number counts as at rest."""
PLATEAU_COLUMNS: Final = (
    Column("text"),
    Column("characters"),
    Column("word_length", "characters"),
    Column("k", "characters"),
    Column("windows"),
    Column("shingles"),  # the different ones
    Column("round"),
    Column("time", "µs", timed=True),  # of filling the signature from the different shingles, modular hashing
)


def _texts_plateau(setup: Setup) -> dict[str, str]:
    """Return one text and others that differ from it in the length of words, or in their own length."""
    words = data.permutations(setup, 1, "plateau")[0].split()
    length = len(" ".join(words))

    def joined(many: int) -> str:
        return " ".join("".join(words[place : place + many]) for place in range(0, len(words), many))

    return {
        "a shuffle": " ".join(words),
        "words joined in twos": joined(2),
        "words joined in fives": joined(5),
        "a book's beginning": data.book(setup, length, "plateau").strip(),
        "4 times as long": data.book(setup, 4 * length, "plateau").strip(),
        "16 times as long": data.book(setup, 16 * length, "plateau").strip(),
    }


def _measure_plateau(setup: Setup, progress: Progress) -> Table:
    """Count the different shingles of each text for every k, and time how long it takes to sign them."""
    cells = [(name, text, k) for name, text in _texts_plateau(setup).items() for k in reports.SIZES]
    works: list[Callable[[], object]] = []
    for _, text, k in cells:
        sets = [reports.different(text, k)]
        works += [signing_sets(sets, reports.recipe_b(k, "modular", HASHES)), reports.handing_over(sets, k)]
    times = in_rounds(works, progress, least=0.0003 if setup.quick else 0.001)
    table = Table(PLATEAU_COLUMNS)
    for place, (name, text, k) in enumerate(cells):
        counts = len(la.shingles(text, reports.recipe_b(k))), len(reports.different(text, k))
        length = fmean(map(len, text.split()))
        for number, (filled, handed) in enumerate(zip(*times[2 * place : 2 * place + 2], strict=True)):
            time = 1e6 * max(filled - handed, 1e-9)
            table.rows.append((name, len(text), length, k, *counts, number, time))
    return table


def _draw_plateau(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw how many of the windows hold a different shingle, and the time against the number of different shingles."""
    figure.set_size_inches(12, 4.6)
    left, right = figure.subplots(1, 2, width_ratios=(1.2, 1))
    for n, name in enumerate(table.distinct("text")):
        rows, look = _medians(table.where(text=name)), figures.style(n)
        label = f"{name}: {rows.values('characters')[0]} characters,\nwords of {rows.numbers('word_length')[0]:.1f}"
        left.plot(rows.numbers("k"), [100 * share for share in _shares(rows)], **look, label=label)
        right.plot(rows.numbers("shingles"), rows.numbers("time"), **look | {"linestyle": "none"})
    left.axhline(100 * FULL, color=figures.GREY, linewidth=1, linestyle=":", label=f"{FULL:.0%}: at rest")
    left.set(title="different shingles", xlabel="k (characters)", ylabel="% of the windows", xticks=reports.SIZES)
    right.set(title=f"time of signing them, {HASHES} hashes", xlabel="different shingles", ylabel="µs")
    right.set(xscale="log", yscale="log")
    reports.zoom_legend(figure, [left], "text")
    figures.note(figure, f"One text of each kind, median of {ROUNDS} rounds. Seed {setup.seed}.")


def _medians(rows: Table, number: Cell = 0) -> Table:
    """Return one row for each k: the median of the rounds."""
    place = rows.position("time")
    first = rows.where(round=number)
    times = [median(rows.where(k=k).numbers("time")) for k in first.values("k")]
    return Table(rows.columns, [(*row[:place], time) for row, time in zip(first.rows, times, strict=True)])


def _shares(rows: Table) -> list[float]:
    return [some / most for some, most in zip(rows.numbers("shingles"), rows.numbers("windows"), strict=True)]


def _rest_plateau(rows: Table) -> float:
    """Return the k at which the share of different shingles passes 95 %, between two sizes."""
    before = 0.0
    for k, share in zip(rows.numbers("k"), _shares(rows), strict=True):
        if share >= FULL:
            return k - (share - FULL) / (share - before) if before else k
        before = share
    return float(reports.SIZES[-1])


def _judge_plateau(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge what the point of rest depends on."""
    first = table.where(round=0)
    rest = {str(name): _rest_plateau(first.where(text=name)) for name in table.distinct("text")}
    lengths = {str(name): first.where(text=name).numbers("word_length")[0] for name in table.distinct("text")}
    return [_words(rest, lengths), _length(rest), _follows(table)]


def _words(rest: dict[str, float], lengths: dict[str, float]) -> Verdict:
    """Rule: the point of rest moves by half as much as the words become longer; in part by 1.5 characters."""
    moved = rest["words joined in fives"] - rest["a shuffle"]
    stretched = lengths["words joined in fives"] - lengths["a shuffle"]
    return verdict(
        "ours-B-words",
        "holds" if moved >= stretched / 2 else "holds in part" if moved >= 1.5 else "does not hold",
        f"95 % of the windows hold different shingles from k = {rest['a shuffle']:.1f} on with words of "
        f"{lengths['a shuffle']:.1f} characters, and from {rest['words joined in fives']:.1f} on with the same words "
        f"joined to {lengths['words joined in fives']:.1f}: {stretched:.1f} characters more in a word move it by "
        f"{moved:+.1f} (half as much as the words would hold, 1.5 in part).",
        {"by_word": moved, "stretched": stretched, **_named("rest", rest), **_named("length", lengths)},
    )


def _length(rest: dict[str, float]) -> Verdict:
    """Rule: in a text 16 times as long it comes at least 0.7 characters later; in part at least 0.3."""
    moved = rest[_BOOKS[2]] - rest[_BOOKS[0]]
    return verdict(
        "ours-B-length",
        "holds" if moved >= 0.7 else "holds in part" if moved >= 0.3 else "does not hold",
        f"In a text with a natural mixture of words it is at k = {rest[_BOOKS[0]]:.1f}, in one 4 times as long at "
        f"{rest[_BOOKS[1]]:.1f}, and 16 times as long at {rest[_BOOKS[2]]:.1f}, with words of the same length (from "
        "0.7 characters it holds, from 0.3 in part).",
        {"by_text": moved},
    )


def _follows(table: Table) -> Verdict:
    """Rule: over k, inside each text, the correlation of time and different shingles is at least 0.9; fails to 0.7.

    Each text is measured by its own most, or long texts beside short ones would give a correlation of their own.
    """
    rounds = table.distinct("round")
    groups = [rounds[start::3] for start in range(min(3, len(rounds)))]  # each is several rounds, one after another
    found = {
        column: Spread.of(_correlation(_medians_of(table, group), column) for group in groups)
        for column in ("shingles", "windows")
    }
    r = found["shingles"]
    return verdict(
        "ours-B-time",
        r.decide(holds_from=0.9, fails_to=0.7),
        f"Inside the texts, over k, the time of filling a signature and the number of different shingles have a "
        f"correlation of {r}; with the number of windows it would be {found['windows'].middle:.2f}.",
        {"correlation": r.middle, "low": r.low, "correlation_with_windows": found["windows"].middle},
    )


def _medians_of(table: Table, rounds: list[Cell]) -> Table:
    """Return one row for each text and k: the median of some rounds."""
    kept = Table(table.columns, [row for row in table.rows if row[table.position("round")] in rounds])
    shown = [_medians(kept.where(text=name), rounds[0]) for name in table.distinct("text")]
    return Table(table.columns, [row for part in shown for row in part.rows])


def _correlation(rows: Table, column: str) -> float:
    counts: list[float] = []
    times: list[float] = []
    for name in rows.distinct("text"):
        part = rows.where(text=name)
        for values, scaled in ((part.numbers(column), counts), (part.numbers("time"), times)):
            scaled += [value / max(values) for value in values]
    return correlation(counts, times)


_BOOKS: Final = ("a book's beginning", "4 times as long", "16 times as long")


def _named(what: str, values: dict[str, float]) -> dict[str, float]:
    return {f"{what}, {name}": value for name, value in values.items()}


_PLATEAU = Experiment(
    id="shingle-plateau",
    title="Why the time comes to rest: the number of different shingles",
    items=(19, 80, 118),
    caption="Left: how many of the windows of a text hold different shingles. Joining words into longer ones hardly "
    "moves the curve; a longer text moves it to the right. Right: the time of signing follows the number of different "
    "shingles, whatever the text and k.",
    seconds=5,
    measure=_measure_plateau,
    draw=_draw_plateau,
    judge=_judge_plateau,
)

EXPERIMENTS = (
    *_SIGNING,
    _PLATEAU,
)
