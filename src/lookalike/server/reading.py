"""Two texts as the page shows them side by side: passages in which a few words may differ, as the report has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.report.pair_passages import MarkedText, blocks_of
from lookalike.text.passages import SHORTEST

if TYPE_CHECKING:
    from lookalike.recipe import Recipe

__all__ = ["reading_of"]


def reading_of(a: str, b: str, recipe: Recipe) -> dict[str, Any]:
    """Return the passages of two texts, with the places of their runs in code points.

    >>> from lookalike.recipe import Recipe
    >>> reading_of("one two three four five six seven eight", "one two three four 5 five six seven eight", Recipe())
    ... # doctest: +NORMALIZE_WHITESPACE
    {'unit': 'word', 'least': 8, 'units': [8, 9],
     'passages': [{'units': 8, 'runs': [[0, 18, 0, 18], [19, 39, 21, 41]]}]}
    """
    documents = MarkedText.of(a, recipe), MarkedText.of(b, recipe)
    return {
        "unit": recipe.unit,
        "least": SHORTEST[recipe.unit],
        "units": [document.units for document in documents],
        "passages": [
            {"units": block.units, "runs": [list(run) for run in block.runs]} for block in blocks_of(*documents, recipe)
        ],
    }
