"""The bodies of requests and answers: JSON, lines of NDJSON, and how the OpenAPI document describes them."""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic.json_schema import models_json_schema
from pydantic_core import from_json
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from lookalike.documents.document_source import Batch
from lookalike.errors import LookalikeError, suggest
from lookalike.index.index_documents import Portion
from lookalike.server.lanes import Lane
from lookalike.server.models import ANSWERS, REQUESTS, ProblemDocument, SentDocument, StoredText, TextOnly
from lookalike.server.problems import MEDIA_TYPE, STATUSES, Problem, field_problem, of_error, of_validation, pointer
from lookalike.server.server_state import state_of
from lookalike.tables.packed import Ids, Texts
from lookalike.tables.spelling import to_json

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence

    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

    from lookalike.documents import Source
    from lookalike.index import Hits
    from lookalike.server import ServerLimits
    from lookalike.server.server_state import ServerState

    Result = TypeVar("Result")
    Work = Callable[[ServerState, Any], Result]

__all__ = [
    "NDJSON",
    "Json",
    "LineSplitter",
    "Lines",
    "NdjsonStream",
    "answers",
    "as_source",
    "batches",
    "check_batch",
    "check_names",
    "check_text",
    "complete",
    "hits_answer",
    "is_ndjson",
    "parsed",
    "problem_line",
    "read_body",
    "spelt_list",
    "takes",
    "validated",
    "work_on",
]

# -- JSON --------------------------------------------------------------------------------------------------------------

NDJSON = "application/x-ndjson"
Model = TypeVar("Model", bound=BaseModel)
_LARGE: Final = 65_536
"""Bytes of a body that is not parsed at once: a smaller one takes less time than to hand it to a thread and back."""
_UNKNOWN: Final = 3
"""Unknown fields that a problem names."""
_BATCHES: Final = {
    Lane.READ: Lane.BATCH,
    Lane.BATCH: Lane.BATCH,
    Lane.WRITE: Lane.WRITE_BATCH,
    Lane.WRITE_BATCH: Lane.WRITE_BATCH,
}


class Json(Response):
    """A value as JSON: strange characters of ids and texts are escapes."""

    media_type = "application/json"

    def __init__(self, value: Any, status: int = 200) -> None:
        """Take a plain value, or its JSON."""
        super().__init__(value if isinstance(value, bytes) else to_json(value, indent=None).encode("utf-8"), status)


def spelt_list(name: str, values: Iterable[object]) -> bytes:
    r"""Return an object with one list as JSON. No other thread works while a value is spelt, so each is spelt alone.

    >>> spelt_list("results", [{"added": True}, {"added": False}])
    b'{"results": [{"added": true}, {"added": false}]}\n'
    """
    spelt = (to_json(value, indent=None).encode("utf-8").rstrip() for value in values)
    return b'{"%b": [%b]}\n' % (name.encode(), b", ".join(spelt))


def is_ndjson(request: Request) -> bool:
    """Tell whether a body is a stream of lines; the guard has looked at its type already."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower() == NDJSON


def parsed(data: bytes) -> Any:
    """Return the value of a JSON text."""
    try:
        return from_json(data, allow_inf_nan=False)
    except ValueError as error:
        raise Problem(400, f"the body is not JSON: {error}") from None


def validated(kind: type[Model], value: Any, place: Sequence[str | int] = ()) -> Model:
    """Return a value in its shape."""
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        raise of_validation(
            error.errors(include_url=False, include_context=False, include_input=False), place
        ) from None


async def work_on(
    request: Request, kinds: Sequence[type[BaseModel]], work: Work[Result], lane: Lane = Lane.READ
) -> Result:
    """Read the body of a request, and do on a thread what it asks for.

    A large body is parsed there, too: meanwhile, the server would answer nobody. Its lane is that of batches, and so is
    that of several documents.
    """
    state, data = state_of(request), await request.body()
    if len(data) > _LARGE:
        return await state.run(lambda: work(state, read_body(data, kinds, state.limits)), lane=_BATCHES[lane])
    body = read_body(data, kinds, state.limits)
    several = len(getattr(body, "documents", ())) > 1
    return await state.run(work, state, body, lane=_BATCHES[lane] if several else lane)


def read_body(data: bytes, kinds: Sequence[type[BaseModel]], limits: ServerLimits) -> Any:
    """Return a body in its shape: the last of `kinds` if it has documents, else the first."""
    value = parsed(data)
    several = isinstance(value, dict) and "documents" in value
    kind = kinds[-1] if several else kinds[0]
    if several and isinstance(value["documents"], list):
        _check_count(len(value["documents"]), limits)
    check_names(kind, value)
    return validated(kind, value)


def check_names(kind: type[BaseModel], value: Any, place: Sequence[str | int] = ()) -> None:
    """Refuse fields that a shape does not have, before pydantic does: it would list every one of any number."""
    if not isinstance(value, dict):
        return
    known = kind.model_fields
    some = islice(value, len(known) + _UNKNOWN)  # all unknown ones, or enough of them
    if unknown := [name for name in some if name not in known]:
        wrong = [
            {"type": "extra_forbidden", "loc": (name,), "hint": suggest(name, known)} for name in unknown[:_UNKNOWN]
        ]
        raise of_validation(wrong, place)
    if "documents" in known and isinstance(value.get("documents"), list):
        for number, document in enumerate(value["documents"]):
            check_names(SentDocument, document, ("documents", number))
    for side in {"a", "b"} & known.keys() & value.keys():
        is_stored = isinstance(value[side], dict) and "id" in value[side]
        check_names(StoredText if is_stored else TextOnly, value[side], (side,))


def _check_count(count: int, limits: ServerLimits) -> None:
    if count > limits.batch:
        problem = f"has {count:,} documents, more than {limits.batch:,}"
        remedy = f"send fewer at a time, or lines of {NDJSON}"
        raise Problem(413, f"documents {problem}", [field_problem("/documents", problem, remedy)])


def check_batch(documents: Sequence[SentDocument], limits: ServerLimits) -> None:
    """Refuse texts that are too long, and ids of two kinds."""
    kinds = {type(document.id) for document in documents}
    if len(kinds) > 1:
        problem = "are texts and numbers; the ids of an index are of one kind"
        raise Problem(409, f"ids {problem}", [field_problem("/documents", problem, "give texts, or numbers")])
    for place, document in enumerate(documents):
        check_text(document.text, limits, "documents", place, "text")


def check_text(text: str, limits: ServerLimits, *place: str | int) -> None:
    """Refuse a text that is too long; `place` is where in the body it is."""
    if len(text) > limits.text // 4 and len(text.encode("utf-8", "surrogatepass")) > limits.text:
        problem = f"is larger than {limits.text:,} bytes"
        raise Problem(413, f"a text {problem}", [field_problem(pointer(*(place or ("text",))), problem, "split it")])


def as_source(documents: Sequence[SentDocument], check: Callable[[], None]) -> Source:
    """Return documents as an index takes them; `check` is asked last before they are committed."""
    ids, texts = Ids.of([document.id for document in documents]), Texts.of([document.text for document in documents])

    def batches() -> Iterator[Batch]:
        yield Batch(ids, texts)
        check()

    return Portion("the request", batches())


def hits_answer(hits: Hits, top: int, *, of_all: bool, nearest: bool = False) -> dict[str, Any]:
    """Return this many hits; `of_all`: all are asked for, not the nearest alone, so more than these are left out."""
    return hits.first(top, truncated=of_all and len(hits) > top).to_dict(nearest=nearest)


# -- lines -------------------------------------------------------------------------------------------------------------

_PAUSE: Final = 0.2
"""Seconds without another byte, after which the lines that are there are worked on."""


class NdjsonStream(Response):
    """An answer line by line, while the request is still being read.

    Not `StreamingResponse`, which waits for the client to go away by reading the request, and so takes its lines.
    """

    media_type = NDJSON

    def __init__(self, lines: AsyncIterator[object], state: ServerState) -> None:
        """Take plain values; a problem that ends them becomes the last line."""
        super().__init__(None)
        self._lines, self._state = lines, state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the lines."""
        del scope, receive
        headers = [header for header in self.raw_headers if header[0] != b"content-length"]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        try:
            async for line in self._lines:
                await _send_line(send, line)
        except ClientDisconnect:
            return
        except (Problem, LookalikeError) as error:
            await _send_line(send, problem_line(error, self._state))
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _send_line(send: Send, value: object) -> None:
    body = to_json(value, indent=None).encode("utf-8")
    await send({"type": "http.response.body", "body": body, "more_body": True})


class LineSplitter:
    """Bytes, cut into lines; one that is too long is refused before it is held."""

    def __init__(self, longest: int) -> None:
        """Take the length that a line may have."""
        self._longest = longest
        self._rest = bytearray()
        self.count = 0
        """Lines so far, including blank ones."""

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """Take more; return the lines that are whole now, with their numbers, from 1."""
        first, *others = data.split(b"\n")
        self._rest += first
        found = []
        for piece in others:
            found += self._line()
            self._rest = bytearray(piece)
        self._check()
        return found

    def end(self) -> list[tuple[int, bytes]]:
        """Return the last line, if it has no end."""
        return self._line() if self._rest else []

    def _line(self) -> list[tuple[int, bytes]]:
        self._check()
        self.count += 1
        line = bytes(self._rest).strip()
        return [(self.count, line)] if line else []

    def _check(self) -> None:
        if len(self._rest) > self._longest:
            raise Problem(413, f"line {self.count + 1:,} is longer than {self._longest:,} bytes")


class Lines(NamedTuple):
    """Lines of a request that are worked on together, and their numbers."""

    lines: Sequence[tuple[int, bytes]]

    def lane(self, lane: Lane) -> Lane:
        """Return the lane in which they are worked on."""
        small = len(self.lines) == 1 and len(self.lines[0][1]) <= _LARGE
        return lane if small else _BATCHES[lane]

    def documents(self, limits: ServerLimits) -> list[SentDocument]:
        """Return the documents that they are."""
        documents = [_document(number, line) for number, line in self.lines]
        check_batch(documents, limits)
        return documents


async def batches(request: Request, state: ServerState) -> AsyncIterator[Lines]:
    """Give the lines of a stream in batches: as many as one transaction takes, or as have come so far."""
    limits, lines = state.limits, LineSplitter(state.limits.line)
    waiting: list[tuple[int, bytes]] = []
    size = 0
    async for chunk in _chunks(request):
        if state.ending.is_set():
            raise Problem(503, "the server is shutting down; send the rest again")
        for number, line in lines.end() if chunk is None else lines.feed(chunk):
            waiting.append((number, line))
            size += len(line)
            if len(waiting) >= limits.batch or size >= limits.batch_bytes:
                yield Lines(waiting)
                waiting, size = [], 0
        if waiting and not chunk:
            yield Lines(waiting)
            waiting, size = [], 0


async def _chunks(request: Request) -> AsyncIterator[bytes | None]:
    """Give the bytes of a request as they come; nothing when none come for a moment, and None at the end."""
    stream = request.stream()
    coming: asyncio.Task[bytes | None] | None = None
    try:
        while True:
            coming = coming or asyncio.create_task(_next(stream))
            done, _ = await asyncio.wait({coming}, timeout=_PAUSE)
            if not done:
                yield b""
                continue
            chunk, coming = coming.result(), None
            if chunk != b"":
                yield chunk
            if chunk is None:
                return
    finally:
        if coming is not None:
            coming.cancel()


async def _next(stream: AsyncIterator[bytes]) -> bytes | None:
    try:
        return await anext(stream)
    except StopAsyncIteration:
        return None


def problem_line(error: Problem | LookalikeError, state: ServerState, **more: object) -> dict[str, object]:
    """Return the last line of a stream that went wrong."""
    problem = error if isinstance(error, Problem) else of_error(error, state.store.name)
    return {"problem": problem.to_dict(), **more}


def _document(number: int, line: bytes) -> SentDocument:
    try:
        value = parsed(line)
        check_names(SentDocument, value)
        return validated(SentDocument, value)
    except Problem as problem:
        detail = f"line {number:,}: {problem.detail.replace('the body is not JSON', 'not JSON')}"
        raise Problem(problem.status, detail, problem.errors) from None


# -- their description -------------------------------------------------------------------------------------------------

_REFERENCE: Final = "#/components/schemas/{model}"
_ALWAYS: Final = (400, 401, 403, 422, 500, 503, 504)
"""What any request may be answered with."""
_WITH_BODY: Final = (408, 413, 415)
_OPEN: Final = ("/v1/health", "/v1/ready")


def _schema(*kinds: type[BaseModel]) -> dict[str, Any]:
    named = [{"$ref": _REFERENCE.format(model=kind.__name__)} for kind in kinds]
    return named[0] if len(named) == 1 else {"anyOf": named}


def _lines(kind: type[BaseModel]) -> dict[str, Any]:
    """Describe lines: JSON Schema has no word for them."""
    return {"schema": {"description": f"Lines, each a {kind.__name__}: {kind.__doc__}"}}


def answers(
    found: dict[int, tuple[type[BaseModel], ...]], *statuses: int, line: type[BaseModel] | None = None
) -> dict[int | str, dict[str, Any]]:
    """Describe what a route answers: `statuses` are the problems that it has besides those of every route."""
    described: dict[int | str, dict[str, Any]] = {}
    for status, kinds in found.items():
        described[status] = {"description": "OK", "content": {"application/json": {"schema": _schema(*kinds)}}}
    if line is not None:
        lines = described.setdefault(200, {"description": "OK", "content": {}})
        lines["content"]["application/x-ndjson"] = _lines(line)
    for status in sorted({*_ALWAYS, *statuses}):
        content = {MEDIA_TYPE: {"schema": _schema(ProblemDocument)}}
        described[status] = {"description": STATUSES[status][1], "content": content}
    return described


def takes(*kinds: type[BaseModel], line: type[BaseModel] | None = None) -> dict[str, Any]:
    """Describe the body that a route takes."""
    content: dict[str, Any] = {"application/json": {"schema": _schema(*kinds)}}
    if line is not None:
        content["application/x-ndjson"] = _lines(line)
    return {"requestBody": {"required": True, "content": content}}


def complete(document: dict[str, Any], *, tokens: bool) -> dict[str, Any]:
    """Add the shapes that are named, what a body may be refused for, and how tokens are given."""
    _, shapes = models_json_schema([(kind, "validation") for kind in (*REQUESTS, *ANSWERS)], ref_template=_REFERENCE)
    components = document.setdefault("components", {})
    components["schemas"] = shapes["$defs"]
    if tokens:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for path, operations in document["paths"].items():
        for operation in operations.values():
            if "requestBody" in operation:
                problems = answers({}, *_WITH_BODY)
                for status in _WITH_BODY:
                    operation["responses"].setdefault(str(status), problems[status])
            if tokens and path not in _OPEN:
                operation["security"] = [{"token": []}]
    return document
