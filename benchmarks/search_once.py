"""One whole search in a process of its own; prints a JSON object.

python -m benchmarks.search_once PATH… METHOD [MEMORY WORK_FOLDER]
"""

from __future__ import annotations

import json
import sys
import time


def main() -> None:
    started = time.perf_counter()
    import lookalike as la
    from benchmarks.measure import Rss

    arguments = sys.argv[1:]
    budget: dict[str, object] = {}
    if arguments[-2].isdigit():
        budget = {"memory": int(arguments[-2]), "work": arguments[-1]}
        arguments = arguments[:-2]
    *paths, method = arguments
    searched = time.perf_counter()
    result = la.find(la.open_paths(paths), 0.8, method=method, **budget)  # type: ignore[arg-type]
    groups = len(result.groups)
    ended = time.perf_counter()
    print(
        json.dumps(
            {
                "seconds": ended - started,
                "search_seconds": ended - searched,
                "pairs": result.pairs.num_rows,
                "groups": groups,
                "candidates": result.candidates,
                "promised": result.recall.promised,
                "timings": dict(result.timings),
                "peak": Rss.peak(),
            }
        )
    )


if __name__ == "__main__":
    main()
