"""The application: the page, what the server says about itself, and all routes, problems and the guard put together."""

from __future__ import annotations

from collections import Counter
from functools import cache
from importlib.resources import files
from typing import Any, Final

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response

import lookalike
from lookalike.documents.kinds import DOCUMENTS
from lookalike.errors import LookalikeError, suggest
from lookalike.report import SHARED_SCRIPTS, SHARED_STYLES, joined, part
from lookalike.server import check_routes, document_routes
from lookalike.server.bodies import Json, answers, complete
from lookalike.server.guard import Guard
from lookalike.server.models import Health, Info
from lookalike.server.problems import Problem, ProblemResponse, field_problem, of_error, of_validation, pointer
from lookalike.server.server_state import METRICS_TYPE, ServerState, state_of

__all__ = ["SCRIPTS", "STYLES", "create_app"]

# -- the page ----------------------------------------------------------------------------------------------------------

page_router = APIRouter(include_in_schema=False)

STYLES: Final = ("page.css",)
SCRIPTS: Final = (
    *("api.js", "work.js", "dialogs.js", "ids.js", "hits.js"),
    *("check.js", "documents.js", "groups.js", "compare.js", "main.js"),
)
"""The page's own parts, which follow those that it shares with the report, in the order in which they are joined."""


@page_router.get("/")
async def page() -> Response:
    """Return the page."""
    return Response(_own("index.html"), media_type="text/html")


@page_router.get("/assets/{name}")
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
        "page.js": (joined([_formats(), *map(part, SHARED_SCRIPTS), *map(_own, SCRIPTS)]), "text/javascript"),
        "icon.svg": (_own("icon.svg"), "image/svg+xml"),
    }


def _formats() -> str:
    """Define the endings of the files that the page offers to choose."""
    endings = (".txt", *(ending for format in DOCUMENTS.values() for ending in format.endings))
    return f'const FORMATS = "{",".join(endings)}";'


def _own(name: str) -> str:
    return (files("lookalike.server") / "page" / name).read_text(encoding="utf-8")


# -- about the server --------------------------------------------------------------------------------------------------

service_router = APIRouter()
_FACTS = (
    *("store", "documents", "bytes", "recipe", "threshold", "recall", "bands", "rows", "keep", "secret", "preset"),
)
"""What is published about an index: not its location."""


@service_router.get("/v1/info", summary="What is served, and what you may do.", responses=answers({200: (Info,)}))
async def info(request: Request) -> Response:
    """Describe the index, the limits, and the rights of this client."""
    state = state_of(request)
    may = ["read", "write"] if request.scope.get("lookalike.right", "write") == "write" else ["read"]
    if state.settings.read_only:
        may = ["read"]
    return Json({**await state.run(_info, state), "limits": state.limits.to_dict(), "may": may})


def _info(state: ServerState) -> dict[str, Any]:
    known = state.index.info()
    with state.store.reading() as reader:
        kind = reader.version().kind
    return {"version": lookalike.__version__, **{fact: known[fact] for fact in _FACTS}, "ids": kind}


@service_router.get("/v1/health", summary="Is the server alive?", responses=answers({200: (Health,)}))
async def health() -> Response:
    """Answer."""
    return Json({"status": "ok"})


@service_router.get("/v1/ready", summary="Can the index be read?", responses=answers({200: (Health,)}))
async def ready(request: Request) -> Response:
    """Answer if the index does."""
    state = state_of(request)
    await state.run(len, state.index)
    return Json({"status": "ok"})


@service_router.get(
    "/v1/metrics",
    summary="Numbers for Prometheus.",
    response_class=PlainTextResponse,
    responses=answers({}),
)
async def metrics(request: Request) -> Response:
    """Return the numbers of this process."""
    state = state_of(request)
    documents = await state.run(len, state.index)
    return Response(state.metrics.shown(documents), media_type=METRICS_TYPE)


# -- the application ---------------------------------------------------------------------------------------------------

_ROUTERS: Final = (check_routes.router, document_routes.router, service_router, page_router)
_DESCRIPTION: Final = "/v1/openapi.json"
_ABOUT: Final = "Which stored documents are similar to a new one? Problems are RFC 9457; lines are NDJSON."


class _App(FastAPI):
    """FastAPI with a description that knows the bodies, which the routes read themselves."""

    def openapi(self) -> dict[str, Any]:
        """Return the description, made once."""
        if self.openapi_schema is None:
            state: ServerState = self.state.lookalike
            self.openapi_schema = complete(super().openapi(), tokens=state.settings.tokens is not None)
        return self.openapi_schema


def create_app(state: ServerState) -> FastAPI:
    """Return the application of a server; the caller closes the state."""
    app = _App(
        title="lookalike",
        description=_ABOUT,
        version=lookalike.__version__,
        openapi_url=_DESCRIPTION,
        docs_url=None,  # the pages of FastAPI load scripts from elsewhere
        redoc_url=None,
        dependencies=[Depends(_only_known_parameters)],
        redirect_slashes=False,  # "/v1/documents/" is the document with the id ""
    )
    app.state.lookalike = state
    for router in _ROUTERS:
        app.include_router(router)
    for kind in (Problem, LookalikeError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _problem)
    app.add_middleware(Guard, state=state, methods=_methods)
    return app


def _only_known_parameters(request: Request) -> None:
    """Refuse parameters that a route does not have, or that are given twice: it would be unclear which one counts."""
    if not request.scope["path"].startswith("/v1/"):
        return  # the page may use its own address as it likes
    known = {parameter.alias for parameter in request.scope["route"].dependant.query_params}
    given = Counter(name for name, _ in request.query_params.multi_items())
    wrong = {name: "is not a parameter of this request" for name in given if name not in known}
    wrong |= {name: "is given more than once" for name, count in given.items() if name in known and count > 1}
    if wrong:
        listed = [
            field_problem(pointer(name), problem, (name not in known and suggest(name, known)) or "leave it out")
            for name, problem in list(wrong.items())[:100]
        ]
        raise Problem(422, "there are parameters that this request does not take", listed)


async def _problem(request: Request, error: Exception) -> Response:
    if isinstance(error, Problem):
        return ProblemResponse(error)
    if isinstance(error, RequestValidationError):
        found = [{**one, "loc": one["loc"][1:]} for one in error.errors()]  # without "query" or "path"
        return ProblemResponse(of_validation(found))
    if isinstance(error, LookalikeError):
        state: ServerState = request.app.state.lookalike
        return ProblemResponse(of_error(error, state.store.name))
    return ProblemResponse(Problem(getattr(error, "status_code", 500), "the request failed"))


_ROUTES: Final = [route for router in _ROUTERS for route in router.routes if isinstance(route, APIRoute)]


def _methods(path: str) -> set[str]:
    """Return what can be done at an address, by all routes together."""
    if path == _DESCRIPTION:
        return {"GET"}
    return {method for route in _ROUTES if route.path_regex.match(path) for method in route.methods or ()}
