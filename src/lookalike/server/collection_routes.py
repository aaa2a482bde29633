"""What is alike among the stored documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from lookalike.server.bodies import Json
from lookalike.server.description import answers
from lookalike.server.document_routes import AFTER, LIMIT
from lookalike.server.models import Groups, Histogram, OneGroupPart, Pairs
from lookalike.server.problems import Problem
from lookalike.server.state import state_of

if TYPE_CHECKING:
    from lookalike.server.collection import Within

__all__ = ["router"]

router = APIRouter()
_MEMBERS = 1000
"""Documents of a group that a list of groups names."""
_Threshold = Annotated[float | None, Query(gt=0, le=1, description="Default: that of the index.")]


@router.get("/v1/groups", summary="The groups of documents that are alike.", responses=answers({200: (Groups,)}))
async def groups(
    request: Request,
    threshold: _Threshold = None,
    after: Annotated[str | None, AFTER] = None,
    limit: Annotated[int, LIMIT] = 100,
) -> Response:
    """List groups, the largest first."""
    state = state_of(request)
    found = await state.collection.at(threshold)
    return Json(await state.run(_groups, found, int(after or 0), limit))


def _groups(found: Within, start: int, limit: int) -> dict[str, Any]:
    numbers = range(start + 1, min(start + limit, len(found.groups)) + 1)
    return {"groups": [_group(found, number) for number in numbers], **_rest(start, limit, len(found.groups))}


def _group(found: Within, number: int, start: int = 0, limit: int = _MEMBERS) -> dict[str, Any]:
    group = found.groups[number - 1]
    members = list(group.members[start : start + limit])
    return {"group": number, "principal": group.principal, "size": len(group.members), "documents": members}


@router.get(
    "/v1/groups/{group}",
    summary="The documents of one group, however large.",
    responses=answers({200: (OneGroupPart,)}, 404),
)
async def group(
    request: Request,
    group: Annotated[int, Path(ge=1, le=2**31, description="Its place in the list of groups, from 1.")],
    threshold: _Threshold = None,
    after: Annotated[str | None, AFTER] = None,
    limit: Annotated[int, LIMIT] = _MEMBERS,
) -> Response:
    """List the documents of a group, in the order in which they were added."""
    state = state_of(request)
    found = await state.collection.at(threshold)
    if group > len(found.groups):
        raise Problem(404, f"there is no group {group:,} of {len(found.groups):,}")
    start = int(after or 0)
    listed = _group(found, group, start, limit)
    return Json(listed | {"next": _rest(start, limit, listed["size"])["next"]})


@router.get("/v1/pairs", summary="The pairs of documents that are alike.", responses=answers({200: (Pairs,)}))
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


def _pairs(found: Within, start: int, limit: int, id: str | None) -> dict[str, Any]:
    import pyarrow as pa
    import pyarrow.compute as pc

    table = found.pairs
    if id is not None:
        sides = [
            pc.equal(pc.cast(table[side], pa.large_string()), pa.scalar(id, pa.large_string())) for side in ("a", "b")
        ]
        table = table.filter(pc.or_(*sides))
    names = ["a", "b", "jaccard", *(name for name in ("containment_a", "containment_b") if name in table.column_names)]
    listed = table.select(names).slice(start, limit).to_pylist()
    return {"pairs": listed, **_rest(start, limit, table.num_rows)}


def _rest(start: int, limit: int, total: int) -> dict[str, Any]:
    return {"next": str(start + limit) if start + limit < total else None, "total": total}


@router.get("/v1/histogram", summary="How many pairs have which similarity.", responses=answers({200: (Histogram,)}))
async def histogram(request: Request) -> Response:
    """Count the pairs from the threshold of the index up to 1."""
    state = state_of(request)
    found = await state.collection.at(None)
    edges, counts = await state.run(found.histogram)
    return Json({"edges": edges, "counts": counts, "threshold": found.threshold})
