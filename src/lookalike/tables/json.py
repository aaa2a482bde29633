"""JSON: values, lines of rows and one object with long lists, written; and the shapes of values that were read.

What is written is always valid UTF-8, and never held whole in memory. Checks are put together as the values are:

>>> pair = row(is_text, whole())
>>> pair(["a", 1]), pair(["a", True]), list_of(pair)([["a", 1], ["b"]])
(True, False, False)
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from itertools import islice
from json.encoder import encode_basestring
from typing import IO, TYPE_CHECKING, Any, Final, TypeAlias

from lookalike.tables.wording import spelt_for_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = [
    "BETWEEN",
    "Check",
    "is_flag",
    "is_share",
    "is_text",
    "is_typed",
    "json_rows",
    "json_values",
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
    "to_json",
    "whole",
    "write_json",
    "write_json_lines",
]

_ROWS: Final = 10_000
"""How many rows are written at a time."""

BETWEEN: Final = ",\n    "
"""What stands between the members of a list in `write_json`."""

Check: TypeAlias = Callable[[Any], bool]
"""Says whether a value has a shape."""


def to_json(value: Any, *, indent: int | None = 2) -> str:
    r"""Return JSON that is valid UTF-8 whatever the texts hold, with a line break behind it.

    Characters that no encoder takes, or that are invisible or act on a terminal, are spelt as ``\uXXXX``.

    >>> to_json("é\udcff\x9b")
    '"é\\udcff\\u009b"\n'
    """
    return _dumped(value, indent=indent, allow_nan=False) + "\n"


def _dumped(value: Any, **how: Any) -> str:
    return spelt_for_json(json.dumps(value, ensure_ascii=False, **how))


def json_rows(names: Sequence[str], chunks: Iterable[Sequence[Sequence[Any]]]) -> Iterator[str]:
    """Yield each row of a table as a JSON object; its columns come piece by piece.

    >>> list(json_rows(["id", "score"], [[["a", None], [0.5, 1.0]]]))
    ['{"id": "a", "score": 0.5}', '{"id": null, "score": 1.0}']
    """
    template = "{" + ", ".join(f"{_text(name).replace('%', '%%')}: %s" for name in names) + "}"
    for columns in chunks:
        yield from map(template.__mod__, zip(*map(json_values, columns), strict=True))


def json_values(column: Sequence[Any]) -> Iterable[str]:
    """Return the values of a column as JSON: those of one kind quicker than one by one."""
    kinds = set(map(type, column))
    if kinds == {str}:
        return map('"{}"'.format, column) if _is_plain("".join(column)) else map(_text, column)
    if kinds == {float} and all(map(math.isfinite, column)):
        return map(repr, column)
    return map(_dumped, column)


def _is_plain(text: str) -> bool:
    """Return whether JSON spells a text as it is; one look at a whole column takes less than one at each value."""
    return text.isascii() and text.isprintable() and '"' not in text and "\\" not in text


def _text(text: str) -> str:
    return spelt_for_json(encode_basestring(text))


def write_json_lines(stream: IO[bytes], names: Sequence[str], chunks: Iterable[Sequence[Sequence[Any]]]) -> None:
    """Write a table, a line for each row."""
    rows = json_rows(names, chunks)
    while piece := list(islice(rows, _ROWS)):
        stream.write(("\n".join(piece) + "\n").encode())


def write_json(stream: IO[bytes], head: Mapping[str, Any], lists: Mapping[str, Iterable[str]]) -> None:
    """Write one object: what `head` says, then lists, which come in pieces: members that are JSON, with `BETWEEN`."""
    stream.write(to_json(head).removesuffix("\n}\n").encode())
    for name, given in lists.items():
        stream.write(f",\n  {_text(name)}: [".encode())
        written = False
        for piece in given:
            stream.write(((BETWEEN if written else BETWEEN[1:]) + piece).encode())
            written = True
        stream.write(b"\n  ]" if written else b"]")
    stream.write(b"\n}\n")


def parse_json(data: str | bytes) -> Any:
    """Read JSON that keeps to its rules: no NaN, and no nesting that Python cannot follow; else `ValueError`."""
    try:
        return json.loads(data, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def is_text(value: Any) -> bool:
    """Return whether a value is text that can be written as UTF-8: JSON can spell halves of characters."""
    return _can_be_encoded(value, "strict")


def is_typed(value: Any) -> bool:
    """Return whether a value is text as a person types it: a name in it may have bytes that are no UTF-8."""
    return _can_be_encoded(value, "surrogateescape") and "\0" not in value


def _can_be_encoded(value: Any, errors: str) -> bool:
    try:
        return isinstance(value, str) and value.encode("utf-8", errors) is not None
    except UnicodeEncodeError:
        return False


def is_flag(value: Any) -> bool:
    """Return whether a value is true or false."""
    return isinstance(value, bool)


def is_share(value: Any) -> bool:
    """Return whether a value is a number from 0 to 1."""
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
