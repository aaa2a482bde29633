"""Two wheels in turn: is the new one as fast as the old one? `make bench-pair OLD=… NEW=…`

    python -m benchmarks.pair --old HEAD~3                      the working tree beside a revision
    python -m benchmarks.pair --old v1.whl --new v2.whl         two wheels
    python -m benchmarks.pair --old HEAD --new HEAD --rounds 9  what the noise of this machine is

Each is installed in an environment of its own in .bench, and both run the same commands in turn, 21 rounds. The ratio
of their times is taken in each round. Exits with 1 if the median over all commands is above 1.03 or its 95 % interval
reaches 1.06, and with 2 if a wheel cannot be built or a command fails.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.commands.meter import warm
from benchmarks.files import CACHE
from benchmarks.measure import circumstances, headline, is_quick, print_table, write_record
from benchmarks.pair.ratios import BOUND, LIMIT, median_ratio, per_round
from benchmarks.pair.rounds import Comparison, Side, commands, compared, ratio_cells
from benchmarks.pair.wheels import Wheel, install, tree_wheel, wheel_of
from benchmarks.rivals.environments import BENCH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.pair.ratios import MedianRatio

ROUNDS: Final = 21
HEADERS: Final = ("command", "old, s", "new, s", "new / old", "95 % interval", "target", "answers")


def measured(old: Wheel, new: Wheel, rounds: int) -> list[Comparison]:
    """Install both wheels and let them take turns."""
    every, paths = commands()
    for path in paths:
        warm(path)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        # Names of the same length: a path is part of every start of Python.
        before, after = (_side(wheel, name, Path(folder)) for name, wheel in (("old", old), ("new", new)))
        return compared(every, before, after, rounds)


def _side(wheel: Wheel, name: str, folder: Path) -> Side:
    side = Side(install(wheel, BENCH / f"pair-{name}"), folder / name)
    side.folder.mkdir()
    return side


def overall(comparisons: Sequence[Comparison]) -> MedianRatio:
    """Return the ratio over all commands, each with the same weight."""
    return median_ratio(per_round({each.command.name: each.ratios for each in comparisons}))


def verdict(ratio: MedianRatio) -> str:
    """Say whether the target is met."""
    said = f"target: median ≤ {LIMIT}, interval below {BOUND}"
    return f"{said}: " + {True: "met", False: "NOT MET", None: "too few rounds to tell"}[ratio.met]


def record_of(
    origin: dict[str, Any], old: Wheel, new: Wheel, comparisons: Sequence[Comparison], total: MedianRatio
) -> dict[str, Any]:
    """Return what is recorded."""
    return origin | {
        "command": "make bench-pair",
        "rounds": len(comparisons[0].old),
        "old": old.record(),
        "new": new.record(),
        "target": {"median": LIMIT, "interval_below": BOUND},
        "overall": total.record(),
        "commands": {each.command.name: each.record() for each in comparisons},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--old", default="HEAD~", metavar="WHEEL|REVISION", help="default: HEAD~")
    parser.add_argument("--new", metavar="WHEEL|REVISION", help="default: the working tree")
    parser.add_argument("--rounds", type=int, default=2 if is_quick() else ROUNDS, help="default: 21; 6 for a verdict")
    options = parser.parse_args()
    origin = circumstances()
    print(headline(origin))
    clean = not origin["commit"].endswith("+")
    try:
        old = wheel_of(options.old)
        new = wheel_of(options.new or "HEAD") if options.new or clean else tree_wheel(origin["commit"])
        comparisons = measured(old, new, max(1, options.rounds))
    except ValueError as error:
        print(f"bench-pair: {error}", file=sys.stderr)
        return 2
    total = overall(comparisons)
    rows = [each.cells() for each in comparisons]
    rows.append(["all", "", "", *ratio_cells(total), "same" if all(each.same for each in comparisons) else "DIFFER"])
    print_table(f"{old.shown} (old) and {new.shown} (new), {len(comparisons[0].old)} rounds", HEADERS, rows)
    others = statistics.fmean(each.others for each in comparisons)
    print(f"\nother work kept {others:.2f} cores busy; {verdict(total)}")
    if options.rounds >= ROUNDS or is_quick():  # fewer rounds do not replace a measurement
        print(f"kept in {write_record('pair', record_of(origin, old, new, comparisons, total))}")
    return 1 if total.met is False else 0


if __name__ == "__main__":
    sys.exit(main())
