"""What every store must do: the same tests for memory, SQLite and PostgreSQL. Those of queries are in test_query.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import lookalike as la
from tests.index.stores import Place, check, collection

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_ids_and_texts(new: Callable[[], Place]) -> None:
    index = new().open()
    assert len(index) == 0
    assert index.query("anything") == []
    assert index.add({"a": "one two three", "b": "four five six"}) == 2
    assert "a" in index
    assert "c" not in index
    assert 1 not in index
    assert list(index.ids()) == list(index) == ["a", "b"]
    assert index.get("b") == "four five six"
    with pytest.raises(KeyError):
        index.get("c")
    check(index)


def test_an_id_twice_adds_nothing(new: Callable[[], Place]) -> None:
    index = new().open()
    index.add({"a": "one two three"})
    with pytest.raises(la.DuplicateIdError) as caught:
        index.add({"b": "four", "a": "five", "c": "six"})
    assert caught.value.document == "a"
    assert list(index) == ["a"]
    assert index.get("a") == "one two three"
    check(index)


def test_replace_and_remove(new: Callable[[], Place]) -> None:
    index = new().open()
    index.add({"a": "one two three four five six", "b": "something else entirely, and longer"})
    assert index.replace({"a": "seven eight nine ten eleven twelve", "c": "a new one"}) == 2
    assert index.query("one two three four five six") == []
    assert index.query("seven eight nine ten eleven twelve").ids == ["a"]
    assert sorted(map(str, index)) == ["a", "b", "c"]
    assert index.remove(["a", "nobody"]) == 1
    assert index.query("seven eight nine ten eleven twelve") == []
    assert "a" not in index
    index.add({"a": "one two three four five six"})
    assert index.query("one two three four five six").ids == ["a"]
    with pytest.raises(la.DocumentError, match="give a list"):
        index.remove("a")
    check(index)


def test_whole_numbers_as_ids(new: Callable[[], Place]) -> None:
    index = new().open()
    index.add(["one two three", "four five six"])
    index.add({-(2**63): "least", 2**63 - 1: "greatest"})
    assert list(index) == [0, 1, -(2**63), 2**63 - 1]
    assert index.query("greatest").ids == [2**63 - 1]
    with pytest.raises(la.DocumentError, match=r"is a text; the ids of .* are numbers"):
        index.add({"text": "an id of another kind"})
    assert "0" not in index
    check(index)


def test_ids_that_need_care(new: Callable[[], Place]) -> None:
    odd = ["", " ", "a'b", 'a"b', "a\nb", "ünï", "日本", "; DROP TABLE document;", "%s", "\\", "x" * 2000]
    index = new().open()
    index.add({id: f"text number {place} of all of them" for place, id in enumerate(odd)})
    assert list(index) == odd
    assert index.query("text number 3 of all of them", 0.9).ids == [odd[3]]
    assert index.remove(odd) == len(odd)
    check(index)


def test_texts_that_need_care(new: Callable[[], Place]) -> None:
    odd = {
        "nul": "a\0b c d e f",
        "emoji": "👩‍👩‍👧 family of three people here",
        "long": "word " * 100_000,
        "lone": "a \ud800 b c d e",
    }
    index = new().open()
    index.add(odd)
    for id, text in odd.items():
        assert id in index.query(text).ids
    assert index.get("nul") == odd["nul"]
    check(index)


@pytest.mark.parametrize("kind", ["frame", "source", "generator", "path"])
def test_whatever_find_takes(new: Callable[[], Place], kind: str, tmp_path: Path) -> None:
    import pyarrow as pa

    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("one two three four five six")
    given = {
        "frame": pa.table({"id": ["a.txt"], "text": ["one two three four five six"]}),
        "source": la.open_documents({"a.txt": "one two three four five six"}),
        "generator": (text for text in ["one two three four five six"]),
        "path": tmp_path / "texts",
    }[kind]
    index = new().open()
    assert index.add(given) == 1
    assert index.query("one two three four five six").ids == [0 if kind == "generator" else "a.txt"]
    check(index)


def test_columns_by_name(new: Callable[[], Place]) -> None:
    import pyarrow as pa

    index = new().open()
    frame = pa.table({"key": ["a", "b"], "body": ["one two three four five six", "something else altogether"]})
    assert index.add(frame, text="body", id="key") == 2
    assert index.replace(frame, text="body", id="key") == 2
    assert [hits.ids for hits in index.query(frame, text="body", id="key")] == [["a"], ["b"]]
    check(index)


def test_what_was_added_is_there_after_opening(new: Callable[[], Place]) -> None:
    place = new()
    documents = collection(150)
    with place.open(threshold=0.6, recipe=la.Recipe(k=3)) as index:
        index.add(documents)
        index.remove(["d3", "d4"])
        before = index.query(documents)
    if not place.lasts:
        return
    with place.open(create=False) as again:
        assert again.recipe == la.Recipe(k=3)
        assert again.query(documents) == before
        assert len(again) == len(documents) - 2
        check(again)


def test_other_settings_are_refused(new: Callable[[], Place]) -> None:
    place = new()
    place.open(threshold=0.6, recipe=la.Recipe(k=3), keep="shingles").close()
    if not place.lasts:
        return
    with pytest.raises(la.MismatchError, match="k is 3 and 4"):
        place.open(recipe=la.Recipe(k=4))
    with pytest.raises(la.MismatchError, match="threshold"):
        place.open(threshold=0.7)
    with pytest.raises(la.MismatchError, match="keep"):
        place.open(keep="text")
    with pytest.raises(la.StoreError, match="exists already"):
        place.open(create=True)
    place.open(threshold=0.6, recipe=la.Recipe(k=3), keep="shingles", create=False).close()


def test_what_is_not_there(new: Callable[[], Place]) -> None:
    place = new()
    if place.lasts:
        with pytest.raises(la.StoreError, match="does not exist"):
            place.open(create=False)


def test_two_that_are_open_see_each_other(new: Callable[[], Place]) -> None:
    place = new()
    if not place.lasts:
        return
    documents = collection(60)
    items = list(documents.items())
    with place.open() as one, la.Index.open(place.where) as two:
        for start in range(0, len(items), 10):
            writer, reader = (one, two) if start % 20 else (two, one)
            writer.add(dict(items[start : start + 10]))
            assert len(reader) == len(writer)
            id, text = items[start]
            assert id in reader
            assert (id in reader.query(text).ids) == bool(la.units(text))
        one.remove(["d0"])
        assert "d0" not in two.query(documents["d0"]).ids
        one.compact()
        assert two.query(documents["d1"]).ids == one.query(documents["d1"]).ids
        assert two.verify().ok
        check(one)


def test_the_preset_stays(new: Callable[[], Place]) -> None:
    place = new()
    with place.open(preset="essays", recipe=la.Recipe(k=4)) as index:
        assert (index.info()["preset"], index.recipe) == ("essays", la.Recipe(k=4)), "a recipe overrides the preset's"
    if place.lasts:
        with place.open(create=False) as index:
            assert index.info()["preset"] == "essays"
        with pytest.raises(la.MismatchError, match="preset is 'essays' and 'code'"):
            place.open(preset="code")
    with pytest.raises(la.RecipeError, match="preset must be one of"):
        new().open(preset="essay")


@pytest.mark.parametrize(("preset", "threshold"), [("edited", 0.5), ("code", 0.6), ("essays", 0.8)])
def test_a_preset_brings_its_threshold(new: Callable[[], Place], preset: str, threshold: float) -> None:
    """Not that of the essays, which is of passages: an index compares whole documents."""
    place = new()
    with place.open(preset=preset) as index:
        assert index.info()["threshold"] == threshold
    if place.lasts:
        place.open(preset=preset).close()
    with new().open(preset=preset, threshold=0.9) as index:
        assert index.info()["threshold"] == 0.9


def test_nothing_can_be_asked_of_a_closed_index(new: Callable[[], Place], tmp_path: Path) -> None:
    index = new().open()
    index.add({"fox": "the quick brown fox"})
    check(index)
    index.close()
    calls: list[Callable[[], object]] = [
        lambda: index.query("the quick brown fox"),
        lambda: index.query({"fox": "the quick brown fox"}, top=1, skip_same_id=True),
        lambda: index.add({"sea": "the moon pulls"}),
        lambda: index.replace({"fox": "the moon pulls"}),
        lambda: index.ensure({"fox": "the quick brown fox"}),
        lambda: index.put("fox", "the moon pulls"),
        lambda: index.add_unless_similar({"sea": "the moon pulls"}),
        lambda: index.remove(["fox"]),
        lambda: index.get("fox"),
        lambda: list(index.ids()),
        lambda: len(index),
        lambda: "fox" in index,
        index.pairs,
        index.groups,
        lambda: list(index.documents().batches()),
        lambda: index.documents().size(),
        index.info,
        index.verify,
        index.repair,
        index.compact,
        lambda: index.backup(tmp_path / "copy.db"),
    ]
    for call in calls:
        with pytest.raises(la.StoreError, match="is closed"):
            call()
    assert not (tmp_path / "copy.db").exists()


def test_a_secret_seed_is_shown_to_nobody(new: Callable[[], Place]) -> None:
    indexes = [new().open(secret=True) for _ in range(2)]
    for index in indexes:
        index.add({"a": "one two three four five six seven"})
        assert index.query("one two three four five six seven").ids == ["a"]
        assert index.recipe.seed == 0
        assert "seed=0" in index.info()["recipe"]
        assert index.info()["secret"]
    seeds = {index._store.settings.recipe.seed for index in indexes}
    assert len(seeds) == 2
    for index in indexes:
        check(index)


def test_a_backup_is_an_index(new: Callable[[], Place], tmp_path: Path) -> None:
    documents = collection(80)
    index = new().open()
    index.add(documents)
    index.remove(["d0"])
    index.backup(tmp_path / "copy.db")
    with pytest.raises(la.StoreError, match="exists already"):
        index.backup(tmp_path / "copy.db")
    with la.Index.open(tmp_path / "copy.db", create=False) as copy:
        assert list(copy) == list(index)
        assert copy.query(documents) == index.query(documents)
        check(copy)
    check(index)


def test_compacting_changes_no_answer(new: Callable[[], Place]) -> None:
    documents = collection(200)
    index = new().open()
    index.add(documents)
    index.remove([id for place, id in enumerate(documents) if place % 3 == 0])
    before = index.query(documents)
    index.compact()
    assert index.query(documents) == before
    check(index)


def test_a_failed_add_leaves_nothing(new: Callable[[], Place]) -> None:
    def texts() -> object:
        yield from collection(30).values()
        raise RuntimeError("no more")

    index = new().open()
    index.add({1: "one two three"})
    with pytest.raises(RuntimeError, match="no more"):
        index.add(texts())
    with pytest.raises(la.DocumentError):
        index.add({2: "fine", 3: b"not a text"})
    assert list(index) == [1]
    check(index)


def test_what_no_index_can_be() -> None:
    with pytest.raises(la.RecipeError, match="keep must be"):
        la.Index.open(":memory:", keep="texts")
    with pytest.raises(la.RecipeError, match="the place of an index"):
        la.Index.open(7)  # type: ignore[arg-type]
    with pytest.raises(la.RecipeError, match="threshold"):
        la.Index.open(":memory:", threshold=0)


def test_ensure_can_be_repeated(new: Callable[[], Place]) -> None:
    index = new().open()
    documents = collection(40)
    assert index.ensure(documents) == (len(documents), 0)
    assert index.ensure(documents) == (0, len(documents))
    assert index.ensure({**documents, "new": "a new one"}) == (1, len(documents))
    assert [index.get(id) for id in documents] == list(documents.values())
    check(index)


@pytest.mark.parametrize("keep", ["text", "shingles", "signature"])
def test_ensure_names_what_is_there_with_another_content(new: Callable[[], Place], keep: str) -> None:
    index = new().open(keep=keep)
    index.add({"a": "one two three four five six", "b": "seven eight nine ten eleven", "c": "same"})
    with pytest.raises(la.ConflictError) as caught:
        index.ensure({"new": "x", "b": "another text altogether", "c": "same", "a": "and another one here"})
    assert caught.value.documents == ("b", "a")
    assert caught.value.count == 2
    assert sorted(map(str, index.ids())) == ["a", "b", "c"]
    many = {f"d{number}": f"text {number}" for number in range(150)}
    index.ensure(many)
    with pytest.raises(la.ConflictError) as caught:
        index.ensure({id: f"{text} changed" for id, text in many.items()})
    assert (len(caught.value.documents), caught.value.count) == (100, 150)
    check(index)


def test_ensure_compares_texts_and_not_only_shingles(new: Callable[[], Place]) -> None:
    index = new().open()
    index.add({"a": "One two three!"})
    with pytest.raises(la.ConflictError):
        index.ensure({"a": "one two three"})
    assert index.get("a") == "One two three!"
    check(index)


def test_put_says_what_became_of_a_text(new: Callable[[], Place]) -> None:
    index = new().open()
    assert [index.put("a", text) for text in ("one", "one", "two")] == ["added", "unchanged", "replaced"]
    assert index.get("a") == "two"
    with pytest.raises(la.DocumentError, match="is a number"):
        index.put(7, "text")
    assert len(index) == 1
    check(index)


def test_two_states_that_are_equal_have_the_same_documents(new: Callable[[], Place]) -> None:
    index = new().open()
    store = index._store
    seen: list[object] = []

    def changed() -> bool:
        with store.reading() as reader:
            version = reader.version()
            assert version.documents == reader.count() == len(list(reader.listed()))
        fresh = version not in seen
        seen.append(version)
        return fresh

    assert changed()
    for change in (
        lambda: index.add({"a": "one", "b": "two"}),
        lambda: index.remove(["a"]),
        lambda: index.add({"a": "one"}),
        lambda: index.replace({"a": "three"}),
        lambda: index.put("b", "four"),
        lambda: index.remove(["a", "b"]),
    ):
        change()
        assert changed()
    index.ensure({})
    index.remove(["nobody"])
    assert not changed()
    check(index)


def test_a_list_goes_on_behind_a_number(new: Callable[[], Place]) -> None:
    index = new().open()
    index.add({f"d{number}": f"text {number}" for number in range(10)})
    index.remove(["d3", "d7"])
    with index._store.reading() as reader:
        listed = list(reader.listed())
        assert [id for _, id in listed] == ["d0", "d1", "d2", "d4", "d5", "d6", "d8", "d9"]
        for place, (number, _) in enumerate(listed):
            assert list(reader.listed(number)) == listed[place + 1 :]
        assert list(reader.listed(10**9)) == []
    check(index)


@pytest.mark.parametrize("id", [2**70, -(2**63) - 1, "\ud800", "a\udfffb"])
def test_ids_that_no_document_can_have(new: Callable[[], Place], id: int | str) -> None:
    index = new().open()
    index.add(["one two three"] if isinstance(id, int) else {"a": "one two three"})
    assert id not in index
    assert index.remove([id]) == 0
    with pytest.raises(KeyError):
        index.get(id)
    check(index)
