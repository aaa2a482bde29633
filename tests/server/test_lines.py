"""Streams of lines: what is acknowledged, and what ends them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lookalike.server import ServerLimits
from lookalike.server.bodies import LineSplitter
from lookalike.server.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from tests.server.live import Site

    Serve = Callable[..., AbstractContextManager[Site]]


def documents(count: int) -> list[dict[str, str]]:
    return [{"id": f"d{number}", "text": f"the text of document number {number}"} for number in range(count)]


def test_batches_are_acknowledged_one_after_the_other(serve: Serve) -> None:
    with serve(limits=ServerLimits(batch=10)) as site:
        answer = site.lines("/v1/documents", documents(25))
        assert answer.status == 200
        assert answer.headers["content-type"] == "application/x-ndjson"
        assert [line["acknowledged"] for line in answer.lines] == [10, 20, 25]
        assert answer.lines[-1] == {"acknowledged": 25, "added": 25, "unchanged": 0}
        assert site.lines("/v1/documents", documents(30)).lines[-1] == {"acknowledged": 30, "added": 5, "unchanged": 25}


def test_what_was_acknowledged_before_an_error_stays(serve: Serve) -> None:
    with serve(limits=ServerLimits(batch=10)) as site:
        sent: list[Any] = documents(25)
        sent[17] = {"id": "d17", "txt": "wrong"}
        *before, last = site.lines("/v1/documents", sent).lines
        assert [line["acknowledged"] for line in before] == [10]
        assert last["acknowledged"] == 10
        assert last["problem"]["status"] == 422
        assert last["problem"]["detail"].startswith("line 18: ")
        assert site.get("/v1/info").json["documents"] == 10
        site.put("/v1/documents/d12", {"text": "another text"})
        *_, last = site.lines("/v1/documents", documents(25)).lines
        assert last["problem"]["status"] == 409
        assert [error["id"] for error in last["problem"]["errors"]] == ["d12"]


def test_an_empty_stream_and_blank_lines(site: Site) -> None:
    headers = {"Content-Type": "application/x-ndjson"}
    assert site.ask("POST", "/v1/documents", b"", headers).lines == [{"acknowledged": 0, "added": 0, "unchanged": 0}]
    body = b'\n{"id": 1, "text": "a"}\r\n\n  \n{"id": 2, "text": "b"}'
    assert site.ask("POST", "/v1/documents", body, headers).lines[-1]["added"] == 2


@pytest.mark.parametrize("path", ["/v1/documents", "/v1/check"])
@pytest.mark.parametrize(
    ("line", "status"),
    [
        (b"oops", 400),
        (b'{"id": "a"', 400),
        (b"[1, 2]", 422),
        (b'{"id": 1.5, "text": "a"}', 422),
        (b'{"id": true, "text": "a"}', 422),
        (b'{"id": 9223372036854775808, "text": "a"}', 422),
        (b'{"id": "a", "text": null}', 422),
        (b'{"id": "a", "text": "b", "path": "/etc/passwd"}', 422),
        (b'{"id": "\xff", "text": "b"}', 400),
        (b"[" * 100_000, 400),
    ],
)
def test_a_bad_line_ends_the_stream(site: Site, path: str, line: bytes, status: int) -> None:
    answer = site.ask("POST", path, line + b"\n", {"Content-Type": "application/x-ndjson"})
    assert answer.status == 200
    assert answer.lines[-1]["problem"]["status"] == status
    assert site.get("/v1/health").status == 200


def test_a_client_may_wait_for_each_answer(site: Site) -> None:
    """Lines are worked on when no more come for a moment: nobody has to fill a batch, or to end the stream."""
    head = "POST /v1/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
    with site.connect() as connection:
        connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        with connection.makefile("rb") as answers:
            seen = []
            for document in documents(3):
                line = json.dumps(document).encode() + b"\n"
                connection.sendall(b"%x\r\n%s\r\n" % (len(line), line))
                while not (read := answers.readline()).startswith(b"{"):
                    assert read
                seen.append(json.loads(read)["acknowledged"])
            connection.sendall(b"0\r\n\r\n")
    assert seen == [1, 2, 3]


def test_a_line_that_is_too_long_is_refused_before_it_is_held() -> None:
    lines = LineSplitter(10)
    assert lines.feed(b"12345\n678") == [(1, b"12345")]
    with pytest.raises(Problem, match="line 2 is longer than 10 bytes"):
        lines.feed(b"x" * 8)


def test_lines_may_come_in_any_pieces() -> None:
    data = b'{"a": 1}\n\n{"b": 2}\r\n{"c": 3}'
    for size in range(1, len(data)):
        lines = LineSplitter(100)
        found = [line for start in range(0, len(data), size) for line in lines.feed(data[start : start + size])]
        assert found + lines.end() == [(1, b'{"a": 1}'), (3, b'{"b": 2}'), (4, b'{"c": 3}')]


def test_a_long_line_over_the_network(serve_memory: Serve) -> None:
    with serve_memory(limits=ServerLimits(line=10_000)) as site:
        answer = site.lines("/v1/documents", [{"id": "a", "text": "short"}, {"id": "b", "text": "x" * 20_000}])
        assert answer.lines[-1]["problem"]["status"] == 413
