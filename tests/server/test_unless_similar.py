"""Documents that are added unless similar ones are there: over HTTP, and with the client."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.client import StoredThere
from lookalike.server import ServerLimits, Tokens
from lookalike.tables.packed import Texts

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from tests.server.live import Site

    Serve = Callable[..., AbstractContextManager[Site]]

PATH = "/v1/add-unless-similar"
FOX = "the quick brown fox jumps over the lazy dog near the river bank"
FOX_TODAY = "today the quick brown fox jumps over the lazy dog near the river bank"
SEA = "the moon pulls at the water of the sea and the shore waits"


def decided(results: list[dict[str, Any]]) -> list[tuple[Any, bool, list[Any]]]:
    return [(one["id"], one["added"], [hit["id"] for hit in one["hits"]]) for one in results]


def test_of_copies_the_first_is_added(serve: Serve) -> None:
    with serve() as site:
        one = site.post(PATH, {"id": "fox", "text": FOX})
        recall = {"promised": site.get("/v1/info").json["recall"], "measured": None}
        expected_one = {"id": "fox", "added": True, "hits": [], "truncated": False, "recall": recall}
        assert (one.status, one.json) == (200, expected_one)
        sent = [{"id": "again", "text": FOX_TODAY}, {"id": "sea", "text": SEA}, {"id": "sea too", "text": SEA}]
        answer = site.post(PATH, {"documents": sent})
        expected = [("again", False, ["fox"]), ("sea", True, []), ("sea too", False, ["sea"])]
        assert decided(answer.json["results"]) == expected
        (hit,) = site.post("/v1/check", {"text": FOX_TODAY}).json["hits"]
        assert answer.json["results"][0]["hits"] == [hit]
        assert site.get("/v1/info").json["documents"] == 2


def test_a_request_can_be_repeated(serve: Serve) -> None:
    with serve() as site:
        sent = {"documents": [{"id": "fox", "text": FOX}, {"id": "again", "text": FOX_TODAY}]}
        first = site.post(PATH, sent)
        assert site.post(PATH, sent).json == first.json
        assert site.lines(PATH, sent["documents"]).lines == first.json["results"]


def test_a_conflict_names_the_documents_and_adds_nothing(serve: Serve) -> None:
    with serve() as site:
        site.post("/v1/documents", {"id": "fox", "text": FOX})
        answer = site.post(PATH, {"documents": [{"id": "sea", "text": SEA}, {"id": "fox", "text": "another text"}]})
        assert answer.status == 409
        assert [(error["field"], error["id"]) for error in answer.json["errors"]] == [("/documents/1/id", "fox")]
        assert site.get("/v1/info").json["documents"] == 1


def test_the_threshold_is_that_of_the_request(serve: Serve) -> None:
    with serve(threshold=0.5) as site:
        site.post(PATH, {"id": "fox", "text": FOX})
        jaccard = la.compare(FOX, FOX_TODAY).jaccard
        assert not site.post(PATH, {"id": "a", "text": FOX_TODAY, "threshold": jaccard}).json["added"]
        (line,) = site.lines(f"{PATH}?threshold={jaccard + 0.01}", [{"id": "b", "text": FOX_TODAY}]).lines
        assert line["added"]
        for wrong in (0, 1.5, "0.5", True):
            assert site.post(PATH, {"id": "c", "text": SEA, "threshold": wrong}).status == 422
        assert site.lines(f"{PATH}?threshold=0", [{"id": "c", "text": SEA}]).status == 422


def test_at_most_so_many_hits_as_were_asked_for(serve: Serve) -> None:
    with serve() as site, la.Client(site.url) as client:
        client.add({"fox": FOX, "again": FOX, "sea": SEA})
        answer = site.post(PATH, {"documents": [{"id": "new", "text": FOX}], "top": 1}).json["results"]
        assert decided(answer) == [("new", False, ["fox"])]
        assert (answer[0]["truncated"], answer[0]["recall"]["promised"]) == (True, None)
        (whole,) = site.post(PATH, {"documents": [{"id": "new", "text": FOX}], "top": 2}).json["results"]
        assert (len(whole["hits"]), whole["truncated"], whole["recall"]["promised"] is None) == (2, False, False)
        assert decided(site.lines(f"{PATH}?top=1", [{"id": "new", "text": SEA}]).lines) == [("new", False, ["sea"])]
        (decision,) = client.add_unless_similar({"new": FOX}, top=1)
        assert (decision.is_added, decision.hits.ids, decision.hits.truncated) == (False, ["fox"], True)


def test_a_text_without_words_is_added_and_says_so(serve: Serve) -> None:
    with serve() as site, la.Client(site.url) as client:
        sent = [{"id": "y", "text": "..."}, {"id": "w", "text": FOX}, {"id": "w2", "text": "???"}]
        results = site.post(PATH, {"documents": sent}).json["results"]
        assert [(one["added"], one.get("not_judged", False)) for one in results] == [
            (True, True),
            (True, False),
            (True, True),
        ]
        again = client.add_unless_similar({one["id"]: one["text"] for one in sent})
        assert [decision.hits.not_judged for decision in again] == [True, False, True]


def test_lines_are_decided_in_batches(serve: Serve) -> None:
    with serve(limits=ServerLimits(batch=2)) as site:
        sent: list[Any] = [{"id": number, "text": (FOX, SEA)[number % 2]} for number in range(5)]
        answer = site.lines(PATH, [*sent, {"id": 9, "txt": "wrong"}])
        *results, last = answer.lines
        assert decided(results) == [(0, True, []), (1, True, []), (2, False, [0]), (3, False, [1])]
        assert last["problem"]["status"] == 422


def test_of_many_clients_with_the_same_text_one_adds_it(serve: Serve) -> None:
    with serve() as site, ThreadPoolExecutor(8) as pool:
        for text in (FOX, SEA, "something else altogether that nobody has stored before"):
            sent = [{"id": f"{text[:9]} {client}", "text": text} for client in range(16)]
            answers = [done.result(60) for done in [pool.submit(site.post, PATH, one) for one in sent]]
            assert {answer.status for answer in answers} == {200}
            (id,) = [answer.json["id"] for answer in answers if answer.json["added"]]
            assert all(
                [hit["id"] for hit in answer.json["hits"]] == [id] for answer in answers if not answer.json["added"]
            )
        assert site.get("/v1/info").json["documents"] == 3


def test_it_needs_the_right_to_write(serve_memory: Serve) -> None:
    with serve_memory(tokens=Tokens("r" * 40, "w" * 40)) as site:
        site.token = "r" * 40
        assert site.post(PATH, {"id": "fox", "text": FOX}).status == 403
        site.token = "w" * 40
        assert site.post(PATH, {"id": "fox", "text": FOX}).json["added"]
    with serve_memory(read_only=True) as site:
        assert site.post(PATH, {"id": "fox", "text": FOX}).status == 403


def test_at_most_so_many_hits_are_listed(serve_memory: Serve) -> None:
    with serve_memory(limits=ServerLimits(top=3)) as site:
        site.post("/v1/documents", {"documents": [{"id": number, "text": FOX} for number in range(5)]})
        answer = site.post(PATH, {"id": 9, "text": FOX}).json
        assert (len(answer["hits"]), answer["truncated"]) == (3, True)


# -- the client --------------------------------------------------------------------------------------------------------


def plain(decisions: list[la.Decision]) -> list[tuple[Any, bool, Any, list[Any]]]:
    return [(one.id, one.is_added, one.hits.query, list(one.hits)) for one in decisions]


@pytest.mark.parametrize("threshold", [None, 0.9, 0.2])
def test_the_client_decides_as_the_index_does(serve: Serve, threshold: float | None) -> None:
    documents = {"fox": FOX, "again": FOX_TODAY, "sea": SEA, "copy": FOX, **{f"n{n}": f"text {n}" for n in range(40)}}
    with serve() as site, la.Client(site.url) as client, la.Index.open(":memory:", threshold=0.5) as index:
        expected = index.add_unless_similar(documents, threshold)
        assert plain(client.add_unless_similar(documents, threshold)) == plain(expected)
        assert list(client) == list(index)
        assert plain(client.add_unless_similar(documents, threshold)) == plain(expected)
        there = StoredThere(client)
        decisions = there.add_unless_similar(["new", "fox"], Texts.of([SEA, FOX]), 0.5, None)
        assert [(one.id, one.is_added, one.hits.ids) for one in decisions] == [
            ("new", False, ["sea"]),
            ("fox", True, []),
        ]


def test_the_client_raises_what_the_index_does(serve: Serve) -> None:
    with serve() as site, la.Client(site.url) as client:
        client.add({"fox": FOX, "sea": SEA})
        with pytest.raises(la.ConflictError) as conflict:
            client.add_unless_similar({"new": "a new text", "sea": FOX, "fox": "another"})
        assert set(conflict.value.documents) == {"fox", "sea"}
        assert len(client) == 2
        for wrong in (-1, 2, 0):
            with pytest.raises(la.RecipeError):
                client.add_unless_similar({"a": FOX}, wrong)
        assert client.add_unless_similar({}) == []


def test_an_index_of_signatures_decides_nothing(serve: Serve) -> None:
    with serve(keep="signature") as site, la.Client(site.url) as client:
        assert site.post(PATH, {"id": "fox", "text": FOX}).status == 409
        with pytest.raises(la.StoreError, match="keeps only signatures"):
            client.add_unless_similar({"fox": FOX})
        assert len(client) == 0
