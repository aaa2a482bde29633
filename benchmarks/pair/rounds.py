"""The commands, and the rounds in which two wheels take turns at them."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from benchmarks import files
from benchmarks.commands.meter import launched
from benchmarks.measure import is_quick, usual_environment
from benchmarks.pair.ratios import MedianRatio, median_ratio

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["Command", "Comparison", "Side", "commands", "compared", "ratio_cells", "run", "same_answer"]

PRINTED: Final = "printed"
"""The file that holds what a command printed."""
SECONDS: Final = 300.0
"""After so long a command is ended; the same for more memory than `BYTES`."""
BYTES: Final = 8 * 10**9


@dataclass(frozen=True, slots=True)
class Command:
    """One command, which runs in the folder of a side."""

    name: str
    arguments: tuple[str, ...]
    output: str = ""
    """The file that it writes there; it is removed before the command runs again."""
    comparable: bool = True
    """Whether the output must be the same whichever wheel writes it."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two wheels: where its programs are, and where its commands write."""

    programs: Path
    folder: Path


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was measured of a command; a time per round."""

    command: Command
    old: tuple[float, ...]
    new: tuple[float, ...]
    same: bool
    """Whether both wheels gave the same answer."""
    others: float
    """Cores that other work kept busy meanwhile."""

    @property
    def ratios(self) -> list[float]:
        """The ratio of each round."""
        return [new / old for old, new in zip(self.old, self.new, strict=True)]

    @property
    def ratio(self) -> MedianRatio:
        """The median of the ratios."""
        return median_ratio(self.ratios)

    def record(self) -> dict[str, Any]:
        """Return what is recorded of it."""
        times = {"old": self.old, "new": self.new, "same_answer": self.same, "others": self.others}
        return self.ratio.record() | times

    def cells(self) -> list[str]:
        """Return a row of the table."""
        medians = [f"{statistics.median(times):.3f}" for times in (self.old, self.new)]
        return [self.command.name, *medians, *ratio_cells(self.ratio), "same" if self.same else "DIFFER"]


def ratio_cells(ratio: MedianRatio) -> list[str]:
    """Return the cells of a ratio: median, interval, whether the target is met."""
    spread = "—" if ratio.interval is None else "{:.3f}–{:.3f}".format(*ratio.interval)
    return [f"{ratio.median:.3f}", spread, {True: "met", False: "NOT MET", None: "—"}[ratio.met]]


def commands() -> tuple[tuple[Command, ...], list[Path]]:
    """Return the commands and the files that they read."""
    table, few, stored = (1_000, 300, 500) if is_quick() else (40_000, 3_000, 5_000)
    single, parquet, documents, batch = (files.parquet(count) for count in (1, table, stored, few))
    lines, folder, asked = files.json_lines(parquet), files.text_files(batch), files.json_lines(batch)
    json_to_stdout = ("--format", "json")
    every = (
        Command("scan Parquet", ("scan", str(parquet), *json_to_stdout)),
        Command("scan JSON Lines", ("scan", str(lines), *json_to_stdout)),
        Command("scan folder", ("scan", str(folder), *json_to_stdout)),
        Command("dedupe Parquet", ("dedupe", str(parquet), "-o", "kept.parquet"), "kept.parquet"),
        Command("dedupe JSON Lines", ("dedupe", str(lines), "-o", "kept.jsonl"), "kept.jsonl"),
        Command("dedupe folder", ("dedupe", str(folder), "-o", "kept.txt"), "kept.txt"),
        # Each wheel queries the index that it built: the format may have changed.
        Command("index build", ("index", "build", "stored.db", str(documents)), "stored.db", comparable=False),
        Command("index query", ("check", str(asked), "--index", "stored.db", *json_to_stdout)),
        Command("start", ("scan", str(single), *json_to_stdout)),
    )
    return every, [single, parquet, lines, documents, asked, *sorted(folder.iterdir())]


def run(command: Command, side: Side) -> dict[str, Any]:
    """Run a command once; raises ValueError if it fails."""
    if command.output:
        for path in side.folder.glob(f"{command.output}*"):
            path.unlink()
    program = [str(side.programs / "lookalike"), *command.arguments]
    done = launched(
        program, side.folder / PRINTED, limit=SECONDS, most=BYTES, environment=usual_environment(), folder=side.folder
    )
    if done["why"]:
        raise ValueError(f"{command.name} with the wheel {side.folder.name}: {done['why']}")
    return done


def compared(
    every: Sequence[Command],
    old: Side,
    new: Side,
    rounds: int,
) -> list[Comparison]:
    """Let both sides run every command in each round; the first round warms up and is not counted.

    The two runs of a command follow each other, so that a slow minute of the machine meets both. Which side is first
    changes from command to command and from round to round: being second is no advantage.
    """
    times: dict[str, dict[Side, list[float]]] = {command.name: {old: [], new: []} for command in every}
    others: dict[str, list[float]] = {command.name: [] for command in every}
    same = {}
    for number in range(rounds + 1):
        for place, command in enumerate(every):
            for side in (old, new) if (number + place) % 2 else (new, old):
                seen = run(command, side)
                if number:
                    times[command.name][side].append(seen["seconds"])
                    others[command.name].append(seen["others"])
            if not number:
                same[command.name] = same_answer(command, old, new)
        print(".", end="", flush=True)
    print()
    return [
        Comparison(
            command,
            tuple(times[command.name][old]),
            tuple(times[command.name][new]),
            same[command.name],
            statistics.fmean(others[command.name]),
        )
        for command in every
    ]


def same_answer(command: Command, old: Side, new: Side) -> bool:
    """Tell whether both sides printed and wrote the same."""
    if not command.comparable:
        return True
    names = [PRINTED, *filter(None, [command.output])]
    return all(_content(old.folder / name) == _content(new.folder / name) for name in names)


ANSWERS: Final = ("pairs", "groups", "documents")
"""What counts of a JSON object that a command printed: others tell how it was found, such as `candidates`."""


def _content(path: Path) -> Any:
    """Return what must be the same: the rows of Parquet, the answers in a JSON object, the bytes of anything else."""
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        return pq.read_table(path)
    content = path.read_bytes()
    if path.name == PRINTED and content.startswith(b"{"):
        printed = json.loads(content)
        return [printed.get(name) for name in ANSWERS]
    return content
