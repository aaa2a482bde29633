"""Do several runs of the experiments contradict each other? `python -m benchmarks.verdicts RUN RUN …`

Each RUN is a folder that `lookalike experiment run all --out RUN` wrote, or its verdicts.json: quick or full, on an
idle machine or next to a busy loop. Two findings on a conclusion contradict each other if they differ and neither is
"undecided". Exits with 1 if some do.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["contradictions", "findings", "main"]

UNDECIDED: Final = "undecided"


def findings(run: Path) -> dict[str, tuple[str, str]]:
    """Return the finding and the evidence of a run for each conclusion, by its name."""
    file = run / "verdicts.json" if run.is_dir() else run
    verdicts = json.loads(file.read_text(encoding="utf-8"))["verdicts"]
    return {each["conclusion"]: (each["finding"], each["evidence"]) for each in verdicts}


def contradictions(runs: Sequence[Mapping[str, tuple[str, str]]]) -> list[str]:
    """Return the conclusions on which two runs found different things.

    >>> said = [{"x": (finding, ""), "y": ("holds", "")} for finding in ("holds", "undecided", "does not hold")]
    >>> contradictions(said[:2]), contradictions(said)
    ([], ['x'])
    """
    names = dict.fromkeys(name for run in runs for name in run)
    return [name for name in names if len({run[name][0] for run in runs if name in run} - {UNDECIDED}) > 1]


def main(arguments: Sequence[str]) -> int:
    """Compare runs, and say where they contradict each other."""
    if len(arguments) < 2:
        print(__doc__)
        return 2
    runs = {name: findings(Path(name)) for name in arguments}
    found = contradictions(list(runs.values()))
    for conclusion in found:
        print(conclusion)
        for name, run in runs.items():
            print("  {}: {}: {}".format(name, *run.get(conclusion, ("not judged", ""))))
    judged = {name for run in runs.values() for name in run}
    unsure = sum(any(run.get(name, ("",))[0] == UNDECIDED for run in runs.values()) for name in judged)
    print(f"{len(runs)} runs, {len(judged)} conclusions: {len(found)} contradicted, {unsure} undecided in some run")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
