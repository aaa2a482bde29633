"""What is wrong with a request, as RFC 9457 has it: a status, a sentence, and the fields that it is about.

A problem never holds a text of a document, a traceback, or where the index is.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from lookalike.errors import (
    ConflictError,
    DamagedError,
    DocumentError,
    InternalError,
    LookalikeError,
    MismatchError,
    StoreError,
)
from lookalike.tables.spelling import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lookalike.tables.packed import Id

__all__ = [
    "MEDIA_TYPE",
    "STATUSES",
    "Problem",
    "ProblemResponse",
    "field_problem",
    "of_error",
    "of_validation",
    "pointer",
]

MEDIA_TYPE: Final = "application/problem+json"
STATUSES: Final = {
    400: ("bad-request", "The request cannot be read"),
    401: ("unauthorized", "A token is needed"),
    403: ("forbidden", "This is not allowed"),
    404: ("not-found", "Not found"),
    405: ("method-not-allowed", "This method is not allowed here"),
    408: ("timeout", "The request took too long to arrive"),
    409: ("conflict", "This conflicts with what the index holds"),
    413: ("too-large", "The request is too large"),
    415: ("unsupported-media-type", "The request has a form that is not accepted here"),
    422: ("invalid", "The request is invalid"),
    431: ("headers-too-large", "The headers are too large"),
    500: ("internal", "Something went wrong in the server"),
    503: ("unavailable", "The server cannot answer now"),
    504: ("deadline", "The work took too long"),
}
"""What each status means here: the end of its type, and its title."""
_LONGEST: Final = 300


class Problem(Exception):  # noqa: N818 — what RFC 9457 calls it
    """Ends a request with a problem document."""

    def __init__(
        self,
        status: int,
        detail: str,
        errors: Sequence[Mapping[str, Any]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Say what is wrong in one sentence; `errors` name the fields."""
        super().__init__(detail)
        self.status, self.detail, self.errors = status, detail, list(errors)
        self.headers = dict(headers or {})

    def to_dict(self) -> dict[str, Any]:
        """Return the document."""
        kind, title = STATUSES.get(self.status, ("error", "The request failed"))
        found: dict[str, Any] = {
            "type": f"urn:lookalike:problem:{kind}",
            "title": title,
            "status": self.status,
            "detail": visible(self.detail),
        }
        return found | ({"errors": self.errors} if self.errors else {})


class ProblemResponse(Response):
    """A problem as the answer to a request."""

    media_type = MEDIA_TYPE

    def __init__(self, problem: Problem) -> None:
        """Take a problem."""
        body = json.dumps(problem.to_dict()).encode("ascii")
        super().__init__(body, problem.status, problem.headers)


def pointer(*parts: str | int) -> str:
    """Return where in a JSON document something is (RFC 6901).

    >>> pointer("documents", 3, "a/b")
    '/documents/3/a~1b'
    """
    return "".join("/" + str(part)[:_LONGEST].replace("~", "~0").replace("/", "~1") for part in parts)


def field_problem(field: str, problem: str, remedy: str) -> dict[str, str]:
    """Return what is wrong with a field."""
    return {"field": visible(field), "problem": visible(problem), "remedy": visible(remedy)}


_TAGS: Final = ("sent", "stored")
"""What pydantic calls the forms of a text, which no client has written."""
_REMEDIES: Final = {
    "missing": "add it",
    "extra_forbidden": "leave it out",
    "string_type": "give a text",
    "list_type": "give a list",
    "too_short": "give at least one",
    "model_type": "give an object",
    "model_attributes_type": "give an object",
}


def of_validation(errors: Iterable[Mapping[str, Any]], place: Sequence[str | int] = ()) -> Problem:
    """Return what a check of types found: the fields and what is wrong with them, never their values."""
    listed = []
    for error in errors:
        remedy = error.get("hint") or _REMEDIES.get(error["type"], "see /v1/openapi.json for what is allowed")
        is_unknown = error["type"] == "extra_forbidden"
        problem = "is not a known field" if is_unknown else str(error["msg"]).removeprefix("Value error, ")
        parts = [part for at, part in enumerate(error["loc"]) if at != 1 or part not in _TAGS]
        listed.append(field_problem(pointer(*place, *parts), problem[:_LONGEST], remedy))
    fields = ", ".join(error["field"] or "the body" for error in listed[:3])
    return Problem(422, f"not what was expected: {fields}"[:_LONGEST], listed[:100])


def of_error(error: LookalikeError, store: str = "", ids: Sequence[Id | None] = ()) -> Problem:
    """Return what an error of lookalike means to a client: `store` is the name that it must not see.

    `ids` are those of the documents of the request, in order: a document is then named by its place.
    """

    def said(text: str) -> str:
        return text.replace(store, "the index") if store else text

    if isinstance(error, ConflictError):
        remedy = "PUT replaces a document; or give it another id"
        listed = [
            field_problem(_place(id, ids, "id"), "is in the index with a different text", remedy)
            for id in error.documents
        ]
        for entry, id in zip(listed, error.documents, strict=True):
            entry |= {"id": id}  # type: ignore[dict-item]
        return Problem(409, said(f"{error.count:,} of the documents are in the index with a different text"), listed)
    if isinstance(error, DocumentError):
        status = 409 if error.field == "id" else 422
        place = _place(error.document, ids, error.field)
        return Problem(status, said(str(error)), [field_problem(place, said(error.problem), said(error.remedy))])
    if isinstance(error, DamagedError):
        return Problem(500, "the index is damaged; the operator of the server should run: lookalike index repair")
    if isinstance(error, StoreError):
        return Problem(503, said(f"the index {error.problem}; {error.remedy}"), headers={"retry-after": "5"})
    if isinstance(error, InternalError):
        return Problem(500, "a bug in lookalike; details are in the log of the server")
    if isinstance(error, MismatchError):
        return Problem(409, said(str(error)))
    field = getattr(error, "field", "")
    listed = [field_problem(pointer(field), said(str(error)), "see /v1/openapi.json")] if field else []
    return Problem(422, said(str(error)), listed)


def _place(id: object, ids: Sequence[Id | None], field: str) -> str:
    for place, one in enumerate(ids):
        if one == id and type(one) is type(id):
            return pointer("documents", place, field)
    return pointer(field)
