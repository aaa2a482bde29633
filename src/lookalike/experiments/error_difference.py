"""The error of one family of hash functions minus that of another, in three zooms (item 83).

Beside our modular functions stand those of the report's program, which have another modulus (item 108).
"""

from __future__ import annotations

from functools import partial
from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING, Final

from lookalike.experiments import figures, report_b, reported_modular
from lookalike.experiments.chance import sign_test, wilson
from lookalike.experiments.experiment import Cell, Column, Experiment, Progress, Setup, Table, Verdict, each
from lookalike.experiments.summary import error_of_mean, error_of_pairs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

REPORTED: Final = "reported"
LABELS: Final = report_b.LABELS | {REPORTED: "the report's modular hashing"}
PARTS: Final = ("error", "of_mean", "bias")
COLUMNS: Final = (
    Column("first"),
    Column("second"),
    Column("k", "characters"),
    Column("hashes"),
    *(Column(f"{which}_{part}", "%") for which in ("first", "second") for part in PARTS),
    Column("difference", "%"),
    Column("more", "runs"),  # in which the first has the larger error
    Column("fewer", "runs"),
)


def measure(setup: Setup, progress: Progress, *, comparisons: tuple[tuple[str, str], ...]) -> Table:
    """Compare the errors of two families for every k and every number of hashes, run by run."""
    table = Table(COLUMNS)
    for (first, second), hashes, k in each(list(product(comparisons, report_b.HASHES, report_b.SIZES)), progress):
        table.rows.append((first, second, k, hashes, *_compared(setup, (first, second), hashes, k)))
    return table


def _estimates(setup: Setup, sketch: str, hashes: int, k: int) -> tuple[tuple[float, ...], ...]:
    count = report_b.runs(setup)
    if sketch == REPORTED:
        return reported_modular.estimates(setup, k, count)[hashes]
    return report_b.estimates(setup, sketch, hashes, k, count)


def _compared(setup: Setup, sketches: tuple[str, str], hashes: int, k: int) -> list[Cell]:
    exact = report_b.exact(setup, k)
    errors: list[list[float]] = []
    parts: list[float] = []
    for sketch in sketches:
        runs = _estimates(setup, sketch, hashes, k)
        errors.append([error_of_pairs(run, exact) for run in runs])
        of_means = [error_of_mean(run, exact) for run in runs]
        parts += [fmean(errors[-1]), fmean(of_means), fmean(fmean(run) for run in runs) - fmean(exact)]
    signs = [(a > b + 1e-12) - (b > a + 1e-12) for a, b in zip(*errors, strict=True)]
    return [*(100 * part for part in (*parts, parts[0] - parts[3])), signs.count(1), signs.count(-1)]


def draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw a row of three zooms for each comparison."""
    compared = list(dict.fromkeys(zip(table.values("first"), table.values("second"), strict=True)))
    figure.set_size_inches(12.5, 1.2 + 2.9 * len(compared))
    panels = figure.subplots(len(compared), len(report_b.ZOOMS), squeeze=False, sharex=True)
    for line, (first, second) in zip(panels, compared, strict=True):
        for axes, fewest in zip(line, report_b.ZOOMS, strict=True):
            axes.axhline(0, color="black", linewidth=0.8)
            for n, hashes in enumerate(report_b.HASHES):
                rows = table.where(first=first, second=second, hashes=hashes)
                if hashes >= fewest:
                    axes.plot(rows.numbers("k"), rows.numbers("difference"), **figures.style(n), label=str(hashes))
            axes.set(title="all numbers of hashes" if fewest == 1 else f"from {fewest} hashes")
        line[0].set(ylabel="percentage points")
        names = f"{LABELS[str(first)]} − {LABELS[str(second)]}"
        line[0].set_title(f"{names}\nall numbers of hashes", fontweight="bold", fontsize=9.5)
    for axes in panels[-1]:
        axes.set(xlabel="k (characters)", xticks=report_b.SIZES[::2])
    report_b.zoom_legend(figure, panels[0], "hashes")
    above = " Above 0 the first has the larger mean |error|."
    figures.note(figure, report_b.sample(setup, f", {report_b.runs(setup)} runs with other hash functions") + above)


def _split(table: Table, first: str, second: str) -> tuple[float, tuple[float, float], str]:
    """Return how often the first is worse, with the 99.9 % interval, and a sentence about it."""
    rows = table.where(first=first, second=second)
    more, fewer = (sum(map(int, rows.numbers(name))) for name in ("more", "fewer"))
    share, (low, high) = more / max(1, more + fewer), wilson(more, more + fewer)
    p = sign_test(more, fewer)
    chance = f"p = {p:.2g}" if p >= 0.001 else "p < 0.001"
    sentence = (
        f"{LABELS[first]} has a larger error than {LABELS[second]} in {share:.1%} of {more + fewer} comparisons "
        f"without a tie (99.9 % interval {low:.1%} to {high:.1%}, sign test {chance})"
    )
    return share, (low, high), sentence


def judge_jenkins(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge modular hashing against Jenkins' mix: ours, and as the report's program has it."""
    return [_worse(table), _beginning(table), _first_line(table), _bias(table)]


def _worse(table: Table) -> Verdict:
    (ours, ours_ends, one), (theirs, their_ends, other) = (
        _split(table, first, "jenkins") for first in ("modular", REPORTED)
    )
    found = (ours_ends[0] > 0.5, their_ends[0] > 0.5)
    modulus = " So the modulus was worse, not modular hashing." if found == (False, True) else ""
    return Verdict(
        claim="Modular hashing has the larger error most of the time, so Jenkins' mix is the better choice.",
        source="report B, §7.1.2.3",
        items=(83, 108),
        finding=("does not hold", "holds in part", "holds")[sum(found)],
        evidence=f"With a prime modulus, {one}. With the modulus of the report's program, {other}. (Each holds if its "
        f"whole interval is above 50 %.){modulus}",
        numbers={
            "share_ours": ours,
            "low_ours": ours_ends[0],
            "high_ours": ours_ends[1],
            "share_reported": theirs,
            "low_reported": their_ends[0],
            "high_reported": their_ends[1],
        },
    )


def _beginning(table: Table) -> Verdict:
    rows = table.where(first=REPORTED)
    early, late = (
        fmean(d for k, d in zip(rows.numbers("k"), rows.numbers("difference"), strict=True) if (k <= 5) is wanted)
        for wanted in (True, False)
    )
    return Verdict(
        claim="The difference is largest at the beginning, where k is small.",
        source="report B, §7.1.2.3",
        items=(83,),
        finding="holds" if early > late else "does not hold",
        evidence=f"With the report's modulus the mean difference is {early:+.2f} percentage points up to k = 5 and "
        f"{late:+.2f} above: where little is shared, nearly every agreement by a shared value is an error.",
        numbers={"up_to_5": early, "above_5": late},
    )


def _means(table: Table, first: str, column: str) -> dict[int, float]:
    return {h: fmean(table.where(first=first, second="jenkins", hashes=h).numbers(column)) for h in report_b.HASHES}


def _first_line(table: Table) -> Verdict:
    ours, theirs = (_means(table, first, "first_of_mean") for first in ("modular", REPORTED))
    jenkins = _means(table, "modular", "second_of_mean")
    closer = (ours[1] > 1.5 * jenkins[1]) + (theirs[1] > 1.5 * jenkins[1])
    return Verdict(
        claim="With one hash, Jenkins' mix comes closer to the other numbers of hashes than modular hashing does.",
        source="report B, §7.1.2.2",
        items=(82, 83, 108),
        finding=("does not hold", "holds in part", "holds")[closer],
        evidence=f"With one hash the mean of five pairs is off by {jenkins[1]:.1f} percentage points with Jenkins' "
        f"mix, by {ours[1]:.1f} with our modular functions, and by {theirs[1]:.1f} with the report's (with 25 hashes: "
        f"{jenkins[25]:.1f}, {ours[25]:.1f} and {theirs[25]:.1f}). 1.5 times the error counts as less close. The "
        "report's own files have 7.3 with Jenkins' mix and 24.3 with modular hashing.",
        numbers={"jenkins_1": jenkins[1], "ours_1": ours[1], "reported_1": theirs[1], "reported_25": theirs[25]},
    )


def _bias(table: Table) -> Verdict:
    ours, theirs = (_means(table, first, "first_bias") for first in ("modular", REPORTED))
    return Verdict(
        claim="With the first primes as factors and the number of rows as modulus, estimates are right on average.",
        source="report B, §4.2.2.1.1",
        items=(33, 108),
        finding="does not hold" if theirs[25] > 1 else "holds in part" if theirs[1] > 1 else "holds",
        evidence=f"Mean estimate minus exact similarity, in percentage points: {theirs[1]:+.1f} with 1 hash, "
        f"{theirs[25]:+.2f} with 25, {theirs[100]:+.2f} with 100, {theirs[1000]:+.2f} with 1000; with a prime modulus "
        f"above all rows {ours[1]:+.1f}, {ours[25]:+.2f}, {ours[100]:+.2f} and {ours[1000]:+.2f}. The first factors "
        "are 2, 3, 5: where one divides the number of rows, several rows share each value, and documents agree too "
        "often. Few of the later factors divide it, so more hashes thin this out. (From 1 point with 25 hashes it does "
        "not hold, from 1 point with one hash in part.)",
        numbers={f"reported_{h}": value for h, value in theirs.items()} | {f"ours_{h}": v for h, v in ours.items()},
    )


def judge_others(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge modular hashing against each of the families that report B does not have."""
    verdicts = []
    for second in OTHERS:
        share, (low, high), sentence = _split(table, "modular", second)
        errors = [fmean(table.where(second=second, hashes=1000).numbers(f"{w}_error")) for w in ("first", "second")]
        verdicts.append(
            Verdict(
                claim=f"Modular hashing has a larger error than {LABELS[second]}.",
                source=f"report B, §7.1.2.3, tried with {LABELS[second]}",
                items=(83,),
                finding="holds" if low > 0.5 else "does not hold",
                evidence=f"{sentence[0].upper()}{sentence[1:]}. With 1000 hashes the mean |error| of a pair is "
                f"{errors[0]:.3f} against {errors[1]:.3f} percentage points. (It holds if the interval is above 50 %.)",
                numbers={"share": share, "low": low, "high": high},
            )
        )
    return verdicts


OTHERS: Final = ("multiplicative", "murmur3", "fast")

EXPERIMENTS = (
    Experiment(
        id="error-difference-jenkins",
        title="Error of modular hashing minus that of Jenkins' mix",
        items=(82, 83, 85),
        caption="Above 0 the first has the larger error. Upper row: modular hashing with a prime modulus differs from "
        "Jenkins' mix by chance only. Lower row: with the report's modulus, which is not prime, it is worse, most of "
        "all with one hash.",
        seconds=35,
        measure=partial(measure, comparisons=(("modular", "jenkins"), (REPORTED, "jenkins"))),
        draw=draw,
        judge=judge_jenkins,
    ),
    Experiment(
        id="error-difference-others",
        title="Error of modular hashing minus that of other families",
        items=(83, 85),
        caption="As with Jenkins' mix, for multiplicative hashing, MurmurHash3 and our fast sketch. Classic families "
        "differ by chance; the fast sketch has less error once there are about as many hashes as shingles.",
        seconds=25,
        measure=partial(measure, comparisons=tuple(("modular", other) for other in OTHERS)),
        draw=draw,
        judge=judge_others,
    ),
)
