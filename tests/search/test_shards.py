"""Shards that are signed apart give what one search of all gives, and nothing is believed that a file says."""

from __future__ import annotations

import json
import random
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la

if TYPE_CHECKING:
    from pathlib import Path

WORDS = [f"w{number}" for number in range(2000)]


def collection(size: int, seed: int = 5) -> dict[str, str]:
    rng = random.Random(seed)
    made: dict[str, str] = {}
    for number in range(size):
        if made and rng.random() < 0.5:
            words = rng.choice(list(made.values())).split()
            for _ in range(rng.randrange(12)):
                words[rng.randrange(len(words))] = rng.choice(WORDS)
        else:
            words = rng.choices(WORDS, k=rng.randrange(30, 90))
        made[f"d{number}"] = " ".join(words)
    return made | {"empty": "", "blank": " ", "short": "one two", "short again": "One two"}


def signed(documents: dict[str, str], folder: Path, parts: int, **options: Any) -> list[Path]:
    """Sign documents in so many shards."""
    items, paths = list(documents.items()), []
    for part in range(parts):
        some = dict(items[part * len(items) // parts : (part + 1) * len(items) // parts])
        path = folder / f"part-{part}.sig"
        assert la.sign_shard(some, path, **options) == len(some)
        paths.append(path)
    return paths


@pytest.mark.parametrize("parts", [1, 2, 5])
@pytest.mark.parametrize("keep", ["shingles", "signature"])
@pytest.mark.parametrize(
    "recipe", [la.Recipe(), la.Recipe(unit="char", k=7, bag=True), la.Recipe(k=2, sketch="classic", hashes=128)]
)
def test_as_one_search(tmp_path: Path, parts: int, keep: str, recipe: la.Recipe) -> None:
    documents = collection(200)
    paths = signed(documents, tmp_path, parts, threshold=0.6, recipe=recipe, keep=keep)
    found = la.find_shards(paths, texts=documents if keep == "signature" else None)
    expected = la.find(documents, 0.6, recipe=recipe, method="lsh")
    assert expected.pair_count > 30
    assert found.pairs.equals(expected.pairs)
    assert found.groups == expected.groups
    assert found.recall.promised == pytest.approx(expected.recall.promised)
    assert found.documents == len(documents)
    assert found.plan().removed_ids.to_pylist() == expected.plan().removed_ids.to_pylist()


def test_a_higher_threshold(tmp_path: Path) -> None:
    documents = collection(120)
    paths = signed(documents, tmp_path, 2, threshold=0.6)
    assert la.find_shards(paths, 0.9).pairs.equals(la.find(documents, 0.9).pairs)
    with pytest.raises(la.RecipeError, match="for which the shards were signed"):
        la.find_shards(paths, 0.5)


def test_saved_and_loaded(tmp_path: Path) -> None:
    paths = signed(collection(60), tmp_path, 2)
    found = la.find_shards(paths)
    found.save(tmp_path / "run.lookalike")
    assert la.Result.load(tmp_path / "run.lookalike").pairs.equals(found.pairs)


def test_other_settings_are_refused(tmp_path: Path) -> None:
    la.sign_shard(["one two three"], tmp_path / "a.sig")
    for changed, message in (
        ({"recipe": la.Recipe(k=4)}, "k is 5 and 4"),
        ({"threshold": 0.7}, "threshold is 0.8 and 0.7"),
        ({"recall": 0.9}, "recall is 0.99 and 0.9"),
    ):
        la.sign_shard(["one two three"], tmp_path / "b.sig", **changed)
        with pytest.raises(la.MismatchError, match=f"{message}.*; sign all shards with the same options"):
            la.find_shards([tmp_path / "a.sig", tmp_path / "b.sig"])


def test_ids_that_are_not_unique(tmp_path: Path) -> None:
    text = "the quick brown fox jumps over the lazy dog"
    for name in ("a", "b"):
        la.sign_shard([text, f"{name} different text altogether"], tmp_path / f"{name}.sig")
    paths = [tmp_path / "a.sig", tmp_path / "b.sig"]
    with pytest.raises(la.DocumentError, match=r"a\.sig and .*b\.sig; put the name of its part"):
        la.find_shards(paths)
    pairs = la.find_shards(paths, names=True).pairs.to_pylist()
    assert [(pair["a"], pair["b"]) for pair in pairs] == [("a:0", "b:0")]
    la.sign_shard({"x": text}, tmp_path / "b.sig")
    with pytest.raises(la.DocumentError, match="numbers in one shard and texts in another"):
        la.find_shards(paths)


def test_signatures_alone_decide_nothing(tmp_path: Path) -> None:
    documents = collection(20)
    paths = signed(documents, tmp_path, 2, keep="signature")
    with pytest.raises(la.DocumentError, match="give no exact scores"):
        la.find_shards(paths)
    with pytest.raises(la.DocumentError, match="name the same documents in the order"):
        la.find_shards(paths, texts=dict(reversed(documents.items())))
    with pytest.raises(la.DocumentError, match="20 documents, and 24 were signed"):
        la.find_shards(paths, texts=dict(list(documents.items())[:20]))


def test_no_documents(tmp_path: Path) -> None:
    assert la.sign_shard([], tmp_path / "none.sig") == 0
    assert la.find_shards([tmp_path / "none.sig"]).pair_count == 0
    with pytest.raises(la.DocumentError, match="name the files"):
        la.find_shards([])
    with pytest.raises(la.DocumentError, match="give a list of paths"):
        la.find_shards(str(tmp_path / "none.sig"))


def test_a_failed_shard_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(la.DocumentError):
        la.sign_shard({"a": "text", "b": b"bytes"}, tmp_path / "a.sig")
    with pytest.raises(la.RecipeError, match="keep must be"):
        la.sign_shard(["text"], tmp_path / "a.sig", keep="text")
    assert not list(tmp_path.iterdir())


# -- files of somebody else --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"text", b"PK\3\4 and no more"])
def test_what_is_no_shard(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.sig").write_bytes(content)
    with pytest.raises(la.DocumentError, match=r"is no shard|is damaged"):
        la.find_shards([tmp_path / "a.sig"])
    with pytest.raises(la.DocumentError, match="does not exist"):
        la.find_shards([tmp_path / "b.sig"])
    la.find(["text"]).save(tmp_path / "run.lookalike")
    with pytest.raises(la.DocumentError, match="is no shard"):
        la.find_shards([tmp_path / "run.lookalike"])


@given(st.data())
@settings(max_examples=150)
def test_a_changed_byte_is_noticed(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("shard")
    la.sign_shard(collection(12), folder / "a.sig", recipe=la.Recipe(hashes=16), threshold=0.6)
    whole = (folder / "a.sig").read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    changed = bytearray(whole)
    changed[place] ^= data.draw(st.integers(1, 255))
    (folder / "b.sig").write_bytes(changed)
    before = la.find_shards([folder / "a.sig"]).pairs
    try:
        after = la.find_shards([folder / "b.sig"]).pairs
    except la.DocumentError as error:
        assert "b.sig" in str(error)  # noqa: PT017
    else:
        assert after.equals(before)  # a date, or the name of the version


@pytest.mark.parametrize(
    "change",
    [
        {"format": "lookalike-shard/3"},
        {"threshold": 2.0},
        {"threshold": "0.8"},
        {"bands": 10**9},
        {"bands": True},
        {"documents": 5},
        {"ids": "float"},
        {"notes": [1]},
        {"skipped": [["a", "empty"]]},
        {"skipped": [["a", "empty", 1]]},
        {"digest": "0" * 16},
        {"recipe": "nothing"},
        {"parts": {}},
        {"more": 1},
    ],
    ids=str,
)
def test_fields_are_checked(tmp_path: Path, change: dict[str, Any]) -> None:
    changed_shard(tmp_path, change)
    with pytest.raises(la.DocumentError, match=r"b\.sig'?: file is damaged"):
        la.find_shards([tmp_path / "b.sig"])


def test_an_earlier_format_says_what_to_do(tmp_path: Path) -> None:
    changed_shard(tmp_path, {"format": "lookalike-shard/1"})
    with pytest.raises(
        la.DocumentError, match=r"b\.sig'?: file was written .* hash format 1; sign its documents again$"
    ):
        la.find_shards([tmp_path / "b.sig"])


def changed_shard(tmp_path: Path, change: dict[str, Any]) -> None:
    la.sign_shard(["one two three", "four five six"], tmp_path / "a.sig")
    with zipfile.ZipFile(tmp_path / "a.sig") as archive, zipfile.ZipFile(tmp_path / "b.sig", "w") as changed:
        for name in archive.namelist():
            content = archive.read(name)
            if name == "meta.json":
                content = json.dumps(json.loads(content) | change).encode()
            changed.writestr(name, content)
