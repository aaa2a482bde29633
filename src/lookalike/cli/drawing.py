"""How results are laid out for a person: names that fit, percentages, tables, passages, a verdict, the next command."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from rich import box
from rich.cells import cell_len
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lookalike.cli.output import width
from lookalike.recipe import UNIT_NAMES
from lookalike.tables.spelling import visible
from lookalike.text.comparison import SHORTEST, LineNumbers
from lookalike.text.measures import normalize, units

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import RenderableType

    from lookalike.recipe import Recipe
    from lookalike.text.comparison import Comparison, Passage

__all__ = ["Passages", "common_folder", "count_of", "fraction", "grid", "next_step", "percent", "shorten", "verdict"]


GAP = "…"


def shorten(name: str, width: int) -> str:
    """Return the name in at most `width` cells; what is cut is in the middle, and the end, which tells more, is longer.

    >>> shorten("essays/2024/autumn/why-tides-rise.txt", 24)
    'essays/…y-tides-rise.txt'
    >>> shorten("雨の日.txt", 7)
    '雨….txt'
    """
    from rich.cells import cell_len, set_cell_size

    shown = visible(name)
    if cell_len(shown) <= width:
        return shown
    head = (width - 1) // 3
    tail = width - 1 - head
    end = shown[-tail:]
    while cell_len(end) > tail:
        end = end[1:]
    return set_cell_size(shown, head).rstrip() + GAP + end


def common_folder(names: Iterable[str]) -> str:
    """Return the folder that all names begin with, with its slash, or nothing.

    >>> common_folder(["a/b/one.txt", "a/b/c/two.txt"]), common_folder(["a/one.txt", "two.txt"])
    ('a/b/', '')
    """
    shared: str | None = None
    for name in names:
        folder = name[: name.rfind("/") + 1]
        if shared is None:
            shared = folder
        while not folder.startswith(shared):
            shared = shared[: shared[:-1].rfind("/") + 1]
        if not shared:
            return ""
    return shared or ""


def fraction(value: float) -> str:
    """Return a share with four digits; only 1 itself is shown as 1, and only 0 as 0.

    >>> fraction(0.99999), fraction(1.0), fraction(0.00001)
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


def folded(command: str, cells: int) -> str:
    r"""Return a command over several lines that can be copied as they are, none longer than `cells` if possible.

    >>> print(folded("lookalike compare essays/one.txt essays/two.txt -k 3", 36))
    lookalike compare essays/one.txt \
        essays/two.txt -k 3
    """
    lines = [""]
    for word in re.findall(r"(?:'[^']*'|\S)+", command):
        if lines[-1].strip() and len(lines[-1]) + 1 + len(word) > cells - 2:
            lines.append("   ")
        lines[-1] += f" {word}" if lines[-1] else word
    return " \\\n".join(lines)


def next_step(command: str) -> Group:
    """Return the command that comes next, in lines that can be copied."""
    lines = folded(command, width() - len("Next: "))
    # In a group, because a bare text loses its no_wrap when it is printed.
    return Group(Text.assemble(("Next: ", "bold"), (lines, "cyan"), overflow="ignore", no_wrap=True))


def grid(*headers: tuple[str, Any]) -> Table:
    """Return an empty table with these columns, each with its side."""
    table = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        header_style="dim",
        border_style="dim",
    )
    for header, justify in headers:
        table.add_column(header, justify=justify, no_wrap=True)
    return table


# A passage longer than both together is cut in the middle: enough to judge it, and five fit on two screens.
HEAD, TAIL, SLACK = 320, 160, 60

COLORS: Final = ("cyan", "magenta", "green", "yellow", "blue")
"""Of the terminal's own theme; the number before a passage tells the same without colour."""


class Passages:
    """Two documents whose passages are shown."""

    def __init__(self, a: str, b: str, recipe: Recipe, most: tuple[int, int] = (HEAD, TAIL)) -> None:
        """Take the texts as they were read, and how many characters of the ends of a long passage are shown."""
        self._a, self._b, self._recipe, self._most = a, b, recipe, most
        self._lines = LineNumbers(a), LineNumbers(b)

    def show(self, passage: Passage, number: int, title: str = "") -> Iterator[RenderableType]:
        """Give a heading, and the passage as each document has it."""
        left, right = _excerpts(self._a, self._b, passage, self._recipe, self._most)
        color = COLORS[(number - 1) % len(COLORS)]
        left.stylize_before(color)
        right.stylize_before(color)
        table = Table(
            box=box.MINIMAL, expand=True, show_edge=False, pad_edge=False, header_style="dim", border_style="dim"
        )
        of_a, of_b = self._lines
        table.add_column(_place("A", of_a, passage.a_start, passage.a_end), ratio=1, overflow="fold")
        table.add_column(_place("B", of_b, passage.b_start, passage.b_end), ratio=1, overflow="fold")
        table.add_row(left, right)
        length = count_of(passage.units, UNIT_NAMES[self._recipe.unit])
        yield Text(f"{number}  {length}{title}", style=f"bold {color}")
        yield Padding(table, (0, 0, 1, 3))


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count_of(1, "word"), count_of(256, "hash")
    ('1 word', '256 hashes')
    """
    plural = noun + ("es" if noun.endswith("sh") else "s")
    return f"{number:,} {noun if number == 1 else plural}"


def _place(letter: str, lines: LineNumbers, start: int, end: int) -> Text:
    page, last_page = lines.page(start), lines.page(end - 1)
    if page is not None:  # the lines of a PDF document are those of its pages, not of its text
        return Text(f"{letter}, p. {page}" if page == last_page else f"{letter}, pp. {page}–{last_page}")
    first, last = lines.at(start), lines.at(end - 1)
    return Text(f"{letter}, line {first}" if first == last else f"{letter}, lines {first}–{last}")


def _excerpts(a: str, b: str, passage: Passage, recipe: Recipe, most: tuple[int, int]) -> tuple[Text, Text]:
    """Return the passage as each document has it; if it is long, both are cut in the middle at the same units."""
    flow = _code_lines if recipe.unit == "token" else _flow
    left, right = flow(a[passage.a_start : passage.a_end]), flow(b[passage.b_start : passage.b_end])
    narrow = cell_len(left[:SLACK]) < 1.5 * len(left[:SLACK])  # a character of Chinese fills two cells
    head, tail = most if narrow else (most[0] // 2, most[1] // 2)
    if max(len(left), len(right)) <= head + tail + SLACK:
        return Text(_show(left)), Text(_show(right))
    heads = _head_ends(left, head, recipe), _head_ends(right, head, recipe)
    tails = _tail_starts(left, tail, recipe), _tail_starts(right, tail, recipe)
    first, last = min(map(len, heads)), min(map(len, tails))
    omitted = passage.units - first - last
    if not first or not last or omitted < 1:  # words of hundreds of letters, or hundreds of marks between two words
        gap = "[…]"
        return _join(left[:head], gap, left[-tail:]), _join(right[:head], gap, right[-tail:])
    gap = f"[… {count_of(omitted, UNIT_NAMES[recipe.unit])} …]"
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


def _code_lines(text: str) -> str:
    r"""Return a program with its lines and their indentation, without empty lines.

    >>> _code_lines("for x in xs:\r\n\tprint(x)\n\n\nend()")
    'for x in xs:\n    print(x)\nend()'
    """
    return "\n".join(line.expandtabs(4).rstrip() for line in re.split("\r\n|\r|\n", text) if line.strip())


def _show(text: str) -> str:
    return "\n".join(visible(line) for line in text.split("\n"))


def verdict(a: str, b: str, found: Comparison) -> str:
    """Return one sentence on how similar the two texts are.

    >>> from lookalike import compare
    >>> a, b = "Rain, rain, go away!", "rain rain go away"
    >>> verdict(a, b, compare(a, b))
    'Identical after normalising: they differ only in what the recipe ignores.'
    """
    if found.jaccard == 1.0 and (found.spans_a or found.spans_b) and a != b:
        return "Identical in everything that counts; excluded text may differ."
    if found.jaccard == 1.0:
        return _same(a, b, found.recipe)
    most = max(found.containment_a, found.containment_b)
    part, whole = ("A", "B") if found.containment_a >= found.containment_b else ("B", "A")
    if found.jaccard >= 0.5:
        return "Near-duplicate: most of each document is in the other."
    if most >= 0.8:
        return f"Large parts shared: {whole} contains {'all' if most == 1.0 else 'nearly all'} of {part}."
    if most >= 0.4:
        return f"Large parts shared: {percent(most)} of {part} is in {whole} too."
    # By the usual length, not by --min-passage: with 1 word, all texts of a language share passages.
    if most >= 0.1 or any(passage.units >= SHORTEST[found.recipe.unit] for passage in found.passages):
        return "Some passages shared; the documents are otherwise different."
    if found.any_length is not None and max(found.any_length.containment_a, found.any_length.containment_b) >= 0.1:
        return f"Similar only in passages shorter than {count_of(found.min_words or 0, UNIT_NAMES[found.recipe.unit])}."
    return "Little in common."


def _same(a: str, b: str, recipe: Recipe) -> str:
    if a == b:
        return "Identical: the two texts are the same, character for character."
    left, right = normalize(a, recipe), normalize(b, recipe)
    if left != right:
        return "The same shingles, in a different order or number."
    if not left:
        return "Nothing is left of either text after normalising, so there is nothing to tell them apart."
    return "Identical after normalising: they differ only in what the recipe ignores."
