"""Bags against sets: what it changes that a repeated shingle counts, and what article C's definition does to it.

Article C divides by the sum of the sizes of two bags, so that a text has similarity ½ with itself, and no two texts can
have more (items 7 and 100). The usual definition, Σ min / Σ max of the counts, reads 1 for equal bags.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

import lookalike as la
from lookalike.experiments import data
from lookalike.experiments.claims import verdict
from lookalike.experiments.experiment import Column, Experiment, Progress, Setup, Table, Verdict, each

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

DOCUMENTS: Final = 20
COPIES: Final = (1, 2, 3, 4, 6, 8)
K: Final = 5
MEASURES: Final = {
    "set": "set: |A ∩ B| / |A ∪ B|",
    "bag": "bag: Σ min / Σ max",
    "report": "bag as in article C: Σ min / (|A| + |B|)",
}

COLUMNS: Final = (
    Column("documents"),
    Column("k", "characters"),
    Column("copies"),
    Column("pairs", "pairs"),
    Column("set"),
    Column("bag"),
    Column("report"),
)


def measure(setup: Setup, progress: Progress) -> Table:
    """Compare shuffles, a text with itself, and a text with several copies of itself in a row."""
    texts = data.permutations(setup, DOCUMENTS)
    table = Table(COLUMNS)
    for k in each(range(1, 16), progress):
        recipe = la.Recipe(unit="char", k=k)
        pairs = list(combinations(texts[:8] if setup.quick else texts, 2))
        table.rows.append(("shuffles", k, 1, len(pairs), *_means(pairs, recipe)))
        table.rows.append(("itself", k, 1, len(texts), *_means([(text, text) for text in texts], recipe)))
    for copies in COPIES:
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


def draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw shuffles against k on the left, repeated texts on the right."""
    from lookalike.experiments import figures

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


def judge(table: Table, _setup: Setup) -> list[Verdict]:
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
        f"A text and {COPIES[-1]} copies of it in a row: {repeated.numbers('set')[-1]:.2f} as sets, "
        f"{repeated.numbers('bag')[-1]:.2f} as bags. On shuffles of one text, where little repeats, the two means "
        f"differ by at most {gaps[1]:.2f}.",
        {"largest_gap_repeated": gaps[0], "largest_gap_shuffles": gaps[1]},
    )


EXPERIMENT: Final = Experiment(
    id="bags",
    title="Sets, bags, and article C's bags",
    items=(7, 18, 100),
    caption="Left: the mean similarity of shuffles by three measures; thin lines: a text with itself, which article "
    "C's definition puts at ½. Right: a text against several copies of itself in a row: the set does not notice, the "
    "bag falls as 1/copies.",
    seconds=1,
    measure=measure,
    draw=draw,
    judge=judge,
)
