"""text-dedup: its command text_dedup.minhash over the Parquet file, with its quick hash function; kept rows come back.

It splits words only, so tasks of characters are not for it. Its own rule, that of datasketch, chooses the bands.
"""

from __future__ import annotations

import os
from pathlib import Path

from benchmarks.engines.protocol import Answer, Signer, Task, serve


def search(task: Task) -> Answer:
    os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"
    from datasets import load_from_disk
    from text_dedup.minhash import main

    work = Path(task.work)
    given = {
        "path": "parquet",
        "data_files": task.path,
        "split": "train",
        "cache_dir": str(work / "cache"),
        "output": str(work / "out"),
        "column": "text",
        "ngram": task.k,
        "min_length": 1,
        "num_perm": task.hashes,
        "threshold": task.threshold,
        "num_proc": task.threads,
        "hash_func": "xxh3",
        "hash_bits": 32,
    }
    main([f"--{name}={value}" for name, value in given.items()], standalone_mode=False)
    kept = {int(name[1:]) for name in load_from_disk(str(work / "out"))["id"]}
    return Answer("kept", kept)


def sign(task: Task, texts: list[str]) -> Signer:
    import numpy as np
    from text_dedup.minhash import RNG, embed_func
    from text_dedup.utils import xxh3_32hash

    most, prime = np.uint32((1 << 32) - 1), np.uint32((1 << 32) - 5)
    options = {
        "num_perm": task.hashes,
        "ngram_size": task.k,
        "min_length": 1,
        "hashranges": [(0, task.hashes)],
        "permutations": tuple(RNG.randint(low, prime, size=(task.hashes,), dtype=np.uint32) for low in (1, 0)),
        "hash_func": xxh3_32hash,
        "dtype": np.uint32,
        "max_hash": most,
        "modulo_prime": prime,
    }
    return Signer(
        sign=lambda: [embed_func(text, row, **options)["__signatures__"][0] for row, text in enumerate(texts)],
        rows=lambda made: [np.frombuffer(signature, dtype=np.uint32).tolist() for signature in made],
    )


if __name__ == "__main__":
    serve("text-dedup", search=search, sign=sign)
