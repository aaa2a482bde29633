"""What a server says is wrong, as the error that `la.Index` would raise."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from lookalike.errors import DamagedError, DocumentError, DuplicateIdError, RecipeError, ServerError, StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lookalike.tables.packed import Id

__all__ = ["error_of", "not_lookalike", "problem_in"]

_TYPE: Final = "urn:lookalike:problem:"
_OF_DOCUMENT: Final = re.compile(r"/documents/([0-9]{1,9})(?:/(\w+))?")
_SETTINGS: Final = ("/threshold", "/top")
_OF_INDEX: Final = "the index "
"""What the details of problems of the index itself begin with, and those of the server do not."""
_LONGEST: Final = 500


def problem_in(body: bytes) -> dict[str, Any]:
    """Return the problem document that an answer holds; an answer of anybody else holds none."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) and str(found.get("type", "")).startswith(_TYPE) else {}


def not_lookalike(url: str, status: int) -> ServerError:
    """Say that an answer is none of the API."""
    return ServerError(url, "does not answer as lookalike serve does", "check the address", status)


def error_of(url: str, status: int, problem: dict[str, Any], ids: Sequence[Id] = ()) -> Exception:
    """Return the error that an answer means; `ids` are those of the documents of the request."""
    if not problem:
        return _of_somebody_else(url, status)
    detail = str(problem.get("detail", ""))[:_LONGEST] or "refuses the request"
    listed = problem.get("errors")
    first = listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], dict) else {}
    if status in (409, 413, 422) and (found := _of_field(url, status, first, ids)) is not None:
        return found
    if status == 404 and ids:
        return KeyError(_missing(str(first.get("field", "")), ids))
    if status in (500, 503) and detail.startswith(_OF_INDEX):
        what, _, remedy = detail.removeprefix(_OF_INDEX).partition("; ")
        kind = DamagedError if what.startswith("is damaged") else StoreError
        return kind(url, what, remedy or "ask whoever runs the server")
    if status == 403:
        detail, _, remedy = detail.partition("; ")
    else:
        remedy = _REMEDIES.get(status, "")
    return ServerError(url, f"answers {status}: {detail}", remedy or "ask whoever runs the server", status)


_REMEDIES: Final = {
    401: "give a token: token=, --token-file or LOOKALIKE_TOKEN",
    404: "check the address",
    413: "send less at once",
    422: "check what was given",
    429: "try again later",
    503: "try again later",
    504: "ask for less at once, or try again later",
}


def _of_somebody_else(url: str, status: int) -> ServerError:
    """Say what an answer without a problem document means: that of a proxy, or of another server."""
    if 300 <= status < 400:
        remedy = "give the address that it leads to: the token is sent to no other"
        return ServerError(url, "redirects to another address", remedy, status)
    if status == 413:
        return ServerError(url, "takes no request of this size", "raise the limit of the proxy before it", status)
    if status in (429, 502, 503, 504):
        return ServerError(
            url, f"cannot answer now ({status})", "check that lookalike serve runs, and try again", status
        )
    return not_lookalike(url, status)


def _of_field(url: str, status: int, first: dict[str, Any], ids: Sequence[Id]) -> Exception | None:
    """Return the error about a field of the request; None if it is about something else."""
    field, problem, remedy = (str(first.get(name, ""))[:_LONGEST] for name in ("field", "problem", "remedy"))
    if status == 409 and "id" in first:
        return DuplicateIdError(first["id"], index=url)
    if field in _SETTINGS:
        return RecipeError(field[1:], "this", f"what the server allows ({problem})")
    if (found := _OF_DOCUMENT.match(field)) and int(found[1]) < len(ids):
        return DocumentError(ids[int(found[1])], found[2] or "document", problem, remedy)
    if len(ids) == 1 and field in ("/id", "/text"):
        return DocumentError(ids[0], field[1:], problem, remedy)
    if ids and field in ("/a/id", "/b/id"):
        return DocumentError(_missing(field, ids), "id", problem, remedy)
    if len(ids) == 1 and status == 413:
        return DocumentError(
            ids[0], "text", "is larger than the server takes", "split it, or raise the limits of the server"
        )
    return None


def _missing(field: str, ids: Sequence[Id]) -> Id:
    """Return the id that a field is about: of two, /b is the second."""
    return ids[1] if len(ids) == 2 and field.startswith("/b") else ids[0]
