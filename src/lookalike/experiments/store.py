"""The folder that experiments are kept in: tables as CSV, and a record of what was made, by which code and settings.

`verdicts.json` holds the verdicts and, for each experiment, the settings, a digest of the code that its numbers depend
on and a digest of its CSV. From these `Folder.state` tells what is made, missing or stale (the plots of report A
showed old data without a word).
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from lookalike.errors import DocumentError
from lookalike.experiments import FINDINGS, Column, Experiment, Setup, Table, Verdict
from lookalike.experiments.catalogue import code_digest, experiments
from lookalike.opening import open_file
from lookalike.tables.output_files import new_file
from lookalike.tables.spelling import (
    is_flag,
    is_text,
    is_typed,
    list_of,
    map_of,
    number,
    object_of,
    one_of,
    or_none,
    parse_json,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lookalike.experiments import Cell

__all__ = ["PARTS", "VERDICTS", "Folder", "Record", "Settings", "State", "digest", "from_csv", "to_csv"]

VERDICTS: Final = "verdicts.json"
PARTS: Final = ("csv", "png", "svg", "pdf")
SCHEMA: Final = "lookalike-verdicts/2"
_LARGEST: Final = 1 << 24
"""Bytes of `VERDICTS`; all experiments take a hundredth of it."""
_MOST: Final = 1e300


# -- tables ------------------------------------------------------------------------------------------------------------


def to_csv(table: Table) -> str:
    r"""Return a table as CSV; its header gives each column's name and unit.

    >>> to_csv(Table((Column("k"), Column("time", "s", timed=True)), [(2, 0.5)]))
    'k [1],time [s]\n2,0.5\n'
    """
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(f"{column.name} [{column.unit}]" for column in table.columns)
    writer.writerows(table.rows)
    return written.getvalue()


def from_csv(text: str) -> Table:
    r"""Read back what `to_csv` wrote, except which columns are timed.

    >>> from_csv('k [1],time [s],family [name]\n2,0.5,modular\n').rows
    [(2, 0.5, 'modular')]
    """
    header, *rows = csv.reader(io.StringIO(text))
    columns = [re.fullmatch(r"(.*) \[(.*)\]", name) for name in header]
    if not all(columns):
        raise ValueError(f"a header without units: {header}")
    named = tuple(Column(found[1], found[2]) for found in columns if found)
    return Table(named, [tuple(map(_cell, row)) for row in rows])


def _cell(text: str) -> Cell:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


# -- what is remembered ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run, as they are written down: of the texts, only their digest."""

    seed: int = 1
    quick: bool = False
    text: str | None = None
    file: str | None = field(default=None, compare=False)
    """The files of the texts, as they were typed, one in a line."""

    @classmethod
    def of(cls, setup: Setup, files: Sequence[str] = ()) -> Settings:
        """Return the settings of a setup."""
        texts = None if setup.text is None else digest("\0".join((setup.text, *setup.more)).encode())
        return cls(setup.seed, setup.quick, texts, "\n".join(files) or None)

    def options(self) -> list[str]:
        """Return them as they are typed.

        >>> Settings(seed=7, quick=True).options()
        ['--quick', '--seed', '7']
        """
        typed = ["--quick"] if self.quick else []
        if self.seed != Setup().seed:
            typed += ["--seed", str(self.seed)]
        if self.text is not None:
            typed += [part for file in (self.file or "FILE").split("\n") for part in ("--text", file)]
        return typed

    def __str__(self) -> str:
        """Return what a person reads."""
        named = (self.file or "of its own").replace("\n", ", ")
        text = "" if self.text is None else f", base text {named}"
        return f"{'quick' if self.quick else 'full'}, seed {self.seed}{text}"


@dataclass(frozen=True, slots=True)
class Record:
    """One experiment that was made."""

    id: str
    title: str
    items: tuple[int, ...]
    caption: str
    settings: Settings
    code: str
    csv: str
    seconds: float
    verdicts: tuple[Verdict, ...] = ()


Mark: TypeAlias = Literal["made", "missing", "stale"]


@dataclass(frozen=True, slots=True)
class State:
    """Whether an experiment is made, and if it is not, or not as it should be, why."""

    experiment: Experiment
    mark: Mark
    reason: str
    record: Record | None


@dataclass(slots=True)
class Folder:
    """A folder of experiments."""

    path: Path
    settings: Settings = field(default_factory=Settings)
    """Those of the last run."""
    records: dict[str, Record] = field(default_factory=dict)

    @classmethod
    def open(cls, path: str | Path) -> Folder:
        """Read what a folder holds; one that does not exist holds nothing."""
        place = Path(path)
        file = place / VERDICTS
        try:
            stored: Any = parse_json(_contents(file)) if file.stat().st_size <= _LARGEST else None
        except (FileNotFoundError, NotADirectoryError):
            return cls(place)
        except ValueError:
            raise _not_ours(file) from None
        if not _is_ours(stored):
            raise _not_ours(file)
        return cls(place, Settings(**stored["settings"]), {each["id"]: _record(each) for each in _joined(stored)})

    def file(self, id: str, part: str) -> Path:  # noqa: A002 — what it is called everywhere
        """Return where a part (csv, png, svg, pdf) of an experiment is, or will be."""
        return self.path / f"{id}.{part}"

    def write(self, name: str, content: bytes) -> None:
        """Write a file, whole or not at all."""
        self.path.mkdir(parents=True, exist_ok=True)
        with new_file(self.path / name, private=False) as stream:
            stream.write(content)

    def keep(self, record: Record) -> None:
        """Add a record, or put it in the place of an older one, and write them all, in the order of the catalogue."""
        self.settings = record.settings
        known = self.records | {record.id: record}
        self.records = {each.id: known[each.id] for each in experiments() if each.id in known}
        self.write(VERDICTS, (json.dumps(self._stored(), ensure_ascii=False, indent=2) + "\n").encode())

    def state(self, experiment: Experiment, wanted: Settings | None = None) -> State:
        """Tell whether an experiment is made with today's code and the wanted settings (default: of the last run)."""
        record = self.records.get(experiment.id)
        lost = [part for part in PARTS if not self.file(experiment.id, part).is_file()]
        if record is None or lost:
            gone = f"{experiment.id}.{lost[0]} is gone" if record and lost else "never made"
            return State(experiment, "missing", gone, record)
        reason = self._why_stale(record, wanted or self.settings)
        return State(experiment, "stale" if reason else "made", reason, record)

    def states(self, chosen: Sequence[Experiment], wanted: Settings | None = None) -> list[State]:
        """Return the state of each."""
        return [self.state(experiment, wanted) for experiment in chosen]

    def _why_stale(self, record: Record, wanted: Settings) -> str:
        if record.code != code_digest(record.id):
            return "made by other code"
        if record.settings != wanted:
            return f"made with other settings: {record.settings}"
        if digest(_contents(self.file(record.id, "csv"))) != record.csv:
            return f"{record.id}.csv was changed"
        return ""

    def _stored(self) -> dict[str, Any]:
        from lookalike import __version__

        made = [
            {name: value for name, value in asdict(record).items() if name != "verdicts"}
            for record in self.records.values()
        ]
        verdicts = [
            {"experiment": record.id, **verdict.as_dict()}
            for record in self.records.values()
            for verdict in record.verdicts
        ]
        head = {"schema": SCHEMA, "lookalike": __version__, "settings": asdict(self.settings)}
        return {**head, "verdicts": verdicts, "experiments": made}


_SETTINGS: Final = object_of(seed=whole(), quick=is_flag, text=or_none(is_text), file=or_none(is_typed))
_ITEMS: Final = list_of(whole())
_VERDICT: Final = object_of(
    experiment=is_text,
    claim=is_text,
    source=is_text,
    items=_ITEMS,
    finding=one_of(*FINDINGS),
    evidence=is_text,
    numbers=map_of(is_text, number(-_MOST, _MOST)),
    conclusion=is_text,
    report=is_text,
)
_EXPERIMENT: Final = object_of(
    id=is_text,
    title=is_text,
    items=_ITEMS,
    caption=is_text,
    settings=_SETTINGS,
    code=is_text,
    csv=is_text,
    seconds=number(0.0, _MOST),
)
_STORED: Final = object_of(
    schema=one_of(SCHEMA),
    lookalike=is_text,
    settings=_SETTINGS,
    verdicts=list_of(_VERDICT),
    experiments=list_of(_EXPERIMENT),
)


def _is_ours(stored: Any) -> bool:
    """Say whether a file is what `Folder.keep` writes: everything of its type, and verdicts on experiments in it."""
    if not _STORED(stored):
        return False
    ids = [each["id"] for each in stored["experiments"]]
    return len(set(ids)) == len(ids) and {each["experiment"] for each in stored["verdicts"]} <= set(ids)


def _joined(stored: dict[str, Any]) -> list[dict[str, Any]]:
    """Put the verdicts back to their experiments."""
    verdicts: dict[str, list[dict[str, Any]]] = {each["id"]: [] for each in stored["experiments"]}
    for verdict in stored["verdicts"]:
        verdicts[verdict["experiment"]].append({n: v for n, v in verdict.items() if n != "experiment"})
    return [{**each, "verdicts": verdicts[each["id"]]} for each in stored["experiments"]]


def _record(stored: dict[str, Any]) -> Record:
    verdicts = tuple(Verdict(**{**each, "items": tuple(each["items"])}) for each in stored["verdicts"])
    changed = {"settings": Settings(**stored["settings"]), "items": tuple(stored["items"]), "verdicts": verdicts}
    return Record(**{**stored, **changed})


def _not_ours(path: Path) -> DocumentError:
    remedy = "move it away, or give another folder (--out)"
    return DocumentError(str(path), "file", f"is not a {SCHEMA} file", remedy)


def _contents(path: Path) -> bytes:
    with open_file(path) as stream:
        return stream.read()


def digest(data: bytes) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256."""
    return hashlib.sha256(data).hexdigest()[:16]
