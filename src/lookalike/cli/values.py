"""Values of options, checked in the words of the library, whichever version of Typer is installed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from lookalike.errors import RecipeError
from lookalike.recipe import suggest

if TYPE_CHECKING:
    from collections.abc import Callable
    from enum import StrEnum

    Choice = TypeVar("Choice", bound=StrEnum)

__all__ = ["completion", "number", "one_of", "whole_number"]


def completion(*words: str) -> Callable[[str], list[str]]:
    """Return what the shell asks when it completes an option that takes one of a few words."""
    return lambda incomplete: [str(word) for word in words if word.startswith(incomplete)]


def one_of(option: str, given: str, choices: type[Choice]) -> Choice:
    """Return the choice of that name."""
    for choice in choices:
        if given == choice:
            return choice
    names = [str(choice) for choice in choices]
    raise RecipeError(option, given, f"{', '.join(names[:-1])} or {names[-1]}", suggest(given, names))


def number(text: str) -> int | str:
    """Return the whole number that was typed, or the text for whoever will refuse it."""
    return int(text) if re.fullmatch("[+-]?[0-9]{1,40}", text) else text


def whole_number(option: str, given: str, *, least: int) -> int:
    """Return the number that was typed, if it is large enough.

    >>> whole_number("--top", "few", least=0)
    Traceback (most recent call last):
        ...
    lookalike.errors.RecipeError: --top must be a whole number of at least 0, not 'few'
    """
    value = number(given)
    if isinstance(value, str) or value < least:
        raise RecipeError(option, value, f"a whole number of at least {least}")
    return value
