"""The page for people: one document, one style and one script, whose parts it shares with the report.

It holds no data and needs no token: its script asks the API. The guard adds the policy that lets nothing else run.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from lookalike.report.assemble import SHARED_SCRIPTS, SHARED_STYLES, joined, part
from lookalike.server.problems import Problem

__all__ = ["SCRIPTS", "STYLES", "router"]

router = APIRouter(include_in_schema=False)

STYLES: Final = ("page.css",)
SCRIPTS: Final = (
    *("api.js", "work.js", "dialogs.js", "ids.js", "hits.js"),
    *("check.js", "documents.js", "groups.js", "compare.js", "main.js"),
)
"""The parts of the page's own, behind those that it shares, in the order in which they are put together."""


@router.get("/")
async def page() -> Response:
    """Return the page."""
    return Response(_own("index.html"), media_type="text/html")


@router.get("/assets/{name}")
async def asset(name: str) -> Response:
    """Return what the page loads: there is nothing else, and a name is never a path."""
    found = _assets().get(name)
    if found is None:
        raise Problem(404, "the page has no such part")
    content, media_type = found
    return Response(content, media_type=media_type)


@cache
def _assets() -> dict[str, tuple[str, str]]:
    """Put the parts together, once."""
    return {
        "page.css": ("\n".join([*map(part, SHARED_STYLES), *map(_own, STYLES)]), "text/css"),
        "page.js": (joined([*map(part, SHARED_SCRIPTS), *map(_own, SCRIPTS)]), "text/javascript"),
        "icon.svg": (_own("icon.svg"), "image/svg+xml"),
    }


def _own(name: str) -> str:
    return (files("lookalike.server") / "page" / name).read_text(encoding="utf-8")
