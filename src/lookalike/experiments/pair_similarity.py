"""Jaccard similarity of five random pairs of shuffles, against k (report B, §7.1.1).

With what counts in a text: white space kept or removed, and case ignored or counted.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import lookalike as la
from lookalike.experiments import Column, Experiment, Progress, Setup, Table, Verdict, each, figures, reports, verdict
from lookalike.experiments.figures import correlation

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure


__all__ = ["EXPERIMENTS"]

# -- the pairs ---------------------------------------------------------------------------------------------------------


JACCARD_COLUMNS = (
    Column("k", "characters"),
    Column("pair"),
    Column("similarity", "%"),
    Column("inside", "%"),  # the share of the union's shingles that hold letters of one word only
)


def _measure_jaccard(setup: Setup, progress: Progress) -> Table:
    """Compare the pairs at every size, and count the shingles that do not reach into a second word."""
    table = Table(JACCARD_COLUMNS)
    for k in each(reports.SIZES, progress):
        similarities = reports.exact(setup, k)
        for number, (pair, similarity) in enumerate(zip(reports.pairs(setup), similarities, strict=True), 1):
            union = {shingle.text for text in pair for shingle in la.shingles(text, reports.recipe_b(k))}
            inside = fmean(len(text.split()) <= 1 for text in union)
            table.rows.append((k, number, 100 * similarity, 100 * inside))
    return table


def _draw_jaccard(table: Table, setup: Setup, figure: Figure) -> None:
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
    inside = [fmean(table.where(k=k).numbers("inside")) for k in reports.SIZES]
    axes.plot(
        reports.SIZES,
        inside,
        color=figures.GREY,
        linewidth=1,
        linestyle="--",
        label="shingles inside\none word (mean)",
    )
    reports.mark_word_length(axes, setup)
    axes.set(xlabel="k (characters)", ylabel="Jaccard similarity (%)", ylim=(-2, 103), xticks=reports.SIZES)
    figure.legend(loc="outside right upper")
    figures.note(figure, reports.sample(setup, "; white space counts"))


def _judge_jaccard(table: Table, _setup: Setup) -> list[Verdict]:
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


_JACCARD = Experiment(
    id="pair-jaccard",
    title="Similarity of five random pairs against k",
    items=(51, 75, 85, 86),
    caption="Each line is a pair of shuffles of the same words. The similarity stays high while a shingle fits into a "
    "word, and falls as shingles reach into the next word: the dashed line is the share of shingles that do not. The "
    "dotted line marks the mean word length.",
    seconds=0.1,
    measure=_measure_jaccard,
    draw=_draw_jaccard,
    judge=_judge_jaccard,
    figure="report B, figure 7.1.1",
)


# -- white space and case ----------------------------------------------------------------------------------------------


WHITE_SPACE: Final = (Column("k", "characters"), Column("kept", "%"), Column("removed", "%"))
LOWERCASE: Final = (
    Column("k", "characters"),
    Column("text"),
    Column("ignored", "%"),
    Column("counted", "%"),
)
SENTENCE: Final = 10
"""Words of a sentence, whose first word begins with a capital."""


def measure_white_space(setup: Setup, progress: Progress) -> Table:
    """Compare the pairs with white space and without."""
    table = Table(WHITE_SPACE)
    for k in each(reports.SIZES, progress):
        kept, removed = (_mean(reports.pairs(setup), k, whitespace=choice) for choice in ("keep", "remove"))
        table.rows.append((k, kept, removed))
    return table


def measure_lowercase(setup: Setup, progress: Progress) -> Table:
    """Compare the pairs with case ignored and counted: all lower case, capitals on words, capitals on places."""
    table = Table(LOWERCASE)
    for k in each(reports.SIZES, progress):
        for name, write in TEXTS.items():
            pairs = [(write(a), write(b)) for a, b in reports.pairs(setup)]
            ignored, counted = (_mean(pairs, k, lowercase=choice) for choice in (True, False))
            table.rows.append((k, name, ignored, counted))
    return table


def _mean(pairs: list[tuple[str, str]], k: int, **options: Any) -> float:
    recipe = reports.recipe_b(k, **options)
    return 100 * fmean(la.jaccard(a, b, recipe=recipe) for a, b in pairs)


def _names(text: str) -> str:
    """Write the same words of every shuffle with a capital, as names are: their capitals travel with them."""
    chosen = set(sorted(set(text.lower().split()))[::SENTENCE])
    return " ".join(word.capitalize() if word in chosen else word for word in text.lower().split())


def _sentences(text: str) -> str:
    """Write the first word of every ten with a capital, whichever it is: the places have capitals, not the words."""
    words = text.lower().split()
    return " ".join(word if place % SENTENCE else word.capitalize() for place, word in enumerate(words))


TEXTS: Final[dict[str, Callable[[str], str]]] = {
    "all lower case": str.lower,
    "names": _names,
    "sentences": _sentences,
}


def draw_white_space(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw a line for each choice."""
    axes = figure.add_subplot()
    for n, column in enumerate(("kept", "removed")):
        axes.plot(table.numbers("k"), table.numbers(column), **figures.style(n), label=f"white space {column}")
    reports.mark_word_length(axes, setup)
    axes.set(xlabel="k (characters)", ylabel="mean Jaccard similarity (%)", ylim=(-2, 103), xticks=reports.SIZES)
    axes.legend(loc="upper right")
    figures.note(figure, reports.sample(setup))


def draw_lowercase(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw the similarities on the left, and what ignoring case adds on the right."""
    figure.set_size_inches(10.5, 4.6)
    left, right = figure.subplots(1, 2)
    for n, name in enumerate(table.distinct("text")):
        rows = table.where(text=name)
        sizes, ignored, counted = (rows.numbers(column) for column in ("k", "ignored", "counted"))
        if not n:
            left.plot(sizes, ignored, color=figures.GREY, linewidth=4, alpha=0.4, label="case ignored, all three texts")
        left.plot(sizes, counted, **figures.style(n), label=f"case counted: {name}")
        more = [one - other for one, other in zip(ignored, counted, strict=True)]
        right.plot(sizes, more, **figures.style(n), label=str(name))
    for axes, title in ((left, "similarity"), (right, "what ignoring case adds")):
        axes.set(title=title, xlabel="k (characters)", xticks=reports.SIZES)
        axes.legend(loc="upper right")
    left.set(ylabel="mean Jaccard similarity (%)", ylim=(-2, 103))
    right.set(ylabel="percentage points")
    figures.note(figure, reports.sample(setup, "; white space counts"))


def judge_white_space(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge that white space makes texts more similar, and the reason that report B gives."""
    kept, removed = (dict(zip(reports.SIZES, table.numbers(name), strict=True)) for name in ("kept", "removed"))
    undecided = [k for k in reports.SIZES if 0.5 < kept[k] < 99.5]
    higher = sum(kept[k] > removed[k] for k in undecided)
    first, second = _half(kept), _half(removed)
    high = max(value for curve in (kept, removed) for k, value in curve.items() if k >= 8)
    return [
        verdict(
            "B-7.1.1-spaces",
            "holds" if higher == len(undecided) else "holds in part" if higher else "does not hold",
            f"It is higher at {higher} of the {len(undecided)} sizes k at which the similarity is neither 0 nor 100 %: "
            f"at k = 3 {kept[3]:.1f} against {removed[3]:.1f} %, at k = 9 {kept[9]:.1f} against {removed[9]:.1f} %.",
            {"kept_at_3": kept[3], "removed_at_3": removed[3], "kept_at_9": kept[9], "removed_at_9": removed[9]},
        ),
        verdict(
            "B-7.1.1-blanks",
            "holds" if 0.5 <= first - second <= 2.5 else "does not hold",
            f"The similarity falls through 50 % at k = {first:.2f} with white space and at {second:.2f} without: the "
            f"curve is shifted by {first - second:.2f} characters. A space at each end of a word makes it longer by "
            "one to two (0.5 to 2.5 counts as that).",
            {"half_kept": first, "half_removed": second, "shift": first - second},
        ),
        verdict(
            "ours-B-k",
            "holds" if high < 20 else "does not hold",
            f"At k = 8 the mean of the pairs is {kept[8]:.1f} % with white space and {removed[8]:.1f} % without, and "
            f"it never comes back above: at most {high:.1f} % from there on. Below k = 5 it is {kept[4]:.1f} and "
            f"{removed[4]:.1f} %: there, texts without a common sentence look alike.",
            {"most_from_8": high},
        ),
    ]


def _half(similarities: dict[int, float]) -> float:
    """Return where a falling curve passes 50 %, between two sizes; the last size if it does not."""
    for k in reports.SIZES[:-1]:
        high, low = similarities[k], similarities[k + 1]
        if high >= 50 > low:
            return k + (high - 50) / (high - low)
    return float(reports.SIZES[-1])


def judge_lowercase(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge that the option does nothing for texts in lower case, and show what it does for others."""
    most = {
        str(name): max(abs(i - c) for i, c in zip(rows.numbers("ignored"), rows.numbers("counted"), strict=True))
        for name in table.distinct("text")
        for rows in [table.where(text=name)]
    }
    return [
        verdict(
            "B-7.1.1-case",
            "holds" if most["all lower case"] == 0 else "does not hold",
            f"Largest change over all k: {most['all lower case']:.2f} percentage points for texts in lower case. It is "
            f"not so for other texts: {most['names']:.1f} points if some words always have a capital, and "
            f"{most['sentences']:.1f} if every tenth place has one, as the beginning of a sentence does.",
            {f"most_{name.replace(' ', '_')}": value for name, value in most.items()},
        )
    ]


_OPTIONS = (
    Experiment(
        id="white-space",
        title="White space kept or removed, against k",
        items=(15, 77, 118),
        caption="Mean similarity of five pairs of shuffles with and without the spaces between words. With spaces, "
        "each word is longer, so that shingles of the same k reach into the next word less often.",
        seconds=0.1,
        measure=measure_white_space,
        draw=draw_white_space,
        judge=judge_white_space,
        figure="report B, figure of §7.1.1 (spaces)",
    ),
    Experiment(
        id="lowercase",
        title="Case ignored or counted, against k",
        items=(16, 77),
        caption="The same five pairs, written in three ways: all in lower case; some words always with a capital, as "
        "names; every tenth place with a capital, as the beginning of a sentence. Capitals that stay in place while "
        "the words move make equal words differ, and ignoring case takes that back.",
        seconds=0.1,
        measure=measure_lowercase,
        draw=draw_lowercase,
        judge=judge_lowercase,
    ),
)

EXPERIMENTS = (
    _JACCARD,
    *_OPTIONS,
)
