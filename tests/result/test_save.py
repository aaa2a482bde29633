"""Saved results: what is read is what was saved, or an error, and never anything else."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.documents import Skipped
from lookalike.documents.metadata import Metadata
from tests.corpus import pages
from tests.property.strategies import recipes, tries
from tests.result.making import Case, cases

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = dict(zip([f"page {i}" for i in range(24)], pages(3, originals=12, words=40, changes=(0, 1, 2, 4)), strict=True))


def same(one: la.Result, other: la.Result) -> bool:
    names = (
        *("threshold", "searched_threshold", "recipe", "method", "metric", "bands", "recall", "linkage", "order"),
        *(
            "skipped",
            "old_skipped",
            "notes",
            "timings",
            "old_from",
            "excluded_shingles",
            "documents",
            "candidates",
            "copies_listed",
            "groups",
        ),
    )
    return (
        all(getattr(one, name) == getattr(other, name) for name in names)
        and one.ids.equals(other.ids)
        and one.old_ids == other.old_ids
        and one.flags == other.flags
        and one.old_flags == other.old_flags
        and bool(one.pairs.equals(other.pairs))
        and _lengths(one) == _lengths(other)
    )


def _lengths(result: la.Result) -> list[Any] | None:
    return None if result.lengths is None else result.lengths.to_pylist()


@given(cases(), recipes(), st.booleans(), st.data())
@tries(2)
def test_what_is_read_is_what_was_saved(
    tmp_path_factory: pytest.TempPathFactory, case: Case, recipe: la.Recipe, lsh: bool, data: st.DataObject
) -> None:
    names = data.draw(
        st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=len(case.kinds), unique=True)
    )
    result = case.result(
        recipe=recipe,
        ids=pa.array(names[: len(case.kinds)], pa.large_string()),
        bands=la.Bands(4, 2) if lsh else None,
        method="lsh" if lsh else "brute",
        order=data.draw(st.one_of(st.none(), st.permutations(range(len(case.kinds))))),
        linkage=data.draw(st.sampled_from(("star", "linked"))),
        metric=data.draw(st.sampled_from(("jaccard", "containment", "bag"))),
        skipped=[Skipped("ü.png", "binary", "it is a picture")],
        old_skipped=[Skipped("ö.png", "binary", "it is a picture")],
        notes=["a.txt read as windows-1252"],
        timings={"reading": 0.25},
        lengths=data.draw(st.sampled_from((None, pa.array(range(len(case.kinds)), pa.uint64())))),
        ignored=[0, 2**64 - 1],
        recall=la.Recall(0.875),
    )
    path = tmp_path_factory.mktemp("saved") / "run.lookalike"
    for saved in (result, result.rethreshold(0.75)):
        saved.save(path)
        again = la.Result.load(path)
        assert same(saved, again)
        assert same(result, again.rethreshold(0.5))
        assert saved.summary() == again.summary()


def test_a_search_and_its_audit_are_saved(tmp_path: Path) -> None:
    result = la.find(TEXTS, 0.5, method="lsh", recipe=la.Recipe(k=2)).audit(documents=TEXTS)
    result.save(tmp_path / "run")
    again = la.Result.load(tmp_path / "run")
    assert same(result, again)
    assert again.recall.measured is not None
    assert again.audited is not None
    assert result.audited is not None
    assert str(again.audited) == str(result.audited)
    assert again.audited.missed.equals(result.audited.missed)
    assert again.rethreshold(0.9).audited is None
    result.rethreshold(0.9).save(tmp_path / "higher")
    assert la.Result.load(tmp_path / "higher").recall == result.rethreshold(0.9).recall
    assert la.Result.load(tmp_path / "higher").rethreshold(0.5).recall == result.recall
    assert again.rethreshold(0.9).rethreshold(0.5).recall == result.recall


def test_metadata_of_documents_with_numbers_is_saved(tmp_path: Path) -> None:
    result = la.find(["one two three"] * 2).with_metadata({"1": Metadata("Second", "Ann")})
    result.save(tmp_path / "run")
    assert la.Result.load(tmp_path / "run").metadata == {1: Metadata("Second", "Ann")}


def test_a_path_that_is_not_utf_8_is_saved(tmp_path: Path) -> None:
    result = la.find(["one two three"] * 2).with_origin({"paths": ["b\udcff.txt"]})
    result.save(tmp_path / "run")
    assert la.Result.load(tmp_path / "run").origin == {"paths": ["b\udcff.txt"]}


def test_equal_results_are_equal_files(tmp_path: Path) -> None:
    result = Case([0, 0, 1], {}).result()
    result.save(tmp_path / "a")
    result.save(str(tmp_path / "b"))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_saving_over_a_file_keeps_it_until_the_new_one_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run"
    Case([0], {}).result().save(path)
    before = path.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    with pytest.raises(la.DocumentError, match="No space left on device"):
        Case([0, 0], {}).result().save(path)
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["run"]


# -- what is no saved result, or not any more ------------------------------------------------------------------------

SAVED = Case([0, 1, 0, 2], {(0, 1): (0.75, 0.8, 0.9), (1, 2): (0.5, 0.6, 0.7)}).result(
    ids=pa.array(["a", "b", "c", "d"], pa.large_string()), order=[3, 2, 1, 0]
)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("saved") / "run"
    SAVED.save(path)
    return path.read_bytes()


def test_a_flipped_bit_is_an_error_or_changes_nothing(saved: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run"
    refused = 0
    for place in range(0, len(saved), 7):
        broken = bytearray(saved)
        broken[place] ^= 1 << (place % 8)
        path.write_bytes(broken)
        try:
            assert same(la.Result.load(path), SAVED)  # a date in the archive, for example
        except la.DocumentError as error:
            refused += "\n" not in str(error)
    assert refused > len(saved) // 7 * 0.8


def test_a_piece_of_a_file_is_an_error(saved: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run"
    for length in (*range(0, len(saved), 97), len(saved) - 1):
        path.write_bytes(saved[:length])
        with pytest.raises(la.DocumentError, match=r"is damaged|is not a saved result"):
            la.Result.load(path)


def rewritten(saved: bytes, path: Path, change: Any) -> None:
    """Write an archive whose parts are what `change` makes of them, with fingerprints that fit."""
    import hashlib

    with zipfile.ZipFile(io.BytesIO(saved)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    meta = json.loads(parts.pop("meta.json"))
    change(meta, parts)
    for name, data in parts.items():
        meta["parts"][name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {"meta.json": json.dumps(meta).encode(), **parts}.items():
            archive.writestr(name, data)


def ipc(**columns: Any) -> bytes:
    sink = io.BytesIO()
    table = pa.table(columns)
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def classes(*numbers: int | None) -> bytes:
    return ipc(**{"class": pa.array(numbers, pa.uint32())})


def near(a: list[int], b: list[int], score: float = 0.5) -> bytes:
    ends = {"a": pa.array(a, pa.uint32()), "b": pa.array(b, pa.uint32())}
    return ipc(**ends, **{name: pa.array([score] * len(a)) for name in ("jaccard", "containment_a", "containment_b")})


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("ids.arrow", ipc(id=pa.array([1.5] * 4)), "other columns"),
        ("ids.arrow", ipc(id=pa.array([1, 2, None, 4])), "missing values"),
        ("ids.arrow", ipc(id=pa.array([1, 2, 3])), "another length"),
        ("ids.arrow", ipc(id=pa.array([1, 2, 3, 2])), "has an id twice"),
        ("ids.arrow", ipc(id=pa.array(["x"] * 4, pa.large_string())), "has an id twice"),
        ("classes.arrow", classes(0, 1, 0, 4_000_000_000), "a copy comes before its first"),
        ("classes.arrow", classes(0, 0, 1, 3), "the first of a kind is a copy"),
        ("classes.arrow", classes(0, 1, None, 3), "missing values"),
        ("classes.arrow", ipc(other=pa.array([0, 1, 0, 3], pa.uint32())), "other columns"),
        ("pairs.arrow", near([1], [0]), "turned round"),
        ("pairs.arrow", near([0], [4_000_000_000]), "not there"),
        ("pairs.arrow", near([0], [2]), "names a copy"),
        ("pairs.arrow", near([0, 0], [3, 1]), "not sorted"),
        ("pairs.arrow", near([0], [1], 1.5), "not between 0 and 1"),
        ("pairs.arrow", near([0], [1], float("nan")), "not between 0 and 1"),
        ("pairs.arrow", b"ARROW1 but no more", "no Arrow file"),
        ("order.arrow", ipc(document=pa.array([0, 1], pa.uint32())), "another length"),
        ("order.arrow", ipc(document=pa.array([0, 1, 1, 3], pa.uint32())), "twice"),
    ],
)
def test_parts_that_do_not_fit(saved: bytes, tmp_path: Path, name: str, data: bytes, problem: str) -> None:
    rewritten(saved, tmp_path / "run", lambda _, parts: parts.update({name: data}))
    with pytest.raises(la.DocumentError, match=f"is damaged.*{problem}.*search again"):
        la.Result.load(tmp_path / "run")


@pytest.mark.parametrize(
    "changes",
    [
        {"digest": "0" * 16},
        {"recipe": "lookalike-recipe/2 unit=word"},
        {"linkage": "other"},
        {"metric": "other"},
        {"threshold": 0.1},
        {"threshold": "high"},
        {"old_from": 9},
        {"bands": [0, 0]},
        {"skipped": [["a"]]},
        {"documents": 3},
        {"parts": {}},
    ],
)
def test_facts_that_do_not_fit(saved: bytes, tmp_path: Path, changes: dict[str, Any]) -> None:
    def change(meta: dict[str, Any], parts: dict[str, bytes]) -> None:
        meta.update(changes)
        if "parts" in changes:
            parts.clear()

    rewritten(saved, tmp_path / "run", change)
    with pytest.raises(la.DocumentError, match="is damaged"):
        la.Result.load(tmp_path / "run")


def test_a_newer_format_says_what_to_do(saved: bytes, tmp_path: Path) -> None:
    rewritten(saved, tmp_path / "run", lambda meta, _: meta.update(format="lookalike-result/4"))
    with pytest.raises(la.DocumentError, match=r"has the format lookalike-result/4.*reads lookalike-result/3; update"):
        la.Result.load(tmp_path / "run")


def test_an_earlier_format_says_what_to_do(saved: bytes, tmp_path: Path) -> None:
    rewritten(saved, tmp_path / "run", lambda meta, _: meta.update(format="lookalike-result/2"))
    with pytest.raises(la.DocumentError, match=r"with hash format 1; search again$"):
        la.Result.load(tmp_path / "run")


def test_files_of_others(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", "<xml/>")
    with pytest.raises(la.DocumentError, match="is not a saved result of lookalike"):
        la.Result.load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("meta.json", "[]")
    with pytest.raises(la.DocumentError, match="is not a saved result of lookalike"):
        la.Result.load(path)
    for data in (b"", b"a,b\n1,2\n", bytes(1000)):
        path.write_bytes(data)
        with pytest.raises(la.DocumentError, match="is not a saved result of lookalike"):
            la.Result.load(path)


def test_a_bomb_is_not_unpacked(saved: bytes, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "run", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("meta.json", b" " * 50_000_000)
    with pytest.raises(la.DocumentError, match="another size than it should"):
        la.Result.load(tmp_path / "run")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(la.DocumentError, match="does not exist"):
        la.Result.load(tmp_path / "none")
    with pytest.raises(la.DocumentError, match="is a directory; give one file"):
        la.Result.load(tmp_path)
