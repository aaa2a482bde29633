"""What is said on standard error: always one line, and no character in it that could act on a terminal."""

from __future__ import annotations

import re
import sys

from lookalike.errors import DocumentError, LookalikeError

__all__ = ["complain", "describe", "visible"]

# Controls, soft hyphen, bidi marks, zero-width characters, line separators, tags, lone surrogates. The two joiners
# (200C, 200D) stay: Persian, the scripts of India and many emoji are spelt with them.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_NAMED = {0x09: r"\t", 0x0A: r"\n", 0x0D: r"\r"}


def visible(text: str) -> str:
    r"""Return the text with every character that is invisible, or that acts on a terminal, shown as an escape.

    >>> print(visible("a\x1b[31m\u202eb"))
    a\x1b[31m\u202eb
    """
    return _HIDDEN.sub(lambda found: _escape(ord(found.group())), text)


def _escape(code: int) -> str:
    if code in _NAMED:
        return _NAMED[code]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def complain(message: str) -> None:
    """Write one line to standard error."""
    if sys.stderr is not None:  # closed by the caller: nobody listens
        encoding = sys.stderr.encoding or "utf-8"
        print("lookalike:", visible(message).encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr)


def describe(error: Exception) -> str:
    """Return what happened and what to do about it, in one sentence."""
    if isinstance(error, DocumentError) and error.field == "file":
        return f"{error.document} {error.problem}: {error.remedy}"
    if isinstance(error, DocumentError) and error.field.startswith(("line ", "pair ")):
        return f"{error.document}: {error.field} {error.problem}; {error.remedy}"
    if isinstance(error, LookalikeError):
        return str(error)
    if isinstance(error, MemoryError):
        return "not enough memory"
    if isinstance(error, OSError) and error.strerror:  # a full disk, for one: no fault of ours
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if hasattr(error, "format_message"):  # Typer's errors; their classes are not public, and moved between versions
        return _usage(error)
    return (
        f"internal error: {type(error).__name__}: {error}; this is a bug of lookalike: "
        "please report it, with the traceback that LOOKALIKE_DEBUG=1 shows"
    )


def _usage(error: Exception) -> str:
    message = " ".join(error.format_message().split())  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "lookalike"
    return f"{message.rstrip('.')} (see: {command} --help)"
