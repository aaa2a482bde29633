"""scikit-learn: a sparse matrix of documents and shingles, and its product with itself: every pair, exactly.

Shingles are hashed to 2²⁸ columns, so that two may, rarely, count as one.
"""

from __future__ import annotations

from typing import Any

from benchmarks.engines.protocol import Answer, Task, read_texts, serve

BLOCK = 500


def search(task: Task) -> Answer:
    import numpy as np
    from sklearn.feature_extraction.text import HashingVectorizer

    grams: dict[str, Any] = {"token_pattern": r"(?u)\S+"} if task.unit == "word" else {"analyzer": "char"}
    vectorizer = HashingVectorizer(
        n_features=2**28,
        binary=True,
        norm=None,
        alternate_sign=False,
        lowercase=False,
        dtype=np.int32,
        ngram_range=(task.k, task.k),
        **grams,
    )
    matrix = vectorizer.transform(read_texts(task.path))
    sizes = np.diff(matrix.indptr)
    # Without the empty columns: its transpose would have 2²⁸ rows.
    columns = np.unique(matrix.indices, return_inverse=True)[1].astype(np.int32)
    shape = (matrix.shape[0], int(columns.max()) + 1)
    matrix = type(matrix)((matrix.data, columns, matrix.indptr), shape=shape)
    transposed, found = matrix.T.tocsr(), []
    for first in range(0, shape[0], BLOCK):
        product = (matrix[first : first + BLOCK] @ transposed).tocoo()
        a, b, shared = product.row + first, product.col, product.data
        alike = (a < b) & (shared / (sizes[a] + sizes[b] - shared) >= task.threshold)
        found += np.stack([a[alike], b[alike]], axis=1).tolist()
    return Answer.pairs(found)


if __name__ == "__main__":
    serve("scikit-learn", search=search)
