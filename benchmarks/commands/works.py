"""The commands that are measured, in groups whose rounds are interleaved, and the files that they need."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from benchmarks import files
from benchmarks.hot import KINDS
from benchmarks.measure import is_quick

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["HOT_WAYS", "Group", "Sizes", "Work", "groups", "hot_key", "large_group"]

HOT_WAYS: Final = ("scan", "dedupe", "scan exact", "dedupe exact")
JSON: Final = ("--format", "json")


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many documents, and how often."""

    small: int = 10_000
    medium: int = 100_000
    hot: tuple[int, int] = (20_000, 40_000)
    near: int = 6_000
    """Near copies that are searched within 512 MiB."""
    million: int = 1_000_000
    dialects: int = 10
    rounds: int = 7
    hot_rounds: int = 3

    @classmethod
    def wanted(cls) -> Sizes:
        """Return what QUICK says."""
        quick = cls(300, 2_000, hot=(300, 600), near=300, million=3_000, dialects=2, rounds=2, hot_rounds=1)
        return quick if is_quick() else cls()


@dataclass(frozen=True, slots=True)
class Work:
    """One command."""

    key: str
    """Its name in the record, by which targets refer to it."""
    arguments: tuple[str, ...]
    """What follows the name of the program."""
    documents: int
    program: Literal["lookalike", "read"] = "lookalike"
    answer: str = ""
    """Commands with the same word here must print the same pairs and groups."""

    @property
    def shown(self) -> str:
        """The command as a person would type it, with names of files only."""
        names = [argument.rpartition(os.sep)[2] for argument in self.arguments]
        program = "lookalike" if self.program == "lookalike" else "python read_once.py"
        return " ".join([program, *names[:4], *(["…"] if len(names) > 12 else []), *names[4:][-8:]])


@dataclass(frozen=True, slots=True)
class Group:
    """Commands that take turns."""

    name: str
    rounds: int
    works: tuple[Work, ...]
    paths: tuple[Path, ...] = ()
    """What is read beforehand, so that the first round finds it in the memory of the system like the others."""
    limit: float = 900.0
    """Seconds after which a command is ended."""
    most: int = 8 * 10**9
    """Bytes of memory at which a command is ended."""


def groups(sizes: Sizes, folder: Path, *, full: bool) -> list[Group]:
    """Return what `make bench` measures; `folder` is for what commands write."""
    usual = [_usual(sizes), _hot(sizes, folder)]
    return [*usual, _million(sizes)] if full else usual


def _scan(*arguments: str | Path) -> tuple[str, ...]:
    return ("scan", *map(str, arguments), *JSON)


def _usual(sizes: Sizes) -> Group:
    one, small, medium = (files.parquet(count) for count in (1, sizes.small, sizes.medium))
    lines, packed, new = (
        files.json_lines(medium),
        files.json_lines(medium, zstd=True),
        files.new_documents(sizes.medium),
    )
    count = sizes.medium
    works = (
        Work("start", _scan(one), 1),
        Work("small", _scan(small), sizes.small),
        Work("medium", _scan(medium), count, answer="medium"),
        Work("medium, read only", (str(medium),), count, program="read"),
        Work("medium, JSON Lines", _scan(lines), count, answer="medium"),
        Work("medium, zstd", _scan(packed), count, answer="medium"),
        Work("medium, one thread", _scan(medium, "--threads", "1"), count, answer="medium"),
        Work("against medium", _scan(new, "--against", medium), count + 10),
    )
    return Group("whole commands", sizes.rounds, works, (one, small, medium, lines, packed, new))


def hot_key(kind: str, way: str, *, twice: bool) -> str:
    """Return the name of a command on a hot collection: the smaller one, or that of twice as many documents."""
    return f"{kind}, {way}, {'twice' if twice else 'once'}"


def _hot(sizes: Sizes, folder: Path) -> Group:
    works, paths = [], []
    for kind in KINDS:
        for twice, count in enumerate(sizes.hot):
            path = files.hot(kind, count)
            paths.append(path)
            for way in HOT_WAYS:
                key = hot_key(kind, way, twice=bool(twice))
                works.append(Work(key, _hot_command(way, path, folder / "kept.parquet"), count))
    near = files.hot("edited", sizes.near)
    works.append(Work("near, 512 MiB", _scan(near, "--memory", "512MiB"), sizes.near))
    return Group("documents that are all alike", sizes.hot_rounds, tuple(works), (*paths, near), limit=120.0)


def _hot_command(way: str, path: Path, kept: Path) -> tuple[str, ...]:
    name, _, exact = way.partition(" ")
    method = ("--method", "exact") if exact else ()
    if name == "scan":
        return _scan(path, *method)
    return ("dedupe", str(path), *method, "-o", str(kept), "--force")


def _million(sizes: Sizes) -> Group:
    old, new = files.parquet(sizes.million), files.new_documents(sizes.million)
    works = (
        Work("million", _scan(old), sizes.million),
        Work("against million", _scan(new, "--against", old), sizes.million + 10),
    )
    return Group("a million documents", min(3, sizes.rounds), works, (old, new))


def large_group(sizes: Sizes) -> Group:
    """Return what `make bench-large` measures: ten million documents, once, from disk."""
    paths = files.dialects(sizes.million, sizes.dialects)
    work = Work("ten million", _scan(*paths, "--memory", "6GB"), sizes.million * sizes.dialects)
    return Group("ten million documents", 1, (work,), limit=3600.0, most=12 * 10**9)
