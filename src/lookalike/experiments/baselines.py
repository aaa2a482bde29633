"""Claims that the reports make in passing: sets three ways, cryptographic hashes, and the price of a low threshold.

None of them has a figure in a report.
"""

from __future__ import annotations

import hashlib
import statistics
from bisect import bisect_left
from functools import partial
from itertools import pairwise
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
    each,
    figures,
    reports,
    verdict,
)
from lookalike.experiments.figures import ROUNDS, Spread, in_rounds, signing, together
from lookalike.hashing import FAMILIES, murmur3_32

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "JOINS"]

# -- the intersection of two sets, three ways (report B, §6.1.1) -------------------------------------------------------


def _merged(a: Sequence[int], b: Sequence[int]) -> int:
    """Walk through two sorted lists at the same time (report A)."""
    i = j = shared = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            shared, i, j = shared + 1, i + 1, j + 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return shared


def _looked_up_in_order(a: Sequence[int], b: Sequence[int]) -> int:
    """Look up each element of the smaller in the ordered other: a search that halves it each time."""
    small, large = sorted((a, b), key=len)
    shared = 0
    for element in small:
        place = bisect_left(large, element)
        shared += place < len(large) and large[place] == element
    return shared


def _looked_up(a: Sequence[int], b: Sequence[int]) -> int:
    """Look up each element of the smaller in a hash set of the other (report B)."""
    small, large = sorted((a, b), key=len)
    held = set(large)
    shared = 0
    for element in small:
        shared += element in held
    return shared


JOINS: Final[dict[str, Callable[[Sequence[int], Sequence[int]], int]]] = {
    "merge of sorted lists": lambda a, b: _merged(sorted(a), sorted(b)),
    "ordered set, looked up": lambda a, b: _looked_up_in_order(sorted(a), sorted(b)),
    "hash set, looked up": _looked_up,
}
"""Each from unsorted elements to the number of shared ones."""


def _measure_sets(setup: Setup, progress: Progress) -> Table:
    columns = ("way", "name"), ("elements",), ("shared",), ("round",)
    table = Table((*(Column(*each) for each in columns), Column("time", "s", timed=True)))
    sizes = (500, 2_000, 8_000, 32_000) if setup.quick else (500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 128_000)
    text = data.book(setup, 4 * max(sizes), "sets")
    book = [murmur3_32(shingle.text.encode()) for shingle in la.shingles(text, reports.recipe_a(9))]
    different = list(dict.fromkeys(book))
    cells, works = [], []
    for size in sizes:
        a, b = different[:size], different[size // 2 : size // 2 + size]
        for way, join in JOINS.items():
            cells.append((way, min(len(a), len(b)), join(a, b)))
            works.append(partial(join, a, b))
    for cell, times in zip(cells, in_rounds(works, progress), strict=True):
        table.rows.extend((*cell, number, time) for number, time in enumerate(times))
    return table


def _medians(table: Table, way: str) -> tuple[list[float], list[float]]:
    """Return the sizes of the sets, and for each the median time."""
    part = table.where(way=way)
    sizes = sorted(set(part.numbers("elements")))
    return sizes, [statistics.median(part.where(elements=size).numbers("time")) for size in sizes]


def _draw_sets(table: Table, setup: Setup, figure: Figure) -> None:
    axes = figure.subplots()
    for number, way in enumerate(JOINS):
        sizes, times = _medians(table, way)
        per_element = [1e9 * time / size for time, size in zip(times, sizes, strict=True)]
        axes.plot(sizes, per_element, label=way, **figures.style(number))
    axes.set(xscale="log", xlabel="elements of each set", ylabel="time for an element [ns]")
    figures.plain_numbers(axes.xaxis, *sorted(set(table.numbers("elements"))))
    axes.set_ylim(bottom=0)
    axes.legend()
    figures.note(
        figure,
        f"In Python, from unsorted elements, half of them shared; medians of {ROUNDS} rounds. Seed {setup.seed}.",
    )


def _judge_sets(table: Table, _setup: Setup) -> list[Verdict]:
    """Rule: at the largest size each of the others takes 1.1 times as long as the hash set; 0.9 times, and it fails."""
    largest = max(table.numbers("elements"))
    merge, ordered, hashed = (table.where(way=way, elements=largest).numbers("time") for way in JOINS)
    to_merge, to_ordered = Spread.of_ratios(merge, hashed), Spread.of_ratios(ordered, hashed)
    finding = together([ratio.decide(holds_from=1.1, fails_to=0.9) for ratio in (to_merge, to_ordered)])
    said = (
        f"With {largest:,.0f} elements the merge takes {to_merge} times as long as the hash set, sorting included, and "
        f"looking up in order {to_ordered} times. The merge itself is linear too: it is sorting that costs n log n."
    )
    return [verdict("ours-B-sets", finding, said, {"merge": to_merge.middle, "ordered_set": to_ordered.middle})]


# -- cryptographic hash functions (report A, §6) -----------------------------------------------------------------------

_BLOCK: Final = 64
"""Bytes that SHA-1 and MD5 take at a time: a shingle, however short, costs one block."""
_VALUES: Final = {"sha1": 5, "md5": 4}
"""Numbers of 32 bits in a digest."""
_BLOCKS: Final = 16_384
"""Blocks that are digested at a time, so that the cost of a call does not count."""
_HASHES: Final = (200, 1000)
"""The time of a family is that of the functions in between."""


def _measure_hashes(setup: Setup, progress: Progress) -> Table:
    table = Table((Column("function", "name"), Column("round"), Column("time for a value", "ns", timed=True)))
    text = data.book(setup, 20_000 if setup.quick else 100_000, "hashes")
    shingles = len({shingle.text for shingle in la.shingles(text, reports.recipe_a(9))})
    blocks = bytes(_BLOCK * _BLOCKS)
    recipes = [reports.recipe_a(9, hashes=hashes, **reports.sketch(name)) for name in FAMILIES for hashes in _HASHES]
    works: list[Callable[[], object]] = [partial(_digest, name, blocks) for name in _VALUES]
    works += [signing([text], recipe) for recipe in recipes]
    times = in_rounds(works, progress)
    for name, taken in zip(_VALUES, times, strict=False):
        table.rows.extend((name, n, 1e9 * time / _BLOCKS / _VALUES[name]) for n, time in enumerate(taken))
    more = (_HASHES[1] - _HASHES[0]) * shingles
    for place, name in enumerate(FAMILIES):
        few, many = times[len(_VALUES) + 2 * place :][:2]
        taken = [max(1e9 * (b - a) / more, 1e-3) for a, b in zip(few, many, strict=True)]
        table.rows.extend((name, n, time) for n, time in enumerate(taken))
    return table


def _digest(name: str, blocks: bytes) -> bytes:
    return hashlib.new(name, blocks, usedforsecurity=False).digest()


def _draw_hashes(table: Table, setup: Setup, figure: Figure) -> None:
    axes = figure.subplots()
    names = [*FAMILIES, *_VALUES]
    times = [statistics.median(table.where(function=name).numbers("time for a value")) for name in names]
    colours = [figures.COLOURS[0] if name in FAMILIES else figures.COLOURS[1] for name in names]
    axes.barh(range(len(names)), times, color=colours)
    axes.set_yticks(range(len(names)), names)
    for place, time in enumerate(times):
        axes.annotate(f"{time:.2g} ns", (time, place), xytext=(4, 0), textcoords="offset points", va="center")
    axes.set(xscale="log", xlabel="time for one number of a signature [ns]")
    figures.plain_numbers(axes.xaxis, 0.01, 0.1, 1, 10, 100)
    axes.set_xlim(min(times) / 3, 6 * max(times))
    axes.invert_yaxis()
    figures.note(
        figure,
        "Families: the time that 800 more hash functions take. SHA-1 and MD5: a block of 64 bytes, without the cost of "
        f"a call, divided by the 5 or 4 numbers in a digest. One thread. Seed {setup.seed}.",
    )


def _judge_hashes(table: Table, _setup: Setup) -> list[Verdict]:
    """Rule: for each family, the faster of the two takes three times as long; if twice or less, it fails there."""
    times = {name: table.where(function=name).numbers("time for a value") for name in (*FAMILIES, *_VALUES)}
    faster = min(_VALUES, key=lambda name: statistics.median(times[name]))
    ratios = {name: Spread.of_ratios(times[faster], times[name]) for name in FAMILIES}
    finding = together([ratio.decide(holds_from=3, fails_to=2) for ratio in ratios.values()])
    said = (
        f"One number takes {Spread.of(times[faster])} ns with {faster}, the faster of the two: "
        + ", ".join(f"{ratio} times as long as with {name}" for name, ratio in ratios.items())
        + ". Every part of a digest is used, and no call is counted: in a program they are slower still."
    )
    return [verdict("A-6-cryptographic", finding, said, {name: ratio.middle for name, ratio in ratios.items()})]


# -- the price of a low threshold (report A, §5) -----------------------------------------------------------------------

_THRESHOLDS: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def _measure_thresholds(setup: Setup, progress: Progress) -> Table:
    columns = (
        Column("threshold"),
        Column("bands"),
        Column("rows"),
        Column("candidates", "pairs"),
        Column("found", "pairs"),
        Column("time", "s", timed=True),
    )
    table = Table(columns)
    texts = data.collection(setup, 400 if setup.quick else 4_000)
    recipe = reports.recipe_a(5, sketch="fast", hashes=256)
    signed = la.sign(texts, recipe, threads=1)
    for threshold in each(_THRESHOLDS, progress):
        bands = la.choose_bands(threshold, recall=0.99, hashes=256)
        found = la.find(texts, threshold, method="lsh", bands=bands, recipe=recipe, threads=1)
        search = partial(la.find, texts, threshold, method="lsh", bands=bands, recipe=recipe, threads=1)
        time = statistics.median(in_rounds([search], lambda _share: None, rounds=3)[0])
        proposed = len(la.candidates(signed, bands, threads=1))
        table.rows.append((threshold, bands.bands, bands.rows, proposed, found.pair_count, time))
    return table


def _draw_thresholds(table: Table, setup: Setup, figure: Figure) -> None:
    figure.set_size_inches(9, 4.6)
    left, right = figure.subplots(1, 2)
    left.plot(table.numbers("threshold"), table.numbers("candidates"), label="candidates", **figures.style(0))
    left.plot(table.numbers("threshold"), table.numbers("found"), label="found", **figures.style(1))
    left.set(yscale="log", xlabel="threshold", ylabel="pairs")
    left.legend()
    right.plot(table.numbers("threshold"), table.numbers("time"), **figures.style(2))
    right.set(xlabel="threshold", ylabel="time of the search [s]")
    right.set_ylim(bottom=0)
    count = 400 if setup.quick else 4_000
    figures.note(
        figure,
        f"{count:,} shuffles, every tenth a copy with one word replaced; k = 5, 256 hashes, bands for a recall of 0.99 "
        f"at each threshold. One thread. Seed {setup.seed}.",
    )


def _judge_thresholds(table: Table, _setup: Setup) -> list[Verdict]:
    """Rule: with a higher threshold the candidates never rise, and fall tenfold in all; in part if they fall."""
    candidates, found, times = (table.numbers(name) for name in ("candidates", "found", "time"))
    falls = all(a >= b for a, b in pairwise(candidates))
    tenfold = candidates[0] >= 10 * candidates[-1]
    finding: Finding = "holds" if falls and tenfold else "holds in part" if falls else "does not hold"
    said = (
        f"From a threshold of {_THRESHOLDS[0]} to {_THRESHOLDS[-1]} the candidates go from {candidates[0]:,.0f} to "
        f"{candidates[-1]:,.0f}, the pairs found from {found[0]:,.0f} to {found[-1]:,.0f}, the time from "
        f"{times[0]:.3f} to {times[-1]:.3f} s."
    )
    numbers = {"candidates_low": candidates[0], "candidates_high": candidates[-1]}
    return [verdict("A-5-speed", finding, said, numbers)]


EXPERIMENTS: Final = (
    Experiment(
        id="set-joins",
        title="The intersection of two sets: merged, looked up in order, hashed",
        items=(4, 5),
        caption="Time for an element of two sets of which half is shared, from unsorted elements. A flat line is "
        "linear; sorting, and looking up in order, grow with the logarithm of the size.",
        seconds=6,
        measure=_measure_sets,
        draw=_draw_sets,
        judge=_judge_sets,
    ),
    Experiment(
        id="cryptographic",
        title="What SHA-1 and MD5 would cost",
        items=(31,),
        caption="Time to compute one number of a signature with each family of hash functions, and with a "
        "cryptographic one at its best: no cost of a call, and every part of a digest used.",
        seconds=6,
        measure=_measure_hashes,
        draw=_draw_hashes,
        judge=_judge_hashes,
    ),
    Experiment(
        id="threshold-speed",
        title="Candidates and time, by the threshold",
        items=(44,),
        caption="The same collection searched at nine thresholds, with bands that find 99 % of the pairs at each. A "
        "lower threshold proposes more pairs, and each has to be verified.",
        seconds=20,
        measure=_measure_thresholds,
        draw=_draw_thresholds,
        judge=_judge_thresholds,
    ),
)
