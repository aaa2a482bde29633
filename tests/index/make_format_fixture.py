"""Write the index that every later version with the same format must be able to open: tests/index/data/format-2.db.

    python -m tests.index.make_format_fixture

It is written once for each version of the format, by the first release that has it, and never again.
"""

from __future__ import annotations

from pathlib import Path

import lookalike as la
from lookalike.index.sqlite_schema import VERSION

__all__ = ["ADDED", "PLACE", "REMOVED", "TEXT"]

PLACE = Path(__file__).parent / "data" / f"format-{VERSION}.db"
TEXT = "The tide rises twice a day because the moon pulls the water, and the earth turns below it; number {}."
ADDED = {f"essay-{number}": TEXT.format(" ".join(str(number * step) for step in range(1, 9))) for number in range(18)}
REMOVED = ("essay-3", "essay-16")


def _main() -> None:
    PLACE.parent.mkdir(exist_ok=True)
    ids = list(ADDED)
    with la.Index.open(PLACE, create=True, recipe=la.Recipe(k=3), threshold=0.6) as index:
        index.add({id: ADDED[id] for id in ids[:12]})
        index.compact()  # which makes a segment; what follows is the tail
        index.add({id: ADDED[id] for id in ids[12:]})
        index.remove(REMOVED)
    for beside in PLACE.parent.glob(f"{PLACE.name}-*"):
        beside.unlink()


if __name__ == "__main__":
    _main()
