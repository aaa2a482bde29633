"""`lookalike serve`: what it prints, what it refuses to start with, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.cli import main
from tests.index.postgres import server
from tests.server.live import Site, child

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FOX = "the quick brown fox jumps over the lazy dog"


@pytest.fixture
def refused(built: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run the command, which must not start a server; return what it complains about."""

    def run(*options: str) -> str:
        monkeypatch.chdir(built.parent)
        assert main(["serve", *options]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert "Traceback" not in said.err
        return said.err

    return run


def tokens(folder: Path) -> str:
    path = folder / "tokens.txt"
    path.write_text(f"read {'r' * 40}\nwrite {'w' * 40}\n")
    path.chmod(0o600)
    return str(path)


def test_it_prints_its_address_and_answers(built: Path) -> None:
    with child(built) as site:
        assert site.port > 0
        assert [hit["id"] for hit in site.post("/v1/check", {"text": FOX}).json["hits"]] == ["fox"]
        assert site.process is not None
        site.process.send_signal(signal.SIGTERM)
        assert site.process.wait(30) == 0


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "essays.example", ""])
def test_other_addresses_need_tokens(refused: Callable[..., str], host: str) -> None:
    assert "make tokens: --make-tokens FILE" in refused("built.db", "--host", host, "--port", "0")


def test_with_tokens_it_listens_to_others(built: Path) -> None:
    with child(
        built, "--host", "0.0.0.0", "--token-file", tokens(built.parent), "--allow-host", "essays.example"
    ) as site:
        assert site.get("/v1/info").status == 401
        site.token = "r" * 40
        assert site.ask("GET", "/v1/info", headers={"Host": "essays.example"}).status == 200
        assert site.ask("GET", "/v1/info", headers={"Host": "0.0.0.0"}).status == 403


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "INDEX must be given"),
        (("missing.db",), "missing.db does not exist; check the name, or make it: lookalike index build"),
        ((":memory:",), "is lost when a command ends"),
        (("built.db", "--port", "70000"), "--port must be a whole number from 0 to 65535"),
        (("built.db", "--port", "x"), "--port must be"),
        (("built.db", "--workers", "0"), "--workers must be"),
        (("built.db", "--max-batch", "0"), "--max-batch must be"),
        (("built.db", "--max-body", "much"), "--max-body must be a size"),
        (("built.db", "--token-file", "nowhere"), "nowhere cannot be opened"),
        (("built.db", "--token-file", "a", "--make-tokens", "b"), "--make-tokens cannot be used with --token-file"),
    ],
)
def test_what_it_does_not_start_with(
    refused: Callable[..., str], tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    assert said in refused(*options)
    assert not (tmp_path / "missing.db").exists()


def test_a_port_that_is_taken(refused: Callable[..., str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert "must be a free address of this machine" in refused("built.db", "--port", str(port))


def test_options_set_the_limits(built: Path) -> None:
    options = ("--max-body", "5kB", "--max-batch", "7", "--max-connections", "9", "--max-in-work", "3")
    with child(built, *options, "--max-waiting", "4", "--max-seconds", "11", "--read-only") as site:
        limits = site.get("/v1/info").json["limits"]
        assert (limits["body"], limits["line"], limits["batch"], limits["connections"]) == (5000, 5000, 7, 9)
        assert (limits["in_work"], limits["waiting"], limits["seconds"]) == (3, 4, 11)
        assert site.put("/v1/documents/a", {"text": "x"}).status == 403


def test_without_the_extra_it_says_what_to_install(built: Path) -> None:
    program = "import sys; sys.modules['uvicorn'] = None; from lookalike.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", program, "serve", str(built)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "pip install '.[server]'" in done.stderr


def test_the_help_loads_no_framework() -> None:
    program = """
import sys
from lookalike.cli import main
try:
    main(['serve', '--help'])
except SystemExit:
    pass
print(*sorted({'fastapi', 'uvicorn', 'pydantic', 'prometheus_client', 'starlette'} & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.split() == []
    assert "--make-tokens" in done.stdout


# -- the end -----------------------------------------------------------------------------------------------------------


def add_until_refused(site: Site, client: int, safe: list[str], begun: threading.Event) -> None:
    """Add documents one by one; note those that were acknowledged."""
    for number in range(100_000):
        id = f"{client}-{number}"
        try:
            answer = site.post("/v1/documents", {"id": id, "text": f"text of {id} with some words"})
        except OSError:
            return
        if answer.status != 201:
            return
        safe.append(id)
        begun.set()


def stream_until_refused(site: Site, safe: list[str]) -> Any:
    """Send lines for as long as the server takes them; return the last line of its answer."""
    head = "POST /v1/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
    last: Any = None
    with site.connect() as connection, connection.makefile("rb") as answers:
        connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        for number in range(100_000):
            line = json.dumps({"id": f"line-{number}", "text": f"line {number} of a stream"}).encode() + b"\n"
            try:
                connection.sendall(b"%x\r\n%s\r\n" % (len(line), line))
            except OSError:
                return last
            while read := answers.readline():
                if read.startswith(b"{"):
                    last = json.loads(read)
                    break
            if not read or "problem" in last:
                return last
            safe[:] = [f"line-{place}" for place in range(last["acknowledged"])]
    return last


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_end_it_loses_nothing_that_it_acknowledged(tmp_path: Path, kind: str, number: int) -> None:
    where = str(tmp_path / "end.db") if kind == "sqlite" else server().new_schema()
    la.Index.open(where, create=True).close()
    safe: list[list[str]] = [[] for _ in range(4)]
    lines: list[str] = []
    begun = threading.Event()
    with child(where) as site, ThreadPoolExecutor(5) as pool:
        adding = [pool.submit(add_until_refused, site, client, safe[client], begun) for client in range(4)]
        streaming = pool.submit(stream_until_refused, site, lines)
        assert begun.wait(60)
        until = time.monotonic() + 60
        while not lines:
            assert time.monotonic() < until
            time.sleep(0.01)
        assert site.process is not None
        site.process.send_signal(number)
        assert site.process.wait(60) == 0
        for one in adding:
            one.result(60)
        last = streaming.result(60)
    assert last["problem"]["status"] == 503
    assert last["acknowledged"] == len(lines)
    acknowledged = {id for ids in safe for id in ids} | set(lines)
    with la.Index.open(where) as index:
        assert acknowledged <= set(index.ids())
        assert index.verify().ok


def test_a_request_that_is_being_worked_on_is_answered(built: Path) -> None:
    texts = [{"id": f"d{place}", "text": " ".join(f"w{place}x{word}" for word in range(400))} for place in range(900)]
    with child(built) as site, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(site.post, "/v1/documents", {"documents": texts})
        time.sleep(0.05)
        assert site.process is not None
        site.process.send_signal(signal.SIGTERM)
        try:
            done = answer.result(60)
        except ConnectionError:  # it came too late to be taken
            done = None
        assert site.process.wait(60) == 0
    with la.Index.open(built) as index:
        assert len(index) in ((902,) if done is not None else (2, 902))
    if done is not None:
        assert (done.status, done.json) == (201, {"added": 900, "unchanged": 0})


# -- several processes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_several_processes_serve_one_index(tmp_path: Path, kind: str) -> None:
    where = str(tmp_path / "many.db") if kind == "sqlite" else server().new_schema()
    la.Index.open(where, create=True).close()
    log = tmp_path / "log"
    with child(where, "--workers", "2", log=log) as site, ThreadPoolExecutor(8) as pool:
        sent = [
            pool.submit(site.put, f"/v1/documents/d{place}", {"text": f"text number {place}"}) for place in range(40)
        ]
        assert {one.result(60).status for one in sent} == {201}
        assert site.get("/v1/documents").json["total"] == 40
        assert site.process is not None
        workers = _children(site.process.pid)
        assert len(workers) == 2
        os.kill(workers[0], signal.SIGKILL)
        until = time.monotonic() + 60
        while len([one for one in _children(site.process.pid) if one != workers[0]]) < 2:
            assert time.monotonic() < until
            time.sleep(0.05)
        assert site.get("/v1/documents").json["total"] == 40
        site.process.send_signal(signal.SIGTERM)
        assert site.process.wait(60) == 0
        assert "worker-died" in log.read_text()


def _children(pid: int) -> list[int]:
    with open(f"/proc/{pid}/task/{pid}/children") as file:  # noqa: PTH123
        return [int(one) for one in file.read().split()]
