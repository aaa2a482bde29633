"""The API on every kind of store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.server import ServerLimits
from lookalike.text.comparison import to_values

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from tests.server.live import Site

    Serve = Callable[..., AbstractContextManager[Site]]

FOX = "the quick brown fox jumps over the lazy dog near the river bank"
FOX_TODAY = "today the quick brown fox jumps over the lazy dog near the river bank"
SEA = "the moon pulls at the water of the sea and the shore waits"
STRANGE = (
    "a/b",
    "../etc/passwd",
    "a%2Fb",
    "tab\there",
    "line\nbreak",
    "ends\n",
    "emoji 🦊",
    "Ünïcode",
    "a b",
    "?x=1#y",
    "{id}",
    "x" * 500,
)


def add(site: Site, documents: dict[Any, str]) -> dict[str, Any]:
    answer = site.post("/v1/documents", {"documents": [{"id": id, "text": text} for id, text in documents.items()]})
    assert answer.status == 201, answer.body
    found: dict[str, Any] = answer.json
    return found


def test_documents_are_added_found_and_removed(serve: Serve) -> None:
    with serve() as site:
        assert add(site, {"fox": FOX, "sea": SEA}) == {"added": 2, "unchanged": 0}
        found = site.post("/v1/check", {"text": FOX_TODAY}).json
        assert [hit["id"] for hit in found["hits"]] == ["fox"]
        expected = la.compare(FOX_TODAY, FOX)
        assert found["hits"][0]["jaccard"] == expected.jaccard
        assert found["hits"][0]["containment_query"] == expected.containment_a
        assert found["truncated"] is False
        assert site.get("/v1/documents/fox").json == {"id": "fox", "text": FOX}
        assert site.ask("DELETE", "/v1/documents/fox").json == {"removed": True}
        assert site.ask("DELETE", "/v1/documents/fox").status == 404
        assert site.get("/v1/documents/fox").status == 404
        assert site.post("/v1/check", {"text": FOX_TODAY}).json["hits"] == []


def test_a_batch_is_answered_in_order_and_the_same_id_is_marked(serve: Serve) -> None:
    with serve() as site:
        add(site, {"fox": FOX, "fox again": FOX, "sea": SEA})
        asked = [{"id": "new", "text": FOX}, {"id": "fox", "text": FOX}, {"id": "none", "text": "nothing like it"}]
        results = site.post("/v1/check", {"documents": asked, "threshold": 0.5}).json["results"]
        assert [result["query"] for result in results] == ["new", "fox", "none"]
        assert [[hit["id"] for hit in result["hits"]] for result in results] == [["fox", "fox again"]] * 2 + [[]]
        assert [[hit["same_id"] for hit in result["hits"]] for result in results] == [[False] * 2, [True, False], []]
        cut = site.post("/v1/check", {"documents": asked, "top": 1, "threshold": 0.5}).json["results"]
        assert [[hit["id"] for hit in result["hits"]] for result in cut] == [["fox"], ["fox"], []]
        assert [result["truncated"] for result in cut] == [True, True, False]
        assert [result["recall"]["promised"] is None for result in cut] == [True, True, False]
        whole = site.post("/v1/check", {"documents": asked, "top": 2, "threshold": 0.5}).json["results"]
        assert whole == results, "as many as there are"
        (one,) = site.post("/v1/check", {"documents": asked[:1], "top": 1}).json["results"]
        assert one["truncated"] is False, "the nearest are all that was asked for"
        assert site.lines("/v1/check?threshold=0.5", asked).lines == results

        skipped = site.post("/v1/check", {"documents": asked, "threshold": 0.5, "skip_same_id": True}).json["results"]
        assert [[hit["id"] for hit in result["hits"]] for result in skipped] == [
            ["fox", "fox again"],
            ["fox again"],
            [],
        ]
        assert [result.get("skipped_same_id", False) for result in skipped] == [False, True, False]
        assert site.lines("/v1/check?threshold=0.5&skip_same_id=true", asked).lines == skipped


@pytest.mark.parametrize("keep", ["text", "shingles", "signature"])
def test_every_answer_states_its_recall(serve: Serve, keep: str) -> None:
    with serve(keep=keep) as site:
        add(site, {"fox": FOX, "fox again": FOX, "sea": SEA})
        asked = {"documents": [{"id": "new", "text": FOX}]}
        paths = ("/v1/groups", "/v1/pairs", "/v1/histogram")
        answers = [
            site.post("/v1/check", {"text": FOX}).json,
            site.post("/v1/check", {"text": FOX, "threshold": 0.1, "top": 2}).json,
            *site.post("/v1/check", asked).json["results"],
            *(site.get(path).json for path in paths),
        ]
        if keep != "signature":
            answers += site.post("/v1/add-unless-similar", asked).json["results"]
        for answer in answers:
            promised = answer["recall"]["promised"]
            assert promised is None if keep == "signature" else promised >= 0.99
        nearest = site.post("/v1/check", {"text": FOX, "top": 1}).json
        assert nearest["recall"] == {"promised": None, "measured": None}


def test_top_alone_asks_for_the_nearest(serve: Serve) -> None:
    with serve(threshold=0.95) as site:
        add(site, {"fox": FOX, "sea": SEA})
        assert site.post("/v1/check", {"text": FOX_TODAY}).json["hits"] == []
        assert [hit["id"] for hit in site.post("/v1/check", {"text": FOX_TODAY, "top": 1}).json["hits"]] == ["fox"]
        nearest = site.post("/v1/check", {"text": FOX_TODAY, "threshold": 0})
        assert [hit["id"] for hit in nearest.json["hits"]][:1] == ["fox"]


def test_additions_can_be_repeated(serve: Serve) -> None:
    with serve() as site:
        documents = {"fox": FOX, "sea": SEA}
        assert add(site, documents) == {"added": 2, "unchanged": 0}
        assert add(site, documents) == {"added": 0, "unchanged": 2}
        assert add(site, {**documents, "new": "a new one"}) == {"added": 1, "unchanged": 2}
        one = site.post("/v1/documents", {"id": "fox", "text": FOX})
        assert (one.status, one.json) == (201, {"added": 0, "unchanged": 1})


def test_a_conflict_names_every_id_and_adds_nothing(serve: Serve) -> None:
    with serve() as site:
        add(site, {"fox": FOX, "sea": SEA})
        sent = [{"id": "new", "text": "x"}, {"id": "fox", "text": SEA}, {"id": "sea", "text": FOX.upper()}]
        answer = site.post("/v1/documents", {"documents": sent})
        assert answer.status == 409
        assert [(error["field"], error["id"]) for error in answer.json["errors"]] == [
            ("/documents/1/id", "fox"),
            ("/documents/2/id", "sea"),
        ]
        assert site.get("/v1/documents/new").status == 404
        # Another text with the same shingles is another text.
        assert site.post("/v1/documents", {"id": "fox", "text": FOX.upper()}).status == 409


def test_put_adds_replaces_or_leaves(serve: Serve) -> None:
    with serve() as site:
        added = site.put("/v1/documents/fox", {"text": FOX})
        assert (added.status, added.json) == (201, {"id": "fox", "replaced": False})
        same = site.put("/v1/documents/fox", {"text": FOX})
        assert (same.status, same.json) == (200, {"id": "fox", "replaced": False})
        other = site.put("/v1/documents/fox", {"text": SEA})
        assert (other.status, other.json) == (200, {"id": "fox", "replaced": True})
        assert site.get("/v1/documents/fox").json["text"] == SEA


def test_ids_may_hold_anything(serve: Serve) -> None:
    with serve() as site:
        for id in STRANGE:
            assert site.put(site.document(id), {"text": f"text of {id}"}).json == {"id": id, "replaced": False}
        for id in STRANGE:
            assert site.get(site.document(id)).json == {"id": id, "text": f"text of {id}"}
            assert site.get("/v1/document", id=id).json == {"id": id, "text": f"text of {id}"}
        assert [one["id"] for one in site.get("/v1/documents").json["documents"]] == list(STRANGE)
        for id in ("", ".", ".."):
            assert (
                site.ask("PUT", f"/v1/document?id={id}", b'{"text": "x"}', {"Content-Type": "application/json"}).status
                == 201
            )
            assert site.get("/v1/document", id=id).json["id"] == id
            assert site.ask("DELETE", f"/v1/document?id={id}").status == 200


def test_ids_that_are_numbers(serve: Serve) -> None:
    with serve() as site:
        add(site, {7: FOX, -3: SEA})
        assert site.get("/v1/documents/7").json == {"id": 7, "text": FOX}
        assert [hit["id"] for hit in site.post("/v1/check", {"text": FOX}).json["hits"]] == [7]
        assert site.put("/v1/documents/8", {"text": "new"}).json == {"id": 8, "replaced": False}
        for wrong in ("seven", "07", "+7", "7.0", "9" * 30, "٧"):
            assert site.get(site.document(wrong)).status == 404
            assert site.put(site.document(wrong), {"text": "x"}).status == 404
        assert site.post("/v1/documents", {"id": "text", "text": "x"}).status == 409
        assert site.ask("DELETE", "/v1/documents/-3").status == 200
        assert site.get("/v1/info").json["ids"] == "int"


def test_the_list_has_pages_and_can_be_searched(serve: Serve) -> None:
    with serve() as site:
        names = [f"Essay {number}" for number in range(7)] + ["café au lait", "CAFÉ noir"]
        add(site, {name: f"text {name}" for name in names})
        seen: list[str] = []
        after: dict[str, Any] = {}
        while True:
            page = site.get("/v1/documents", limit=4, **after).json
            assert page["total"] == len(names)
            seen += [one["id"] for one in page["documents"]]
            if page["next"] is None:
                break
            after = {"after": page["next"]}
        assert seen == names
        found = site.get("/v1/documents", search="cafe").json
        assert ([one["id"] for one in found["documents"]], found["total"]) == (["café au lait", "CAFÉ noir"], 2)
        first = site.get("/v1/documents", search="ESSAY", limit=3).json
        second = site.get("/v1/documents", search="ESSAY", limit=30, after=first["next"]).json
        assert [one["id"] for one in first["documents"] + second["documents"]] == names[:7]


def test_pairs_groups_and_histogram(serve: Serve) -> None:
    with serve() as site:
        add(site, {"a": FOX, "b": FOX_TODAY, "c": FOX, "sea": SEA, "sea too": SEA})
        pairs = site.get("/v1/pairs").json
        assert pairs["total"] == 4
        scores = [pair["jaccard"] for pair in pairs["pairs"]]
        assert scores == sorted(scores, reverse=True)
        assert {(pair["a"], pair["b"]) for pair in pairs["pairs"]} == {
            ("a", "b"),
            ("a", "c"),
            ("b", "c"),
            ("sea", "sea too"),
        }
        assert site.get("/v1/pairs", id="b").json["total"] == 2
        assert site.get("/v1/pairs", threshold=1).json["total"] == 2
        page = site.get("/v1/pairs", limit=3).json
        assert len(site.get("/v1/pairs", limit=3, after=page["next"]).json["pairs"]) == 1
        groups = site.get("/v1/groups").json
        assert [(one["group"], one["size"], one["documents"]) for one in groups["groups"]] == [
            (1, 3, ["a", "b", "c"]),
            (2, 2, ["sea", "sea too"]),
        ]
        part = site.get("/v1/groups/1", limit=2).json
        assert part == groups["groups"][0] | {"documents": ["a", "b"], "next": "2"}
        assert site.get("/v1/groups/1", limit=2, after="2").json == part | {"documents": ["c"], "next": None}
        assert site.get("/v1/groups/3").status == 404
        histogram = site.get("/v1/histogram").json
        assert len(histogram["edges"]) == len(histogram["counts"]) + 1
        assert (histogram["edges"][0], histogram["edges"][-1], histogram["threshold"]) == (0.5, 1.0, 0.5)
        assert sum(histogram["counts"]) == 4
        assert histogram["counts"][-1] == 2
        # They follow the index.
        site.ask("DELETE", "/v1/documents/a")
        assert site.get("/v1/pairs").json["total"] == 2


def test_a_very_large_cluster_promises_no_recall_of_its_pairs(serve_memory: Serve) -> None:
    with serve_memory(limits=ServerLimits(batch=2000)) as site:
        page = " ".join(f"w{number}" for number in range(30))
        add(site, {number: f"{page} x{number}" for number in range(1500)})
        for path in ("/v1/pairs", "/v1/histogram"):
            answer = site.get(path).json
            assert (answer["limited"], answer["recall"]["promised"]) == (1500, None)
        answer = site.get("/v1/groups").json
        assert (answer["groups"][0]["size"], answer["limited"], answer["recall"]["promised"]) == (1500, 1500, 1.0)
        assert [site.get(path, threshold=1).json["limited"] for path in ("/v1/pairs", "/v1/groups")] == [0, 0]


def test_two_texts_are_compared_as_the_command_does(serve: Serve) -> None:
    class Text:
        def __init__(self, name: str | None, text: str) -> None:
            self.name, self.text = name, text

    with serve() as site:
        add(site, {"fox": FOX})
        found = site.post("/v1/compare", {"a": {"id": "fox"}, "b": {"text": FOX_TODAY}}).json
        reading = found.pop("reading")
        assert found == to_values(Text("fox", FOX), Text(None, FOX_TODAY), la.compare(FOX, FOX_TODAY))
        assert reading["passages"][0]["runs"][0][:2] == [0, len(FOX)]
        assert found["passages"][0]["text"] == FOX
        missing = site.post("/v1/compare", {"a": {"id": "nobody"}, "b": {"text": FOX}})
        assert (missing.status, missing.json["errors"][0]["field"]) == (404, "/a/id")


@pytest.mark.parametrize("keep", ["shingles", "signature"])
def test_an_index_without_texts(serve: Serve, keep: str) -> None:
    with serve(keep=keep) as site:
        assert add(site, {"fox": FOX, "sea": SEA}) == {"added": 2, "unchanged": 0}
        assert add(site, {"fox": FOX}) == {"added": 0, "unchanged": 1}
        assert site.post("/v1/documents", {"id": "fox", "text": SEA}).status == 409
        assert site.get("/v1/documents/fox").json == {"id": "fox", "text": None}
        (hit,) = site.post("/v1/check", {"text": FOX}).json["hits"]
        assert hit["id"] == "fox"
        assert ("standard_error" in hit) == (keep == "signature")
        assert site.post("/v1/compare", {"a": {"id": "fox"}, "b": {"text": FOX}}).status == 409
        assert site.get("/v1/pairs").json["total"] == 0


def test_info_tells_no_places(serve: Serve) -> None:
    with serve() as site:
        info = site.get("/v1/info").json
        assert info["documents"] == 0
        assert info["threshold"] == 0.5
        assert info["may"] == ["read", "write"]
        assert info["limits"]["body"] == 10_000_000
        assert not {"path", "url"} & set(info)
        for path in ("/v1/health", "/v1/ready"):
            assert site.get(path).json == {"status": "ok"}
        add(site, {"fox": FOX})
        numbers = site.get("/v1/metrics").body.decode()
        assert "lookalike_documents 1.0" in numbers
        assert 'lookalike_requests_total{method="POST",route="/v1/documents",status="201"} 1.0' in numbers
