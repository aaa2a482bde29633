"""datatrove: its four MinHash stages on this machine, with its own 14 × 8 at 0.8; kept rows come back.

It has no threshold: the bands are its setting. For 0.5, 28 × 4 of the same 112 hashes are given. Numbers stay as they
are, so that its shingles are nearly those of the others; its English words are spaCy's, which cuts a few ("hes") and
takes most of the time.
"""

from __future__ import annotations

import logging
import struct
from pathlib import Path
from typing import Any

from benchmarks.engines.protocol import Answer, Signer, Task, serve


def configure(task: Task) -> Any:
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.utils.text import TextNormConfig
    from loguru import logger

    logger.remove()
    logging.disable(logging.INFO)
    buckets, rows = (14, 8) if task.threshold > 0.65 else (28, 4)
    if task.kind == "signatures":
        buckets, rows = task.hashes // 8, 8
    return MinhashConfig(
        n_grams=task.k,
        num_buckets=buckets,
        hashes_per_bucket=rows,
        norm_config=TextNormConfig(norm_numbers=False),
    )


def search(task: Task) -> Answer:
    from datatrove.executor.local import LocalPipelineExecutor
    from datatrove.pipeline.dedup import MinhashDedupSignature
    from datatrove.pipeline.dedup.minhash import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter
    from datatrove.pipeline.readers import ParquetReader
    from datatrove.pipeline.writers import ParquetWriter

    config, work = configure(task), Path(task.work)
    folders = {name: str(work / name) for name in ("parts", "signatures", "buckets", "remove", "out")}
    rows = split(task.path, Path(folders["parts"]), task.threads)
    reader = ParquetReader(folders["parts"])
    stages = [
        ([reader, MinhashDedupSignature(folders["signatures"], config)], task.threads),
        ([MinhashDedupBuckets(folders["signatures"], folders["buckets"], config=config)], config.num_buckets),
        ([MinhashDedupCluster(folders["buckets"], folders["remove"], config=config)], 1),
        ([reader, MinhashDedupFilter(folders["remove"]), ParquetWriter(folders["out"])], task.threads),
    ]
    for number, (pipeline, tasks) in enumerate(stages):
        logs = str(work / f"logs{number}")
        LocalPipelineExecutor(pipeline, tasks=tasks, workers=task.threads, logging_dir=logs).run()
    removed = set()
    for path in Path(folders["remove"]).glob("*.remove"):
        first = rows[int(path.name.split(".")[0])]
        removed |= {first + row for (row,) in struct.iter_unpack("<I", path.read_bytes())}
    return Answer("kept", [row for row in range(rows[-1]) if row not in removed])


def split(path: str, folder: Path, parts: int) -> list[int]:
    """Write a file for each worker, since none is shared; return the row at which each begins, and the end."""
    import pyarrow.parquet as pq

    folder.mkdir()
    table = pq.read_table(path)
    starts = [table.num_rows * part // parts for part in range(parts + 1)]
    for part in range(parts):
        pq.write_table(table.slice(starts[part], starts[part + 1] - starts[part]), folder / f"{part}.parquet")
    return starts


def sign(task: Task, texts: list[str]) -> Signer:
    from datatrove.pipeline.dedup import MinhashDedupSignature

    step = MinhashDedupSignature(str(Path(task.work) / "unused"), configure(task))
    return Signer(
        sign=lambda: [step.get_signature(step.get_shingles(text)) for text in texts],
        rows=lambda made: [[number for bucket in signature for number in bucket] for signature in made],
    )


if __name__ == "__main__":
    serve("datatrove", search=search, sign=sign)
