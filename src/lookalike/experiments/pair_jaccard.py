"""Jaccard similarity of five random pairs of shuffles, against the size of the shingles (item 75)."""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING

import lookalike as la
from lookalike.experiments import figures, report_b
from lookalike.experiments.chance import correlation
from lookalike.experiments.claims import verdict
from lookalike.experiments.experiment import Column, Experiment, Progress, Setup, Table, Verdict, each

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

COLUMNS = (
    Column("k", "characters"),
    Column("pair"),
    Column("similarity", "%"),
    Column("inside", "%"),  # the share of the union's shingles that hold letters of one word only
)


def measure(setup: Setup, progress: Progress) -> Table:
    """Compare the pairs at every size, and count the shingles that do not reach into a second word."""
    table = Table(COLUMNS)
    for k in each(report_b.SIZES, progress):
        similarities = report_b.exact(setup, k)
        for number, (pair, similarity) in enumerate(zip(report_b.pairs(setup), similarities, strict=True), 1):
            union = {shingle.text for text in pair for shingle in la.shingles(text, report_b.recipe(k))}
            inside = fmean(len(text.split()) <= 1 for text in union)
            table.rows.append((k, number, 100 * similarity, 100 * inside))
    return table


def draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw a line for each pair."""
    axes = figure.add_subplot()
    for number in table.distinct("pair"):
        one = table.where(pair=number)
        axes.plot(
            one.numbers("k"),
            one.numbers("similarity"),
            **figures.style(int(number) - 1),
            label=f"pair {number}",
            alpha=0.8,
        )
    inside = [fmean(table.where(k=k).numbers("inside")) for k in report_b.SIZES]
    axes.plot(
        report_b.SIZES,
        inside,
        color=figures.GREY,
        linewidth=1,
        linestyle="--",
        label="shingles inside\none word (mean)",
    )
    report_b.mark_word_length(axes, setup)
    axes.set(xlabel="k (characters)", ylabel="Jaccard similarity (%)", ylim=(-2, 103), xticks=report_b.SIZES)
    figure.legend(loc="outside right upper")
    figures.note(figure, report_b.sample(setup, "; white space counts"))


def judge(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge what report B reads from its figure."""
    return [_alike(table), _same_letters(table), _falls(table), _reason(table), _low(table)]


def _means(table: Table, column: str = "similarity") -> dict[int, float]:
    return {int(k): fmean(table.where(k=k).numbers(column)) for k in table.distinct("k")}


def _same_letters(table: Table) -> Verdict:
    least = min(table.where(k=1).numbers("similarity"))
    return verdict(
        "B-7.1.1-one",
        "holds" if least == 100 else "does not hold",
        f"The least similar of the pairs has {least:.1f} % at k = 1.",
        {"least_at_1": least},
    )


def _alike(table: Table) -> Verdict:
    """Rule: at no k do the pairs differ by more than 6 percentage points; in part up to 12."""
    ranges = {
        int(k): max(values) - min(values)
        for k in table.distinct("k")
        for values in [table.where(k=k).numbers("similarity")]
    }
    widest = max(ranges, key=lambda k: ranges[k])
    return verdict(
        "B-7.1.1-alike",
        "holds" if ranges[widest] <= 6 else "holds in part" if ranges[widest] <= 12 else "does not hold",
        f"The pairs differ most at k = {widest}, by {ranges[widest]:.1f} percentage points (up to 6 count as very "
        "similar).",
        {"widest_range": ranges[widest], "at_k": widest},
    )


def _falls(table: Table) -> Verdict:
    means = list(_means(table).values())
    rises = sum(later > earlier for earlier, later in pairwise(means))
    return verdict(
        "B-7.1.1-falls",
        "holds" if not rises else "does not hold",
        f"The mean of the pairs rises in {rises} of {len(means) - 1} steps of k; it goes from {means[0]:.1f} to "
        f"{means[-1]:.2f} %.",
        {"rises": rises},
    )


def _low(table: Table) -> Verdict:
    """Rule: all pairs are below 20 % from k = 7 on; in part from k = 8 on."""

    def below(first: int) -> bool:
        return all(float(row[0]) < first or float(row[2]) < 20 for row in table.rows)

    at = {k: table.where(k=k).numbers("similarity") for k in (6, 7, 8)}
    return verdict(
        "B-7.1.1-low",
        "holds" if below(7) else "holds in part" if below(8) else "does not hold",
        f"At k = 6 the pairs have {min(at[6]):.1f} to {max(at[6]):.1f} %, at 7 {min(at[7]):.1f} to {max(at[7]):.1f} %, "
        f"at 8 {min(at[8]):.1f} to {max(at[8]):.1f} %. It holds if all pairs are below 20 % at 7, and in part if they "
        "are at 8.",
        {f"mean_at_{k}": fmean(values) for k, values in at.items()} | {"most_at_7": max(at[7])},
    )


def _reason(table: Table) -> Verdict:
    """Rule: over k, the similarity and the share of shingles inside a word have a correlation of 0.95; in part 0.8."""
    similar, inside = _means(table), _means(table, "inside")
    r = correlation(list(similar.values()), list(inside.values()))
    return verdict(
        "B-7.1.1-reason",
        "holds" if r >= 0.95 else "holds in part" if r >= 0.8 else "does not hold",
        f"The share of shingles inside one word and the similarity go together with a correlation of {r:.3f}. At k = 4 "
        f"{inside[4]:.1f} % of the shingles lie inside a word, and the similarity is {similar[4]:.1f} %; at 7 it is "
        f"{inside[7]:.1f} and {similar[7]:.1f} %. What shuffles share is their words, and little else.",
        {"correlation": r, "inside_at_7": inside[7], "similarity_at_7": similar[7]},
    )


EXPERIMENT = Experiment(
    id="pair-jaccard",
    title="Similarity of five random pairs against k",
    items=(51, 75, 85, 86),
    caption="Each line is a pair of shuffles of the same words. The similarity stays high while a shingle fits into a "
    "word, and falls as shingles reach into the next word: the dashed line is the share of shingles that do not. The "
    "dotted line marks the mean word length.",
    seconds=0.1,
    measure=measure,
    draw=draw,
    judge=judge,
    figure="report B, figure 7.1.1",
)
