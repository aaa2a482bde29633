"""How an engine is asked and how it answers: `python -m benchmarks.engines.NAME.engine TASK ANSWER`, both JSON files.

An engine runs in an environment of its own (benchmarks/rivals/environments.py), where neither lookalike nor the rest of
the project need be installed. So this file imports nothing but the standard library, and pyarrow to read documents.

A task has one of four kinds:

    signatures  texts in memory → signatures, on one core; timed inside the process, the best of a few rounds
    search      a Parquet file → pairs, kept rows or marked rows; the whole process, from its start
    exact       the same, by an engine that finds every pair
    queries     texts in memory against an index in memory; the building of the index is timed apart
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["Answer", "Index", "Signer", "Task", "area_bands", "divided_bands", "read_texts", "serve", "shingles"]

ENOUGH_SECONDS, MOST_ROUNDS = 1.0, 20
"""Signatures are made again until so much time is spent, or so often."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked."""

    kind: str
    path: str
    unit: str
    k: int
    hashes: int
    threshold: float
    threads: int
    variant: str = ""
    """Which of the engine's ways."""
    pairs: list[list[int]] = field(default_factory=list)
    """Signatures: the pairs of rows whose similarity is to be estimated."""
    indexed: int = 0
    """Queries: so many rows make the index, the others ask."""
    work: str = ""
    """A folder for what the engine writes on its way."""
    started: float = 0.0
    """The time at which the process was started."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What an engine found: pairs of row numbers, or the rows it keeps, or the rows that it marks as copies."""

    form: str
    found: Iterable[Any]

    @classmethod
    def pairs(cls, found: Iterable[Any]) -> Answer:
        """Answer with pairs (a, b)."""
        return cls("pairs", found)

    @classmethod
    def kept(cls, flags: Iterable[Any]) -> Answer:
        """Answer with one flag for each document: whether it stays."""
        return cls("kept", (row for row, keep in enumerate(flags) if keep))

    @classmethod
    def marked(cls, flags: Iterable[Any]) -> Answer:
        """Answer with one flag for each document: whether it has a copy, the first of them marked like the others."""
        return cls("marked", (row for row, marked in enumerate(flags) if marked))


@dataclass(frozen=True, slots=True)
class Signer:
    """How texts become signatures: `sign` is timed; `rows` makes lists of numbers of what it returns, untimed."""

    sign: Callable[[], Any]
    rows: Callable[[Any], Sequence[Sequence[Any]]]


@dataclass(frozen=True, slots=True)
class Index:
    """An index in memory: `build` and `query` are timed apart; `query` gives the rows found for each text."""

    build: Callable[[list[str]], None]
    query: Callable[[list[str]], Iterable[Iterable[int]]]


# -- what engines share -----------------------------------------------------------------------------------------------


def read_texts(path: str) -> list[str]:
    """Read all texts of the file, as a user of the engine would."""
    import pyarrow.parquet as pq

    column: list[Any] = pq.read_table(path, columns=["text"])["text"].to_pylist()
    return column


def shingles(text: str, task: Task) -> list[str]:
    """Return the shingles of a text, for engines that take tokens; the texts are normalised already."""
    k = task.k
    if task.unit == "char":
        return [text[at : at + k] for at in range(len(text) - k + 1)] or [text]
    words = text.split()
    return list(map(" ".join, zip(*(words[at:] for at in range(k)), strict=False))) or [text]


def area_bands(threshold: float, hashes: int) -> tuple[int, int]:
    """Return bands × rows with the least area of both errors, the common rule, for engines that have none."""

    def area(bands: int, rows: int) -> float:
        step = 0.001
        at = [step * (i + 0.5) for i in range(round(1 / step))]
        found = [1 - (1 - s**rows) ** bands for s in at]
        return sum(p if s < threshold else 1 - p for s, p in zip(at, found, strict=True)) * step

    every = [(bands, rows) for rows in range(1, hashes + 1) for bands in range(1, hashes // rows + 1)]
    return min(every, key=lambda pair: area(*pair))


def divided_bands(threshold: float) -> int:
    """Return the bands of 128 hashes for engines that want a divisor: 16 × 8 for 0.8, 32 × 4 for 0.5."""
    return 16 if threshold > 0.65 else 32


# -- serving ----------------------------------------------------------------------------------------------------------


def serve(
    distribution: str,
    version: Callable[[], str] | None = None,
    *,
    search: Callable[[Task], Answer] | None = None,
    sign: Callable[[Task, list[str]], Signer] | None = None,
    index: Callable[[Task], Index] | None = None,
) -> None:
    """Do the task named on the command line, and write the answer."""
    task = Task(**json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    if task.threads == 1 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    answer: dict[str, Any]
    if task.kind == "signatures" and sign is not None:
        answer = _signatures(task, sign)
    elif task.kind == "queries" and index is not None:
        answer = _queries(task, index(task))
    elif task.kind in {"search", "exact"} and search is not None:
        answer = _search(task, search)
    else:
        raise SystemExit(f"{distribution} has no {task.kind}")
    answer["version"] = version() if version else _version(distribution)
    Path(sys.argv[2]).write_text(json.dumps(answer), encoding="utf-8")


def _version(distribution: str) -> str:
    from importlib import metadata  # not before the work: loading it takes 10 ms, which are nobody's

    return metadata.version(distribution)


def _search(task: Task, search: Callable[[Task], Answer]) -> dict[str, Any]:
    answer = search(task)
    given = list(answer.found)  # some engines give a generator, whose work is theirs too
    seconds, peak = time.time() - task.started, _peak()
    found = [int(row) for row in given] if answer.form != "pairs" else sorted(_numbers(given))
    return {"form": answer.form, "found": found, "seconds": seconds, "peak": peak}


def _numbers(pairs: Iterable[Any]) -> set[tuple[int, int]]:
    return {(min(int(a), int(b)), max(int(a), int(b))) for a, b in pairs if a != b}


def _signatures(task: Task, sign: Callable[[Task, list[str]], Signer]) -> dict[str, Any]:
    texts = read_texts(task.path)
    sign(task, texts[:20]).sign()  # tables and caches are made at first use
    signer = sign(task, texts)
    times: list[float] = []
    made: Any = None
    while sum(times) < ENOUGH_SECONDS and len(times) < MOST_ROUNDS:
        made = None  # two sets of signatures at once are nobody's way
        start = time.perf_counter()
        made = signer.sign()
        times.append(time.perf_counter() - start)
    peak = _peak()
    rows = signer.rows(made)
    if len(rows) != len(texts):
        raise SystemExit(f"{len(rows)} signatures of {len(texts)} texts")
    estimates = [sum(map(_same, rows[a], rows[b])) / len(rows[a]) for a, b in task.pairs]
    return {"form": "estimates", "found": estimates, "seconds": min(times), "peak": peak, "slots": len(rows[0])}


def _same(a: Any, b: Any) -> bool:
    return bool(a == b)


def _queries(task: Task, index: Index) -> dict[str, Any]:
    texts = read_texts(task.path)
    old, new = texts[: task.indexed], texts[task.indexed :]
    start = time.perf_counter()
    index.build(old)
    built = time.perf_counter()
    found = [list(rows) for rows in index.query(new)]
    ended = time.perf_counter()
    pairs = _numbers((row, task.indexed + number) for number, rows in enumerate(found) for row in rows)
    return {
        "form": "pairs",
        "found": sorted(pairs),
        "seconds": ended - built,
        "build_seconds": built - start,
        "peak": _peak(),
    }


_KILO: Final = 1 if sys.platform == "darwin" else 1024


def _peak() -> int:
    """Return the most memory that this process had, in bytes. Children are watched by the one who asks."""
    return _high_water() or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KILO


def _high_water() -> int:
    # Not getrusage on Linux: there a child starts with the peak of the process that started it.
    try:
        lines: Iterator[str] = iter(
            Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
        )
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)
