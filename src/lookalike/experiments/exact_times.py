"""Item 74 (left out of report A, in its programs): time of exact Jaccard by k, beside the time of an estimate."""

from __future__ import annotations

from statistics import fmean, median
from typing import TYPE_CHECKING, Final

import lookalike as la
from lookalike.experiments import data, figures, report_a
from lookalike.experiments.claims import verdict
from lookalike.experiments.experiment import Column, Experiment, Progress, Setup, Table, Verdict
from lookalike.experiments.timing import ROUNDS, Spread, comparing, in_rounds, signing

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

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


def _measure(setup: Setup, progress: Progress) -> Table:
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
            sets = tuple({s.text for s in la.shingles(text, report_a.recipe(k))} for text in pair)
            for way, work in _works(k, pair, sets).items():
                cells.append((name, k, way, round(fmean(map(len, sets)))))
                works.append(work)
    times = in_rounds(works, progress, least=0.0002 if setup.quick else 0.001)
    rows = [(*cell, n, time) for cell, rounds in zip(cells, times, strict=True) for n, time in enumerate(rounds)]
    return Table(columns, list(rows))


def _works(k: int, pair: tuple[str, str], sets: tuple[set[str], ...]) -> dict[str, Callable[[], object]]:
    """Return what is timed: comparing two texts, or what was made of them before."""
    classic = signing(pair, report_a.recipe(k, hashes=HASHES, sketch="classic", family="multiplicative"))
    fast = signing(pair, report_a.recipe(k, hashes=HASHES))
    signed = fast()
    first, second = sets
    return {
        EXACT: comparing([pair], report_a.recipe(k, hashes=HASHES)),
        CLASSIC: lambda: classic().agreeing(0, 1),
        FAST: lambda: fast().agreeing(0, 1),
        SETS: lambda: len(first & second),
        READY: lambda: signed.agreeing(0, 1),
    }


# -- the figure --------------------------------------------------------------------------------------------------------


def _draw(table: Table, setup: Setup, figure: Figure) -> None:
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


def _judge(table: Table, setup: Setup) -> list[Verdict]:
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


EXPERIMENT = Experiment(
    id="exact-times",
    title="Time of exact Jaccard and of an estimate, by k",
    items=(8, 74, 86),
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
