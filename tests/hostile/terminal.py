"""A command on a terminal, as a person runs it."""

from __future__ import annotations

import os
import subprocess
import sys

__all__ = ["on_a_terminal"]


def on_a_terminal(*args: str, code: int = 0, **env: str) -> str:
    """Run lookalike on a pseudo-terminal; return what it showed there, results and errors."""
    import pty

    command = [sys.executable, "-m", "lookalike", *args]
    settings = os.environ | {"TERM": "xterm-256color", "COLUMNS": "140"} | env
    master, slave = pty.openpty()
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=settings) as process:
        os.close(slave)
        shown = b""
        while chunk := _read(master):
            shown += chunk
        assert process.wait(timeout=60) == code, shown
    os.close(master)
    return shown.decode(errors="surrogateescape").replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other side has been closed
        return b""
