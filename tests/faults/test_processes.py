"""Forks, threads and panics."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike import _native
from lookalike.recipe import settings
from tests.corpus import pages
from tests.faults.child import run

if TYPE_CHECKING:
    from collections.abc import Callable

# -- fork ------------------------------------------------------------------------------------------------------------

FORK = """
    import hashlib, os, sys
    import lookalike as la

    texts = [f"page {i} of a book about {i % 7} things, " * 60 for i in range(2000)]   # over a megabyte: all threads
    def digest():
        signatures = hashlib.sha256(la.sign(texts, threads=2).to_bytes()).hexdigest()
        found = la.find(texts, 0.5, threads=2)
        return f"{signatures} {found.pairs.num_rows} {len(found.groups)}"

    before = digest()                       # the pool, if there were one, would be running now
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, digest().encode())
        os._exit(0)
    os.close(writer)
    in_child = os.fdopen(reader).read()
    _, status = os.waitpid(child, 0)
    assert status == 0, status
    assert in_child == before == digest(), (in_child, before)
    print("same")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_fork_after_use() -> None:
    assert run(FORK) == "same\n"


POOL = """
    import multiprocessing
    import lookalike as la

    def sign(texts):
        return la.sign(texts, threads=2).to_bytes()

    if __name__ == "__main__":
        texts = [f"page {i} of a book " * 400 for i in range(200)]
        here = sign(texts)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.map(sign, [texts] * 4) == [here] * 4
        print("same")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_pool_of_forked_workers() -> None:
    assert run(POOL) == "same\n"


# -- the GIL ---------------------------------------------------------------------------------------------------------

TEXTS = pages(1, originals=3000, words=100, changes=(3,))
LONG = " ".join(TEXTS)
SLOW = la.Recipe(sketch="classic", family="jenkins", hashes=2000)

NATIVE_CALLS: dict[str, Callable[[], object]] = {
    "sign": lambda: la.sign(TEXTS, SLOW, threads=1),
    "sign_sets": lambda: la.sign_sets([range(300)] * 3000, SLOW, threads=1),
    "find": lambda: la.find(TEXTS[:1500], 0.3, method="brute", threads=1),
    "passages": lambda: la.passages(LONG, LONG[::-1]),
    "jaccard": lambda: la.jaccard(LONG, LONG, recipe=la.Recipe(unit="char", bag=True)),
}


@pytest.mark.parametrize("name", NATIVE_CALLS)
def test_other_threads_go_on_during_a_native_call(name: str) -> None:
    moments: list[float] = []
    stop = threading.Event()

    def tick() -> None:
        while not stop.is_set():
            moments.append(time.perf_counter())
            time.sleep(0.002)

    ticker = threading.Thread(target=tick)
    ticker.start()
    started = time.perf_counter()
    NATIVE_CALLS[name]()
    ended = time.perf_counter()
    stop.set()
    ticker.join()
    # With the GIL held there would be none at all in the middle: arguments are read before, results made after it.
    length = ended - started
    inside = sum(started + 0.3 * length < moment < ended - 0.3 * length for moment in moments)
    assert inside >= 3, f"{inside} of {len(moments)} ticks in the middle of {length:.2f} s"


def test_calls_from_several_threads_at_once() -> None:
    expected = la.sign(TEXTS).to_bytes()
    found: list[bytes] = []
    threads = [threading.Thread(target=lambda: found.append(la.sign(TEXTS, threads=2).to_bytes())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


# -- panics and errors of the core -----------------------------------------------------------------------------------


@pytest.mark.parametrize("keys", [10, 1 << 21], ids=["short", "long, on a thread of its own"])
def test_a_panic_is_an_internal_error(keys: int, capfd: pytest.CaptureFixture[str]) -> None:
    # No public function lets zero buckets through to the core, which then panics. What matters is what becomes of it.
    with pytest.raises(la.InternalError, match=r"index out of bounds.*please report it"):
        _native.spread("murmur3", keys, 0, 1)
    capfd.readouterr()  # Rust's own message on standard error
    assert _native.spread("murmur3", 10, 1, 1) == [10]


def test_errors_of_the_core_have_python_names() -> None:
    # The public functions check first; these are the core's own checks behind them.
    matrix = la.sign(["a"]).native
    with pytest.raises(la.BandsError, match="at most the 256 hashes"):
        matrix.band_keys(1, 257, "mix64", 1)
    with pytest.raises(la.BandsError, match="at least 1 × 1"):
        matrix.candidates(0, 1, "mix64", 1)
    wrong: Any = ["a", b"b"]
    with pytest.raises(la.DocumentError, match="document 1: text is bytes"):
        _native.SignatureMatrix.of_texts(wrong, settings(la.Recipe()), 1)
