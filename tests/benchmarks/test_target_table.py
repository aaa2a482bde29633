"""The tables of targets: what is met, what is not, and what was not measured, from records."""

from __future__ import annotations

from typing import Any

from benchmarks.commands.works import Sizes, hot_key
from benchmarks.target_table import command_targets, growth, rival_targets, stage_targets
from benchmarks.targets import Target


def work(seconds: float, megabytes: float = 50, documents: int = 1, **more: object) -> dict[str, Any]:
    times = [seconds - 0.01, seconds, seconds + 0.02]
    row = {"seconds": seconds, "spread": [times[0], times[-1]], "times": times, "peak": megabytes * 1e6}
    return row | {"documents": documents, "written": 0, "why": None, "commit": "abc"} | more


def found(works: dict[str, dict[str, Any]]) -> dict[str, Target]:
    return {target.what: target for target in command_targets({"commit": "abc", "works": works})}


def test_without_a_record_every_target_is_listed_and_none_is_met() -> None:
    every = command_targets({})
    assert len({target.what for target in every}) == len(every) == 34
    assert {target.met for target in every} == {None}
    assert every[0].cells() == ["10,000 documents, Parquet: time", "≤ 0.25 s", "not measured", "—"]


def test_times_memory_and_ratios_are_held_against_their_limits() -> None:
    medium = Sizes().medium
    every = found(
        {
            "start": work(0.1),
            "small": work(0.2, 81, Sizes().small),
            "medium": work(0.7, 92, medium),
            "medium, read only": work(0.6, 560, medium),
            "medium, zstd": work(1.1, 90, medium),
            "near, 512 MiB": work(1.0, 530),
        }
    )
    met = {what: target.met for what, target in every.items() if target.met is not None}
    assert met == {
        "10,000 documents, Parquet: time": True,
        "10,000 documents, Parquet: peak memory": False,
        "100,000 documents, Parquet: time": True,
        "100,000 documents, Parquet: peak memory": True,
        "100,000 documents, Parquet: time relative to only reading it with pyarrow": False,
        "the same as .jsonl.zst: time relative to Parquet": True,
        "6,000 near-duplicates, `--memory 512MiB`: peak memory": True,
        "time per document beyond start-up, 10,000 to 100,000": True,
    }
    assert every["100,000 documents, Parquet: time"].cells()[1:] == ["≤ 0.75 s", "0.7 s (0.69–0.72)", "met"]


def test_hot_collections_are_judged_by_the_ratio_of_times() -> None:
    keys = [hot_key("edited", "dedupe exact", twice=twice) for twice in (False, True)]
    every = found({keys[0]: work(1.0), keys[1]: work(2.5, 501)})
    hot = [target for target in every.values() if target.met is not None]
    assert [target.measured for target in hot] == [2.5, 501]
    assert not any(target.met for target in hot)
    assert all("`dedupe --method exact`" in target.what for target in hot)


def test_a_command_that_failed_is_not_met_and_says_why() -> None:
    failed = work(1.0) | {"seconds": None, "peak": None, "spread": None, "why": "stopped at 8.0 GB"}
    target = found({"million": failed})["1,000,000 documents: peak memory"]
    assert target.cells()[2:] == ["stopped at 8.0 GB", "NOT MET"]


def test_what_was_measured_at_another_commit_says_so() -> None:
    every = found({"ten million": work(140.0, 5000, commit="older")})
    times = every["10,000,000 documents, `--memory 6GB`: time"]
    assert times.cells()[2:] == ["140 s (140–140); at commit older", "met"]
    assert every["10,000,000 documents, `--memory 6GB`: written to disk"].met


def test_growth_is_the_worst_time_of_a_document_to_that_in_a_smaller_collection() -> None:
    assert growth([2.0, 1.0, 1.2]) == 1.2


def rival(engine: str, seconds: float | None, *, recall: float = 0.9) -> dict[str, Any]:
    ratio = seconds and seconds / 2
    row = {"engine": engine, "task": "search", "seconds": seconds, "ratio": ratio}
    return row | {"recall": recall if seconds else None, "precision": 0.7 if seconds else None}


def test_other_engines_are_held_against_their_own_multiples() -> None:
    rows = [
        rival("lookalike", 2.0, recall=1.0) | {"precision": 1.0},
        rival("Daft", 10.0),
        rival("Daft, our bands", 11.0, recall=0.995),
        rival("swift", 19.0),
        rival("slow", 30.0),
        rival("datasketch", None),
        rival("swift", 1.0) | {"task": "another"},
    ]
    every = rival_targets({"rows": rows, "limits": {"task": "search"}})
    assert [target.measured for target in every] == [5, 5.5, 9.5, None, 1, 1]
    assert [target.met for target in every] == [True, False, True, None, True, True]
    assert "(swift)" in every[2].what


def test_targets_of_stages_come_back_from_their_record() -> None:
    kept = Target("start", 50.0, 100, most=True)
    assert stage_targets({"targets": [kept.record() | {"row": 9}]}) == [kept]
