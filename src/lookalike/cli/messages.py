"""What a command tells its caller: an exit code, the version, and errors.

An error is always one line on standard error, with no character in it that could act on a terminal.
"""

from __future__ import annotations

import sys

from lookalike import _native
from lookalike.errors import DocumentError, LookalikeError
from lookalike.tables.wording import lines_visible, visible
from lookalike.urls import without_secrets

__all__ = [
    "BAD_INPUT",
    "BROKEN_PIPE",
    "FOUND",
    "INTERRUPTED",
    "UNREADABLE",
    "WORKED",
    "complain",
    "describe",
    "print_version",
    "show_traceback",
]

WORKED, FOUND, BAD_INPUT, UNREADABLE, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 3, 130, 141


def print_version() -> None:
    """Print the name and the version."""
    print("lookalike", _native.build_info()["version"], flush=True)


def complain(message: str) -> None:
    """Write one line to standard error."""
    _write_error(f"lookalike: {visible(without_secrets(message))}\n")


def show_traceback(error: BaseException) -> None:
    """Write where an error came from to standard error, for a developer."""
    import traceback

    _write_error(lines_visible("".join(traceback.format_exception(error))))


def _write_error(text: str) -> None:
    if sys.stderr is not None:  # closed by the caller: nobody listens
        encoding = sys.stderr.encoding or "utf-8"
        sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stderr.flush()


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
