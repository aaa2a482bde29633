"""Every engine, the same work, its answers checked: `make bench-rivals` (QUICK=1 for small collections).

    python -m benchmarks.rivals.run [--only ENGINE…] [--task TEXT…]

Engines take turns, task by task and round by round, so that a busy moment of the machine meets all of them. The best
time counts. --only and --task are for those who work on an adapter; then no record is written.
"""

from __future__ import annotations

import argparse
import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.engines.protocol import Task
from benchmarks.measure import RECORDS, circumstances, headline, is_quick
from benchmarks.rivals import corpora
from benchmarks.rivals.asking import ask
from benchmarks.rivals.catalogue import ENGINES, OWN, Engine
from benchmarks.rivals.environments import Ready, make_ready
from benchmarks.rivals.limits import measure_limits, show_limits
from benchmarks.rivals.show import show_missing, show_task
from benchmarks.rivals.tasks import Job, Sizes, jobs
from benchmarks.rivals.truth import Truth, find_truth

if TYPE_CHECKING:
    from collections.abc import Sequence

ESTIMATED = 300
"""Pairs whose similarity is estimated from signatures."""
WARM_UP = 50
"""Documents that engines see before they are measured."""


class Bench:
    """One run: what is ready, what was measured."""

    def __init__(self, ready: Ready, sizes: Sizes, engines: Sequence[Engine], started: float | None = None) -> None:
        self.ready, self.sizes, self.engines = ready, sizes, engines
        self.started = time.perf_counter() if started is None else started
        self.rows: list[dict[str, Any]] = []
        self._truths: dict[tuple[object, ...], Truth] = {}

    def run(self, job: Job) -> list[dict[str, Any]]:
        """Ask all engines in turn; return and keep one row for each that knows tasks of this kind."""
        path = corpora.parquet(job.collection, job.documents)
        truth = self.truth(job, path)
        task = make_task(job, path, truth)
        able = [engine for engine in self.engines if job.kind in engine.kinds]
        answers: dict[str, list[dict[str, Any]]] = {engine.name: [] for engine in able}
        failed = {engine.name: why for engine in able if (why := self.obstacle(engine, job))}
        in_time = time.perf_counter() - self.started < self.sizes.budget
        for _ in range(self.sizes.repeats if in_time else 1):
            for engine in able:
                had = answers[engine.name]
                if engine.name in failed or sum(one["seconds"] for one in had) > self.sizes.patience:
                    continue
                python = self.ready[engine.folder]
                found = ask(engine, Path(python), task, self.sizes.limit)
                if isinstance(found, str):
                    failed[engine.name] = found
                else:
                    had.append(found)
        megabytes = text_megabytes(path, job.indexed)
        rows = [make_row(engine, job, megabytes, answers[engine.name], truth, task) for engine in able]
        for row in rows:
            row["why"] = failed.get(row["engine"])
        set_ratios(rows)
        self.rows += rows
        return rows

    def warm_up(self) -> None:
        """Let every engine do a little, unmeasured: what is compiled or read from disk at first use then is there."""
        for engine in {engine.folder: engine for engine in self.engines}.values():
            python = self.ready[engine.folder]
            if isinstance(python, Path):
                job = Job("warm-up", engine.kinds[0], "pages", WARM_UP, "word", 5, 0.8)
                path = corpora.parquet(job.collection, job.documents)
                ask(engine, python, make_task(job, path, Truth(WARM_UP, {})), self.sizes.limit)

    def obstacle(self, engine: Engine, job: Job) -> str | None:
        """Say why an engine is not even asked."""
        python = self.ready[engine.folder]
        if isinstance(python, str):
            return f"not available: {python}"
        return engine.cannot(job) or self.too_slow(engine, job)

    def too_slow(self, engine: Engine, job: Job) -> str | None:
        """Say so if an earlier search took so long that there is no time for this one."""
        for row in self.rows:
            if job.kind == row["kind"] == "search" and row["engine"] == engine.name and row["seconds"]:
                expected = row["seconds"] * job.documents / row["documents"]
                if row["seconds"] > self.sizes.slow or (expected > self.sizes.expected and expected > row["seconds"]):
                    return f"not asked: it took {row['seconds']:.0f} s for {row['documents']:,} documents"
        return None

    def truth(self, job: Job, path: Path) -> Truth:
        """Find the truth once for all tasks that share it."""
        key = (path, job.unit, job.k, job.threshold)
        if key not in self._truths:
            self._truths[key] = find_truth(job, path)
        found = self._truths[key]
        return found.between(job.indexed) if job.kind == "queries" else found


def make_task(job: Job, path: Path, truth: Truth) -> Task:
    """Return what engines are told."""
    every = sorted(truth.pairs)
    step = max(1, len(every) // ESTIMATED)
    return Task(
        kind=job.kind,
        path=str(path),
        unit=job.unit,
        k=job.k,
        hashes=job.hashes,
        threshold=job.threshold,
        threads=job.threads,
        pairs=[list(pair) for pair in every[::step]] if job.kind == "signatures" else [],
        indexed=job.indexed,
    )


def text_megabytes(path: Path, first: int = 0) -> float:
    """Return the size of the texts from row `first` on, in UTF-8."""
    lengths = pc.binary_length(pq.read_table(path, columns=["text"])["text"].slice(first))
    return float(pc.sum(lengths).as_py()) / 1e6


def make_row(
    engine: Engine, job: Job, megabytes: float, answers: list[dict[str, Any]], truth: Truth, task: Task
) -> dict[str, Any]:
    """Return the row of the record."""
    row: dict[str, Any] = {"engine": engine.name, "version": None, "task": job.name, "kind": job.kind}
    row["documents"] = job.documents - job.indexed
    row |= dict.fromkeys(("seconds", "documents_per_s", "mb_per_s", "ratio", "recall", "precision", "peak_rss_mb"))
    row |= {"error": None, "build_seconds": None, "answer": None, "runs": len(answers), "full_set": engine.full_set}
    if not answers:
        return row
    last = answers[-1]
    seconds = min(answer["seconds"] for answer in answers)
    row |= {
        "version": last["version"],
        "answer": last["form"],
        "seconds": seconds,
        "documents_per_s": (job.documents - job.indexed) / seconds,
        "mb_per_s": megabytes / seconds,
        "peak_rss_mb": max(answer["peak"] for answer in answers) / 1e6,
        "build_seconds": min((answer["build_seconds"] for answer in answers), default=None)
        if job.kind == "queries"
        else None,
    }
    if last["form"] == "estimates":
        asked = [(a, b) for a, b in task.pairs]
        row["error"] = truth.error(asked, last["found"], last["slots"])
    else:
        row["recall"], row["precision"] = truth.judge(last["form"], last["found"])
    return row


def set_ratios(rows: list[dict[str, Any]]) -> None:
    """Say how many times as long as lookalike each engine took."""
    own = next((row["seconds"] for row in rows if row["engine"] == OWN), None)
    for row in rows:
        if own and row["seconds"]:
            row["ratio"] = row["seconds"] / own


def limits_of(bench: Bench, every: Sequence[Job]) -> dict[str, Any]:
    """Measure the limits on the largest search."""
    job = [job for job in every if job.kind == "search" and job.collection == "pages"][-2]
    path = corpora.parquet(job.collection, job.documents)
    own = next(row for row in bench.rows if row["engine"] == OWN and row["task"] == job.name)
    return {
        "task": job.name,
        "megabytes": text_megabytes(path),
        "seconds": measure_limits(path, max(3, bench.sizes.repeats)),
        "lookalike_seconds": own["seconds"],
    }


def write(record: dict[str, Any]) -> list[Path]:
    """Keep the record as latest.json; a full one by its date too, so that a quick run never replaces it."""
    RECORDS.mkdir(exist_ok=True)
    paths = [RECORDS / "latest.json"]
    if not is_quick():
        paths.append(RECORDS / f"rivals-{datetime.now(UTC):%Y-%m-%d}.json")
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    for path in paths:
        path.write_text(text, encoding="utf-8")
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[], help="folders of engines")
    parser.add_argument("--task", nargs="*", default=[], help="parts of names of tasks")
    given = parser.parse_args()
    started, sizes = time.perf_counter(), Sizes.wanted()
    record: dict[str, Any] = circumstances() | {"command": "make bench-rivals"}
    print(headline(record))
    engines = [engine for engine in ENGINES if not given.only or engine.folder in given.only]
    ready = make_ready(engines)
    bench = Bench(ready, sizes, engines, started)
    bench.warm_up()
    record["setup_seconds"] = time.perf_counter() - started
    print(f"{len(ready)} environments ready in {record['setup_seconds']:.0f} s")
    every = [job for job in jobs(sizes) if not given.task or any(part in job.name for part in given.task)]
    for job in every:
        show_task(job, bench.run(job))
    show_missing(ready)
    if given.only or given.task:
        return
    record["limits"] = limits_of(bench, every)
    show_limits(record["limits"])
    record["not_available"] = {name: why for name, why in ready.items() if isinstance(why, str)}
    record["rows"] = bench.rows
    record["seconds"] = time.perf_counter() - started
    print(f"\n{record['seconds']:.0f} s; kept in {', '.join(path.name for path in write(record))}")


if __name__ == "__main__":
    main()
