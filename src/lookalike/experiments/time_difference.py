"""The time of modular hashing minus that of another family (items 84 and 86)."""

from __future__ import annotations

from functools import partial
from itertools import product
from statistics import median
from typing import TYPE_CHECKING, Final

from lookalike.experiments import figures, report_b
from lookalike.experiments.claims import verdict
from lookalike.experiments.experiment import Column, Experiment, Progress, Setup, Table, Verdict
from lookalike.experiments.sign_time import foot, median_by_k, sizes, texts
from lookalike.experiments.timing import ROUNDS, Spread, in_rounds, signing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

COLUMNS: Final = (
    Column("other"),
    Column("k", "characters"),
    Column("hashes"),
    Column("round"),
    Column("modular_time", "µs", timed=True),
    Column("other_time", "µs", timed=True),
    Column("difference", "µs", timed=True),
)
MANY: Final = (250, 500, 750, 1000)


def measure(setup: Setup, progress: Progress, *, others: tuple[str, ...]) -> Table:
    """Time all families in turn, so that each meets the same machine."""
    cells = list(product(report_b.HASHES, sizes(setup)))
    sketches = ("modular", *others)
    documents = texts(setup)
    works = [signing(documents, report_b.recipe(k, sketch, hashes)) for (hashes, k), sketch in product(cells, sketches)]
    rounds = ROUNDS if others == ("jenkins",) or not setup.quick else 3  # a verdict needs them all
    taken = in_rounds(works, progress, rounds=rounds, least=0.0002 if setup.quick else 0.001)
    times = dict(zip(product(cells, sketches), taken, strict=True))
    table = Table(COLUMNS)
    scale = 2e6 / len(documents)
    for other, (hashes, k) in product(others, cells):
        compared = zip(times[(hashes, k), "modular"], times[(hashes, k), other], strict=True)
        for number, (modular, theirs) in enumerate(compared):
            table.rows.append(
                (other, k, hashes, number, scale * modular, scale * theirs, scale * (modular - theirs)),
            )
    return table


def draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw a panel for each family."""
    others = [str(other) for other in table.distinct("other")]
    figure.set_size_inches(8.5 if len(others) == 1 else 13, 4.6)
    panels = figure.subplots(1, len(others), squeeze=False)[0]
    for axes, other in zip(panels, others, strict=True):
        axes.axhline(0, color="black", linewidth=0.8)
        for n, hashes in enumerate(report_b.HASHES):
            values = median_by_k(table, "difference", other=other, hashes=hashes)
            axes.plot(list(values), list(values.values()), **figures.style(n), label=str(hashes))
        report_b.mark_word_length(axes, setup, label=False)
        axes.set(
            title=f"modular hashing − {report_b.LABELS[other]}", xlabel="k (characters)", xticks=report_b.SIZES[::2]
        )
    panels[0].set(ylabel="difference of the times of one pair (µs)")
    report_b.zoom_legend(figure, panels, "hashes")
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


def judge_jenkins(table: Table, _setup: Setup) -> list[Verdict]:
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


OTHERS: Final = ("multiplicative", "murmur3", "fast")

EXPERIMENTS = (
    Experiment(
        id="time-difference-jenkins",
        title="Time of modular hashing minus that of Jenkins' mix",
        items=(84, 85),
        caption="Below 0 Jenkins' mix takes longer. The families are timed in turn, from the same texts, and compiled "
        "with the same optimisation.",
        seconds=15,
        measure=partial(measure, others=("jenkins",)),
        draw=draw,
        judge=judge_jenkins,
        figure="report B, figure 16",
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
    ),
)
