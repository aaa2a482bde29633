"""The commands. `main` is the console entry point; each command has a file of its own.

Exit codes: 0 it worked, 1 there are pairs that `--fail-over` asked about, 2 usage or bad input (also an error of
lookalike itself), 3 something could not be read with `--strict`, 129 hung up, 130 interrupted, 141 the reader of a pipe
went away, 143 terminated.
Whatever goes wrong is one line on standard error; ``LOOKALIKE_DEBUG=1`` adds the traceback.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from lookalike.cli.messages import (
    BAD_INPUT,
    BROKEN_PIPE,
    INTERRUPTED,
    WORKED,
    complain,
    describe,
    print_version,
    show_traceback,
)
from lookalike.errors import shows_tracebacks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

__all__ = ["main", "program", "run_guarded"]

_ALLOCATIONS: Final = 50_000
"""So many new objects make Python look for garbage: loading a command makes fewer, and hardly any are garbage."""


def program() -> int:
    """Run the program's own command line, in a process that ends afterwards; the console entry point."""
    gc.set_threshold(_ALLOCATIONS, 20, 20)
    try:
        return main()
    finally:
        gc.freeze()  # the memory goes back to the system: looking for cycles once more would take longer than that


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line `args` (default: the program's own) and return the exit code."""
    return run_guarded(lambda: _run(args))


def run_guarded(run: Callable[[], object]) -> int:
    """Run a command; return its exit code, or that of the error, which is reported in one line."""
    try:
        with ending_in_order():
            outcome = run()
            return outcome if isinstance(outcome, int) else WORKED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return _broken_pipe()
    except SystemExit as done:
        # Typer meets a broken pipe itself while it prints help, and leaves with 1.
        if isinstance(done.__context__, BrokenPipeError):
            return _broken_pipe()
        raise
    except Exception as error:  # noqa: BLE001 — the last line of defence: a person sees a line, not a traceback
        return _failed(error)


def _run(args: Sequence[str] | None) -> object:
    given = sys.argv[1:] if args is None else list(args)
    if given in (["--version"], ["-V"]):
        print_version()  # at once: loading Typer takes as long as all the rest
        return WORKED
    from lookalike.cli.commands import app, with_default

    # Not standalone: Typer's own messages take a box of several lines, and ours take one.
    outcome: object = app(with_default(given), prog_name="lookalike", standalone_mode=False)
    if sys.stdout is not None:
        sys.stdout.flush()  # a full disk or a broken pipe shows here, while it can still be said
    return outcome


def _failed(error: Exception) -> int:
    if shows_tracebacks():
        show_traceback(error)
    complain(describe(error))
    _drop_what_cannot_be_written()
    return BAD_INPUT


def _broken_pipe() -> int:
    _point_nowhere()
    return BROKEN_PIPE


def _drop_what_cannot_be_written() -> None:
    """Give up what is left for a full disk: at the end Python would try once more, and exit with 120 (3.11.2 does)."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError):
        _point_nowhere()


def _point_nowhere() -> None:
    """Point standard output nowhere, or Python would complain when it flushes what is left."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


_SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
_REPEATED_SECONDS: Final = 5.0
"""For so long the same order is not heard again: terminals and service managers send it several times."""


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into `SystemExit` with 128 plus their number, which is what a shell says of them.

    A signal that is ignored, as with nohup, stays so; one that a program around this command handles is left to it.
    """
    heard = 0.0

    def end(number: int, frame: FrameType | None) -> None:
        nonlocal heard
        del frame
        before, heard = heard, time.monotonic()
        if not before or heard - before > _REPEATED_SECONDS:
            raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():  # Python lets no other thread set handlers
        yield
        return
    ours = [number for number in _SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
