"""The server about itself: what it serves, whether it is well, and its numbers."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import PlainTextResponse, Response

import lookalike
from lookalike.server.bodies import Json
from lookalike.server.description import answers
from lookalike.server.metrics import MEDIA_TYPE
from lookalike.server.models import Health, Info
from lookalike.server.state import State, state_of

__all__ = ["router"]

router = APIRouter()
_FACTS = ("store", "documents", "bytes", "recipe", "threshold", "recall", "bands", "rows", "keep", "secret")
"""What is told of an index: not where it is."""


@router.get("/v1/info", summary="What is served, and what you may do.", responses=answers({200: (Info,)}))
async def info(request: Request) -> Response:
    """Describe the index, the limits, and the rights of this client."""
    state = state_of(request)
    may = ["read", "write"] if request.scope.get("lookalike.right", "write") == "write" else ["read"]
    if state.settings.read_only:
        may = ["read"]
    return Json({**await state.run(_info, state), "limits": state.limits.to_dict(), "may": may})


def _info(state: State) -> dict[str, Any]:
    known = state.index.info()
    with state.store.reading() as reader:
        kind = reader.version().kind
    return {"version": lookalike.__version__, **{fact: known[fact] for fact in _FACTS}, "ids": kind}


@router.get("/v1/health", summary="Is the server alive?", responses=answers({200: (Health,)}))
async def health() -> Response:
    """Answer."""
    return Json({"status": "ok"})


@router.get("/v1/ready", summary="Can the index be read?", responses=answers({200: (Health,)}))
async def ready(request: Request) -> Response:
    """Answer if the index does."""
    state = state_of(request)
    await state.run(len, state.index)
    return Json({"status": "ok"})


@router.get(
    "/v1/metrics",
    summary="Numbers for Prometheus.",
    response_class=PlainTextResponse,
    responses=answers({}),
)
async def metrics(request: Request) -> Response:
    """Return the numbers of this process."""
    state = state_of(request)
    documents = await state.run(len, state.index)
    return Response(state.metrics.shown(documents), media_type=MEDIA_TYPE)
