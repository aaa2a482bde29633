"""`lookalike compare` for a person: the scores in plain words, then the longest passages side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from lookalike.cli.left_out import in_words
from lookalike.cli.passage_table import Passages, count_of
from lookalike.recipe import UNIT_NAMES
from lookalike.tables.wording import visible
from lookalike.text.compare_json import longest
from lookalike.text.passages import SHORTEST
from lookalike.text.shingles import normalize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from lookalike.documents.text_file import TextFile
    from lookalike.recipe import Recipe
    from lookalike.text.compare import Comparison

__all__ = ["percent", "share", "to_table", "verdict"]


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
    if found.jaccard == 1.0 and (found.spans_a or found.spans_b) and a != b:
        return "Identical in all that counts; what was left out may differ."
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
        "Estimate", share(found.estimate), error, f"Jaccard by signatures: {count_of(recipe.hashes, 'hash')}, {sketch}"
    )
    grid.add_row("Shingles", f"{found.shared:,}", "shared", _sizes(found))
    if found.min_words is not None:
        unit = f"{UNIT_NAMES[found.recipe.unit]}s"
        grid.add_row("Counted", f"≥ {found.min_words:,}", unit, "what is shared in shorter passages does not count")
    if found.left_out_a or found.left_out_b:
        total = sum(found.left_out_a.values()) + sum(found.left_out_b.values())
        said = f"A: {in_words(found.left_out_a)}; B: {in_words(found.left_out_b)}"
        grid.add_row("Left out", f"{total:,}", "words", said)
    return grid


def _sizes(found: Comparison) -> str:
    recipe = found.recipe
    length = count_of(recipe.k, UNIT_NAMES[recipe.unit]) + (", repeats count" if recipe.bag else "")
    return f"A has {found.shingles_a:,}, B has {found.shingles_b:,}; each is {length}"


def _how(recipe: Recipe) -> str:
    return "whatever the names, comments and layout" if recipe.unit == "token" else "word for word"


def _passages(a: TextFile, b: TextFile, found: Comparison, least: int, top: int) -> Iterator[RenderableType]:
    unit = UNIT_NAMES[found.recipe.unit]
    at_least = f"of at least {count_of(least, unit)}"
    if not found.passages:
        yield Text(f"No shared passage {at_least} (--min-passage shows shorter ones).")
        yield Text()
        return
    shown = longest(found.passages, top)
    heading = f"{count_of(len(found.passages), 'shared passage')} {at_least}, {_how(found.recipe)}"
    if len(shown) < len(found.passages):
        heading += "; the longest" if len(shown) == 1 else f"; the {len(shown)} longest"
    yield Text(f"{heading}:", style="bold")
    yield Text()
    view = Passages(a.text, b.text, found.recipe)
    for number, passage in enumerate(shown, start=1):
        yield from view.show(passage, number)
