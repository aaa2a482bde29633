"""The tables of targets: each target with its value in the newest records."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from benchmarks.commands.works import HOT_WAYS, hot_key
from benchmarks.hot import KINDS
from benchmarks.rivals.catalogue import OWN
from benchmarks.targets import Target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.hot import Hot

__all__ = ["command_targets", "growth", "rival_targets", "stage_targets"]

Record = dict[str, Any]
HOT_NAMES: Final[dict[Hot, str]] = {
    "edited": "one page with 2 of 300 words edited",
    "boilerplate": "pages that are 80 % boilerplate",
}
BYTES: Final = {"MB": 10**6, "MiB": 2**20}
DAFT, DAFT_RECALL, DATASKETCH = "Daft", "Daft, our bands", "datasketch"


# -- whole commands ---------------------------------------------------------------------------------------------------


class Commands:
    """The measured commands of a record, as targets; one that was not measured gives targets without a number."""

    def __init__(self, record: Record) -> None:
        self.commit = record.get("commit")
        self.works: dict[str, Record] = record.get("works", {})

    def seconds(self, what: str, key: str, limit: float) -> Target:
        """Return the time of a command."""
        one = self.works.get(key, {})
        spread = one.get("spread")
        bounds = (spread[0], spread[1]) if spread and len(one["times"]) > 1 else None
        return self._target(f"{what}: time", one.get("seconds"), limit, [key], unit="s", spread=bounds)

    def peak(self, what: str, key: str, limit: float, unit: str = "MB") -> Target:
        """Return the memory of a command."""
        most = self.works.get(key, {}).get("peak")
        measured = None if most is None else most / BYTES[unit]
        return self._target(f"{what}: peak memory", measured, limit, [key], unit=unit)

    def written(self, what: str, key: str, limit: float) -> Target:
        """Return what a command wrote to disk."""
        one = self.works.get(key)
        measured = None if one is None or one["why"] else one["written"] / BYTES["MB"]
        return self._target(f"{what}: written to disk", measured, limit, [key], unit="MB")

    def ratio(self, what: str, key: str, to: str, limit: float, *, most: bool = True) -> Target:
        """Return how many times as long as another a command takes."""
        above, below = self._seconds(key), self._seconds(to)
        measured = None if above is None or below is None else above / below
        return self._target(what, measured, limit, [key, to], most=most, unit="×")

    def growth(self, what: str, keys: Sequence[str], limit: float) -> Target:
        """Return how the time of a document, beyond the start, grows from one collection to the next."""
        base, seconds = self._seconds("start"), [self._seconds(key) for key in keys]
        measured = None
        if base is not None and None not in seconds:
            times = [(self.works[key]["seconds"] - base) / self.works[key]["documents"] for key in keys]
            measured = growth(times)
        return self._target(what, measured, limit, keys, unit="×")

    def _seconds(self, key: str) -> float | None:
        seconds: float | None = self.works.get(key, {}).get("seconds")
        return seconds

    def _target(
        self,
        what: str,
        measured: float | None,
        limit: float,
        keys: Sequence[str],
        *,
        most: bool = True,
        unit: str = "",
        spread: tuple[float, float] | None = None,
    ) -> Target:
        found = [self.works[key] for key in keys if key in self.works]
        why = next((one["why"] for one in found if one["why"]), "")
        commits = sorted({one["commit"] for one in found} - {self.commit})
        note = why or ", ".join(f"at commit {commit}" for commit in commits)
        return Target(what, measured, limit, most, unit, spread, note, failed=bool(why))


def command_targets(record: Record) -> list[Target]:
    """Return the targets of whole commands, which the streaming engine is designed for."""
    of = Commands(record)
    medium, million = "100,000 documents, Parquet", "1,000,000 documents"
    return [
        of.seconds("10,000 documents, Parquet", "small", 0.25),
        of.peak("10,000 documents, Parquet", "small", 80),
        of.seconds(medium, "medium", 0.75),
        of.peak(medium, "medium", 150),
        of.ratio(f"{medium}: time relative to only reading it with pyarrow", "medium", "medium, read only", 1),
        of.ratio("the same as JSON Lines: time relative to Parquet", "medium, JSON Lines", "medium", 1.2),
        of.ratio("the same as .jsonl.zst: time relative to Parquet", "medium, zstd", "medium", 1.6),
        of.seconds(million, "million", 9),
        of.peak(million, "million", 1000),
        of.seconds("10,000,000 documents, `--memory 6GB`", "ten million", 150),
        of.peak("10,000,000 documents, `--memory 6GB`", "ten million", 6000),
        of.written("10,000,000 documents, `--memory 6GB`", "ten million", 1),
        *_hot_targets(of),
        of.peak("6,000 near-duplicates, `--memory 512MiB`", "near, 512 MiB", 512, "MiB"),
        of.seconds("10 new documents against 1,000,000", "against million", 5),
        of.peak("10 new documents against 1,000,000", "against million", 700),
        of.growth("time per document beyond start-up, 10,000 to 100,000", ["small", "medium"], 1.3),
        of.growth("time per document beyond start-up, 10,000 to 1,000,000", ["small", "medium", "million"], 1.3),
        of.ratio(f"{medium}: speed-up from one thread to two", "medium, one thread", "medium", 1.8, most=False),
    ]


def _hot_targets(of: Commands) -> list[Target]:
    found = []
    for kind in KINDS:
        for way in HOT_WAYS:
            name, _, exact = way.partition(" ")
            what = f"{HOT_NAMES[kind]}, `{name}{' --method exact' * bool(exact)}`"
            once, twice = (hot_key(kind, way, twice=twice) for twice in (False, True))
            found.append(of.ratio(f"{what}: time for 40,000 relative to 20,000", twice, once, 2.2))
            found.append(of.peak(f"{what}, 40,000", twice, 500))
    return found


def growth(times: Sequence[float]) -> float:
    """Return how many times as long a document takes, at the worst, in a larger collection than in a smaller one."""
    return max(later / min(times[:at]) for at, later in enumerate(times) if at)


# -- stages and other engines -----------------------------------------------------------------------------------------


def stage_targets(record: Record) -> list[Target]:
    """Return the targets of single stages, from `make bench`."""
    known = {field.name for field in fields(Target)}
    return [Target(**{key: value for key, value in one.items() if key in known}) for one in record["targets"]]


def rival_targets(record: Record) -> list[Target]:
    """Return the targets of the comparison with other engines, from a Parquet file to groups."""
    task = record["limits"]["task"]
    rows = {row["engine"]: row for row in record["rows"] if row["task"] == task}
    own = rows[OWN]
    found = [
        _times(f"{task}: Daft with its own bands", rows.get(DAFT), 5),
        _times(f"{task}: Daft at our recall", rows.get(DAFT_RECALL), 6),
        _others(task, list(rows.values())),
        _times(f"{task}: datasketch", rows.get(DATASKETCH), 50),
    ]
    return [
        *found,
        Target(f"{task}: recall", own["recall"], 0.99),
        Target(f"{task}: precision", own["precision"], 1),
    ]


def _others(task: str, rows: Sequence[Record]) -> Target:
    named = {OWN, DAFT, DAFT_RECALL, DATASKETCH}
    others = [row for row in rows if row["seconds"] and row["engine"] not in named]
    quickest = min(others, key=lambda row: float(row["seconds"]), default=None)
    name = f" ({quickest['engine']})" if quickest else ""
    return _times(f"{task}: the fastest of the remaining engines{name}", quickest, 9)


def _times(what: str, row: Record | None, limit: float) -> Target:
    return Target(f"{what}, time relative to lookalike", None if row is None else row["ratio"], limit, unit="×")
