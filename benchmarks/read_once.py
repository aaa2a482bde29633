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

    rows = pq.ParquetFile(sys.argv[1]).read().num_rows  # read_table would load pandas, where that is installed
    print(json.dumps({"seconds": time.perf_counter() - started, "rows": rows}))


if __name__ == "__main__":
    main()
