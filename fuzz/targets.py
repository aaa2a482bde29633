"""What must hold for any file that lookalike reads back: a clear error, or values that can be used.

A target is made once, in a folder of its own, and then called with one input after the other. It raises whatever is
not an error that a user may see. `fuzz/run.py` looks for inputs that make it raise; a test calls it with those that are
kept in `fuzz/seeds`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import lookalike as la
from lookalike.documents.metadata import for_documents, read_metadata, shown_date
from lookalike.report.side_files import read_marks
from tests.hostile import saved, work
from tests.search.making import spilling

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["MEMBERS", "OURS", "TARGETS", "WORK_FILES", "Target", "base_result", "base_work"]

Target: TypeAlias = Callable[[bytes], None]

MEMBERS: Final = (
    *("whole file", "meta.json", "ids.arrow", "classes.arrow", "pairs.arrow", "lengths.arrow"),
    *("ignored.arrow", "templates.arrow", "missed.arrow", "old_ids.arrow"),
)
"""What an input of `saved_result` may be; its first byte says which."""
WORK_FILES: Final = ("manifest.json", *work.FILES)
"""What an input of `work_folder` may be; its first byte says which."""
OURS: Final = "ours"
"""Stands in a manifest for the identity of the search, which names files of this machine."""
_LONGEST: Final = 1_000
"""Characters of a message."""


@contextmanager
def _clear_errors() -> Iterator[None]:
    """Let errors pass that a user may see, if they are short."""
    try:
        yield
    except la.InternalError:
        raise
    except la.LookalikeError as error:
        if len(str(error)) > _LONGEST or "\n" in str(error):
            raise AssertionError("a message that fills the screen") from error


def marks(folder: Path) -> Target:
    """Any bytes as a file of marks."""
    path = folder / "marks.json"

    def check(data: bytes) -> None:
        path.write_bytes(data)
        with _clear_errors():
            found = read_marks(path)
            json.dumps(found.to_dict())
            found.is_omitted("a.txt", "b.txt")

    return check


def metadata(folder: Path) -> Target:
    """Any bytes as a table of names, authors, dates and labels."""
    path = folder / "meta.csv"

    def check(data: bytes) -> None:
        path.write_bytes(data)
        with _clear_errors():
            found = read_metadata(path)
            for one in found.values():
                json.dumps(one.to_dict())
                shown_date(one.date)
            for_documents(found, ["a.txt", "b/a.txt", "b\\c.txt", *list(found)[:3]])

    return check


def saved_result(folder: Path) -> Target:
    """Any bytes as a saved result, or as one member of a good one with fingerprints that fit."""
    meta, parts = base_result(folder)
    path = folder / "run.lookalike"

    def check(data: bytes) -> None:
        if not data:
            return
        name, content = MEMBERS[data[0] % len(MEMBERS)], data[1:]
        if name == "whole file":
            path.write_bytes(content)
        elif name == "meta.json":
            path.write_bytes(_with_meta(content, parts))
        else:
            path.write_bytes(saved.packed(meta, parts | {name: content}))
        with _clear_errors():
            saved.use(la.Result.load(path), folder)

    return check


def base_result(folder: Path) -> tuple[dict[str, Any], saved.Parts]:
    """Make a saved result that has everything; return its `meta.json` and its other members."""
    path = folder / "base.lookalike"
    saved.save_everything(saved.make_folder(folder / "essays"), path)
    return saved.unpacked(path)


def _with_meta(content: bytes, parts: saved.Parts) -> bytes:
    try:
        meta = json.loads(content)
    except (ValueError, RecursionError):
        return saved.written(content.decode("utf-8", "replace"), parts)
    return saved.packed(meta, parts)


def work_folder(folder: Path) -> Target:
    """Any bytes as one file of a work folder, with checksums that fit."""
    tables, good = base_work(folder)
    used = folder / "used"

    def check(data: bytes) -> None:
        if not data:
            return
        name, content = WORK_FILES[data[0] % len(WORK_FILES)], data[1:]
        shutil.rmtree(used, ignore_errors=True)
        shutil.copytree(good, used)
        if name == "manifest.json":
            _put_manifest(used, content)
        else:
            work.forge(used, {name: content})
        with spilling(held=work.HELD), _clear_errors():
            saved.use(work.search(tables, used), folder)

    return check


def base_work(folder: Path) -> tuple[list[Path], Path]:
    """Make two tables, and the work folder of a search in them that was stopped."""
    tables, good = work.make_tables(folder, 60), folder / "good"
    work.stop_while_verifying(tables, good, portions=2)
    return tables, good


def _put_manifest(folder: Path, content: bytes) -> None:
    """Write a manifest, with a checksum that fits if it is an object."""
    try:
        made = json.loads(content)
    except (ValueError, RecursionError):
        made = None
    if not isinstance(made, dict):
        (folder / "manifest.json").write_bytes(content)
        return
    if made.get("identity") == OURS:
        made["identity"] = work.manifest(folder)["identity"]
    work.seal(folder, made)


TARGETS: Final[dict[str, Callable[[Path], Target]]] = {
    "marks": marks,
    "metadata": metadata,
    "saved_result": saved_result,
    "work_folder": work_folder,
}
