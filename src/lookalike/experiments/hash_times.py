"""Items 71 and 104 (report A, §8.2): how long a signature takes with each family of hash functions, by k."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Final

import lookalike as la
from lookalike.experiments import data, figures, report_a
from lookalike.experiments.experiment import Column, Experiment, Finding, Progress, Setup, Table, Verdict, each
from lookalike.experiments.timing import best_time

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

SHUFFLES, BOOK = "20 shuffles", "a book"
HASHES: Final = (25, 200)
"""25 is what report A measured in §8.2, 200 what it uses in §8.3."""


def _sizes(setup: Setup) -> tuple[int, ...]:
    return (1, 3, 6, 9, 14, 20) if setup.quick else tuple(range(1, 21))


def _texts(setup: Setup) -> dict[str, list[str]]:
    size = 60_000 if setup.quick else 600_000
    return {SHUFFLES: data.permutations(setup, 20), BOOK: [data.book(setup, size)]}


def _measure(setup: Setup, progress: Progress) -> Table:
    columns = (
        Column("text", "name"),
        Column("hashes"),
        Column("k", "characters"),
        Column("family", "name"),
        Column("shingles"),
        Column("time", "s", timed=True),
    )
    table = Table(columns)
    steps = [(name, texts, k) for name, texts in _texts(setup).items() for k in _sizes(setup)]
    for name, texts, k in each(steps, progress):
        distinct = sum(len({s.text for s in la.shingles(text, report_a.recipe(k))}) for text in texts)
        for hashes in HASHES:
            for family in report_a.SKETCHES:
                recipe = report_a.recipe(k, hashes=hashes, **report_a.sketch(family))
                time = best_time(lambda texts=texts, recipe=recipe: la.sign(texts, recipe, threads=1), 5, 0.002)  # type: ignore[misc]
                table.rows.append((name, hashes, k, family, distinct, time))
    return table


# -- the figure --------------------------------------------------------------------------------------------------------


def _draw(table: Table, setup: Setup, figure: Figure) -> None:
    figure.set_size_inches(8.6, 6.2)
    panels = figure.subplots(2, 2, sharex=True)
    for row, name in zip(panels, (SHUFFLES, BOOK), strict=True):
        for axes, hashes in zip(row, HASHES, strict=True):
            for number, family in enumerate(report_a.SKETCHES):
                part = table.where(text=name, hashes=hashes, family=family)
                times = [1000 * seconds for seconds in part.numbers("time")]
                axes.plot(part.numbers("k"), times, label=family, **figures.style(number))
            axes.set(title=f"{name}, {hashes} hash functions")
            axes.set_ylim(bottom=0)
        row[0].set_ylabel("time to sign [ms]")
    for axes in panels[-1]:
        axes.set_xlabel("k: characters of a shingle")
        axes.set_xticks(range(2, 21, 2))
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="outside upper center", ncols=5)
    sizes = {name: table.where(text=name, k=9, hashes=25).values("shingles")[0] for name in (SHUFFLES, BOOK)}
    figures.note(
        figure,
        f"One thread, optimised build, best of 5 runs. At k = 9: {SHUFFLES} of {len(data.words(setup))} words have "
        f"{sizes[SHUFFLES]:,} distinct shingles in all, the book has {sizes[BOOK]:,}. Seed {setup.seed}.",
    )


# -- the verdicts ------------------------------------------------------------------------------------------------------


def _judge(table: Table, _setup: Setup) -> list[Verdict]:
    return [_rises(table), _alike(table), _half(table), _fastest(table)]


def _time(table: Table, text: str, hashes: int, k: int, family: str) -> float:
    return table.where(text=text, hashes=hashes, k=k, family=family).numbers("time")[0]


def _ratios(table: Table, a: str, b: str) -> list[float]:
    """Return the time with family `a` divided by that with `b`, for each text, number of hashes and k of report A."""
    others = table.where(family=b)
    times = table.where(family=a).numbers("time")
    kept = zip(times, others.numbers("time"), others.numbers("k"), strict=True)
    return [time / other for time, other, k in kept if k >= 3]


def _rises(table: Table) -> Verdict:
    classic = report_a.SKETCHES[:-1]
    growth = median(_time(table, BOOK, 25, 20, each) / _time(table, BOOK, 25, 3, each) for each in classic)
    book = table.where(text=BOOK, hashes=25, family="modular")
    shingles = dict(zip(book.values("k"), book.numbers("shingles"), strict=True))
    more = shingles[20] / shingles[3]
    finding: Finding = "holds" if growth >= 1.5 else "holds in part" if growth >= 1.2 else "does not hold"
    return Verdict(
        "A larger k takes longer, because there are more distinct shingles.",
        "report A, §8.2 and §9, conclusion 2",
        (71, 86),
        finding,
        f"From k = 3 to k = 20 the book has {more:.0f} times as many distinct shingles, and its signature of 25 hashes "
        f"takes {growth:.2f} times as long (median of the families). This code hashes the shingle at every place of "
        f"the text. It does not collect them in a set first, as the report does, so their number makes no difference.",
        {"time_ratio": growth, "shingle_ratio": more},
    )


def _alike(table: Table) -> Verdict:
    ratio = median(_ratios(table, "murmur3", "multiplicative"))
    finding: Finding = "holds" if 0.8 <= ratio <= 1.25 else "holds in part" if 0.5 <= ratio <= 2 else "does not hold"
    return Verdict(
        "MurmurHash3 and the multiplicative functions take about the same time.",
        "report A, §8.2",
        (71, 104),
        finding,
        f"MurmurHash3 takes {ratio:.1f} times as long as multiplicative (median over texts, k ≥ 3 and hashes).",
        {"ratio": ratio},
    )


def _half(table: Table) -> Verdict:
    ratios = [*_ratios(table, "modular", "murmur3"), *_ratios(table, "modular", "multiplicative")]
    below = sum(ratio < 0.5 for ratio in ratios) / len(ratios)
    finding: Finding = "holds" if below >= 0.9 else "holds in part" if below >= 0.5 else "does not hold"
    murmur, multiplicative = (median(_ratios(table, "modular", each)) for each in ("murmur3", "multiplicative"))
    return Verdict(
        "The modular functions almost always take less than half the time of the others.",
        "report A, §8.2",
        (71, 104),
        finding,
        f"In {below:.0%} of {len(ratios)} comparisons they do. Their median time is {murmur:.1f} times that of "
        f"MurmurHash3 and {multiplicative:.1f} times that of multiplicative. The report's program was compiled without "
        f"optimisation, and its ratio was below half for k ≤ 13 only; here all families are compiled alike.",
        {"share_below_half": below, "to_murmur3": murmur, "to_multiplicative": multiplicative},
    )


def _fastest(table: Table) -> Verdict:
    classic = report_a.SKETCHES[:-1]
    wins = dict.fromkeys(classic, 0)
    cases = {(row[0], row[1], row[2]) for row in table.rows}
    for text, hashes, k in cases:
        part = table.where(text=text, hashes=hashes, k=k)
        times = dict(zip(part.values("family"), part.numbers("time"), strict=True))
        wins[min(classic, key=lambda family: times[family])] += 1
    best = max(wins, key=lambda family: wins[family])
    share = wins["modular"] / len(cases)
    finding: Finding = "holds" if share >= 0.9 else "holds in part" if share >= 0.5 else "does not hold"
    fast = median(_ratios(table, report_a.FAST, best))
    return Verdict(
        "Of the hash functions, the modular ones are the fastest.",
        "report A, §9, conclusion 3",
        (71, 86, 104),
        finding,
        f"They are the fastest of the four families in {wins['modular']} of {len(cases)} cases, {best} in "
        f"{wins[best]}. The fast sketch takes {fast:.2f} times the time of {best} (median).",
        {"modular_fastest": share, "fast_sketch_ratio": fast},
    )


EXPERIMENT = Experiment(
    id="hash-times",
    title="Time of a signature with each family of hash functions, by k",
    items=(49, 71, 86, 104),
    caption=(
        "Time to make signatures from the text, for the four families of classic MinHash and for this project's fast "
        "sketch. The classic kinds evaluate every function for every shingle, so eight times as many functions take up "
        "to eight times as long; the fast sketch hashes each shingle once or a few times, whatever their number."
    ),
    seconds=40,
    measure=_measure,
    draw=_draw,
    judge=_judge,
)
