"""Time, connections and threads: who takes too much gets an answer that says so."""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from lookalike.index.index_documents import found_within
from lookalike.server import ServerLimits, server_state, serving
from tests.server.live import raw_answer, read_all
from tests.server.raw import request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from tests.server.live import Site

    Serve = Callable[..., AbstractContextManager[Site]]

HEAD = "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def test_slow_headers_are_cut_off(serve_memory: Serve) -> None:
    with serve_memory(limits=ServerLimits(header_seconds=1.0)) as site:
        for beginning in (b"", b"GET /v1/health HTTP/1.1\r\n"):
            with site.connect() as connection:
                connection.sendall(beginning)
                began = time.monotonic()
                answer = read_all(connection)
                assert time.monotonic() - began < 20
                assert raw_answer(answer)[0] == 408


def test_an_idle_connection_makes_place_for_another(serve_memory: Serve) -> None:
    """Clients that ask for nothing more must not keep others out, however many connections they leave open."""
    alive = request("GET", "/v1/health").replace(b"Connection: close\r\n", b"")
    with serve_memory(limits=ServerLimits(connections=3)) as site, ExitStack() as opened:
        for _ in range(12):
            connection = opened.enter_context(site.connect())
            connection.sendall(alive)
            assert connection.recv(4096).startswith(b"HTTP/1.1 200")
        assert site.get("/v1/ready").status == 200


def test_bytes_now_and_then_do_not_stop_the_clock(serve_memory: Serve) -> None:
    with serve_memory(limits=ServerLimits(header_seconds=1.0)) as site, site.connect() as connection:
        connection.settimeout(0.05)
        began = time.monotonic()
        answer = b""
        connection.sendall(b"GET / HTTP/1.1\r\nX: ")
        while time.monotonic() - began < 20:
            try:
                connection.sendall(b"x")
                answer += connection.recv(4096)
                break
            except TimeoutError:
                continue
            except ConnectionError:
                break
        assert time.monotonic() - began < 15


def test_the_clock_runs_for_every_request_of_a_connection(serve_memory: Serve) -> None:
    with serve_memory(limits=ServerLimits(header_seconds=1.0)) as site, site.connect() as connection:
        connection.sendall(b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        connection.sendall(b"GET /v1/health HTTP/1.1\r\nHost: ")
        began = time.monotonic()
        assert b"HTTP/1.1 408 " in read_all(connection)
        assert time.monotonic() - began < 20


def test_a_body_that_stops_is_cut_off(serve_memory: Serve) -> None:
    with serve_memory(limits=ServerLimits(body_seconds=1.0)) as site:
        for beginning in ("Content-Length: 100\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"):
            with site.connect() as connection:
                connection.sendall((HEAD + beginning).encode())
                began = time.monotonic()
                answer = read_all(connection)
                assert raw_answer(answer)[0] == 408
                assert time.monotonic() - began < 20
        with site.connect() as connection:  # a stream ends with a problem
            lines = HEAD.replace("application/json", "application/x-ndjson")
            connection.sendall(f"{lines}Transfer-Encoding: chunked\r\n\r\n1\r\n{{\r\n".encode())
            assert b"urn:lookalike:problem:timeout" in read_all(connection)


def test_a_body_that_trickles_is_cut_off(serve_memory: Serve) -> None:
    with serve_memory(limits=ServerLimits(body_seconds=1.0)) as site, site.connect() as connection:
        connection.sendall(f"{HEAD}Content-Length: 1000\r\n\r\n".encode())
        connection.settimeout(0.2)
        began = time.monotonic()
        answer = b""
        while not answer and time.monotonic() - began < 20:
            try:
                connection.sendall(b" ")
                answer = connection.recv(4096)
            except TimeoutError:
                continue
        assert raw_answer(answer)[0] == 408


def test_one_connection_too_many_is_told_so(serve_memory: Serve) -> None:
    with serve_memory(limits=ServerLimits(connections=8, header_seconds=60.0)) as site:
        held = [site.connect() for _ in range(8)]
        try:
            for connection in held:
                connection.sendall(b"GET /v1/health HTTP/1.1\r\n")
            answer = site.send_raw(b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            status, headers, _ = raw_answer(answer)
            assert status == 503
            assert headers["retry-after"] == "1"
        finally:
            for connection in held:
                connection.close()
        until = time.monotonic() + 20
        while site.get("/v1/health").status != 200:
            assert time.monotonic() < until
            time.sleep(0.05)


@pytest.fixture
def begin() -> Iterator[Callable[..., list[socket.socket]]]:
    """Give what opens connections from an address of this machine, with headers that do not end."""
    with ExitStack() as stack:

        def some(site: Site, count: int, address: str) -> list[socket.socket]:
            there = (site.host, site.port)
            new = [
                stack.enter_context(socket.create_connection(there, timeout=30, source_address=(address, 0)))
                for _ in range(count)
            ]
            for connection in new:
                connection.sendall(b"GET /v1/health HTTP/1.1\r\n")
            return new

        yield some


def answered(connection: socket.socket) -> bool:
    """Tell whether there is an answer within a moment."""
    return bool(select.select([connection], [], [], 0.2)[0])


def test_one_address_cannot_take_all_connections(
    serve_memory: Serve, monkeypatch: pytest.MonkeyPatch, begin: Callable[..., list[socket.socket]]
) -> None:
    monkeypatch.setattr(serving, "is_loopback", lambda address: address == "127.0.0.1")
    limits = ServerLimits(connections=16, beginning=4, header_seconds=60.0)
    with serve_memory(limits=limits) as site:
        connections = begin(site, 30, "127.0.0.2")
        for connection in connections[4:20]:
            status, headers, _ = raw_answer(read_all(connection))
            assert (status, headers["retry-after"]) == (503, "1")
        assert site.get("/v1/health").status == 200
        # Whole headers make room, and so does an end.
        connections[0].sendall(b"Host: localhost\r\n\r\n")
        assert connections[0].recv(65536).startswith(b"HTTP/1.1 200")
        connections[1].close()
        until = time.monotonic() + 20
        while len([one for one in begin(site, 2, "127.0.0.2") if not answered(one)]) < 2:
            assert time.monotonic() < until
        # A connection that had an answer may not begin one request too many either.
        connections[0].sendall(b"GET /v1/health HTTP/1.1\r\n")
        assert b"HTTP/1.1 503 " in read_all(connections[0])


def test_this_machine_may_take_all_connections(serve_memory: Serve, begin: Callable[..., list[socket.socket]]) -> None:
    """Behind a proxy, all clients have its address."""
    with serve_memory(limits=ServerLimits(connections=12, beginning=2, header_seconds=60.0)) as site:
        assert not any(answered(connection) for connection in begin(site, 10, "127.0.0.1"))
        assert site.get("/v1/health").status == 200


def test_sixty_four_connections_by_default() -> None:
    limits = ServerLimits()
    assert (limits.connections, limits.in_work, limits.waiting) == (64, 16, 64)
    assert (limits.seconds, limits.header_seconds, limits.body_seconds) == (30.0, 10.0, 30.0)
    assert (limits.body, limits.line, limits.batch, limits.top) == (10_000_000, 10_000_000, 1000, 1000)


class Gate:
    """Work that lasts until it is let go."""

    def __init__(self, real: Callable[..., Any]) -> None:
        self._real = real
        self.open = threading.Event()
        self.waiting = threading.Semaphore(0)

    def __call__(self, *args: Any, **named: Any) -> Any:
        self.waiting.release()
        assert self.open.wait(60)
        return self._real(*args, **named)


def sent(site: Site, count: int, body: bytes) -> list[socket.socket]:
    """Send a check on each of some connections, without waiting for answers."""
    connections = [site.connect() for _ in range(count)]
    for connection in connections:
        connection.sendall(request("POST", "/v1/check", "Content-Type: application/json", body=body))
    return connections


def test_when_too_many_wait_the_next_is_refused(serve_memory: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_memory(limits=ServerLimits(in_work=2, waiting=3)) as site:
        assert site.state is not None
        gate = Gate(site.state.index.query)
        monkeypatch.setattr(site.state.index, "query", gate)
        waiting = sent(site, 12, b'{"text": "a"}')
        refused: list[socket.socket] = []
        until = time.monotonic() + 30
        while len(refused) < 7:  # the five others are in work, or wait
            assert time.monotonic() < until
            ready, _, _ = select.select(waiting, [], [], 1.0)
            refused += ready
            waiting = [one for one in waiting if one not in ready]
        for connection in refused:
            status, headers, _ = raw_answer(read_all(connection))
            assert (status, headers["retry-after"]) == (503, "1")
        assert site.get("/v1/health").status == 200  # which needs no thread
        gate.open.set()
        assert [raw_answer(read_all(connection))[0] for connection in waiting] == [200] * 5
        assert site.post("/v1/check", {"text": "a"}).status == 200
        for connection in refused + waiting:
            connection.close()


def test_work_that_takes_too_long_is_answered(serve_memory: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where it cannot be interrupted."""
    with serve_memory(limits=ServerLimits(in_work=2, seconds=0.5)) as site:
        assert site.state is not None
        gate = Gate(site.state.index.query)
        monkeypatch.setattr(site.state.index, "query", gate)
        late = site.post("/v1/check", {"text": "a"})
        assert late.status == 504
        assert late.json["type"] == "urn:lookalike:problem:deadline"
        gate.open.set()
        until = time.monotonic() + 30
        while site.post("/v1/check", {"text": "a"}).status != 200:
            assert time.monotonic() < until
            time.sleep(0.01)


def test_sixteen_clients_at_once_get_whole_answers(serve: Serve) -> None:
    def text(number: int, client: int) -> str:
        return " ".join(f"w{client}x{number}y{place}" for place in range(30))

    def work(site: Site, client: int) -> None:
        for number in range(8):
            id = f"c{client}-{number}"
            assert site.post("/v1/documents", {"id": id, "text": text(number, client)}).json == {
                "added": 1,
                "unchanged": 0,
            }
            found = site.post("/v1/check", {"text": text(number, client)}).json
            assert [hit["id"] for hit in found["hits"]] == [id]
            assert site.get(f"/v1/documents/{id}").json["text"] == text(number, client)

    with serve() as site, ThreadPoolExecutor(16) as pool:
        for done in [pool.submit(work, site, client) for client in range(16)]:
            done.result(120)
        assert site.get("/v1/info").json["documents"] == 128
        assert json.loads(site.get("/v1/documents?limit=1000").body)["total"] == 128


def test_one_computation_of_all_pairs_serves_everybody(serve_memory: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    real = found_within

    def counted(*args: Any) -> Any:
        made.append(args)
        time.sleep(0.3)
        return real(*args)

    monkeypatch.setattr(server_state, "found_within", counted)
    with serve_memory() as site, ThreadPoolExecutor(8) as pool:
        site.post("/v1/documents", {"documents": [{"id": name, "text": "one two three four"} for name in "abc"]})
        for done in [pool.submit(site.get, path) for path in ("/v1/groups", "/v1/pairs", "/v1/histogram") * 2]:
            assert done.result(60).status == 200
        assert len(made) == 1
        site.put("/v1/documents/d", {"text": "one two three four"})
        assert site.get("/v1/groups").json["groups"][0]["size"] == 4
        assert len(made) == 2


def test_pairs_that_take_too_long_are_made_in_the_end(serve_memory: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(found_within)
    monkeypatch.setattr(server_state, "found_within", gate)
    with serve_memory(limits=ServerLimits(seconds=0.5)) as site:
        late = site.get("/v1/groups")
        assert (late.status, late.headers["retry-after"]) == (503, "2")
        gate.open.set()
        until = time.monotonic() + 30
        while site.get("/v1/groups").status != 200:
            assert time.monotonic() < until
            time.sleep(0.05)
