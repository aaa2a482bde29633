"""SetSimilaritySearch: the exact join of all pairs, in Python, over sets of shingles."""

from __future__ import annotations

from benchmarks.engines.protocol import Answer, Task, read_texts, serve, shingles


def search(task: Task) -> Answer:
    from SetSimilaritySearch import all_pairs

    sets = [set(shingles(text, task)) for text in read_texts(task.path)]
    found = all_pairs(sets, similarity_func_name="jaccard", similarity_threshold=task.threshold)
    return Answer.pairs([(a, b) for a, b, _ in found])


if __name__ == "__main__":
    serve("SetSimilaritySearch", search=search)
