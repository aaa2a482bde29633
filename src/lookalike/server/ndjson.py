"""Streams of lines: documents come in batches, answers go out as they are made."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from starlette.requests import ClientDisconnect
from starlette.responses import Response

from lookalike.errors import LookalikeError
from lookalike.server.bodies import NDJSON, parsed, validated
from lookalike.server.models import Document
from lookalike.server.problems import Problem, of_error
from lookalike.tables.json import to_json

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

    from lookalike.server.state import State

__all__ = ["Lines", "Stream", "batches", "problem_line"]

_PAUSE: Final = 0.2
"""Seconds without another byte, after which the lines that are there are worked on."""


class Stream(Response):
    """An answer line by line, while the request is still being read.

    Not `StreamingResponse`, which waits for the client to go away by reading the request, and so takes its lines.
    """

    media_type = NDJSON

    def __init__(self, lines: AsyncIterator[object], state: State) -> None:
        """Take plain values; a problem that ends them becomes the last line."""
        super().__init__(None)
        self._lines, self._state = lines, state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the lines."""
        del scope, receive
        headers = [header for header in self.raw_headers if header[0] != b"content-length"]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        try:
            async for line in self._lines:
                await _send_line(send, line)
        except ClientDisconnect:
            return
        except (Problem, LookalikeError) as error:
            await _send_line(send, problem_line(error, self._state))
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _send_line(send: Send, value: object) -> None:
    body = to_json(value, indent=None).encode("utf-8")
    await send({"type": "http.response.body", "body": body, "more_body": True})


class Lines:
    """Bytes, cut into lines; one that is too long is refused before it is held."""

    def __init__(self, longest: int) -> None:
        """Take the length that a line may have."""
        self._longest = longest
        self._rest = bytearray()
        self.count = 0
        """Lines so far, blank ones too."""

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """Take more; return the lines that are whole now, with their numbers, from 1."""
        first, *others = data.split(b"\n")
        self._rest += first
        found = []
        for piece in others:
            found += self._line()
            self._rest = bytearray(piece)
        self._check()
        return found

    def end(self) -> list[tuple[int, bytes]]:
        """Return the last line, if it has no end."""
        return self._line() if self._rest else []

    def _line(self) -> list[tuple[int, bytes]]:
        self._check()
        self.count += 1
        line = bytes(self._rest).strip()
        return [(self.count, line)] if line else []

    def _check(self) -> None:
        if len(self._rest) > self._longest:
            raise Problem(413, f"line {self.count + 1:,} is longer than {self._longest:,} bytes")


async def batches(request: Request, state: State) -> AsyncIterator[list[Document]]:
    """Give the documents of a stream in batches: as many as one transaction takes, or as have come so far."""
    limits, lines = state.limits, Lines(state.limits.line)
    waiting: list[Document] = []
    size = 0
    async for chunk in _chunks(request):
        if state.ending.is_set():
            raise Problem(503, "the server is ending; send the rest again")
        for number, line in lines.end() if chunk is None else lines.feed(chunk):
            waiting.append(_document(number, line))
            size += len(line)
            if len(waiting) >= limits.batch or size >= limits.batch_bytes:
                yield waiting
                waiting, size = [], 0
        if waiting and not chunk:
            yield waiting
            waiting, size = [], 0


async def _chunks(request: Request) -> AsyncIterator[bytes | None]:
    """Give the bytes of a request as they come; nothing when none come for a moment, and None at the end."""
    stream = request.stream()
    coming: asyncio.Task[bytes | None] | None = None
    try:
        while True:
            coming = coming or asyncio.create_task(_next(stream))
            done, _ = await asyncio.wait({coming}, timeout=_PAUSE)
            if not done:
                yield b""
                continue
            chunk, coming = coming.result(), None
            if chunk != b"":
                yield chunk
            if chunk is None:
                return
    finally:
        if coming is not None:
            coming.cancel()


async def _next(stream: AsyncIterator[bytes]) -> bytes | None:
    try:
        return await anext(stream)
    except StopAsyncIteration:
        return None


def problem_line(error: Problem | LookalikeError, state: State, **more: object) -> dict[str, object]:
    """Return the last line of a stream that went wrong."""
    problem = error if isinstance(error, Problem) else of_error(error, state.store.name)
    return {"problem": problem.to_dict(), **more}


def _document(number: int, line: bytes) -> Document:
    try:
        return validated(Document, parsed(line))
    except Problem as problem:
        detail = f"line {number:,}: {problem.detail.replace('the body is no JSON', 'no JSON')}"
        raise Problem(problem.status, detail, problem.errors) from None
