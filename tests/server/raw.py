"""Requests byte by byte, as somebody writes them who does not keep to the rules, and the problems that answer them."""

from __future__ import annotations

import json
from typing import Any

from tests.server.live import raw_answer

__all__ = ["BODY", "problem_of", "request"]

BODY = json.dumps({"id": "a", "text": "one two three"}).encode()


def request(method: str, path: str, *headers: str, body: bytes = b"", host: str = "localhost") -> bytes:
    lines = [
        f"{method} {path} HTTP/1.1",
        f"Host: {host}",
        *headers,
        f"Content-Length: {len(body)}",
        "Connection: close",
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def problem_of(data: bytes) -> tuple[int, dict[str, Any]]:
    status, headers, body = raw_answer(data)
    assert headers["content-type"] == "application/problem+json", data
    found: dict[str, Any] = json.loads(body)
    assert found["status"] == status
    assert found["type"].startswith("urn:lookalike:problem:")
    assert found["title"]
    assert found["detail"]
    return status, found
