"""What is asked about texts, and changes nothing: check and compare them, and extract them from files."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from lookalike.documents.document_batches import RefusedError
from lookalike.documents.extract.pool import extract
from lookalike.documents.kinds import kind_of
from lookalike.documents.raw_input import Limits
from lookalike.report.pair_passages import MarkedText, blocks_of
from lookalike.server.bodies import (
    Json,
    Lines,
    NdjsonStream,
    answers,
    as_source,
    batches,
    check_batch,
    check_text,
    hits_answer,
    is_ndjson,
    spelt_list,
    takes,
    work_on,
)
from lookalike.server.lanes import Lane
from lookalike.server.models import (
    BatchChecked,
    CheckBatch,
    Checked,
    CheckedDocument,
    CheckText,
    Compare,
    Compared,
    SentDocument,
    StoredText,
)
from lookalike.server.problems import Problem, field_problem
from lookalike.server.server_state import ServerState, state_of
from lookalike.text.comparison import SHORTEST, compare, to_values

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from lookalike.documents.document_batches import Extracted
    from lookalike.documents.kinds import Kind
    from lookalike.index.query import Hits
    from lookalike.recipe import Recipe

__all__ = ["reading_of", "router"]

router = APIRouter()
_PORTION: Final = 25
"""Documents whose hits are held at the same time."""


class _Asked(NamedTuple):
    threshold: float | None
    top: int | None
    skip_same_id: bool = False


@router.post(
    "/v1/check",
    summary="Which stored documents are like a text, or like each of some documents?",
    responses=answers({200: (Checked, BatchChecked)}, 409, line=CheckedDocument),
    openapi_extra=takes(CheckText, CheckBatch, line=SentDocument),
)
async def check(
    request: Request,
    threshold: Annotated[float | None, Query(ge=0, le=1, description="Of lines; JSON has it in the body.")] = None,
    top: Annotated[int | None, Query(ge=1, le=1000, description="Of lines; JSON has it in the body.")] = None,
    skip_same_id: Annotated[bool, Query(description="Of lines; JSON has it in the body.")] = False,
) -> Response:
    """Ask about a text, a list of documents, or lines."""
    state = state_of(request)
    if is_ndjson(request):
        return NdjsonStream(_checked_lines(request, state, _Asked(threshold, top, skip_same_id)), state)
    return await work_on(request, (CheckText, CheckBatch), _check)


def _check(state: ServerState, body: CheckText | CheckBatch) -> Response:
    if isinstance(body, CheckText):
        check_text(body.text, state.limits)
        return Json(_ask_one(state, body.text, _Asked(body.threshold, body.top)))
    asked = _Asked(body.threshold, body.top, body.skip_same_id)
    check_batch(body.documents, state.limits)
    return Json(spelt_list("results", _ask_all(state, body.documents, asked)))


async def _checked_lines(request: Request, state: ServerState, asked: _Asked) -> AsyncIterator[Any]:
    async for lines in batches(request, state):
        for result in await state.run(_check_lines, state, lines, asked, lane=lines.lane(Lane.READ)):
            yield result


def _check_lines(state: ServerState, lines: Lines, asked: _Asked) -> list[dict[str, Any]]:
    return list(_ask_all(state, lines.documents(state.limits), asked))


def _ask_one(state: ServerState, text: str, asked: _Asked) -> dict[str, Any]:
    threshold, top = _bounds(state, asked)
    hits = state.index.query(text, threshold, top=top + 1, threads=1)
    return _answer(state, hits, top, asked)


def _ask_all(state: ServerState, documents: Sequence[SentDocument], asked: _Asked) -> Iterator[dict[str, Any]]:
    """Give the answer for each, in portions: each may have many hits."""
    threshold, top = _bounds(state, asked)
    for start in range(0, len(documents), _PORTION):
        some = as_source(documents[start : start + _PORTION], state.check)
        for hits in state.index.query(some, threshold, top=top + 1, skip_same_id=asked.skip_same_id, threads=1):
            yield {"query": hits.query, **_answer(state, hits, top, asked)}


def _answer(state: ServerState, hits: Hits, top: int, asked: _Asked) -> dict[str, Any]:
    nearest = state.store.settings.nearest > 0
    of_all = bool(asked.threshold) or asked.top is None
    return hits_answer(hits, top, of_all=of_all, nearest=nearest)


def _bounds(state: ServerState, asked: _Asked) -> tuple[float | None, int]:
    """Return the threshold and the number of hits, as `Index.query` has them: top alone asks for the nearest."""
    most = state.limits.top
    threshold = asked.threshold
    if threshold is None and asked.top is None:
        threshold = state.store.settings.threshold
    return threshold, min(asked.top or most, most)


# -- two texts ---------------------------------------------------------------------------------------------------------


class _Text(NamedTuple):
    name: Any
    text: str


@router.post(
    "/v1/compare",
    summary="How similar are two texts, and which passages do they share?",
    responses=answers({200: (Compared,)}, 404, 409),
    openapi_extra=takes(Compare),
)
async def compare_texts(request: Request) -> Response:
    """Compare two texts, sent or stored; offsets are code points."""
    return Json(await work_on(request, (Compare,), _compared))


def _compared(state: ServerState, body: Compare) -> dict[str, Any]:
    a, b = (_side(state, place, side) for place, side in (("a", body.a), ("b", body.b)))
    values = to_values(a, b, compare(a.text, b.text, state.index.recipe))
    return values | {"reading": reading_of(a.text, b.text, state.index.recipe)}


def _side(state: ServerState, place: str, side: Any) -> _Text:
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


def reading_of(a: str, b: str, recipe: Recipe) -> dict[str, Any]:
    """Return the passages of two texts, with the places of their runs in code points.

    >>> from lookalike.recipe import Recipe
    >>> reading_of("one two three four five six seven eight", "one two three four 5 five six seven eight", Recipe())
    ... # doctest: +NORMALIZE_WHITESPACE
    {'unit': 'word', 'least': 8, 'units': [8, 9],
     'passages': [{'units': 8, 'runs': [[0, 18, 0, 18], [19, 39, 21, 41]]}]}
    """
    documents = MarkedText.of(a, recipe), MarkedText.of(b, recipe)
    return {
        "unit": recipe.unit,
        "least": SHORTEST[recipe.unit],
        "units": [document.units for document in documents],
        "passages": [
            {"units": block.units, "runs": [list(run) for run in block.runs]} for block in blocks_of(*documents, recipe)
        ],
    }


# -- the text of a file ------------------------------------------------------------------------------------------------

# A sandboxed process takes it out, never this one. Nothing is written to a disk and nothing is opened: the bytes go to
# the process, and their name only chooses the reader.

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
    return Json(await state.run(_text_of, name, data, limits, _SHARE * state.limits.seconds, lane=Lane.BATCH))


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
    """Say why there is no text, without the options of commands, which do not apply here."""
    problem, _, remedy = detail.partition("; ")
    if not remedy or remedy.startswith("--"):
        remedy = "send another file, or its text"
    wrong = [field_problem("/name", problem, remedy)]
    return Problem(_STATUSES.get(reason, 422), f"{name} cannot be read ({reason}): {problem}; {remedy}", wrong)
