"""Every rule about who may ask and what may be sent, and somebody who tries to break it."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING

import pytest

from lookalike.server.guard import HEADERS
from tests.server.live import raw_answer
from tests.server.raw import BODY, problem_of, request

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from tests.server.live import Site

    Serve = Callable[..., AbstractContextManager[Site]]


ROUTES = [
    ("GET", "/"),
    ("GET", "/v1/health"),
    ("GET", "/v1/info"),
    ("GET", "/v1/documents"),
    ("GET", "/v1/documents/a"),
    ("GET", "/v1/openapi.json"),
    ("POST", "/v1/check"),
    ("POST", "/v1/documents"),
    ("PUT", "/v1/documents/a"),
    ("DELETE", "/v1/documents/a"),
]
# -- names -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "user@localhost"]
)
def test_a_name_that_the_server_does_not_go_by(empty: Site, method: str, path: str, host: str) -> None:
    sent = request(method, path, "Content-Type: application/json", body=BODY, host=host)
    assert problem_of(empty.send_raw(sent))[0] == 403
    assert empty.get("/v1/info").json["documents"] == 0


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8765", "[::1]", "essays.example"])
def test_names_that_are_allowed(serve_memory: Serve, host: str) -> None:
    with serve_memory(allowed=frozenset({"Essays.example"})) as site:
        assert raw_answer(site.send_raw(request("GET", "/v1/info", host=host)))[0] == 200


def test_no_name_and_two_names(site: Site) -> None:
    assert problem_of(site.send_raw(b"GET /v1/info HTTP/1.0\r\n\r\n"))[0] == 403
    two = b"GET /v1/info HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"
    assert problem_of(site.send_raw(two))[0] in (400, 403)


# -- other sites -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize(
    "header",
    [
        "Origin: https://evil.example",
        "Origin: null",
        "Origin: http://localhost:1",
        "Origin: file://",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
    ],
)
def test_what_a_page_of_another_site_sends(empty: Site, method: str, path: str, header: str) -> None:
    sent = request(method, path, "Content-Type: application/json", header, body=BODY, host=f"localhost:{empty.port}")
    assert problem_of(empty.send_raw(sent))[0] == 403
    assert empty.get("/v1/info").json["documents"] == 0


def test_its_own_page_may_ask(site: Site) -> None:
    host = f"localhost:{site.port}"
    headers = ("Content-Type: application/json", f"Origin: http://{host}", "Sec-Fetch-Site: same-origin")
    assert raw_answer(site.send_raw(request("POST", "/v1/documents", *headers, body=BODY, host=host)))[0] == 201


def test_a_link_from_elsewhere_opens_the_page_and_nothing_else(site: Site) -> None:
    link = ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document")
    assert raw_answer(site.send_raw(request("GET", "/", *link)))[0] != 403
    assert raw_answer(site.send_raw(request("GET", "/v1/info", *link)))[0] == 403
    assert raw_answer(site.send_raw(request("POST", "/", *link)))[0] == 403


@pytest.mark.parametrize(
    "kind",
    [
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain",
        "text/plain; application/json",
        "application/json; charset=utf-16",
        "application/json, text/plain",
        "application/octet-stream",
        "",
    ],
)
@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/v1/check"), ("POST", "/v1/documents"), ("PUT", "/v1/documents/a")]
)
def test_forms_and_other_types_are_refused(empty: Site, method: str, path: str, kind: str) -> None:
    """What a form of another site can send without being asked first is not JSON."""
    assert problem_of(empty.send_raw(request(method, path, f"Content-Type: {kind}", body=BODY)))[0] == 415
    assert empty.get("/v1/info").json["documents"] == 0


def test_no_other_site_is_let_in(site: Site) -> None:
    preflight = request(
        "OPTIONS", "/v1/documents", "Origin: https://evil.example", "Access-Control-Request-Method: POST"
    )
    status, headers, _ = raw_answer(site.send_raw(preflight))
    assert status == 403
    assert not [name for name in headers if name.startswith("access-control")]
    status, headers, _ = raw_answer(site.send_raw(request("OPTIONS", "/v1/documents")))
    assert status == 405
    assert not [name for name in headers if name.startswith("access-control")]


# -- answers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "host"),
    [
        ("GET", "/v1/health", "localhost"),
        ("GET", "/nothing", "localhost"),
        ("PATCH", "/v1/documents", "localhost"),
        ("GET", "/", "evil"),
    ],
)
def test_every_answer_carries_the_headers(empty: Site, method: str, path: str, host: str) -> None:
    _, headers, _ = raw_answer(empty.send_raw(request(method, path, "Content-Type: application/json", host=host)))
    assert {name: headers.get(name) for name in HEADERS} == HEADERS
    assert "set-cookie" not in headers
    assert "server" not in headers
    if path.startswith("/v1/"):
        assert headers["cache-control"] == "no-store"


def test_what_is_no_http_is_answered_with_a_problem(site: Site) -> None:
    for nonsense in (
        b"hello\r\n\r\n",
        b"GET /\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ):
        answer = site.send_raw(nonsense)
        assert problem_of(answer)[0] == 400
        assert raw_answer(answer)[1]["x-content-type-options"] == "nosniff"


def test_a_method_that_is_not_there_says_which_are(site: Site) -> None:
    answer = site.ask("POST", "/v1/documents/a", BODY, {"Content-Type": "application/json"})
    assert answer.status == 405
    assert answer.headers["allow"] == "DELETE, GET, HEAD, PUT"
    assert site.get("/v2/documents").status == 404


GETS = ["/", "/assets/page.js", "/v1/health", "/v1/ready", "/v1/info", "/v1/documents", "/v1/documents/a"]
GETS += ["/v1/groups", "/v1/pairs", "/v1/histogram", "/v1/metrics", "/v1/openapi.json", "/nothing", "/v1/groups/9"]


@pytest.mark.parametrize("path", GETS)
def test_head_is_answered_as_get_without_the_body(empty: Site, path: str) -> None:
    status, headers, body = raw_answer(empty.send_raw(request("GET", path)))
    head_status, head_headers, nothing = raw_answer(empty.send_raw(request("HEAD", path)))
    assert (head_status, nothing) == (status, b"")
    varies = {"date", *(("content-length",) if path == "/v1/metrics" else ())}
    assert {name: headers[name] for name in headers if name not in varies} == {
        name: head_headers[name] for name in head_headers if name not in varies
    }
    assert body


def test_head_where_there_is_no_get(empty: Site) -> None:
    assert raw_answer(empty.send_raw(request("HEAD", "/v1/check")))[0] == 405


@pytest.mark.parametrize("path", ["/v1/check", "/"])
def test_two_lengths_are_refused_and_the_rest_is_no_request(empty: Site, path: str) -> None:
    """What follows a body that ends at two places is not read as a second request."""
    smuggled = b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    body = b"d\r\n" + b'{"text": "a"}' + b"\r\n0\r\n\r\n"
    for lengths in (
        "Content-Length: {}\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: {}\r\n",
    ):
        data = (head + lengths.format(len(body)) + "\r\n").encode() + body + smuggled
        answer = empty.send_raw(data)
        assert problem_of(answer)[0] == 400
        assert raw_answer(answer)[1]["connection"] == "close"
        assert answer.count(b"HTTP/1.1 ") == 1


# -- paths, addresses, headers, logs -----------------------------------------------------------------------------------

TRAVERSALS = [
    "/../../etc/passwd",
    "/assets/../../../etc/passwd",
    "/assets/%2e%2e/%2e%2e/etc/passwd",
    "/assets/..%2f..%2f..%2fetc%2fpasswd",
    "/assets//etc/passwd",
    "/v1/documents/../../../etc/passwd",
    "/v1/documents/..%2f..%2f..%2fetc%2fpasswd",
    "/v1/documents/%00",
    "//etc/passwd",
    "/%5c..%5c..%5cetc%5cpasswd",
]


@pytest.mark.parametrize("path", TRAVERSALS)
def test_paths_lead_nowhere(empty: Site, path: str) -> None:
    data = empty.send_raw(request("GET", path))
    assert raw_answer(data)[0] in (400, 404)
    assert b"root:" not in data


def test_an_address_that_is_not_utf8(site: Site) -> None:
    assert problem_of(site.send_raw(request("GET", "/v1/documents/%ff")))[0] == 400
    assert problem_of(site.send_raw(request("GET", "/v1/document?id=%ff")))[0] == 400


def test_an_id_breaks_no_header(site: Site) -> None:
    for id in ("a%0d%0aSet-Cookie:%20x=1", "a%0aX-Evil:%201"):
        for method, body in (("PUT", b'{"text": "x"}'), ("GET", b""), ("DELETE", b"")):
            data = site.send_raw(request(method, f"/v1/documents/{id}", "Content-Type: application/json", body=body))
            assert not {"set-cookie", "x-evil"} & set(raw_answer(data)[1])


ADDRESSES = [
    "http://169.254.169.254/latest",
    "file:///etc/passwd",
    "../../etc/passwd",
    "/etc/passwd",
    "\\\\evil\\share",
    "s3://b/k",
]


def test_no_address_or_path_of_a_client_is_opened(site: Site, watched: list[tuple[str, str]]) -> None:
    """Every field, with addresses in it: the process opens no file of that name, and connects to nobody."""
    from tests.server.live import JSON

    for address in ADDRESSES:
        site.post("/v1/documents", {"id": address, "text": address})
        site.post("/v1/check", {"text": address})
        site.post("/v1/check", {"documents": [{"id": address, "text": address}], "top": 1})
        site.post("/v1/compare", {"a": {"id": address}, "b": {"text": address}})
        site.put(site.document(address), {"text": address})
        site.get(site.document(address))
        site.get("/v1/documents", search=address)
        site.get("/v1/pairs", id=address)
        for field in ("url", "path", "file", "source"):
            assert site.post("/v1/documents", {"id": "a", "text": "b", field: address}).status == 422
        site.ask("GET", "/", headers={"Referer": address, "X-Forwarded-Host": address, "X-Original-URL": address})
        site.ask("POST", "/v1/check", b'{"text": "a"}', {"Content-Type": JSON, "Location": address})
    own = {f"('127.0.0.1', {site.port})"}
    assert ("socket.connect", *own) in watched  # it does see
    assert [seen for seen in watched if seen[0] == "socket.connect" and seen[1] not in own] == []
    assert [seen for seen in watched if any(address in seen[1] for address in ADDRESSES)] == []


def test_nothing_that_is_sent_breaks_a_line_of_the_log(built: Path, tmp_path: Path) -> None:
    from tests.server.live import child

    log = tmp_path / "log"
    secret = "the text that nobody may read in a log"
    token_file = tmp_path / "tokens"
    token_file.write_text("read " + "r" * 40 + "\nwrite " + "w" * 40 + "\n")
    token_file.chmod(0o600)
    with child(built, "--token-file", str(token_file), log=log) as site:
        site.token = "w" * 40
        site.put("/v1/documents/a%0a%7B%22event%22:%22forged%22%7D%1b[31m", {"text": secret})
        site.post("/v1/check", {"text": secret})
        site.ask("GET", "/v1/documents?search=" + "z" * 100)
        site.ask("GET", "/v1/documents/" + "y" * 5000)
        site.send_raw(b"nonsense\r\n\r\n")
        site.token = "x" * 40
        assert site.get("/v1/info").status == 401
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    assert {entry["event"] for entry in entries} <= {"start", "request", "message", "end"}
    assert [entry["status"] for entry in entries if entry["event"] == "request"][:2] == [201, 200]
    text = log.read_text()
    for hidden in (secret, "w" * 40, "r" * 40, "x" * 40, "\x1b", "z" * 50, "y" * 90):
        assert hidden not in text


def test_a_bug_is_answered_without_its_traceback(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("a secret text")

    assert site.state is not None
    monkeypatch.setattr(site.state.index, "query", fails)
    answer = site.post("/v1/check", {"text": "a"})
    assert answer.status == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert b"secret" not in answer.body
    assert b"Traceback" not in answer.body


def test_web_sockets_are_refused(site: Site) -> None:
    upgrade = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: x", "Sec-WebSocket-Version: 13")
    data = site.send_raw(
        request("GET", "/v1/info", *upgrade).replace(b"Connection: Upgrade", b"Connection: Upgrade, close")
    )
    assert not data.startswith(b"HTTP/1.1 101")


def test_half_a_request_and_away(site: Site) -> None:
    for _ in range(20):
        connection = site.connect()
        connection.sendall(request("POST", "/v1/check", "Content-Type: application/json", body=b"x" * 50)[:-40])
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        connection.close()
    assert site.get("/v1/health").status == 200
