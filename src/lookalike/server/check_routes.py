"""Which stored documents are like new ones, and what two texts share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from lookalike.server.bodies import Json, as_source, check_batch, check_text, is_ndjson, read_body
from lookalike.server.description import answers, takes
from lookalike.server.models import (
    BatchChecked,
    Check,
    CheckBatch,
    Checked,
    CheckedDocument,
    Compare,
    Compared,
    Document,
    StoredText,
)
from lookalike.server.ndjson import Stream, batches
from lookalike.server.problems import Problem, field_problem
from lookalike.server.reading import reading_of
from lookalike.server.state import State, state_of
from lookalike.text.comparison import compare, to_values

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from lookalike.index import Hits

__all__ = ["router"]

router = APIRouter()


class _Asked(NamedTuple):
    threshold: float | None
    top: int | None


@router.post(
    "/v1/check",
    summary="Which stored documents are like a text, or like each of some documents?",
    responses=answers({200: (Checked, BatchChecked)}, 409, line=CheckedDocument),
    openapi_extra=takes(Check, CheckBatch, line=Document),
)
async def check(
    request: Request,
    threshold: Annotated[float | None, Query(ge=0, le=1, description="Of lines; JSON has it in the body.")] = None,
    top: Annotated[int | None, Query(ge=1, le=1000, description="Of lines; JSON has it in the body.")] = None,
) -> Response:
    """Ask about a text, a list of documents, or lines."""
    state = state_of(request)
    if is_ndjson(request):
        return Stream(_checked_lines(request, state, _Asked(threshold, top)), state)
    body: Check | CheckBatch = await read_body(request, Check, CheckBatch)
    asked = _Asked(body.threshold, body.top)
    if isinstance(body, Check):
        check_text(body.text, state.limits)
        return Json(await state.run(_ask_one, state, body.text, asked))
    check_batch(body.documents, state.limits)
    return Json({"results": await state.run(_ask_all, state, body.documents, asked)})


async def _checked_lines(request: Request, state: State, asked: _Asked) -> AsyncIterator[Any]:
    async for documents in batches(request, state):
        check_batch(documents, state.limits)
        for result in await state.run(_ask_all, state, documents, asked):
            yield result


def _ask_one(state: State, text: str, asked: _Asked) -> dict[str, Any]:
    threshold, top = _bounds(state, asked)
    hits = state.index.query(text, threshold, top=top + 1, threads=1)
    return _answer(hits, top, asked)


def _ask_all(state: State, documents: Sequence[Document], asked: _Asked) -> list[dict[str, Any]]:
    threshold, top = _bounds(state, asked)
    # The document itself may be among the hits.
    found = state.index.query(as_source(documents), threshold, top=top + 2, threads=1)
    return [{"query": hits.query, **_answer(hits, top, asked)} for hits in found]


def _bounds(state: State, asked: _Asked) -> tuple[float | None, int]:
    """Return the threshold and the number of hits, as `Index.query` has them: top alone asks for the nearest."""
    most = state.limits.top
    threshold = asked.threshold
    if threshold is None and asked.top is None:
        threshold = state.store.settings.threshold
    return threshold, min(asked.top or most, most)


def _answer(hits: Hits, top: int, asked: _Asked) -> dict[str, Any]:
    """Return so many hits; it is no news to who asked for so many that there are more."""
    others = [hit.to_dict() for hit in hits if hits.query is None or hit.id != hits.query]
    return {"hits": others[:top], "truncated": hits.truncated or (asked.top is None and len(others) > top)}


# -- two texts ---------------------------------------------------------------------------------------------------------


class _Text(NamedTuple):
    name: Any
    text: str


@router.post(
    "/v1/compare",
    summary="How alike are two texts, and which passages do they share?",
    responses=answers({200: (Compared,)}, 404, 409),
    openapi_extra=takes(Compare),
)
async def compare_texts(request: Request) -> Response:
    """Compare two texts, sent or stored; offsets are code points."""
    state = state_of(request)
    body: Compare = await read_body(request, Compare)
    return Json(await state.run(_compared, state, body))


def _compared(state: State, body: Compare) -> dict[str, Any]:
    a, b = (_side(state, place, side) for place, side in (("a", body.a), ("b", body.b)))
    values = to_values(a, b, compare(a.text, b.text, state.index.recipe))
    return values | {"reading": reading_of(a.text, b.text, state.index.recipe)}


def _side(state: State, place: str, side: Any) -> _Text:
    if not isinstance(side, StoredText):
        check_text(side.text, state.limits, place, "text")
        return _Text(None, side.text)
    if state.store.settings.keep != "text":
        problem, remedy = "cannot be read: the index keeps no texts", "send the text"
        raise Problem(409, f"{place} {problem}", [field_problem(f"/{place}/id", problem, remedy)])
    try:
        return _Text(side.id, state.index.get(side.id))
    except KeyError:
        problem, remedy = "is not in the index", "check the id"
        raise Problem(404, f"{place} {problem}", [field_problem(f"/{place}/id", problem, remedy)]) from None
