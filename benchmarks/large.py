"""One document of many megabytes among small ones, in a process of its own; prints a JSON object.

python -m benchmarks.large TEXT_FILE
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import lookalike as la
from benchmarks.measure import Rss, seconds_of


def main() -> None:
    la.sign(["the tables of the core are built at first use"])
    empty = Rss.now()
    large = Path(sys.argv[1]).read_text(encoding="ascii")
    texts = [large, *(large[at : at + 2500] for at in range(0, 2_500_000, 2500))]
    Rss.forget_peak()  # reading a file takes twice its size for a moment
    sign = seconds_of(lambda: la.sign(texts))
    signed = Rss.peak()
    find = seconds_of(lambda: la.find(texts, 0.8))
    print(
        json.dumps(
            {
                "bytes": len(large),
                "sign_seconds": sign,
                "sign_memory": signed - empty,
                "find_seconds": find,
                "find_memory": Rss.peak() - empty,
            }
        )
    )


if __name__ == "__main__":
    main()
