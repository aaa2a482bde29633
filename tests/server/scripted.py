"""A server that answers as it is told, and notes what it was asked."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Answer", "Asked", "Scripted", "problem", "scripted"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer."""

    status: int = 200
    value: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    """In the place of the value."""
    hang_up: bool = False
    """Close the connection instead of answering."""

    def content(self) -> bytes:
        return json.dumps(self.value).encode() if self.body is None else self.body


def problem(
    status: int, detail: str = "it is so", errors: list[dict[str, Any]] | None = None, **headers: str
) -> Answer:
    """Return an answer that is a problem document."""
    value = {
        "type": "urn:lookalike:problem:x",
        "title": "x",
        "status": status,
        "detail": detail,
        "errors": errors or [],
    }
    return Answer(status, value, {name.replace("_", "-"): said for name, said in headers.items()})


@dataclass(frozen=True, slots=True)
class Asked:
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Scripted:
    """The answers that are left, and the requests that came."""

    def __init__(self, url: str, answers: list[Answer]) -> None:
        self.url = url
        self.answers = answers
        self.asked: list[Asked] = []


@contextmanager
def scripted(*answers: Answer) -> Iterator[Scripted]:
    """Answer one request after the other; the last answer is repeated."""
    left = list(answers)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _do(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            script.asked.append(Asked(self.command, self.path, dict(self.headers.items()), body))
            answer = left.pop(0) if len(left) > 1 else left[0]
            if answer.hang_up:
                self.close_connection = True
                return
            content = answer.content()
            self.send_response(answer.status)
            for name, said in {"Content-Length": str(len(content)), **answer.headers}.items():
                self.send_header(name, said)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_DELETE = _do  # noqa: N815 — as http.server wants it

        def log_message(self, *said: Any) -> None:
            """Be quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    script = Scripted(f"http://127.0.0.1:{server.server_address[1]}", left)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()
