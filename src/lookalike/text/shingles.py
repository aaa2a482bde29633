"""Units and shingles of one text, each with its place in the original."""

from __future__ import annotations

from typing import NamedTuple

from lookalike import _native, checks
from lookalike.recipe import DEFAULT, Recipe, settings

__all__ = ["Shingle", "normalize", "shingles", "units"]


class Shingle(NamedTuple):
    """A shingle, or a single unit: its normalised text and where it stands in the original."""

    text: str
    start: int
    end: int


def units(text: str, recipe: Recipe | None = None) -> list[Shingle]:
    """Return the units (words or characters) of a text.

    >>> [unit.text for unit in units("Don't panic, it's well-known!")]
    ['dont', 'panic', 'its', 'well', 'known']
    """
    return [Shingle(*unit) for unit in _native.units(checks.text("text", text), settings(recipe or DEFAULT))]


def normalize(text: str, recipe: Recipe | None = None) -> str:
    """Return what the recipe leaves of a text: its words joined by blanks, or its characters.

    >>> normalize("The  Café — open!", Recipe(unit="char", accents="strip"))
    'the cafe open'
    """
    recipe = recipe or DEFAULT
    return ("" if recipe.unit == "char" else " ").join(unit.text for unit in units(text, recipe))


def shingles(text: str, recipe: Recipe | None = None) -> list[Shingle]:
    """Return the shingles of a text in order, repeats included; their set is what the document is compared by.

    A text of fewer than k units has one shingle, the whole of it.

    >>> shingles("Nadal", Recipe(unit="char", k=2))[:2]
    [Shingle(text='na', start=0, end=2), Shingle(text='ad', start=1, end=3)]
    >>> [s.text for s in shingles("Its quite sunny today", Recipe(k=2))]
    ['its quite', 'quite sunny', 'sunny today']
    """
    return [Shingle(*shingle) for shingle in _native.shingles(checks.text("text", text), settings(recipe or DEFAULT))]
