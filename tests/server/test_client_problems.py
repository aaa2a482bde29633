"""The problems of the server become the errors of the index again: both ends are tried together."""

from __future__ import annotations

import json

import pytest

from lookalike.client.connection import error_of, problem_in
from lookalike.errors import (
    BandsError,
    ConflictError,
    DamagedError,
    DocumentError,
    DuplicateIdError,
    InternalError,
    LookalikeError,
    MismatchError,
    RecipeError,
    ServerError,
    StoreError,
)
from lookalike.server.problems import Problem, of_error

URL = "http://127.0.0.1:8765"
IDS: list[str | int] = ["one", "two", 3]


def through(problem: Problem, ids: list[str | int]) -> Exception:
    found = problem_in(json.dumps(problem.to_dict()).encode())
    assert found
    return error_of(URL, problem.status, found, ids)


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (
            ConflictError(("two",), 1, "/secret/a.db"),
            DuplicateIdError,
            "document 'two': id is in http://127.0.0.1:8765 already",
        ),
        (DuplicateIdError("two", index="/secret/a.db"), DocumentError, "document 'two': id is in the index already"),
        (
            DocumentError(3, "id", "is a number", "give it another id"),
            DocumentError,
            "document 3: id is a number; give",
        ),
        (
            DocumentError("two", "text", "is too large", "split it"),
            DocumentError,
            "document 'two': text is too large; split it",
        ),
        (StoreError("/secret/a.db", "is locked", "wait"), StoreError, "http://127.0.0.1:8765 is locked; wait"),
        (
            DamagedError("/secret/a.db", "is damaged: x", "run: repair"),
            DamagedError,
            "http://127.0.0.1:8765 is damaged; the operator",
        ),
        (RecipeError("top", 5000, "at most 1000"), RecipeError, "top must be what the server allows"),
        (RecipeError("threshold", 2, "at most 1"), RecipeError, "threshold must be what the server allows"),
        (InternalError("oh"), ServerError, "answers 500: a bug in lookalike"),
        (MismatchError("a", "b", {"k": (1, 2)}), ServerError, "answers 409: a and b differ"),
        (BandsError("no bands"), ServerError, "answers 422: no bands"),
    ],
)
def test_each_error_comes_back(error: LookalikeError, kind: type[Exception], said: str) -> None:
    found = through(of_error(error, "/secret/a.db", IDS), IDS)
    assert type(found) is kind
    assert said in str(found)
    assert "/secret" not in str(found)


def test_what_is_missing_is_a_key_error() -> None:
    def missing(field: str) -> Problem:
        return Problem(404, "this id is not in the index", [{"field": field, "problem": "is not there", "remedy": "x"}])

    assert repr(through(missing("/id"), ["a"])) == repr(KeyError("a"))
    assert repr(through(missing("/b/id"), ["a", "b"])) == repr(KeyError("b"))
    assert repr(through(missing("/a/id"), ["a", "b"])) == repr(KeyError("a"))
    assert isinstance(through(Problem(404, "there is nothing at this address"), []), ServerError)


def test_a_text_that_is_too_large() -> None:
    assert str(through(Problem(413, "the body is larger than 10 bytes"), ["a"])) == (
        "document 'a': text is larger than the server takes; split it, or raise the limits of the server"
    )
    assert isinstance(through(Problem(413, "the body is larger than 10 bytes"), ["a", "b"]), ServerError)


@pytest.mark.parametrize("body", [b"", b"no", b"[]", b"{}", b'{"type": "about:blank"}', b'{"type": 5}'])
def test_what_is_no_problem(body: bytes) -> None:
    assert problem_in(body) == {}


@pytest.mark.parametrize(
    "value",
    [
        {"detail": None},
        {"detail": "x" * 10_000, "errors": "none"},
        {"errors": [7]},
        {"errors": [{"field": None, "problem": [], "remedy": {}}]},
        {"errors": [{"field": "/documents/99/text"}]},
        {"errors": [{"field": "/documents/" + "9" * 5000}]},
    ],
)
@pytest.mark.parametrize("status", [400, 404, 409, 422, 500, 503])
def test_strange_problems(value: dict[str, object], status: int) -> None:
    found = error_of(URL, status, {"type": "urn:lookalike:problem:x"} | value, [])
    assert isinstance(found, LookalikeError)
    assert len(str(found)) < 1000
