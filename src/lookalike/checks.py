"""Checks of arguments that many functions take, and suggestions for misspelt ones."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, SupportsIndex

from lookalike.errors import DocumentError, RecipeError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["number", "suggest", "text", "text_remedy", "threads", "whole"]


def text(name: object, value: Any) -> str:
    """Return a text; anything else is an error that names the document.

    >>> text("a", b"bytes")
    Traceback (most recent call last):
        ...
    lookalike.errors.DocumentError: document 'a': text is bytes, not str; decode it first, for example with \
.decode('utf-8')
    """
    if not isinstance(value, str):
        raise DocumentError(name, "text", f"is {type(value).__name__}, not str", text_remedy(value))
    return value


def text_remedy(value: object) -> str:
    """Return what to do about something that is not a text."""
    if isinstance(value, bytes | bytearray):
        return "decode it first, for example with .decode('utf-8')"
    if value is None:
        return "leave the document out or give it an empty text"
    return "give its text as str"


def whole(name: str, value: SupportsIndex, low: int, high: int | None = None) -> int:
    """Return a whole number within its range.

    >>> whole("threads", -1, 0)
    Traceback (most recent call last):
        ...
    lookalike.errors.RecipeError: threads must be a whole number of at least 0, not -1
    """
    try:
        found = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        found = None
    if found is None or found < low or (high is not None and found > high):
        allowed = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise RecipeError(name, value, f"a whole number {allowed}")
    return found


def number(name: str, value: Any, allowed: str) -> float:
    """Return a number as a float; `allowed` says in words what it may be. Ranges are the caller's to check."""
    try:
        found = math.nan if isinstance(value, bool | str | bytes) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if math.isnan(found):
        raise RecipeError(name, value, allowed)
    return found


def threads(value: SupportsIndex) -> int:
    """Return a number of threads; 0 takes all cores."""
    return whole("threads", value, 0, 1024)


def suggest(given: object, choices: Iterable[str]) -> str:
    """Return "did you mean …?" for a misspelt choice, or nothing.

    >>> suggest("Colapse", ("keep", "collapse", "remove"))
    "did you mean 'collapse'?"
    >>> suggest("xyzzy", ("keep", "collapse", "remove"))
    ''
    """
    if not isinstance(given, str):
        return ""
    import difflib  # needed on the way to an error only

    close = difflib.get_close_matches(given[:100].lower(), list(choices), n=1)
    return f"did you mean {close[0]!r}?" if close else ""
