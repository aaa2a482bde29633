"""The shapes of values that JSON gave: checks that are put together as the values are.

>>> pair = row(is_text, whole())
>>> pair(["a", 1]), pair(["a", True]), list_of(pair)([["a", 1], ["b"]])
(True, False, False)
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias

__all__ = [
    "Check",
    "is_flag",
    "is_share",
    "is_text",
    "is_typed",
    "list_of",
    "map_of",
    "number",
    "object_of",
    "object_with",
    "one_of",
    "or_none",
    "parse_json",
    "row",
    "some_of",
    "whole",
]

Check: TypeAlias = Callable[[Any], bool]
"""Says whether a value has a shape."""


def parse_json(data: str | bytes) -> Any:
    """Read JSON that keeps to its rules: no NaN, and no nesting that Python cannot follow; else `ValueError`."""
    try:
        return json.loads(data, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def is_text(value: Any) -> bool:
    """Say whether a value is text that can be written as UTF-8: JSON can spell halves of characters."""
    return _can_be_encoded(value, "strict")


def is_typed(value: Any) -> bool:
    """Say whether a value is text as a person types it: a name in it may have bytes that are no UTF-8."""
    return _can_be_encoded(value, "surrogateescape") and "\0" not in value


def _can_be_encoded(value: Any, errors: str) -> bool:
    try:
        return isinstance(value, str) and value.encode("utf-8", errors) is not None
    except UnicodeEncodeError:
        return False


def is_flag(value: Any) -> bool:
    """Say whether a value is true or false."""
    return isinstance(value, bool)


def is_share(value: Any) -> bool:
    """Say whether a value is a number from 0 to 1."""
    return number(0.0, 1.0)(value)


def whole(least: int = 0, most: int = 2**63 - 1) -> Check:
    """Return the check of a whole number."""
    return lambda value: type(value) is int and least <= value <= most


def number(least: float, most: float) -> Check:
    """Return the check of a number, whole or not."""
    return lambda value: type(value) in (int, float) and least <= value <= most


def one_of(*values: str) -> Check:
    """Return the check of a text that is one of these."""
    return lambda value: isinstance(value, str) and value in values


def or_none(check: Check) -> Check:
    """Return the check of a value that may be null."""
    return lambda value: value is None or check(value)


def list_of(check: Check) -> Check:
    """Return the check of a list of such values."""
    return lambda value: isinstance(value, list) and all(map(check, value))


def row(*checks: Check) -> Check:
    """Return the check of a list that has one value for each check."""
    return lambda value: (
        isinstance(value, list)
        and len(value) == len(checks)
        and all(check(one) for check, one in zip(checks, value, strict=True))
    )


def map_of(names: Check, values: Check) -> Check:
    """Return the check of an object with any number of such names and values."""
    return lambda value: isinstance(value, dict) and all(names(name) and values(one) for name, one in value.items())


def object_of(**checks: Check) -> Check:
    """Return the check of an object that has these fields and no others."""
    return lambda value: object_with(**checks)(value) and set(value) == set(checks)


def some_of(**checks: Check) -> Check:
    """Return the check of an object that has some of these fields and no others."""
    return lambda value: object_with(**checks)(value) and set(value) <= set(checks)


def object_with(**checks: Check) -> Check:
    """Return the check of an object whose fields are right as far as they are known; others do not matter."""
    return lambda value: (
        isinstance(value, dict) and all(checks[name](one) for name, one in value.items() if name in checks)
    )
