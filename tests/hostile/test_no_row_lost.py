"""No row disappears: whatever the format and whatever is odd about a row, it is kept, removed or handed out as read.

Tables are made of rows of every odd kind in a random order, from fixed seeds. What `dedupe` has written is read by
other readers, and compared with what was put in: the rows in their order, the lines byte for byte, and the numbers of
the closing line.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.csv as pv
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest

from lookalike.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 600
"""Bytes of a document."""
LARGE = "long " * 200
COUNTS = re.compile(
    r"lookalike: (?P<name>\S+): (?P<kept>\d+) of (?P<read>\d+) documents? kept"
    r"(?: \(of these (?P<unjudged>\d+) not judged\))?, (?P<removed>\d+) removed(?:, (?P<unread>\d+) unread)?"
)


@dataclass
class Made:
    """What was put into a table."""

    rows: dict[int, Any] = field(default_factory=dict)
    """The texts of rows, or what they have in their place, by their ids."""
    unjudged: int = 0
    wordless: int = 0
    short: int = 0
    """Texts of one to four words."""
    lost: list[bytes] = field(default_factory=list)
    """Lines of which no row can be made."""

    @property
    def read(self) -> int:
        return len(self.rows) + len(self.lost)


def sentence(chance: random.Random, number: int) -> str:
    """Return a text that may have been there before."""
    copied = chance.choice([number, 1, 2])
    return " ".join(f"w{copied}x{place}" for place in range(12)) + "\nthe line that all of these texts have"


PLAIN: dict[str, Callable[[], Any]] = {
    "null": lambda: None,
    "empty": lambda: "",
    "wordless": lambda: "--- !!!",
    "nul": lambda: "nul \0 inside some words",
    "mark": lambda: "\ufeffmark before some words",
}
OTHERS: dict[str, Any] = {"number": 7, "fraction": 1.5, "list": ["a", 1], "object": {"a": []}, "true": True}


def make(seed: int, kinds: list[str], add: Callable[[int, str, random.Random, Made], None]) -> Made:
    """Add good rows, and rows of all these kinds, in a random order."""
    chance, made = random.Random(seed), Made()
    order = [*kinds, *kinds, *["good"] * 12]
    chance.shuffle(order)
    for number, kind in enumerate(["good", *order], 1):
        add(number, kind, chance, made)
    return made


def put(made: Made, number: int, kind: str, chance: random.Random) -> Any:
    """Count a row that every format can have; return its text."""
    text = sentence(chance, number) if kind == "good" else LARGE if kind == "large" else None
    text = PLAIN[kind]() if kind in PLAIN else OTHERS.get(kind, text)
    made.rows[number] = text
    made.unjudged += kind in ("null", "large", *OTHERS)
    made.wordless += kind in ("empty", "wordless")
    made.short += kind in ("nul", "mark")
    return text


def json_lines(path: Path, seed: int) -> Made:
    lines: list[bytes] = []

    def add(number: int, kind: str, chance: random.Random, made: Made) -> None:
        lost = {
            "damaged": b'{"id": %d, "text": "cut' % number,
            "bad utf-8": b'{"id": %d, "text": "caf\xe9"}' % number,
            "long line": json.dumps({"id": number, "text": LARGE}).encode(),
            "no object": b"[1, 2]",
            "nul bytes": b"\0\0\0",
        }.get(kind)
        if lost is not None:
            made.lost.append(lost)
            lines.append(lost)
        elif kind == "missing":
            made.rows[number] = None
            made.unjudged += 1
            lines.append(json.dumps({"id": number}).encode())
        else:
            lines.append(json.dumps({"id": number, "text": put(made, number, kind, chance)}).encode())

    odd = ["damaged", "bad utf-8", "long line", "no object", "nul bytes", "missing"]
    made = make(seed, [*PLAIN, *OTHERS, *odd], add)
    data = b"\n".join(lines) + (b"\n" if seed % 2 else b"")
    if path.suffix == ".zst":
        with pa.CompressedOutputStream(str(path), "zstd") as stream:
            stream.write(data)
    else:
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return made


def json_array(path: Path, seed: int) -> Made:
    elements: list[str] = []

    def add(number: int, kind: str, chance: random.Random, made: Made) -> None:
        lost = {"long line": json.dumps({"id": number, "text": LARGE}), "no object": "[1,  2]", "nothing": "null"}
        if kind in lost:
            made.lost.append(lost[kind].encode())
            elements.append(lost[kind])
        else:
            elements.append(json.dumps({"id": number, "text": put(made, number, kind, chance)}))

    made = make(seed, [*PLAIN, *OTHERS, "long line", "no object", "nothing"], add)
    path.write_text("[" + " ,\n ".join(elements) + "]\n", encoding="utf-8")
    return made


def separated(path: Path, seed: int, odd: tuple[str, ...] = ("ragged", "bad utf-8", "long line")) -> Made:
    comma = "\t" if path.suffix == ".tsv" else ","
    rows: list[bytes] = [f"id{comma}text{comma}other".encode()]

    def add(number: int, kind: str, chance: random.Random, made: Made) -> None:
        lost = {
            "ragged": f"{number}{comma}one".encode(),
            "bad utf-8": f"{number}{comma}caf".encode() + b"\xe9" + comma.encode(),
            "long line": f'{number}{comma}"{LARGE}\n{LARGE}"{comma}'.encode(),
            "wide": f'{number}{comma}short text{comma}"{LARGE}\n{LARGE}"'.encode(),
        }.get(kind)
        if lost is not None:
            made.lost.append(lost)
            rows.append(lost)
        else:
            text = put(made, number, kind, chance)
            cell = "" if text is None else '"' + text.replace('"', '""') + '"'
            rows.append(f"{number}{comma}{cell}{comma}".encode())

    made = make(seed, [*(kind for kind in PLAIN if kind != "nul"), "wide", *odd], add)
    made.rows[1000] = "ü é ö: more of UTF-8 than of other bytes"
    rows.append(f'1000{comma}"{made.rows[1000]}"{comma}'.encode())
    path.write_bytes(b"\n".join(rows) + b"\n")
    return made


def wide(path: Path, seed: int) -> Made:
    """Make rows that any reader of CSV takes, but that some are too long as a whole."""
    return separated(path, seed, ())


def columnar(path: Path, seed: int) -> Made:
    numbers: list[int] = []
    texts: list[str | None] = []

    def add(number: int, kind: str, chance: random.Random, made: Made) -> None:
        numbers.append(number)
        texts.append(put(made, number, kind, chance))

    made = make(seed, [*PLAIN, "large"], add)
    table = pa.table({"id": numbers, "text": texts})
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=7)
    else:
        pf.write_feather(table, str(path), chunksize=7)
    return made


INPUTS: dict[str, Callable[[Path, int], Made]] = {
    "in.jsonl": json_lines,
    "in.jsonl.gz": json_lines,
    "in.jsonl.zst": json_lines,
    "in.json": json_array,
    "in.csv": separated,
    "in.tsv": separated,
    "in.wide.csv": wide,
    "in.parquet": columnar,
    "in.arrow": columnar,
}
OUTPUTS = ["jsonl", "jsonl.zst", "csv", "parquet", "/"]
MODES = {"documents": [], "lines": ["--by", "line"], "passages": ["--passages", "6"], "drop": ["--by", "line"]}


def shown(text: Any) -> Any:
    """Return what a column of texts has in the place of a text."""
    return text if text is None or isinstance(text, str) else json.dumps(text)


def read(name: str) -> list[tuple[int, Any]]:
    """Read the rows of an output as other programs do."""
    path = Path(name)
    if path.is_dir():
        return [row for part in sorted(path.rglob("part-*")) for row in read(str(part))]
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        ids: list[Any] = table["id"].to_pylist()
        return [(int(one), text) for one, text in zip(ids, table["text"].to_pylist(), strict=True)]
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    if path.suffix == ".zst":
        data = pa.input_stream(str(path)).read()
    text = data.decode("utf-8")
    if ".jsonl" in path.name:
        rows = [json.loads(line) for line in text.split("\n")[:-1]]
        return [(int(row["id"]), row.get("text")) for row in rows]
    delimiter = "\t" if ".tsv" in path.name else ","
    options: dict[str, Any] = {"parse_options": pv.ParseOptions(delimiter=delimiter, newlines_in_values=True)}
    assert pv.read_csv(io.BytesIO(data), **options).num_rows == sum(1 for _ in csv.reader(io.StringIO(text))) - 1 or (
        delimiter == "\t"
    )
    cells = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    next(cells)
    return [(int(row[0]), row[1]) for row in cells]


def counts(name: str, told: str) -> dict[str, int]:
    """Return the numbers of the closing line of an output."""
    found = [one.groupdict() for one in COUNTS.finditer(told) if one["name"] == name]
    (numbers,) = ({key: int(value) for key, value in one.items() if key != "name" and value} for one in found)
    return numbers


def check(made: Made, outputs: dict[str, str], told: str, *, cut: bool, short: bool = False) -> None:
    """Compare what was written, and what was said of it, with what was put in."""
    kept = read(outputs["kept"])
    removed = read(outputs["removed"]) if "removed" in outputs else []
    named = [number for number, _ in kept]
    for rows in (kept, removed):
        assert [number for number, _ in rows] == sorted(number for number, _ in rows), "in their order"
    gone = made.rows.keys() - set(named) - {number for number, _ in removed}
    assert len(named) == len(set(named))
    for number, text in () if cut else (*kept, *removed):
        own = made.rows[number]
        assert text == own or (text or None) == (shown(own) or None), number
    numbers = counts(outputs["kept"], told)
    assert numbers["kept"] == len(kept)
    assert numbers["removed"] == (len(removed) if "removed" in outputs else len(gone))
    assert numbers.get("unread", 0) == len(made.lost)
    assert numbers["read"] == made.read == len(kept) + numbers["removed"] + len(made.lost)
    assert made.unjudged <= numbers.get("unjudged", 0) - short * made.short <= made.unjudged + made.wordless
    if "unread" in outputs:
        assert Path(outputs["unread"]).read_bytes() == b"".join(line + b"\n" for line in made.lost)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def dedupe(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    capfd.readouterr()
    code = main(["dedupe", *arguments, "--max-document", f"{LONGEST}B"])
    return code, capfd.readouterr().err


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("name", INPUTS)
def test_of_every_format(name: str, output: str, mode: str, capfd: pytest.CaptureFixture[str]) -> None:
    for seed in (1, 2):
        made = INPUTS[name](Path(name), seed)
        ending = f".{output}" if output != "/" else "/"
        outputs = {"kept": f"kept{seed}{ending}", "unread": f"unread{seed}"}
        more = MODES[mode]
        if not more:
            outputs["removed"] = f"removed{seed}{ending}"
        if mode == "drop":
            more = [*more, "--drop-empty"]
        written = [word for role, path in outputs.items() for word in ("-o" if role == "kept" else f"--{role}", path)]
        code, told = dedupe(capfd, name, *more, *written)
        assert code == 0, told
        check(made, outputs, told, cut=bool(more))


@pytest.mark.parametrize("name", INPUTS)
def test_of_shards_in_a_folder(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("in").mkdir()
    shards = [INPUTS[name](Path("in") / name.replace("in", part, 1), seed) for seed, part in ((3, "a"), (4, "b"))]
    Path("in", name.replace("in", "empty", 1)).touch()
    kept, ending = f"kept.{name.partition('.')[2]}", "jsonl"
    kept = kept if Path(kept).suffix not in (".json", ".arrow") else f"kept.{ending}"
    code, told = dedupe(capfd, "in", "--id-column", "", "-o", kept, "--unread", "unread", "--removed", "removed.jsonl")
    assert code == 0, told
    kept_rows, removed_rows = read(kept), read("removed.jsonl")
    assert len(kept_rows) + len(removed_rows) == sum(len(made.rows) for made in shards)
    lost = [line for made in shards for line in made.lost]
    assert Path("unread").read_bytes() == b"".join(line + b"\n" for line in lost)
    found = counts(kept, told)
    assert (found["kept"], found["read"]) == (len(kept_rows), sum(made.read for made in shards))
    code, told = dedupe(capfd, "in", "--id-column", "", "-o", "again.jsonl")
    assert code == (3 if lost else 0)
    assert told.count(" lines of in/") == 2 * bool(lost), "named with their folder"
    scan = ["scan", "in", "--id-column", "", "--save", "run", "--max-document", f"{LONGEST}B"]
    assert main([*scan, "--format", "json", "-o", "found.json"]) == 0
    capfd.readouterr()
    main(["dedupe", "--result", "run", "-o", "kept.txt"])
    assert counts("kept.txt", capfd.readouterr().err) == found


@pytest.mark.parametrize("old", [[], ["--against", "old.jsonl"]])
@pytest.mark.parametrize("short", [[], ["--min-length", "5"]])
@pytest.mark.parametrize("name", INPUTS)
def test_of_a_saved_result(name: str, short: list[str], old: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    made = INPUTS[name](Path(name), 7)
    json_lines(Path("old.jsonl"), 8)
    scan = ["scan", name, *short, *old, "--save", "run", "--format", "json", "--max-document", f"{LONGEST}B"]
    assert main([*scan, "-o", "found.json"]) == 0
    outputs, told = {"": ""}, ""
    for ending in ("jsonl", "parquet"):
        outputs = {role: f"{role}.{ending}" for role in ("kept", "removed", "unread")}
        written = ["-o", outputs["kept"], "--removed", outputs["removed"], "--unread", outputs["unread"]]
        code, told = dedupe(capfd, name, "--result", "run", *written)
        assert code == 0, told
        check(made, outputs, told, cut=False, short=bool(short))
    whole = counts(outputs["kept"], told)
    code, told = dedupe(capfd, name, "--result", "run", "--plan", "plan.csv", "--unread", "again")
    assert (code, Path("again").read_bytes()) == (0, Path(outputs["unread"]).read_bytes())
    capfd.readouterr()
    code = main(["dedupe", "--result", "run", "-o", "kept.txt"])
    told = capfd.readouterr().err
    assert (code, counts("kept.txt", told)) == (3 if made.lost else 0, whole)
    assert len(Path("kept.txt").read_text(encoding="utf-8").splitlines()) == whole["kept"]
    assert "lines of old.jsonl" not in told


@pytest.mark.parametrize("mode", ["documents", "lines"])
@pytest.mark.parametrize("quiet", [[], ["-q"]])
@pytest.mark.parametrize("name", INPUTS)
def test_a_loss_is_named_and_ends_with_3(
    name: str, quiet: list[str], mode: str, capfd: pytest.CaptureFixture[str]
) -> None:
    made = INPUTS[name](Path(name), 5)
    more = [*MODES[mode], *quiet]
    code, told = dedupe(capfd, name, *more, "-o", "kept.jsonl")
    assert code == (3 if made.lost else 0)
    assert (f"{len(made.lost)} lines of {name} are in no output" in told) == bool(made.lost)
    whole = read("kept.jsonl")
    code, told = dedupe(capfd, name, *more, "-o", "skipped.jsonl", "--skip-bad")
    assert (code, read("skipped.jsonl")) == (0, whole)
    assert ("in no output" in told) == bool(made.lost)
    assert "--unread" not in told
    code, told = dedupe(capfd, name, *more, "-o", "strict.jsonl", "--unread", "unread", "--strict")
    assert (code, read("strict.jsonl")) == (3 if made.lost or made.unjudged > 2 else 0, whole)
    assert "in no output" not in told
    code, told = dedupe(capfd, name, *more, "--plan", "plan.csv")
    assert code == 0, "nothing is lost where no rows are written"


# What is left of a text after cuts is in no list of paths.
@pytest.mark.parametrize(("kind", "mode"), [("txt", "documents"), ("jsonl", "documents"), ("jsonl", "lines")])
def test_of_files_and_tables_together(kind: str, mode: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("essays").mkdir()
    files = {
        "broken.pdf": b"%PDF-1.4 but no more",
        "noise.bin": bytes(range(256)),
        "large.txt": LARGE.encode(),
        "empty.txt": b"",
        "blank.txt": b" \n",
        "good.txt": b"some words of a good text",
        "same.txt": b"some words of a good text",
    }
    for name, data in files.items():
        (Path("essays") / name).write_bytes(data)
    Path("essays/.hidden.txt").write_bytes(b"not of the collection")
    Path("essays/link.txt").symlink_to("nothing")
    with zipfile.ZipFile("essays/more.zip", "w") as archive:
        for name, data in (("own.txt", b"words that no other text has"), ("bad.pdf", files["broken.pdf"])):
            archive.writestr(name, data)
            files[f"more.zip/{name}"] = data
    files["link.txt"] = b""
    made = json_lines(Path("in.jsonl"), 6)
    more = MODES[mode]
    kept = f"kept.{kind}"
    code, told = dedupe(capfd, "essays", "in.jsonl", *more, "-o", kept, "--unread", "unread")
    assert code == 0, told
    lines = Path(kept).read_text(encoding="utf-8").splitlines()
    named = lines if kind == "txt" else [json.loads(line)["path"] for line in lines]
    assert len(named) == len(set(named))
    assert not any("hidden" in name for name in named)
    for name in files.keys() - {"good.txt", "same.txt"}:
        assert f"essays/{name}" in named
    (found,) = (one for one in COUNTS.finditer(told) if one["name"] == kept)
    assert int(found["read"]) == made.read + len(files)
    assert int(found["kept"]) == len(named)
    assert int(found["kept"]) + int(found["removed"]) + int(found["unread"]) == int(found["read"])
    assert Path("unread").read_bytes() == b"".join(line + b"\n" for line in made.lost)
