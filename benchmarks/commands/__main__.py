"""Whole commands, as a user types them: time, memory, and what is met of the targets; part of `make bench`.

    python -m benchmarks.commands               10 k and 100 k documents, hot clusters; FULL=1 adds a million
    python -m benchmarks.commands --large       ten million documents within 6 GB: `make bench-large`
    python -m benchmarks.commands --only TEXT…  the commands whose names contain a text; no record is written

Every command is a process of its own, started by benchmarks/launch.py; its output goes to /dev/null. Commands of a
group take turns, round by round. All runs write to one record, commands-latest.json: a command that was not measured
this time keeps its entry, with the commit and the date of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.commands.meter import check, measure
from benchmarks.commands.works import Group, Sizes, groups, large_group
from benchmarks.files import CACHE
from benchmarks.measure import circumstances, headline, is_quick, print_table, record_path, write_record
from benchmarks.target_table import command_targets
from benchmarks.targets import HEADERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Record = dict[str, Any]


def only(every: Sequence[Group], wanted: Sequence[str]) -> list[Group]:
    """Return the groups with the commands whose names contain one of the texts; all if there are no texts."""
    if not wanted:
        return list(every)
    chosen = [
        replace(group, works=tuple(work for work in group.works if any(text in work.key for text in wanted)))
        for group in every
    ]
    return [group for group in chosen if group.works]


def measured(group: Group) -> dict[str, Record]:
    """Check the answers of a group, measure it, and print the table."""
    facts = check(group)
    found = {key: one | facts.get(key, {}) for key, one in measure(group).items()}
    print_table(f"{group.name}, {group.rounds} rounds", *table(found))
    return found


def table(found: Mapping[str, Record]) -> tuple[list[str], list[list[str]]]:
    """Return headers and rows."""
    rows = []
    for key, one in found.items():
        if one["why"]:
            rows.append([key, f"{one['documents']:,}", "—", one["why"][-60:], "—", "—"])
            continue
        least, most = one["spread"]
        cells = [
            f"{one['seconds']:.2f}",
            f"{least:.2f}–{most:.2f}",
            f"{one['peak'] / 1e6:,.0f}",
            f"{one['others']:.2f}",
        ]
        rows.append([key, f"{one['documents']:,}", *cells])
    return ["command", "documents", "median, s", "spread, s", "peak MB", "busy with other work, cores"], rows


def merged(record: Record, found: Mapping[str, Record]) -> Record:
    """Return the record with what was measured now, and what an earlier run measured and this one did not."""
    path = record_path("commands")
    earlier = json.loads(path.read_text(encoding="utf-8"))["works"] if path.exists() else {}
    own = {key: one | {"commit": record["commit"], "date": record["date"]} for key, one in found.items()}
    return record | {"command": "make bench", "works": earlier | own}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--large", action="store_true", help="ten million documents within 6 GB")
    parser.add_argument("--only", nargs="*", default=[], metavar="TEXT", help="commands whose names contain a text")
    given = parser.parse_args()
    record: Record = circumstances()
    print(headline(record))
    CACHE.mkdir(exist_ok=True)
    sizes, full = Sizes.wanted(), bool(os.environ.get("FULL"))
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        every = [large_group(sizes)] if given.large else groups(sizes, Path(folder), full=full)
        found = {key: one for group in only(every, given.only) for key, one in measured(group).items()}
    record = merged(record, found)
    if not is_quick():  # small collections say nothing of the targets
        print_table("targets", HEADERS, [target.cells() for target in command_targets(record)])
    if not given.only:
        print(f"\nkept in {write_record('commands', record)}")


if __name__ == "__main__":
    main()
