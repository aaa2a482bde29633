"""`la.Client` gives what `la.Index` gives: the same documents, asked for over HTTP and directly."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.index.store_opening import open_store
from tests.server.live import in_thread
from tests.server.served import Served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WORDS = [f"word{number}" for number in range(3000)]


def documents(seed: int = 1) -> dict[str, str]:
    """Texts of which some are like others."""
    rng = random.Random(seed)
    found = {f"d{number}": " ".join(rng.choices(WORDS, k=120)) for number in range(20)}
    for number in range(6):
        words = found[f"d{number}"].split()
        words[number * 10] = "changed"
        found[f"copy{number}"] = " ".join(words)
    return found


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an index."""
    folder = tmp_path_factory.mktemp("client")
    with la.Index.open(folder / "index.db", create=True, threshold=0.6) as index:
        index.add(documents())
    return folder


@pytest.fixture(scope="module")
def client(place: Path) -> Iterator[la.Client]:
    """A client of a server on that index, which nobody changes."""
    with Served(place / "index.db", "--read-only", log=place / "log") as served, la.Client(served.url) as client:
        yield client


@pytest.fixture
def index(place: Path) -> Iterator[la.Index]:
    """The same index, opened here."""
    with la.Index.open(place / "index.db", create=False) as index:
        yield index


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[la.Client]:
    """A client of a server on an index without documents."""
    la.Index.open(tmp_path / "empty.db", create=True).close()
    with Served(tmp_path / "empty.db", log=tmp_path / "log") as served, la.Client(served.url) as client:
        yield client


# -- reading -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "asked",
    [{}, {"threshold": 0.9}, {"threshold": 0.1}, {"top": 2}, {"top": 1, "threshold": 0.5}, {"threshold": 0, "top": 3}],
)
def test_queries(client: la.Client, index: la.Index, asked: dict[str, Any]) -> None:
    texts = documents()
    assert client.query(texts["d3"], **asked) == index.query(texts["d3"], **asked)
    assert client.query(texts, **asked) == index.query(texts, **asked)
    new = {7: texts["d1"], 8: "nothing like it", 9: ""}
    found = client.query(new, **asked)
    assert found == index.query(new, **asked)
    assert [hits.query for hits in found] == [7, 8, 9]
    recalls = [[hits.recall and hits.recall.of for hits in one.query(new, **asked)] for one in (client, index)]
    assert recalls[0] == recalls[1]


def test_a_document_is_its_own_hit_as_in_an_index(client: la.Client) -> None:
    (hits,) = client.query({"d9": documents()["d9"]})
    assert hits.ids == ["d9"]
    assert hits[0] == la.Hit("d9", 1.0, 1.0, 1.0, same_id=True)


@pytest.mark.parametrize("asked", [{}, {"threshold": 0.1}, {"top": 2}])
def test_the_same_id_can_be_skipped(client: la.Client, index: la.Index, asked: dict[str, Any]) -> None:
    texts = {id: documents()[id] for id in ("d3", "d9")} | {"new": documents()["d3"]}
    found = client.query(texts, **asked, skip_same_id=True)
    assert found == index.query(texts, **asked, skip_same_id=True)
    assert [hits.skipped_same_id for hits in found] == [True, True, False]


@pytest.mark.parametrize("keep", ["text", "signature"])
def test_an_index_for_passages(keep: str) -> None:
    store = open_store(":memory:", None, None, None, keep, False, None, "essays")
    index, texts = la.Index(store), documents()
    index.add(texts)
    with in_thread(store) as site, la.Client(site.url) as client:
        assert client.info()["preset"] == client.settings.preset == "essays"
        for asked in ({}, {"threshold": 0.1}, {"top": 2}):
            assert client.query(texts["d3"], **asked) == index.query(texts["d3"], **asked)
            assert client.query(texts, **asked) == index.query(texts, **asked)
        assert client.query(texts["d3"]).nearest[0].id == "d3"
        pairs = index.pairs().sort_by([("jaccard" if keep == "text" else "estimate", "descending")])
        assert client.pairs().column_names == pairs.column_names
        assert client.pairs().num_rows == pairs.num_rows > 0


def test_many_documents(client: la.Client, index: la.Index) -> None:
    texts = list(documents().values()) * 100
    assert client.query(texts) == index.query(texts)


def test_ids_and_texts(client: la.Client, index: la.Index) -> None:
    assert list(client) == list(client.ids()) == list(index)
    assert len(client) == len(index) == 26
    assert client
    assert client.get("copy1") == index.get("copy1")
    assert "copy1" in client
    for strange in ("nobody", 7, True, None, "", ".", "..", "a/b", "%2e", "é" * 50):
        assert strange not in client
    with pytest.raises(KeyError, match="nobody"):
        client.get("nobody")


def test_pairs_and_groups(client: la.Client, index: la.Index) -> None:
    for threshold in (None, 0.9):
        found, expected = client.pairs(threshold), index.pairs(threshold)
        assert found.schema == expected.schema
        assert sorted(found.to_pylist(), key=str) == sorted(expected.to_pylist(), key=str)
        assert sorted(client.groups(threshold), key=str) == sorted(index.groups(threshold), key=str)
    assert client.pairs(1.0).num_rows == 0


def test_compare(client: la.Client, index: la.Index) -> None:
    a, b = documents()["d1"], documents()["copy1"]
    expected = la.compare(a, b, index.recipe)
    assert client.compare(a, b) == expected
    assert client.compare(a, id_b="copy1") == client.compare(id_a="d1", id_b="copy1") == expected
    with pytest.raises(KeyError, match="nobody"):
        client.compare(id_a="d1", id_b="nobody")
    with pytest.raises(la.RecipeError, match="b must be a text, or id_b the id of a stored document"):
        client.compare(a)
    with pytest.raises(la.RecipeError, match="a must be a text"):
        client.compare(a, b, id_a="d1")


def test_info(client: la.Client, index: la.Index) -> None:
    found, known = client.info(), index.info()
    assert {name: found[name] for name in ("documents", "recipe", "threshold", "keep")} == {
        name: known[name] for name in ("documents", "recipe", "threshold", "keep")
    }
    assert client.recipe == index.recipe
    assert found["may"] == ["read"]
    assert repr(client) == f"<Client: {client.url}>"


@pytest.mark.parametrize("asked", [{"threshold": 2}, {"threshold": 0}, {"threshold": "x"}, {"top": 0}, {"top": "x"}])
def test_what_is_asked_is_checked_as_an_index_does(client: la.Client, index: la.Index, asked: dict[str, Any]) -> None:
    with pytest.raises(la.RecipeError) as its:
        index.query("a text", **asked)
    with pytest.raises(la.RecipeError) as own:
        client.query("a text", **asked)
    assert str(own.value) == str(its.value)


def test_the_limits_of_the_server(client: la.Client) -> None:
    with pytest.raises(la.RecipeError, match="top must be what the server allows"):
        client.query("a text", top=5000)
    with pytest.raises(la.DocumentError, match="document 'large': text is larger than the server takes"):
        client.query({"large": "word " * 2_500_000})


def test_a_server_that_is_read_only(client: la.Client) -> None:
    for name, given in (("add", {"new": "text"}), ("replace", {"d1": "text"}), ("remove", ["d1"])):
        with pytest.raises(la.ServerError, match="read-only") as caught:
            getattr(client, name)(given)
        assert caught.value.status == 403


# -- writing -----------------------------------------------------------------------------------------------------------


def test_adding_and_removing(empty: la.Client) -> None:
    assert empty.add({}) == 0
    texts, told = documents(), list[int]()
    assert empty.add(texts, progress=told.append) == 26
    assert told == [26]
    assert list(empty) == list(texts)
    assert empty.add(texts) == 26, "what is there already, with the same text, is no error"
    assert len(empty) == 26
    with pytest.raises(la.DuplicateIdError, match="use replace") as caught:
        empty.add({"new": "some other text", "d4": "another text"})
    assert caught.value.document == "d4"
    assert "new" not in empty, "all or none"
    assert empty.remove(["d1", "nobody", "d2", 5]) == 2
    assert "d1" not in empty
    with pytest.raises(la.DocumentError, match=r"give a list: \['d3'\]"):
        empty.remove("d3")
    assert empty.replace({"d3": "a text of another kind", "d99": "a new one"}, progress=told.append) == 2
    assert told == [26, 1, 2]
    assert empty.get("d3") == "a text of another kind"
    assert empty.query("a text of another kind").ids == ["d3"]


def test_more_than_one_batch(empty: la.Client) -> None:
    told: list[int] = []
    assert empty.add({f"n{number}": f"text number {number}" for number in range(2200)}, progress=told.append) == 2200
    assert told == [1000, 2000, 2200]
    assert len(empty) == 2200
    assert sum(1 for _ in empty) == 2200


@pytest.mark.parametrize("first", ["add", "replace"])
def test_whole_numbers_as_ids(empty: la.Client, first: str) -> None:
    assert 7 not in empty
    assert getattr(empty, first)({7: "one two three", -8: "four five six"}) == 2
    assert list(empty) == [7, -8]
    assert empty.get(7) == "one two three"
    assert 7 in empty
    assert "7" not in empty
    with pytest.raises(KeyError):
        empty.get("7")
    assert empty.remove(["7"]) == 0
    with pytest.raises(la.DocumentError, match="id is a text; the ids of"):
        empty.replace({"x": "text"})
    with pytest.raises(la.DocumentError, match="document 'x': id is a text; the ids of the index are numbers"):
        empty.add({"x": "text"})
    assert empty.remove([7, -8]) == 2


def test_ids_and_texts_that_need_care(empty: la.Client) -> None:
    ids = [
        "",
        ".",
        "..",
        "/",
        "a/b",
        "../../etc/passwd",
        "%2F",
        "a b",
        "a+b",
        "?id=x&y#z",
        "é",
        "e\u0301",
        "😀",
        "\x00",
        "\n",
    ]
    texts = {name: f"text of {number} {name!r} \x00 \u2028 \ud83d" for number, name in enumerate(ids)}
    assert empty.add(texts) == len(ids)
    assert list(empty) == ids
    for name in ids:
        assert empty.get(name) == texts[name].replace("\ud83d", "\ufffd")
        assert empty.replace({name: f"other {name}"}) == 1
        assert empty.get(name) == f"other {name}"
        assert empty.remove([name]) == 1
        assert name not in empty


def test_whatever_find_takes(empty: la.Client, tmp_path: Path) -> None:
    import polars as pl

    frame = pl.DataFrame({"name": ["a", "b"], "body": ["one two three four five", "six seven eight nine ten"]})
    assert empty.add(frame, text="body", id="name") == 2
    (tmp_path / "essays").mkdir()
    (tmp_path / "essays" / "new.txt").write_text("one two three four five", encoding="utf-8")
    (hits,) = empty.query(tmp_path / "essays")
    assert (hits.query, hits.ids) == ("new.txt", ["a"])
    assert [found.ids for found in empty.query(frame, text="body", id="name")] == [["a"], ["b"]]


def test_what_an_index_keeps(tmp_path: Path) -> None:
    for keep in ("shingles", "signature"):
        where = tmp_path / f"{keep}.db"
        with la.Index.open(where, create=True, keep=keep) as index:
            index.add(documents())
            with Served(where, log=tmp_path / "log") as served, la.Client(served.url) as client:
                assert client.query(documents()) == index.query(documents())
                assert client.pairs().schema == index.pairs().schema
                assert client.pairs(1.0).schema == index.pairs(1.0).schema, "also without any pair"
                with pytest.raises(la.StoreError, match="keeps no texts"):
                    client.get("d1")
                with pytest.raises(la.DocumentError, match="keeps no texts"):
                    client.compare("a text", id_b="d1")


# -- tokens ------------------------------------------------------------------------------------------------------------


def test_tokens(tmp_path: Path) -> None:
    la.Index.open(tmp_path / "index.db", create=True).close()
    tokens = tmp_path / "tokens"
    tokens.write_text(f"read {'r' * 40}\nwrite {'w' * 40}\n")
    tokens.chmod(0o600)
    with Served(tmp_path / "index.db", "--token-file", str(tokens), log=tmp_path / "log") as served:
        refused = (
            (None, 401, "send the header 'Authorization: Bearer TOKEN'; give a token: "),
            ("x" * 40, 401, "this server does not know that token; give a token: "),
            ("r" * 40, 403, "this token may only read; use the write token"),
        )
        for token, status, said in refused:
            with la.Client(served.url, token) as client, pytest.raises(la.ServerError) as caught:
                client.add({"a": "one two three"})
            assert caught.value.status == status
            assert f"answers {status}: {said}" in str(caught.value)
            assert "rrrr" not in str(caught.value)
        with la.Client(served.url, "w" * 40) as client:
            assert client.add({"a": "one two three"}) == 1
        with la.Client(served.url, "r" * 40) as client:
            assert client.query("one two three").ids == ["a"]
        assert served.stop() == 0
        assert "rrrr" not in served.logged()
        assert "one two" not in served.logged()
