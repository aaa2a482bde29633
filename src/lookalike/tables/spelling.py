"""How values are spelled: numbers in words, characters that are invisible or act on a terminal as escapes, and JSON.

Names, ids and texts come from anybody; whatever lookalike shows of them goes through `visible` or its variants. JSON is
always written as valid UTF-8, and never held whole in memory. For JSON that was read, checks are put together as the
values are:

>>> pair = row(is_text, whole())
>>> pair(["a", 1]), pair(["a", True]), list_of(pair)([["a", 1], ["b"]])
(True, False, False)
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from functools import cache
from itertools import islice
from json.encoder import encode_basestring
from typing import IO, TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = [
    "BETWEEN",
    "Bytes",
    "Check",
    "at_least",
    "colored_visible",
    "count",
    "duration",
    "hidden",
    "is_flag",
    "is_share",
    "is_text",
    "is_typed",
    "json_rows",
    "json_values",
    "lines_visible",
    "list_of",
    "map_of",
    "number",
    "object_of",
    "object_with",
    "one_of",
    "or_none",
    "parse_json",
    "roughly",
    "row",
    "size",
    "some_of",
    "spelt_for_json",
    "to_json",
    "visible",
    "whole",
    "write_json",
    "write_json_lines",
]

_CONTROLS: Final = "\x00-\x1f"
_OTHERS: Final = (
    "\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff"
)
_LONE_JOINERS: Final = "(?<![\u0600-\u1dff\u2190-\u2bff\u2e80-\U0001ffff])[\u200c\u200d]"
"""Persian, the scripts of India and many emoji are spelt with joiners, and keep them; elsewhere they only hide."""
_NAMED: Final = {0x09: r"\t", 0x0A: r"\n", 0x0D: r"\r"}


def count(number: int, what: str) -> str:
    """Return a number with its noun, in the plural where needed.

    >>> count(1, "pair"), count(1200, "pair")
    ('1 pair', '1,200 pairs')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def at_least(share: float, digits: int = 3) -> str:
    """Return a share that is never rounded up: what is below 1 does not read 1.

    >>> at_least(0.9916), at_least(0.99), at_least(0.99999), at_least(1.0)
    ('0.991', '0.99', '0.999', '1')
    """
    scale = 10**digits
    return f"{math.floor(share * scale + 1e-9) / scale:g}" if share < 1.0 else "1"


def duration(seconds: float) -> str:
    """Return a duration with a sensible precision.

    >>> duration(0.0312), duration(1.84), duration(42), duration(125), duration(7380)
    ('0.03 s', '1.8 s', '42 s', '2 min 5 s', '2 h 3 min')
    """
    if seconds < 0.1:
        return f"{seconds:.2f} s"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes_left = divmod(minutes, 60)
    return f"{hours} h {minutes_left} min" if hours else f"{minutes} min {rest} s"


def size(count: int) -> str:
    """Return a size in bytes for people.

    >>> size(532), size(2_500_000), size(25_000_000_000)
    ('532 B', '2.5 MB', '25 GB')
    """
    power = min(4, (len(str(max(1, count))) - 1) // 3)
    return f"{count / 1000**power:.3g} {('B', 'kB', 'MB', 'GB', 'TB')[power]}"


class Bytes(int):
    """A size in bytes, shown as it is typed, exactly.

    >>> Bytes(512 * 2**20), Bytes(100_000_000), Bytes(1001)
    (512MiB, 100MB, 1001B)
    """

    def __repr__(self) -> str:
        """Return the number with the largest unit that divides it."""
        for power in (4, 3, 2, 1):
            for base, ending in ((1024, "iB"), (1000, "B")):
                if self and self % base**power == 0:
                    return f"{self // base**power}{'KMGT'[power - 1]}{ending}"
        return f"{int(self)}B"

    __str__ = __repr__


def roughly(seconds: float) -> str:
    """Return an estimated duration, without false precision.

    >>> roughly(0.4), roughly(75), roughly(7300)
    ('1 s', '75 s', '2 h 2 min')
    """
    if seconds < 120:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


@cache
def hidden() -> re.Pattern[str]:
    """Return the pattern of such characters.

    Controls, soft hyphen, bidi marks, zero-width characters, line separators, tags, lone surrogates.
    """
    return re.compile(f"[{_CONTROLS}{_OTHERS}]|{_LONE_JOINERS}")


@cache
def _hidden_in_lines() -> re.Pattern[str]:
    """The same without line breaks and tabs, which make lines and columns of what is shown."""
    return re.compile(f"[\x00-\x08\x0b-\x1f{_OTHERS}]|{_LONE_JOINERS}")


@cache
def _hidden_in_json() -> re.Pattern[str]:
    """The same without control characters below U+0020: JSON escapes those in texts; others are its own line breaks."""
    return re.compile(f"[{_OTHERS}]|{_LONE_JOINERS}")


@cache
def _hidden_in_colors() -> re.Pattern[str]:
    """The same, except for the sequences that set a colour, which are our own."""
    return re.compile(f"(\x1b\\[[0-9;]*m)|{_hidden_in_lines().pattern}")


def visible(text: str) -> str:
    r"""Return the text with every such character shown as an escape.

    >>> print(visible("a\x1b[31m\u202eb\n"))
    a\x1b[31m\u202eb\n
    """
    if text.isascii() and text.isprintable():  # most texts are, and the pattern takes a while to compile
        return text
    return hidden().sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code in _NAMED:
        return _NAMED[code]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def lines_visible(text: str) -> str:
    r"""Return lines with whatever acts on a terminal shown as escapes; line breaks and tabs stay.

    >>> lines_visible("a\x1b[2J\tb\n")
    'a\\x1b[2J\tb\n'
    """
    return _hidden_in_lines().sub(_escaped, text)


def colored_visible(text: str) -> str:
    r"""Return lines that have colours, with whatever else acts on a terminal shown as escapes.

    >>> colored_visible("\x1b[31mred\x1b[0m\x1b[2J\n")
    '\x1b[31mred\x1b[0m\\x1b[2J\n'
    """
    return _hidden_in_colors().sub(lambda found: found[1] or _escaped(found), text)


def spelt_for_json(text: str) -> str:
    r"""Spell such characters in JSON as it spells characters; the value stays the same.

    >>> print(spelt_for_json('"a\u202e\U000e0041"'))
    "a\u202e\udb40\udc41"
    """
    if text.isascii() and "\x7f" not in text:
        return text
    return _hidden_in_json().sub(_in_json, text)


def _in_json(found: re.Match[str]) -> str:
    units = found.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{high:02x}{low:02x}" for high, low in zip(units[::2], units[1::2], strict=True))


# -- JSON, written -----------------------------------------------------------------------------------------------------

_ROWS: Final = 10_000
"""How many rows are written at a time."""

BETWEEN: Final = ",\n    "
"""The separator between the members of a list in `write_json`."""


def to_json(value: Any, *, indent: int | None = 2) -> str:
    r"""Return JSON that is valid UTF-8 whatever the texts hold, followed by a line break.

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


# -- JSON, read --------------------------------------------------------------------------------------------------------

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
