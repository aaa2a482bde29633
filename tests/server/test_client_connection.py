"""How `la.Client` asks: when it repeats a request, whom it tells the token, and what it says when nobody answers."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from typing import Any

import pytest

import lookalike as la
from lookalike.client import connection
from lookalike.client.wire import MOST_BYTES, MOST_DOCUMENTS, in_batches
from tests.server.scripted import Answer, problem, scripted

INFO = {"ids": "str", "documents": 7}


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What was waited between two requests; nobody waits here."""
    found: list[float] = []

    class Clock:
        time = staticmethod(time.time)
        sleep = staticmethod(found.append)

    monkeypatch.setattr(connection, "time", Clock)
    return found


# -- repeating ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [problem(429), problem(503), Answer(502), problem(504), Answer(hang_up=True)])
def test_what_may_pass_is_tried_again(first: Answer, waits: list[float]) -> None:
    with scripted(first, first, Answer(200, INFO)) as server, la.Client(server.url) as client:
        assert len(client) == 7
        assert len(server.asked) == 3
    assert len(waits) == 2
    assert 0.1 <= waits[0] <= 0.2
    assert 0.2 <= waits[1] <= 0.4


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 415, 422, 500])
def test_what_will_not_pass_is_not(status: int, waits: list[float]) -> None:
    with scripted(problem(status)) as server, la.Client(server.url) as client:
        with pytest.raises(la.ServerError, match=f"answers {status}: it is so") as caught:
            client.info()
        assert caught.value.status == status
        assert len(server.asked) == 1
    assert waits == []


def test_an_end_to_it() -> None:
    with scripted(problem(503)) as server, la.Client(server.url, retries=2) as client:
        with pytest.raises(la.ServerError, match="try again later"):
            client.info()
        assert len(server.asked) == 3
    with scripted(problem(503)) as server, la.Client(server.url, retries=0) as client:
        with pytest.raises(la.ServerError):
            client.info()
        assert len(server.asked) == 1


def test_it_waits_as_long_as_the_server_asks_for(waits: list[float]) -> None:
    with (
        scripted(problem(503, Retry_After="7"), Answer(200, INFO)) as server,
        la.Client(server.url) as client,
    ):
        assert len(client) == 7
    assert waits == [7.0]


def test_but_not_for_ever(waits: list[float]) -> None:
    with scripted(problem(503, Retry_After="7200")) as server, la.Client(server.url) as client:
        with pytest.raises(la.ServerError):
            client.info()
        assert len(server.asked) == 1
    assert waits == []


def test_a_repeated_request_is_the_same() -> None:
    with scripted(Answer(hang_up=True), Answer(201, {"added": 1, "unchanged": 0})) as server:
        with la.Client(server.url) as client:
            assert client.add({"a": "one two three"}) == 1
        first, second = server.asked
        assert first.body == second.body
        assert (first.method, first.path) == ("POST", "/v1/documents")


# -- the token ---------------------------------------------------------------------------------------------------------


def test_the_token_goes_to_this_server_alone() -> None:
    with scripted(Answer(200, INFO)) as other, scripted(Answer(307, headers={"Location": other.url + "/"})) as server:
        with (
            la.Client(server.url, "secret-token") as client,
            pytest.raises(la.ServerError, match="redirects") as caught,
        ):
            client.info()
        assert "secret-token" not in str(caught.value)
        assert server.asked[0].headers["Authorization"] == "Bearer secret-token"
        assert other.asked == []


@pytest.mark.parametrize("token", ["", "two words", "line\r\nX-Other: 1", "é", 7])
def test_what_is_no_token(token: Any) -> None:
    with pytest.raises(la.RecipeError, match="token must be") as caught:
        la.Client("http://127.0.0.1:1", token)
    assert str(token) not in str(caught.value) or not token


@pytest.mark.parametrize(
    "url",
    ["", "lookalike.example.org", "ftp://example.org", "http://", "http://a b", "http://a\r\nb", "http://a/?q=1", 7],
)
def test_what_is_no_address(url: Any) -> None:
    with pytest.raises(la.RecipeError, match="url must be the address of a server"):
        la.Client(url)


def test_a_password_in_the_address_is_refused_and_not_shown() -> None:
    with pytest.raises(la.RecipeError, match="token=") as caught:
        la.Client("https://me:hidden@example.org")
    assert "hidden" not in str(caught.value)


def test_an_address_may_have_a_path() -> None:
    with scripted(Answer(200, INFO)) as server, la.Client(server.url + "/essays/") as client:
        len(client)
        assert server.asked[0].path == "/essays/v1/info"


@pytest.mark.parametrize(("name", "value"), [("timeout", 0), ("timeout", "long"), ("retries", -1), ("retries", 1.5)])
def test_other_arguments_are_checked(name: str, value: Any) -> None:
    with pytest.raises(la.RecipeError, match=name):
        la.Client("http://127.0.0.1:1", **{name: value})


# -- nobody there ------------------------------------------------------------------------------------------------------


def test_nobody_is_there() -> None:
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with la.Client(url) as client, pytest.raises(la.ServerError) as caught:
            client.info()
    assert str(caught.value) == f"{url} cannot be reached; check the address, and that lookalike serve runs there"
    assert caught.value.status is None


def test_nobody_answers() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(5)
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with la.Client(url, timeout=0.2, retries=1) as client, pytest.raises(la.ServerError, match="in time"):
            client.info()


def test_the_connection_ends() -> None:
    with (
        scripted(Answer(hang_up=True)) as server,
        la.Client(server.url, retries=1) as client,
        pytest.raises(la.ServerError, match="ended the connection"),
    ):
        client.info()


def test_half_an_answer_is_none() -> None:
    cut = Answer(200, INFO, {"Content-Length": "1000"})
    with (
        scripted(cut) as server,
        la.Client(server.url, timeout=1.0, retries=0) as client,
        pytest.raises(la.ServerError, match="in time"),
    ):
        client.info()


@pytest.mark.parametrize(
    "answer",
    [
        Answer(200, body=b"<html>Welcome</html>"),
        Answer(404, body=b"<html>Not found</html>"),
        Answer(404, {"detail": "Not Found"}),
        Answer(200, []),
        Answer(200, {"documents": "many"}),
        Answer(200, body=b"[" * 100_000),
    ],
)
def test_somebody_else_is_there(answer: Answer) -> None:
    with scripted(answer) as server, la.Client(server.url) as client:
        with pytest.raises(la.ServerError, match="does not answer like lookalike serve"):
            len(client)
        with pytest.raises(la.ServerError, match="does not answer like lookalike serve"):
            assert "a" in client


def test_an_answer_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_LARGEST", 1000)
    with scripted(Answer(200, {"documents": "x" * 2000})) as server, la.Client(server.url) as client:
        with pytest.raises(la.ServerError, match="answers with more than"):
            client.info()
        with pytest.raises(la.ServerError, match="answers with more than"):
            client.info()


# -- what is sent ------------------------------------------------------------------------------------------------------


def test_batches_are_bounded() -> None:
    made = 0

    def documents() -> Any:
        nonlocal made
        for number in range(2500):
            made += 1
            yield number, "x" * 10

    batches = in_batches(documents())
    assert len(next(batches).ids) == MOST_DOCUMENTS
    assert made == MOST_DOCUMENTS + 1, "no more is read than is sent"
    assert [len(some.ids) for some in batches] == [MOST_DOCUMENTS, 500]
    large = [("a", "x" * (MOST_BYTES - 100)), ("b", "y" * 200), ("c", "z" * (2 * MOST_BYTES)), ("d", "")]
    assert [some.ids for some in in_batches(large)] == [["a"], ["b"], ["c"], ["d"]]


def test_the_client_is_loaded_when_it_is_used() -> None:
    program = """
import sys
import lookalike as la
la.Index.open(":memory:")
assert "urllib3" not in sys.modules and "lookalike.client" not in sys.modules
la.Client("http://127.0.0.1:1")
assert "urllib3" in sys.modules
print(*sorted({"pyarrow", "numpy", "pydantic", "fastapi"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.split() == []


def test_without_urllib3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "urllib3", None)
    with pytest.raises(la.MissingExtraError, match=r"pip install '\.\[client\]'"):
        la.Client("http://127.0.0.1:1")


@pytest.mark.parametrize("truncated", [True, False])
def test_hits_say_whether_they_are_all(truncated: bool) -> None:
    recall = {"promised": None if truncated else 0.999, "measured": None}
    hit = {"id": "a", "jaccard": 0.9, "same_id": False}
    found = {"hits": [hit], "truncated": truncated, "recall": recall}
    with scripted(Answer(200, found)) as server, la.Client(server.url) as client:
        hits = client.query("a text", top=1)
        assert hits.truncated is truncated
        assert hits.recall == (None if truncated else la.Recall(0.999))


def test_a_large_group_comes_in_parts() -> None:
    first = {"group": 1, "principal": "a", "size": 5, "documents": ["a", "b"]}
    listed = {"groups": [first], "next": None, "total": 1}
    parts = [first | {"documents": ["c", "d"], "next": "4"}, first | {"documents": ["e"], "next": None}]
    with scripted(*(Answer(200, one) for one in (listed, *parts))) as server, la.Client(server.url) as client:
        assert [group.members for group in client.groups()] == [("a", "b", "c", "d", "e")]


def test_a_group_that_changes_while_it_is_read() -> None:
    first = {"group": 1, "principal": "a", "size": 5, "documents": ["a", "b"]}
    listed = {"groups": [first], "next": None, "total": 1}
    other = first | {"principal": "x", "documents": ["y"], "next": None}
    with (
        scripted(Answer(200, listed), Answer(200, other)) as server,
        la.Client(server.url) as client,
        pytest.raises(la.ServerError, match="changed while a cluster was being read"),
    ):
        client.groups()
