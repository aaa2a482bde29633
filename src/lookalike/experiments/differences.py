"""Modular hashing minus another family: the errors, in three zooms, and the times (report B, §7.1.2.2).

Beside our modular functions stand those of the report's program, which have another modulus.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from statistics import fmean, median
from typing import TYPE_CHECKING, Final

from lookalike.experiments import (
    Cell,
    Column,
    Experiment,
    Finding,
    Progress,
    Setup,
    Table,
    Verdict,
    each,
    figures,
    reports,
    verdict,
)
from lookalike.experiments.figures import ROUNDS, Spread, in_rounds, sign_test, signing, together, wilson
from lookalike.experiments.reports import (
    LABELS,
    REPORTED,
    error_of_mean,
    error_of_pairs,
    estimates,
    foot,
    median_by_k,
    sizes,
    texts_of_pairs,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

# -- errors ------------------------------------------------------------------------------------------------------------


PARTS: Final = ("error", "of_mean", "bias")
ERRORS_COLUMNS: Final = (
    Column("first"),
    Column("second"),
    Column("k", "characters"),
    Column("hashes"),
    *(Column(f"{which}_{part}", "%") for which in ("first", "second") for part in PARTS),
    Column("difference", "%"),
    Column("more", "runs"),  # in which the first has the larger error
    Column("fewer", "runs"),
)


def _measure_errors(setup: Setup, progress: Progress, *, comparisons: tuple[tuple[str, str], ...]) -> Table:
    """Compare the errors of two families for every k and every number of hashes, run by run."""
    table = Table(ERRORS_COLUMNS)
    for (first, second), hashes, k in each(list(product(comparisons, reports.HASHES, reports.SIZES)), progress):
        table.rows.append((first, second, k, hashes, *_compared(setup, (first, second), hashes, k)))
    return table


def _compared(setup: Setup, sketches: tuple[str, str], hashes: int, k: int) -> list[Cell]:
    exact = reports.exact(setup, k)
    errors: list[list[float]] = []
    parts: list[float] = []
    for sketch in sketches:
        runs = estimates(setup, sketch, hashes, k, reports.runs(setup))
        errors.append([error_of_pairs(run, exact) for run in runs])
        of_means = [error_of_mean(run, exact) for run in runs]
        parts += [fmean(errors[-1]), fmean(of_means), fmean(fmean(run) for run in runs) - fmean(exact)]
    signs = [(a > b + 1e-12) - (b > a + 1e-12) for a, b in zip(*errors, strict=True)]
    return [*(100 * part for part in (*parts, parts[0] - parts[3])), signs.count(1), signs.count(-1)]


def _draw_errors(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw a row of three zooms for each comparison; for that of the report, first with the report's error."""
    compared = list(dict.fromkeys(zip(table.values("first"), table.values("second"), strict=True)))
    lines = [(first, second, "mean |error| of a pair") for first, second in compared]
    if compared[0][0] == REPORTED:
        lines.insert(0, (*compared[0], OF_MEAN))
    figure.set_size_inches(12.5, 1.2 + 2.9 * len(lines))
    panels = figure.subplots(len(lines), len(reports.ZOOMS), squeeze=False, sharex=True)
    for line, (first, second, what) in zip(panels, lines, strict=True):
        for axes, fewest in zip(line, reports.ZOOMS, strict=True):
            axes.axhline(0, color="black", linewidth=0.8)
            for n, hashes in enumerate(reports.HASHES):
                rows = table.where(first=first, second=second, hashes=hashes)
                if hashes >= fewest:
                    axes.plot(rows.numbers("k"), _differences(rows, what), **figures.style(n), label=str(hashes))
            axes.set(title="all numbers of hashes" if fewest == 1 else f"from {fewest} hashes")
        line[0].set(ylabel="percentage points")
        names = f"{LABELS[str(first)]} − {LABELS[str(second)]}"
        line[0].set_title(f"{names}:\n{what}", fontweight="bold", fontsize=9.5)
    for axes in panels[-1]:
        axes.set(xlabel="k (characters)", xticks=reports.SIZES[::2])
    reports.zoom_legend(figure, panels[0], "hashes")
    above = " Above 0 the first has the larger error."
    figures.note(figure, reports.sample(setup, f", {reports.runs(setup)} runs with other hash functions") + above)


OF_MEAN: Final = "|error| of the mean of 5 pairs"


def _differences(rows: Table, what: str) -> list[float]:
    if what != OF_MEAN:
        return rows.numbers("difference")
    return [a - b for a, b in zip(rows.numbers("first_of_mean"), rows.numbers("second_of_mean"), strict=True)]


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


def _more_often(ends: tuple[float, float], *, cut: float = 0.55) -> Finding:
    """Judge "larger most of the time": the interval is above one half, or below the cut that counts as "most"."""
    return "holds" if ends[0] > 0.5 else "does not hold" if ends[1] < cut else "undecided"


def _judge_jenkins_errors(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge modular hashing against Jenkins' mix: as the report's program has it, and with a prime modulus."""
    return [_first_line(table), _worse(table), _beginning(table), _bias(table)]


def _worse(table: Table) -> Verdict:
    """Rule: for the report's functions and for ours, the whole 99.9 % interval of the share is above one half."""
    (ours, ours_ends, one), (theirs, their_ends, other) = (
        _split(table, first, "jenkins") for first in ("modular", REPORTED)
    )
    finding = together([_more_often(their_ends), _more_often(ours_ends)])
    modulus = " So the modulus was worse, not modular hashing." if finding == "holds in part" else ""
    return verdict(
        "B-7.1.2.3-error",
        finding,
        f"With the modulus of the report's program, {other}. With a prime modulus, {one}. (Each holds if its whole "
        f"interval is above 50 %.){modulus}",
        {
            "share_ours": ours,
            "low_ours": ours_ends[0],
            "high_ours": ours_ends[1],
            "share_reported": theirs,
            "low_reported": their_ends[0],
            "high_reported": their_ends[1],
        },
    )


def _beginning(table: Table) -> Verdict:
    """Rule: the mean difference up to k = 5 is larger than above it; the report's "beginning" is that of the axis."""
    rows = table.where(first=REPORTED)
    early, late = (
        fmean(d for k, d in zip(rows.numbers("k"), rows.numbers("difference"), strict=True) if (k <= 5) is wanted)
        for wanted in (True, False)
    )
    finding: Finding = "undecided" if abs(early - late) < 0.1 else "holds" if early > late else "does not hold"
    return verdict(
        "B-7.1.2.3-first",
        finding,
        f"With the report's modulus the mean difference is {early:+.2f} percentage points up to k = 5 and {late:+.2f} "
        "above: where little is shared, nearly every agreement by a shared value is an error.",
        {"up_to_5": early, "above_5": late},
    )


def _means(table: Table, first: str, column: str) -> dict[int, float]:
    return {h: fmean(table.where(first=first, second="jenkins", hashes=h).numbers(column)) for h in reports.HASHES}


def _first_line(table: Table) -> Verdict:
    """Rule: with one hash, modular hashing is at least 1.5 times as far off, the report's and ours."""
    ours, theirs = (_means(table, first, "first_of_mean") for first in ("modular", REPORTED))
    jenkins = _means(table, "modular", "second_of_mean")
    parts: list[Finding] = [
        "holds" if each[1] > 1.5 * jenkins[1] else "does not hold" if each[1] < 1.4 * jenkins[1] else "undecided"
        for each in (theirs, ours)
    ]
    return verdict(
        "B-7.1.2.2-one",
        together(parts),
        f"With one hash the mean of five pairs is off by {jenkins[1]:.1f} percentage points with Jenkins' mix, by "
        f"{theirs[1]:.1f} with the report's modular functions, and by {ours[1]:.1f} with ours (with 25 hashes: "
        f"{jenkins[25]:.1f}, {theirs[25]:.1f} and {ours[25]:.1f}). 1.5 times the error counts as less close. The "
        "report's first factor is 2, and half of the rows share each value if their number is even.",
        {"jenkins": jenkins[1], "ours": ours[1], "reported": theirs[1]},
    )


def _bias(table: Table) -> Verdict:
    """Rule: the bias with 1 and with 25 hashes is below 1 percentage point; in part if with 25 only."""
    ours, theirs = (_means(table, first, "first_bias") for first in ("modular", REPORTED))
    return verdict(
        "ours-bias-modular-B",
        "does not hold" if theirs[25] > 1 else "holds in part" if theirs[1] > 1 else "holds",
        f"Mean estimate minus exact similarity, in percentage points: {theirs[1]:+.1f} with 1 hash, {theirs[25]:+.2f} "
        f"with 25, {theirs[100]:+.2f} with 100, {theirs[1000]:+.2f} with 1000; with a prime modulus above all rows "
        f"{ours[1]:+.1f}, {ours[25]:+.2f}, {ours[100]:+.2f} and {ours[1000]:+.2f}. The first factors are 2, 3, 5: "
        "where one divides the number of rows, several rows share each value, and documents agree too often. Few of "
        "the later factors divide it, so more hashes thin this out.",
        {f"reported_{h}": value for h, value in theirs.items()} | {f"ours_{h}": v for h, v in ours.items()},
    )


def judge_others(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge modular hashing against each of the families that report B does not have."""
    splits = {second: _split(table, "modular", second) for second in reports.OTHERS}
    same: list[Finding] = [
        "holds" if low >= 0.45 and high <= 0.55 else "does not hold" if low > 0.5 or high < 0.5 else "undecided"
        for low, high in (splits[second][1] for second in ("multiplicative", "murmur3"))
    ]
    fast, (low, high), sentence = splits["fast"]
    errors = [fmean(table.where(second="fast", hashes=1000).numbers(f"{w}_error")) for w in ("first", "second")]
    return [
        verdict(
            "ours-families-error",
            together(same),
            f"{_capital(splits['multiplicative'][2])}; {splits['murmur3'][2]}. (It holds if both intervals are inside "
            "45 to 55 %, and fails if one leaves out 50 %.)",
            {second: splits[second][0] for second in ("multiplicative", "murmur3")},
        ),
        verdict(
            "ours-fast-error",
            _more_often((low, high)),
            f"{_capital(sentence)}. With 1000 hashes the mean |error| of a pair is {errors[0]:.3f} against "
            f"{errors[1]:.3f} percentage points. (It holds if the interval is above 50 %.)",
            {"share": fast, "low": low, "high": high},
        ),
    ]


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


_ERRORS = (
    Experiment(
        id="error-difference-jenkins",
        title="Error of modular hashing minus that of Jenkins' mix",
        items=(82, 83, 85),
        caption="Above 0 the first has the larger error. Upper row, as the report: the error of the mean of five pairs "
        "with the report's modulus, which is not prime: it is worse, most of all with one hash. Below, the mean "
        "|error| of a pair: the same, and with a prime modulus, which differs from Jenkins' mix by chance only.",
        seconds=35,
        measure=partial(_measure_errors, comparisons=((REPORTED, "jenkins"), ("modular", "jenkins"))),
        draw=_draw_errors,
        judge=_judge_jenkins_errors,
        figure="report B, figures 13 to 15",
    ),
    Experiment(
        id="error-difference-others",
        title="Error of modular hashing minus that of other families",
        items=(83, 85),
        caption="As with Jenkins' mix, for multiplicative hashing, MurmurHash3 and our fast sketch. Classic families "
        "differ by chance; the fast sketch has less error once there are about as many hashes as shingles.",
        seconds=25,
        measure=partial(_measure_errors, comparisons=tuple(("modular", other) for other in reports.OTHERS)),
        draw=_draw_errors,
        judge=judge_others,
    ),
)


# -- times -------------------------------------------------------------------------------------------------------------


TIMES_COLUMNS: Final = (
    Column("other"),
    Column("k", "characters"),
    Column("hashes"),
    Column("round"),
    Column("modular_time", "µs", timed=True),
    Column("other_time", "µs", timed=True),
    Column("difference", "µs", timed=True),
)
MANY: Final = (250, 500, 750, 1000)


def _measure_times(setup: Setup, progress: Progress, *, others: tuple[str, ...]) -> Table:
    """Time all families in turn, so that each meets the same machine."""
    cells = list(product(reports.HASHES, sizes(setup)))
    sketches = ("modular", *others)
    documents = texts_of_pairs(setup)
    works = [
        signing(documents, reports.recipe_b(k, sketch, hashes)) for (hashes, k), sketch in product(cells, sketches)
    ]
    rounds = ROUNDS if others == ("jenkins",) or not setup.quick else 3  # a verdict needs them all
    taken = in_rounds(works, progress, rounds=rounds, least=0.0002 if setup.quick else 0.001)
    times = dict(zip(product(cells, sketches), taken, strict=True))
    table = Table(TIMES_COLUMNS)
    scale = 2e6 / len(documents)
    for other, (hashes, k) in product(others, cells):
        compared = zip(times[(hashes, k), "modular"], times[(hashes, k), other], strict=True)
        for number, (modular, theirs) in enumerate(compared):
            table.rows.append(
                (other, k, hashes, number, scale * modular, scale * theirs, scale * (modular - theirs)),
            )
    return table


def _draw_times(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw a panel for each family."""
    others = [str(other) for other in table.distinct("other")]
    figure.set_size_inches(8.5 if len(others) == 1 else 13, 4.6)
    panels = figure.subplots(1, len(others), squeeze=False)[0]
    for axes, other in zip(panels, others, strict=True):
        axes.axhline(0, color="black", linewidth=0.8)
        for n, hashes in enumerate(reports.HASHES):
            values = median_by_k(table, "difference", other=other, hashes=hashes)
            axes.plot(list(values), list(values.values()), **figures.style(n), label=str(hashes))
        reports.mark_word_length(axes, setup, label=False)
        axes.set(
            title=f"modular hashing − {reports.LABELS[other]}",
            xlabel="k (characters)",
            xticks=reports.SIZES[::2],
        )
    panels[0].set(ylabel="difference of the times of one pair (µs)")
    reports.zoom_legend(figure, panels, "hashes")
    figures.note(
        figure, foot(setup, table).replace(", shaded: their spread", "") + " Above 0 modular hashing takes longer."
    )


def ratio(table: Table, other: str) -> Spread:
    """Return the other family's time by that of modular hashing: the median over k from 250 hashes on, by rounds."""
    rounds = []
    for number in table.distinct("round"):
        rows = [table.where(other=other, round=number, hashes=hashes) for hashes in MANY]
        times = [pair for r in rows for pair in zip(r.numbers("other_time"), r.numbers("modular_time"), strict=True)]
        rounds.append(median(theirs / modular for theirs, modular in times))
    return Spread.of(rounds)


def _judge_jenkins_times(table: Table, _setup: Setup) -> list[Verdict]:
    """Rule: Jenkins' mix takes longer if all of the spread of the ratio is above 1; it fails if all is below 0.9."""
    found = ratio(table, "jenkins")
    rows = table.where(hashes=1000)
    modular, jenkins = median(rows.numbers("modular_time")), median(rows.numbers("other_time"))
    below = sum(value < 0 for value in median_by_cell(table)) / len(median_by_cell(table))
    return [
        verdict(
            "B-7.1.2.3-time",
            found.decide(holds_from=1.01, fails_to=0.9),
            f"With 1000 hashes a pair takes {modular:.0f} µs with modular hashing and {jenkins:.0f} with Jenkins' mix. "
            f"From 250 hashes on the ratio is {found}, and {below:.0%} of the points of the figure are below 0. The "
            "report's files have 18.2 and 30.2 ms, 1.66 times as much. That Jenkins' mix has less error, "
            "error-difference-jenkins judges.",
            {"ratio": found.middle, "low": found.low, "high": found.high, "share_below_0": below},
        )
    ]


def median_by_cell(table: Table) -> list[float]:
    """Return the difference at each point of the figure: the median over the rounds."""
    return [
        difference
        for other, hashes in product(table.distinct("other"), table.distinct("hashes"))
        for difference in median_by_k(table, "difference", other=other, hashes=hashes).values()
    ]


_TIMES = (
    Experiment(
        id="time-difference-jenkins",
        title="Time of modular hashing minus that of Jenkins' mix",
        items=(84, 85),
        caption="Below 0 Jenkins' mix takes longer. The families are timed in turn, from the same texts, and compiled "
        "with the same optimisation.",
        seconds=15,
        measure=partial(_measure_times, others=("jenkins",)),
        draw=_draw_times,
        judge=_judge_jenkins_times,
        figure="report B, figure 16",
    ),
    Experiment(
        id="time-difference-others",
        title="Time of modular hashing minus that of other families",
        items=(84, 85, 86),
        caption="Above 0 modular hashing takes longer. Multiplicative hashing needs one multiplication and no "
        "division; the fast sketch does not apply every hash function to every shingle.",
        seconds=20,
        measure=partial(_measure_times, others=reports.OTHERS),
        draw=_draw_times,
    ),
)

EXPERIMENTS = (
    *_ERRORS,
    *_TIMES,
)
