"""Stored documents: add, list, read, replace, remove; and the pairs and clusters among them."""

from __future__ import annotations

import re
import unicodedata
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from fastapi import APIRouter, Path, Query, Request
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.responses import Response

from lookalike.errors import LookalikeError
from lookalike.result.view import recall_values
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
    problem_line,
    spelt_list,
    takes,
    work_on,
)
from lookalike.server.lanes import Lane
from lookalike.server.models import (
    Acknowledged,
    Added,
    BatchDecided,
    Decided,
    DocumentList,
    Groups,
    Histogram,
    NewDocument,
    NewDocuments,
    NewText,
    OneGroupPart,
    OnePair,
    PairList,
    Put,
    Removed,
    SentDocument,
    SentDocuments,
    StoredDocument,
)
from lookalike.server.problems import Problem, field_problem, of_error
from lookalike.server.server_state import ServerState, state_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from pydantic import BaseModel

    from lookalike.index import Ensured
    from lookalike.index.contract import Store
    from lookalike.server.server_state import SimilarDocuments
    from lookalike.tables.packed import Id

__all__ = ["AFTER", "LIMIT", "router"]

router = APIRouter()
AFTER: Final = Query(pattern=r"^[0-9]{1,18}$", description="What the last answer had as next.")
LIMIT: Final = Query(ge=1, le=1000, description="How many at most.")
_STEP: Final = 10_000
"""Ids that are looked at before the time is."""
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")


# -- adding ------------------------------------------------------------------------------------------------------------


@router.post(
    "/v1/documents",
    status_code=201,
    summary="Add documents: all or none.",
    responses=answers({201: (Added,)}, 409, line=Acknowledged),
    openapi_extra=takes(SentDocument, SentDocuments, line=SentDocument),
)
async def add_documents(request: Request) -> Response:
    """Add documents. Those that are there with the same content count as unchanged, so it can be repeated.

    An id that is there with another content is a conflict. Lines are added in batches, each all or none; a line of the
    answer tells how many are safe so far.
    """
    state = state_of(request)
    if is_ndjson(request):
        return NdjsonStream(_added_lines(request, state), state)
    return Json(await work_on(request, (SentDocument, SentDocuments), _add, Lane.WRITE), 201)


def _add(state: ServerState, body: SentDocument | SentDocuments) -> dict[str, int]:
    documents = [body] if isinstance(body, SentDocument) else body.documents
    check_batch(documents, state.limits)
    with _named(documents, body, state):
        return _ensure(state, documents)._asdict()


@contextmanager
def _named(documents: Sequence[SentDocument], body: BaseModel, state: ServerState) -> Iterator[None]:
    """Have the problems of documents of a list name their places."""
    try:
        yield
    except LookalikeError as error:
        ids = [] if isinstance(body, SentDocument) else [document.id for document in documents]
        raise of_error(error, state.store.name, ids) from None


async def _added_lines(request: Request, state: ServerState) -> AsyncIterator[Any]:
    acknowledged = added = unchanged = 0
    try:
        async for lines in batches(request, state):
            done = await state.run(_add_lines, state, lines, lane=lines.lane(Lane.WRITE))
            acknowledged += done.added + done.unchanged
            added += done.added
            unchanged += done.unchanged
            yield {"acknowledged": acknowledged, "added": added, "unchanged": unchanged}
    except (Problem, LookalikeError) as error:
        yield problem_line(error, state, acknowledged=acknowledged)
    else:
        if not acknowledged:
            yield {"acknowledged": 0, "added": 0, "unchanged": 0}


def _add_lines(state: ServerState, lines: Lines) -> Ensured:
    return _ensure(state, lines.documents(state.limits))


def _ensure(state: ServerState, documents: Sequence[SentDocument]) -> Ensured:
    with state.writing() as index:
        return index.ensure(as_source(documents, state.check), threads=1)


# -- adding what is new ------------------------------------------------------------------------------------------------


@router.post(
    "/v1/add-unless-similar",
    summary="Add documents, each unless one that is stored, or comes before it, is like it: all or none.",
    responses=answers({200: (Decided, BatchDecided)}, 409, line=Decided),
    openapi_extra=takes(NewDocument, NewDocuments, line=SentDocument),
)
async def add_unless_similar(
    request: Request,
    threshold: Annotated[
        float | None, Query(gt=0, le=1, description="Of lines; JSON has it in the body. Default: that of the index.")
    ] = None,
    top: Annotated[int | None, Query(ge=1, le=1000, description="Of lines; JSON has it in the body.")] = None,
) -> Response:
    """Decide and add in one transaction, so that of two clients that send the same text only one adds it.

    A document that is stored with the same content counts as added, so a request can be repeated; one that is stored
    with another content is a conflict, and nothing is added. Lines are decided in batches, each all or none.
    """
    state = state_of(request)
    if state.store.settings.keep == "signature":
        raise Problem(
            409, "the index keeps signatures only: its scores are estimates, too vague to decide what is added"
        )
    if is_ndjson(request):
        return NdjsonStream(_decided_lines(request, state, threshold, top), state)
    return await work_on(request, (NewDocument, NewDocuments), _decide, Lane.WRITE)


def _decide(state: ServerState, body: NewDocument | NewDocuments) -> Response:
    documents: Sequence[SentDocument] = [body] if isinstance(body, NewDocument) else body.documents
    check_batch(documents, state.limits)
    with _named(documents, body, state):
        decided = _decisions(state, documents, body.threshold, body.top)
    if isinstance(body, NewDocument):
        return Json(decided[0])
    return Json(spelt_list("results", decided))


async def _decided_lines(
    request: Request, state: ServerState, threshold: float | None, top: int | None
) -> AsyncIterator[Any]:
    async for lines in batches(request, state):
        for decided in await state.run(_decide_lines, state, lines, threshold, top, lane=lines.lane(Lane.WRITE)):
            yield decided


def _decide_lines(state: ServerState, lines: Lines, threshold: float | None, top: int | None) -> list[dict[str, Any]]:
    return _decisions(state, lines.documents(state.limits), threshold, top)


def _decisions(
    state: ServerState, documents: Sequence[SentDocument], threshold: float | None, top: int | None
) -> list[dict[str, Any]]:
    most = min(top or state.limits.top, state.limits.top)
    with state.writing() as index:
        source = as_source(documents, state.check)
        decisions = index.add_unless_similar(source, threshold, top=most + 1, threads=1)
    return [
        {"id": decision.id, "added": decision.is_added, **hits_answer(decision.hits, most, of_all=True)}
        for decision in decisions
    ]


# -- listing -----------------------------------------------------------------------------------------------------------


@router.get(
    "/v1/documents",
    summary="List documents, in the order in which they were added.",
    responses=answers({200: (DocumentList,)}),
)
async def list_documents(
    request: Request,
    after: Annotated[str | None, AFTER] = None,
    limit: Annotated[int, LIMIT] = 100,
    search: Annotated[str, Query(max_length=200, description="Part of an id; case and accents do not matter.")] = "",
) -> Response:
    """List the ids of documents, those that hold `search` if it is given."""
    state = state_of(request)
    lane = Lane.BATCH if search else Lane.READ  # which looks at all ids
    return Json(await state.run(_listed, state, -1 if after is None else int(after), limit, search, lane=lane))


def _listed(state: ServerState, after: int, limit: int, search: str) -> dict[str, Any]:
    wanted = _folded(search)
    with state.store.reading() as reader:
        if wanted:
            matching = [(number, id) for number, id in _checked(reader.listed(), state) if wanted in _folded(str(id))]
            total = len(matching)
            found = list(islice((one for one in matching if one[0] > after), limit + 1))
        else:
            total = reader.count()
            found = list(islice(reader.listed(after), limit + 1))
    more = str(found[limit - 1][0]) if len(found) > limit else None
    return {"documents": [{"id": id} for _, id in found[:limit]], "next": more, "total": total}


def _checked(listed: Iterator[tuple[int, Id]], state: ServerState) -> Iterator[tuple[int, Id]]:
    """Give what is listed, as long as there is time."""
    for place, document in enumerate(listed):
        if place % _STEP == 0:
            state.check()
        yield document


def _folded(text: str) -> str:
    """Return a text without case and accents.

    >>> _folded("Élan") == _folded("ELAN")
    True
    """
    if text.isascii():
        return text.lower()
    return "".join(one for one in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(one))


# -- one document ------------------------------------------------------------------------------------------------------


class _Anything(PathConvertor):
    """The rest of a path, line breaks too, which those of Starlette end at."""

    regex = r"[\s\S]*"


register_url_convertor("anything", _Anything())
_ONE: Final = "/v1/documents/{id:anything}"
_BY_PARAMETER: Final = "/v1/document"
"""For ids that no proxy leaves alone in a path: nothing, "." and ".."."""


@router.get(_ONE, summary="Read a document.", responses=answers({200: (StoredDocument,)}, 404))
@router.get(_BY_PARAMETER, summary="Read a document.", responses=answers({200: (StoredDocument,)}, 404))
async def read_document(request: Request, id: str) -> Response:
    """Return a document; its text is null where the index keeps none."""
    state = state_of(request)
    return Json(await state.run(_read, state.store, id))


def _read(store: Store, given: str) -> dict[str, Any]:
    with store.reading() as reader:
        id = _own_id(given, reader.version().kind)
        (number,) = reader.numbers([id])
        if number is None:
            raise _missing()
        text = reader.bodies([number])[number].decode("utf-8") if store.settings.keep == "text" else None
    return {"id": id, "text": text}


@router.put(
    _ONE,
    summary="Add a document, or replace it.",
    responses=answers({200: (Put,), 201: (Put,)}, 404, 409),
    openapi_extra=takes(NewText),
)
@router.put(
    _BY_PARAMETER,
    summary="Add a document, or replace it.",
    responses=answers({200: (Put,), 201: (Put,)}, 404, 409),
    openapi_extra=takes(NewText),
)
async def put_document(request: Request, id: str) -> Response:
    """Store a text under an id, whatever was there."""

    def put(state: ServerState, body: NewText) -> tuple[Id, str]:
        check_text(body.text, state.limits)
        own = _checked_id(state.store, id)
        with state.writing() as index:
            return own, index.put(own, body.text, threads=1)

    own, became = await work_on(request, (NewText,), put, Lane.WRITE)
    return Json({"id": own, "replaced": became == "replaced"}, 201 if became == "added" else 200)


def _checked_id(store: Store, given: str) -> Id:
    with store.reading() as reader:
        return _own_id(given, reader.version().kind)


@router.delete(_ONE, summary="Remove a document.", responses=answers({200: (Removed,)}, 404))
@router.delete(_BY_PARAMETER, summary="Remove a document.", responses=answers({200: (Removed,)}, 404))
async def remove_document(request: Request, id: str) -> Response:
    """Remove a document."""
    state = state_of(request)
    await state.run(_remove, state, id, lane=Lane.WRITE)
    return Json({"removed": True})


def _remove(state: ServerState, id: str) -> None:
    own = _checked_id(state.store, id)
    with state.writing() as index:
        if not index.remove([own]):
            raise _missing()


def _own_id(given: str, kind: str) -> Id:
    """Return an id as the index has it; where its ids are numbers, nothing else is one."""
    if kind != "int":
        return given
    if not _NUMBER.fullmatch(given) or not -(2**63) <= int(given) < 2**63 or str(int(given)) != given:
        raise _missing()
    return int(given)


def _missing() -> Problem:
    problem = "is not in the index"
    return Problem(404, f"this id {problem}", [field_problem("/id", problem, "check the id")])


# -- pairs and clusters ------------------------------------------------------------------------------------------------

_MEMBERS = 1000
"""Documents of a cluster that a list of clusters names."""
_Threshold = Annotated[float | None, Query(gt=0, le=1, description="Default: that of the index.")]


@router.get("/v1/groups", summary="The clusters of similar documents.", responses=answers({200: (Groups,)}))
async def groups(
    request: Request,
    threshold: _Threshold = None,
    after: Annotated[str | None, AFTER] = None,
    limit: Annotated[int, LIMIT] = 100,
) -> Response:
    """List clusters, the largest first."""
    state = state_of(request)
    found = await state.collection.at(threshold)
    return Json(await state.run(_groups, found, int(after or 0), limit))


def _groups(found: SimilarDocuments, start: int, limit: int) -> dict[str, Any]:
    numbers = range(start + 1, min(start + limit, len(found.groups)) + 1)
    listed = [_group(found, number) for number in numbers]
    return {"groups": listed, **_rest(start, limit, len(found.groups)), **_promise(found, "clusters")}


def _group(found: SimilarDocuments, number: int, start: int = 0, limit: int = _MEMBERS) -> dict[str, Any]:
    group = found.groups[number - 1]
    members = list(group.members[start : start + limit])
    return {"group": number, "principal": group.principal, "size": len(group.members), "documents": members}


@router.get(
    "/v1/groups/{group}",
    summary="The documents of one cluster, however large.",
    responses=answers({200: (OneGroupPart,)}, 404),
)
async def group(
    request: Request,
    group: Annotated[int, Path(ge=1, le=2**31, description="Its place in the list of clusters, from 1.")],
    threshold: _Threshold = None,
    after: Annotated[str | None, AFTER] = None,
    limit: Annotated[int, LIMIT] = _MEMBERS,
) -> Response:
    """List the documents of a cluster, in the order in which they were added."""
    state = state_of(request)
    found = await state.collection.at(threshold)
    if group > len(found.groups):
        raise Problem(404, f"there is no cluster {group:,} among {len(found.groups):,}")
    start = int(after or 0)
    listed = _group(found, group, start, limit)
    return Json(listed | {"next": _rest(start, limit, listed["size"])["next"]})


@router.get("/v1/pairs", summary="The pairs of similar documents.", responses=answers({200: (PairList,)}))
async def pairs(
    request: Request,
    threshold: _Threshold = None,
    after: Annotated[str | None, AFTER] = None,
    limit: Annotated[int, LIMIT] = 100,
    id: Annotated[str | None, Query(description="Only pairs of this document.")] = None,
) -> Response:
    """List pairs, the most similar first."""
    state = state_of(request)
    found = await state.collection.at(threshold)
    return Json(await state.run(_pairs, found, int(after or 0), limit, id))


def _pairs(found: SimilarDocuments, start: int, limit: int, id: str | None) -> dict[str, Any]:
    import pyarrow as pa
    import pyarrow.compute as pc

    table = found.pairs
    if id is not None:
        sides = [
            pc.equal(pc.cast(table[side], pa.large_string()), pa.scalar(id, pa.large_string())) for side in ("a", "b")
        ]
        table = table.filter(pc.or_(*sides))
    names = [name for name in OnePair.model_fields if name in table.column_names]
    listed = table.select(names).slice(start, limit).to_pylist()
    return {"pairs": listed, **_rest(start, limit, table.num_rows), **_promise(found, "pairs")}


def _promise(found: SimilarDocuments, of: Literal["pairs", "clusters"]) -> dict[str, Any]:
    """Return the recall, and of how many documents not all pairs are listed: then none is promised of the pairs."""
    limited = 0 if found.recall is None else found.recall.limited
    return {"recall": recall_values(None if limited and of == "pairs" else found.recall), "limited": limited}


def _rest(start: int, limit: int, total: int) -> dict[str, Any]:
    return {"next": str(start + limit) if start + limit < total else None, "total": total}


@router.get("/v1/histogram", summary="How many pairs have which similarity.", responses=answers({200: (Histogram,)}))
async def histogram(request: Request) -> Response:
    """Count the pairs from the threshold of the index up to 1."""
    state = state_of(request)
    found = await state.collection.at(None)
    edges, counts = await state.run(found.histogram)
    return Json({"edges": edges, "counts": counts, "threshold": found.threshold, **_promise(found, "pairs")})
