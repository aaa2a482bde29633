"""Servers on this machine for the tests of remote files: an object store, and a web server that can be told to fail."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# In a process of its own: it loads half of the web, and its warnings are not ours.
_STORE = """
import logging, sys
from moto.server import ThreadedMotoServer
logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print("%s:%d" % server.get_host_and_port(), flush=True)
sys.stdin.read()
"""


@contextmanager
def object_store() -> Iterator[str]:
    """Start an object store; give its address."""
    command = [sys.executable, "-c", _STORE]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            yield f"http://{child.stdout.readline().strip()}"
        finally:
            child.stdin.close()
            child.kill()


@dataclass
class Site:
    """A web site: what it has, and what was asked of it."""

    address: str
    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    status: dict[str, int] = field(default_factory=dict)
    """Paths that are answered with an error."""
    silent: set[str] = field(default_factory=set)
    """Paths of which the length is not told."""
    broken: set[str] = field(default_factory=set)
    """Paths of which half is sent."""
    sizes: dict[str, int] = field(default_factory=dict)
    """Paths of files that are made of one letter, and how long they are."""
    stuck: threading.Event = field(default_factory=threading.Event)
    """Set when somebody asks for /stuck, which begins and never ends."""
    over: threading.Event = field(default_factory=threading.Event)


def _handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, *, body: bool) -> None:
            site.asked.append(f"{self.command} {self.path}")
            path = self.path.partition("?")[0]
            if path in site.sizes or path == "/stuck":
                self._long(site.sizes.get(path, 1 << 20), body=body, ends=path != "/stuck")
                return
            status = site.status.get(path) or (200 if path in site.files else 404)
            data = site.files.get(path, b"") if status == 200 else b""
            start, end = self._range(len(data))
            part = data[start:end]
            self.send_response(206 if status == 200 and len(part) < len(data) else status)
            if path not in site.silent:
                self.send_header("Content-Length", str(len(part)))
                self.send_header("Accept-Ranges", "bytes")
            if len(part) < len(data):
                self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(data)}")
            self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()[:16]}"')
            self.send_header("Last-Modified", "Mon, 01 Jun 2026 12:00:00 GMT")
            self.end_headers()
            if body:
                self.wfile.write(part[: len(part) // 2] if path in site.broken else part)

        def _long(self, size: int, *, body: bool, ends: bool) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(size))
            self.end_headers()
            if body and not ends:
                self.wfile.write(b"x")
                self.wfile.flush()
                site.stuck.set()
                site.over.wait()
            elif body:
                for _ in range(size >> 20):
                    self.wfile.write(b"x" * (1 << 20))

        def _range(self, size: int) -> tuple[int, int]:
            asked = self.headers.get("Range", "")
            if not asked.startswith("bytes="):
                return 0, size
            first, _, last = asked.removeprefix("bytes=").partition("-")
            return int(first or 0), min(size, int(last) + 1 if last else size)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 — as it is called there
            pass

    return Handler


@contextmanager
def web_site() -> Iterator[Site]:
    """Start a web server that knows ranges."""
    site = Site("")
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(site))
    server.daemon_threads = True
    site.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        site.over.set()
        server.shutdown()
        server.server_close()
        thread.join()
