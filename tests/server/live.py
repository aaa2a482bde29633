"""Servers for the tests: in a thread of this process, or in a child as `lookalike serve` runs one."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from lookalike.server import ServerLimits, ServerSettings
from lookalike.server.server_state import ServerState
from lookalike.server.serving import listening, server_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from lookalike.index.contract import Store

__all__ = ["Answer", "Site", "child", "in_thread", "raw_answer"]

JSON = "application/json"
NDJSON = "application/x-ndjson"


@dataclass
class Answer:
    """What a server said."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.body.splitlines()]


@dataclass
class Site:
    """A running server, as a client sees it."""

    port: int
    host: str = "127.0.0.1"
    token: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    state: ServerState | None = None
    process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Send a request on a connection of its own."""
        sent = {**self.headers, **({"Authorization": f"Bearer {self.token}"} if self.token else {}), **(headers or {})}
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def get(self, path: str, **parameters: Any) -> Answer:
        return self.ask("GET", path + (f"?{urlencode(parameters)}" if parameters else ""))

    def post(self, path: str, value: Any, headers: Mapping[str, str] | None = None) -> Answer:
        return self.ask("POST", path, json.dumps(value).encode(), {"Content-Type": JSON, **(headers or {})})

    def put(self, path: str, value: Any) -> Answer:
        return self.ask("PUT", path, json.dumps(value).encode(), {"Content-Type": JSON})

    def lines(self, path: str, values: list[Any]) -> Answer:
        body = b"".join(json.dumps(value).encode() + b"\n" for value in values)
        return self.ask("POST", path, body, {"Content-Type": NDJSON})

    def document(self, id: str | int) -> str:
        """Return the address of a document."""
        return f"/v1/documents/{quote(str(id), safe='')}"

    def connect(self) -> socket.socket:
        """Return a bare connection."""
        return socket.create_connection((self.host, self.port), timeout=30)

    def send_raw(self, data: bytes) -> bytes:
        """Send bytes as they are; return all that comes back until the server closes."""
        with self.connect() as connection:
            connection.sendall(data)
            return read_all(connection)


def read_all(connection: socket.socket) -> bytes:
    """Read until the other side closes."""
    found = bytearray()
    while True:
        try:
            data = connection.recv(65536)
        except ConnectionError:
            break
        if not data:
            break
        found += data
    return bytes(found)


def raw_answer(data: bytes) -> tuple[int, dict[str, str], bytes]:
    """Take an answer apart."""
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return int(first.split()[1]), headers, body


@contextmanager
def in_thread(
    store: Store, again: Callable[[], Store] | None = None, limits: ServerLimits | None = None, **settings: Any
) -> Iterator[Site]:
    """Serve a store from a thread."""
    told = ServerSettings(port=0, limits=limits or ServerLimits(), **settings)
    state = ServerState(store, told, again)
    listener = listening(told)
    server = server_of(state)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield Site(listener.getsockname()[1], told.host, state=state)
    finally:
        state.end()
        server.should_exit = True
        thread.join(60)
        listener.close()
        assert not thread.is_alive()


@contextmanager
def child(where: str | Path, *options: str, log: Path | None = None, cwd: Path | None = None) -> Iterator[Site]:
    """Run `lookalike serve` as a process of its own; what it logs goes to a file."""
    command = [sys.executable, "-m", "lookalike", "serve", str(where), "--port", "0", *options]
    with (log or Path(os.devnull)).open("a") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=cwd)
    with process:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line.startswith("Serving at http://"):
            process.kill()
            raise AssertionError(f"no address: {line!r}")
        port = int(line.rstrip("/\n").rpartition(":")[2])
        try:
            yield Site(port, process=process)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(60)
                finally:
                    process.kill()
