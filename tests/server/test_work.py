"""Work on requests: what it is refused for at once, who waits for whom, and that it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
import lookalike.index as index_module
from lookalike.index.query import sign
from lookalike.server import ServerLimits, bodies
from lookalike.server.lanes import Lane, Workers
from lookalike.server.problems import Problem
from tests.server.live import JSON, NDJSON, Site, read_all
from tests.server.raw import problem_of, request
from tests.server.test_limits import Gate

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from lookalike.server.lanes import QueuedJob

    Serve = Callable[..., AbstractContextManager[Site]]

# -- what is refused at once -------------------------------------------------------------------------------------------

FIELDS = ",".join(f'"k{number}":1' for number in range(800_000))
SOME = FIELDS[: FIELDS.index('"k800"') - 1]


@pytest.mark.parametrize(
    ("path", "body", "place"),
    [
        ("/v1/check", '{"text":"a",' + FIELDS + "}", ""),
        (
            "/v1/check",
            '{"documents":[' + ",".join(['{"id":"a","text":"b",' + SOME + "}"] * 1000) + "]}",
            "/documents/0",
        ),
        ("/v1/documents", '{"id":"a","text":"b",' + FIELDS + "}", ""),
        ("/v1/compare", '{"a":{"text":"a"},"b":{"text":"b",' + FIELDS + "}}", "/b"),
        ("/v1/compare", '{"a":{"id":"a",' + FIELDS + '},"b":{"text":"b"}}', "/a"),
    ],
)
def test_of_many_unknown_fields_the_first_are_named(empty: Site, path: str, body: str, place: str) -> None:
    status, problem = problem_of(empty.send_raw(request("POST", path, f"Content-Type: {JSON}", body=body.encode())))
    assert status == 422
    assert [error["field"] for error in problem["errors"]] == [f"{place}/k{number}" for number in range(3)]


def test_unknown_fields_of_a_line(empty: Site) -> None:
    answer = empty.ask("POST", "/v1/check", ('{"id":"a","text":"b",' + FIELDS + "}").encode(), {"Content-Type": NDJSON})
    assert [error["field"] for error in answer.lines[-1]["problem"]["errors"]] == ["/k0", "/k1", "/k2"]


@pytest.mark.parametrize("document", ["{}", "1", "[]", '{"id":[],"text":[]}'])
def test_of_too_many_documents_none_is_looked_at(empty: Site, document: str) -> None:
    body = ('{"documents":[' + ",".join([document] * 400_000) + "]}").encode()
    status, problem = problem_of(empty.send_raw(request("POST", "/v1/check", f"Content-Type: {JSON}", body=body)))
    assert (status, len(problem["errors"])) == (413, 1)


@pytest.mark.parametrize("value", ['[{"id": 1}]', '{"a": 1}', "7", "null", '"id"'])
def test_values_of_other_kinds_are_refused(empty: Site, value: str) -> None:
    for path, name in (("/v1/check", "documents"), ("/v1/compare", "a"), ("/v1/documents", "documents")):
        body = f'{{"{name}": {value}}}'.encode()
        status, _ = problem_of(empty.send_raw(request("POST", path, f"Content-Type: {JSON}", body=body)))
        assert status == 422


@pytest.mark.parametrize(("path", "kind"), [("/v1/check", JSON), ("/v1/documents", JSON), ("/v1/check", NDJSON)])
def test_while_a_large_body_is_parsed_others_are_answered(
    serve_memory: Serve, monkeypatch: pytest.MonkeyPatch, path: str, kind: str
) -> None:
    gate = Gate(bodies.parsed)
    monkeypatch.setattr(bodies, "parsed", gate)
    with serve_memory() as site, site.connect() as connection:
        body = b'{"id": "a", "text": "' + b"word " * 50_000 + b'"}'
        if path == "/v1/check" and kind == JSON:
            body = body.replace(b'"id": "a", ', b"")
        connection.sendall(request("POST", path, f"Content-Type: {kind}", body=body))
        assert gate.waiting.acquire(timeout=30)
        assert site.get("/v1/health").status == 200
        assert site.get("/v1/info").status == 200
        gate.open.set()
        assert read_all(connection).startswith(b"HTTP/1.1 20")


# -- who waits for whom ------------------------------------------------------------------------------------------------


def test_single_documents_do_not_wait_for_batches(serve_memory: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_memory(limits=ServerLimits(in_work=4, waiting=20)) as site, ThreadPoolExecutor(8) as pool:
        assert site.state is not None
        real = site.state.index.query
        gate = Gate(real)

        def query(documents: Any, *args: Any, **named: Any) -> Any:
            return (real if isinstance(documents, str) else gate)(documents, *args, **named)

        monkeypatch.setattr(site.state.index, "query", query)
        batch = {"documents": [{"id": name, "text": "one two three"} for name in "ab"]}
        batches = [pool.submit(site.post, "/v1/check", batch) for _ in range(6)]
        lines = [pool.submit(site.lines, "/v1/check", batch["documents"]) for _ in range(2)]
        for _ in range(2):
            assert gate.waiting.acquire(timeout=30)
        assert not gate.waiting.acquire(timeout=0.2), "the other half is for single documents"
        assert site.put("/v1/documents/c", {"text": "one two three"}).status == 201
        assert site.post("/v1/check", {"text": "one two three"}).status == 200
        assert site.post("/v1/documents", {"documents": batch["documents"][:1]}).status == 201
        assert site.get("/v1/documents/c").status == 200
        gate.open.set()
        assert {done.result(60).status for done in batches + lines} == {200}


@pytest.fixture
def held() -> Callable[..., tuple[Workers, list[Lane], threading.Event, list[QueuedJob]]]:
    """Give jobs that wait behind one that lasts, and the order in which they are done."""

    def hold(threads: int, first: Lane, *lanes: Lane) -> tuple[Workers, list[Lane], threading.Event, list[QueuedJob]]:
        workers, order, release, began = Workers(threads, 20, 60.0), [], threading.Event(), threading.Event()

        def lasts() -> None:
            began.set()
            release.wait(60)

        jobs = [workers.submit(lasts, first)]
        assert began.wait(30)
        jobs += [workers.submit(lambda lane=lane: order.append(lane), lane) for lane in lanes]  # type: ignore[misc]
        return workers, order, release, jobs

    return hold


def test_a_change_of_one_document_comes_before_batches(held: Callable[..., Any]) -> None:
    lanes = (Lane.WRITE_BATCH, Lane.WRITE_BATCH, Lane.WRITE)
    workers, order, release, jobs = held(8, Lane.WRITE_BATCH, *lanes)
    workers.submit(int, Lane.READ).future.result(30)
    workers.submit(int, Lane.BATCH).future.result(30)
    assert order == [], "one writes at a time"
    release.set()
    for job in jobs:
        job.future.result(30)
    assert order == [Lane.WRITE, Lane.WRITE_BATCH, Lane.WRITE_BATCH]
    assert workers.close(30.0)


def test_with_one_thread_the_oldest_job_comes_first(held: Callable[..., Any]) -> None:
    lanes = (Lane.BATCH, Lane.READ, Lane.WRITE, Lane.BATCH)
    workers, order, release, jobs = held(1, Lane.READ, *lanes)
    release.set()
    for job in jobs:
        job.future.result(30)
    assert tuple(order) == lanes
    assert workers.close(30.0)


def test_jobs_that_nobody_waits_for_take_no_place(held: Callable[..., Any]) -> None:
    workers, order, release, jobs = held(1, Lane.READ, *[Lane.READ] * 20)
    with pytest.raises(Problem, match="too many requests are waiting"):
        workers.submit(int)
    jobs[5].abandon()
    last = workers.submit(lambda: 7)
    release.set()
    assert last.future.result(30) == 7
    assert len(order) == 19
    assert workers.close(30.0)
    with pytest.raises(Problem, match="shutting down"):
        workers.submit(int)


# -- the end of work ---------------------------------------------------------------------------------------------------


def endless(site: Site, ended: threading.Event, began: threading.Event | None = None) -> Callable[..., Any]:
    """Return work that has no end of its own."""

    def query(*_: Any, **__: Any) -> Any:
        assert site.state is not None
        if began is not None:
            began.set()
        try:
            while True:
                site.state.check()
                time.sleep(0.01)
        finally:
            ended.set()

    return query


@pytest.mark.parametrize("value", [{"text": "a"}, {"documents": [{"id": "a", "text": "b"}, {"id": "c", "text": "d"}]}])
def test_work_ends_when_its_time_is_over(serve_memory: Serve, monkeypatch: pytest.MonkeyPatch, value: Any) -> None:
    with serve_memory(limits=ServerLimits(in_work=1, waiting=1, seconds=0.5)) as site:
        assert site.state is not None
        ended = threading.Event()
        with monkeypatch.context() as patched:
            patched.setattr(site.state.index, "query", endless(site, ended))
            assert site.post("/v1/check", value).status == 504
            assert ended.wait(30)
        until = time.monotonic() + 30
        while site.post("/v1/check", value).status != 200:  # the only thread is free again
            assert time.monotonic() < until


@pytest.mark.parametrize("path", ["/v1/documents", "/v1/add-unless-similar"])
def test_a_change_that_comes_too_late_is_rolled_back(serve: Serve, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """Even if it began in time: the server has said that it was not done."""
    with serve(limits=ServerLimits(seconds=1.0)) as site:
        real = sign

        def slow(*args: Any) -> Any:
            time.sleep(1.5)
            return real(*args)

        with monkeypatch.context() as patched:
            patched.setattr(index_module, "sign", slow)
            sent = {"documents": [{"id": name, "text": f"the text of {name}"} for name in ("a", "b")]}
            assert site.post(path, sent).status == 504
        assert site.put("/v1/documents/c", {"text": "one change at a time"}).status == 201
        assert [one["id"] for one in site.get("/v1/documents").json["documents"]] == ["c"]


def test_work_ends_soon_after_the_server_was_told_to(serve_memory: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_memory(limits=ServerLimits(seconds=600.0)) as site, ThreadPoolExecutor(1) as pool:
        assert site.state is not None
        ended, began = threading.Event(), threading.Event()
        monkeypatch.setattr(site.state.index, "query", endless(site, ended, began))
        answer = pool.submit(site.post, "/v1/check", {"text": "a"})
        assert began.wait(30)
        site.state._workers.end(0.5)
        assert answer.result(60).status == 503
        assert ended.is_set()


def test_a_computation_that_cannot_be_interrupted_does_not_hold_up_the_end(tmp_path: Path) -> None:
    """Nor does it meet an interpreter that is gone."""
    la.Index.open(tmp_path / "index.db", create=True).close()
    program = """
import sys, time
from lookalike.server import server_state
server_state.found_within = lambda *_: print("computing", flush=True) or time.sleep(600)
server_state._CLOSING = 0.5
from lookalike.cli import main
sys.exit(main(sys.argv[1:]))
"""
    command = [sys.executable, "-c", program, "serve", str(tmp_path / "index.db"), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        site = Site(int(process.stdout.readline().rstrip("/\n").rpartition(":")[2]))
        try:
            with ThreadPoolExecutor(1) as pool:
                asked = pool.submit(site.get, "/v1/groups")
                assert process.stdout.readline() == "computing\n"
                process.send_signal(signal.SIGTERM)
                assert asked.result(60).status == 503
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0
    assert '"event": "end"' in errors
