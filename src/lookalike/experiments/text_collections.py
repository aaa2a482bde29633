"""The texts of the experiments themselves: are they what the reports needed, and are they prepared alike?

Shuffles of 50 words have the words of report B's text in number and length, a pair of similarity 0.6 has it by
construction and not by luck, and a generated book has words as unevenly common as those of a language. Report A's exact
and approximate programs prepare the texts differently (§8.3); the second experiment shows what that changes.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Final

import lookalike as la
from lookalike.experiments import (
    Cell,
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
from lookalike.experiments.figures import slope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "zipf_exponent"]

# == what the texts are like ===========================================================================================


K: Final = 9
RECIPE: Final = la.Recipe(unit="char", k=K)
WANTED: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
PAGE: Final = 2000
"""Characters of a page."""
STEP: Final = 0.01
"""The width of a class of similarities."""
RANKS: Final = (10, 1000)
"""Between these ranks the exponent of Zipf's law is taken: above are a few words, below are chance counts."""

TEXTS_COLUMNS: Final = (Column("texts"), Column("quantity"), Column("x"), Column("value"))


def _measure_texts(setup: Setup, progress: Progress) -> Table:
    """Count words, lengths, frequencies and similarities."""
    many = 60 if setup.quick else 410
    parts: list[Callable[[], Iterator[tuple[Cell, ...]]]] = [
        lambda: _lengths("base text", data.words(setup)),
        lambda: _book(setup, 120_000 if setup.quick else 600_000),
        lambda: _similarities("20 shuffles", data.permutations(setup, 20)),
        lambda: _similarities(f"{many} shuffles", data.permutations(setup, many)),
        lambda: _wanted(setup),
    ]
    table = Table(TEXTS_COLUMNS)
    for part in each(parts, progress):
        table.rows.extend(part())
    return table


def _lengths(name: str, words: list[str]) -> Iterator[tuple[Cell, ...]]:
    counted = Counter(map(len, words))
    yield name, "words", 0, len(words)
    yield name, "mean length", 0, fmean(map(len, words))
    for length in range(1, max(counted) + 1):
        yield name, "share of length", length, counted[length] / len(words)


def _book(setup: Setup, size: int) -> Iterator[tuple[Cell, ...]]:
    text = data.book(setup, size)
    words = [unit.text for unit in la.units(text)]
    yield from _lengths("book", words)
    frequencies = [count for _, count in Counter(words).most_common()]
    for rank, count in enumerate(frequencies, start=1):
        if rank in _ranks(len(frequencies)):
            yield "book", "count of rank", rank, count
    yield "book", "different shingles", 0, different_share(text)
    yield "book", "similarity of pages", 0, page_similarity(text)


def different_share(text: str) -> float:
    """Return how many of the shingles of a text are different: 1 if none comes twice."""
    shingles = [shingle.text for shingle in la.shingles(text, RECIPE)]
    return len(set(shingles)) / len(shingles)


def page_similarity(text: str) -> float:
    """Return the mean similarity of neighbouring pages: what unrelated texts of one language share."""
    pages = [text[start : start + PAGE] for start in range(0, min(len(text), 60 * PAGE) - PAGE + 1, PAGE)]
    return fmean(la.jaccard(a, b, recipe=RECIPE) for a, b in pairwise(pages))


def _ranks(most: int) -> set[int]:
    """Return ranks at even distances on a logarithmic scale: a curve needs no more."""
    return {round(10 ** (step / 20)) for step in range(20 * len(str(most)) + 1)} & set(range(1, most + 1))


def _similarities(name: str, texts: list[str]) -> Iterator[tuple[Cell, ...]]:
    """Give the number of pairs in each class of similarity, and the highest similarity."""
    result = la.find(texts, 1e-9, method="brute", recipe=RECIPE, threads=1)
    found = [float(pair["jaccard"]) for pair in result.pairs.to_pylist()]
    pairs = math.comb(len(texts), 2)
    classes = Counter(math.floor(similarity / STEP) for similarity in found)
    classes[0] += pairs - len(found)  # the search leaves out pairs that share nothing
    yield name, "pairs", 0, pairs
    yield name, "highest similarity", 0, max(found, default=0.0)
    for step in range(max(classes) + 1):
        yield name, "pairs of similarity", step * STEP, classes[step]


def _wanted(setup: Setup) -> Iterator[tuple[Cell, ...]]:
    for wanted in WANTED:
        pair = data.pair_of_similarity(setup, wanted, K)
        yield "constructed pair", "similarity", wanted, la.jaccard(*pair, recipe=RECIPE)
    for n, pair in enumerate(data.pairs(setup, 5)):
        yield "random pairs", "similarity", n, la.jaccard(*pair, recipe=RECIPE)


def value(table: Table, texts: str, quantity: str, x: float = 0) -> float:
    """Return one number of the table."""
    return table.where(texts=texts, quantity=quantity, x=x).numbers("value")[0]


def zipf_exponent(table: Table) -> float:
    """Return how fast the count of a word falls with its rank in the book: 1 is Zipf's law."""
    rows = table.where(texts="book", quantity="count of rank")
    chosen = [
        (r, n) for r, n in zip(rows.numbers("x"), rows.numbers("value"), strict=True) if RANKS[0] <= r <= RANKS[1]
    ]
    return -slope([math.log(rank) for rank, _ in chosen], [math.log(count) for _, count in chosen])


# -- the figure ------------------------------------------------------------------------------------------------------


def _draw_texts(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw lengths of words, frequencies of words, similarities of shuffles, and wanted similarities."""
    figure.set_size_inches(10.5, 7.6)
    (lengths, zipf), (shuffles, wanted) = figure.subplots(2, 2)
    for n, texts in enumerate(("base text", "book")):
        rows = table.where(texts=texts, quantity="share of length")
        label = f"{texts}: mean {value(table, texts, 'mean length'):.2f}"
        lengths.plot(rows.numbers("x"), rows.numbers("value"), label=label, **figures.style(n))
    lengths.set(xlabel="length of a word (characters)", ylabel="share of words", title="Lengths of words")
    lengths.set_ylim(top=1.25 * lengths.get_ylim()[1])  # room for the legend
    lengths.legend(loc="upper right")
    _draw_zipf(table, zipf)
    _draw_shuffles(table, shuffles)
    _draw_wanted(table, wanted)
    many = _many(table)
    figures.note(
        figure,
        f"base text: {value(table, 'base text', 'words'):.0f} words; book: {value(table, 'book', 'words'):.0f} words; "
        f"20 shuffles: 190 pairs; {many}: {value(table, many, 'pairs'):.0f} pairs; k = {K} characters; "
        f"seed {setup.seed}",
    )


def _many(table: Table) -> str:
    return str(
        next(name for name in table.distinct("texts") if str(name).endswith(" shuffles") and name != "20 shuffles")
    )


def _draw_zipf(table: Table, axes: Axes) -> None:
    rows = table.where(texts="book", quantity="count of rank")
    ranks, counts = rows.numbers("x"), rows.numbers("value")
    axes.plot(ranks, counts, "o", color=figures.COLOURS[1], label=f"book: exponent {zipf_exponent(table):.2f}")
    middle = min(range(len(ranks)), key=lambda n: abs(math.log(ranks[n] / 100)))
    law = [counts[middle] * ranks[middle] / rank for rank in ranks]
    axes.plot(ranks, law, color=figures.GREY, linestyle="--", label="Zipf's law: 1/rank")
    axes.set(
        xscale="log", yscale="log", xlabel="rank of a word", ylabel="times it occurs", title="Frequencies of words"
    )
    axes.legend(loc="lower left")


def _draw_shuffles(table: Table, axes: Axes) -> None:
    for n, name in enumerate(("20 shuffles", _many(table))):
        rows = table.where(texts=name, quantity="pairs of similarity")
        shares = [count / value(table, name, "pairs") for count in rows.numbers("value")]
        middles = [x + STEP / 2 for x in rows.numbers("x")]
        axes.plot(middles, shares, label=name, **figures.style(n))
    axes.set(xlabel="Jaccard similarity", ylabel="share of pairs", title=f"Shuffles compared, k = {K}")
    axes.legend(loc="upper right")


def _draw_wanted(table: Table, axes: Axes) -> None:
    rows = table.where(texts="constructed pair")
    axes.plot([0, 1], [0, 1], color=figures.GREY, linestyle="--")
    axes.plot(rows.numbers("x"), rows.numbers("value"), "o", color=figures.COLOURS[0], ms=6, label="constructed")
    luck = value(table, _many(table), "highest similarity")
    axes.axhline(luck, color=figures.COLOURS[1], linestyle=":", label=f"best of {_many(table)}: {luck:.2f}")
    axes.set(xlabel="wanted similarity", ylabel="similarity of the pair", title="A pair of wanted similarity")
    axes.legend(loc="upper left")


# -- the verdicts ----------------------------------------------------------------------------------------------------


def _judge_texts(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge whether the texts are those that the experiments need."""
    return [_pair(table), _words(table), _natural(table)]


def _pair(table: Table) -> Verdict:
    """Rule: the constructed pair is within 0.001 of 0.6; in part if within 0.01."""
    made, luck = value(table, "constructed pair", "similarity", 0.6), value(table, _many(table), "highest similarity")
    off = abs(made - 0.6)
    return verdict(
        "ours-texts-pair",
        "holds" if off <= 0.001 else "holds in part" if off <= 0.01 else "does not hold",
        f"The constructed pair has {made:.4f}. Luck would not do: the most similar of "
        f"{value(table, _many(table), 'pairs'):.0f} pairs of shuffles has {luck:.3f}.",
        {"similarity": made, "highest_among_shuffles": luck},
    )


def _words(table: Table) -> Verdict:
    """Rule: the base text has 50 words and a mean length within 0.05 of 5.84; in part if one of the two."""
    words, mean = value(table, "base text", "words"), value(table, "base text", "mean length")
    right = (words == 50, abs(mean - 5.84) <= 0.05)
    return verdict(
        "ours-texts-words",
        "holds" if all(right) else "holds in part" if any(right) else "does not hold",
        f"{words:.0f} words of {mean:.2f} letters on average.",
        {"words": words, "mean_length": mean},
    )


def _natural(table: Table) -> Verdict:
    """Rule: the exponent of Zipf's law is from 0.85 to 1.15; in part from 0.6 to 1.4."""
    exponent = zipf_exponent(table)
    different, pages = (value(table, "book", name) for name in ("different shingles", "similarity of pages"))
    off = abs(exponent - 1)
    return verdict(
        "ours-texts-zipf",
        "holds" if off <= 0.15 else "holds in part" if off <= 0.4 else "does not hold",
        f"The book has {value(table, 'book', 'words'):.0f} words; between ranks {RANKS[0]} and {RANKS[1]} the "
        f"frequency of a word falls as rank^−{exponent:.2f} (Zipf's law: 1). Of its {K}-shingles {different:.0%} are "
        f"different, and neighbouring pages have a similarity of {pages:.3f}; an English novel of 600 kB has about "
        "40 % and 0.046. The novels of the report are under copyright; --text takes others.",
        {"zipf_exponent": exponent, "different_shingles": different, "page_similarity": pages},
    )


_TEXTS: Final = Experiment(
    id="collections",
    title="The texts themselves: words, frequencies, similarities",
    items=(49, 50, 51, 122),
    caption="Above: lengths of the words of the 50-word text and of a generated book, and how often the words of the "
    "book occur by rank: near a straight line, as in a natural language. Below: shuffles are hardly similar at k = 9, "
    "so a pair of similarity 0.6 has to be constructed; it hits what is wanted.",
    seconds=4,
    measure=_measure_texts,
    draw=_draw_texts,
    judge=_judge_texts,
)


# == texts that are prepared differently (report A, §8.3) ==============================================================


UNLIKE_K: Final = 5
HASHES: Final = 200
BINS: Final = 50
REMOVED, KEPT = "letters only", "everything kept"
_RECIPES: Final = {
    REMOVED: reports.recipe_a(UNLIKE_K, hashes=HASHES),
    KEPT: la.Recipe(unit="char", k=UNLIKE_K, lowercase=False, whitespace="keep", punctuation="keep", hashes=HASHES),
}


def _measure_unlike(setup: Setup, progress: Progress) -> Table:
    columns = (
        Column("preprocessing", "name"),
        Column("from similarity"),
        Column("pairs"),
        Column("sum of similarities"),
        Column("largest"),
        Column("expected candidates", "pairs"),
        Column("candidates", "pairs"),
    )
    texts = data.permutations(setup, reports.DOCUMENTS)
    table = Table(columns)
    for name in each(tuple(_RECIPES), progress):
        bins: list[list[float]] = [[] for _ in range(BINS)]
        candidates = [0.0] * BINS
        exact = reports.similarities(texts, _RECIPES[name])
        for similarity in exact.values():
            bins[_bin(similarity)].append(similarity)
        bins[0] += [0.0] * (math.comb(len(texts), 2) - len(exact))
        for number in range(_signings(setup)):
            recipe = _RECIPES[name].replace(seed=reports.hash_seed(setup, number))
            for pair in la.candidates(la.sign(texts, recipe), reports.BANDS, threads=1):
                candidates[_bin(exact[pair])] += 1 / _signings(setup)
        for number, values in enumerate(bins):
            expected = math.fsum(map(reports.BANDS.probability, values))
            row = (len(values), math.fsum(values), max(values, default=0.0), expected, round(candidates[number], 9))
            table.rows.append((name, number / BINS, *row))
    return table


def _signings(setup: Setup) -> int:
    """Return how often the texts are signed, each time with other hash functions.

    The shuffles have most shingles in common, so when such a shingle decides a band it does so for all of them at once:
    one signing gives no candidate or a thousand, and only the mean of many says something.
    """
    return 20 if setup.quick else 200


def _bin(similarity: float) -> int:
    return min(BINS - 1, int(similarity * BINS))


def _draw_unlike(table: Table, setup: Setup, figure: Figure) -> None:
    figure.set_size_inches(8, 4.8)
    axes = figure.subplots()
    for number, name in enumerate(_RECIPES):
        part = table.where(preprocessing=name)
        edges = [*part.numbers("from similarity"), 1.0]
        candidates, largest = sum(part.numbers("candidates")), max(part.numbers("largest"))
        label = f"{name}: mean {_mean(part):.3f}, largest {largest:.3f}, {candidates:.1f} candidates"
        hatch = ("", "///")[number]
        colour = figures.COLOURS[number]
        axes.stairs(part.numbers("pairs"), edges, fill=True, color=colour, alpha=0.35, hatch=hatch)
        axes.stairs(part.numbers("pairs"), edges, color=colour, linewidth=1.5, label=label)
    figures.plain_numbers(axes.yaxis)
    axes.set(xlabel="Jaccard similarity of a pair", ylabel="pairs", xlim=(0, 1))
    curve = axes.twinx()
    points = la.s_curve(reports.BANDS)
    line = curve.plot(*zip(*points, strict=True), color="black", linewidth=1.2, linestyle="--")
    curve.set(ylabel="probability to become a candidate", ylim=(0, 1.02))
    curve.grid(visible=False)
    curve.spines["right"].set_visible(True)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        [*handles, *line], [*labels, f"probability of a candidate, {reports.BANDS}"], loc="outside upper center"
    )
    figures.note(
        figure,
        f"{reports.DOCUMENTS} shuffles of {len(data.words(setup))} words, {math.comb(reports.DOCUMENTS, 2):,} pairs, "
        f"k = {UNLIKE_K}, {HASHES} hashes. Candidates: mean of {_signings(setup)} signings with other hash functions. "
        f"Seed {setup.seed}.",
    )


def _mean(part: Table) -> float:
    return sum(part.numbers("sum of similarities")) / sum(part.numbers("pairs"))


def _judge_unlike(table: Table, _setup: Setup) -> list[Verdict]:
    removed, kept = (table.where(preprocessing=name) for name in (REMOVED, KEPT))
    means = _mean(removed), _mean(kept)
    largest = [max(part.numbers("largest")) for part in (removed, kept)]
    expected = [sum(part.numbers("expected candidates")) for part in (removed, kept)]
    met = [sum(part.numbers("candidates")) for part in (removed, kept)]
    apart = abs(means[1] - means[0])
    finding: Finding = "does not hold" if apart >= 0.05 else "holds in part" if apart >= 0.01 else "holds"
    return [
        verdict(
            "ours-same-texts",
            finding,
            f"Its program compares exactly without white space and punctuation, and by signatures with all characters. "
            f"On the same {reports.DOCUMENTS} documents the mean similarity is {means[0]:.3f} for letters only and "
            f"{means[1]:.3f} with everything kept, the largest {largest[0]:.3f} and {largest[1]:.3f}. With "
            f"{reports.BANDS} there are {met[0]:.1f} and {met[1]:.0f} candidates on average; the formula for "
            f"independent hash functions gives {expected[0]:.1f} and {expected[1]:.0f}. (In the report's own data: "
            f"means 0.246 and 0.422, 2 and 316 candidates expected.) All other experiments here use one preprocessing.",
            {
                "mean_letters": means[0],
                "mean_all": means[1],
                "expected_letters": expected[0],
                "expected_all": expected[1],
            },
        )
    ]


_UNLIKE = Experiment(
    id="preprocessing",
    title="What unlike preprocessing does to a comparison",
    items=(72, 103),
    caption=(
        "The similarities of all pairs of 410 shuffles, prepared in the two ways that report A mixes: its exact "
        "program keeps letters only, the approximate ones all characters. Spaces make all pairs more similar, because "
        "the ends of words become shingles of their own, and more pairs reach the part of the curve where LSH proposes "
        "candidates."
    ),
    seconds=3,
    measure=_measure_unlike,
    draw=_draw_unlike,
    judge=_judge_unlike,
)

EXPERIMENTS = (_TEXTS, _UNLIKE)
