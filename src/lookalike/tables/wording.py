"""What a person reads: numbers in words, and characters that are invisible or act on a terminal, as escapes.

Names, ids and texts come from anybody; whatever lookalike shows of them goes through `visible` or its variants.
"""

from __future__ import annotations

import io
import math
import re
from functools import cache
from typing import IO, TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "VisibleStream",
    "at_least",
    "colored_visible",
    "count",
    "duration",
    "hidden",
    "lines_visible",
    "roughly",
    "size",
    "spelt_for_json",
    "visible",
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
    """The same without the controls below a blank: JSON spells those in texts, and others are its own line breaks."""
    return re.compile(f"[{_OTHERS}]|{_LONE_JOINERS}")


@cache
def _hidden_in_colors() -> re.Pattern[str]:
    """The same beside the sequences that set a colour, which are our own."""
    return re.compile(f"(\x1b\\[[0-9;]*m)|{_hidden_in_lines().pattern}")


def visible(text: str) -> str:
    r"""Return the text with every such character shown as an escape.

    >>> print(visible("a\x1b[31m\u202eb\n"))
    a\x1b[31m\u202eb\n
    """
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


class VisibleStream(io.RawIOBase):
    """A terminal that gets what is written to it, as UTF-8, with such characters shown as escapes."""

    def __init__(self, stream: IO[bytes], encoding: str | None = None) -> None:
        """Take the terminal, and its encoding if that is not UTF-8."""
        import codecs

        self._stream, self._encoding = stream, encoding or "utf-8"
        self._decode = cast("Callable[..., str]", codecs.getincrementaldecoder("utf-8")("backslashreplace").decode)

    def writable(self) -> bool:
        """Say that it can be written to."""
        return True

    def isatty(self) -> bool:
        """Say that a person sees it."""
        return True

    def write(self, data: Any) -> int:
        """Show some text."""
        self._show(self._decode(bytes(data)))
        return len(data)

    def flush(self) -> None:
        """Show it now."""
        if not self._stream.closed:
            self._stream.flush()

    def end(self) -> None:
        """Show what is left: the beginning of a character that never came to its end."""
        self._show(self._decode(b"", final=True))
        self._stream.flush()

    def _show(self, text: str) -> None:
        self._stream.write(lines_visible(text).encode(self._encoding, "backslashreplace"))
