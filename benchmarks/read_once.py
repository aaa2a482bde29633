"""Read the texts of a Parquet file with pyarrow, and do nothing with them: the process that a search is held against.

python benchmarks/read_once.py PATH
"""

from __future__ import annotations

import sys


def main() -> None:
    import pyarrow.parquet as pq

    # Not read_table, which would load pandas where that is installed.
    print(pq.ParquetFile(sys.argv[1]).read(columns=["text"]).num_rows)


if __name__ == "__main__":
    main()
