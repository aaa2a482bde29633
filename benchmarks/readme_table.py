"""Generates the tables of README.md and docs from the newest records: `python -m benchmarks.readme_table`.

A page has regions between <!-- NAME: made by benchmarks.readme_table --> and <!-- end of NAME -->. Nobody edits them by
hand, and a test checks that pages and records agree. With --check nothing is written and the exit code is the answer.
"""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any, Final

from benchmarks import index as index_bench
from benchmarks import scale_table as scale
from benchmarks.accuracy import tables as accuracy
from benchmarks.accuracy.labelled import KIND
from benchmarks.accuracy.recipes import OWN as OWN_PRESETS
from benchmarks.measure import RECORDS, ROOT
from benchmarks.rivals.catalogue import OWN
from benchmarks.target_table import DATASKETCH, command_targets, rival_targets, stage_targets
from benchmarks.targets import HEADERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

__all__ = ["PAGES", "filled", "newest_rivals", "rivals", "speed_in_short"]

Record = dict[str, Any]
NOT_YET: Final = "Not measured yet: run `make bench`."


def newest_rivals() -> Record:
    """Return the newest full record of engines; where there is none, the latest quick one."""
    full = sorted(RECORDS.glob("rivals-*.json"))
    return _read(full[-1] if full else RECORDS / "latest.json")


def _read(path: Path) -> Record:
    found: Record = json.loads(path.read_text(encoding="utf-8"))
    return found


def _commands_record() -> Record:
    """Return the record of whole commands; empty where there is none."""
    path = RECORDS / "commands-latest.json"
    return _read(path) if path.exists() else {}


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    align = ["---", *("---:" for _ in headers[1:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (headers, align, *rows))


def _when(record: Record) -> str:
    machine = record["machine"]
    load = machine["load"][0]
    line = f"{record['date'][:10]}, {machine['cores']} cores of {machine['cpu']}"
    line += f", commit {record['commit']}" if record["commit"] else ""  # none if it is not in the history
    line += " (+: with uncommitted changes)" if record["commit"].endswith("+") else ""
    return line if load < 0.7 else f"{line}; the machine was also doing other work (load {load:.1f})"


# -- engines ----------------------------------------------------------------------------------------------------------


def rivals(record: Record) -> str:
    """Return the table of engines: the largest search at 0.8, and signatures."""
    chosen = _largest_search(record)
    speeds = {row["engine"]: row["mb_per_s"] for row in record["rows"] if row["task"] == "signatures, word k=5, 128"}
    headers = ["engine", "seconds", "vs lookalike", "peak MB", "recall", "precision", "signatures, MB/s"]
    lines = [_rival(row, speeds.get(row["engine"])) for row in chosen]
    quick = " A quick run on few documents: much of the time is program start." * record["quick"]
    before = (
        f"Near-duplicates at Jaccard 0.8 in a Parquet file of {_size(chosen)}: words, k = 5, two cores, whole "
        f"processes. Signatures: 128 hashes, one core. {_when(record)}.{quick}"
    )
    return "\n\n".join([_wrap(before), _table(headers, lines), *map(_wrap, _not_shown(record, chosen))])


def _largest_search(record: Record) -> list[Record]:
    """Return the rows of the largest search at 0.8, the fastest engine first."""
    searches = [row for row in record["rows"] if row["kind"] == "search" and row["task"].startswith("search 0.8")]
    chosen = [row for row in searches if row["task"] == searches[-1]["task"]]
    return sorted(chosen, key=lambda row: row["seconds"] or float("inf"))


def _size(chosen: Sequence[Record]) -> str:
    return f"{chosen[0]['documents']:,} pages of 2.4 kB"


def speed_in_short(record: Record) -> str:
    """Return lookalike beside the fastest other engine and datasketch, and where others are faster."""
    chosen = [row for row in _largest_search(record) if row["seconds"]]
    own = next(row for row in chosen if row["engine"] == OWN)
    others = [row for row in chosen if row["engine"] != OWN]
    first = (
        f"On {_size(chosen)} in a Parquet file, lookalike finds the near-duplicates at Jaccard 0.8 in "
        f"{own['seconds']:.2f} s (the best of {own['runs']} rounds) and {_memory_and_accuracy(own)}, on two cores."
    )
    fastest = [f"The fastest of the {len(others)} other configurations: {_beside(row)}." for row in others[:1]]
    known = [f"{_beside(row)}." for row in others[1:] if row["engine"] == DATASKETCH]
    said = [first, *fastest, *known]
    return _wrap(" ".join([*said, *_quicker(record), f"Measured {_when(record)}."]))


def _beside(row: Mapping[str, Any]) -> str:
    return f"{row['engine']} takes {row['seconds']:.2f} s and {_memory_and_accuracy(row)}"


def _memory_and_accuracy(row: Mapping[str, Any]) -> str:
    return f"{row['peak_rss_mb']:,.0f} MB, with recall {_part(row['recall'])} and precision {_part(row['precision'])}"


def _part(share: float) -> str:
    """Return a share with as many digits as it takes for less than all not to read 1.

    >>> _part(0.8853), _part(0.99969), _part(1.0)
    ('0.885', '0.9997', '1.000')
    """
    digits = next(digits for digits in range(3, 18) if share >= 1.0 or float(f"{share:.{digits}f}") < 1.0)
    return f"{share:.{digits}f}"


def _rival(row: Mapping[str, Any], speed: float | None) -> list[str]:
    name = f"**{row['engine']}**" if row["engine"] == OWN else row["engine"]
    mark = {"kept": " ¹", "marked": " ²"}.get(row["answer"] or "", "")
    mark += "" if row["full_set"] else " ³"
    said = f"{speed:,.1f}" if speed else "—"
    if row["seconds"] is None:
        return [name, *["—"] * 5, said]
    return [
        f"{name} {row['version']}{mark}",
        f"{row['seconds']:.2f}",
        f"{row['ratio']:.1f} ×",
        f"{row['peak_rss_mb']:,.0f}",
        _part(row["recall"]),
        _part(row["precision"]),
        said,
    ]


def _not_shown(record: Record, chosen: Sequence[Mapping[str, Any]]) -> list[str]:
    counted = (
        "Recall and precision are measured against exact Jaccard on the same shingles, for reported pairs; ¹ for "
        "removed documents, if an engine reports only what it keeps; ² for marked documents, if it marks every copy "
        "and its source. ³ It samples token positions instead of using the whole set. Every engine uses the bands that "
        "its own rule gives for 0.8, or those of the common rule; other bands trade recall for precision and time. "
        "lookalike searches with 256 hashes, the others with 128; its signatures here are those of the fast sketch."
    )
    notes = [counted, *_quicker(record)]
    failed = [f"{row['engine']} ({row['why']})" for row in chosen if row["seconds"] is None]
    missing = [f"{name} ({why})" for name, why in record["not_available"].items()]
    if failed or missing:
        notes.append(f"Not measured: {'; '.join([*failed, *missing])}.")
    notes.append(
        "Not covered: real text (these texts are generated, and normalised beforehand so that all engines see the same "
        "shingles); and collections larger than memory, clusters and GPUs, for which some of these engines are built. "
        "All tasks are in `benchmarks/records`; `make bench-rivals` repeats the measurement."
    )
    return notes


def _quicker(record: Record) -> list[str]:
    """Say where others are faster."""
    tasks: dict[str, list[str]] = {}
    for row in record["rows"]:
        if row["ratio"] and row["ratio"] < 1:
            tasks.setdefault(row["task"], []).append(f"{row['engine']} {row['seconds']:.2f} s")
    own = {row["task"]: row["seconds"] for row in record["rows"] if row["engine"] == OWN}
    said = [f"{task} ({', '.join(others)}; lookalike {own[task]:.2f} s)" for task, others in tasks.items()]
    return [f"Other engines were faster in {len(said)} of {len(own)} tasks: {'; '.join(said)}."] if said else []


def _wrap(text: str, width: int = 120) -> str:
    lines = [""]
    for word in re.findall(r"(?:`[^`]*`|[^\s`])+", text):  # code stays in one line
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)


# -- stages -----------------------------------------------------------------------------------------------------------


def stages() -> str:
    """Return the speed of each stage, by case."""
    record = _read(RECORDS / "stages-latest.json")
    cases = record["cases"]
    names = list(next(iter(cases.values()))["stages"])
    rows = [[name, *(f"{case['stages'][name]['mb_per_s']:,.0f}" for case in cases.values())] for name in names]
    return (
        f"{_wrap(_when(record) + '. Megabytes of text per second, one thread.')}\n\n{_table(['stage', *cases], rows)}"
    )


def commands() -> str:
    """Return the time of whole commands, and how some of it divides into stages."""
    record = _commands_record()
    if not record:
        return NOT_YET
    headers = ["command", "documents", "median, s", "min–max", "rounds", "peak MB", "other work, cores"]
    rows = [_command(one) for one in record["works"].values()]
    before = f"{_when(record)}. Other work: how many cores other programs used meanwhile, on average."
    stages_of = [f"`{one['command']}`: {_by_stage(one['stages'])}." for one in _with_stages(record)]
    told = [f"Seconds by stage, from one more run: {' '.join(stages_of)}"] if stages_of else []
    return "\n\n".join([_wrap(before), _table(headers, rows), *map(_wrap, told)])


def _command(one: Mapping[str, Any]) -> list[str]:
    name, documents = f"`{one['command']}`", f"{one['documents']:,}"
    if one["why"]:
        return [name, documents, "—", one["why"].replace("|", "/").replace("\n", " "), "—", "—", "—"]
    least, most = one["spread"]
    times = [f"{one['seconds']:.2f}", f"{least:.2f}–{most:.2f}", str(len(one["times"]))]
    return [name, documents, *times, f"{one['peak'] / 1e6:,.0f}", f"{one['others']:.2f}"]


def _with_stages(record: Record) -> list[Record]:
    return [one for one in record["works"].values() if one.get("stages")]


def _by_stage(found: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {seconds:.2f}" for name, seconds in found.items())


def index() -> str:
    """Return the speed of an index in each store, and which targets are met."""
    path = RECORDS / "index-latest.json"
    if not path.exists():
        return NOT_YET
    record = _read(path)
    rows = [index_bench.cells(row) for row in record["rows"]]
    largest = max(row["documents"] for row in record["rows"])
    said = [index_bench.verdict(row) for row in record["rows"] if row["documents"] == largest]
    parts = [_wrap(f"{_when(record)}."), _table(index_bench.HEADERS, rows), _wrap(" ".join(filter(None, said)))]
    own = (record["machine"]["cpu"], record["commit"])
    for cpu, commit in sorted({(row["cpu"], row["commit"]) for row in record["rows"]} - {own}):
        stores = dict.fromkeys(row["store"] for row in record["rows"] if (row["cpu"], row["commit"]) == (cpu, commit))
        parts[0] += "\n" + _wrap(f"The rows for {' and '.join(stores)} were measured at commit {commit}, on {cpu}.")
    return "\n\n".join(filter(None, parts))


def limits() -> str:
    """Return lookalike's time as a multiple of the least that the machine needs."""
    record = newest_rivals()
    found = record["limits"]
    own = found["lookalike_seconds"]
    rows = [
        [name, f"{seconds * 1e3:,.1f}", f"{found['megabytes'] / seconds:,.0f}", f"{own / seconds:,.1f} ×"]
        for name, seconds in found["seconds"].items()
    ]
    what = f"{found['task']}, {found['megabytes']:.1f} MB of text"
    best = "the best round, including the start of Python"
    before = f"{what}: {own:.2f} s, {best}. {_when(record)}. {found.get('note', '')}"
    return f"{_wrap(before)}\n\n{_table(['limit', 'ms', 'MB/s', 'lookalike takes'], rows)}"


def targets() -> str:
    """Return the targets of whole commands and which are met."""
    record, engines = _commands_record(), newest_rivals()
    found = [*command_targets(record), *rival_targets(engines)]
    commands_said = f"Commands: {_when(record)}." if record else NOT_YET
    before = f"{commands_said} Other engines: {_when(engines)}."
    return f"{_wrap(before)}\n\n{_table(HEADERS, [target.cells() for target in found])}"


def targets_of_stages() -> str:
    """Return the targets of single stages and which are met."""
    record = _read(RECORDS / "stages-latest.json")
    rows = [target.cells() for target in stage_targets(record)]
    return f"{_wrap(_when(record) + '.')}\n\n{_table(HEADERS, rows)}"


# -- accuracy ---------------------------------------------------------------------------------------------------------


def _accuracy_record() -> Record:
    return _read(RECORDS / "accuracy-latest.json")


def accuracy_summary() -> str:
    """Return a row for each labelled collection, and sentences about recall and estimates."""
    record = _accuracy_record()
    table, sentences = accuracy.summary(record)
    return "\n\n".join([_table(*table), *map(_wrap, [" ".join(sentences), f"{_when(record)}."])])


def accuracy_in_short() -> str:
    """Return the AUC of each labelled collection, and sentences about recall and estimates."""
    record = _accuracy_record()
    (headers, rows), sentences = accuracy.summary(record)
    at = headers.index("AUC")
    scores = ", ".join(f"{row[0]} {row[at]}" for row in rows)
    before = (
        f"On {len(rows)} labelled collections, each with the preset for its kind of text, AUC (the "
        f"probability that a related pair scores higher than an unrelated one) is: {scores}."
    )
    return "\n\n".join(map(_wrap, [before, " ".join([*sentences, f"Measured {_when(record)}."])]))


def accuracy_grid() -> str:
    """Return a table for each family of recipes."""
    found = [f"Recipe `{family}` by k:\n\n{_table(*table)}" for family, table in accuracy.grid(_accuracy_record())]
    return "\n\n".join(found)


def accuracy_verdicts() -> str:
    """Return how the preset for each kind compares with the others."""
    record = _accuracy_record()
    words = [_wrap(accuracy.tie_rule()), _wrap(accuracy.better_others(record))]
    return "\n\n".join([words[0], _table(*accuracy.verdicts(record)), words[1]])


def _java(key: str) -> str:
    words = (f"code as words, k = {k}" for k in ("5", "12", "24 characters without white space"))
    others = ("nemo", "tokens, k = 4", "tokens, k = 12", *words)
    shown = (*OWN_PRESETS, *others)
    return _table(*accuracy.parts(_accuracy_record(), "java_homework", key, shown))


def _accuracy_regions() -> dict[str, Callable[[], str]]:
    regions: dict[str, Callable[[], str]] = {
        "accuracy": accuracy_summary,
        "estimates": lambda: _table(*accuracy.estimates(_accuracy_record())),
        "recall": lambda: _table(*accuracy.recall(_accuracy_record())),
        "verdicts": accuracy_verdicts,
        "grid": accuracy_grid,
        "java-by-label": lambda: _java("auc_by_label"),
        "java-by-assignment": lambda: _java("auc_by_source"),
    }
    for name in KIND:
        regions[name] = lambda name=name: _table(*accuracy.collection(_accuracy_record(), name))  # type: ignore[misc]
    return regions


# -- pages ------------------------------------------------------------------------------------------------------------


def spark_growth() -> str:
    """Return the time and the shuffles of searches on Spark."""
    record = _spark_record()
    parts = [_wrap(f"{_when(record)}."), _table(scale.GROWTH_HEADERS, scale.growth_rows(record))]
    return "\n\n".join([*parts, _wrap(scale.growth_in_words(record))])


def spark_rivals() -> str:
    """Return Spark's own MinHashLSH beside ours."""
    return _table(scale.RIVAL_HEADERS, scale.rival_rows(_spark_record()))


def spark_costs() -> str:
    """Return what each stage on Spark takes, and would take for more documents."""
    record = _spark_record()
    rows = scale.cost_rows(record)
    if not rows:
        return NOT_YET
    note = [_wrap(record["large_note"])] if "large_note" in record else []
    return "\n\n".join([_table(scale.COST_HEADERS, rows), *note])


def _spark_record() -> Record:
    return _read(RECORDS / "spark-latest.json")


PAGES: Final[dict[Path, dict[str, Callable[[], str]]]] = {
    ROOT / "README.md": {
        "speed": lambda: speed_in_short(newest_rivals()),
        "accuracy-in-short": accuracy_in_short,
    },
    ROOT / "docs" / "performance.md": {
        "targets": targets,
        "targets-of-stages": targets_of_stages,
        "commands": commands,
        "stages": stages,
        "limits": limits,
        "index": index,
        "rivals": lambda: rivals(newest_rivals()),
    },
    ROOT / "docs" / "accuracy.md": _accuracy_regions(),
    ROOT / "docs" / "scale.md": {"growth": spark_growth, "spark-rivals": spark_rivals, "costs": spark_costs},
}


def filled(page: str, regions: Mapping[str, Callable[[], str]]) -> str:
    """Return the text of a page with its regions generated again."""
    for name, make in regions.items():
        begin, end = f"<!-- {name}: made by benchmarks.readme_table -->", f"<!-- end of {name} -->"
        whole = re.compile(f"{re.escape(begin)}\n.*?{re.escape(end)}", re.DOTALL)
        if len(whole.findall(page)) != 1:
            raise ValueError(f"the page needs one region {name!r}: {begin} … {end}")
        made = f"{begin}\n\n{make()}\n\n{end}"
        page = whole.sub(lambda _, made=made: made, page)  # type: ignore[misc]
    return page


def main() -> None:
    stale = []
    for path, regions in PAGES.items():
        old = path.read_text(encoding="utf-8")
        new = filled(old, regions)
        if new != old:
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.write_text(new, encoding="utf-8")
    print(f"{'differ from the records' if '--check' in sys.argv else 'written'}: {', '.join(stale) or 'none'}")
    sys.exit(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    main()
