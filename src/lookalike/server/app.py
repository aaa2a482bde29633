"""The application: routes, problems and the guard, put together."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request  # noqa: TC002 — FastAPI reads the signatures at run time

import lookalike
from lookalike.errors import LookalikeError
from lookalike.server import check_routes, collection_routes, document_routes, extract, page_routes, service_routes
from lookalike.server.description import complete
from lookalike.server.guard import Guard
from lookalike.server.problems import Problem, ProblemResponse, field_problem, of_error, of_validation, pointer

if TYPE_CHECKING:
    from starlette.responses import Response

    from lookalike.server.state import State

__all__ = ["create_app"]

_PARTS: Final = (check_routes, document_routes, collection_routes, service_routes, extract, page_routes)
_DESCRIPTION: Final = "/v1/openapi.json"
_ABOUT: Final = "Which stored documents are like a new one? Problems are RFC 9457; lines are NDJSON."


class _App(FastAPI):
    """FastAPI with a description that knows the bodies, which the routes read themselves."""

    def openapi(self) -> dict[str, Any]:
        """Return the description, made once."""
        if self.openapi_schema is None:
            state: State = self.state.lookalike
            self.openapi_schema = complete(super().openapi(), tokens=state.settings.tokens is not None)
        return self.openapi_schema


def create_app(state: State) -> FastAPI:
    """Return the application of a server; whoever made the state closes it."""
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
    for part in _PARTS:
        app.include_router(part.router)
    for kind in (Problem, LookalikeError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _problem)
    app.add_middleware(Guard, state=state, methods=_methods)
    return app


def _only_known_parameters(request: Request) -> None:
    """Refuse parameters that a route does not have, or that are given twice: nobody would notice which counts."""
    if not request.scope["path"].startswith("/v1/"):
        return  # the page may do with its own address what it likes
    known = {parameter.alias for parameter in request.scope["route"].dependant.query_params}
    given = Counter(name for name, _ in request.query_params.multi_items())
    wrong = {name: "is no parameter of this" for name in given if name not in known}
    wrong |= {name: "is given more than once" for name, count in given.items() if name in known and count > 1}
    if wrong:
        listed = [field_problem(pointer(name), problem, "leave it out") for name, problem in list(wrong.items())[:100]]
        raise Problem(422, "there are parameters that this does not take", listed)


async def _problem(request: Request, error: Exception) -> Response:
    if isinstance(error, Problem):
        return ProblemResponse(error)
    if isinstance(error, RequestValidationError):
        found = [{**one, "loc": one["loc"][1:]} for one in error.errors()]  # without "query" or "path"
        return ProblemResponse(of_validation(found))
    if isinstance(error, LookalikeError):
        state: State = request.app.state.lookalike
        return ProblemResponse(of_error(error, state.store.name))
    return ProblemResponse(Problem(getattr(error, "status_code", 500), "the request failed"))


_ROUTES: Final = [route for part in _PARTS for route in part.router.routes if isinstance(route, APIRoute)]


def _methods(path: str) -> set[str]:
    """Return what can be done at an address, by all routes together."""
    if path == _DESCRIPTION:
        return {"GET"}
    return {method for route in _ROUTES if route.path_regex.match(path) for method in route.methods or ()}
