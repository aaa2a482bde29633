"""The options for the recipe: written once, the same on every command.

A command asks for a `recipe`, and the decorator `with_recipe` puts all these options in its place.
The values pass as they were typed; `Recipe` itself checks them, so that the command line and the library say the same.
"""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final

from lookalike.checks import suggest
from lookalike.cli.messages import complain
from lookalike.cli.options import flag, makes, option, typed
from lookalike.cli.values import number
from lookalike.documents.small_file import read_small
from lookalike.errors import RecipeError
from lookalike.presets import PRESETS, find_preset
from lookalike.recipe import FAMILIES, IDLE, Recipe
from lookalike.urls import is_url

__all__ = ["OPTIONS", "PRESET", "as_typed", "make_recipe", "with_recipe"]

_WHOLE = ("k", "hashes", "seed")
_STOP_WORDS = "'none', 'english' or a file of words, one per line"


def _choice(spelling: str, metavar: str, help: str, *values: str) -> tuple[Any, Any]:  # noqa: A002 — as Typer calls it
    return option(spelling, panel="Recipe", metavar=metavar, help=help, values=values)


def _number(spelling: str, help: str) -> tuple[Any, Any]:  # noqa: A002
    return option(spelling, panel="Recipe", metavar="N", help=help)


def _flag(spelling: str, help: str) -> tuple[Any, Any]:  # noqa: A002
    return flag(spelling, panel="Recipe", help=help)


PRESET: Final[dict[str, tuple[Any, Any]]] = {
    "preset": _choice(
        "--preset",
        "NAME",
        f"Start from {', '.join(PRESETS)}; default prose. essays finds copied passages in documents. A scan takes its "
        "threshold, metric and shortest passage too. Other options change it.",
        *PRESETS,
    )
}
"""The option from which a recipe starts, and a search."""

# Name of the setting → type and option. The metavars are short because the help must fit 80 columns.
OPTIONS: Final[dict[str, tuple[Any, Any]]] = {
    **PRESET,
    "unit": _choice("--unit", "UNIT", "Shingles of: char, word or token (of code).", "char", "word", "token"),
    "k": _number("-k", "Units in a shingle, 1 to 64."),
    "bag": _flag("--bag/--no-bag", "Count repeated shingles."),
    "lowercase": _flag("--lowercase/--no-lowercase", "Ignore case."),
    "whitespace": _choice("--whitespace", "HOW", "keep, collapse or remove (unit char).", "keep", "collapse", "remove"),
    "punctuation": _choice("--punctuation", "HOW", "keep or remove.", "keep", "remove"),
    "accents": _choice("--accents", "HOW", "keep, or strip: é is e.", "keep", "strip"),
    "digits": _choice("--digits", "HOW", "keep, or zero: each counts as 0.", "keep", "zero"),
    "stop_words": _choice(
        "--stop-words", "LIST", "Leave out: none, english, or the words in a file, one per line.", "none", "english"
    ),
    "form": _choice("--form", "FORM", "Unicode: none, nfc, nfd, nfkc or nfkd.", "none", "nfc", "nfd", "nfkc", "nfkd"),
    "sketch": _choice("--sketch", "KIND", "Signature: fast or classic.", "fast", "classic"),
    "family": _choice(
        "--family",
        "NAME",
        "Hashes of a classic sketch: modular, multiplicative, murmur3 or jenkins.",
        *FAMILIES,
    ),
    "hashes": _number("--hashes", "Numbers in a signature, 1 to 65535."),
    "seed": _number("--seed", "Keys every hash."),
}


def make_recipe(options: dict[str, Any]) -> Recipe:
    """Return the preset with the given options changed; None means not given.

    >>> make_recipe({"preset": "code", "k": "3", "family": "murmur3"})
    Recipe(unit='token', k=3, sketch='classic', family='murmur3')
    """
    given = {name: value for name, value in options.items() if value is not None}
    base = Recipe.preset(given.pop("preset", "prose"))
    for name in _WHOLE:
        if name in given:
            given[name] = number(given[name])
    if "family" in given and given.setdefault("sketch", "classic") == "fast":
        raise RecipeError("family", given["family"], "left out with --sketch fast", "it belongs to --sketch classic")
    if "stop_words" in given:
        given["stop_words"] = _stop_words(given["stop_words"])
    recipe = base.replace(**given)
    for name in given:
        if name in IDLE.get(recipe.unit, ()):
            complain(f"note: --{name.replace('_', '-')} changes nothing while the unit is {recipe.unit}")
    return recipe


def _stop_words(given: str) -> str | list[str]:
    if given in ("none", "english"):
        return given
    if not is_url(given) and not Path(given).exists():
        raise RecipeError("stop_words", given, _STOP_WORDS, suggest(given, ("none", "english")) or "no such file")
    return [word for line in read_small(given, "give a shorter list").splitlines() if (word := line.strip())]


def as_typed(made: Any, recipe: Recipe) -> list[str]:
    """Return the options that make this value, which has a `preset`, and this recipe: those that are not the preset's.

    >>> from lookalike.cli.searching import Demand
    >>> as_typed(Demand(preset="essays", threshold=0.2, metric="containment"), Recipe(k=3))
    ['--preset', 'essays', '--threshold', '0.2']
    """
    start, usual = find_preset(made.preset or "prose"), type(made)()
    if made.preset is not None:
        own = {field.name for field in fields(made)} & {"threshold", "metric", "min_words"}
        usual = replace(usual, **{name: getattr(start, name) for name in own})
    return [*typed(made, usual), *typed(recipe, start.recipe)]


with_recipe = makes("recipe", OPTIONS, make_recipe)
"""Give a command that takes a `recipe` the options that make one."""
