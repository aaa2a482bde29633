"""What may be sent: bodies of other forms and sizes, and the problems that name what is wrong with them."""

from __future__ import annotations

import contextlib
import gzip
import time
from typing import TYPE_CHECKING, Any

import pytest

from lookalike.server import ServerLimits
from tests.server.live import read_all
from tests.server.raw import problem_of, request

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from tests.server.live import Site

    Serve = Callable[..., AbstractContextManager[Site]]

HEAD = "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


# -- fields ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "field", "status"),
    [
        ({}, "/text", 422),
        ({"text": 7}, "/text", 422),
        ({"text": "a", "top": "3"}, "/top", 422),
        ({"text": "a", "top": 1001}, "/top", 422),
        ({"text": "a", "top": True}, "/top", 422),
        ({"text": "a", "threshold": 1.5}, "/threshold", 422),
        ({"text": "a", "file": "/etc/passwd"}, "/file", 422),
        ({"documents": []}, "/documents", 422),
        ({"documents": [{"id": "a", "text": "b"}, {"id": "c"}]}, "/documents/1/text", 422),
        ({"documents": [{"id": ["a"], "text": "b"}]}, "/documents/0/id", 422),
    ],
)
def test_a_problem_names_the_field(empty: Site, sent: dict[str, Any], field: str, status: int) -> None:
    answer = empty.post("/v1/check", sent)
    assert answer.status == status
    (error,) = answer.json["errors"]
    assert error["field"] == field
    assert error["problem"]
    assert error["remedy"]


def test_a_misspelt_field_is_told_which_was_meant(empty: Site) -> None:
    for sent, field, meant in (
        ({"txt": "a"}, "/txt", "text"),
        ({"text": "a", "treshold": 0.5}, "/treshold", "threshold"),
        ({"documents": [{"id": "a", "txt": "b"}]}, "/documents/0/txt", "text"),
    ):
        (error,) = empty.post("/v1/check", sent).json["errors"]
        assert (error["field"], error["remedy"]) == (field, f"did you mean {meant!r}?")
    (error,) = empty.get("/v1/groups?treshold=0.5").json["errors"]
    assert error["remedy"] == "did you mean 'threshold'?"
    (error,) = empty.post("/v1/check", {"text": "a", "file": "/etc/passwd"}).json["errors"]
    assert error["remedy"] == "leave it out"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nonsense",
        b'{"text": "\\ud800"}',
        b'{"text": "\xff"}',
        b'{"text": NaN}',
        b"[" * 200_000,
        b'{"a":' * 100_000,
    ],
)
def test_what_is_no_json(empty: Site, body: bytes) -> None:
    answer = empty.ask("POST", "/v1/check", body, {"Content-Type": "application/json"})
    assert answer.status in (400, 422)
    assert answer.json["detail"]


def test_numbers_that_are_none(site: Site) -> None:
    answer = site.ask("POST", "/v1/check", b'{"text": "a", "threshold": NaN}', {"Content-Type": "application/json"})
    assert answer.status in (400, 422)
    assert site.get("/v1/groups?threshold=nan").status == 422
    assert site.get("/v1/groups?threshold=0").status == 422
    assert site.get("/v1/documents?after=x").status == 422
    assert site.get("/v1/documents?limit=1001").status == 422
    assert site.get("/v1/documents?limit=1&limit=2").status == 422
    misspelt = site.get("/v1/groups?treshold=0.5")
    assert (misspelt.status, misspelt.json["errors"][0]["field"]) == (422, "/treshold")


def test_texts_are_in_no_problem(site: Site) -> None:
    secret = "xyzzy plugh"
    for body in ({"text": [secret]}, {"documents": [{"id": secret * 3, "text": 7}]}, {"text": secret, "top": secret}):
        assert secret.encode() not in site.post("/v1/check", body).body


# -- bodies ------------------------------------------------------------------------------------------------------------


def chunked(*pieces: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)


def test_a_body_that_says_it_is_too_large(site: Site) -> None:
    """It is refused by its headers: nothing of it is awaited."""
    head = f"{HEAD}Content-Length: 10000001\r\n\r\n"
    with site.connect() as connection:
        connection.sendall(head.encode())
        began = time.monotonic()
        assert problem_of(read_all(connection))[0] == 413
        assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    ("method", "path", "kind", "remedy"),
    [
        ("POST", "/v1/check", "application/json", "send less at a time, or lines of application/x-ndjson"),
        ("POST", "/v1/documents", "application/json", "send less at a time, or lines of application/x-ndjson"),
        ("POST", "/v1/compare", "application/json", "send less"),
        ("PUT", "/v1/documents/a", "application/json", "send less"),
        ("POST", "/v1/extract?name=x.txt", "application/octet-stream", "send a smaller file, or its text"),
    ],
)
def test_a_body_that_is_too_large_is_told_what_helps_there(
    empty: Site, method: str, path: str, kind: str, remedy: str
) -> None:
    """Lines are a remedy only where lines are taken."""
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: 10000001\r\n\r\n"
    with empty.connect() as connection:
        connection.sendall(head.encode())
        status, problem = problem_of(read_all(connection))
    assert (status, problem["detail"]) == (413, f"the body is larger than 10,000,000 bytes; {remedy}")


def test_a_chunked_body_is_counted_while_it_is_read(site: Site) -> None:
    head = f"{HEAD}Transfer-Encoding: chunked\r\n\r\n"
    with site.connect() as connection:
        try:
            connection.sendall(head.encode() + chunked(b'{"text": "'))
            for _ in range(200):
                connection.sendall(chunked(b"x" * 100_000))
        except ConnectionError:  # it has heard enough
            pass
        assert problem_of(read_all(connection))[0] == 413


def test_a_body_of_the_largest_size_is_taken(site: Site) -> None:
    text = "word " * 1_999_990
    answer = site.post("/v1/check", {"text": text[: 10_000_000 - 12]})
    assert answer.status == 200


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "identity, gzip", "GZIP"])
def test_compressed_bodies_are_refused(empty: Site, encoding: str) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": encoding}
    assert empty.ask("POST", "/v1/check", gzip.compress(b'{"text": "a"}'), headers).status == 415


def test_two_lengths_cannot_hide_a_second_request(site: Site) -> None:
    """Request smuggling: both lengths and chunks, or two lengths, are no request."""
    hidden = b"0\r\n\r\nDELETE /v1/documents/a HTTP/1.1\r\nHost: localhost\r\n\r\n"
    site.put("/v1/documents/a", {"text": "stays"})
    head = b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
    site.send_raw(head + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + hidden)
    site.send_raw(head + b"Content-Length: 4\r\nContent-Length: %d\r\n\r\n" % len(hidden) + hidden)
    site.send_raw(head + b"Transfer-Encoding: xchunked\r\n\r\n" + hidden)
    assert site.get("/v1/documents/a").status == 200


def test_headers_have_limits(site: Site) -> None:
    long = request("GET", "/v1/health", "X-Long: " + "x" * 20_000)
    assert problem_of(site.send_raw(long))[0] == 431
    with site.connect() as connection:  # without an end
        with contextlib.suppress(ConnectionError):
            connection.sendall(long[:-4] + b"x" * 100_000)
        assert problem_of(read_all(connection))[0] == 400
    many = request("GET", "/v1/health", *(f"X-{number}: y" for number in range(200)))
    assert problem_of(site.send_raw(many))[0] == 431


def test_too_many_documents(serve_memory: Serve) -> None:
    with serve_memory(limits=ServerLimits(batch=3)) as site:
        sent = {"documents": [{"id": number, "text": "a"} for number in range(4)]}
        for path in ("/v1/check", "/v1/documents"):
            answer = site.post(path, sent)
            assert (answer.status, answer.json["errors"][0]["field"]) == (413, "/documents")
