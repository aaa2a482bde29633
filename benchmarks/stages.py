"""The speed of each stage, beside what bounds it and what others do: `make bench` (QUICK=1 for small collections).

Speeds are megabytes of UTF-8 text a second, on one thread unless said otherwise, best of several interleaved rounds.
Every stage stands beside two anchors measured in the same run: decoding the same text from snappy Parquet by pyarrow,
and hashing the same bytes with xxh3. Ratios to them travel from machine to machine; megabytes a second do not.
"""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow.parquet as pq

import lookalike as la
from benchmarks import files
from benchmarks.measure import (
    best_of,
    circumstances,
    headline,
    is_quick,
    own_environment,
    print_table,
    run_module,
    write_record,
)
from benchmarks.targets import HEADERS, targets
from lookalike import _native
from lookalike.recipe import FAMILIES, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

RIVALS: Final = ("datasketch", "datasketch with xxh32")
BANDS: Final = la.Bands(26, 8)
LARGE_BYTES: Final = 50_000_000
TIMES: Final = 8
"""How often the texts are repeated to measure threads."""
ONLY_LOWERCASED: Final = la.Recipe(unit="char", k=9, whitespace="keep", punctuation="keep")


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured."""

    rounds: int = 12
    latin: int = 10_000
    cjk: int = 5_000
    rival: int = 400
    join: int = 200_000
    starts: int = 7

    @classmethod
    def wanted(cls) -> Sizes:
        """Return what QUICK says."""
        return cls(rounds=2, latin=1_000, cjk=500, rival=100, join=10_000, starts=3) if is_quick() else cls()


@dataclass(frozen=True, slots=True)
class Case:
    """A recipe and the collection that it is measured on."""

    name: str
    recipe: la.Recipe
    path: Path
    texts: list[str] = field(repr=False)

    @property
    def megabytes(self) -> float:
        """The size of the texts in UTF-8."""
        return sum(len(text.encode()) for text in self.texts) / 1e6


def cases(sizes: Sizes) -> list[Case]:
    latin, cjk = files.parquet(sizes.latin), files.parquet(sizes.cjk, "cjk")
    english, chinese = load(latin), load(cjk)
    return [
        Case("words, k = 5", la.Recipe(), latin, english),
        Case("characters, k = 9", la.Recipe(unit="char", k=9), latin, english),
        Case("characters, k = 9, only lowercased", ONLY_LOWERCASED, latin, english),
        Case("Chinese, default recipe", la.Recipe(), cjk, chinese),
        Case("Chinese, preset cjk", la.PRESETS["cjk"].recipe, cjk, chinese),
    ]


def load(path: Path) -> list[str]:
    return [str(text) for text in pq.read_table(path, columns=["text"])["text"].to_pylist()]


# -- stages of one case -----------------------------------------------------------------------------------------------


def anchors(case: Case) -> dict[str, Callable[[], object]]:
    import xxhash

    one_buffer = "".join(case.texts).encode()
    return {
        "decode snappy Parquet": lambda: pq.read_table(case.path, columns=["text"], use_threads=False),
        "hash with xxh3": lambda: xxhash.xxh3_64_intdigest(one_buffer),
    }


def stages(case: Case, threads: int = 1) -> dict[str, Callable[[], object]]:
    """Return the stages by name. What a stage needs of the ones before it is made here, outside the time."""
    texts, recipe = case.texts, case.recipe
    signatures = la.sign(texts, recipe)
    sign = partial(la.sign, texts, threads=threads)
    find = partial(la.find, texts, 0.8, recipe=recipe, threads=threads)
    return {
        "shingles (signatures of one hash)": partial(sign, replace(recipe, sketch="classic", hashes=1)),
        "signatures, fast, 256 hashes": partial(sign, recipe),
        **{
            f"signatures, {family}, 128 hashes": partial(
                sign, replace(recipe, sketch="classic", family=family, hashes=128)
            )
            for family in FAMILIES
        },
        # The public band_keys makes Python numbers of them, which takes longer than the keys.
        "band keys, 26 × 8": partial(signatures.native.band_keys, BANDS.bands, BANDS.rows, "mix64", threads),
        "candidates, 26 × 8": partial(signatures.native.candidates, BANDS.bands, BANDS.rows, "mix64", threads),
        "exact Jaccard of neighbours (sets, merge)": partial(overlaps, texts, recipe),
        "find at 0.8, exact join": partial(find, method="exact"),
        "find at 0.8, lsh": partial(find, method="lsh"),
    }


THREADED: Final = ("signatures, fast, 256 hashes", "find at 0.8, exact join", "find at 0.8, lsh")


def overlaps(texts: Sequence[str], recipe: la.Recipe) -> None:
    native = settings(recipe)
    for a, b in zip(texts[::2], texts[1::2], strict=False):
        _native.overlap(a, b, native)


def measure_case(case: Case, rounds: int) -> dict[str, Any]:
    one, two = stages(case), stages(case, threads=2)
    works = {**anchors(case), **one, **{f"{name}, two threads": two[name] for name in THREADED}}
    best = best_of(rounds, works)
    speed = {name: case.megabytes / seconds for name, seconds in best.items()}
    measured = {
        name: {
            "mb_per_s": speed[name],
            "to_parquet": speed[name] / speed["decode snappy Parquet"],
            "to_xxh3": speed[name] / speed["hash with xxh3"],
            "two_threads": speed[f"{name}, two threads"] / speed[name] if name in THREADED else None,
        }
        for name in works
        if not name.endswith("two threads")
    }
    show_case(case, measured)
    return {"megabytes": case.megabytes, "documents": len(case.texts), "recipe": str(case.recipe), "stages": measured}


def show_case(case: Case, measured: dict[str, dict[str, Any]]) -> None:
    rows = [
        [
            name,
            f"{found['mb_per_s']:,.0f}",
            f"{found['to_parquet']:.2f}",
            f"{found['to_xxh3']:.4f}",
            f"{found['two_threads']:.2f} ×" if found["two_threads"] else "",
        ]
        for name, found in measured.items()
    ]
    title = f"{case.name}: {len(case.texts):,} documents, {case.megabytes:.1f} MB"
    print_table(title, ["stage", "MB/s", "to Parquet", "to xxh3", "two threads"], rows)


# -- beside another engine --------------------------------------------------------------------------------------------


def measure_threads(case: Case, rounds: int) -> float:
    """Return how many times as fast two threads sign: on more text than the stages, as a thread takes time to start."""
    texts = case.texts * TIMES
    works = {str(threads): partial(la.sign, texts, case.recipe, threads=threads) for threads in (1, 2)}
    best = best_of(rounds, works)
    print(f"\n{case.name}: {case.megabytes * TIMES:.0f} MB signed by two threads {best['1'] / best['2']:.2f} × as fast")
    return best["1"] / best["2"]


def measure_rival(case: Case, documents: int, rounds: int) -> dict[str, Any]:
    """Time classic MinHash with 128 hashes for each distinct shingle, here and in datasketch.

    datasketch is given ready shingles as bytes, in bulk, which is its quickest documented way: as it comes (SHA-1), and
    with a quick hash function. lookalike is given text, so that its time holds normalising and shingling too.
    """
    from datasketch import MinHash
    from xxhash import xxh32_intdigest

    texts = case.texts[:documents]
    shingles = [list({s.text.encode() for s in la.shingles(text, case.recipe)}) for text in texts]
    count = sum(map(len, shingles))
    works: dict[str, Callable[[], object]] = {
        RIVALS[0]: lambda: MinHash.bulk(shingles, num_perm=128),
        RIVALS[1]: lambda: MinHash.bulk(shingles, num_perm=128, hashfunc=xxh32_intdigest),
    }
    for family in FAMILIES:
        works[family] = partial(
            la.sign, texts, replace(case.recipe, sketch="classic", family=family, hashes=128), threads=1
        )
    best = best_of(rounds, works)
    rows = [
        [name, f"{seconds / count * 1e9:,.1f}", *(f"{best[rival] / seconds:.1f} ×" for rival in RIVALS)]
        for name, seconds in best.items()
    ]
    title = f"classic MinHash, 128 hashes, one thread, {case.name}: {count:,} shingles of {documents} documents"
    print_table(title, ["engine or family", "ns a shingle", *(f"to {rival}" for rival in RIVALS)], rows)
    return {
        "shingles": count,
        "ns_per_shingle": {name: seconds / count * 1e9 for name, seconds in best.items()},
        "times_as_fast": {rival: {family: best[rival] / best[family] for family in FAMILIES} for rival in RIVALS},
    }


# -- the exact join, one large document, the start --------------------------------------------------------------------


def measure_join(documents: int, rounds: int) -> dict[str, Any]:
    texts = load(files.parquet(documents))
    sample = random.Random(1).sample(texts, min(1000, documents))
    each = sum(len({shingle.text for shingle in la.shingles(text)}) for text in sample) / sum(map(len, sample))
    shingles = each * sum(map(len, texts))
    last: dict[str, la.Result] = {}
    join = partial(la.find, texts, 0.8, method="exact", threads=1)
    seconds = best_of(rounds, {"join": lambda: last.update(result=join())}, patience=15.0)["join"]
    result = last["result"]
    found = {
        "documents": documents,
        "shingles": shingles,
        "seconds": seconds,
        "seconds_per_50_million": seconds / shingles * 50e6,
        "pairs": result.pairs.num_rows,
        "groups": len(result.groups),
    }
    print_table(
        "find at 0.8 by the exact join, words, k = 5, one thread, from texts in memory",
        ["documents", "shingles", "pairs", "seconds", "seconds per 50 M shingles"],
        [
            [
                f"{documents:,}",
                f"{shingles:,.0f}",
                f"{found['pairs']:,}",
                f"{seconds:.2f}",
                f"{found['seconds_per_50_million']:.2f}",
            ]
        ],
    )
    return found


def large_text() -> Path:
    """Return a file of 50 MB, all of it one text."""
    path = files.CACHE / f"large-v{files.VERSION}-{LARGE_BYTES}.txt"
    if not path.exists():
        # The first documents of the collection of the join, which is there already.
        whole = "\n\n".join(load(files.parquet(max(25_000, Sizes.wanted().join)))[:25_000])
        files.CACHE.mkdir(exist_ok=True)
        path.write_text(whole[:LARGE_BYTES], encoding="ascii")
    return path


def measure_large(rounds: int) -> dict[str, Any]:
    path = large_text()
    runs = [run_module("benchmarks.large", str(path)) for _ in range(rounds)]
    # The best time and the worst memory.
    found: dict[str, Any] = {
        name: (max if name.endswith("memory") else min)(run[name] for run in runs) for name in runs[0]
    }
    rows = [
        [
            what,
            f"{found[f'{what}_seconds']:.2f}",
            f"{found[f'{what}_memory'] / 1e6:.0f}",
            f"{found[f'{what}_memory'] / found['bytes']:.1f} ×",
        ]
        for what in ("sign", "find")
    ]
    title = f"one document of {found['bytes'] / 1e6:.0f} MB among 1,000 small ones, all cores"
    print_table(title, ["", "seconds", "peak MB with the text", "to its size"], rows)
    return found


def measure_start(starts: int) -> dict[str, float]:
    python = sys.executable
    command = str(Path(python).parent / "lookalike")
    run = partial(subprocess.run, check=True, stdout=subprocess.DEVNULL, env=own_environment())
    best = best_of(
        starts,
        {
            "python": lambda: run([python, "-c", "pass"]),
            "import": lambda: run([python, "-c", "import lookalike"]),
            "help": lambda: run([command, "--help"]),
        },
    )
    found = {"import_ms": (best["import"] - best["python"]) * 1e3, "help_ms": best["help"] * 1e3}
    rows = [
        ["import lookalike, beyond Python's own start", f"{found['import_ms']:.0f}"],
        ["lookalike --help, the whole process", f"{found['help_ms']:.0f}"],
    ]
    print_table("start", ["", "ms"], rows)
    return found


def main() -> None:
    sizes = Sizes.wanted()
    record: dict[str, Any] = circumstances()
    print(f"{headline(record)} · best of {sizes.rounds}")
    every = cases(sizes)
    record["cases"] = {case.name: measure_case(case, sizes.rounds) for case in every}
    record["two_threads"] = {case.name: measure_threads(case, sizes.rounds // 2) for case in every[:2]}
    record["datasketch"] = {case.name: measure_rival(case, sizes.rival, min(sizes.rounds, 3)) for case in every[:2]}
    del every
    record["exact_join"] = measure_join(sizes.join, min(sizes.rounds, 2))
    record["large_document"] = measure_large(min(sizes.rounds, 3))
    record["start"] = measure_start(sizes.starts)
    reached = targets(record)
    print_table("targets", HEADERS, [target.cells() for target in reached])
    record["targets"] = [target.record() for target in reached]
    print(f"\nkept in {write_record('stages', record)}")


if __name__ == "__main__":
    main()
