"""The diagrams of the reports, drawn from what lookalike computes: their worked examples with the steps in view.

Report A, figure 1: a multiplicative hash, bit by bit. Report B, figures 2.1, 4.1, 4.3 and 5.1: two sets, their
characteristic matrix, a permutation of its rows, and bands that meet in a bucket.
"""

from __future__ import annotations

from itertools import combinations, permutations
from typing import TYPE_CHECKING, Final

import lookalike as la
from lookalike import reference
from lookalike.experiments import Column, Experiment, Progress, Setup, Table, Verdict, figures, verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lookalike.experiments import Cell

__all__ = ["EXPERIMENTS"]

KEY: Final = 123_456
BITS: Final = 14
WORD: Final = 32
KNUTH: Final = (5**0.5 - 1) / 2
FIRST: Final = ("I", "love", "chocolate", "and", "pizza")
SECOND: Final = ("I", "love", "chocolate", "white")
NAMES: Final = ("Nadal", "Nadia")
ORDER: Final = ("di", "da", "ia", "na", "ad", "al")
"""The permutation of report B, example 4.3."""
COLUMNS_OF_BAND: Final = ((0, 1, 4, 3), (2, 1, 3, 0), (0, 1, 4, 3), (1, 2, 0, 4))
"""The first band of report B, figure 5.1: four documents of four rows."""


def _plain(axes: Axes) -> None:
    axes.set_axis_off()
    axes.grid(visible=False)


def _cell(axes: Axes, x: float, y: float, text: str, colour: str = "white", width: float = 1.0) -> None:
    """Draw a box of height 1 with a text in its middle."""
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x, y), width, 1, facecolor=colour, edgecolor=figures.GREY, linewidth=0.8))
    axes.text(x + width / 2, y + 0.5, text, ha="center", va="center", fontsize=9)


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    line = {"arrowstyle": "->", "color": figures.GREY, "linewidth": 1.2, "shrinkA": 2, "shrinkB": 2}
    axes.annotate("", end, start, arrowprops=line)


PALE: Final = ("#cfe5f3", "#f7dcc8", "#cdeee2")
"""Light forms of the first three colours, to be written on."""


# -- report A, figure 1: multiplicative hashing ------------------------------------------------------------------------


def measure_multiplicative(_setup: Setup, _progress: Progress) -> Table:
    """Return the steps: s = ⌊A·2ʷ⌋, the product of 2w bits, its lower word r0, and the p highest bits of that."""
    factor = int(KNUTH * 2**WORD)
    product = KEY * factor
    low = product % 2**WORD
    steps: list[tuple[Cell, ...]] = [("k", KEY), ("s", factor), ("r1", product >> WORD), ("r0", low)]
    steps.append(("hash", low >> (WORD - BITS)))
    return Table((Column("step", "name"), Column("value")), steps)


def draw_multiplicative(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw the words of a multiplication, and where the hash is taken from."""
    value = dict(zip(table.values("step"), map(int, table.numbers("value")), strict=True))
    figure.set_size_inches(8.6, 4.4)
    axes = figure.subplots()
    _plain(axes)
    axes.set(xlim=(-2.4, 8.4), ylim=(-1.6, 6.4))
    _cell(axes, 4, 5, f"k = {value['k']:,}", PALE[0], 4)
    _cell(axes, 4, 3.6, f"s = ⌊A · 2³²⌋ = {value['s']:,}", PALE[1], 4)
    axes.text(3.6, 4.1, "×", ha="center", va="center", fontsize=16)
    axes.plot([0, 8], [3.3, 3.3], color="black", linewidth=1.2)
    _cell(axes, 0, 2, f"r1 = {value['r1']:,}", "white", 4)
    _cell(axes, 4, 2, "", "white", 4)
    share = 4 * BITS / WORD
    _cell(axes, 4, 2, "", PALE[2], share)
    axes.text(6.9, 2.5, f"r0 = {value['r0']:,}", ha="center", va="center", fontsize=9)
    axes.text(6, 6.2, "w = 32 bits", ha="center", fontsize=9)
    _arrow(axes, (4 + share / 2, 2), (4 + share / 2, 1))
    axes.text(
        4 + share / 2, 0.45, f"h(k) = the p = {BITS} highest bits of r0 = {value['hash']}", ha="center", fontsize=10
    )
    axes.text(-2.3, -0.6, f"in bits: r0 = {value['r0']:032b}", fontsize=9, family="DejaVu Sans Mono")
    axes.text(-2.3, -1.3, f"     h(k) = {value['hash']:0{BITS}b}", fontsize=9, family="DejaVu Sans Mono")
    figures.note(figure, f"A = (√5 − 1)/2, w = 32, p = {BITS}. An example, the same for every seed; seed {setup.seed}.")


# -- report B, figure 2.1: two sets ------------------------------------------------------------------------------------


def measure_sets(_setup: Setup, _progress: Progress) -> Table:
    """Return in which of the two sets each word is."""
    words = dict.fromkeys((*FIRST, *SECOND))
    rows: list[tuple[Cell, ...]] = [(word, int(word in FIRST), int(word in SECOND)) for word in words]
    return Table((Column("word", "name"), Column("in S"), Column("in T")), rows)


def draw_sets(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw two overlapping circles with the words in them."""
    from matplotlib.patches import Circle

    figure.set_size_inches(7.4, 4.2)
    axes = figure.subplots()
    _plain(axes)
    axes.set(xlim=(0, 10), ylim=(0, 6), aspect="equal")
    for x, colour, name in ((3.8, PALE[0], "S"), (6.2, PALE[1], "T")):
        axes.add_patch(Circle((x, 3), 2.4, facecolor=colour, edgecolor=figures.GREY, alpha=0.7))
        axes.text(x + (-2.2 if name == "S" else 2.2), 5.3, name, fontsize=13, fontweight="bold", ha="center")
    places = {(1, 0): 2.6, (1, 1): 5.0, (0, 1): 7.4}
    for kind, x in places.items():
        words = [str(word) for word, first, second in table.rows if (first, second) == kind]
        for n, word in enumerate(words):
            axes.text(x, 3 + 0.6 * ((len(words) - 1) / 2 - n), word, ha="center", va="center", fontsize=10)
    shared, union = _shared(table)
    axes.text(5, 0.15, f"J(S, T) = {shared}/{union} = {shared / union:.2f}", ha="center", fontsize=11)
    figures.note(figure, f"The words of report B's example 2.1. The same for every seed; seed {setup.seed}.")


def _shared(table: Table) -> tuple[int, int]:
    return sum(a == b == 1 for _, a, b in table.rows), len(table.rows)


def judge_sets(table: Table, _setup: Setup) -> list[Verdict]:
    """Rule: lookalike's Jaccard similarity of the two sets is 3/6, and so is the count in the table."""
    shared, union = _shared(table)
    found = la.jaccard(set(FIRST), set(SECOND))
    return [
        verdict(
            "B-2.1",
            "holds" if (shared, union) == (3, 6) and found == 0.5 else "does not hold",
            f"{shared} of {union} words are in both sets; lookalike's jaccard gives {found:.4f}.",
            {"shared": shared, "union": union, "jaccard": found},
        )
    ]


# -- report B, figure 4.1: the characteristic matrix -------------------------------------------------------------------


def measure_matrix(_setup: Setup, _progress: Progress) -> Table:
    """Return the characteristic matrix of "Nadal" and "Nadia" for k = 2, with the type of each row."""
    matrix = la.characteristic_matrix(list(NAMES), la.Recipe(unit="char", k=2))
    first, second = (set(rows) for rows in matrix.columns.values())
    kinds = {(0, 0): "a", (0, 1): "b", (1, 0): "c", (1, 1): "d"}
    rows: list[tuple[Cell, ...]] = []
    for place, element in enumerate(matrix.rows):
        cells = int(place in first), int(place in second)
        rows.append((str(element), *cells, kinds[cells]))
    return Table((Column("element", "name"), Column("S1"), Column("S2"), Column("type", "name")), rows)


def draw_matrix(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw the matrix, and beside it the four types of rows with their numbers."""
    figure.set_size_inches(8.2, 4.4)
    left, right = figure.subplots(1, 2)
    _draw_grid(left, ("element", "S1", "S2", "type"), [tuple(map(str, row)) for row in table.rows])
    left.set_title(f"{NAMES[0]} (S1) and {NAMES[1]} (S2), k = 2")
    kinds = [("a", "0", "0"), ("b", "0", "1"), ("c", "1", "0"), ("d", "1", "1")]
    counts = _kinds(table)
    _draw_grid(right, ("type", "S1", "S2", "Q"), [(*kind, str(counts[kind[0]])) for kind in kinds])
    right.set_title("The four types of rows")
    right.text(0, -1.2, f"J = Q(d) / (Q(b) + Q(c) + Q(d)) = {counts['d']}/{sum(counts.values()) - counts['a']}")
    figures.note(figure, f"Of two documents no row has type a: it would be in neither. Seed {setup.seed}.")


def _kinds(table: Table) -> dict[str, int]:
    found = table.values("type")
    return {kind: found.count(kind) for kind in "abcd"}


def _draw_grid(axes: Axes, head: tuple[str, ...], rows: list[tuple[str, ...]], marked: tuple[int, ...] = ()) -> None:
    """Draw a table with a head; a cell that holds 1 is coloured, and the marked rows are framed."""
    _plain(axes)
    axes.set(xlim=(-0.2, len(head) * 1.3 + 0.2), ylim=(-2.2, len(rows) + 1.4))
    for x, name in enumerate(head):
        axes.text(1.3 * x + 0.65, len(rows) + 0.45, name, ha="center", va="center", fontweight="bold", fontsize=9)
    for y, row in enumerate(rows):
        for x, text in enumerate(row):
            colour = PALE[0] if text == "1" else "white"
            _cell(axes, 1.3 * x, len(rows) - 1 - y, text, PALE[2] if y in marked and text == "1" else colour, 1.3)


def judge_matrix(table: Table, _setup: Setup) -> list[Verdict]:
    """Rule: the rows of type d by those of type b, c and d are the Jaccard similarity; infinity agrees with nothing."""
    counts = _kinds(table)
    recipe = la.Recipe(unit="char", k=2)
    by_rows = counts["d"] / (counts["b"] + counts["c"] + counts["d"])
    exact = la.jaccard(*NAMES, recipe=recipe)
    signatures = la.sign(["", "", *NAMES], recipe)
    other = signatures.estimate(0, 2)
    proposed = la.candidates(signatures, la.Bands(recipe.hashes, 1))
    mixed = sum(a < 2 <= b for a, b in proposed)
    return [
        verdict(
            "B-4.1",
            "holds" if by_rows == exact else "does not hold",
            f"{counts['d']} rows of type d, {counts['b']} of b and {counts['c']} of c: {by_rows:.4f}; lookalike's "
            f"jaccard gives {exact:.4f}.",
            {"by_rows": by_rows, "jaccard": exact},
        ),
        verdict(
            "ours-B-infinity",
            "holds" if other == mixed == 0 and (2, 3) in proposed else "does not hold",
            f"Two empty documents, {NAMES[0]} and {NAMES[1]}, in bands of one row, where one equal place is enough: "
            f"{len(proposed)} candidate pairs, {mixed} of an empty document with one that is not; the estimate of an "
            f"empty one with {NAMES[0]} is {other:.1f}. That empty documents are copies of each other is a rule of its "
            "own.",
            {"candidates": len(proposed), "mixed": mixed, "estimate": other},
        ),
    ]


# -- report B, figure 4.3: a permutation -------------------------------------------------------------------------------


def measure_permutation(setup: Setup, progress: Progress) -> Table:
    """Return the rows of the matrix in the report's order."""
    rows = {row[0]: row[1:3] for row in measure_matrix(setup, progress).rows}
    return Table((Column("element", "name"), Column("S1"), Column("S2")), [(name, *rows[name]) for name in ORDER])


def draw_permutation(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw the permuted matrix with the first 1 of each column marked."""
    figure.set_size_inches(7.4, 4.4)
    left, right = figure.subplots(1, 2)
    first, second = (_first_row(table, name) for name in ("S1", "S2"))
    _draw_grid(left, ("element", "S1", "S2"), [tuple(map(str, row)) for row in table.rows], (first, second))
    left.set_title("The rows of figure 4.1, permuted")
    _plain(right)
    right.set(xlim=(0, 4), ylim=(-2.2, 7.4))
    equal, all_of_them = _equal(table)
    lines = (
        f"h(S1) = {table.rows[first][0]}",
        f"h(S2) = {table.rows[second][0]}",
        "",
        f"Equal in {equal} of all {all_of_them}",
        "permutations of the rows:",
        f"{equal}/{all_of_them} = {equal / all_of_them:.4f} = J(S1, S2)",
    )
    for n, line in enumerate(lines):
        right.text(0.1, 5.4 - 0.9 * n, line, fontsize=10.5)
    figures.note(figure, f"The minhash is the first row of a column that holds 1 (green). Seed {setup.seed}.")


def _first_row(table: Table, column: str) -> int:
    return table.values(column).index(1)


def _equal(table: Table) -> tuple[int, int]:
    """Count the permutations in which the first 1 of both columns is in the same row; all of them are tried."""
    cells = list(zip(table.values("S1"), table.values("S2"), strict=True))
    orders = list(permutations(cells))
    same = sum(next(row for row in order if 1 in row) == (1, 1) for order in orders)
    return same, len(orders)


def judge_permutation(table: Table, _setup: Setup) -> list[Verdict]:
    """Rule: over all permutations, the share with equal minhash values is the Jaccard similarity, exactly."""
    equal, tried = _equal(table)
    exact = la.jaccard(*NAMES, recipe=la.Recipe(unit="char", k=2))
    first, second = (table.rows[_first_row(table, name)][0] for name in ("S1", "S2"))
    return [
        verdict(
            "B-4.2.1",
            "holds" if equal / tried == exact else "does not hold",
            f"In the report's order h(S1) is {first} and h(S2) is {second}. Of all {tried} permutations of the "
            f"{len(table.rows)} rows {equal} give equal values: {equal / tried:.4f}; the Jaccard similarity is "
            f"{exact:.4f}.",
            {"equal": equal, "permutations": tried, "jaccard": exact},
        )
    ]


# -- report B, figure 5.1: bands ---------------------------------------------------------------------------------------


def measure_bands(_setup: Setup, _progress: Progress) -> Table:
    """Return the rows of the first band, and which bucket each document falls into."""
    buckets = {key: n for n, key in enumerate(dict.fromkeys(COLUMNS_OF_BAND))}
    columns = (Column("document"), *(Column(f"row {n}") for n in range(4)), Column("bucket"))
    return Table(columns, [(n, *key, buckets[key]) for n, key in enumerate(COLUMNS_OF_BAND)])


def draw_bands(table: Table, setup: Setup, figure: Figure) -> None:
    """Draw a signature matrix of three bands, and the buckets of the first."""
    figure.set_size_inches(8.4, 5.0)
    axes = figure.subplots()
    _plain(axes)
    axes.set(xlim=(-2.6, 11), ylim=(-0.6, 9.4))
    for number, name in enumerate(("band 1", "band 2", "… band b")):
        bottom = 4.6 - 2.2 * number if number else 4.6
        height = 4 if number == 0 else 1
        axes.text(-0.3, bottom + height / 2, name, ha="right", va="center", fontsize=10)
        for document in range(4):
            for row in range(height):
                text = str(table.rows[document][1 + row]) if number == 0 else "…"
                shared = number == 0 and table.values("bucket").count(table.rows[document][5]) > 1
                _cell(axes, document, bottom + height - 1 - row, text, PALE[2] if shared else "white")
    for document in range(4):
        axes.text(document + 0.5, 8.85, f"D{document + 1}", ha="center", fontsize=10, fontweight="bold")
    for bucket in range(3):
        documents = [f"D{row[0] + 1}" for row in table.rows if row[5] == bucket]  # type: ignore[operator]
        y = 7.2 - 1.6 * bucket
        _cell(axes, 7, y, ", ".join(documents), PALE[2] if len(documents) > 1 else "white", 2.6)
        _arrow(axes, (4.1, 6.6), (6.95, y + 0.5))
    axes.text(8.3, 8.85, "buckets of band 1", ha="center", fontsize=10, fontweight="bold")
    axes.text(7, 3.1, "candidate pair: (D1, D3)", fontsize=10)
    figures.note(figure, f"The values of report B's figure 5.1: 0143, 2130, 0143, 1204. Seed {setup.seed}.")


def judge_bands(table: Table, _setup: Setup) -> list[Verdict]:
    """Rule: lookalike's bands of four rows propose the pair of equal columns, and no other."""
    buckets = table.values("bucket")
    expected = [pair for pair in combinations(range(len(buckets)), 2) if buckets[pair[0]] == buckets[pair[1]]]
    found = sorted(reference.candidates(COLUMNS_OF_BAND, bands=1, rows=4))
    return [
        verdict(
            "B-5.1",
            "holds" if found == expected == [(0, 2)] else "does not hold",
            f"One band of 4 rows: documents {', '.join(f'{a + 1} and {b + 1}' for a, b in found)} share a bucket, the "
            f"other {len(buckets) - 2} are alone. Candidate pairs: {len(found)} of 6.",
            {"candidates": len(found)},
        )
    ]


EXPERIMENTS = (
    Experiment(
        id="figure-multiplicative",
        title="Multiplicative hashing, step by step",
        items=(34,),
        caption="The key k and the factor s are words of 32 bits. Their product has two words; of the lower one, r0, "
        "the p highest bits are the hash.",
        seconds=0.1,
        measure=measure_multiplicative,
        draw=draw_multiplicative,
        figure="report A, figure 1",
    ),
    Experiment(
        id="figure-jaccard",
        title="Two sets with Jaccard similarity 3/6",
        items=(1, 3),
        caption="Words that two sentences share, and words of one of them only: the Jaccard similarity is the size of "
        "the intersection divided by the size of the union.",
        seconds=0.1,
        measure=measure_sets,
        draw=draw_sets,
        judge=judge_sets,
        figure="report B, figure 2.1",
    ),
    Experiment(
        id="figure-matrix",
        title="The characteristic matrix of two words",
        items=(6, 9, 21, 22, 118),
        caption="A row for each shingle, a column for each document, 1 where the document has the shingle. The "
        "types of the rows are counted on the right, and give the Jaccard similarity.",
        seconds=0.1,
        measure=measure_matrix,
        draw=draw_matrix,
        judge=judge_matrix,
        figure="report B, figure 4.1",
    ),
    Experiment(
        id="figure-permutation",
        title="A permutation of the rows, and the minhash values",
        items=(24, 25),
        caption="The same matrix with its rows in another order. The minhash value of a document is its first row that "
        "holds 1; over all orders, two documents have the same value as often as their Jaccard similarity says.",
        seconds=0.1,
        measure=measure_permutation,
        draw=draw_permutation,
        judge=judge_permutation,
        figure="report B, figure 4.3",
    ),
    Experiment(
        id="figure-bands",
        title="Bands of a signature matrix, and the buckets of the first",
        items=(39, 42),
        caption="The signature matrix is cut into bands of four rows. The columns of a band are put into buckets by "
        "their values; documents that share a bucket are a candidate pair.",
        seconds=0.1,
        measure=measure_bands,
        draw=draw_bands,
        judge=judge_bands,
        figure="report B, figure 5.1",
    ),
)
