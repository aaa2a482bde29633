"""Item 74 (left out of report A, in its programs): candidates of LSH for h = 240, with every b that divides 240."""

from __future__ import annotations

import math
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Final

import lookalike as la
from lookalike.experiments import data, figures, report_a
from lookalike.experiments.claims import verdict
from lookalike.experiments.experiment import Column, Experiment, Finding, Progress, Setup, Table, Verdict, each

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lookalike.experiments.experiment import Cell

__all__ = ["EXPERIMENT"]

HASHES: Final = 240
K: Final = 9
THRESHOLD: Final = 0.8


def _signings(setup: Setup) -> int:
    """Return how often the texts are signed: the candidates of one signing are far from independent of each other."""
    return 12 if setup.quick else 50


def _documents(setup: Setup) -> int:
    return 200 if setup.quick else report_a.DOCUMENTS


def _measure(setup: Setup, progress: Progress) -> Table:
    columns = (
        Column("bands"),
        Column("rows"),
        Column("half point"),
        Column("expected", "pairs"),
        Column("candidates", "pairs"),
        Column("spread", "pairs"),
        Column("true", "pairs"),
        Column("true found", "pairs"),
    )
    texts = data.collection(setup, _documents(setup))
    # Independent functions, of which the formula speaks; the slots of the fast sketch are spread more evenly than that.
    recipe = report_a.recipe(K, hashes=HASHES, **report_a.sketch("murmur3"))
    exact = report_a.similarities(texts, recipe)
    true = {pair for pair, similarity in exact.items() if similarity >= THRESHOLD}
    seeds = [report_a.hash_seed(setup, number) for number in range(_signings(setup))]
    signed = [la.sign(texts, recipe.replace(seed=seed)) for seed in seeds]
    table = Table(columns)
    for count in each([b for b in range(1, HASHES + 1) if HASHES % b == 0], progress):
        bands = la.Bands(count, HASHES // count)
        expected = math.fsum(bands.probability(similarity) for similarity in exact.values())
        found = [la.candidates(signatures, bands, threads=1) for signatures in signed]
        counts = [len(pairs) for pairs in found]
        true_found = fmean(sum(pair in true for pair in pairs) for pairs in found)
        row = (bands.bands, bands.rows, bands.half_point, expected, fmean(counts), stdev(counts), len(true), true_found)
        table.rows.append(row)
    return table


# -- the figure --------------------------------------------------------------------------------------------------------


def _draw(table: Table, setup: Setup, figure: Figure) -> None:
    figure.set_size_inches(8, 6)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    bands = table.numbers("bands")
    total = math.comb(_documents(setup), 2)
    upper.plot(
        bands, [count or math.nan for count in table.numbers("candidates")], label="candidates", **figures.style(0)
    )
    upper.plot(bands, table.numbers("expected"), label="expected, from the exact similarities", **figures.style(1))
    upper.axhline(total, color=figures.GREY, linewidth=1, linestyle="--", label=f"all {total:,} pairs")
    upper.axhline(table.numbers("true")[0], color="black", linewidth=1, linestyle=":", label=f"pairs ≥ {THRESHOLD}")
    upper.set(yscale="log", ylim=(0.5, 3 * total), ylabel="pairs", title="Candidates")
    figures.plain_numbers(upper.yaxis)
    upper.legend(loc="upper left", bbox_to_anchor=(0.0, 0.9))
    _draw_found(table, lower)
    lower.set(xscale="log", xlabel=f"bands b, of {HASHES} ÷ b rows each")
    figures.plain_numbers(lower.xaxis, *(b for b in bands if b in (1, 2, 3, 4, 6, 8, 12, 20, 30, 48, 80, 120, 240)))
    figures.note(
        figure,
        f"{_documents(setup)} shuffles of {len(data.words(setup))} words, every tenth a copy with one word replaced; "
        f"k = {K}, {HASHES} hashes (murmur3), all {len(bands)} divisors of {HASHES}; means of {_signings(setup)} "
        f"signings. Seed {setup.seed}.",
    )


def _draw_found(table: Table, axes: Axes) -> None:
    bands, true = table.numbers("bands"), table.numbers("true")[0] or 1.0
    found = [100 * count / true for count in table.numbers("true found")]
    axes.plot(bands, found, label=f"pairs ≥ {THRESHOLD} that are found", **figures.style(2))
    half = [100 * point for point in table.numbers("half point")]
    axes.plot(bands, half, label="similarity at which half are found", **figures.style(3))
    axes.set(ylabel="[%]", ylim=(-3, 106), title="Recall, and where the curve is steep")
    axes.legend(loc="center left", bbox_to_anchor=(0.0, 0.32))


# -- the verdicts ------------------------------------------------------------------------------------------------------


def _judge(table: Table, setup: Setup) -> list[Verdict]:
    """Rule: some b lose more than 1 % of the true pairs, and some propose ten pairs for each true one."""
    true, total = table.numbers("true")[0], math.comb(_documents(setup), 2)
    rows = list(zip(table.values("bands"), table.numbers("candidates"), table.numbers("true found"), strict=True))
    blind = [b for b, _, found in rows if found < 0.99 * true]
    wide = [b for b, candidates, _ in rows if candidates > 10 * true]
    good = [b for b, candidates, found in rows if found >= 0.99 * true and candidates <= 2 * true]
    finding: Finding = "holds" if blind and wide else "holds in part" if blind or wide else "does not hold"

    def listed(numbers: list[Cell]) -> str:
        return ", ".join(map(str, numbers)) or "none"

    return [
        verdict(
            "A-9.7",
            finding,
            f"Of {len(rows)} ways to cut {HASHES} hashes into bands, some lose more than 1 % of the {true:.0f} true "
            f"pairs (b = {listed(blind)}); some propose more than ten pairs for each true one (b = {listed(wide)}: "
            f"{rows[-1][1] / total:.0%} of all pairs for b = {HASHES}). With b = {listed(good)} nearly all true pairs "
            f"are found, and no more false ones than true ones are proposed.",
            {"ways": len(rows), "good": len(good), "lose_pairs": len(blind), "too_many": len(wide)},
        )
    ]


EXPERIMENT = Experiment(
    id="lsh-candidates",
    title="Candidates of LSH with 240 hashes, for every number of bands",
    items=(51, 74, 86),
    caption=(
        "The signatures of one collection, 240 numbers each, are cut into b bands of 240 ÷ b rows in all ways that "
        "leave nothing over. With one band only equal signatures meet; with 240 bands of one row nearly every pair "
        "does. Between them lie the cuts that propose the true pairs and little else. The expected number is "
        "1 − (1 − sʳ)ᵇ, added up over all pairs."
    ),
    seconds=10,
    measure=_measure,
    draw=_draw,
    judge=_judge,
)
