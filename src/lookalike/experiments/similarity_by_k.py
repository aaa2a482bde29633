"""Item 70 (report A, §8.1): how similar 20 shuffles of one text are, for each size of a shingle."""

from __future__ import annotations

from itertools import combinations, pairwise
from statistics import mean
from typing import TYPE_CHECKING

import lookalike as la
from lookalike.experiments import data, figures, report_a
from lookalike.experiments.experiment import Column, Experiment, Finding, Progress, Setup, Table, Verdict, each

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

DOCUMENTS = 20
SIZES = range(1, 21)
EDITED_WORDS = 2
SHUFFLES, COPIES = "shuffles", "edited copies"


def _measure(setup: Setup, progress: Progress) -> Table:
    columns = (Column("kind", "name"), Column("k", "characters"), Column("a"), Column("b"), Column("similarity"))
    texts = data.permutations(setup, DOCUMENTS)
    copies = [data.edited(setup, text, EDITED_WORDS, str(number)) for number, text in enumerate(texts)]
    table = Table(columns)
    for k in each(SIZES, progress):
        recipe = report_a.recipe(k)
        for (i, a), (j, b) in combinations(enumerate(texts), 2):
            table.rows.append((SHUFFLES, k, i, j, la.jaccard(a, b, recipe=recipe)))
        for i, (text, copy) in enumerate(zip(texts, copies, strict=True)):
            table.rows.append((COPIES, k, i, i, la.jaccard(text, copy, recipe=recipe)))
    return table


# -- the figure --------------------------------------------------------------------------------------------------------


def _draw(table: Table, setup: Setup, figure: Figure) -> None:
    figure.set_size_inches(8, 6.4)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1.3))
    _draw_pairs(table, upper)
    _draw_zeros(table, lower)
    lower.set_xlabel("k: characters of a shingle")
    lower.set_xticks(SIZES)
    pairs = len(table.where(kind=SHUFFLES, k=1).rows)
    figures.note(
        figure,
        f"{DOCUMENTS} shuffles of {len(data.words(setup))} words, {pairs} pairs; {DOCUMENTS} copies with "
        f"{EDITED_WORDS} words replaced. Lower case, no white space, no punctuation. Seed {setup.seed}.",
    )


def _draw_pairs(table: Table, axes: Axes) -> None:
    shuffles, copies = table.where(kind=SHUFFLES), table.where(kind=COPIES)
    lines: dict[object, list[float]] = {}
    for a, b, similarity in zip(
        shuffles.values("a"), shuffles.values("b"), shuffles.numbers("similarity"), strict=True
    ):
        lines.setdefault((a, b), []).append(similarity)
    for number, line in enumerate(lines.values()):
        label = f"each of {len(lines)} pairs of shuffles" if number == 0 else None
        axes.plot(SIZES, line, color=figures.COLOURS[5], alpha=0.15, linewidth=0.8, label=label)
    means = [mean(shuffles.where(k=k).numbers("similarity")) for k in SIZES]
    axes.plot(SIZES, means, label="mean of the shuffles", **figures.style(0))
    copied = [mean(copies.where(k=k).numbers("similarity")) for k in SIZES]
    axes.plot(SIZES, copied, label=f"mean of the copies with {EDITED_WORDS} words replaced", **figures.style(1))
    axes.axvline(9, color=figures.GREY, linewidth=1, linestyle=":", label="k = 9, the report's choice")
    axes.set(ylabel="Jaccard similarity", ylim=(-0.02, 1.03), title="Similarity falls as shingles grow")
    legend = axes.legend(loc="center right", bbox_to_anchor=(1.0, 0.55))
    legend.get_lines()[0].set(alpha=0.9, linewidth=1.2)


def _draw_zeros(table: Table, axes: Axes) -> None:
    shares = [100 * _zeros(table, k) for k in SIZES]
    axes.bar(SIZES, shares, color=figures.COLOURS[0], width=0.7)
    axes.set(ylabel="pairs that share\nnothing [%]", ylim=(0, 112), yticks=(0, 50, 100))
    for k, share in zip(SIZES, shares, strict=True):
        if share:
            axes.annotate(
                f"{share:.0f}", (k, share), ha="center", xytext=(0, 2), textcoords="offset points", fontsize=8
            )


# -- the verdicts ------------------------------------------------------------------------------------------------------


def _similarities(table: Table, k: int, kind: str = SHUFFLES) -> list[float]:
    return table.where(kind=kind, k=k).numbers("similarity")


def _zeros(table: Table, k: int) -> float:
    values = _similarities(table, k)
    return values.count(0.0) / len(values)


def _judge(table: Table, setup: Setup) -> list[Verdict]:
    return [_falls(table), _high_within_words(table, setup), _mostly_zero(table), _below_a_tenth(table), _nine(table)]


def _falls(table: Table) -> Verdict:
    means = [mean(_similarities(table, k)) for k in SIZES]
    rises = sum(later > earlier for earlier, later in pairwise(means))
    return Verdict(
        "Similarity falls as k grows.",
        "report A, §8.1",
        (70,),
        "holds" if rises == 0 else "holds in part" if rises <= 2 else "does not hold",
        f"The mean over {len(_similarities(table, 1))} pairs goes from {means[0]:.2f} at k = 1 over {means[8]:.3f} at "
        f"k = 9 to {means[-1]:.3f} at k = 20 and rises at {rises} of {len(means) - 1} steps.",
        {"mean_k1": means[0], "mean_k9": means[8], "mean_k20": means[-1], "rises": rises},
    )


def _high_within_words(table: Table, setup: Setup) -> Verdict:
    length = mean(map(len, data.words(setup)))
    high = [k for k in SIZES if mean(_similarities(table, k)) >= 0.5]
    reach = max(high, default=0)
    finding: Finding = "holds" if reach >= int(length) else "holds in part" if reach >= length / 2 else "does not hold"
    return Verdict(
        "Similarity is high as long as a shingle fits into a word.",
        "report A, §8.1",
        (70,),
        finding,
        f"The mean stays at 0.5 or more up to k = {reach}; the mean word has {length:.2f} letters. As k grows there "
        f"are fewer and fewer places where k letters fit into a word: that tells long before k is as long as a word.",
        {"largest_k_above_half": reach, "mean_word_length": length},
    )


def _mostly_zero(table: Table) -> Verdict:
    shares = {k: _zeros(table, k) for k in (12, 13, 14, 15)}
    finding: Finding = "holds" if shares[13] > 0.5 else "holds in part" if shares[15] > 0.5 else "does not hold"
    listed = ", ".join(f"{share:.0%} at {k}" for k, share in shares.items())
    return Verdict(
        "With k above 12 the similarity of most pairs is 0.",
        "report A, §8.1",
        (70,),
        finding,
        f"Pairs without any shared shingle: {listed}. (In the report's own data: 34% at 13, 52% at 14, 67% at 15.)",
        {f"zeros_k{k}": share for k, share in shares.items()},
    )


def _below_a_tenth(table: Table) -> Verdict:
    values = _similarities(table, 9)
    below = sum(value < 0.1 for value in values) / len(values)
    return Verdict(
        "With k = 9 all pairs are below 0.1.",
        "report A, §8.1",
        (70,),
        "holds" if below == 1 else "holds in part" if below >= 0.95 else "does not hold",
        f"{below:.1%} of {len(values)} pairs are below 0.1; they range from {min(values):.3f} to {max(values):.3f}, "
        f"with a mean of {mean(values):.3f}.",
        {"below": below, "least": min(values), "most": max(values), "mean": mean(values)},
    )


def _nine(table: Table) -> Verdict:
    gaps = {k: min(_similarities(table, k, COPIES)) - max(_similarities(table, k)) for k in SIZES}
    best = max(gaps, key=lambda k: gaps[k])
    finding: Finding = "holds" if gaps[9] >= 0.9 * gaps[best] else "holds in part" if gaps[9] > 0 else "does not hold"
    copies = mean(_similarities(table, 20, COPIES))
    return Verdict(
        "A small k finds false copies, a large k finds nothing, and 9 is a good choice.",
        "report A, §8.1 and §9, conclusion 1",
        (70, 86),
        finding,
        f"Between the least similar edited copy and the most similar pair of shuffles is a gap of {gaps[1]:.2f} at "
        f"k = 1, {gaps[9]:.2f} at k = 9 and {gaps[20]:.2f} at k = 20; it is widest at k = {best} ({gaps[best]:.2f}). "
        f"Copies with {EDITED_WORDS} words replaced still have {copies:.2f} at k = 20: a large k keeps them.",
        {"gap_k1": gaps[1], "gap_k9": gaps[9], "gap_k20": gaps[20], "best_k": best, "best_gap": gaps[best]},
    )


EXPERIMENT = Experiment(
    id="similarity-by-k",
    title="Similarity of 190 pairs of shuffles, by k",
    items=(50, 51, 70, 86),
    caption=(
        "Twenty shuffles of one text of 50 words are compared with each other, and each with a copy of itself in which "
        "two words were replaced. The shuffles have all words in common but not their order: for k = 1 they are equal, "
        "and for large k they share nothing. The bars show the share of pairs without any shared shingle."
    ),
    seconds=2,
    measure=_measure,
    draw=_draw,
    judge=_judge,
)
