"""The text of a file that a client sends: a sandboxed process takes it out, never this one.

Nothing is written to a disk and nothing is opened: the bytes go to the process, and their name only chooses the reader.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response  # noqa: TC002 - FastAPI looks at it

from lookalike.documents.document_batches import RefusedError
from lookalike.documents.extract.pool import extract
from lookalike.documents.kinds import kind_of
from lookalike.documents.limits import Limits
from lookalike.server.bodies import Json
from lookalike.server.description import answers
from lookalike.server.problems import Problem, field_problem
from lookalike.server.state import state_of

if TYPE_CHECKING:
    from lookalike.documents.document_batches import Extracted
    from lookalike.documents.kinds import Kind

__all__ = ["router"]

router = APIRouter()

_READERS: Final = threading.BoundedSemaphore(4)
"""Processes at a time: each may take 256 MiB."""
_SHARE: Final = 0.75
"""Of the time for a request, what its reader may take: the rest is for starting it and for the answer."""

_BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "description": "The file.",
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
_ANSWER: Final[dict[str, Any]] = {
    "title": "ExtractedText",
    "type": "object",
    "required": ["name", "text", "notes"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "description": "As it was given."},
        "text": {"type": "string"},
        "notes": {
            "type": "array",
            "items": {"type": "string"},
            "description": "What a reader should know, such as that there is hidden text.",
        },
    },
}
_ANSWERS: Final = answers({}) | {200: {"description": "OK", "content": {"application/json": {"schema": _ANSWER}}}}


@router.post("/v1/extract", summary="The text of a file.", responses=_ANSWERS, openapi_extra=_BODY)
async def extract_text(
    request: Request,
    name: Annotated[str, Query(min_length=1, max_length=255, description="Its name, which says what it is.")],
) -> Response:
    """Return the text of a file: PDF, Word, HTML, plain text and others. It is not stored."""
    state = state_of(request)
    data = await request.body()
    limits = Limits(document=state.limits.text)
    return Json(await state.run(_text_of, name, data, limits, _SHARE * state.limits.seconds))


def _text_of(name: str, data: bytes, limits: Limits, longest: float) -> dict[str, Any]:
    kind = kind_of(name)
    _check_kind(name, kind)
    if not data:
        raise _refusal(name, "empty", "the file has no bytes")
    if not _READERS.acquire(blocking=False):
        raise Problem(503, "too many files are being read; try again", headers={"retry-after": "1"})
    try:
        found = extract(data, kind, limits=limits, longest=longest)
    except RefusedError as refused:
        raise _refusal(name, refused.reason, refused.detail) from None
    finally:
        _READERS.release()
    return {"name": name, "text": found.text, "notes": _notes(found)}


def _check_kind(name: str, kind: Kind) -> None:
    """Refuse what holds many documents: a check is about one."""
    if kind.is_archive:
        raise _refusal(name, "archive", "it holds other files; unpack it, and send one of them")
    if kind.is_table:
        raise _refusal(name, "table", "each of its rows is a document; for tables use: lookalike check --server")
    if kind.format == "office":
        raise _refusal(name, "not text", kind.office)


def _notes(found: Extracted) -> list[str]:
    notes = [f"{flag.kind}: {flag.detail}" for flag in found.flags]
    if found.guessed:
        notes.append(f"its encoding is not stated; it was read as {found.encoding}")
    return notes


_STATUSES: Final = {"too large": 413, "archive": 415, "table": 415, "not text": 415, "binary": 415}


def _refusal(name: str, reason: str, detail: str) -> Problem:
    """Say why there is no text; options of a command help nobody here."""
    problem, _, remedy = detail.partition("; ")
    if not remedy or remedy.startswith("--"):
        remedy = "send another file, or its text"
    wrong = [field_problem("/name", problem, remedy)]
    return Problem(_STATUSES.get(reason, 422), f"{name} cannot be read ({reason}): {problem}; {remedy}", wrong)
