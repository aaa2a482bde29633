"""How a command ends when it is told to: in order, with its readers ended and its temporary files removed."""

from __future__ import annotations

import signal
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

__all__ = ["ending_in_order"]

_SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
_SECONDS: Final = 5.0
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
        if not before or heard - before > _SECONDS:
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
