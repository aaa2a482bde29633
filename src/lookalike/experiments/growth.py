"""How the work grows with the number of documents: comparisons of all pairs, and what report A says (§8.3, §9)."""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING, Final

import lookalike as la
from lookalike.experiments import (
    Column,
    Experiment,
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
from lookalike.experiments.figures import Spread, slope, together

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lookalike.experiments import Finding

__all__ = ["EXPERIMENTS", "chance_candidates", "judge_growth"]

# -- comparisons of all pairs, counted and computed --------------------------------------------------------------------


COUNTED: Final = (2, 5, 10, 20, 50, 100, 200, reports.DOCUMENTS)
COMPUTED: Final = (1_000, 10_000, 100_000, 1_000_000)
THRESHOLD: Final = 0.8


def _measure_comparisons(setup: Setup, progress: Progress) -> Table:
    columns = (Column("documents"), Column("source", "name"), Column("comparisons"), Column("doubled documents"))
    recipe = reports.recipe_a(5)
    texts = data.permutations(setup, 2 * reports.DOCUMENTS)
    table = Table(columns)
    for size in each(COUNTED, progress):
        counts = [la.find(texts[:n], THRESHOLD, method="brute", recipe=recipe).candidates for n in (size, 2 * size)]
        table.rows.append((size, "counted", *counts))
    for size in COMPUTED:
        table.rows.append((size, "computed", math.comb(size, 2), math.comb(2 * size, 2)))
    return table


def _draw_comparisons(table: Table, setup: Setup, figure: Figure) -> None:
    axes = figure.subplots()
    for number, source in enumerate(("counted", "computed")):
        part = table.where(source=source)
        label = f"all pairs, {'counted in a run' if source == 'counted' else 'computed, n(n − 1)/2'}"
        axes.plot(part.numbers("documents"), part.numbers("comparisons"), label=label, **figures.style(number))
    small = range(2, 42)
    axes.plot(small, [2.0**n for n in small], color=figures.GREY, linewidth=1.2, linestyle=":", label="exponential, 2ⁿ")
    sizes = table.numbers("documents")
    axes.plot(sizes, sizes, color=figures.GREY, linewidth=1, label="one for each document, n")
    line = {"arrowstyle": "-", "color": figures.GREY, "linewidth": 0.8}
    axes.annotate("20 documents: 190", (20, 190), xytext=(60, 4), fontsize=8.5, arrowprops=line)
    million = math.comb(1_000_000, 2)
    axes.annotate(
        f"a million documents: {million:,}",
        (1e6, million),
        xytext=(-14, 2),
        fontsize=8.5,
        textcoords="offset points",
        ha="right",
    )
    axes.set(xscale="log", yscale="log", xlabel="documents", ylabel="comparisons", ylim=(0.7, 3e12))
    figures.plain_numbers(axes.xaxis, *(10.0**power for power in range(1, 7)))
    axes.legend(loc="lower right")
    figures.note(figure, f"Counted on shuffles of {len(data.words(setup))} words, up to 820. Seed {setup.seed}.")


def _judge_comparisons(table: Table, _setup: Setup) -> list[Verdict]:
    counted = table.where(source="counted")
    right = all(int(row[2]) == math.comb(int(row[0]), 2) for row in counted.rows)
    twenty = counted.where(documents=20).numbers("comparisons")[0]
    million = table.where(documents=1_000_000).numbers("comparisons")[0]
    ratios = [float(row[3]) / float(row[2]) for row in table.rows if int(row[0]) >= 100]
    quadratic = all(3.9 <= ratio <= 4.1 for ratio in ratios)
    return [
        verdict(
            "A-8.1-pairs",
            "holds" if right and twenty == 190 else "does not hold",
            f"Counted: {twenty:.0f} for 20 documents, and n(n-1)/2 for each of {len(counted.rows)} sizes.",
            {"twenty": twenty},
        ),
        verdict(
            "A-8.3-exponential",
            "does not hold" if quadratic else "holds",
            f"Twice as many documents are {min(ratios):.2f} to {max(ratios):.2f} times as many comparisons, from 100 "
            "documents on: it is quadratic. An exponential would square its value instead. Not feasible for large sets "
            "it is all the same.",
            {"least_ratio": min(ratios), "largest_ratio": max(ratios)},
        ),
        verdict(
            "B-4.1.1",
            "holds" if million == 499_999_500_000 else "does not hold",
            f"Computed for a million: {million:,.0f}.",
            {"million": million},
        ),
    ]


_COMPARISONS = Experiment(
    id="comparisons",
    title="How many comparisons all pairs are",
    items=(51, 52, 101),
    caption=(
        "Comparing every document with every other takes n(n − 1)/2 comparisons: four times as many for twice the "
        "documents. That is quadratic, far from the exponential that report A calls it, and still too much for a "
        "million."
    ),
    seconds=2,
    measure=_measure_comparisons,
    draw=_draw_comparisons,
    judge=_judge_comparisons,
)


# -- the three approaches, judged on counts where there are any --------------------------------------------------------


EXACT, SIGNATURES, LSH, SIGNING = "exact", "signatures", "LSH", "signing alone"
FEW, SOME, MANY = 100, 410, 2_000
MILLION: Final = 1_000_000


def judge_growth(table: Table, _setup: Setup, *, hashes: int) -> list[Verdict]:
    """Return the verdicts, in the order of the report."""
    ours = table.where(series="lookalike")
    return [
        _limit(ours),
        _asymptotically(table),
        _signatures(ours),
        _signing(table),
        _quadratic(table),
        _feasible(ours, table, hashes),
        _matters(ours),
        _explore(ours),
        _same_pairs(ours),
    ]


def _times(table: Table, approach: str, documents: int) -> list[float]:
    return table.where(approach=approach, documents=documents).numbers("time")


def _limit(table: Table) -> Verdict:
    """Rule: 410 documents take at least a second; it fails below half a second."""
    taken = {n: Spread.of(_times(table, EXACT, n)) for n in (FEW, SOME)}
    return verdict(
        "A-8.3-limit",
        taken[SOME].decide(holds_from=1.0, fails_to=0.5),
        f"{FEW} documents take {1000 * taken[FEW].middle:.1f} ms and {SOME} take {1000 * taken[SOME].middle:.0f} ms; "
        "the report needed 2.79 s for 100. Its program cuts both texts again for each pair, and was not optimised.",
        {"seconds_100": taken[FEW].middle, "seconds_410": taken[SOME].middle},
    )


# -- candidates, which are counted -------------------------------------------------------------------------------------


def chance_candidates(table: Table) -> dict[int, list[int]]:
    """Return for each number of documents the candidates that are no copies, signing by signing."""
    part = table.where(series="candidates")
    found: dict[int, list[int]] = {}
    for row in part.rows:
        found.setdefault(int(row[1]), []).append(int(row[4]) - int(row[5]))
    return found


def _power(table: Table) -> Spread:
    """Return p of candidates ∝ n^p: of the sums over all signings, and with each signing left out in turn."""
    counts = chance_candidates(table)
    signings = range(len(next(iter(counts.values()))))

    def fitted(without: int | None) -> float:
        sums = {n: sum(c for i, c in enumerate(values) if i != without) for n, values in counts.items()}
        return slope([math.log(n) for n in sums], [math.log(max(total, 0.5)) for total in sums.values()])

    powers = sorted(fitted(without) for without in signings)
    return Spread(powers[0], fitted(None), powers[-1])


def _share(table: Table) -> float:
    """Return which share of all pairs the bands propose, of the largest collection."""
    part = table.where(series="candidates")
    largest = max(map(int, part.values("documents")))
    return fmean(part.where(documents=largest).numbers("pairs looked at")) / math.comb(largest, 2)


def _quadratic(table: Table) -> Verdict:
    """Rule: the candidates that are no copies grow as n^1.5 at least (fails to 1.25), and are at most 5 % of all."""
    power, share = _power(table), _share(table)
    counts = chance_candidates(table)
    few, many = min(counts), max(counts)
    small: Finding = "holds" if share <= 0.05 else "does not hold"
    million = [share_of * math.comb(MILLION, 2) for share_of in _shares(counts[many], many)]
    return verdict(
        "A-8.3-lsh",
        together([power.decide(holds_from=1.5, fails_to=1.25), small]),
        f"Candidates that are no copies, mean of {len(counts[few])} signings: {fmean(counts[few]):,.1f} among {few:,} "
        f"documents, {fmean(counts[many]):,.0f} among {many:,}. They grow as n to the power {power}; all pairs do as "
        f"n². All candidates together are {share:.4%} of the pairs. Carried on to a million documents that would be "
        f"{million[1]:,.0f} candidates ({million[0]:,.0f} to {million[2]:,.0f}) beside 100,000 copies: quadratic, with "
        "a way smaller factor, as the report believes. More rows in a band make the factor smaller still.",
        {"power": power.middle, "low": power.low, "high": power.high, "share": share},
    )


def _shares(counts: list[int], size: int) -> tuple[float, float, float]:
    """Return the mean share of pairs that meet by chance, with two standard errors to each side."""
    mean = fmean(counts)
    spread = math.sqrt(sum((c - mean) ** 2 for c in counts) / max(len(counts) - 1, 1) / len(counts))
    return tuple(max(value, 0.0) / math.comb(size, 2) for value in (mean - 2 * spread, mean, mean + 2 * spread))  # type: ignore[return-value]


def _asymptotically(table: Table) -> Verdict:
    """Rule: the pairs looked at grow slower than n^1.5; all pairs of signatures are n(n − 1)/2 whatever is measured."""
    power = _power(table)
    part = table.where(series="lookalike", approach=SIGNATURES)
    sizes = sorted({int(n) for n in part.values("documents") if int(n) <= MANY})
    by_pairs = slope([math.log(n) for n in sizes], [math.log(math.comb(n, 2)) for n in sizes])
    lsh = power.decide_below(holds_to=1.25, fails_from=1.5)
    return verdict(
        "A-8.3-faster",
        together([lsh, "does not hold" if by_pairs > 1.5 else "holds"]),
        f"All pairs of signatures are as many as all pairs of sets, and the candidates of LSH grow as n to the power "
        f"{power}: both are faster by a factor, not asymptotically. The report says so itself a few lines later.",
        {"power_lsh": power.middle, "power_signatures": by_pairs},
    )


# -- times -------------------------------------------------------------------------------------------------------------


def _signatures(table: Table) -> Verdict:
    """Rule: from 1,000 to 2,000 documents the time beyond signing grows as n^1.6 at least; it fails to 1.3."""
    beyond = [
        [
            all_of_it - signing
            for all_of_it, signing in zip(*(_times(table, a, n) for a in (SIGNATURES, SIGNING)), strict=True)
        ]
        for n in (1_000, MANY)
    ]
    growth = Spread.of_ratios(beyond[1], [max(time, 1e-9) for time in beyond[0]])
    power = Spread(*(math.log2(max(value, 1e-9)) for value in growth))
    return verdict(
        "A-8.3-signatures",
        power.decide(holds_from=1.6, fails_to=1.3),
        f"{MANY:,} documents have {math.comb(MANY, 2):,} pairs of signatures. Without the time of signing, twice as "
        f"many documents take {growth} times as long (1,000 to {MANY:,}): n to the power {power}.",
        {"power": power.middle, "low": power.low, "high": power.high},
    )


def _signing(table: Table) -> Verdict:
    """Rule: of the time for 410 documents at least half is signing, by the report's functions; it fails below 0.4."""
    theirs, ours = (
        Spread.of_ratios(*(_times(table.where(series=series), approach, SOME) for approach in (SIGNING, SIGNATURES)))
        for series in ("report", "lookalike")
    )
    return verdict(
        "A-8.3-signing",
        theirs.decide(holds_from=0.5, fails_to=0.4),
        f"With modular functions, cutting and signing takes {theirs} of the time of all pairs of signatures for {SOME} "
        f"documents. The fast sketch signs so quickly that its share is {ours}.",
        {"share_modular": theirs.middle, "share_fast": ours.middle},
    )


def _feasible(table: Table, whole: Table, hashes: int) -> Verdict:
    """Rule: a million take 10 hours (fails to 1); |error| ≤ 0.05; signatures half the time (fails 0.8); LSH ≤ 5 %."""
    taken = Spread.of(_times(table, EXACT, MANY))
    hours = Spread(*(seconds / 3600 * math.comb(MILLION, 2) / math.comb(MANY, 2) for seconds in taken))
    error = max(table.numbers("error"))
    cost = Spread.of_ratios(_times(table, SIGNATURES, MANY), _times(table, EXACT, MANY))
    share = _share(whole)
    parts: list[Finding] = [
        hours.decide(holds_from=10, fails_to=1),
        "holds" if error <= 0.05 else "does not hold",
        cost.decide_below(holds_to=0.5, fails_from=0.8),
        "holds" if share <= 0.05 else "does not hold",
    ]
    return verdict(
        "A-9.4",
        together(parts),
        f"Carried on as n² from {MANY:,} documents, comparing a million exactly takes {hours} hours on one core. With "
        f"{hashes} hashes the estimates are off by {error:.3f} on average; all pairs of signatures take {cost} of the "
        f"time of all pairs of sets. LSH looks at {share:.4%} of the pairs.",
        {"hours_exact_million": hours.middle, "mean_error": error, "cost": cost.middle, "share_lsh": share},
    )


def _matters(table: Table) -> Verdict:
    """Rule: what LSH saves over all pairs of signatures grows 1.5-fold from 100 to 2,000 documents; it fails to 1.1."""
    saved = {
        n: [a / b for a, b in zip(_times(table, SIGNATURES, n), _times(table, LSH, n), strict=True)]
        for n in (FEW, MANY)
    }
    grown = Spread.of_ratios(saved[MANY], saved[FEW])
    return verdict(
        "A-9.6",
        grown.decide(holds_from=1.5, fails_to=1.1),
        f"All pairs of signatures take {Spread.of(saved[FEW])} times as long as LSH for {FEW} documents, and "
        f"{Spread.of(saved[MANY])} times for {MANY:,}: what LSH saves grows {grown.middle:.1f}-fold.",
        {"ratio_few": Spread.of(saved[FEW]).middle, "ratio_many": Spread.of(saved[MANY]).middle},
    )


def _explore(table: Table) -> Verdict:
    """Rule: LSH takes at most half the time at 2,000 documents; and twice the documents are 8 times the pairs."""
    saved = Spread.of_ratios(_times(table, EXACT, MANY), _times(table, LSH, MANY))
    growth = math.comb(2 * MANY, 2) / math.comb(MANY, 2)
    exponential: Finding = "holds" if growth > 8 else "does not hold"
    return verdict(
        "A-9.8",
        together([saved.decide(holds_from=2, fails_to=1.2), exponential]),
        f"Exploring pays: with {MANY:,} documents LSH is {saved} times as fast as exact comparison. But the time of "
        f"that is quadratic, not exponential: twice the documents are {growth:.1f} times the pairs; an exponential "
        "would be squared.",
        {"times_faster": saved.middle, "growth_per_doubling": growth},
    )


def _same_pairs(table: Table) -> Verdict:
    """Rule: no pair is missed or too many, in any approach and size; in part up to 5 %."""
    rows = [row for row in table.rows if row[2] != SIGNING and row[3] == 0]
    missed = sum(abs(int(row[6]) - int(row[5])) for row in rows)
    pairs = sum(int(row[6]) for row in rows)
    return verdict(
        "ours-same-pairs",
        "holds" if missed == 0 else "holds in part" if missed <= 0.05 * pairs else "does not hold",
        f"Over all sizes and approaches {missed:,} of {pairs:,} pairs are missed or too many. The copies here are more "
        "alike than the threshold; at the threshold itself 20 bands of 10 rows promise 90 % of the pairs.",
        {"missed": missed, "pairs": pairs},
    )


EXPERIMENTS = (_COMPARISONS,)
