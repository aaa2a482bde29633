"""Why the number of different shingles, and with it the time, comes to rest near the mean word length (item 118).

If the length of words decided it, texts of longer words would come to rest later. If the length of the text did, longer
texts would. So both are changed, one at a time.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Final

import lookalike as la
from lookalike.experiments import data, figures, report_b
from lookalike.experiments.chance import correlation
from lookalike.experiments.experiment import Column, Experiment, Progress, Setup, Table, Verdict
from lookalike.experiments.rounds import best_times
from lookalike.experiments.sign_time import different, of_sets

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

HASHES: Final = 250
FULL: Final = 0.95
"""The share of windows with different shingles from which on their number counts as at rest."""
COLUMNS: Final = (
    Column("text"),
    Column("characters"),
    Column("word_length", "characters"),
    Column("k", "characters"),
    Column("windows"),
    Column("shingles"),  # the different ones
    Column("time", "µs", timed=True),  # of signing the sets of different shingles, modular hashing
)


def texts(setup: Setup) -> dict[str, str]:
    """Return one text and others that differ from it in the length of words, or in their own length."""
    words = data.permutations(setup, 1, "plateau")[0].split()
    length = len(" ".join(words))

    def joined(many: int) -> str:
        return " ".join("".join(words[place : place + many]) for place in range(0, len(words), many))

    return {
        "a shuffle": " ".join(words),
        "words joined in twos": joined(2),
        "words joined in fives": joined(5),
        "a book's beginning": data.book(setup, length, "plateau").strip(),
        "4 times as long": data.book(setup, 4 * length, "plateau").strip(),
        "16 times as long": data.book(setup, 16 * length, "plateau").strip(),
    }


def measure(setup: Setup, progress: Progress) -> Table:
    """Count the different shingles of each text for every k, and time how long it takes to sign them."""
    cells = [(name, text, k) for name, text in texts(setup).items() for k in report_b.SIZES]
    works = [of_sets((text, text), report_b.recipe(k, "modular", HASHES)) for _, text, k in cells]
    times = best_times(works, progress, rounds=2 if setup.quick else 5, least=0.0001 if setup.quick else 0.002)
    table = Table(COLUMNS)
    for (name, text, k), seconds in zip(cells, times, strict=True):
        counts = len(la.shingles(text, report_b.recipe(k))), len(different(text, k))
        length = fmean(map(len, text.split()))
        table.rows.append((name, len(text), length, k, *counts, 1e6 * seconds / 2))  # of one of the two documents
    return table


def draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw how many of the windows hold a different shingle, and the time against the number of different shingles."""
    figure.set_size_inches(12, 4.6)
    left, right = figure.subplots(1, 2, width_ratios=(1.2, 1))
    for n, name in enumerate(table.distinct("text")):
        rows, look = table.where(text=name), figures.style(n)
        label = f"{name}: {rows.values('characters')[0]} characters,\nwords of {rows.numbers('word_length')[0]:.1f}"
        left.plot(rows.numbers("k"), [100 * share for share in _shares(rows)], **look, label=label)
        right.plot(rows.numbers("shingles"), rows.numbers("time"), **look | {"linestyle": "none"})
    left.axhline(100 * FULL, color=figures.GREY, linewidth=1, linestyle=":", label=f"{FULL:.0%}: at rest")
    left.set(title="different shingles", xlabel="k (characters)", ylabel="% of the windows", xticks=report_b.SIZES)
    right.set(title=f"time of signing them, {HASHES} hashes", xlabel="different shingles", ylabel="µs")
    right.set(xscale="log", yscale="log")
    report_b.zoom_legend(figure, [left], "text")
    figures.note(figure, f"One text of each kind, best of {2 if setup.quick else 5} rounds. Seed {setup.seed}.")


def _shares(rows: Table) -> list[float]:
    return [some / most for some, most in zip(rows.numbers("shingles"), rows.numbers("windows"), strict=True)]


def _rest(rows: Table) -> float:
    """Return the k at which the share of different shingles passes 95 %, between two sizes."""
    before = 0.0
    for k, share in zip(rows.numbers("k"), _shares(rows), strict=True):
        if share >= FULL:
            return k - (share - FULL) / (share - before) if before else k
        before = share
    return float(report_b.SIZES[-1])


def judge(table: Table, _setup: Setup) -> list[Verdict]:
    """Judge what the point of rest depends on."""
    rest = {str(name): _rest(table.where(text=name)) for name in table.distinct("text")}
    lengths = {str(name): table.where(text=name).numbers("word_length")[0] for name in table.distinct("text")}
    by_word = rest["words joined in fives"] - rest["a shuffle"]
    by_text = rest["16 times as long"] - rest["a book's beginning"]
    stretched = lengths["words joined in fives"] - lengths["a shuffle"]
    r = correlation(table.numbers("shingles"), table.numbers("time"))
    return [
        Verdict(
            claim="The time comes to rest at the mean word length: words decide where.",
            source="report B, §7.1.2.1, with the reason left open",
            items=(80, 118),
            finding="holds" if by_word >= stretched / 2 else "holds in part" if by_word >= 1.5 else "does not hold",
            evidence=f"95 % of the windows hold different shingles from k = {rest['a shuffle']:.1f} on with words of "
            f"{lengths['a shuffle']:.1f} characters, and from {rest['words joined in fives']:.1f} on with the same "
            f"words joined to {lengths['words joined in fives']:.1f}: {stretched:.1f} characters more in a word move "
            f"it by {by_word:+.1f} (half as much as the words would hold, 1.5 in part).",
            numbers={"by_word": by_word, "stretched": stretched, **_named("rest", rest), **_named("length", lengths)},
        ),
        Verdict(
            claim="The length of the text decides it: k must be so large that few shingles come twice.",
            source="our answer to report B, §7.1.2.1",
            items=(19, 118),
            finding="holds" if by_text >= 0.7 and by_text > by_word else "does not hold",
            evidence=f"In a text with a natural mixture of words it is at k = {rest[_BOOKS[0]]:.1f}, in one 4 times as "
            f"long at {rest[_BOOKS[1]]:.1f}, and 16 times as long at {rest[_BOOKS[2]]:.1f}, with words of the same "
            "length. (It holds from 0.7 characters, if that is more than longer words do.)",
            numbers={"by_text": by_text},
        ),
        Verdict(
            claim="The time follows the number of different shingles.",
            source="our answer to report B, §7.1.2.1",
            items=(80, 118),
            finding="holds" if r >= 0.95 else "holds in part" if r >= 0.8 else "does not hold",
            evidence=f"For all texts and k, the time of signing a set and its size have a correlation of {r:.3f}.",
            numbers={"correlation": r},
        ),
    ]


_BOOKS: Final = ("a book's beginning", "4 times as long", "16 times as long")


def _named(what: str, values: dict[str, float]) -> dict[str, float]:
    return {f"{what}, {name}": value for name, value in values.items()}


EXPERIMENT = Experiment(
    id="shingle-plateau",
    title="Why the time comes to rest: the number of different shingles",
    items=(80, 118),
    caption="Left: how many of the windows of a text hold different shingles. Joining words into longer ones hardly "
    "moves the curve; a longer text moves it to the right. Right: the time of signing follows the number of different "
    "shingles, whatever the text and k.",
    seconds=5,
    measure=measure,
    draw=draw,
    judge=judge,
)
