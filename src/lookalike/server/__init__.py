"""An index as a service: a JSON API for programs and a page for people. `lookalike serve` runs it.

Here are the settings of a server: where it listens, how much it does, and who may read and write.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import os
import re
import secrets
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from lookalike.documents.raw_input import LIMITS
from lookalike.errors import DocumentError, RecipeError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["PORT", "Right", "ServerLimits", "ServerSettings", "Tokens", "is_loopback", "make_tokens", "read_tokens"]


# -- settings ----------------------------------------------------------------------------------------------------------

PORT: Final = 8765
_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def is_loopback(host: str) -> bool:
    """Tell whether an address is one by which only this machine can be reached, or reach others.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0"), is_loopback("essays.example")
    (True, True, False, False)
    """
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """How much one client may ask for: `/v1/info` shows them."""

    body: int = 10_000_000
    """Bytes of a request."""
    line: int = 10_000_000
    """Bytes of a line of NDJSON; a stream may have any number of lines."""
    batch: int = 1000
    """Documents of one request, and lines of NDJSON that are added in one transaction."""
    batch_bytes: int = 8_000_000
    """Bytes of lines that are added in one transaction."""
    text: int = LIMITS.document
    """Bytes of one text."""
    top: int = 1000
    """Hits of one document."""
    connections: int = 64
    beginning: int = 16
    """Connections of one client address whose headers are not complete; this machine may have any number."""
    in_work: int = 16
    """Requests that are processed at the same time."""
    waiting: int = 64
    """Requests that wait their turn; the next one is refused."""
    seconds: float = 30.0
    """For the work on one request."""
    header_seconds: float = 10.0
    """Until the headers of a request are there."""
    body_seconds: float = 30.0
    """Between two parts of a body."""

    def __post_init__(self) -> None:
        """Check that each allows something."""
        for name in self.__slots__:
            if getattr(self, name) <= 0:
                raise RecipeError(name, getattr(self, name), "a number above 0")

    def to_dict(self) -> dict[str, Any]:
        """Return them as plain values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where a server listens, whom it answers, and how much it does."""

    host: str = "127.0.0.1"
    port: int = PORT
    """0 takes a free one."""
    tokens: Tokens | None = None
    """Without them everybody who reaches the server may do everything, so it listens to this machine only."""
    allowed: frozenset[str] = frozenset()
    """Names that the server answers to, besides those of this machine."""
    read_only: bool = False
    workers: int = 1
    """Processes."""
    limits: ServerLimits = field(default_factory=ServerLimits)

    def __post_init__(self) -> None:
        """Refuse to be open to others without tokens."""
        if self.tokens is None and not is_loopback(self.host):
            hint = "for others, make tokens: --make-tokens FILE"
            raise RecipeError("--host", self.host, "an address of this machine only, such as 127.0.0.1", hint)

    @property
    def hosts(self) -> frozenset[str]:
        """The names that a request may use for the server: others are a sign of a rebound address."""
        own = set() if self.host in ("0.0.0.0", "::", "") else {self.host.lower()}  # noqa: S104 — compared, not bound
        return _LOCAL | own | {name.lower() for name in self.allowed}


# -- tokens ------------------------------------------------------------------------------------------------------------

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
    """Read a file of tokens, if only its owner can."""
    name = str(path)
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise DocumentError(name, "file", f"cannot be opened ({error.strerror})", "check the name") from None
    with os.fdopen(handle, "rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(mode):
            raise DocumentError(name, "file", "is not a file", _FORM)
        if os.name != "nt" and mode & _OTHERS:
            raise DocumentError(name, "file", "can be used by others", f"run: chmod 600 {name}")
        content = file.read(_LARGEST)
    return _parsed(name, content.decode("utf-8", "replace"))


def _parsed(name: str, content: str) -> Tokens:
    found: dict[str, str] = {}
    for line in filter(None, map(str.strip, content.splitlines())):
        right, _, token = line.partition(" ")
        if right not in ("read", "write") or right in found or not _TOKEN.fullmatch(token.strip()):
            raise DocumentError(name, "file", "holds lines other than two tokens of 32 characters or more", _FORM)
        found[right] = token.strip()
    if set(found) != {"read", "write"} or found["read"] == found["write"]:
        raise DocumentError(name, "file", "does not hold two different tokens", _FORM)
    return Tokens(found["read"], found["write"])
