"""The S-curve of bands: how often a pair of a given similarity becomes a candidate, in theory and measured.

The reports put the threshold of b bands of r rows at (1/b)^(1/r) and call it the similarity at which a pair is found
with probability ½ (item 43). It is not (item 102): the figure marks that point, the true half point, and how many of
the pairs at a wanted threshold are found by bands of report B's rule (item 46), of the usual one, and of ours.
"""

from __future__ import annotations

import random
from array import array
from typing import TYPE_CHECKING, Final

import lookalike as la
from lookalike.experiments.claims import verdict
from lookalike.experiments.experiment import Cell, Column, Experiment, Finding, Progress, Setup, Table, Verdict, each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lookalike.engine.bands import Method

__all__ = ["EXPERIMENT", "SHAPES", "measured_and_theory", "pair_of_sets"]

HASHES: Final = 200
WANTED: Final = 0.8
"""The threshold for which the three rules choose bands."""
RULES: Final[tuple[Method, ...]] = ("divisors", "areas", "recall")
NAMES: Final = {"divisors": "report B's divisors", "areas": "least areas", "recall": "recall 0.99"}
SHAPES: Final = ((50, 2), (40, 5), (20, 5), (20, 10), (8, 25))
SIZE: Final = 300
"""Elements of each set."""

COLUMNS: Final = (
    Column("bands"),
    Column("rows"),
    Column("similarity"),
    Column("pairs", "pairs"),
    Column("candidates", "pairs"),
    Column("measured"),
    Column("theory"),
)


def measure(setup: Setup, progress: Progress) -> Table:
    """Plant pairs of each similarity, sign them, and count how many become candidates."""
    pairs = 300 if setup.quick else 2000
    shapes = dict.fromkeys([*(la.Bands(*shape) for shape in SHAPES), *(chosen(rule) for rule in RULES)])
    chance = random.Random(f"{setup.seed}/s-curve")
    table = Table(COLUMNS)
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


def draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw several shapes on the left, the three rules for one threshold on the right."""
    from lookalike.experiments import figures

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
    from lookalike.experiments import figures

    look = figures.style(n)
    mine = table.where(bands=bands.bands, rows=bands.rows)
    curve = la.s_curve(bands, points=201)
    axes.plot(*zip(*curve, strict=True), color=look["color"], linestyle=look["linestyle"])
    axes.plot(mine.numbers("similarity"), mine.numbers("measured"), look["marker"], color=look["color"], alpha=0.55)
    axes.plot([], [], label=label, **look)


def _mark_points(axes: Axes) -> None:
    from lookalike.experiments import figures

    for shape in SHAPES:
        bands = la.Bands(*shape)
        axes.plot(bands.half_point, 0.5, "o", ms=10, mfc="none", mec="black", mew=1.3)
        rule = bands.rule_threshold
        axes.plot(rule, bands.probability(rule), "s", ms=10, mfc="none", mec=figures.GREY, mew=1.3)
    axes.plot([], [], "o", ms=9, mfc="none", mec="black", mew=1.3, label="half point")
    axes.plot([], [], "s", ms=9, mfc="none", mec=figures.GREY, mew=1.3, label="(1/b)^(1/r)")


# -- the verdicts ----------------------------------------------------------------------------------------------------


def judge(table: Table, _setup: Setup) -> list[Verdict]:
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


EXPERIMENT: Final = Experiment(
    id="s-curve",
    title="How often a pair becomes a candidate: theory and measurement",
    items=(39, 43, 45, 46, 58, 102),
    caption="Each line is the S-curve of b bands × r rows, each marker a measured share. Circles on the left mark the "
    "similarity at which half of the pairs are found, squares the textbook rule (1/b)^(1/r), which lies above it: "
    "about 63 % are found there. Right: bands chosen for t = 0.8 by three rules; the circles show how many of the "
    "pairs at t each of them finds.",
    seconds=15,
    measure=measure,
    draw=draw,
    judge=judge,
)
