"""Item 70 (report A, §8.1): how similar 20 shuffles of one text are, for each size of a shingle."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from statistics import mean
from typing import TYPE_CHECKING

import lookalike as la
from lookalike.experiments import data, figures, report_a
from lookalike.experiments.claims import verdict
from lookalike.experiments.experiment import Column, Experiment, Finding, Progress, Setup, Table, Verdict, each

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

DOCUMENTS = 20
SIZES = range(1, 21)
EDITED_WORDS = 2
SHUFFLES, COPIES = "shuffles", "edited copies"
PAGES, PAGE_COPIES = "pages of a book", "edited pages"
OTHERS = "shuffles of other words"
PAGE = 2000
PAGE_EDITS = 30
"""Of the 300 to 350 words of a page."""
CALLED_ALIKE = 0.5
LARGE = 20
"""The largest k of the report."""


def _measure(setup: Setup, progress: Progress) -> Table:
    columns = (Column("kind", "name"), Column("k", "characters"), Column("a"), Column("b"), Column("similarity"))
    texts = data.permutations(setup, DOCUMENTS)
    pages = _pages(setup)
    compared = {
        SHUFFLES: _all_pairs(texts),
        COPIES: _with_copies(setup, texts, EDITED_WORDS),
        PAGES: [(i, j, a, b) for (i, a), (j, b) in pairwise(enumerate(pages))],
        PAGE_COPIES: _with_copies(setup, pages, PAGE_EDITS),
    }
    others = [_all_pairs(_shuffles_of_other_words(setup, number)) for number in range(4)]
    table = Table(columns)
    for k in each(SIZES, progress):
        recipe = report_a.recipe(k)
        for kind, pairs in compared.items():
            table.rows.extend((kind, k, i, j, la.jaccard(a, b, recipe=recipe)) for i, j, a, b in pairs)
        if k > 12:  # for the one claim that depends on the words
            for number, pairs in enumerate(others):
                similar = [la.jaccard(a, b, recipe=recipe) for _, _, a, b in pairs]
                table.rows.append((OTHERS, k, number, number, sum(value > 0 for value in similar) / len(similar)))
    return table


def _all_pairs(texts: list[str]) -> list[tuple[int, int, str, str]]:
    return [(i, j, a, b) for (i, a), (j, b) in combinations(enumerate(texts), 2)]


def _with_copies(setup: Setup, texts: list[str], words: int) -> list[tuple[int, int, str, str]]:
    return [(i, i, text, data.edited(setup, text, words, str(i))) for i, text in enumerate(texts)]


def _pages(setup: Setup) -> list[str]:
    text = data.book(setup, PAGE * (9 if setup.quick else 21), "pages")
    return [text[start : start + PAGE] for start in range(0, len(text), PAGE)]


def _shuffles_of_other_words(setup: Setup, number: int) -> list[str]:
    """Return shuffles of 50 words from a generated book: whether long runs are shared depends on the words."""
    words = data.book(setup, 2_000, f"words/{number}").split()[: len(data.words(setup))]
    return data.permutations(replace(setup, text=" ".join(words)), DOCUMENTS, str(number))


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
        f"{EDITED_WORDS} words replaced; pages of {PAGE} characters of a generated book. Lower case, no white space, "
        f"no punctuation. Seed {setup.seed}.",
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
    edited = [mean(table.where(kind=PAGE_COPIES, k=k).numbers("similarity")) for k in SIZES]
    axes.plot(SIZES, edited, label=f"mean of pages with {PAGE_EDITS} words replaced", **figures.style(2))
    axes.axvline(9, color=figures.GREY, linewidth=1, linestyle=":", label="k = 9, the report's choice")
    axes.set(ylabel="Jaccard similarity", ylim=(-0.02, 1.03), title="Similarity falls as shingles grow")
    legend = axes.legend(loc="center right", bbox_to_anchor=(1.0, 0.25))
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
    return [
        _falls(table),
        _high_within_words(table, setup),
        _mostly_zero(table),
        _below_a_tenth(table),
        *_small_large_nine(table),
    ]


def _falls(table: Table) -> Verdict:
    """Rule: the mean rises at no step of k; in part at one or two."""
    means = [mean(_similarities(table, k)) for k in SIZES]
    rises = sum(later > earlier for earlier, later in pairwise(means))
    return verdict(
        "A-8.1-falls",
        "holds" if rises == 0 else "holds in part" if rises <= 2 else "does not hold",
        f"The mean over {len(_similarities(table, 1))} pairs goes from {means[0]:.2f} at k = 1 over {means[8]:.3f} at "
        f"k = 9 to {means[-1]:.3f} at k = 20 and rises at {rises} of {len(means) - 1} steps.",
        {"mean_k1": means[0], "mean_k9": means[8], "mean_k20": means[-1], "rises": rises},
    )


def _high_within_words(table: Table, setup: Setup) -> Verdict:
    """Rule: the mean is at least 0.5 as long as k is below the mean word length; in part up to half of that."""
    length = mean(map(len, data.words(setup)))
    high = [k for k in SIZES if mean(_similarities(table, k)) >= 0.5]
    reach = max(high, default=0)
    return verdict(
        "A-8.1-within",
        "holds" if reach >= int(length) else "holds in part" if reach >= length / 2 else "does not hold",
        f"The mean stays at 0.5 or more up to k = {reach}; the mean word has {length:.2f} letters. As k grows there "
        f"are fewer and fewer places where k letters fit into a word: that tells long before k is as long as a word.",
        {"largest_k_above_half": reach, "mean_word_length": length},
    )


def _mostly_zero(table: Table) -> Verdict:
    """Rule: at k = 13 more than half of the pairs share nothing, for this text and for others; in part if for some."""
    shares = {k: _zeros(table, k) for k in (12, 13, 14, 15)}
    others = {k: [1 - share for share in _similarities(table, k, OTHERS)] for k in (13, 15, LARGE)}
    zero = [share > 0.5 for share in (shares[13], *others[13])]
    listed = ", ".join(f"{share:.0%} at {k}" for k, share in shares.items())
    return verdict(
        "A-8.1-zero",
        "holds" if all(zero) else "holds in part" if any(zero) else "does not hold",
        f"Pairs without any shared shingle: {listed}. (In the report's own data: 34% at 13, 52% at 14, 67% at 15.) It "
        f"depends on the words: with four other texts of as many words it is {min(others[13]):.0%} to "
        f"{max(others[13]):.0%} at 13, {min(others[15]):.0%} to {max(others[15]):.0%} at 15, and "
        f"{min(others[LARGE]):.0%} to {max(others[LARGE]):.0%} at {LARGE}.",
        {f"zeros_k{k}": share for k, share in shares.items()} | {"least_of_others_k13": min(others[13])},
    )


def _below_a_tenth(table: Table) -> Verdict:
    """Rule: all pairs are below 0.1; in part if 95 % are."""
    values = _similarities(table, 9)
    below = sum(value < 0.1 for value in values) / len(values)
    return verdict(
        "A-8.1-tenth",
        "holds" if below == 1 else "holds in part" if below >= 0.95 else "does not hold",
        f"{below:.1%} of {len(values)} pairs are below 0.1; they range from {min(values):.3f} to {max(values):.3f}, "
        f"with a mean of {mean(values):.3f}.",
        {"below": below, "least": min(values), "most": max(values), "mean": mean(values)},
    )


def _alike(table: Table, kind: str, k: int) -> float:
    """Return the share of pairs that a threshold of 0.5 calls alike."""
    values = _similarities(table, k, kind)
    return sum(value >= CALLED_ALIKE for value in values) / len(values)


def _small_large_nine(table: Table) -> list[Verdict]:
    """Rule, at a threshold of 0.5: k = 2 calls half of the unlike alike; k = 20 loses half of the copies; 9 errs "
    "not."""
    unlike, copies = (SHUFFLES, PAGES), (COPIES, PAGE_COPIES)
    small = min(_alike(table, kind, 2) for kind in unlike) >= 0.5
    large = max(_alike(table, kind, LARGE) for kind in copies) <= 0.5
    nine = max(_alike(table, kind, 9) for kind in unlike) == 0 and min(_alike(table, kind, 9) for kind in copies) == 1
    kept = {kind: mean(_similarities(table, LARGE, kind)) for kind in copies}
    told = (
        f"Called alike at a threshold of {CALLED_ALIKE}: at k = 2 {_alike(table, SHUFFLES, 2):.0%} of the shuffles and "
        f"{_alike(table, PAGES, 2):.0%} of unrelated pages, at 9 {_alike(table, SHUFFLES, 9):.0%} and "
        f"{_alike(table, PAGES, 9):.0%}. Copies found: {_alike(table, COPIES, 9):.0%} and "
        f"{_alike(table, PAGE_COPIES, 9):.0%} at k = 9, {_alike(table, COPIES, LARGE):.0%} and "
        f"{_alike(table, PAGE_COPIES, LARGE):.0%} at {LARGE}"
    )
    against = (
        f": copies of 50 words with {EDITED_WORDS} replaced keep {kept[COPIES]:.2f} at k = {LARGE}, so a large k loses "
        f"what is edited much, not every copy (pages with {PAGE_EDITS} words replaced: {kept[PAGE_COPIES]:.2f})."
    )
    numbers = {"copies_k20": kept[COPIES], "pages_k20": kept[PAGE_COPIES], "shuffles_k2": _alike(table, SHUFFLES, 2)}

    def finding(*parts: bool) -> Finding:
        return "holds" if all(parts) else "holds in part" if any(parts) else "does not hold"

    return [
        verdict("A-9.1", finding(small, large, nine), told + against, numbers),
        verdict("C-size", finding(small, large), told + against, numbers),
    ]


EXPERIMENT = Experiment(
    id="similarity-by-k",
    title="Similarity of 190 pairs of shuffles, by k",
    items=(19, 50, 51, 70, 86),
    caption=(
        "Twenty shuffles of one text of 50 words are compared with each other, and each with a copy of itself in which "
        "two words were replaced. The shuffles have all words in common but not their order: for k = 1 they are equal, "
        "and for large k they share nothing. The bars show the share of pairs without any shared shingle."
    ),
    seconds=2,
    measure=_measure,
    draw=_draw,
    judge=_judge,
    figure="report A, figure 2",
)
