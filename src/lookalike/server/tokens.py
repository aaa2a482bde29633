"""Who may read and who may write: two tokens in a file that its owner alone can read."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Right", "Tokens", "make_tokens", "read_tokens"]

Right = Literal["read", "write"]
_TOKEN: Final = re.compile(r"[A-Za-z0-9_\-.~+/]{32,200}=*")
_LARGEST: Final = 4096
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_FORM: Final = "write two lines, 'read TOKEN' and 'write TOKEN', or make one: lookalike serve --make-tokens FILE"


@dataclass(frozen=True, slots=True)
class Tokens:
    """A token for reading, and one for both.

    >>> tokens = Tokens("r" * 43, "w" * 43)
    >>> tokens.right_of("r" * 43), tokens.right_of("w" * 43), tokens.right_of("")
    ('read', 'write', None)
    """

    read: str = field(repr=False)
    write: str = field(repr=False)

    def right_of(self, token: str) -> Right | None:
        """Return what a token allows; the time it takes says nothing about how much of it is right."""
        given = _digest(token)
        writes = hmac.compare_digest(given, _digest(self.write))
        reads = hmac.compare_digest(given, _digest(self.read))
        if writes:
            return "write"
        return "read" if reads else None


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def make_tokens(path: Path) -> Tokens:
    """Write new tokens to a new file."""
    made = Tokens(secrets.token_urlsafe(32), secrets.token_urlsafe(32))
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise DocumentError(str(path), "file", "exists already", "use it with --token-file, or name another") from None
    except OSError as error:
        raise DocumentError(str(path), "file", f"cannot be written ({error.strerror})", "check the folder") from None
    with os.fdopen(handle, "w", encoding="ascii") as file:
        if os.name != "nt":
            os.fchmod(file.fileno(), 0o600)  # whatever the umask
        file.write(f"read {made.read}\nwrite {made.write}\n")
    return made


def read_tokens(path: Path) -> Tokens:
    """Read a file of tokens, if nobody but its owner can."""
    name = str(path)
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise DocumentError(name, "file", f"cannot be opened ({error.strerror})", "check the name") from None
    with os.fdopen(handle, "rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(mode):
            raise DocumentError(name, "file", "is no file", _FORM)
        if os.name != "nt" and mode & _OTHERS:
            raise DocumentError(name, "file", "can be used by others", f"run: chmod 600 {name}")
        content = file.read(_LARGEST)
    return _parsed(name, content.decode("utf-8", "replace"))


def _parsed(name: str, content: str) -> Tokens:
    found: dict[str, str] = {}
    for line in filter(None, map(str.strip, content.splitlines())):
        right, _, token = line.partition(" ")
        if right not in ("read", "write") or right in found or not _TOKEN.fullmatch(token.strip()):
            raise DocumentError(name, "file", "holds other lines than two tokens of 32 characters or more", _FORM)
        found[right] = token.strip()
    if set(found) != {"read", "write"} or found["read"] == found["write"]:
        raise DocumentError(name, "file", "does not hold two different tokens", _FORM)
    return Tokens(found["read"], found["write"])
