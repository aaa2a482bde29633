"""The bodies of requests, read and checked; answers as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json
from starlette.responses import Response

from lookalike.documents.source import Batch
from lookalike.index.index_documents import Portion
from lookalike.server.problems import Problem, field_problem, of_validation, pointer
from lookalike.tables.json import to_json
from lookalike.tables.packed import Ids, Texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from lookalike.documents import Source
    from lookalike.server.models import Document
    from lookalike.server.settings import ServerLimits

__all__ = ["NDJSON", "Json", "as_source", "check_batch", "check_text", "is_ndjson", "parsed", "read_body", "validated"]

NDJSON = "application/x-ndjson"
Model = TypeVar("Model", bound=BaseModel)


class Json(Response):
    """A value as JSON: strange characters of ids and texts are escapes."""

    media_type = "application/json"

    def __init__(self, value: Any, status: int = 200) -> None:
        """Take a plain value."""
        super().__init__(to_json(value, indent=None).encode("utf-8"), status)


def is_ndjson(request: Request) -> bool:
    """Tell whether a body is a stream of lines; the guard has looked at its type already."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower() == NDJSON


def parsed(data: bytes) -> Any:
    """Return the value of a JSON text."""
    try:
        return from_json(data, allow_inf_nan=False)
    except ValueError as error:
        raise Problem(400, f"the body is no JSON: {error}") from None


def validated(kind: type[Model], value: Any, place: Sequence[str | int] = ()) -> Model:
    """Return a value in its shape."""
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        raise of_validation(
            error.errors(include_url=False, include_context=False, include_input=False), place
        ) from None


async def read_body(request: Request, *kinds: type[BaseModel]) -> Any:
    """Return the body of a request in its shape: the last of `kinds` if it has documents, else the first."""
    value = parsed(await request.body())
    several = isinstance(value, dict) and "documents" in value
    return validated(kinds[-1] if several else kinds[0], value)


def check_batch(documents: Sequence[Document], limits: ServerLimits) -> None:
    """Refuse too many documents, texts that are too long, and ids of two kinds."""
    if len(documents) > limits.batch:
        problem = f"has {len(documents):,} documents, more than {limits.batch:,}"
        remedy = f"send fewer at a time, or lines of {NDJSON}"
        raise Problem(413, f"documents {problem}", [field_problem("/documents", problem, remedy)])
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


def as_source(documents: Sequence[Document]) -> Source:
    """Return documents as an index takes them."""
    ids, texts = Ids.of([document.id for document in documents]), Texts.of([document.text for document in documents])
    return Portion("the request", [Batch(ids, texts)])
