"""Work folders that somebody damaged or made up: refused in one sentence, whatever is in them."""

from __future__ import annotations

import os
import random
import shutil
import struct
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from tests.faults.child import PEAK
from tests.faults.child import run as run_child
from tests.hostile.work import FILES, HELD, forge, make_tables, manifest, search, stop_while_verifying
from tests.search.making import answer, spilling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

DOCUMENTS = 240
FILLED = [name for name in FILES if name != "hot.bin"]
"""The files that have contents in the folder of these tests; it has no hot documents."""
DAMAGED = r"(is damaged; start again in a new folder|damaged or of another version; give an empty or new folder)$"


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return make_tables(tmp_path_factory.mktemp("tables"), DOCUMENTS)


@pytest.fixture(scope="module")
def half_done(tables: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a search that was stopped while it verified."""
    work = tmp_path_factory.mktemp("half") / "work"
    stop_while_verifying(tables, work, portions=8)
    assert all((work / name).stat().st_size for name in FILLED)
    assert (work / "hot.bin").stat().st_size == 0
    return work


@pytest.fixture
def work(half_done: Path, tmp_path: Path) -> Iterator[Path]:
    with spilling(held=HELD):
        yield shutil.copytree(half_done, tmp_path / "work")


@pytest.fixture(scope="module")
def expected(tables: list[Path]) -> dict[str, Any]:
    return answer(search(tables))


def refused(tables: list[Path], work: Path, said: str = DAMAGED) -> None:
    with pytest.raises(la.LookalikeError, match=said) as raised:
        search(tables, work)
    assert not isinstance(raised.value, la.InternalError)
    assert len(str(raised.value)) < 1_000


def test_the_folder_of_these_tests_is_good(tables: list[Path], work: Path, expected: dict[str, Any]) -> None:
    forge(work)
    assert answer(search(tables, work)) == expected


# -- damage ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*FILLED, "manifest.json"])
def test_a_flipped_bit_is_refused(tables: list[Path], half_done: Path, tmp_path: Path, name: str) -> None:
    rng = random.Random(name)
    data = (half_done / name).read_bytes()
    for turn in range(6):
        work = shutil.copytree(half_done, tmp_path / f"{turn}")
        broken = bytearray(data)
        broken[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        (work / name).write_bytes(broken)
        with spilling(held=HELD):
            refused(tables, work)


@pytest.mark.parametrize("name", FILLED)
def test_contents_of_the_right_length_are_not_enough(tables: list[Path], work: Path, name: str) -> None:
    size = (work / name).stat().st_size
    for data in (bytes(size), b"\xff" * size, random.Random(1).randbytes(size)):
        (work / name).write_bytes(data)
        refused(tables, work)


def test_what_stands_behind_the_recorded_contents_changes_nothing(
    tables: list[Path], work: Path, expected: dict[str, Any]
) -> None:
    (work / "hot.bin").write_bytes(bytes(4))  # as a write that was cut off leaves it
    assert answer(search(tables, work)) == expected


# -- forged contents, with checksums that fit ------------------------------------------------------------------------


def entries(work: Path) -> list[tuple[int, ...]]:
    return list(struct.iter_unpack("<IQIQ", (work / "parts.bin").read_bytes()))


def packed(*numbers: tuple[int, ...]) -> bytes:
    return b"".join(struct.pack("<IQIQ", *entry) for entry in numbers)


def pairs(*ends: tuple[int, int]) -> bytes:
    return b"".join(struct.pack("<Q", a << 32 | b) for a, b in ends)


def found(a: int, b: int, *overlap: int) -> bytes:
    return struct.pack("<5Q", a << 32 | b, *overlap)


NONE = 2**64 - 1

PARTS: dict[str, Callable[[list[tuple[int, ...]]], list[tuple[int, ...]]]] = {
    "a count beyond the file": lambda e: [(0, 0, 2**32 - 1, 0), *e[1:]],
    "a larger count": lambda e: [*e[:-1], (*e[-1][:2], e[-1][2] + 1, e[-1][3])],
    "a smaller count": lambda e: [*e[:-1], (*e[-1][:2], e[-1][2] - 1, e[-1][3])],
    "an offset beyond the file": lambda e: [*e[:-1], (*e[-1][:3], 2**64 - 1)],
    "an offset between rows": lambda e: [*e[:-1], (*e[-1][:3], e[-1][3] + 1)],
    "parts over each other": lambda e: [(*one[:3], 0) for one in e],
    "a part twice": lambda e: [*e, e[-1]],
    "a part too few": lambda e: e[:-1],
    "parts of a batch that is not there": lambda e: [*e, (0, 99, 0, e[-1][3]), (1, 2**63, 1, e[-1][3])],
    "parts of an input that is not there": lambda e: [*e[:-1], (7, *e[-1][1:])],
    "nothing": lambda e: [],
}


@pytest.mark.parametrize("name", PARTS)
def test_forged_parts(tables: list[Path], work: Path, name: str) -> None:
    forge(work, {"parts.bin": packed(*PARTS[name](entries(work)))})
    # The native readers may be the first to see that a batch has another number of documents.
    refused(tables, work, rf"{DAMAGED}|documents have changed since they were read; search again$")


@pytest.mark.parametrize("length", [1, 23, 25])
def test_parts_that_end_in_the_middle(tables: list[Path], work: Path, length: int) -> None:
    forge(work, {"parts.bin": (work / "parts.bin").read_bytes()[:length]})
    refused(tables, work)


@pytest.mark.parametrize("size", [0, 1, 1_000, -1, -100])
def test_rows_of_another_length(tables: list[Path], work: Path, size: int) -> None:
    data = (work / "rows.bin").read_bytes()
    forge(work, {"rows.bin": data[:size] if size else b""})
    refused(tables, work)
    forge(work, {"rows.bin": data + bytes(100)})
    refused(tables, work)


PAIRS = [
    pairs((0, DOCUMENTS)),
    pairs((0, 2**32 - 1)),
    pairs((2**32 - 2, 2**32 - 1)),
    pairs((5, 5)),
    pairs((5, 4)),
    pairs((1, 2), (1, 2)),
    pairs((3, 4), (1, 2)),
    pairs((1, 2))[:-1],
    b"\xff" * 64,
    bytes(64),
]


def test_forged_pairs(tables: list[Path], work: Path) -> None:
    for data in PAIRS:
        forge(work, {"pairs.bin": data})
        refused(tables, work, r"pairs\.bin is damaged")


HOT = [struct.pack("<I", DOCUMENTS), b"\xff" * 4, bytes(3), bytes(4 * DOCUMENTS + 4)]


def test_forged_hot_documents(tables: list[Path], work: Path) -> None:
    for data in HOT:
        forge(work, {"hot.bin": data})
        refused(tables, work, r"hot\.bin is damaged")


SCORES = [
    found(0, DOCUMENTS, 1, 1, 1, 1),
    found(2**32 - 2, 2**32 - 1, 1, 1, 1, 1),
    found(3, 3, 1, 1, 1, 1),
    found(4, 3, 1, 1, 1, 1),
    found(3, 4, 2, 1, 2, 2),
    found(3, 4, 2, 2, 1, 2),
    found(3, 4, 1, 1, 1, 0),
    found(3, 4, 1, 9, 9, 8),
    found(3, 4, 2**63, 2**63, 2**63, 2**63),
    found(3, DOCUMENTS, NONE, 0, 0, NONE),
    found(DOCUMENTS, 3, NONE, 0, 0, NONE),
    found(0, 0, 2**63, 0, 0, NONE),
    found(0, 1, 5, 0, 0, NONE),
    found(3, 4, 1, 1, 1, 1)[:-1],
    b"\xff" * 80,
    bytes(80),
]


def test_forged_scores(tables: list[Path], work: Path) -> None:
    for data in SCORES:
        forge(work, {"verified.bin": data})
        refused(tables, work, r"verified\.bin is damaged")


def test_contents_that_could_be_right_crash_nothing(tables: list[Path], half_done: Path, tmp_path: Path) -> None:
    """A forger who gets everything right is believed; it is still no panic, and no endless run."""
    some = sorted({tuple(sorted(random.Random(n).sample(range(DOCUMENTS), 2))) for n in range(300)})
    every = [(0, b) for b in range(1, DOCUMENTS)]
    forgeries: list[dict[str, bytes]] = [
        {"pairs.bin": b""},
        {"pairs.bin": pairs(*((a, b) for a, b in some))},
        {"pairs.bin": pairs(*every), "hot.bin": struct.pack("<4I", 0, 0, 3, 2)},
        {"hot.bin": struct.pack("<6I", *([7] * 6))},
        {"hot.bin": b"".join(struct.pack("<I", n) for n in reversed(range(DOCUMENTS)))},
        {"verified.bin": b"".join(found(a, b, 1, 1, 1, 1) for a, b in every)},
        {"verified.bin": found(3, 4, 1, 2, 2, 3) * 5},
        {"verified.bin": b"".join(found(a, b, NONE, 0, 0, NONE) for a, b in every) + found(0, 0, 2**62, 0, 0, NONE)},
        {"rows.bin": bytes((half_done / "rows.bin").stat().st_size)},
        {"rows.bin": b"\xff" * (half_done / "rows.bin").stat().st_size},
        {"rows.bin": random.Random(3).randbytes((half_done / "rows.bin").stat().st_size)},
    ]
    for number, forgery in enumerate(forgeries):
        for changes in ({}, {"portions": 0}, {"portions": 2**40}, {"candidates": False}):
            work = shutil.copytree(half_done, tmp_path / f"{number}-{len(changes)}-{next(iter(changes.values()), '')}")
            forge(work, forgery, **changes)
            with spilling(held=HELD):
                try:
                    search(tables, work)
                except la.InternalError as error:
                    pytest.fail(f"{number} {changes}: {error}")
                except la.LookalikeError:
                    pass


# -- the manifest ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {"by_python": []},
        {"by_python": [False] * 9},
        {"by_python": [0, 0]},
        {"by_python": {}},
        {"portions": 2**64},
        {"portions": 1e9},
        {"portions": True},
        {"candidates": None},
        {"lengths": {}},
        {"checksums": {}},
        {"checksums": 5},
        {"identity": 5},
        {"identity": None},
        {"identity": "search"},
        {"identity": [["recipe", "x"]]},
    ],
)
def test_forged_manifests(tables: list[Path], work: Path, changes: dict[str, Any]) -> None:
    forge(work, **changes)
    before = {path.name: path.read_bytes() for path in work.iterdir()}
    refused(tables, work)
    assert {path.name: path.read_bytes() for path in work.iterdir()} == before


@pytest.mark.parametrize("name", ["../victim.txt", "/etc/hostname", "manifest.json", "rows.bin/..", "ROWS.BIN", ""])
def test_names_of_other_files(tables: list[Path], work: Path, name: str) -> None:
    victim = work.parent / "victim.txt"
    victim.write_text("precious", encoding="utf-8")
    forge(work, lengths={name: 0}, checksums={name: 0})
    refused(tables, work)
    assert victim.read_text(encoding="utf-8") == "precious"


def test_an_identity_full_of_anything_is_told_in_short(tables: list[Path], work: Path) -> None:
    deep: Any = "x"
    for _ in range(300):
        deep = {"deeper": [deep]}
    for identity in ({"recipe": "x" * 500_000}, {"recipe": deep}, {"recipe": [None] * 100_000}, {}):
        forge(work, identity=identity)
        refused(tables, work, "was made with|differ|and this one")


def test_another_name_of_a_file_is_not_cut(tables: list[Path], work: Path) -> None:
    victim = work.parent / "victim.txt"
    for name in ("hot.bin", "rows.bin", "manifest.new"):
        data = (work / name).read_bytes() if (work / name).exists() else b""
        victim.write_bytes(data + b" and more that is precious")
        (work / name).unlink(missing_ok=True)
        os.link(victim, work / name)
        refused(tables, work, "another name too; give an empty or new folder")
        assert victim.read_bytes() == data + b" and more that is precious"
        (work / name).unlink()
        victim.unlink()
        (work / name).write_bytes(data)


# -- sizes -----------------------------------------------------------------------------------------------------------

PROGRAM = (
    PEAK
    + """
import resource, sys
from pathlib import Path
import lookalike as la
from lookalike.search import search_run
search_run.Run._held = lambda *_: 3_000
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
try:
    la.find([Path(path) for path in sys.argv[2:]], 0.6, recipe=la.Recipe(k=2, hashes=24), method="lsh",
            work=sys.argv[1])
except la.LookalikeError as error:
    print(peak() >> 20, error)
"""
)


@pytest.mark.skipif(os.name != "posix", reason="about files with holes")
@pytest.mark.parametrize("name", FILES)
def test_a_file_that_only_claims_to_be_large(tables: list[Path], work: Path, name: str) -> None:
    size = 24 * 8 * 5 * 10**9  # nearly a terabyte, and no block of the disk
    os.truncate(work / name, size)
    made = manifest(work)
    made["lengths"][name] = size
    forge(work, **made)
    memory, said = run_child(PROGRAM, str(work), *map(str, tables)).split(" ", 1)
    assert said.startswith(f"{work / name} is damaged")
    assert int(memory) < 300


def test_a_manifest_of_a_gigabyte_is_not_read(tables: list[Path], work: Path) -> None:
    os.truncate(work / "manifest.json", 1 << 30)
    memory, said = run_child(PROGRAM, str(work), *map(str, tables)).split(" ", 1)
    assert "damaged or of another version" in said
    assert int(memory) < 300


# -- the command -----------------------------------------------------------------------------------------------------


def test_the_command_says_it_in_one_line(work: Path, tables: list[Path], capfd: pytest.CaptureFixture[str]) -> None:
    from lookalike.cli import main

    given = ["scan", *map(str, tables), "-t", "0.6", "-k", "2", "--hashes", "24", "--method", "lsh", "--quiet"]
    changes: list[dict[str, Any]] = [{"identity": 5}, {"portions": -1}]
    for change in changes:
        forge(work, **change)
        assert main([*given, "--work", str(work)]) == 2
        out, err = capfd.readouterr()
        assert out == ""
        assert "damaged or of another version" in err
        assert "internal error" not in err
