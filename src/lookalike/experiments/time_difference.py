"""The time of modular hashing minus that of another family, and which family is the fastest (items 84 and 86)."""

from __future__ import annotations

from functools import partial
from itertools import product
from statistics import median
from typing import TYPE_CHECKING, Final

from lookalike.experiments import figures, report_b
from lookalike.experiments.experiment import Column, Experiment, Progress, Setup, Table, Verdict
from lookalike.experiments.sign_time import foot, of_texts, pairs, sizes, times_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

COLUMNS: Final = (
    Column("other"),
    Column("k", "characters"),
    Column("hashes"),
    Column("modular_time", "µs", timed=True),
    Column("other_time", "µs", timed=True),
    Column("difference", "µs", timed=True),
)


def measure(setup: Setup, progress: Progress, *, others: tuple[str, ...]) -> Table:
    """Time all families in turn, so that each meets the same machine."""
    cells = list(product(report_b.HASHES, sizes(setup)))
    sketches = ("modular", *others)
    works = [
        [of_texts(pair, report_b.recipe(k, sketch, hashes)) for pair in pairs(setup)]
        for hashes, k in cells
        for sketch in sketches
    ]
    times = dict(zip(product(cells, sketches), times_of(works, setup, progress), strict=True))
    table = Table(COLUMNS)
    for other, (hashes, k) in product(others, cells):
        modular, theirs = times[(hashes, k), "modular"], times[(hashes, k), other]
        table.rows.append((other, k, hashes, modular, theirs, modular - theirs))
    return table


def draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw a panel for each family."""
    others = [str(other) for other in table.distinct("other")]
    figure.set_size_inches(8.5 if len(others) == 1 else 13, 4.6)
    panels = figure.subplots(1, len(others), squeeze=False)[0]
    for axes, other in zip(panels, others, strict=True):
        axes.axhline(0, color="black", linewidth=0.8)
        for n, hashes in enumerate(report_b.HASHES):
            rows = table.where(other=other, hashes=hashes)
            axes.plot(rows.numbers("k"), rows.numbers("difference"), **figures.style(n), label=str(hashes))
        report_b.mark_word_length(axes, setup, label=False)
        axes.set(
            title=f"modular hashing − {report_b.LABELS[other]}", xlabel="k (characters)", xticks=report_b.SIZES[::2]
        )
    panels[0].set(ylabel="difference of the times of one estimate (µs)")
    report_b.zoom_legend(figure, panels, "hashes")
    figures.note(figure, foot(setup) + " Above 0 modular hashing takes longer.")


def _ratios(table: Table, other: str) -> dict[int, float]:
    """Return for each number of hashes the median over k of the other family's time by that of modular hashing."""
    found = {}
    for hashes in report_b.HASHES:
        rows = table.where(other=other, hashes=hashes)
        times = zip(rows.numbers("other_time"), rows.numbers("modular_time"), strict=True)
        found[hashes] = median(theirs / modular for theirs, modular in times)
    return found


def judge_jenkins(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge whether Jenkins' mix takes longer."""
    ratios = _ratios(table, "jenkins")
    ratio = median(ratios[h] for h in (250, 500, 750, 1000))
    rows = table.where(hashes=1000)
    modular, jenkins = median(rows.numbers("modular_time")), median(rows.numbers("other_time"))
    return [
        Verdict(
            claim="Jenkins' mix takes more time than modular hashing.",
            source="report B, §7.1.2.3",
            items=(84, 104),
            finding="holds" if ratio >= 1.2 else "holds in part" if ratio >= 1.05 else "does not hold",
            evidence=f"With 1000 hashes one estimate takes {modular:.0f} µs with modular hashing and {jenkins:.0f} "
            f"with Jenkins' mix; from 250 hashes on, the median ratio is {ratio:.2f} (from 1.2 it holds, from 1.05 in "
            "part). The report's files have 18.2 and 30.2 ms, 1.66 times as much.",
            numbers={"ratio": ratio} | {f"ratio_with_{h}": value for h, value in ratios.items()},
        )
    ]


def judge_others(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge whether modular hashing is the fastest."""
    ratios = {other: median(_ratios(table, other)[h] for h in (250, 500, 750, 1000)) for other in OTHERS}
    slower = [other for other in ("multiplicative", "murmur3") if ratios[other] > 1]
    return [
        Verdict(
            claim="Modular hashing is the fastest.",
            source="report A, §9, conclusion 3",
            items=(71, 84, 86, 104),
            finding=("does not hold", "holds in part", "holds")[len(slower)],
            evidence="From 250 hashes on, an estimate with multiplicative hashing takes "
            f"{ratios['multiplicative']:.2f} times as long as with modular hashing, with MurmurHash3 "
            f"{ratios['murmur3']:.2f} times, and with our fast sketch {ratios['fast']:.2f} times (medians). Here all "
            "are compiled with the same optimisation; there, without any. (It holds if the two families of report A "
            "are slower, in part if one is.)",
            numbers={f"{other}_to_modular": ratio for other, ratio in ratios.items()},
        )
    ]


OTHERS: Final = ("multiplicative", "murmur3", "fast")

EXPERIMENTS = (
    Experiment(
        id="time-difference-jenkins",
        title="Time of modular hashing minus that of Jenkins' mix",
        items=(84, 85),
        caption="Below 0 Jenkins' mix takes longer. The families are timed in turn, from the same texts, and compiled "
        "with the same optimisation.",
        seconds=10,
        measure=partial(measure, others=("jenkins",)),
        draw=draw,
        judge=judge_jenkins,
    ),
    Experiment(
        id="time-difference-others",
        title="Time of modular hashing minus that of other families",
        items=(84, 85, 86),
        caption="Above 0 modular hashing takes longer. Multiplicative hashing needs one multiplication and no "
        "division; the fast sketch does not apply every hash function to every shingle.",
        seconds=20,
        measure=partial(measure, others=OTHERS),
        draw=draw,
        judge=judge_others,
    ),
)
