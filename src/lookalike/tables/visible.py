"""Characters that are invisible, or that act on a terminal or on the text around them: found, and shown as escapes.

Names, ids and texts come from anybody. What lookalike shows of them goes through here.
"""

from __future__ import annotations

import io
import re
from functools import cache
from typing import IO, TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Shown", "colored_visible", "hidden", "lines_visible", "spelt_for_json", "visible"]

_CONTROLS: Final = "\x00-\x1f"
_OTHERS: Final = (
    "\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff"
)
_LONE_JOINERS: Final = "(?<![\u0600-\u1dff\u2190-\u2bff\u2e80-\U0001ffff])[\u200c\u200d]"
"""Persian, the scripts of India and many emoji are spelt with joiners, and keep them; elsewhere they only hide."""
_NAMED: Final = {0x09: r"\t", 0x0A: r"\n", 0x0D: r"\r"}


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


class Shown(io.RawIOBase):
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
