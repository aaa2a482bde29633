"""`index repair` of a file that cannot even be opened: its first page is known, so most of it can be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from tests.index.workload import contents

if TYPE_CHECKING:
    from tests.cli.conftest import Run

GIVE_UP = "cannot be repaired; restore a backup, or build it again"
TEXTS = {f"d{number:03}": " ".join(f"w{number * 31 + word}" for word in range(60)) for number in range(120)}


@pytest.fixture
def stored() -> Path:
    with la.Index.open("class.db", threshold=0.5) as index:
        index.add(TEXTS)
        index.compact()
    return Path("class.db")


def left_behind() -> set[str]:
    beside = {f"class.db{ending}" for ending in ("-lock", "-wal", "-shm")}
    return {path.name for path in Path().iterdir()} - beside


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 0x55
    path.write_bytes(data)


@pytest.mark.parametrize("place", [5, 17, 19, 69, 100, 103, 7805, 8191])
def test_a_damaged_first_page_is_written_again(run: Run, stored: Path, place: int) -> None:
    flip(stored, place)
    with pytest.raises(la.StoreError, match="lookalike index repair"):
        la.Index.open(stored)
    done = run("index", "repair", "class.db")
    assert (done.code, done.err) == (0, "")
    assert done.out == "class.db: 120 documents whole, 0 lost\n"
    with la.Index.open(stored) as index:
        assert contents(index) == TEXTS
        assert index.verify().ok
    assert left_behind() == {"class.db", "class.db.damaged"}


@pytest.mark.parametrize("pages", [6.1, 10, 13])
def test_what_is_left_of_a_cut_file_is_rescued(run: Run, stored: Path, pages: float) -> None:
    whole = stored.read_bytes()
    assert len(whole) > 20 * 8192
    stored.write_bytes(whole[: int(pages * 8192)])
    done = run("index", "repair", "class.db")
    assert done.code == 1
    assert ", 0 lost" not in done.out
    with la.Index.open(stored) as index:
        found = contents(index)
        assert index.verify().ok
    assert found.items() <= TEXTS.items()
    assert found or pages < 10
    assert Path("class.db.damaged").read_bytes() == whole[: int(pages * 8192)]


def test_what_is_in_the_log_is_not_lost(run: Run) -> None:
    with la.Index.open("open.db") as index:
        index.add(TEXTS)
        for ending in ("", "-wal"):
            Path(f"class.db{ending}").write_bytes(Path(f"open.db{ending}").read_bytes())
    flip(Path("class.db"), 17)
    assert run("index", "repair", "class.db").code == 0
    with la.Index.open("class.db") as index:
        assert contents(index) == TEXTS


@pytest.mark.parametrize("damage", ["settings", "cut", "nothing"])
def test_what_cannot_be_repaired_is_said(run: Run, stored: Path, damage: str) -> None:
    data = bytearray(stored.read_bytes())
    if damage == "settings":
        data[8192 : 2 * 8192] = bytes(8192)
    before = bytes(data[: {"cut": 9000, "nothing": 50}.get(damage, len(data))])
    stored.write_bytes(before)
    done = run("index", "repair", "class.db")
    assert done.complaint == f"class.db {GIVE_UP}"
    assert stored.read_bytes() == before
    assert left_behind() == {"class.db"}


def test_what_is_no_index_is_left_alone(run: Run) -> None:
    Path("notes.txt").write_text("something else " * 1000, encoding="utf-8")
    hint = "give the file of an index, or a new name; if it is a damaged index, run: lookalike index repair"
    assert run("index", "info", "notes.txt").complaint == f"notes.txt is not an index; {hint}"
    assert run("index", "repair", "notes.txt").complaint == f"notes.txt {GIVE_UP}"
    assert run("index", "repair", "none.db").complaint.startswith("none.db does not exist; ")
    assert Path("notes.txt").read_text(encoding="utf-8") == "something else " * 1000


def test_python_is_not_sent_in_a_circle(stored: Path) -> None:
    with la.Index.open(stored) as index:
        index.ids()
        stored.write_bytes(stored.read_bytes()[:9000])
        with pytest.raises(la.DamagedError, match=GIVE_UP):
            index.repair()


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97])
def test_every_loss_of_a_cut_file_is_counted(run: Run, share: float) -> None:
    """By its id, or among those whose ids are not known: never as if there had been no more."""
    texts = {f"d{number:04}": " ".join(f"w{number * 31 + place}" for place in range(60)) for number in range(600)}
    with la.Index.open("whole.db") as index:
        index.add(texts)
    data = Path("whole.db").read_bytes()
    Path("cut.db").write_bytes(data[: int(share * len(data))])
    done = run("index", "repair", "cut.db", "--format", "json")
    if done.code == 2:
        assert "cannot be repaired" in done.err
        return
    said = json.loads(done.out)
    unknown = len(texts) - said["documents"] - len(said["lost"])
    assert done.code == (1 if unknown or said["lost"] else 0)
    assert said["ok"] == (not unknown)
    if unknown:
        assert said["problems"][0].startswith((f"{unknown} document", "documents may be lost"))
    with la.Index.open("cut.db") as index:
        assert len(index) == said["documents"]
        assert set(index) | set(said["lost"]) <= texts.keys()
        assert index.verify().ok
