"""What a server is told when it starts, and never changes."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.limits import LIMITS
from lookalike.errors import RecipeError

if TYPE_CHECKING:
    from lookalike.server.tokens import Tokens

__all__ = ["PORT", "ServerLimits", "ServerSettings", "is_loopback"]

PORT: Final = 8765
_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0"), is_loopback("essays.example")
    (True, True, False, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


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
    in_work: int = 16
    """Requests that are worked on at the same time."""
    waiting: int = 64
    """Requests that wait for their turn; the next one is refused."""
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
    """Names that the server goes by, beside those of this machine."""
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
