"""What a search takes of memory: what is estimated, how a limit is divided, and that reading gives its buffers back."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.engine import Asked, choose_strategy
from lookalike.errors import RecipeError
from lookalike.recipe import DEFAULT
from lookalike.search import search_run
from lookalike.search.budget import LEAST_MEMORY, Footprint, join_factor, resident
from lookalike.search.intake import SearchInput
from tests.faults.child import PEAK, run
from tests.search.making import Listed

if TYPE_CHECKING:
    from collections.abc import Callable

    from lookalike.engine import Strategy
    from lookalike.tables.columns import Metric

MEGA = 10**6
TEXTS = ["one two three four five six", "one two three four five six seven"] * 4


def write(path: Path, texts: list[str]) -> Path:
    pq.write_table(pa.table({"text": texts}), path, compression="zstd")
    return path


def footprint(documents: Any, *, size: int, count: int = 100_000, threads: int = 2) -> Footprint:
    return Footprint([SearchInput(la.open_documents(documents), ())], size, count, threads)


LSH = choose_strategy(Asked(DEFAULT, 0.8), size=10**9)
EXACT = choose_strategy(Asked(DEFAULT, 0.8, method="exact"), size=10**9)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell")
def test_the_memory_of_this_process_is_measured() -> None:
    held = bytearray(b"x" * (100 * MEGA))  # which may take room that was free before
    assert resident() > len(held)


@pytest.mark.parametrize("find", [la.find, la.drop_repeated_passages])
@pytest.mark.parametrize(("given", "shown"), [(100 * MEGA, "100MB"), (2**29 - 1, "536870911B"), (2**28, "256MiB")])
def test_too_little_memory_is_said_as_it_is_typed(find: Callable[..., Any], given: int, shown: str) -> None:
    with pytest.raises(RecipeError, match=f"memory must be at least 512MiB, not {shown}$"):
        find(TEXTS, memory=given)


def test_what_a_process_has_already_is_not_divided_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def held(taken: int, **options: Any) -> int:
        seen: list[int] = []
        divide = search_run.Run._held

        def divided(of: search_run.Run, strategy: Strategy) -> int:
            seen.append(divide(of, strategy))
            return seen[-1]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(search_run, "resident", lambda: taken)
            patch.setattr(search_run.Run, "_held", divided)
            la.find(Listed(TEXTS), method="lsh", memory=2**30, **options)
        return seen[-1]

    assert held(100 * MEGA) - held(500 * MEGA) == pytest.approx(400 * MEGA / 2.1, rel=0.01)
    assert held(5_000 * MEGA) == 32 * 2**20
    # Another process has to divide the work in the same way when it goes on.
    assert held(100 * MEGA, work=tmp_path / "a") == held(500 * MEGA, work=tmp_path / "b")


def test_buffers_of_all_threads_fit_a_limit(tmp_path: Path) -> None:
    path = write(tmp_path / "pages.parquet", TEXTS)
    many = footprint(path, size=10**9, threads=64)
    assert many.threads(None) == 64
    assert 1 <= many.threads(LEAST_MEMORY) < 8
    assert many.reading(LEAST_MEMORY) < LEAST_MEMORY // 3 < many.reading()


def test_what_is_read_in_python_takes_more(tmp_path: Path) -> None:
    (tmp_path / "pages.csv").write_text("text\n" + "\n".join(TEXTS) + "\n", encoding="utf-8")
    (tmp_path / "pages.jsonl").write_text("".join(f'{{"text": "{text}"}}\n' for text in TEXTS), encoding="utf-8")
    write(tmp_path / "pages.parquet", TEXTS)
    csv, jsonl, parquet = (
        footprint(tmp_path / f"pages.{form}", size=200 * MEGA).reading() for form in ("csv", "jsonl", "parquet")
    )
    assert jsonl < parquet < csv
    assert footprint(TEXTS, size=200 * MEGA).reading() == jsonl


def test_documents_that_are_alike_take_more() -> None:
    for strategy in (LSH, EXACT):
        usual, most = (footprint(TEXTS, size=400 * MEGA).whole(strategy, 0, most=alike) for alike in (False, True))
        assert usual < most
        assert footprint(TEXTS, size=800 * MEGA).whole(strategy, 50 * MEGA) > usual + 50 * MEGA
    cost = la.estimate_cost(TEXTS)
    assert ", up to " in str(cost)
    assert cost.to_dict()["most_memory"] == cost.most_memory > cost.memory


def test_what_is_estimated_is_what_decides_about_files() -> None:
    size, count = 400 * MEGA, 600_000
    large = footprint(TEXTS, size=size, count=count)
    assert not large.fits(LSH, 50 * MEGA, LEAST_MEMORY)
    assert large.fits(LSH, 50 * MEGA, 2 * LEAST_MEMORY)
    assert not large.fits(LSH, 600 * MEGA, 2 * LEAST_MEMORY)


@pytest.mark.parametrize("metric", ["jaccard", "containment"])
def test_a_low_threshold_takes_more_in_an_exact_join_since_more_is_indexed(metric: Metric) -> None:
    high, low = (choose_strategy(Asked(DEFAULT, share, 1.0, "exact", metric), size=10**9) for share in (0.8, 0.1))
    large = footprint(TEXTS, size=90 * MEGA, count=30_000)
    sets = large.sets(low)
    for most, least in ((False, 0.6), (True, 2)):
        whole = [large.whole(strategy, 50 * MEGA, most=most) for strategy in (high, low)]
        assert whole[1] - whole[0] > least * sets
    assert large.fits(high, 50 * MEGA, LEAST_MEMORY)
    assert not large.fits(low, 50 * MEGA, LEAST_MEMORY)
    held = [large.left(strategy, LEAST_MEMORY, 50 * MEGA) for strategy in (high, low)]
    assert held[0] > 2 * held[1]


def test_comparing_all_with_all_has_no_index() -> None:
    brute = choose_strategy(Asked(DEFAULT, 0.1, method="brute"), size=10**9)
    assert join_factor(brute, most=True) == join_factor(brute) < join_factor(EXACT)


def test_a_loaded_library_is_no_news_to_the_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    before = la.estimate_cost(TEXTS)
    monkeypatch.setattr("lookalike.search.derived.resident", lambda: resident() + 500 * MEGA)
    assert la.estimate_cost(TEXTS).memory - before.memory > 400 * MEGA


SCAN = (
    PEAK
    + """
import sys
from pathlib import Path
import lookalike as la
before = peak()
found = la.find(Path(sys.argv[1]), method="lsh", threads=1)
print(found.documents, (peak() - before) // 1_000_000)
"""
)


def test_files_that_were_read_keep_no_buffers(tmp_path: Path) -> None:
    rng = random.Random(1)
    for shard in range(24):
        write(tmp_path / f"{shard:02}.parquet", [rng.randbytes(5_000).hex(" ", 3) for _ in range(300)])
    documents, megabytes = map(int, run(SCAN, str(tmp_path)).split())
    assert documents == 24 * 300
    assert megabytes < 60
