"""What `progress` is told: whatever the documents are in, each stage has one count and one total, and ends there."""

from __future__ import annotations

import csv
import json
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.search.progress import Stages
from tests.search.making import RECIPE, Listed, mixed_pages, spilling

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    Report = tuple[str, int, int | None]

TEXTS = [text or "none" for text in mixed_pages(240, seed=7)]
SHARDS = 6


def write(path: Path, texts: Sequence[str], first: int) -> None:
    """Write texts to a file of the form that its name says, with a row that has none."""
    rows: list[dict[str, Any]] = [{"id": first + i, "text": text} for i, text in enumerate(texts)]
    if path.suffix == ".parquet":
        rows.insert(3, {"id": 10_000 + first, "text": None})
        pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=11)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    elif path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, ["id", "text"])
            writer.writeheader()
            writer.writerows(rows)
    else:
        for row in rows:
            path.with_name(f"{path.stem}-{row['id']:03}.txt").write_text(row["text"], encoding="utf-8")


def folder(path: Path, *endings: str) -> Path | list[Path]:
    """Write the texts to a folder of shards, whose endings take turns; return it, or its files if they are mixed."""
    path.mkdir()
    share = len(TEXTS) // SHARDS
    for shard in range(SHARDS):
        own = TEXTS[shard * share : (shard + 1) * share]
        write(path / f"{shard}.{endings[shard % len(endings)]}", own, shard * share)
    return path if len(endings) == 1 else sorted(path.iterdir())


def told(documents: Any, **options: Any) -> list[Report]:
    """Search, and return all reports."""
    found: list[Report] = []
    la.find(documents, 0.6, recipe=RECIPE, progress=lambda *report: found.append(report), **options)
    return found


def check(reports: list[Report]) -> dict[str, tuple[list[int], int | None]]:
    """Check what holds of all reports; return the counts and the total of each stage."""
    runs = [(stage, list(of_stage)) for stage, of_stage in groupby(reports, lambda report: report[0])]
    names = [stage for stage, _ in runs]
    assert len(set(names)) == len(names), f"a stage comes back: {names}"
    found: dict[str, tuple[list[int], int | None]] = {}
    for stage, of_stage in runs:
        counts, totals = [done for _, done, _ in of_stage], [total for _, _, total in of_stage]
        known = [total for total in totals if total is not None]
        assert counts == sorted(counts), f"{stage} goes back: {counts}"
        assert totals == [None] * (len(totals) - len(known)) + known, f"{stage} forgets its total"
        assert len(set(known)) <= 1, f"{stage} has several totals: {totals}"
        assert not known or counts[-1] == known[-1], f"{stage} ends at {counts[-1]} of {known[-1]}"
        found[stage] = (counts, known[-1] if known else None)
    return found


FOLDERS: dict[str, tuple[tuple[str, ...], int | None]] = {
    "parquet": (("parquet",), len(TEXTS) + SHARDS),
    "jsonl": (("jsonl",), None),
    "csv": (("csv",), None),
    "txt": (("txt",), len(TEXTS)),
    "parquet and jsonl": (("parquet", "jsonl"), None),
    "parquet and csv": (("parquet", "csv"), None),
}
"""The endings of the files, and how many rows there are in all, if that is known before reading."""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", FOLDERS)
@pytest.mark.parametrize(
    "options", [{}, {"method": "lsh"}, {"method": "exact", "min_words": 4}, {"common": 0.3}], ids=str
)
def test_reading_counts_the_whole_input(kind: str, threads: int, options: dict[str, Any], tmp_path: Path) -> None:
    endings, total = FOLDERS[kind]
    stages = check(told(folder(tmp_path / "shards", *endings), threads=threads, **options))
    counts, told_total = stages["reading"]
    assert told_total == total
    assert counts[0] == 0
    assert counts[-1] >= len(TEXTS)
    assert len(set(counts)) > (SHARDS if endings == ("parquet",) else 1), "at the end of each file, at least"
    if "common" in options:
        assert stages["common text"][1] == stages["common text again"][1] == total


@pytest.mark.parametrize("kept", ["memory", "work"])
@pytest.mark.parametrize("kind", FOLDERS)
def test_reading_counts_the_whole_input_in_files_too(kind: str, kept: str, tmp_path: Path) -> None:
    endings, total = FOLDERS[kind]
    options: dict[str, Any] = {"memory": 10**9} if kept == "memory" else {"work": tmp_path / "work"}
    with spilling(held=2_000):
        stages = check(told(folder(tmp_path / "shards", *endings), method="lsh", **options))
    assert stages["reading"][1] == total
    assert stages["verify"][1] is not None


@pytest.mark.parametrize("old", ["parquet", "jsonl", "csv"])
def test_old_documents_count_as_well(old: str, tmp_path: Path) -> None:
    new = folder(tmp_path / "new", "parquet")
    stages = check(told(new, against=folder(tmp_path / "old", old)))
    counts, total = stages["reading"]
    assert counts[-1] >= 2 * len(TEXTS)
    assert total == (2 * (len(TEXTS) + SHARDS) if old == "parquet" else None)


def hot() -> list[str]:
    """Return versions of one page: more pairs than are listed."""
    page = [f"w{n}" for n in range(40)]
    return [" ".join([*page[: n % 40], f"own{n}", *page[n % 40 :]]) for n in range(300)]


@pytest.mark.parametrize("method", ["lsh", "exact", "signatures", "brute"])
@pytest.mark.parametrize("source", [list, Listed], ids=["in memory", "read again"])
@pytest.mark.parametrize("texts", [TEXTS, hot(), hot() * 2], ids=["mixed", "hot", "copies"])
@pytest.mark.parametrize("least", [None, 5])
def test_every_stage_ends_at_its_total(
    texts: list[str], source: Any, method: str, least: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends: list[Report] = []
    finish = Stages.finish

    def ended(stages: Stages) -> None:
        ends.append((stages._stage, stages._done, stages._total))  # before it is made up to its total
        finish(stages)

    monkeypatch.setattr(Stages, "finish", ended)
    stages = check(told(source(texts), method=method, min_words=least))
    assert stages["reading"][0][-1] == len(texts)
    (last, done, total), *_ = [end for end in reversed(ends) if end[0]]
    assert done == total or total is None, f"{last} is over at {done} of {total}"
    assert last != "reading"


def test_what_was_kept_of_an_interrupted_search_counts_as_done(tmp_path: Path) -> None:
    shards, work = folder(tmp_path / "shards", "parquet"), tmp_path / "work"

    class StoppedError(Exception):
        pass

    def stop(stage: str, done: int, total: int | None) -> None:
        if stage == "reading" and total is not None and done > total // 2:
            raise StoppedError

    with spilling(held=2_000), pytest.raises(StoppedError):
        la.find(shards, 0.6, recipe=RECIPE, method="lsh", work=work, progress=stop)
    with spilling(held=2_000):
        stages = check(told(shards, method="lsh", work=work))
    assert stages["reading"][1] == len(TEXTS) + SHARDS


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_cutting_repeats_counts_the_whole_input(kind: str, tmp_path: Path) -> None:
    from lookalike.search.repeats import Repeats, Sought

    found: list[Report] = []
    source = la.open_documents(folder(tmp_path / "shards", kind))
    with Repeats(source, Sought.passages(5), progress=lambda *report: found.append(report)) as repeats:
        assert sum(len(batch.batch) for batch in repeats.cut()) == len(TEXTS)
    stages = check(found)
    assert stages["reading"][1] == FOLDERS[kind][1]
    assert stages["cutting"][1] == len(TEXTS)
