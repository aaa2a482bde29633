"""`lookalike compare` for a person: the scores in plain words, then the longest passages side by side."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rich import box
from rich.cells import cell_len
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lookalike.cli.compare_json import Lines, longest
from lookalike.cli.messages import visible
from lookalike.similarity.passages import SHORTEST
from lookalike.similarity.shingles import normalize, units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from lookalike.documents.text_file import TextFile
    from lookalike.recipe import Recipe
    from lookalike.similarity.compare import Comparison
    from lookalike.similarity.passages import Passage

__all__ = ["percent", "share", "to_table", "verdict"]

# A passage longer than both together is cut in the middle: enough to judge it, and five fit on two screens.
HEAD, TAIL, SLACK = 320, 160, 60

_UNIT: Final = {"word": "word", "char": "character"}


def to_table(a: TextFile, b: TextFile, found: Comparison, *, least: int | None, top: int) -> Iterator[RenderableType]:
    """Give what is printed, part by part."""
    yield _names(a, b)
    yield Text()
    yield Text(verdict(a.text, b.text, found), style="bold")
    yield Text()
    yield _scores(found)
    yield Text()
    yield from _passages(a, b, found, SHORTEST[found.recipe.unit] if least is None else least, top)
    yield Text("Similarity is not proof of copying: read the passages.", style="italic")


def _names(a: TextFile, b: TextFile) -> Table:
    grid = Table.grid(padding=(0, 2))
    for letter, document in (("A", a), ("B", b)):
        grid.add_row(Text(letter, style="bold"), Text(visible(document.name), overflow="fold"))
    return grid


def verdict(a: str, b: str, found: Comparison) -> str:
    """Return one sentence on how alike the two texts are.

    >>> from lookalike import compare
    >>> a, b = "Rain, rain, go away!", "rain rain go away"
    >>> verdict(a, b, compare(a, b))
    'Identical after normalising: they differ only in what the recipe ignores.'
    """
    if found.jaccard == 1.0:
        return _same(a, b, found.recipe)
    most = max(found.containment_a, found.containment_b)
    part, whole = ("A", "B") if found.containment_a >= found.containment_b else ("B", "A")
    if found.jaccard >= 0.5:
        return "Near-copy: most of each document is in the other."
    if most >= 0.8:
        return f"Large parts shared: {whole} contains {'all' if most == 1.0 else 'nearly all'} of {part}."
    if most >= 0.4:
        return f"Large parts shared: {percent(most)} of {part} is in {whole} too."
    # By the usual length, not by --min-passage: with 1 word, all texts of a language share passages.
    if most >= 0.1 or any(passage.units >= SHORTEST[found.recipe.unit] for passage in found.passages):
        return "Some passages shared; the documents are otherwise different."
    return "Little in common."


def _same(a: str, b: str, recipe: Recipe) -> str:
    if a == b:
        return "Identical: the two texts are the same, character for character."
    left, right = normalize(a, recipe), normalize(b, recipe)
    if left != right:
        return "The same shingles, in another order or number."
    if not left:
        return "Nothing is left of either text after normalising, so there is nothing to tell them apart."
    return "Identical after normalising: they differ only in what the recipe ignores."


def share(value: float) -> str:
    """Return a share with four digits; only 1 itself is shown as 1, and only 0 as 0.

    >>> share(0.99999), share(1.0), share(0.00001)
    ('0.9999', '1.0000', '0.0001')
    """
    return f"{_inside(value, 1e-4):.4f}"


def percent(value: float) -> str:
    """Return a share in percent, rounded but never to 0 or 100 unless it is that.

    >>> percent(0.99999), percent(1.0), percent(0.5)
    ('99.9%', '100.0%', '50.0%')
    """
    return f"{_inside(value, 1e-3):.1%}"


def _inside(value: float, step: float) -> float:
    return value if value in (0.0, 1.0) else min(max(value, step), 1.0 - step)


def _scores(found: Comparison) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(no_wrap=True, style="cyan")
    grid.add_column(no_wrap=True, style="cyan", justify="right")
    grid.add_column()

    def score(name: str, value: float, meaning: str) -> None:
        grid.add_row(name, share(value), percent(value), meaning)

    recipe = found.recipe
    sketch = "fast sketch" if recipe.sketch == "fast" else f"classic sketch, {recipe.family}"
    score("Jaccard", found.jaccard, "of all their different shingles are in both")
    score("A in B", found.containment_a, "of A's shingles are in B (containment)")
    score("B in A", found.containment_b, "of B's shingles are in A")
    error = f"± {found.standard_error:.4f}"
    grid.add_row(
        "Estimate", share(found.estimate), error, f"Jaccard by signatures: {_count(recipe.hashes, 'hash')}, {sketch}"
    )
    grid.add_row("Shingles", f"{found.shared:,}", "shared", _sizes(found))
    return grid


def _sizes(found: Comparison) -> str:
    recipe = found.recipe
    length = _count(recipe.k, _UNIT[recipe.unit]) + (", repeats count" if recipe.bag else "")
    return f"A has {found.shingles_a:,}, B has {found.shingles_b:,}; each is {length}"


def _count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> _count(1, "word"), _count(256, "hash")
    ('1 word', '256 hashes')
    """
    plural = noun + ("es" if noun.endswith("sh") else "s")
    return f"{number:,} {noun if number == 1 else plural}"


def _passages(a: TextFile, b: TextFile, found: Comparison, least: int, top: int) -> Iterator[RenderableType]:
    unit = _UNIT[found.recipe.unit]
    at_least = f"of at least {_count(least, unit)}"
    if not found.passages:
        yield Text(f"No shared passage {at_least} (--min-passage shows shorter ones).")
        yield Text()
        return
    shown = longest(found.passages, top)
    heading = f"{_count(len(found.passages), 'shared passage')} {at_least}"
    if len(shown) < len(found.passages):
        heading += "; the longest" if len(shown) == 1 else f"; the {len(shown)} longest"
    yield Text(f"{heading}:", style="bold")
    yield Text()
    lines_a, lines_b = Lines(a.text), Lines(b.text)
    for number, passage in enumerate(shown, start=1):
        left, right = _excerpts(a.text, b.text, passage, found.recipe)
        table = Table(
            box=box.MINIMAL, expand=True, show_edge=False, pad_edge=False, header_style="dim", border_style="dim"
        )
        table.add_column(_place("A", lines_a, passage.a_start, passage.a_end), ratio=1, overflow="fold")
        table.add_column(_place("B", lines_b, passage.b_start, passage.b_end), ratio=1, overflow="fold")
        table.add_row(left, right)
        yield Text(f"{number}  {_count(passage.units, unit)}", style="bold cyan")
        yield Padding(table, (0, 0, 1, 3))


def _place(letter: str, lines: Lines, start: int, end: int) -> Text:
    first, last = lines.at(start), lines.at(end - 1)
    return Text(f"{letter}, line {first}" if first == last else f"{letter}, lines {first}–{last}")


def _excerpts(a: str, b: str, passage: Passage, recipe: Recipe) -> tuple[Text, Text]:
    """Return the passage as each document has it; if it is long, both are cut in the middle at the same units."""
    left, right = _flow(a[passage.a_start : passage.a_end]), _flow(b[passage.b_start : passage.b_end])
    narrow = cell_len(left[:SLACK]) < 1.5 * len(left[:SLACK])  # a character of Chinese fills two cells
    head, tail = (HEAD, TAIL) if narrow else (HEAD // 2, TAIL // 2)
    if max(len(left), len(right)) <= head + tail + SLACK:
        return Text(_show(left)), Text(_show(right))
    heads = _head_ends(left, head, recipe), _head_ends(right, head, recipe)
    tails = _tail_starts(left, tail, recipe), _tail_starts(right, tail, recipe)
    first, last = min(map(len, heads)), min(map(len, tails))
    left_out = passage.units - first - last
    if not first or not last or left_out < 1:  # words of hundreds of letters, or hundreds of marks between two words
        gap = "[…]"
        return _join(left[:head], gap, left[-tail:]), _join(right[:head], gap, right[-tail:])
    gap = f"[… {_count(left_out, _UNIT[recipe.unit])} …]"
    return (
        _join(left[: heads[0][first - 1]], gap, left[tails[0][-last] :]),
        _join(right[: heads[1][first - 1]], gap, right[tails[1][-last] :]),
    )


def _head_ends(text: str, length: int, recipe: Recipe) -> list[int]:
    # The window is larger than what is shown, so that a word at its edge is seen to be cut.
    return [unit.end for unit in units(text[: length + SLACK], recipe) if unit.end <= length]


def _tail_starts(text: str, length: int, recipe: Recipe) -> list[int]:
    window = max(0, len(text) - length - SLACK)
    starts = (window + unit.start for unit in units(text[window:], recipe))
    return [start for start in starts if start >= len(text) - length]


def _join(head: str, gap: str, tail: str) -> Text:
    return Text.assemble(_show(head), "\n", (gap, "dim italic"), "\n", _show(tail))


def _flow(text: str) -> str:
    r"""Return the text with its lines run together; a paragraph still begins a new line.

    >>> _flow("one\r\n  two\n\nthree")
    'one two\nthree'
    """
    return re.sub(r"[ \t\r\n\f]+", lambda gap: "\n" if len(re.findall("\r\n|\r|\n", gap.group())) > 1 else " ", text)


def _show(text: str) -> str:
    return "\n".join(visible(line) for line in text.split("\n"))
