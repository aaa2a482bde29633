"""datasketch 2: MinHash.bulk and MinHashLSH, its documented quick path; sets of bytes are made in Python.

Variants: as it comes (SHA-1), and "xxh32", a quick hash function of the package xxhash.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.engines.protocol import Answer, Index, Signer, Task, read_texts, serve, shingles

if TYPE_CHECKING:
    from collections.abc import Iterable


def minhashes(task: Task, texts: Iterable[str]) -> list[Any]:
    from datasketch import MinHash

    options: dict[str, Any] = {"num_perm": task.hashes}
    if task.variant == "xxh32":
        from xxhash import xxh32_intdigest

        options["hashfunc"] = xxh32_intdigest
    made: list[Any] = MinHash.bulk(([s.encode() for s in set(shingles(text, task))] for text in texts), **options)
    return made


def search(task: Task) -> Answer:
    from datasketch import MinHashLSH

    lsh = MinHashLSH(threshold=task.threshold, num_perm=task.hashes)  # its own rule chooses the bands
    pairs = []
    for row, minhash in enumerate(minhashes(task, read_texts(task.path))):
        pairs += [(other, row) for other in lsh.query(minhash)]
        lsh.insert(row, minhash, check_duplication=False)
    return Answer.pairs(pairs)


def sign(task: Task, texts: list[str]) -> Signer:
    return Signer(sign=lambda: minhashes(task, texts), rows=lambda made: [m.hashvalues.tolist() for m in made])


def index(task: Task) -> Index:
    from datasketch import MinHashLSH

    lsh = MinHashLSH(threshold=task.threshold, num_perm=task.hashes)

    def build(texts: list[str]) -> None:
        for row, minhash in enumerate(minhashes(task, texts)):
            lsh.insert(row, minhash, check_duplication=False)

    return Index(build, lambda texts: [lsh.query(minhash) for minhash in minhashes(task, texts)])


if __name__ == "__main__":
    serve("datasketch", search=search, sign=sign, index=index)
