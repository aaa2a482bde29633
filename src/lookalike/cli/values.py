"""Values of options, checked in the words of the library, whichever version of Typer is installed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from lookalike.checks import suggest
from lookalike.errors import RecipeError

if TYPE_CHECKING:
    from collections.abc import Callable
    from enum import StrEnum

    Choice = TypeVar("Choice", bound=StrEnum)

__all__ = ["completion", "number", "one_of", "share", "size", "threads_of", "whole_number"]


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


def threads_of(given: str | None) -> int:
    """Return the number of threads; 0, which is one for each processor, if none was given."""
    return 0 if given is None else whole_number("--threads", given, least=0)


def share(option: str, given: str, *, zero: bool = False) -> float:
    """Return a share above 0 and up to 1, typed as ``0.8`` or ``80%``; `zero` allows 0 as well.

    >>> share("--threshold", "0.8"), share("--threshold", "80%")
    (0.8, 0.8)
    >>> share("--threshold", "80")
    Traceback (most recent call last):
        ...
    lookalike.errors.RecipeError: --threshold must be a number above 0 and at most 1, not '80'; did you mean 80%?
    """
    found = re.fullmatch(r"([0-9]{0,20}\.?[0-9]{0,20})(%?)", given)
    value = float(found[1]) if found and re.search("[0-9]", found[1]) else -1.0
    if found and found[2]:
        value /= 100
    if value > 1.0 or value < 0.0 or (value == 0.0 and not zero):
        hint = f"did you mean {given}%?" if 1.0 < value <= 100.0 else ""
        raise RecipeError(option, given, f"a number {'from 0 to' if zero else 'above 0 and at most'} 1", hint)
    return value


_UNITS = {"B": 1} | {
    prefix + ending: base**power
    for power, prefix in enumerate("KMGT", start=1)
    for ending, base in (("B", 1000), ("IB", 1024))
}


def size(option: str, given: str) -> int:
    """Return a number of bytes, typed as ``6GB``, ``500MB`` or ``2GiB``.

    >>> size("--memory", "6GB"), size("--memory", "1.5 GiB"), size("--memory", "500mb")
    (6000000000, 1610612736, 500000000)
    >>> size("--memory", "lots")
    Traceback (most recent call last):
        ...
    lookalike.errors.RecipeError: --memory must be a size such as 6GB, 500MB or 2GiB, not 'lots'
    """
    found = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?([KMGT]?I?B?)", given.strip().upper())
    unit = found[2] + ("" if found[2].endswith("B") else "B") if found else ""
    if not found or not found[2] or not (total := int(float(found[1]) * _UNITS.get(unit, 0))):
        raise RecipeError(option, given, "a size such as 6GB, 500MB or 2GiB")
    return total
