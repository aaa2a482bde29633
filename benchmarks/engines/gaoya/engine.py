"""gaoya: raw texts, shingled in Rust. Given a number of hashes alone, its bands are to find 99 % at the threshold.

What a query returns is filtered by the similarity of the signatures.
"""

from __future__ import annotations

from typing import Any

from benchmarks.engines.protocol import Answer, Index, Signer, Task, read_texts, serve


def make_index(task: Task) -> Any:
    from gaoya.minhash import MinHashStringIndex

    shape = {"word": "word", "char": "char"}[task.unit], False, (task.k, task.k), "smallvec"
    return MinHashStringIndex(32, task.threshold, None, None, task.hashes, *shape)


def search(task: Task) -> Answer:
    texts = read_texts(task.path)
    made = make_index(task)
    made.par_bulk_insert_docs(list(range(len(texts))), texts)
    found = made.par_bulk_query(texts)
    return Answer.pairs((other, row) for row, rows in enumerate(found) for other in rows)


def sign(task: Task, texts: list[str]) -> Signer:
    # There is no call for many: one document at a time. It makes whole bands, so of 128 hashes 126.
    one = make_index(task).minhash_index.tokenize_and_minhash
    return Signer(sign=lambda: [one(text) for text in texts], rows=lambda made: made)


def index(task: Task) -> Index:
    made = make_index(task)
    return Index(lambda texts: made.par_bulk_insert_docs(list(range(len(texts))), texts), made.par_bulk_query)


if __name__ == "__main__":
    serve("gaoya", search=search, sign=sign, index=index)
