"""The layer between the network and the routes: who may ask, what may be sent, and what every answer carries.

Host, Origin and Sec-Fetch-Site keep the pages of other sites from using a browser that can reach the server. Tokens,
types and sizes are checked before a byte of a body is read.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote_to_bytes, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect

from lookalike.server.bodies import NDJSON
from lookalike.server.problems import Problem, ProblemResponse
from lookalike.server.server_state import LOG, shortened

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from lookalike.server import Right
    from lookalike.server.server_state import ServerState

__all__ = ["HEADERS", "LONGEST_HEADER", "MOST_HEADERS", "Guard"]

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "content-security-policy": _POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""On every answer."""
_API: Final = "/v1/"
_OPEN: Final = frozenset({"/v1/health", "/v1/ready"})
_ASKING: Final = frozenset({"/v1/check", "/v1/compare", "/v1/extract"})
"""What is posted to these changes nothing."""
_LINES: Final = frozenset({"/v1/check", "/v1/documents", "/v1/add-unless-similar"})
_BYTES: Final = frozenset({"/v1/extract"})
_READING: Final = frozenset({"GET", "HEAD"})
_METHODS: Final = frozenset({*_READING, "POST", "PUT", "DELETE"})
_GONE: Final = 499
"""What the log says of a client that went away."""
MOST_HEADERS: Final = 100
LONGEST_HEADER: Final = 16_384
"""Bytes of all headers of a request, with its address."""
_SLOWEST: Final = 16_000
"""Bytes a second that a body may come with, at least."""
_LINGER: Final = 2.0
"""Seconds for which a refused body is still read, so that its sender gets to read why."""


class Guard:
    """Checks requests, and watches over their bodies and answers."""

    def __init__(self, app: ASGIApp, state: ServerState, methods: Callable[[str], set[str]]) -> None:
        """Stand before an application; `methods` tells what can be done at an address."""
        self._app, self._state, self._methods = app, state, methods

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # web sockets are turned off
        # What answers GET answers HEAD: the server drops the body.
        asked = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
        exchange = _Exchange(asked, receive, send, self._state, scope["method"])
        try:
            try:
                self._check(asked, exchange)
                await self._app(asked, exchange.receive, exchange.send)
            except Problem as problem:
                await exchange.answer(problem)
            except (ClientDisconnect, ConnectionError):
                exchange.status = _GONE
            except Exception:  # noqa: BLE001 — a traceback is for the log, and an answer for the client
                LOG.exception("", extra={"facts": {"event": "error", "path": shortened(scope["path"])}})
                await exchange.answer(Problem(500, "details are in the log of the server"))
        finally:
            exchange.log()

    def _check(self, scope: Scope, exchange: _Exchange) -> None:
        headers = Headers(scope=scope)
        settings = self._state.settings
        _check_form(scope)
        host = _check_host(headers, settings.hosts)
        _check_origin(scope, headers, host)
        right = self._right(scope, headers)
        scope["lookalike.right"] = right
        _check_method(scope["method"], self._methods(scope["path"]))
        if _writes(scope):
            if right != "write":
                raise Problem(403, "this token may only read; use the write token")
            if settings.read_only:
                raise Problem(403, "this server is read-only")
        exchange.lines = _check_body(scope, headers)
        limit = self._state.limits.body
        length = headers.get("content-length", "0")
        if not exchange.lines and length.isascii() and length.isdigit() and int(length) > limit:
            raise _too_large(limit, scope["path"])

    def _right(self, scope: Scope, headers: Headers) -> Right:
        """Return what a request may do, by its token."""
        tokens, path = self._state.settings.tokens, scope["path"]
        if tokens is None:
            return "write"
        if not path.startswith(_API) or path in _OPEN:
            return "read"
        scheme, _, token = headers.get("authorization", "").partition(" ")
        given = token.strip() if scheme.lower() == "bearer" else ""
        right = tokens.right_of(given)
        if right is None:
            wrong = "this server does not know that token" if given else "send the header 'Authorization: Bearer TOKEN'"
            raise Problem(401, wrong, headers={"www-authenticate": 'Bearer realm="lookalike"'})
        return right


# -- checks ------------------------------------------------------------------------------------------------------------


def _check_form(scope: Scope) -> None:
    if {b"content-length", b"transfer-encoding"} <= {name for name, _ in scope["headers"]}:
        # A proxy that believes the other one would take the rest for the next request (RFC 9112, 6.1).
        raise Problem(400, "the request has both Content-Length and Transfer-Encoding; send one of them")
    if len(scope["headers"]) > MOST_HEADERS:
        raise Problem(431, f"the request has more than {MOST_HEADERS} headers")
    size = sum(len(name) + len(value) for name, value in scope["headers"])
    if size + len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST_HEADER:
        raise Problem(431, f"the headers and the address are longer than {LONGEST_HEADER:,} bytes")
    try:
        unquote_to_bytes(scope.get("raw_path") or b"").decode("utf-8")
        unquote_to_bytes(scope["query_string"].replace(b"+", b" ")).decode("utf-8")
    except UnicodeDecodeError:
        raise Problem(400, "the address is not UTF-8; spell its bytes as %XX of UTF-8") from None


def _check_host(headers: Headers, allowed: frozenset[str]) -> str:
    """Return the Host; one that the server does not go by is that of a page whose address was rebound."""
    given = headers.getlist("host")
    if len(given) != 1 or _name_of(given[0]) not in allowed:
        raise Problem(403, "this server does not answer to that name; its operator can allow it: --allow-host NAME")
    return given[0].lower()


def _name_of(host: str) -> str | None:
    """Return the name in a Host header, without the port.

    >>> _name_of("localhost:8765"), _name_of("[::1]:8765"), _name_of("a b"), _name_of("user@localhost")
    ('localhost', '::1', None, None)
    """
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port  # which is read, and so checked, when it is asked for
    except ValueError:
        return None
    return parts.hostname if parts.netloc == host and "@" not in host and not set(host) & set(" \t/?#\\") else None


def _check_origin(scope: Scope, headers: Headers, host: str) -> None:
    """Refuse what the page of another site has sent."""
    for origin in headers.getlist("origin"):
        parts = urlsplit(origin) if "//" in origin else None
        if parts is None or parts.scheme not in ("http", "https") or parts.netloc.lower() != host:
            raise Problem(403, "this was sent by a page from another site")
    site = headers.get("sec-fetch-site", "same-origin")
    if site in ("same-origin", "none"):
        return
    follows_link = scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate"
    if scope["path"].startswith(_API) or not follows_link:
        raise Problem(403, "this was sent by a page from another site")


def _check_method(method: str, allowed: set[str]) -> None:
    if not allowed:
        raise Problem(404, "there is nothing at this address")
    if method not in allowed:
        listed = ", ".join(sorted(allowed | ({"HEAD"} if "GET" in allowed else set())))
        raise Problem(405, f"allowed here: {listed}", headers={"allow": listed})


def _writes(scope: Scope) -> bool:
    if not scope["path"].startswith(_API) or scope["method"] in _READING:
        return False
    return not (scope["method"] == "POST" and scope["path"] in _ASKING)


def _check_body(scope: Scope, headers: Headers) -> bool:
    """Refuse bodies of another form than the route takes; tell whether it is lines."""
    encodings = {part.strip().lower() for value in headers.getlist("content-encoding") for part in value.split(",")}
    if encodings - {"identity", ""}:
        raise Problem(415, "the body is compressed; send it as it is, without Content-Encoding")
    if scope["method"] not in ("POST", "PUT"):
        return False
    kind, *parameters = (part.strip().lower() for part in headers.get("content-type", "").split(";"))
    path = scope["path"]
    if path in _BYTES:
        wanted = {"application/octet-stream"}
    else:
        wanted = {"application/json", NDJSON} if path in _LINES else {"application/json"}
    other = [one for one in parameters if one and one.replace('"', "") != "charset=utf-8"]
    if kind not in wanted or other or len(headers.getlist("content-type")) != 1:
        raise Problem(415, f"send the body as {' or '.join(sorted(wanted))}, in UTF-8")
    return kind == NDJSON


def _too_large(limit: int, path: str) -> Problem:
    if path in _BYTES:
        remedy = "send a smaller file, or its text"
    else:
        remedy = f"send less at a time, or lines of {NDJSON}" if path in _LINES else "send less"
    return Problem(413, f"the body is larger than {limit:,} bytes; {remedy}")


# -- one request -------------------------------------------------------------------------------------------------------


class _Exchange:
    """A request and its answer, as they pass."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, state: ServerState, method: str) -> None:
        self._scope, self._receive, self._send, self._state = scope, receive, send, state
        self._method = method
        self._began = time.monotonic()
        self._bytes = 0
        self._waited = 0.0
        self._read = False
        self._silent = False
        self.status = 0
        """Of the answer; 0 as long as none has begun."""
        self.lines = False
        """Whether the body is lines, of which there may be any number."""

    async def receive(self) -> Message:
        """Give the next part of the body, if it is not too much and does not come too slowly."""
        if self._read:
            return await self._receive()
        limits, began = self._state.limits, time.monotonic()
        try:
            message = await asyncio.wait_for(self._receive(), limits.body_seconds)
        except TimeoutError:
            self._silent = True
            raise Problem(408, f"nothing arrived for {limits.body_seconds:g} s") from None
        if message["type"] != "http.request":
            return message
        self._waited += time.monotonic() - began
        self._bytes += len(message.get("body", b""))
        self._read = not message.get("more_body", False)
        if self.lines:
            return message
        if self._bytes > limits.body:
            raise _too_large(limits.body, self._scope["path"])
        if self._waited > limits.body_seconds + self._bytes / _SLOWEST:
            raise Problem(408, "the body arrived too slowly")
        return message

    async def send(self, message: Message) -> None:
        """Pass a part of the answer on, with what every answer carries."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            if self._scope["path"].startswith(_API):
                headers["cache-control"] = "no-store"
            if not self._has_whole_body():
                headers["connection"] = "close"
        elif not message.get("more_body", False) and not self._has_whole_body():
            await self._pass({**message, "more_body": True})
            await self._linger()
            message = {"type": "http.response.body", "body": b"", "more_body": False}
        await self._pass(message)

    async def _pass(self, message: Message) -> None:
        try:
            await asyncio.wait_for(self._send(message), self._state.limits.body_seconds)
        except TimeoutError:
            raise ConnectionError("the client does not read") from None

    def _has_whole_body(self) -> bool:
        headers = Headers(scope=self._scope)
        length = headers.get("content-length", "0").strip("0")
        return self._read or not (length or "transfer-encoding" in headers)

    async def _linger(self) -> None:
        """Read what is still coming for a moment: to close at once would take the answer from its reader."""
        until = time.monotonic() + _LINGER
        try:
            while not (self._read or self._silent) and (left := until - time.monotonic()) > 0:
                message = await asyncio.wait_for(self._receive(), left)
                self._read = message["type"] != "http.request" or not message.get("more_body", False)
        except TimeoutError:
            pass

    async def answer(self, problem: Problem) -> None:
        """Answer with a problem, unless an answer has begun."""
        if not self.status:
            await ProblemResponse(problem)(self._scope, self.receive, self.send)

    def log(self) -> None:
        """Write a line about it."""
        seconds = time.monotonic() - self._began
        route = getattr(self._scope.get("route"), "path", None) or "none"
        method = self._method if self._method in _METHODS else "other"
        self._state.metrics.answered(method, route, self.status, seconds)
        client = self._scope.get("client")
        facts: dict[str, Any] = {
            "event": "request",
            "client": client[0] if client else None,
            "method": shortened(self._method),
            "path": shortened(self._scope["path"]),
            "status": self.status,
            "ms": round(1000 * seconds, 1),
        }
        LOG.info("", extra={"facts": facts})
