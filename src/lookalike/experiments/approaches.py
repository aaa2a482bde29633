"""Three approaches: all pairs of sets, all pairs of signatures, or only the pairs that LSH proposes.

First on growing collections (report A, §8.3), with one preprocessing for all. Then `batch`, the program of report A on
one's own documents, with the time of each approach and the work it does. Candidates may be scored by Jaccard, or by the
cosine or the Euclidean distance of the counts of shingles (article C).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from statistics import fmean, median
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import lookalike as la
from lookalike.errors import LookalikeError, RecipeError
from lookalike.experiments import Cell, Column, Experiment, Progress, Setup, Table, data, figures, reports
from lookalike.experiments.figures import Spread, comparing, in_rounds, signing
from lookalike.experiments.growth import judge_growth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lookalike.engine import Method

__all__ = ["APPROACHES", "EXPERIMENT", "MEASURES", "Approach", "batch", "closeness"]

K: Final = 5
HASHES: Final = 200
THRESHOLD: Final = 0.8
REPORTED: Final = (10, 50, 100, 150, 200, 250, 300, 350, reports.DOCUMENTS)
"""The sizes of the report's figure."""
EXACT_UP_TO: Final = 100
"""The report compares exactly up to here."""
SMALL: Final = (20, 100, reports.DOCUMENTS, 1_000, 2_000)
"""The sizes that verdicts are made from: the same in a quick run and in a full one."""
LARGE: Final = (5_000, 10_000, 20_000, 50_000, 100_000)

ANEW, EXACT, SIGNATURES, LSH, SIGNING = "exact, read anew", "exact", "signatures", "LSH", "signing alone"
_METHODS: Final[dict[str, Method]] = {EXACT: "brute", SIGNATURES: "signatures", LSH: "lsh"}
_LABELS: Final = {
    ANEW: "exact, both texts cut anew\nfor each pair (the report)",
    EXACT: "exact, all pairs of sets",
    SIGNATURES: "all pairs of signatures",
    LSH: "signatures and LSH",
}
COLUMNS: Final = (
    Column("series", "name"),  # "report", "lookalike", or "candidates"
    Column("documents"),
    Column("approach", "name"),
    Column("round"),
    Column("pairs looked at", "pairs"),
    Column("found", "pairs"),
    Column("true", "pairs"),
    Column("error"),
    Column("time", "s", timed=True),
)


def _most(setup: Setup) -> dict[str, int]:
    """Return up to how many documents each approach is run: beyond, it would take minutes."""
    full = {ANEW: reports.DOCUMENTS, EXACT: 10_000, SIGNATURES: 50_000, LSH: 100_000, SIGNING: 100_000}
    return {name: min(most, 2_000 if setup.quick else most) for name, most in full.items()}


def _measure(setup: Setup, progress: Progress) -> Table:
    texts = data.collection(setup, 8_000 if setup.quick else 100_000)
    table = Table(COLUMNS)
    table.rows.extend(_as_reported(texts, lambda share: progress(0.2 * share)))
    table.rows.extend(_ours(texts, setup, lambda share: progress(0.2 + 0.6 * share)))
    table.rows.extend(_candidates(texts, setup, lambda share: progress(0.8 + 0.2 * share)))
    return table


# -- what is measured --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Outcome:
    """Runs an approach, and keeps what it found beside how long it took."""

    texts: list[str]
    approach: str
    recipe: la.Recipe
    looked_at: int = 0
    found: int = 0

    def run(self) -> None:
        method = _METHODS[self.approach]
        bands = reports.BANDS if method == "lsh" else None
        found = la.find(self.texts, THRESHOLD, method=method, bands=bands, recipe=self.recipe, threads=1)
        self.looked_at, self.found = found.candidates, found.pairs.num_rows


def _as_reported(texts: list[str], progress: Progress) -> Iterator[tuple[Cell, ...]]:
    """Time what the report's figure shows: its way of exact comparison, and its modular functions."""
    recipe = reports.recipe_a(K, hashes=HASHES, **reports.sketch("modular"))
    cells, works = [], []
    for size in REPORTED:
        if size <= EXACT_UP_TO:
            cells.append((size, ANEW))
            works.append(comparing(list(combinations(texts[:size], 2)), recipe))
        for approach in (SIGNATURES, LSH):
            cells.append((size, approach))
            works.append(_Outcome(texts[:size], approach, recipe).run)
    cells.append((reports.DOCUMENTS, SIGNING))
    works.append(signing(texts[: reports.DOCUMENTS], recipe))
    for (size, approach), rounds in zip(cells, in_rounds(works, progress, rounds=5, least=0.0), strict=True):
        for n, time in enumerate(rounds):
            yield "report", size, approach, n, math.comb(size, 2), 0, 0, 0.0, time


def _ours(texts: list[str], setup: Setup, progress: Progress) -> Iterator[tuple[Cell, ...]]:
    """Time the approaches with the fast sketch: in rounds up to 2,000 documents, beyond that once."""
    recipe, most = reports.recipe_a(K, hashes=HASHES), _most(setup)
    sizes = SMALL if setup.quick else SMALL + LARGE
    for chosen, rounds in (([n for n in sizes if n <= SMALL[-1]], 7), ([n for n in sizes if n > SMALL[-1]], 1)):
        cells, works = _works(texts, chosen, most, recipe)
        for (outcome, size), taken in zip(cells, in_rounds(works, progress, rounds=rounds, least=0.002), strict=True):
            true, error = _copies(texts[:size], recipe), _error(texts[:size], recipe) if size == SMALL[0] else 0.0
            for n, time in enumerate(taken):
                row = (outcome.looked_at, outcome.found, true, error, time)
                yield "lookalike", size, outcome.approach, n, *row


def _works(
    texts: list[str], sizes: list[int], most: dict[str, int], recipe: la.Recipe
) -> tuple[list[tuple[_Outcome, int]], list[Callable[[], object]]]:
    cells: list[tuple[_Outcome, int]] = []
    works: list[Callable[[], object]] = []
    for size in sizes:
        for approach in (EXACT, SIGNATURES, LSH, SIGNING):
            if size <= most[approach]:
                outcome = _Outcome(texts[:size], approach, recipe)
                cells.append((outcome, size))
                works.append(signing(texts[:size], recipe) if approach == SIGNING else outcome.run)
    return cells, works


def _candidates(texts: list[str], setup: Setup, progress: Progress) -> Iterator[tuple[Cell, ...]]:
    """Count what the bands propose, for several signings: the candidates of one come in crowds.

    The copies are as many as every tenth document; what remains are pairs of shuffles that met by chance.
    """
    sizes = (1_000, 2_000, 4_000, 8_000) if setup.quick else (1_000, 4_000, 16_000, 50_000, 100_000)
    signings = 12
    for number in range(signings):
        progress(number / signings)
        recipe = reports.recipe_a(K, hashes=HASHES, seed=reports.hash_seed(setup, number))
        for size in sizes:
            proposed = la.candidates(la.sign(texts[:size], recipe, threads=1), reports.BANDS, threads=1)
            found = sum(b == a + 1 and b % 10 == 9 for a, b in proposed)
            yield "candidates", size, LSH, number, len(proposed), found, size // 10, 0.0, 0.0


def _copies(texts: list[str], recipe: la.Recipe) -> int:
    """Count the copies that were made at or above the threshold; no two shuffles come near it by chance."""
    pairs = zip(texts[8::10], texts[9::10], strict=False)
    return sum(la.jaccard(text, copy, recipe=recipe) >= THRESHOLD for text, copy in pairs)


def _error(texts: list[str], recipe: la.Recipe) -> float:
    """Return the mean |error| of the estimates of all pairs."""
    signatures = la.sign(texts, recipe, threads=1)
    pairs = combinations(range(len(texts)), 2)
    return fmean(abs(signatures.estimate(i, j) - la.jaccard(texts[i], texts[j], recipe=recipe)) for i, j in pairs)


# -- the figure --------------------------------------------------------------------------------------------------------


def _draw(table: Table, setup: Setup, figure: Figure) -> None:
    figure.set_size_inches(13, 5.4)
    theirs, ours, pairs = figure.subplots(1, 3)
    _draw_reported(table.where(series="report"), theirs)
    part = table.where(series="lookalike")
    for number, approach in enumerate(_LABELS):
        rows = part.where(approach=approach)
        if rows.rows:
            _draw_spread(rows, ours, number)
    _draw_guides(part, ours)
    _draw_pairs(table, pairs)
    largest = max(table.numbers("documents"))
    for axes in (ours, pairs):
        axes.set(xscale="log", yscale="log", xlabel="documents")
        axes.axvline(reports.DOCUMENTS, color=figures.GREY, linewidth=1, linestyle=":")
        figures.plain_numbers(axes.xaxis, *(n for n in (10, 100, 410, 1_000, 10_000, 100_000) if n <= 1.1 * largest))
        axes.tick_params(axis="x", rotation=30)
    ours.set(ylabel="time [s]", title="lookalike: fast sketch, texts cut once")
    handles, labels = theirs.get_legend_handles_labels()
    more = [dict(zip(*axes.get_legend_handles_labels()[::-1], strict=True)) for axes in (ours, pairs)]
    for label, handle in (more[0] | more[1]).items():
        if label not in labels:
            handles.append(handle)
            labels.append(label)
    figure.legend(handles, labels, loc="outside upper center", ncols=4)
    figures.note(
        figure,
        f"Shuffles of {len(data.words(setup))} words, every tenth a copy with one word replaced; k = {K}, threshold "
        f"{THRESHOLD}, {HASHES} hashes, {reports.BANDS}, the same preprocessing for all. Processor time of one "
        f"thread, medians of rounds. Dotted: {reports.DOCUMENTS} documents, where the report stops. Seed "
        f"{setup.seed}.",
    )


def _draw_reported(table: Table, axes: Axes) -> None:
    for number, approach in enumerate(_LABELS):
        rows = table.where(approach=approach)
        sizes = [int(n) for n in rows.distinct("documents")]
        if sizes:
            times = [median(rows.where(documents=n).numbers("time")) for n in sizes]
            axes.plot(sizes, times, label=_LABELS[approach], **figures.style(number))
    axes.set(xlabel="documents", ylabel="time [s]", title="as the report: modular functions", ylim=(0, None))


def _draw_spread(rows: Table, axes: Axes, number: int) -> None:
    sizes = [int(n) for n in rows.distinct("documents")]
    spreads = [Spread.of(rows.where(documents=n).numbers("time")) for n in sizes]
    look = figures.style(number)
    axes.plot(sizes, [s.middle for s in spreads], label=_LABELS[str(rows.values("approach")[0])], **look)
    axes.fill_between(sizes, [s.low for s in spreads], [s.high for s in spreads], color=look["color"], alpha=0.2, lw=0)


def _draw_pairs(table: Table, axes: Axes) -> None:
    part = table.where(series="candidates")
    sizes = [int(n) for n in part.distinct("documents")]
    axes.plot(sizes, [math.comb(n, 2) for n in sizes], label="all pairs", **figures.style(6))
    means = [fmean(part.where(documents=n).numbers("pairs looked at")) for n in sizes]
    axes.plot(sizes, means, label="candidates of LSH, mean", **figures.style(4))
    axes.plot(sizes, [n // 10 for n in sizes], "k+:", linewidth=1, markersize=9, label="pairs that there are")
    for n in sizes:
        counts = part.where(documents=n).numbers("pairs looked at")
        axes.plot([n] * len(counts), counts, ".", color=figures.COLOURS[4], alpha=0.5, markersize=4)
    axes.set(ylabel="pairs that are looked at", title="pairs; each dot is one signing")


def _draw_guides(table: Table, axes: Axes) -> None:
    """Draw lines of n and n² beside the measured ones."""
    for approach, power, factor, label in ((EXACT, 2, 3.0, "∝ n²"), (SIGNING, 1, 1 / 3, "∝ n")):
        rows = table.where(approach=approach)
        size = rows.numbers("documents")[-1]
        time = median(rows.where(documents=int(size)).numbers("time"))
        sizes = (size / 20, size)
        axes.plot(sizes, [factor * time * (n / size) ** power for n in sizes], color=figures.GREY, linewidth=1)
        end = (size, factor * time)
        axes.annotate(label, end, (2, 0), textcoords="offset points", fontsize=8, color=figures.GREY)


EXPERIMENT = Experiment(
    id="approaches",
    title="Three approaches, by the number of documents",
    items=(51, 52, 72, 86, 101, 103),
    caption=(
        "Left: the report's figure, up to 410 documents. Middle: the same with the fast sketch and texts that are cut "
        "once, on logarithmic axes, where a quadratic time is a line twice as steep as a linear one. Right: the pairs "
        "that LSH looks at are few, but grow as all pairs do: most of them are shuffles that met by chance."
    ),
    seconds=150,
    measure=_measure,
    draw=_draw,
    judge=partial(judge_growth, hashes=HASHES),
    figure="report A, figure 4",
)


_EXACT, _SIGNATURES, _LSH = "exact", "signatures", "lsh"
APPROACHES: Final = {
    _EXACT: "exact, all pairs",
    _SIGNATURES: "signatures, all pairs",
    _LSH: "signatures and LSH",
}
MEASURES: Final = ("jaccard", "cosine", "euclidean")
MOST: Final = 2_000
"""Documents: two of the three approaches compare all pairs, in Python."""


class Approach(NamedTuple):
    """What one approach did and found."""

    name: str
    seconds: float
    comparisons: int
    """Pairs of documents, or of signatures, that were compared."""
    evaluations: int
    """Values of hash functions that were computed: each of h functions for each different shingle of each document."""
    pairs: list[tuple[int, int, float]]
    """Two documents by number and their score, the most similar first."""

    def as_dict(self, names: Sequence[str]) -> dict[str, Any]:
        """Return it as plain values."""
        pairs = [{"a": names[a], "b": names[b], "score": score} for a, b, score in self.pairs]
        return {**self._asdict(), "pairs": pairs}


def batch(
    texts: Mapping[str, str],
    threshold: float,
    *,
    recipe: la.Recipe,
    bands: la.Bands,
    measure: str = "jaccard",
    approaches: Sequence[str] = tuple(APPROACHES),
) -> list[Approach]:
    """Compare documents by each approach; what is found are the pairs at or above the threshold.

    The Euclidean distance d counts as the similarity 1 / (1 + d). Signatures estimate Jaccard, whatever the measure: so
    LSH proposes pairs that are similar by Jaccard; a pair that is similar only by the other measure may be missed.

    >>> found = batch({"a": "the cat sat", "b": "the cat sat!", "c": "dogs"}, 0.5, bands=la.Bands(4, 4),
    ...               recipe=la.Recipe(unit="char", k=3, sketch="classic", hashes=16))
    >>> [(one.name, one.comparisons, one.evaluations, one.pairs) for one in found if one.name != "signatures"]
    [('exact', 3, 0, [(0, 1, 1.0)]), ('lsh', 1, 320, [(0, 1, 1.0)])]
    """
    if not 2 <= len(texts) <= MOST:
        raise LookalikeError(f"give from 2 to {MOST:,} documents, not {len(texts):,}; lookalike scan takes any number")
    if measure not in MEASURES:
        raise RecipeError("measure", measure, "one of " + ", ".join(MEASURES))
    run = {_EXACT: _exact, _SIGNATURES: _signatures, _LSH: _lsh}
    found = []
    for name in approaches:
        started = perf_counter()
        comparisons, pairs = run[name](list(texts.values()), recipe, bands, closeness(measure))
        pairs = sorted((pair for pair in pairs if pair[2] >= threshold), key=lambda pair: (-pair[2], pair[:2]))
        seconds = perf_counter() - started
        shingles = 0 if name == _EXACT else sum(map(len, _bags(list(texts.values()), recipe)))
        found.append(Approach(name, seconds, comparisons, recipe.hashes * shingles, pairs))
    return found


def closeness(measure: str) -> Callable[[Counter[str], Counter[str]], float]:
    """Return the measure of two bags of shingles as a similarity from 0 to 1.

    >>> a, b = Counter("aab"), Counter("ab")
    >>> [round(closeness(name)(a, b), 3) for name in MEASURES]
    [1.0, 0.949, 0.5]
    """
    return {
        "jaccard": lambda a, b: la.jaccard(a.keys(), b.keys()),
        "cosine": la.cosine,
        "euclidean": lambda a, b: 1 / (1 + la.euclidean(a, b)),
    }[measure]


Outcome = tuple[int, "list[tuple[int, int, float]]"]


def _bags(texts: list[str], recipe: la.Recipe) -> list[Counter[str]]:
    return [Counter(shingle.text for shingle in la.shingles(text, recipe)) for text in texts]


def _exact(texts: list[str], recipe: la.Recipe, _bands: la.Bands, close: Callable[..., float]) -> Outcome:
    bags = _bags(texts, recipe)
    pairs = [(a, b, close(bags[a], bags[b])) for a, b in combinations(range(len(texts)), 2)]
    return len(pairs), pairs


def _signatures(texts: list[str], recipe: la.Recipe, _bands: la.Bands, _close: Callable[..., float]) -> Outcome:
    signed = la.sign(texts, recipe)
    pairs = [(a, b, signed.estimate(a, b)) for a, b in combinations(range(len(texts)), 2)]
    return len(pairs), pairs


def _lsh(texts: list[str], recipe: la.Recipe, bands: la.Bands, close: Callable[..., float]) -> Outcome:
    proposed = la.candidates(la.sign(texts, recipe), bands)
    bags = dict.fromkeys(number for pair in proposed for number in pair)
    cut = dict(zip(bags, _bags([texts[number] for number in bags], recipe), strict=True))
    return len(proposed), [(a, b, close(cut[a], cut[b])) for a, b in proposed]
