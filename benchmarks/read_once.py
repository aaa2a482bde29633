"""Read a Parquet file in a process of its own, and do nothing with it; prints a JSON object.

python -m benchmarks.read_once PATH
"""

from __future__ import annotations

import json
import sys
import time


def main() -> None:
    started = time.perf_counter()
    import pyarrow.parquet as pq

    rows = pq.read_table(sys.argv[1]).num_rows
    print(json.dumps({"seconds": time.perf_counter() - started, "rows": rows}))


if __name__ == "__main__":
    main()
