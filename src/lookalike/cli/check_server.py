"""`lookalike check --server URL`: the stored documents are behind a server."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lookalike.errors import DocumentError
from lookalike.opening import open_error, open_file
from lookalike.server.server_settings import read_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.index.duplicate_check import StoredDocuments

__all__ = ["ENVIRONMENT", "on_server", "token_in"]

ENVIRONMENT: Final = "LOOKALIKE_TOKEN"
"""Where the token is if no file is named. On a command line everybody could read it."""
_LONGEST: Final = 4096


@contextmanager
def on_server(url: str, token_file: str | None, *, writes: bool) -> Iterator[StoredDocuments]:
    """Ask a server; with the write token, where a file has both and something is to be added."""
    from lookalike.client import Client
    from lookalike.client.client import StoredThere

    token = os.environ.get(ENVIRONMENT) or None
    if token_file is not None:
        token = token_in(token_file, writes=writes)
    with Client(url, token) as client:
        yield StoredThere(client)


def token_in(path: str, *, writes: bool) -> str:
    """Return the token in a file: its one line, or that of the kind wanted in a token file of `lookalike serve`."""
    try:
        with open_file(path) as file:
            content = file.read(_LONGEST + 1)
            mode = os.fstat(file.fileno()).st_mode
    except OSError as error:
        raise open_error(path, error, "put the token into a file") from None
    if os.name == "posix" and mode & 0o077:
        raise DocumentError(path, "file", "can be read by others than its owner", f"run: chmod 600 {path}")
    words = content.decode("utf-8", "replace").split()
    if len(words) == 1 and len(content) <= _LONGEST:
        return words[0]
    if words[:1] in (["read"], ["write"]):
        tokens = read_tokens(Path(path))
        return tokens.write if writes else tokens.read
    problem, remedy = "is not a token", "put the token on one line, or give the token file of lookalike serve"
    raise DocumentError(path, "file", problem, remedy)
