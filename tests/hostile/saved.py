"""A saved result that has everything, and ways to change it so that its checksums still fit."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import lookalike as la
from lookalike.documents.metadata import Metadata
from tests.corpus import pages

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = [
    "WRONG",
    "Parts",
    "changed",
    "make_folder",
    "packed",
    "places",
    "save_everything",
    "unpacked",
    "use",
    "written",
]

Parts = dict[str, bytes]
"""The members of an archive besides `meta.json`."""
WRONG: list[Any] = [
    *(None, True, False, 0, -1, 1, 0.5, -0.0, 2**32, 2**63, 2**70, 1e308, float("nan"), float("inf")),
    *("", "x", "x" * 5_000, "\ud800", "a\0b", "\x1b[31m", "../../etc/passwd", "2026-13-45", "0001-01-01T00:00+09:00"),
    *([], [None], [[]], [["x"]], [1, 2, 3], ["x", "x", "x", "x"], [0.9, 0.1], {}, {"x": 1}, {"": None}, [{"x": []}]),
]
"""Values that hardly any field takes, and some that are right in one field and wrong in another."""
SHEET = "the quick brown fox of the exercise sheet jumps over the lazy dog"


def make_folder(folder: Path) -> Path:
    """Make a folder of texts with near-duplicates, a document with hidden letters and a file that is skipped."""
    folder.mkdir()
    for number, text in enumerate(pages(3, originals=8, words=60, changes=(0, 1, 2, 4))):
        (folder / f"{number:02}.txt").write_text(f"{SHEET} {text} “{text[:40]}”", encoding="utf-8")
    (folder / "odd.html").write_text(f"<p>{SHEET} " + "hid\u200bden wo\u200brds " * 20, encoding="utf-8")
    (folder / "picture.txt").write_bytes(b"\x89PNG\0\0")
    return folder


def save_everything(folder: Path, path: Path) -> la.Result:
    """Search the folder with many options, and save what came of it."""
    from lookalike.documents import open_paths

    new, old = open_paths([folder]), open_paths([folder], include=("0*.txt",))
    found = la.find(
        new,
        0.5,
        against=old,
        method="lsh",
        recipe=la.Recipe(k=2),
        skip=["quotes"],
        ignore=[SHEET],
        common=0.9,
    )
    found = found.audit(sample=4, documents=open_paths([folder]), against=open_paths([folder], include=("0*.txt",)))
    names = {str(found.id_of[0]): Metadata("An essay", "Ann", label="A")}
    told = {"include": ["*.txt", "*.html"], "exclude": [], "encoding": "auto", "hidden": False, "text_column": None}
    made = {"command": "lookalike scan", "paths": [str(folder)], "against": [], "reading": told, "left_out": ["1 pair"]}
    result = found.with_metadata(names).with_origin(made)
    result.save(path)
    return result


def unpacked(path: Path) -> tuple[dict[str, Any], Parts]:
    """Return `meta.json` and the other members."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    return json.loads(parts.pop("meta.json")), parts


def packed(meta: Any, parts: Parts) -> bytes:
    """Return an archive of these members, with fingerprints that fit."""
    if isinstance(meta, dict):
        told = {name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in parts.items()}
        meta = meta | {"parts": told}
    return written(json.dumps(meta), parts)


def written(meta: str, parts: Parts) -> bytes:
    """Return an archive with this text as `meta.json`."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("meta.json", meta.encode("utf-8", "backslashreplace"))
        for name, data in parts.items():
            archive.writestr(name, data)
    return sink.getvalue()


def use(result: la.Result, folder: Path) -> None:
    """Do with a result all that can be done without its texts."""
    assert repr(result)
    assert result.summary()
    result.to_dict()
    result.pairs.to_pylist()
    assert len(result.groups) == result.group_count
    result.rethreshold(result.threshold)
    result.rethreshold(1.0).summary()
    result.plan("longest" if result.length_of is not None else "first").removals.to_pylist()
    result.write_pairs(io.BytesIO(), "csv")
    result.write_pairs(io.BytesIO(), "json")
    result.report(folder / "report.html")
    if result.audited is not None:
        assert str(result.audited)
        result.audited.missed.to_pylist()
    result.save(folder / "again.lookalike")
    la.Result.load(folder / "again.lookalike")


def changed(meta: dict[str, Any], place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return `meta.json` with another value in one place."""
    made = deepcopy(meta)
    inner: Any = made
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    return made


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Give the path of every value inside a value; of long lists, those of the first and the last."""
    if path:
        yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    listed = list(inside)
    for name, one in (
        listed if isinstance(value, dict) else {n: (n, v) for n, v in (*listed[:1], *listed[-1:])}.values()
    ):
        yield from places(one, (*path, name))
