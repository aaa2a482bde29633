"""FastSketchLSH: token lists made in Python, 1,000 documents a call; a list of all tokens is slower, and far larger."""

from __future__ import annotations

from typing import Any

from benchmarks.engines.protocol import Answer, Index, Signer, Task, divided_bands, read_texts, serve, shingles

PART = 1000


def sketch(task: Task, texts: list[str]) -> Any:
    import numpy as np
    from FastSketchLSH import FastSimilaritySketch

    sketcher = FastSimilaritySketch(size=task.hashes, seed=42)
    parts = (texts[at : at + PART] for at in range(0, len(texts), PART))
    return np.vstack(
        [sketcher.batch([shingles(text, task) for text in part], num_threads=task.threads) for part in parts]
    )


def make_lsh(task: Task) -> Any:
    from FastSketchLSH import LSH

    return LSH(num_perm=task.hashes, num_bands=divided_bands(task.threshold), num_threads=task.threads)


def search(task: Task) -> Answer:
    import numpy as np

    signatures = sketch(task, read_texts(task.path))
    lsh = make_lsh(task)
    lsh.insert(signatures)
    found, starts = (np.asarray(part, dtype=np.int64) for part in lsh.query(signatures, format="csr"))
    asked = np.repeat(np.arange(len(signatures)), starts[1:] - starts[:-1])
    return Answer.pairs(np.stack([found, asked], axis=1)[found < asked].tolist())


def sign(task: Task, texts: list[str]) -> Signer:
    return Signer(sign=lambda: sketch(task, texts), rows=lambda made: made.tolist())


def index(task: Task) -> Index:
    lsh = make_lsh(task)
    return Index(lambda texts: lsh.insert(sketch(task, texts)), lambda texts: lsh.query(sketch(task, texts)))


if __name__ == "__main__":
    serve("FastSketchLSH", search=search, sign=sign, index=index)
