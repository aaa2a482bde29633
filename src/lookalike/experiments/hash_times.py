"""How long filling signatures takes with each family of hash functions, by k (report A, §8.2)."""

from __future__ import annotations

from itertools import product
from statistics import median
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
from lookalike.experiments.figures import ROUNDS, Spread, in_rounds, signing, signing_sets, together
from lookalike.hashing import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lookalike.experiments import Cell

__all__ = ["EXPERIMENT"]

SHUFFLES, BOOK = "20 shuffles", "a book"
HASHES: Final = (25, 200)
"""25 is what report A measured in §8.2, 200 what it uses in §8.3."""
FILLED, TEXTS = "from sets", "from texts"
"""The report's way, from the different shingles; and lookalike's, which hashes every window of the text."""
REPORTED: Final = ("modular", "multiplicative", "murmur3")
"""The families of report A."""
FIRST: Final = 3
"""The report's smallest k."""
LAST: Final = 20
COLUMNS: Final = (
    Column("text", "name"),
    Column("way", "name"),
    Column("hashes"),
    Column("k", "characters"),
    Column("family", "name"),
    Column("shingles"),  # that are hashed: the different ones, or all windows
    Column("round"),
    Column("time", "s", timed=True),
)


def _sizes(setup: Setup) -> tuple[int, ...]:
    return (3, 6, 9, 14, 20) if setup.quick else tuple(range(1, LAST + 1))


def _texts(setup: Setup) -> dict[str, list[str]]:
    size = 20_000 if setup.quick else 150_000
    return {SHUFFLES: data.permutations(setup, 20), BOOK: [data.book(setup, size)]}


def _measure(setup: Setup, progress: Progress) -> Table:
    cells: list[tuple[Cell, ...]] = []
    works: list[Callable[[], object]] = []
    for (name, texts), k in product(_texts(setup).items(), _sizes(setup)):
        windows = [[shingle.text for shingle in la.shingles(text, reports.recipe_a(k))] for text in texts]
        sets = [[reports.number_of(text) for text in sorted(set(shingles))] for shingles in windows]
        counts = {FILLED: sum(map(len, sets)), TEXTS: sum(map(len, windows))}
        for hashes in HASHES:
            for family in reports.SKETCHES_A:
                recipe = reports.recipe_a(k, hashes=hashes, **reports.sketch(family))
                cells.append((name, TEXTS, hashes, k, family, counts[TEXTS]))
                works.append(signing(texts, recipe))
            for family in FAMILIES:
                recipe = reports.recipe_a(k, hashes=hashes, **reports.sketch(family))
                cells.append((name, FILLED, hashes, k, family, counts[FILLED]))
                works.append(signing_sets(sets, recipe))
            cells.append((name, FILLED, hashes, k, _HANDING, counts[FILLED]))
            works.append(signing_sets(sets, reports.recipe_a(k, hashes=1, **reports.sketch("multiplicative"))))
    return _table(cells, in_rounds(works, progress, least=0.0002 if setup.quick else 0.001))


_HANDING: Final = "handing over"


def _table(cells: list[tuple[Cell, ...]], times: list[list[float]]) -> Table:
    """Take the time of handing sets over to the core off the times from sets, round by round."""
    handed = {cell[:4]: rounds for cell, rounds in zip(cells, times, strict=True) if cell[4] == _HANDING}
    table = Table(COLUMNS)
    for cell, rounds in zip(cells, times, strict=True):
        if cell[4] == _HANDING:
            continue
        off = handed[cell[:4]] if cell[1] == FILLED else [0.0] * len(rounds)
        for n, (time, less) in enumerate(zip(rounds, off, strict=True)):
            table.rows.append((*cell, n, max(time - less, 1e-9)))
    return table


# -- the figure --------------------------------------------------------------------------------------------------------


def _draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw the report's figure first, then ours: more hashes, from texts, and a book, with all families."""
    figure.set_size_inches(10.5, 6.6)
    panels = figure.subplots(2, 3, sharex=True)
    cells = (
        (SHUFFLES, FILLED, 25, REPORTED),
        (SHUFFLES, FILLED, 200, FAMILIES),
        (SHUFFLES, TEXTS, 200, reports.SKETCHES_A),
        (BOOK, FILLED, 25, REPORTED),
        (BOOK, FILLED, 200, FAMILIES),
        (BOOK, TEXTS, 200, reports.SKETCHES_A),
    )
    for number, (axes, (name, way, hashes, families)) in enumerate(zip(panels.flat, cells, strict=True)):
        _draw_families(table.where(text=name, way=way, hashes=hashes), families, axes)
        title = f"{name}, {hashes} hashes, {way}"
        axes.set_title(f"as the report: {title}" if number == 0 else title, fontsize=9)
        axes.set_ylim(bottom=0)
    for row in panels:
        row[0].set_ylabel("time to fill the signatures [ms]")
    for axes in panels[-1]:
        axes.set_xlabel("k: characters of a shingle")
        axes.set_xticks(range(2, LAST + 1, 2))
    figure.legend(*panels[0][2].get_legend_handles_labels(), loc="outside upper center", ncols=5)
    sizes = {name: table.where(text=name, way=FILLED, k=9).values("shingles")[0] for name in (SHUFFLES, BOOK)}
    figures.note(
        figure,
        f"Processor time of one thread, median of {ROUNDS} rounds (shaded: their spread), optimised build. At k = 9: "
        f"{SHUFFLES} of {len(data.words(setup))} words have {sizes[SHUFFLES]:,} distinct shingles in all, the book has "
        f"{sizes[BOOK]:,}. From sets: the cost of handing them over is taken off. Seed {setup.seed}.",
    )


def _draw_families(part: Table, families: Iterable[str], axes: Axes) -> None:
    for family in families:
        rows, look = part.where(family=family), figures.style(reports.SKETCHES_A.index(family))
        sizes = [int(k) for k in rows.distinct("k")]
        spreads = [Spread.of(1000 * time for time in rows.where(k=k).numbers("time")) for k in sizes]
        axes.plot(sizes, [spread.middle for spread in spreads], label=family, **look)
        low, high = [s.low for s in spreads], [s.high for s in spreads]
        axes.fill_between(sizes, low, high, color=look["color"], alpha=0.15, lw=0)


# -- the verdicts ------------------------------------------------------------------------------------------------------


def _judge(table: Table, _setup: Setup) -> list[Verdict]:
    return [_shingles(table), _alike(table), _half(table), _longer(table), _fastest(table), _fast(table)]


def _ratio(table: Table, a: str, b: str, hashes: int, way: str = FILLED) -> Spread:
    """Return the time with family `a` by that with `b` for the shuffles: the median over k from 3, round by round."""
    rounds = []
    for number in table.distinct("round"):
        part = table.where(text=SHUFFLES, way=way, hashes=hashes, round=number)
        times = [
            zip(part.where(family=f).numbers("k"), part.where(family=f).numbers("time"), strict=True) for f in (a, b)
        ]
        pairs = zip(*times, strict=True)
        rounds.append(median(one / other for (k, one), (_, other) in pairs if k >= FIRST))
    return Spread.of(rounds)


def _counts(table: Table, text: str, way: str) -> dict[int, float]:
    part = table.where(text=text, way=way, hashes=25, family="modular", round=0)
    return dict(zip(map(int, part.numbers("k")), part.numbers("shingles"), strict=True))


def _shingles(table: Table) -> Verdict:
    """Rule: from k = 3 to k = 20 the number of different shingles grows, in the shuffles and in the book."""
    counts = {text: _counts(table, text, FILLED) for text in (SHUFFLES, BOOK)}
    grown = [count[LAST] > count[FIRST] for count in counts.values()]
    most = {text: max(count, key=lambda k: count[k]) for text, count in counts.items()}
    return verdict(
        "A-8.2-shingles",
        "holds" if all(grown) else "holds in part" if any(grown) else "does not hold",
        f"Different shingles at k = {FIRST}, 9 and {LAST}: "
        + "; ".join(
            f"{text} {count[FIRST]:,.0f}, {count[9]:,.0f}, {count[LAST]:,.0f}" for text, count in counts.items()
        )
        + f". The most are at k = {most[SHUFFLES]} and {most[BOOK]}: once nearly every window holds another shingle, "
        "each step of k only takes a window away.",
        {f"{text}_growth": count[LAST] / count[FIRST] for text, count in counts.items()},
    )


def _longer(table: Table) -> Verdict:
    """Rule: from k = 3 to 20 the evaluations of the report's way grow by a tenth, of the shuffles and of the book.

    And the time from the book's text, window by window, which is measured: 1.3 holds, 1.15 fails.
    """
    growth = {text: _counts(table, text, FILLED) for text in (SHUFFLES, BOOK)}
    ratios = {text: count[LAST] / count[FIRST] for text, count in growth.items()}
    counted: list[Finding] = ["holds" if ratio >= 1.1 else "does not hold" for ratio in ratios.values()]
    part = table.where(text=BOOK, way=TEXTS, hashes=200)
    rounds = [
        [
            median(part.where(family=f, k=k, round=n).numbers("time")[0] for f in FAMILIES)
            for n in table.distinct("round")
        ]
        for k in (LAST, FIRST)
    ]
    read = Spread.of_ratios(*rounds)
    return verdict(
        "A-9.2",
        together([*counted, read.decide(holds_from=1.3, fails_to=1.15)]),
        f"Filling signatures from different shingles, as the report does, takes {ratios[SHUFFLES]:.2f} times as many "
        f"evaluations at k = {LAST} as at {FIRST} for the shuffles and {ratios[BOOK]:.1f} times for the book. Hashing "
        f"every window of the text, as lookalike does, takes {read} times as long for the book: it depends on the way, "
        "and on how often shingles repeat.",
        {"evaluations_shuffles": ratios[SHUFFLES], "evaluations_book": ratios[BOOK], "time_from_texts": read.middle},
    )


def _alike(table: Table) -> Verdict:
    """Rule: the ratio is between 0.8 and 1.25; it fails if all of the spread is outside 0.7 to 1.4."""
    ratio = _ratio(table, "murmur3", "multiplicative", 200)
    inside, outside = ratio.low >= 0.8 and ratio.high <= 1.25, ratio.low >= 1.4 or ratio.high <= 0.7
    return verdict(
        "A-8.2-alike",
        "holds" if inside else "does not hold" if outside else "undecided",
        f"Filling 200 values with MurmurHash3 takes {ratio} times as long as with the multiplicative functions "
        "(20 shuffles, median over k).",
        {"ratio": ratio.middle, "low": ratio.low, "high": ratio.high},
    )


def _half(table: Table) -> Verdict:
    """Rule: modular takes at most 0.5 of the time of each of the other two; a part fails from 0.6."""
    ratios = {f: _ratio(table, "modular", f, 200) for f in REPORTED[1:]}
    small = {f: _ratio(table, "modular", f, 25) for f in REPORTED[1:]}
    return verdict(
        "A-8.2-half",
        together([ratio.decide_below(holds_to=0.5, fails_from=0.6) for ratio in ratios.values()]),
        f"Modular takes {ratios['multiplicative']} times as long as multiplicative and {ratios['murmur3']} times as "
        f"long as MurmurHash3 with 200 functions; {small['multiplicative'].middle:.1f} and "
        f"{small['murmur3'].middle:.1f} times with 25. The report's program was compiled without optimisation, and its "
        "ratio was below half for k ≤ 13 only; here all families are compiled alike, and a division is slower than a "
        "multiplication.",
        {f"to_{family}": ratio.middle for family, ratio in ratios.items()},
    )


def _fastest(table: Table) -> Verdict:
    """Rule: modular takes at most 0.8 of the time of each of the other two; a part fails from 0.9."""
    ratios = {f: _ratio(table, "modular", f, 200) for f in REPORTED[1:]}
    return verdict(
        "A-9.3",
        together([ratio.decide_below(holds_to=0.8, fails_from=0.9) for ratio in ratios.values()]),
        f"With 200 functions modular takes {ratios['multiplicative']} times as long as multiplicative and "
        f"{ratios['murmur3']} times as long as MurmurHash3.",
        {f"to_{family}": ratio.middle for family, ratio in ratios.items()},
    )


def _fast(table: Table) -> Verdict:
    """Rule: with 200 hashes, from texts, the fast sketch takes less time than each family; a part fails from 1.05."""
    ratios = {f: _ratio(table, reports.FAST, f, 200, TEXTS) for f in FAMILIES}
    return verdict(
        "ours-fast-time",
        together([ratio.decide_below(holds_to=0.95, fails_from=1.05) for ratio in ratios.values()]),
        "From texts, with 200 hashes, the fast sketch takes "
        + ", ".join(f"{ratio.middle:.2f} times the time of {family}" for family, ratio in ratios.items())
        + f" (the nearest: {ratios['multiplicative']}).",
        {f"to_{family}": ratio.middle for family, ratio in ratios.items()},
    )


EXPERIMENT = Experiment(
    id="hash-times",
    title="Time of a signature with each family of hash functions, by k",
    items=(49, 71, 86, 104),
    caption=(
        "First the report's figure: the time to fill the signatures of 20 shuffles from their different shingles with "
        "25 functions of its three families. Beside it 200 functions and all families; and lookalike's way, which "
        "hashes every window of the text. The fast sketch hashes each shingle once or a few times, whatever the number "
        "of hashes."
    ),
    seconds=60,
    measure=_measure,
    draw=_draw,
    judge=_judge,
    figure="report A, figure 3",
)
