"""rensa: token lists are made in Python and handed over by a generator, which is quicker than a list of all of them.

Variants: "R" and "C", its full-set sketches with their deduplicators, as its README shows; "R lsh", the index, which
names candidates; and "rho", its pipeline that looks at a sample of the token positions, and is no MinHash.
"""

from __future__ import annotations

from typing import Any

from benchmarks.engines.protocol import Answer, Index, Signer, Task, divided_bands, read_texts, serve, shingles

SEED = 42


def search(task: Task) -> Answer:
    import rensa

    texts = read_texts(task.path)
    tokens = (shingles(text, task) for text in texts)
    if task.variant in {"R", "C"}:
        entries = ((str(row), tokens_of) for row, tokens_of in enumerate(tokens))
        if task.variant == "R":
            return Answer.kept(rensa.RMinHashDeduplicator(task.threshold, task.hashes, use_lsh=True).add_pairs(entries))
        return Answer.kept(rensa.CMinHashDeduplicator(task.threshold, task.hashes).add_pairs(entries))
    lsh = rensa.RMinHashLSH(task.threshold, task.hashes, divided_bands(task.threshold))
    if task.variant == "rho":
        matrix = rensa.RMinHash.digest_matrix_from_token_sets_rho(tokens, task.hashes, SEED)
        return Answer.marked(lsh.query_duplicate_flags_matrix_one_shot(matrix))
    minhashes = rensa.RMinHash.from_token_sets(tokens, task.hashes, SEED)
    lsh.insert_many(minhashes)
    return Answer.pairs((other, row) for row, found in enumerate(lsh.query_all(minhashes)) for other in found)


def sign(task: Task, texts: list[str]) -> Signer:
    import rensa

    make = {
        "R": rensa.RMinHash.digest_matrix_from_token_sets,
        "C": rensa.CMinHash.digests64_from_token_sets,
        "rho": rensa.RMinHash.digest_matrix_from_token_sets_rho,
    }[task.variant]

    def rows(made: Any) -> Any:
        return made if task.variant == "C" else made.to_rows()

    return Signer(lambda: make((shingles(text, task) for text in texts), task.hashes, SEED), rows)


def index(task: Task) -> Index:
    import rensa

    lsh = rensa.RMinHashLSH(task.threshold, task.hashes, divided_bands(task.threshold))

    def minhashes(texts: list[str]) -> Any:
        return rensa.RMinHash.from_token_sets((shingles(text, task) for text in texts), task.hashes, SEED)

    return Index(lambda texts: lsh.insert_many(minhashes(texts)), lambda texts: lsh.query_all(minhashes(texts)))


if __name__ == "__main__":
    serve("rensa", search=search, sign=sign, index=index)
