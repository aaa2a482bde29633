"""How similar shuffles of one text are, for each size of a shingle (report A, §8.1); as sets, and as bags.

Article C divides by the sum of the sizes of two bags, so that a text has similarity ½ with itself, and no two texts can
have more. The usual definition, Σ min / Σ max of the counts, reads 1 for equal bags.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from statistics import mean
from typing import TYPE_CHECKING, Final

import lookalike as la
from lookalike.experiments import (
    Column,
    Experiment,
    Finding,
    Progress,
    Setup,
    Table,
    Verdict,
    data,
    each,
    figures,
    reports,
    verdict,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

# == sets, by k (report A, §8.1) =======================================================================================


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


def _measure_by_k(setup: Setup, progress: Progress) -> Table:
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
        recipe = reports.recipe_a(k)
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


def _draw_by_k(table: Table, setup: Setup, figure: Figure) -> None:
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


def _judge_by_k(table: Table, setup: Setup) -> list[Verdict]:
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
    numbers = {
        "copies_k20": kept[COPIES],
        "pages_k20": kept[PAGE_COPIES],
        "shuffles_k2": _alike(table, SHUFFLES, 2),
    }

    def finding(*parts: bool) -> Finding:
        return "holds" if all(parts) else "holds in part" if any(parts) else "does not hold"

    return [
        verdict("A-9.1", finding(small, large, nine), told + against, numbers),
        verdict("C-size", finding(small, large), told + against, numbers),
    ]


_BY_K = Experiment(
    id="similarity-by-k",
    title="Similarity of 190 pairs of shuffles, by k",
    items=(19, 50, 51, 70, 86),
    caption=(
        "Twenty shuffles of one text of 50 words are compared with each other, and each with a copy of itself in which "
        "two words were replaced. The shuffles have all words in common but not their order: for k = 1 they are equal, "
        "and for large k they share nothing. The bars show the share of pairs without any shared shingle."
    ),
    seconds=2,
    measure=_measure_by_k,
    draw=_draw_by_k,
    judge=_judge_by_k,
    figure="report A, figure 2",
)


# == bags (article C) ==================================================================================================


BAGS_DOCUMENTS: Final = 20
BAGS_COPIES: Final = (1, 2, 3, 4, 6, 8)
K: Final = 5
MEASURES: Final = {
    "set": "set: |A ∩ B| / |A ∪ B|",
    "bag": "bag: Σ min / Σ max",
    "report": "bag as in article C: Σ min / (|A| + |B|)",
}

BAGS_COLUMNS: Final = (
    Column("documents"),
    Column("k", "characters"),
    Column("copies"),
    Column("pairs", "pairs"),
    Column("set"),
    Column("bag"),
    Column("report"),
)


def _measure_bags(setup: Setup, progress: Progress) -> Table:
    """Compare shuffles, a text with itself, and a text with several copies of itself in a row."""
    texts = data.permutations(setup, BAGS_DOCUMENTS)
    table = Table(BAGS_COLUMNS)
    for k in each(range(1, 16), progress):
        recipe = la.Recipe(unit="char", k=k)
        pairs = list(combinations(texts[:8] if setup.quick else texts, 2))
        table.rows.append(("shuffles", k, 1, len(pairs), *_means(pairs, recipe)))
        table.rows.append(("itself", k, 1, len(texts), *_means([(text, text) for text in texts], recipe)))
    for copies in BAGS_COPIES:
        pairs = [(text, " ".join([text] * copies)) for text in texts]
        table.rows.append(("repeated", K, copies, len(pairs), *_means(pairs, la.Recipe(unit="char", k=K))))
    return table


def _means(pairs: list[tuple[str, str]], recipe: la.Recipe) -> tuple[float, float, float]:
    """Return the mean similarity of the pairs by each of the three measures."""
    as_set, bag, report = (
        sum(measured(a, b, recipe=recipe) for a, b in pairs) / len(pairs)
        for measured in (la.jaccard, la.bag_jaccard, la.bag_jaccard_report)
    )
    return as_set, bag, report


def _draw_bags(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw shuffles against k on the left, repeated texts on the right."""
    figure.set_size_inches(10, 5)
    left, right = figure.subplots(1, 2, sharey=True)
    shuffles, itself, repeated = (table.where(documents=name) for name in ("shuffles", "itself", "repeated"))
    for n, (name, label) in enumerate(MEASURES.items()):
        look = figures.style(n)
        left.plot(shuffles.numbers("k"), shuffles.numbers(name), label=label, **look)
        right.plot(repeated.numbers("copies"), repeated.numbers(name), **look)
        if name != "bag":  # sets and bags both read 1
            left.plot(itself.numbers("k"), itself.numbers(name), color=look["color"], linewidth=1, alpha=0.7)
    for height, who in ((1.0, "set and bag"), (0.5, "article C")):
        left.annotate(f"a text with itself: {who}", (15, height), (0, 3), textcoords="offset points", ha="right")
    left.set(xlabel="k (characters)", ylabel="mean similarity", title="Shuffles of one text", ylim=(0, 1.38))
    left.legend(loc="upper left")
    left.set_yticks([step / 5 for step in range(6)])
    right.set(xlabel="copies of the text in the second document", title=f"A text and itself several times, k = {K}")
    figures.note(
        figure,
        f"{shuffles.rows[0][3]} pairs of shuffles, {repeated.rows[0][3]} texts compared with themselves and their "
        f"repetitions; seed {setup.seed}",
    )


def _judge_bags(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge article C's definition, and whether it is worth while to keep the number of appearances."""
    return [_self(table), _worth(table)]


def _self(table: Table) -> Verdict:
    """Rule: a text has similarity 1 with itself by article C's measure; in part if it is at least above ½."""
    itself = table.where(documents="itself")
    most, usual = max(itself.numbers("report")), min(itself.numbers("bag"))
    return verdict(
        "C-bags",
        "holds" if most > 0.999 else "holds in part" if most > 0.501 else "does not hold",
        f"By this definition a text has similarity {most:.2f} with itself, and nothing can have more; by "
        f"Σ min / Σ max it has {usual:.2f}.",
        {"itself_by_report": most, "itself_by_min_max": usual},
    )


def _worth(table: Table) -> Verdict:
    """Rule: bags differ from sets by 0.1 or more both on repeated texts and on shuffles; in part if on one of them."""
    repeated, shuffles = table.where(documents="repeated"), table.where(documents="shuffles")
    gaps = [
        max(abs(a - b) for a, b in zip(rows.numbers("set"), rows.numbers("bag"), strict=True))
        for rows in (repeated, shuffles)
    ]
    return verdict(
        "ours-bags",
        "holds" if min(gaps) >= 0.1 else "holds in part" if max(gaps) >= 0.1 else "does not hold",
        f"A text and {BAGS_COPIES[-1]} copies of it in a row: {repeated.numbers('set')[-1]:.2f} as sets, "
        f"{repeated.numbers('bag')[-1]:.2f} as bags. On shuffles of one text, where little repeats, the two means "
        f"differ by at most {gaps[1]:.2f}.",
        {"largest_gap_repeated": gaps[0], "largest_gap_shuffles": gaps[1]},
    )


_BAGS: Final = Experiment(
    id="bags",
    title="Sets, bags, and article C's bags",
    items=(7, 18, 100),
    caption="Left: the mean similarity of shuffles by three measures; thin lines: a text with itself, which article "
    "C's definition puts at ½. Right: a text against several copies of itself in a row: the set does not notice, the "
    "bag falls as 1/copies.",
    seconds=1,
    measure=_measure_bags,
    draw=_draw_bags,
    judge=_judge_bags,
)

EXPERIMENTS = (_BY_K, _BAGS)
