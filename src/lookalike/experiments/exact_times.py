"""Item 74 (left out of report A, in its programs): time of exact Jaccard by k, beside the time of an estimate."""

from __future__ import annotations

from statistics import fmean, median
from typing import TYPE_CHECKING, Final

import lookalike as la
from lookalike.experiments import data, figures, report_a
from lookalike.experiments.experiment import Column, Experiment, Finding, Progress, Setup, Table, Verdict, each
from lookalike.experiments.timing import best_time

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

HASHES: Final = 200
SHUFFLES, BOOK = "two shuffles", "two books"
EXACT, CLASSIC, FAST = "exact", "estimate, multiplicative", "estimate, fast sketch"
SETS, READY = "intersection of ready sets (Python's)", "estimate, signatures ready"
_WAYS: Final = (EXACT, CLASSIC, FAST, SETS, READY)


def _pairs(setup: Setup) -> dict[str, list[tuple[str, str]]]:
    size = 30_000 if setup.quick else 300_000
    books = [(data.book(setup, size, "first"), data.book(setup, size, "second"))]
    return {SHUFFLES: data.pairs(setup), BOOK: books}


def _sizes(setup: Setup) -> tuple[int, ...]:
    return (1, 2, 3, 5, 9, 14, 20) if setup.quick else tuple(range(1, 21))


def _measure(setup: Setup, progress: Progress) -> Table:
    columns = (
        Column("text", "name"),
        Column("k", "characters"),
        Column("way", "name"),
        Column("shingles"),
        Column("time", "s", timed=True),
    )
    table = Table(columns)
    steps = [(name, pairs, k) for name, pairs in _pairs(setup).items() for k in _sizes(setup)]
    for name, pairs, k in each(steps, progress):
        sets = [tuple({s.text for s in la.shingles(text, report_a.recipe(k))} for text in pair) for pair in pairs]
        distinct = round(fmean(len(one) for pair in sets for one in pair))
        for way in _WAYS:
            works = [_work(way, k, *pair, *ready) for pair, ready in zip(pairs, sets, strict=True)]
            table.rows.append((name, k, way, distinct, fmean(best_time(work, 5, 0.001) for work in works)))
    return table


def _work(way: str, k: int, a: str, b: str, set_a: set[str], set_b: set[str]) -> Callable[[], object]:
    """Return what is timed: comparing two texts, or what was made of them before."""
    classic = report_a.recipe(k, hashes=HASHES, sketch="classic", family="multiplicative")
    fast = report_a.recipe(k, hashes=HASHES)
    signed = la.sign([a, b], fast)
    works: dict[str, Callable[[], object]] = {
        EXACT: lambda: la.jaccard(a, b, recipe=fast),
        CLASSIC: lambda: la.sign([a, b], classic, threads=1).estimate(0, 1),
        FAST: lambda: la.sign([a, b], fast, threads=1).estimate(0, 1),
        SETS: lambda: len(set_a & set_b),
        READY: lambda: signed.estimate(0, 1),
    }
    return works[way]


# -- the figure --------------------------------------------------------------------------------------------------------


def _draw(table: Table, setup: Setup, figure: Figure) -> None:
    figure.set_size_inches(8.6, 5)
    panels = figure.subplots(1, 2)
    for axes, name in zip(panels, (SHUFFLES, BOOK), strict=True):
        for number, way in enumerate(_WAYS):
            part = table.where(text=name, way=way)
            times = [1000 * seconds for seconds in part.numbers("time")]
            axes.plot(part.numbers("k"), times, label=way, **figures.style(number))
        axes.set(title=name, xlabel="k: characters of a shingle", yscale="log")
        axes.set_xticks(range(2, 21, 2))
        figures.plain_numbers(axes.yaxis)
    panels[0].set_ylabel("time of one comparison [ms]")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    shingles = {name: table.where(text=name, k=9).values("shingles")[0] for name in (SHUFFLES, BOOK)}
    figures.note(
        figure,
        f"{HASHES} hashes, one thread, best of 5 runs. Shuffles: mean of {len(data.pairs(setup))} pairs, "
        f"{shingles[SHUFFLES]:,} distinct shingles each at k = 9. Books: one pair, {shingles[BOOK]:,} each. "
        f"Seed {setup.seed}.",
    )


# -- the verdicts ------------------------------------------------------------------------------------------------------


def _judge(table: Table, _setup: Setup) -> list[Verdict]:
    return [_rises(table), _cheaper(table), _ready(table)]


def _times(table: Table, text: str, way: str) -> dict[int, float]:
    part = table.where(text=text, way=way)
    return dict(zip(map(int, part.numbers("k")), part.numbers("time"), strict=True))


def _rises(table: Table) -> Verdict:
    short, long = _times(table, SHUFFLES, EXACT), _times(table, BOOK, EXACT)
    ratios = {SHUFFLES: short[20] / short[2], BOOK: long[20] / long[2]}
    rising = [ratio >= 1.2 for ratio in ratios.values()]
    finding: Finding = "holds" if all(rising) else "holds in part" if any(rising) else "does not hold"
    return Verdict(
        "The time of exact Jaccard rises with k.",
        "report A, §9, conclusion 2 (its program measured it, the report does not show it)",
        (74, 86),
        finding,
        f"From k = 2 to k = 20 it becomes {ratios[SHUFFLES]:.2f} times as long for shuffles and {ratios[BOOK]:.2f} "
        f"times for books; 1.2 counts as a rise.",
        {"ratio_shuffles": ratios[SHUFFLES], "ratio_books": ratios[BOOK]},
    )


def _cheaper(table: Table) -> Verdict:
    ratio = {
        (text, way): median(_times(table, text, way)[k] / exact for k, exact in _times(table, text, EXACT).items())
        for text in (SHUFFLES, BOOK)
        for way in (CLASSIC, FAST)
    }
    best = min(ratio[SHUFFLES, FAST], ratio[BOOK, FAST])
    worst = max(ratio.values())
    finding: Finding = "holds" if worst <= 0.8 else "holds in part" if best <= 0.8 else "does not hold"
    return Verdict(
        "An estimate takes a fraction of the time of exact Jaccard.",
        "report A, §9, conclusion 4",
        (74, 86),
        finding,
        f"From the texts on, an estimate takes {ratio[SHUFFLES, CLASSIC]:.2f} (multiplicative) and "
        f"{ratio[SHUFFLES, FAST]:.2f} (fast sketch) times the exact time for shuffles, {ratio[BOOK, CLASSIC]:.2f} and "
        f"{ratio[BOOK, FAST]:.2f} times for books (medians over k).",
        {f"{text}, {way}": value for (text, way), value in ratio.items()},
    )


def _ready(table: Table) -> Verdict:
    sets, signatures = _times(table, BOOK, SETS), _times(table, BOOK, READY)
    small = _times(table, SHUFFLES, READY)
    gain, same = sets[9] / signatures[9], signatures[9] / small[9]
    finding: Finding = "holds" if gain >= 10 and same <= 2 else "holds in part" if gain >= 2 else "does not hold"
    return Verdict(
        "Comparing two signatures costs O(h), however long the texts are.",
        "report A, §4 (item 8)",
        (74,),
        finding,
        f"Once the signatures of two books are made, comparing them at k = 9 is {gain:,.0f} times as fast as "
        f"intersecting their ready sets, and takes {same:.2f} times as long as comparing those of two shuffles.",
        {"gain": gain, "books_to_shuffles": same},
    )


EXPERIMENT = Experiment(
    id="exact-times",
    title="Time of exact Jaccard and of an estimate, by k",
    items=(74, 86),
    caption=(
        "Time to compare two documents, short and long. From the text on, an estimate has to read the text as exact "
        "comparison does, but sorts no sets. The real gain comes after that: signatures that are ready are compared in "
        "the same short time whatever the texts, while ready sets take as long as they are large."
    ),
    seconds=40,
    measure=_measure,
    draw=_draw,
    judge=_judge,
)
