"""Why the number of different shingles, and with it the time, comes to rest near the mean word length (item 118).

If the length of words decided it, texts of longer words would come to rest later. If the length of the text did, longer
texts would. So both are changed, one at a time.
"""

from __future__ import annotations

from statistics import fmean, median
from typing import TYPE_CHECKING, Final

import lookalike as la
from lookalike.experiments import data, figures, report_b
from lookalike.experiments.chance import correlation
from lookalike.experiments.claims import verdict
from lookalike.experiments.experiment import Cell, Column, Experiment, Progress, Setup, Table, Verdict
from lookalike.experiments.sign_time import different, handing_over
from lookalike.experiments.timing import ROUNDS, Spread, in_rounds, signing_sets

if TYPE_CHECKING:
    from collections.abc import Callable

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
    Column("round"),
    Column("time", "µs", timed=True),  # of filling the signature from the different shingles, modular hashing
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
    works: list[Callable[[], object]] = []
    for _, text, k in cells:
        sets = [different(text, k)]
        works += [signing_sets(sets, report_b.recipe(k, "modular", HASHES)), handing_over(sets, k)]
    times = in_rounds(works, progress, least=0.0003 if setup.quick else 0.001)
    table = Table(COLUMNS)
    for place, (name, text, k) in enumerate(cells):
        counts = len(la.shingles(text, report_b.recipe(k))), len(different(text, k))
        length = fmean(map(len, text.split()))
        for number, (filled, handed) in enumerate(zip(*times[2 * place : 2 * place + 2], strict=True)):
            time = 1e6 * max(filled - handed, 1e-9)
            table.rows.append((name, len(text), length, k, *counts, number, time))
    return table


def draw(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw how many of the windows hold a different shingle, and the time against the number of different shingles."""
    figure.set_size_inches(12, 4.6)
    left, right = figure.subplots(1, 2, width_ratios=(1.2, 1))
    for n, name in enumerate(table.distinct("text")):
        rows, look = _medians(table.where(text=name)), figures.style(n)
        label = f"{name}: {rows.values('characters')[0]} characters,\nwords of {rows.numbers('word_length')[0]:.1f}"
        left.plot(rows.numbers("k"), [100 * share for share in _shares(rows)], **look, label=label)
        right.plot(rows.numbers("shingles"), rows.numbers("time"), **look | {"linestyle": "none"})
    left.axhline(100 * FULL, color=figures.GREY, linewidth=1, linestyle=":", label=f"{FULL:.0%}: at rest")
    left.set(title="different shingles", xlabel="k (characters)", ylabel="% of the windows", xticks=report_b.SIZES)
    right.set(title=f"time of signing them, {HASHES} hashes", xlabel="different shingles", ylabel="µs")
    right.set(xscale="log", yscale="log")
    report_b.zoom_legend(figure, [left], "text")
    figures.note(figure, f"One text of each kind, median of {ROUNDS} rounds. Seed {setup.seed}.")


def _medians(rows: Table, number: Cell = 0) -> Table:
    """Return one row for each k: the median of the rounds."""
    place = rows.position("time")
    first = rows.where(round=number)
    times = [median(rows.where(k=k).numbers("time")) for k in first.values("k")]
    return Table(rows.columns, [(*row[:place], time) for row, time in zip(first.rows, times, strict=True)])


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
    first = table.where(round=0)
    rest = {str(name): _rest(first.where(text=name)) for name in table.distinct("text")}
    lengths = {str(name): first.where(text=name).numbers("word_length")[0] for name in table.distinct("text")}
    return [_words(rest, lengths), _length(rest), _follows(table)]


def _words(rest: dict[str, float], lengths: dict[str, float]) -> Verdict:
    """Rule: the point of rest moves by half as much as the words become longer; in part by 1.5 characters."""
    moved = rest["words joined in fives"] - rest["a shuffle"]
    stretched = lengths["words joined in fives"] - lengths["a shuffle"]
    return verdict(
        "ours-B-words",
        "holds" if moved >= stretched / 2 else "holds in part" if moved >= 1.5 else "does not hold",
        f"95 % of the windows hold different shingles from k = {rest['a shuffle']:.1f} on with words of "
        f"{lengths['a shuffle']:.1f} characters, and from {rest['words joined in fives']:.1f} on with the same words "
        f"joined to {lengths['words joined in fives']:.1f}: {stretched:.1f} characters more in a word move it by "
        f"{moved:+.1f} (half as much as the words would hold, 1.5 in part).",
        {"by_word": moved, "stretched": stretched, **_named("rest", rest), **_named("length", lengths)},
    )


def _length(rest: dict[str, float]) -> Verdict:
    """Rule: in a text 16 times as long it comes at least 0.7 characters later; in part at least 0.3."""
    moved = rest[_BOOKS[2]] - rest[_BOOKS[0]]
    return verdict(
        "ours-B-length",
        "holds" if moved >= 0.7 else "holds in part" if moved >= 0.3 else "does not hold",
        f"In a text with a natural mixture of words it is at k = {rest[_BOOKS[0]]:.1f}, in one 4 times as long at "
        f"{rest[_BOOKS[1]]:.1f}, and 16 times as long at {rest[_BOOKS[2]]:.1f}, with words of the same length (from "
        "0.7 characters it holds, from 0.3 in part).",
        {"by_text": moved},
    )


def _follows(table: Table) -> Verdict:
    """Rule: over k, inside each text, the correlation of time and different shingles is at least 0.9; fails to 0.7.

    Each text is measured by its own most, or long texts beside short ones would give a correlation of their own.
    """
    rounds = table.distinct("round")
    groups = [rounds[start::3] for start in range(min(3, len(rounds)))]  # each is several rounds, one after another
    found = {
        column: Spread.of(_correlation(_medians_of(table, group), column) for group in groups)
        for column in ("shingles", "windows")
    }
    r = found["shingles"]
    return verdict(
        "ours-B-time",
        r.decide(holds_from=0.9, fails_to=0.7),
        f"Inside the texts, over k, the time of filling a signature and the number of different shingles have a "
        f"correlation of {r}; with the number of windows it would be {found['windows'].middle:.2f}.",
        {"correlation": r.middle, "low": r.low, "correlation_with_windows": found["windows"].middle},
    )


def _medians_of(table: Table, rounds: list[Cell]) -> Table:
    """Return one row for each text and k: the median of some rounds."""
    kept = Table(table.columns, [row for row in table.rows if row[table.position("round")] in rounds])
    shown = [_medians(kept.where(text=name), rounds[0]) for name in table.distinct("text")]
    return Table(table.columns, [row for part in shown for row in part.rows])


def _correlation(rows: Table, column: str) -> float:
    counts: list[float] = []
    times: list[float] = []
    for name in rows.distinct("text"):
        part = rows.where(text=name)
        for values, scaled in ((part.numbers(column), counts), (part.numbers("time"), times)):
            scaled += [value / max(values) for value in values]
    return correlation(counts, times)


_BOOKS: Final = ("a book's beginning", "4 times as long", "16 times as long")


def _named(what: str, values: dict[str, float]) -> dict[str, float]:
    return {f"{what}, {name}": value for name, value in values.items()}


EXPERIMENT = Experiment(
    id="shingle-plateau",
    title="Why the time comes to rest: the number of different shingles",
    items=(19, 80, 118),
    caption="Left: how many of the windows of a text hold different shingles. Joining words into longer ones hardly "
    "moves the curve; a longer text moves it to the right. Right: the time of signing follows the number of different "
    "shingles, whatever the text and k.",
    seconds=5,
    measure=measure,
    draw=draw,
    judge=judge,
)
