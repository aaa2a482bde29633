"""What the OpenAPI document says beside what FastAPI finds out: bodies, problems and tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic.json_schema import models_json_schema

from lookalike.server.models import ANSWERS, REQUESTS, ProblemDocument
from lookalike.server.problems import MEDIA_TYPE, STATUSES

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["answers", "complete", "takes"]

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
    """Describe what a route answers: `statuses` are the problems that it has beside those of every route."""
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
