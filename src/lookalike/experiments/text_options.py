"""What counts in a text: white space kept or removed, and case ignored or counted, against k (item 77)."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import lookalike as la
from lookalike.experiments import figures, report_b
from lookalike.experiments.claims import verdict
from lookalike.experiments.experiment import Column, Experiment, Progress, Setup, Table, Verdict, each

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

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
    for k in each(report_b.SIZES, progress):
        kept, removed = (_mean(report_b.pairs(setup), k, whitespace=choice) for choice in ("keep", "remove"))
        table.rows.append((k, kept, removed))
    return table


def measure_lowercase(setup: Setup, progress: Progress) -> Table:
    """Compare the pairs with case ignored and counted: all lower case, capitals on words, capitals on places."""
    table = Table(LOWERCASE)
    for k in each(report_b.SIZES, progress):
        for name, write in TEXTS.items():
            pairs = [(write(a), write(b)) for a, b in report_b.pairs(setup)]
            ignored, counted = (_mean(pairs, k, lowercase=choice) for choice in (True, False))
            table.rows.append((k, name, ignored, counted))
    return table


def _mean(pairs: list[tuple[str, str]], k: int, **options: Any) -> float:
    recipe = report_b.recipe(k, **options)
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
    report_b.mark_word_length(axes, setup)
    axes.set(xlabel="k (characters)", ylabel="mean Jaccard similarity (%)", ylim=(-2, 103), xticks=report_b.SIZES)
    axes.legend(loc="upper right")
    figures.note(figure, report_b.sample(setup))


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
        axes.set(title=title, xlabel="k (characters)", xticks=report_b.SIZES)
        axes.legend(loc="upper right")
    left.set(ylabel="mean Jaccard similarity (%)", ylim=(-2, 103))
    right.set(ylabel="percentage points")
    figures.note(figure, report_b.sample(setup, "; white space counts"))


def judge_white_space(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge that white space makes texts more similar, and the reason that report B gives."""
    kept, removed = (dict(zip(report_b.SIZES, table.numbers(name), strict=True)) for name in ("kept", "removed"))
    undecided = [k for k in report_b.SIZES if 0.5 < kept[k] < 99.5]
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
            f"curve is shifted by {first - second:.2f} characters. A blank at each end of a word makes it longer by "
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
    for k in report_b.SIZES[:-1]:
        high, low = similarities[k], similarities[k + 1]
        if high >= 50 > low:
            return k + (high - 50) / (high - low)
    return float(report_b.SIZES[-1])


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


EXPERIMENTS = (
    Experiment(
        id="white-space",
        title="White space kept or removed, against k",
        items=(15, 77, 118),
        caption="Mean similarity of five pairs of shuffles with and without the blanks between words. With blanks, "
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
