"""Messages between lookalike and the process of a reader: a head in JSON and a body of bytes, each with its length."""

from __future__ import annotations

import json
import struct
from typing import IO, TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BrokenFrameError", "receive", "send"]

_LENGTHS: Final = struct.Struct("<II")
_LARGEST_HEAD: Final = 1 << 20


class BrokenFrameError(Exception):
    """The other side ended, or sent what is no message."""


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
