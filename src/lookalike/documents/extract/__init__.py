"""Documents that are more than plain text, taken apart by readers in limited processes of their own.

Here is what lookalike and these processes have in common: how much a reader may use, and the messages between them.
"""

from __future__ import annotations

import json
import struct
import sys
from typing import IO, TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "LARGEST_FILE",
    "LARGEST_HEADER",
    "LARGEST_TEXT",
    "LONGEST_NAME",
    "MEMORY",
    "MOST_MEMBERS",
    "NESTED",
    "BrokenFrameError",
    "hold_memory",
    "hold_time",
    "receive",
    "seconds_for",
    "send",
    "wall_seconds",
]


# -- limits ------------------------------------------------------------------------------------------------------------

MEMORY: Final = 256 << 20
"""Bytes that the process of a reader may take."""

LARGEST_FILE: Final = 512 << 20
"""Bytes of the largest file that is opened by a reader."""

LARGEST_TEXT: Final = 64 << 20
"""Bytes of the longest text that a reader gives."""

MOST_MEMBERS: Final = 100_000
"""Members of one archive."""

LONGEST_NAME: Final = 4096
"""Characters of the name of a member: no system has longer paths."""

LARGEST_HEADER: Final = 1 << 20
"""Bytes of what a tar file says about one member."""

NESTED: Final = 2
"""An archive in an archive is read; one in that is not."""

_LEAST_SECONDS: Final = 2.0
_SECONDS_PER_MEBIBYTE: Final = 4.0
_MOST_SECONDS: Final = 60.0


def seconds_for(size: int) -> float:
    """Return the seconds of processor time that a document of `size` bytes may take: real ones need a tenth of it.

    >>> seconds_for(0), seconds_for(10 << 20), seconds_for(1 << 40)
    (2.0, 42.0, 60.0)
    """
    return min(_MOST_SECONDS, _LEAST_SECONDS + _SECONDS_PER_MEBIBYTE * size / (1 << 20))


def wall_seconds(seconds: float) -> float:
    """Return after how long on the clock a reader is ended: the machine may be busy with other things."""
    return 4 * seconds + 2


def hold_memory(most: int = MEMORY) -> None:
    """Take no more memory than this, and write no files; where the system knows such limits."""
    if sys.platform == "win32":
        return
    import resource

    # DATA is what a process really asks for; AS would count shared libraries and reserved address space too. macOS
    # knows both and keeps to neither.
    for name, value in (("RLIMIT_DATA", most), ("RLIMIT_FSIZE", 0), ("RLIMIT_CORE", 0)):
        limit = getattr(resource, name)
        hard = resource.getrlimit(limit)[1]
        soft = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (soft, hard))


def hold_time(seconds: float) -> None:
    """End this process after so much more processor time; where the system knows such limits."""
    if sys.platform == "win32":
        return
    import math
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = math.ceil(used.ru_utime + used.ru_stime + seconds)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    if hard != resource.RLIM_INFINITY:
        soft = min(soft, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


# -- messages ----------------------------------------------------------------------------------------------------------

_LENGTHS: Final = struct.Struct("<II")
_LARGEST_HEAD: Final = 1 << 20


class BrokenFrameError(Exception):
    """The other side ended, or sent something that is not a message."""


def send(stream: IO[bytes], head: Mapping[str, Any], body: bytes = b"") -> None:
    """Write one message."""
    text = json.dumps(head).encode("ascii")
    stream.write(_LENGTHS.pack(len(text), len(body)))
    stream.write(text)
    stream.write(body)
    stream.flush()


def receive(stream: IO[bytes], largest: int) -> tuple[dict[str, Any], bytes]:
    """Read one message whose body has at most `largest` bytes."""
    head_length, body_length = _LENGTHS.unpack(_exactly(stream, _LENGTHS.size))
    if head_length > _LARGEST_HEAD or body_length > largest:
        raise BrokenFrameError("the message is too long")
    head = json.loads(_exactly(stream, head_length))
    if not isinstance(head, dict):
        raise BrokenFrameError("the message has no head")
    return head, _exactly(stream, body_length)


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise BrokenFrameError("the other side has ended")
    return data
