"""Items 72, 101 and 103 (report A, §8.3): three approaches on growing collections, with one preprocessing for all."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

import lookalike as la
from lookalike.experiments import data, figures, report_a
from lookalike.experiments.experiment import Column, Experiment, Finding, Progress, Setup, Table, Verdict
from lookalike.experiments.timing import best_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lookalike.engine.strategy import Method

__all__ = ["EXPERIMENT"]

K: Final = 5
HASHES: Final = 200
THRESHOLD: Final = 0.8
SMALL: Final = (10, 20, 50, 100, 200, report_a.DOCUMENTS)
"""Up to what the report has."""

ANEW, EXACT, SIGNATURES, LSH = "exact, read anew", "exact", "signatures", "LSH"
_METHODS: Final[dict[str, Method]] = {EXACT: "brute", SIGNATURES: "signatures", LSH: "lsh"}
_LABELS: Final = {
    ANEW: "exact, both texts cut anew\nfor each pair (the report)",
    EXACT: "exact, all pairs of sets",
    SIGNATURES: "all pairs of signatures",
    LSH: "signatures and LSH",
}


class _Run(NamedTuple):
    verified: int
    found: int


def _sizes(setup: Setup) -> tuple[int, ...]:
    return (*SMALL, 1_000, 2_000) if setup.quick else (*SMALL, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)


def _most(setup: Setup) -> dict[str, int]:
    """Return up to how many documents each approach is run: beyond, it would take minutes."""
    if setup.quick:
        return {ANEW: 100, EXACT: 2_000, SIGNATURES: 2_000, LSH: 2_000}
    return {ANEW: report_a.DOCUMENTS, EXACT: 10_000, SIGNATURES: 50_000, LSH: 100_000}


def _measure(setup: Setup, progress: Progress) -> Table:
    columns = (
        Column("documents"),
        Column("approach", "name"),
        Column("candidates", "pairs"),
        Column("verified", "pairs"),
        Column("found", "pairs"),
        Column("true", "pairs"),
        Column("time", "s", timed=True),
    )
    most = _most(setup)
    steps = [(size, approach) for size in _sizes(setup) for approach in _LABELS if size <= most[approach]]
    texts = data.collection(setup, max(size for size, _ in steps))
    recipe = report_a.recipe(K, hashes=HASHES)
    table, weights = Table(columns), [size for size, _ in steps]
    for number, (size, approach) in enumerate(steps):
        progress(sum(weights[:number]) / sum(weights))
        outcome = _Outcome(texts[:size], approach, recipe)
        once = size > 2_000 or approach == ANEW  # long enough
        time = best_time(outcome.run, repeats=0 if once else 3)
        candidates = _band_candidates(texts[:size], recipe) if approach == LSH else math.comb(size, 2)
        true = _copies(texts[:size], recipe)
        table.rows.append((size, approach, candidates, outcome.last.verified, outcome.last.found, true, time))
    progress(1.0)
    return table


def _copies(texts: list[str], recipe: la.Recipe) -> int:
    """Count the copies that were made at or above the threshold; no two shuffles come near it by chance."""
    pairs = zip(texts[8::10], texts[9::10], strict=False)
    return sum(la.jaccard(text, copy, recipe=recipe) >= THRESHOLD for text, copy in pairs)


def _band_candidates(texts: list[str], recipe: la.Recipe) -> int:
    """Count the pairs that the bands propose; the search verifies those of them whose signatures agree enough."""
    return len(la.candidates(la.sign(texts, recipe, threads=1), report_a.BANDS, threads=1))


class _Outcome:
    """Runs an approach, and keeps what it found beside how long it took."""

    def __init__(self, texts: list[str], approach: str, recipe: la.Recipe) -> None:
        self._texts, self._approach, self._recipe = texts, approach, recipe
        self.last = _Run(0, 0)

    def run(self) -> None:
        if self._approach == ANEW:
            pairs = [la.jaccard(a, b, recipe=self._recipe) >= THRESHOLD for a, b in combinations(self._texts, 2)]
            self.last = _Run(len(pairs), sum(pairs))
            return
        method = _METHODS[self._approach]
        bands = report_a.BANDS if method == "lsh" else None
        found = la.find(self._texts, THRESHOLD, method=method, bands=bands, recipe=self._recipe, threads=1)
        self.last = _Run(found.candidates, found.pairs.num_rows)


# -- the figure --------------------------------------------------------------------------------------------------------


def _draw(table: Table, setup: Setup, figure: Figure) -> None:
    figure.set_size_inches(9, 5.4)
    left, right = figure.subplots(1, 2)
    for number, approach in enumerate(_LABELS):
        part = table.where(approach=approach)
        left.plot(part.numbers("documents"), part.numbers("time"), label=_LABELS[approach], **figures.style(number))
        candidates = [count or math.nan for count in part.numbers("candidates")]
        right.plot(part.numbers("documents"), candidates, **figures.style(number))
    part = table.where(approach=LSH)
    true = [count or math.nan for count in part.numbers("true")]
    right.plot(part.numbers("documents"), true, "k+:", linewidth=1, markersize=9, label="pairs that there are")
    _draw_guides(table, left)
    for axes, label in ((left, "time [s]"), (right, "pairs that are looked at")):
        axes.set(xscale="log", yscale="log", xlabel="documents", ylabel=label)
        axes.axvline(report_a.DOCUMENTS, color=figures.GREY, linewidth=1, linestyle=":")
        largest = max(table.numbers("documents"))
        figures.plain_numbers(axes.xaxis, *(n for n in (10, 100, 410, 1_000, 10_000, 100_000) if n <= 1.1 * largest))
        axes.tick_params(axis="x", rotation=30)
    handles, labels = (a + b for a, b in zip(*(x.get_legend_handles_labels() for x in (left, right)), strict=True))
    figure.legend(handles, labels, loc="outside upper center", ncols=3)
    most = _most(setup)
    figures.note(
        figure,
        f"Shuffles of {len(data.words(setup))} words, every tenth a copy with one word replaced; k = {K}, threshold "
        f"{THRESHOLD}, {HASHES} hashes, {report_a.BANDS}, the same preprocessing for all. One thread. Dotted: "
        f"{report_a.DOCUMENTS} documents, where the report stops. Not run beyond: "
        + ", ".join(f"{name} {limit:,}" for name, limit in most.items())
        + f". Seed {setup.seed}.",
    )


def _draw_guides(table: Table, axes: Axes) -> None:
    """Draw lines of n and n² beside the measured ones."""
    part = table.where(approach=EXACT)
    size, time = part.numbers("documents")[-1], part.numbers("time")[-1]
    sizes = (size / 20, size)
    axes.plot(sizes, [3 * time * (n / size) ** 2 for n in sizes], color=figures.GREY, linewidth=1)
    axes.annotate("∝ n²", (size, 3 * time), xytext=(2, 0), textcoords="offset points", fontsize=8, color=figures.GREY)
    part = table.where(approach=LSH)
    size, time = part.numbers("documents")[-1], part.numbers("time")[-1]
    sizes = (size / 20, size)
    axes.plot(sizes, [time / 3 * n / size for n in sizes], color=figures.GREY, linewidth=1)
    axes.annotate("∝ n", (size, time / 3), xytext=(2, -4), textcoords="offset points", fontsize=8, color=figures.GREY)


# -- the verdicts ------------------------------------------------------------------------------------------------------


def _judge(table: Table, _setup: Setup) -> list[Verdict]:
    return [
        _agree(table),
        _exponential(table),
        _limited(table),
        _infeasible(table),
        _linear(table),
        _fastest(table),
    ]


def _times(table: Table, approach: str) -> dict[int, float]:
    part = table.where(approach=approach)
    return dict(zip(map(int, part.numbers("documents")), part.numbers("time"), strict=True))


def _exponent(times: dict[int, float], low: float = 0, high: float = math.inf) -> float:
    """Return p of time ∝ n^p, between the first and the last of the sizes."""
    kept = [(n, time) for n, time in times.items() if low <= n <= high]
    (first, fast), (last, slow) = kept[0], kept[-1]
    return math.log(slow / fast) / math.log(last / first)


def _agree(table: Table) -> Verdict:
    missed = sum(abs(true - found) for true, found in zip(table.numbers("true"), table.numbers("found"), strict=True))
    pairs = sum(table.numbers("true"))
    last = max(table.values("documents"))
    lsh = table.where(approach=LSH, documents=last)
    promised = report_a.BANDS.probability(THRESHOLD)
    finding: Finding = "holds" if missed == 0 else "holds in part" if missed <= 0.05 * pairs else "does not hold"
    return Verdict(
        "Signatures and LSH find what exact comparison finds.",
        "report A, §8.3 and §9, conclusion 4",
        (72, 86, 103),
        finding,
        f"Over all sizes and approaches {missed:,.0f} of {pairs:,.0f} pairs are missed or too many. "
        f"At {last:,} documents LSH has {lsh.numbers('candidates')[0]:,.0f} candidates and finds "
        f"{lsh.numbers('found')[0]:,.0f} of {lsh.numbers('true')[0]:,.0f}. Its {report_a.BANDS} promise "
        f"{promised:.0%} of the pairs at the threshold itself; the copies here are more alike than that.",
        {"missed": missed, "pairs": pairs, "promised_recall": promised},
    )


def _exponential(table: Table) -> Verdict:
    times = _times(table, EXACT)
    power = _exponent(times, low=report_a.DOCUMENTS)
    last = max(times)
    growth = times[last] / times[report_a.DOCUMENTS]
    rate = math.log(times[report_a.DOCUMENTS] / times[200]) / (report_a.DOCUMENTS - 200)
    exponential = rate * (last - report_a.DOCUMENTS) / math.log(10)
    finding: Finding = "does not hold" if power <= 2.5 else "holds in part" if power <= 4 else "holds"
    return Verdict(
        "The time of comparing all pairs exactly grows exponentially.",
        "report A, §8.3 and §9, conclusion 8",
        (72, 86, 101),
        finding,
        f"From {report_a.DOCUMENTS} to {last:,} documents it grows {growth:,.0f}-fold, as the power {power:.2f} of "
        f"their number; n(n-1)/2 pairs have the power 2. An exponential through the times at 200 and "
        f"{report_a.DOCUMENTS} would have grown by a factor of 10^{exponential:.0f}.",
        {"power": power, "growth": growth, "exponential_growth_log10": exponential},
    )


def _limited(table: Table) -> Verdict:
    exact, anew = _times(table, EXACT), _times(table, ANEW)
    finding: Finding = "holds" if exact[100] >= 1 else "holds in part" if exact[410] >= 1 else "does not hold"
    share = anew[100] / exact[100]
    return Verdict(
        "Exact comparison can be had for fewer than 100 documents only.",
        "report A, §8.3",
        (72, 101),
        finding,
        f"100 documents take {1000 * exact[100]:.1f} ms and {report_a.DOCUMENTS} take {1000 * exact[410]:.0f} ms; the "
        f"report needed 2.79 s for 100. Its program cuts both texts anew for each pair: done so here, 100 documents "
        f"take {share:.0f} times as long.",
        {"seconds_100": exact[100], "seconds_410": exact[410], "anew_ratio": share},
    )


def _infeasible(table: Table) -> Verdict:
    exact, lsh = _times(table, EXACT), _times(table, LSH)
    hours = exact[max(exact)] * (1e6 / max(exact)) ** _exponent(exact, report_a.DOCUMENTS) / 3600
    seconds = lsh[max(lsh)] * (1e6 / max(lsh)) ** _exponent(lsh, report_a.DOCUMENTS)
    ratio = 3600 * hours / seconds
    finding: Finding = "holds" if ratio >= 1000 else "holds in part" if ratio >= 100 else "does not hold"
    return Verdict(
        "For very large sets exact comparison of all pairs is out of reach, and LSH is the way.",
        "report A, §9, conclusion 4",
        (72, 86),
        finding,
        f"If the times go on growing as they do, a million documents of this size take {hours:,.0f} hours by all pairs "
        f"and {seconds:,.0f} seconds by LSH, on one core: {ratio:,.0f} times less.",
        {"hours_exact": hours, "seconds_lsh": seconds},
    )


def _linear(table: Table) -> Verdict:
    signatures, lsh = _times(table, SIGNATURES), _times(table, LSH)
    within = {name: _exponent(times, 100, report_a.DOCUMENTS) for name, times in ((SIGNATURES, signatures), (LSH, lsh))}
    beyond = {name: _exponent(times, 1_000) for name, times in ((SIGNATURES, signatures), (LSH, lsh))}
    both = all(power <= 1.3 for power in beyond.values())
    finding: Finding = "holds" if both else "holds in part" if min(beyond.values()) <= 1.3 else "does not hold"
    return Verdict(
        "The time of signatures and of LSH grows linearly.",
        "report A, §8.3",
        (72,),
        finding,
        f"From 100 to {report_a.DOCUMENTS} documents the powers are {within[SIGNATURES]:.2f} for signatures and "
        f"{within[LSH]:.2f} for LSH: so few documents show little. From 1,000 documents on they are "
        f"{beyond[SIGNATURES]:.2f} and {beyond[LSH]:.2f}; all pairs of signatures are n(n-1)/2 as well.",
        {f"{name}_power": power for name, power in beyond.items()},
    )


def _fastest(table: Table) -> Verdict:
    signatures, lsh, exact = (_times(table, name) for name in (SIGNATURES, LSH, EXACT))
    last = max(signatures)
    ratios = {n: signatures[n] / lsh[n] for n in (100, report_a.DOCUMENTS, last)}
    wins = all(lsh[n] <= min(signatures[n], exact.get(n, math.inf)) for n in signatures if n >= report_a.DOCUMENTS)
    rising = ratios[100] < ratios[report_a.DOCUMENTS] < ratios[last]
    finding: Finding = "holds" if wins and rising else "holds in part" if wins or rising else "does not hold"
    listed = ", ".join(f"{ratio:.1f} at {n:,}" for n, ratio in ratios.items())
    return Verdict(
        "LSH is the fastest, and the more documents there are, the more it matters.",
        "report A, §8.3 and §9, conclusions 4 and 6",
        (72, 86),
        finding,
        f"Time of all pairs of signatures divided by time of LSH: {listed} documents. Exact comparison of "
        f"{max(exact):,} documents takes {exact[max(exact)] / lsh[max(exact)]:,.0f} times as long as LSH.",
        {f"ratio_{n}": ratio for n, ratio in ratios.items()},
    )


EXPERIMENT = Experiment(
    id="approaches",
    title="Three approaches, by the number of documents",
    items=(51, 52, 72, 86, 101, 103),
    caption=(
        "Time to find all pairs with similarity 0.8 or more, from the texts on: by comparing all pairs of sets, all "
        "pairs of signatures, or only the candidates of LSH; every pair found is verified exactly. Both axes are "
        "logarithmic: a quadratic time is a line twice as steep as a linear one. On the right, how many pairs are "
        "looked at: for LSH, the candidates that its bands propose."
    ),
    seconds=90,
    measure=_measure,
    draw=_draw,
    judge=_judge,
)
