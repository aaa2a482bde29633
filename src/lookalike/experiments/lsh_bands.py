"""Which bands: how often a pair becomes a candidate, in theory and measured, and how many candidates there are.

The reports put the threshold of b bands of r rows at (1/b)^(1/r) and call it the similarity at which a pair is found
with probability ½ (report A, §5; report B, §5.2). It is not: the figure marks that point, the true half point, and how
many of the pairs at a wanted threshold are found by bands of report B's rule, of the usual one, and of ours.
"""

from __future__ import annotations

import math
import random
from array import array
from statistics import fmean, stdev
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
    each,
    figures,
    reports,
    verdict,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lookalike.engine.bands import Method

__all__ = ["EXPERIMENTS", "SHAPES", "measured_and_theory", "pair_of_sets"]

# == the S-curve =======================================================================================================


HASHES: Final = 200
WANTED: Final = 0.8
"""The threshold for which the three rules choose bands."""
RULES: Final[tuple[Method, ...]] = ("divisors", "areas", "recall")
NAMES: Final = {"divisors": "report B's divisors", "areas": "least areas", "recall": "recall 0.99"}
SHAPES: Final = ((50, 2), (40, 5), (20, 5), (20, 10), (8, 25))
SIZE: Final = 300
"""Elements of each set."""

CURVE_COLUMNS: Final = (
    Column("bands"),
    Column("rows"),
    Column("similarity"),
    Column("pairs", "pairs"),
    Column("candidates", "pairs"),
    Column("measured"),
    Column("theory"),
)


def _measure_curve(setup: Setup, progress: Progress) -> Table:
    """Plant pairs of each similarity, sign them, and count how many become candidates."""
    pairs = 300 if setup.quick else 2000
    shapes = dict.fromkeys([*(la.Bands(*shape) for shape in SHAPES), *(chosen(rule) for rule in RULES)])
    chance = random.Random(f"{setup.seed}/s-curve")
    table = Table(CURVE_COLUMNS)
    for similarity in each(_similarities(list(shapes)), progress):
        sets = [members for _ in range(pairs) for members in pair_of_sets(chance, similarity)]
        recipe = la.Recipe(sketch="classic", family="murmur3", hashes=HASHES, seed=chance.getrandbits(64))
        signatures = la.sign_sets(sets, recipe, threads=1)
        table.rows.extend(_rows(signatures, list(shapes), pairs, similarity))
    return table


def chosen(rule: Method) -> la.Bands:
    """Return the bands that a rule takes for the wanted threshold.

    >>> [str(chosen(rule)) for rule in RULES]
    ['20 bands × 10 rows', '14 bands × 14 rows', '20 bands × 7 rows']
    """
    return la.choose_bands(WANTED, hashes=HASHES, method=rule)


def _similarities(shapes: list[la.Bands]) -> list[float]:
    """Return similarities in even steps, and the marked points; each as the sets can have it."""
    marks = [point for bands in shapes for point in (bands.half_point, bands.rule_threshold)]
    similarities = [*(step / 20 for step in range(1, 20)), WANTED, *marks]
    return [shared / (2 * SIZE - shared) for shared in sorted(set(map(_shared, similarities)))]


def _shared(similarity: float) -> int:
    """Return how many elements two sets have to share."""
    return round(2 * SIZE * similarity / (1 + similarity))


def pair_of_sets(chance: random.Random, similarity: float) -> tuple[list[int], list[int]]:
    """Return two sets of random numbers whose Jaccard similarity is as near to the wanted one as their size allows."""
    shared = _shared(similarity)
    numbers = array("Q", chance.randbytes(8 * (2 * SIZE - shared))).tolist()
    return numbers[:SIZE], numbers[SIZE - shared :]


def _rows(
    signatures: la.Signatures, shapes: list[la.Bands], pairs: int, similarity: float
) -> Iterator[tuple[Cell, ...]]:
    for bands in shapes:
        # Documents 2n and 2n + 1 are a planted pair; any other two share nothing.
        found = sum(a % 2 == 0 and b == a + 1 for a, b in la.candidates(signatures, bands, threads=1))
        theory = bands.probability(similarity)
        yield bands.bands, bands.rows, similarity, pairs, found, found / pairs, theory


def measured_and_theory(table: Table, bands: la.Bands, similarity: float) -> tuple[float, float]:
    """Return the measured share and the theory at the measured similarity that is nearest to the given one."""
    mine = table.where(bands=bands.bands, rows=bands.rows)
    nearest = min(mine.numbers("similarity"), key=lambda s: abs(s - similarity))
    row = mine.where(similarity=nearest)
    return row.numbers("measured")[0], row.numbers("theory")[0]


# -- the figure ------------------------------------------------------------------------------------------------------


def _draw_curves(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw several shapes on the left, the three rules for one threshold on the right."""
    figure.set_size_inches(11, 5.4)
    left, right = figure.subplots(1, 2, sharey=True)
    for n, shape in enumerate(SHAPES):
        _draw_curve(table, la.Bands(*shape), left, n, f"{shape[0]} × {shape[1]}")
    _mark_points(left)
    for n, rule in enumerate(RULES):
        bands = chosen(rule)
        label = f"{NAMES[rule]}: {bands.bands} × {bands.rows}, P(t) = {bands.recall(WANTED):.2f}"
        _draw_curve(table, bands, right, (3, 5, 2)[n], label)
        right.plot([WANTED], [bands.recall(WANTED)], "o", ms=11, mfc="none", mec="black", mew=1.3)
    right.axvline(WANTED, color=figures.GREY, linestyle=":")
    right.annotate(f"t = {WANTED}", (WANTED, 0.01), (4, 0), textcoords="offset points", color=figures.GREY)
    left.set(
        xlabel="Jaccard similarity s", ylabel="share of pairs that become candidates", title="Bands × rows", xlim=(0, 1)
    )
    right.set(xlabel="Jaccard similarity s", title=f"Bands for t = {WANTED} by three rules, h = {HASHES}", xlim=(0, 1))
    for axes in (left, right):
        axes.set_ylim(-0.02, 1.22)  # room for the legends
        axes.set_yticks([step / 5 for step in range(6)])
    left.legend(loc="upper center", ncols=4)
    right.legend(loc="upper left")
    figures.note(
        figure,
        f"lines: theory 1 − (1 − s^r)^b; markers: measured, {table.rows[0][3]} pairs of sets of {SIZE} for each "
        f"similarity, MurmurHash3; seed {setup.seed}",
    )


def _draw_curve(table: Table, bands: la.Bands, axes: Axes, n: int, label: str) -> None:
    look = figures.style(n)
    mine = table.where(bands=bands.bands, rows=bands.rows)
    curve = la.s_curve(bands, points=201)
    axes.plot(*zip(*curve, strict=True), color=look["color"], linestyle=look["linestyle"])
    axes.plot(mine.numbers("similarity"), mine.numbers("measured"), look["marker"], color=look["color"], alpha=0.55)
    axes.plot([], [], label=label, **look)


def _mark_points(axes: Axes) -> None:
    for shape in SHAPES:
        bands = la.Bands(*shape)
        axes.plot(bands.half_point, 0.5, "o", ms=10, mfc="none", mec="black", mew=1.3)
        rule = bands.rule_threshold
        axes.plot(rule, bands.probability(rule), "s", ms=10, mfc="none", mec=figures.GREY, mew=1.3)
    axes.plot([], [], "o", ms=9, mfc="none", mec="black", mew=1.3, label="half point")
    axes.plot([], [], "s", ms=9, mfc="none", mec=figures.GREY, mew=1.3, label="(1/b)^(1/r)")


# -- the verdicts ----------------------------------------------------------------------------------------------------


def _judge_curve(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge the formula, the rule for its threshold, the fall with r, and the choice among divisors."""
    return [_formula(table), _half(table), _rows_fall(table), _divisors(table)]


def _finding(holds: bool, in_part: bool) -> Finding:
    return "holds" if holds else "holds in part" if in_part else "does not hold"


def _formula(table: Table) -> Verdict:
    """Rule: no measured share is further from the theory than five standard errors; in part if 95 % are within two."""
    distances = [
        abs(measured - theory) / max((theory * (1 - theory) / pairs) ** 0.5, 1 / pairs)
        for pairs, measured, theory in zip(
            *(table.numbers(name) for name in ("pairs", "measured", "theory")), strict=True
        )
    ]
    within = sum(distance <= 2 for distance in distances) / len(distances)
    return verdict(
        "ours-formula",
        _finding(max(distances) <= 5, within >= 0.95),
        f"Of {len(distances)} measured shares, {within:.0%} lie within two standard errors of the formula; "
        f"the furthest is {max(distances):.1f} away.",
        {"share_within_two": within, "furthest": max(distances)},
    )


def _half(table: Table) -> Verdict:
    """Rule: at (1/b)^(1/r) the measured share is within 0.05 of ½ for every shape; in part if for some."""
    shapes = [la.Bands(*shape) for shape in SHAPES]
    at_rule = [measured_and_theory(table, bands, bands.rule_threshold)[0] for bands in shapes]
    at_half = [measured_and_theory(table, bands, bands.half_point)[0] for bands in shapes]
    near = [abs(share - 0.5) <= 0.05 for share in at_rule]
    bands = la.Bands(20, 10)
    return verdict(
        "A-5-threshold",
        _finding(all(near), any(near)),
        f"Measured there: {min(at_rule):.2f} to {max(at_rule):.2f} (theory: 1 − (1 − 1/b)^b, about 0.63). At "
        f"the true half point (1 − 2^(−1/b))^(1/r): {min(at_half):.2f} to {max(at_half):.2f}. For 20 × 10 the two are "
        f"{bands.rule_threshold:.4f} and {bands.half_point:.4f}.",
        {"least_at_rule": min(at_rule), "most_at_rule": max(at_rule), "mean_at_half": sum(at_half) / len(near)},
    )


def _rows_fall(table: Table) -> Verdict:
    """Rule: at s = 0.5, five more rows leave at most an eighth of the candidates; of a single band they leave 1/32."""
    few, many = (measured_and_theory(table, la.Bands(20, rows), 0.5) for rows in (5, 10))
    ratio, expected = many[0] / max(few[0], 1e-9), many[1] / few[1]
    return verdict(
        "B-5.2-rows",
        _finding(ratio <= 0.125, ratio < 0.5),
        f"At s = 0.5, 20 bands of 5 rows propose {few[0]:.1%} of the pairs and 20 bands of 10 rows "
        f"{many[0]:.1%}: {ratio:.3f} times as many (theory {expected:.3f}; 0.5^5 = 0.031 for a single band).",
        {"ratio": ratio, "theory": expected},
    )


def _divisors(table: Table) -> Verdict:
    """Rule: bands chosen for t find at least 99 % of the pairs at t; in part if at least half of them."""
    found = {rule: measured_and_theory(table, chosen(rule), WANTED)[0] for rule in RULES}
    wasted = {rule: measured_and_theory(table, chosen(rule), 0.5)[0] for rule in RULES}
    told = "; ".join(f"{NAMES[rule]} ({chosen(rule)}) {found[rule]:.1%}" for rule in RULES)
    return verdict(
        "B-5.2-threshold",
        _finding(found["divisors"] >= 0.99, found["divisors"] >= 0.5),
        f"Pairs at t = {WANTED} that are found with {HASHES} hashes: {told}. The price of the last: it "
        f"proposes {wasted['recall']:.1%} of the pairs at 0.5 too, which verification rejects "
        f"(divisors: {wasted['divisors']:.1%}).",
        {f"found_{rule}": share for rule, share in found.items()},
    )


_CURVE: Final = Experiment(
    id="s-curve",
    title="How often a pair becomes a candidate: theory and measurement",
    items=(39, 43, 45, 46, 58, 102),
    caption="Each line is the S-curve of b bands × r rows, each marker a measured share. Circles on the left mark the "
    "similarity at which half of the pairs are found, squares the textbook rule (1/b)^(1/r), which lies above it: "
    "about 63 % are found there. Right: bands chosen for t = 0.8 by three rules; the circles show how many of the "
    "pairs at t each of them finds.",
    seconds=15,
    measure=_measure_curve,
    draw=_draw_curves,
    judge=_judge_curve,
)


# == candidates for h = 240 with every b that divides it (report A's programs) =========================================


H: Final = 240
K: Final = 9
THRESHOLD: Final = 0.8


def _signings(setup: Setup) -> int:
    """Return how often the texts are signed: the candidates of one signing are far from independent of each other."""
    return 12 if setup.quick else 50


def _documents(setup: Setup) -> int:
    return 200 if setup.quick else reports.DOCUMENTS


def _measure_candidates(setup: Setup, progress: Progress) -> Table:
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
    recipe = reports.recipe_a(K, hashes=H, **reports.sketch("murmur3"))
    exact = reports.similarities(texts, recipe)
    true = {pair for pair, similarity in exact.items() if similarity >= THRESHOLD}
    seeds = [reports.hash_seed(setup, number) for number in range(_signings(setup))]
    signed = [la.sign(texts, recipe.replace(seed=seed)) for seed in seeds]
    table = Table(columns)
    for count in each([b for b in range(1, H + 1) if H % b == 0], progress):
        bands = la.Bands(count, H // count)
        expected = math.fsum(bands.probability(similarity) for similarity in exact.values())
        found = [la.candidates(signatures, bands, threads=1) for signatures in signed]
        counts = [len(pairs) for pairs in found]
        true_found = fmean(sum(pair in true for pair in pairs) for pairs in found)
        row = (bands.bands, bands.rows, bands.half_point, expected, fmean(counts), stdev(counts), len(true), true_found)
        table.rows.append(row)
    return table


# -- the figure --------------------------------------------------------------------------------------------------------


def _draw_candidates(table: Table, setup: Setup, figure: Figure) -> None:
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
    lower.set(xscale="log", xlabel=f"bands b, of {H} ÷ b rows each")
    figures.plain_numbers(lower.xaxis, *(b for b in bands if b in (1, 2, 3, 4, 6, 8, 12, 20, 30, 48, 80, 120, 240)))
    figures.note(
        figure,
        f"{_documents(setup)} shuffles of {len(data.words(setup))} words, every tenth a copy with one word replaced; "
        f"k = {K}, {H} hashes (murmur3), all {len(bands)} divisors of {H}; means of {_signings(setup)} "
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


def _judge_candidates(table: Table, setup: Setup) -> list[Verdict]:
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
            f"Of {len(rows)} ways to cut {H} hashes into bands, some lose more than 1 % of the {true:.0f} true "
            f"pairs (b = {listed(blind)}); some propose more than ten pairs for each true one (b = {listed(wide)}: "
            f"{rows[-1][1] / total:.0%} of all pairs for b = {H}). With b = {listed(good)} nearly all true pairs "
            f"are found, and no more false ones than true ones are proposed.",
            {"ways": len(rows), "good": len(good), "lose_pairs": len(blind), "too_many": len(wide)},
        )
    ]


_CANDIDATES = Experiment(
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
    measure=_measure_candidates,
    draw=_draw_candidates,
    judge=_judge_candidates,
)

EXPERIMENTS = (_CURVE, _CANDIDATES)
