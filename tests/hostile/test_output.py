"""What lookalike writes is safe to open in a spreadsheet, to show on a terminal and to give to another program."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

import lookalike as la
from lookalike.cli import main
from lookalike.tables.spelling import visible
from lookalike.tables.write_table import safe_for_spreadsheets
from tests.cli.conftest import UNSET, words
from tests.hostile.documents import corpus, folder
from tests.hostile.terminal import on_a_terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal, umask or odd file names")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in UNSET:
        monkeypatch.delenv(name, raising=False)


def cells(path: str) -> list[list[str]]:
    """Read a CSV file as a spreadsheet does."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


# -- formulas in CSV ---------------------------------------------------------------------------------------------------

TRIGGERS: Final = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
BEFORE: Final = (
    *("", " ", "   ", "\n", "\v", "\f", "\x1c", "\x85", "\xa0", "\u1680", "\u2003", "\u202f", "\u205f", "\u3000"),
    *("\u200b", "\u200d", "\u2060", "\ufeff", "\u180e", "\xad", "\u202e", "\x00", "'", '"', '""', "“", "‘", "«"),
    *(' "', "\ufeff '", "\xa0\u200b\xa0"),
)
HARMLESS: Final = ("a=b", "1-2", "x@y", "", " ", "'", "notes", " a=1", "1+1", "'a", "雨=", "(=1)")


@pytest.mark.parametrize("trigger", TRIGGERS)
@pytest.mark.parametrize("before", BEFORE)
def test_what_may_be_a_formula_gets_an_apostrophe(before: str, trigger: str) -> None:
    text = f"{before}{trigger}1+cmd|' /C calc'!A0"
    assert safe_for_spreadsheets(text) == f"'{text}"


@pytest.mark.parametrize("text", HARMLESS)
def test_other_texts_get_none(text: str) -> None:
    assert safe_for_spreadsheets(text) == text


def test_long_blanks_before_a_formula_take_no_time() -> None:
    assert safe_for_spreadsheets(" " * 1_000_000 + "x")[0] == " "
    assert safe_for_spreadsheets("\xa0'" * 500_000 + "=x")[:2] == "'\xa0"


DANGEROUS: Final = [f"{before}{trigger}x" for before, trigger in zip(BEFORE * 5, TRIGGERS * len(BEFORE), strict=False)]


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize(
    ("command", "columns"),
    [("scan --format csv -o", 2), ("files --format csv -o", 1), ("dedupe --keep first --plan", 2)],
)
def test_every_csv_for_people_is_safe(command: str, columns: int, raw: bool) -> None:
    ids = [text for text in dict.fromkeys(DANGEROUS) if "\x00" not in text]
    corpus(*ids)
    assert main([*command.split(), "out.csv", "corpus.jsonl", *(["--raw-csv"] if raw else [])]) == 0
    _, *rows = cells("out.csv")
    seen = {cell for row in rows for cell in row[:columns]}
    assert seen == {text if raw else f"'{text}" for text in ids}
    assert not any(cell.startswith("'") for row in rows for cell in row[columns:])


def test_numbers_are_never_changed() -> None:
    corpus(-5, -17, 3)
    assert main(["scan", "corpus.jsonl", "--format", "csv", "-o", "out.csv"]) == 0
    assert {cell for row in cells("out.csv")[1:] for cell in row[:2]} == {"-5", "-17", "3"}


@posix_only
def test_a_list_of_paths_as_csv_is_safe() -> None:
    folder("=a.txt", "@b.txt")
    os.chdir("essays")
    for options, names in (([], ["'=a.txt", "'@b.txt"]), (["--raw-csv"], ["=a.txt", "@b.txt"])):
        written = ["-o", "../kept.csv", "--removed", "../removed.csv", "--force"]
        assert main(["dedupe", ".", "--keep", "first", *written, *options]) == 0
        assert cells("../kept.csv") + cells("../removed.csv") == [["path"], [names[0]], ["path"], [names[1]]]


def test_rows_of_dedupe_are_the_users_own_and_stay() -> None:
    ids = ["=a", " +b", "＝c"]
    corpus(*ids)
    assert main(["dedupe", "corpus.jsonl", "--drop-all", "--removed", "removed.csv"]) == 0
    assert [row[0] for row in cells("removed.csv")[1:]] == ids


def test_python_takes_the_same_switch() -> None:
    result = la.find({"=1": words(0, 50), "b": words(0, 50)})
    for raw, expected in ((False, "'=1"), (True, "=1")):
        stream = io.StringIO()
        result.write_pairs(stream, "csv", raw_csv=raw)
        assert list(csv.reader(io.StringIO(stream.getvalue())))[1][0] == expected
        stream = io.StringIO()
        result.plan("first").write(stream, "csv", raw_csv=raw)
        assert list(csv.reader(io.StringIO(stream.getvalue())))[1][0] == expected


@pytest.mark.parametrize(
    "args",
    [
        ["scan", "corpus.jsonl", "--raw-csv"],
        ["scan", "corpus.jsonl", "--raw-csv", "-o", "pairs.json"],
        ["files", "corpus.jsonl", "--raw-csv"],
        ["dedupe", "corpus.jsonl", "--raw-csv"],
        ["dedupe", "corpus.jsonl", "--raw-csv", "-o", "kept.jsonl"],
    ],
)
def test_the_switch_alone_is_refused(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    corpus("a", "b")
    assert main(args) == 2
    assert "--raw-csv" in capsys.readouterr().err


# -- on a terminal -----------------------------------------------------------------------------------------------------

HIDDEN: Final = (
    *(chr(code) for code in range(0x20)),
    *("\x7f", "\x80", "\x85", "\x9b", "\x9f", "\u061c", "\u200b", "\u200c", "\u200d", "\u200e", "\u200f"),
    *("\u2028", "\u2029", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A)), "\ufeff"),
    *("\ud800", "\udcff", "\U000e0000", "\U000e0041", "\U000e007f"),
)
ACTS: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
"""What must not reach a terminal; a line break and a tab may, where they are ours."""
EVIL: Final = "".join(f"n{char}" for char in HIDDEN if char not in "\ud800\udcff") + "\x1b]0;owned\x07 \x1b[8mz"
OURS: Final = re.compile(r"\x1b\[(?:[\d;]*m|\?25[lh]|2K|1A)|\r")
"""Colours, and how the bar of progress is drawn."""


@pytest.mark.parametrize("char", HIDDEN)
def test_every_such_character_is_shown_as_an_escape(char: str) -> None:
    shown = visible(f"a{char}b")
    assert re.fullmatch(r"a\\(?:[tnr]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})b", shown), shown


def test_joiners_stay_where_they_spell() -> None:
    text = "👩‍👧 ❤️‍🔥 می‌خواهم क्‍ष ന്‍ "
    assert visible(text) == text
    assert visible("ad\u200cmin \u200d \u200d") == r"ad\u200cmin \u200d \u200d"


COMMANDS: Final = (
    *(f"scan corpus.jsonl --format {kind}" for kind in ("table", "md", "csv", "json", "jsonl")),
    *(f"files corpus.jsonl --top 0 --format {kind}" for kind in ("table", "csv", "json", "jsonl")),
    *("scan corpus.jsonl --format csv --raw-csv", "scan corpus.jsonl --verbose", "dedupe corpus.jsonl"),
    *("scan corpus.jsonl -o /dev/stdout --format csv", "scan corpus.jsonl --id-column id --passages"),
    *("dedupe --result run.lookalike -o -", "dedupe --result run.lookalike -0 -o -"),
)


@posix_only
@pytest.mark.parametrize("color", ["always", "never"])
@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_acts_on_a_terminal(command: str, color: str) -> None:
    evil = EVIL if " -o -" not in command else EVIL.replace("\n", "").replace("\r", "").replace("\x00", "")
    corpus(evil, "b", f"c{evil}")
    text = Path("corpus.jsonl").read_text(encoding="utf-8")
    Path("corpus.jsonl").write_text(text.replace("word5 ", f"word5 {json.dumps(evil)[1:-1]} "), encoding="utf-8")
    assert main(["scan", "corpus.jsonl", "--save", "run.lookalike", "-o", "pairs.json", "--quiet"]) == 0
    colored = [] if command.endswith("-o -") or command.startswith("files") else ["--color", color]
    shown = on_a_terminal(*command.split(), *colored)
    assert not ACTS.search(OURS.sub("", shown)), shown
    assert "\x1b[8m" not in shown
    assert re.search(r"\\(?:x1b|u001b)", shown), shown
    assert not re.search(r"\nn\\(?:x0b|u000b)", shown), "a line break in a name begins no line"


@posix_only
def test_errors_and_notes_on_a_terminal() -> None:
    shown = on_a_terminal("scan", f"no{EVIL}".replace("\x00", ""), code=2)
    assert not ACTS.search(shown), shown
    assert shown.count("\n") == 1
    Path("a\x1b]0;x\x07.txt").write_bytes("Der Müller und die größere Brücke".encode("cp1252") * 9)
    Path("b.txt").write_text(words(0, 50), encoding="utf-8")
    shown = on_a_terminal("compare", "a\x1b]0;x\x07.txt", "b.txt", LOOKALIKE_DEBUG="1")
    assert not ACTS.search(OURS.sub("", shown)), shown
    assert r"note: a\x1b]0;x\x07.txt is read as" in shown


@posix_only
def test_a_traceback_on_a_terminal() -> None:
    shown = on_a_terminal("scan", "no\x1b]0;x\x07\x9b", code=2, LOOKALIKE_DEBUG="1")
    assert "Traceback" in shown
    assert not ACTS.search(shown), shown


@posix_only
def test_python_shows_csv_on_a_terminal_too() -> None:
    import pty
    import subprocess

    program = r"""
import sys, lookalike as la
result = la.find({"a\x1b[2J\u202e\nforged": "one two three", "b": "one two three"})
for kind in ("csv", "md", "json", "jsonl"):
    result.write_pairs(sys.stdout, kind)
"""
    master, slave = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", program], stdout=slave) as process:
        os.close(slave)
        shown = os.read(master, 1 << 16)
        assert process.wait(timeout=60) == 0
    os.close(master)
    text = shown.decode().replace("\r\n", "\n")
    assert not ACTS.search(text), text
    assert "\nforged" not in text


@pytest.mark.parametrize("kind", ["json", "jsonl"])
@pytest.mark.parametrize("command", ["scan", "files"])
def test_json_spells_them_everywhere_and_means_the_same(command: str, kind: str) -> None:
    corpus(EVIL, "b")
    assert main([command, "corpus.jsonl", "--format", kind, "-o", "out"]) == 0
    text = Path("out").read_text(encoding="utf-8")
    assert not ACTS.search(text)
    found = [json.loads(line) for line in text.split("\n") if line] if kind == "jsonl" else [json.loads(text)]
    assert EVIL in set(_texts_in(found))


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(one)


def test_csv_in_a_file_keeps_the_data() -> None:
    corpus(EVIL, "b")
    assert main(["scan", "corpus.jsonl", "-o", "pairs.csv"]) == 0
    assert EVIL.replace("\r", "").encode() in Path("pairs.csv").read_bytes().replace(b"\r", b"")


# -- lists of names ----------------------------------------------------------------------------------------------------


@posix_only
@pytest.mark.parametrize("line_end", ["\n", "\r"])
@pytest.mark.parametrize("output", ["kept.txt", "-"])
def test_a_name_with_a_line_end_is_refused(output: str, line_end: str, capfd: pytest.CaptureFixture[str]) -> None:
    folder("a.txt", f"z{line_end}etc{line_end}passwd")
    Path("essays/alone.txt").write_text(words(500, 600), encoding="utf-8")
    assert main(["dedupe", "essays", "--keep", "first", "-o", "other.txt", "--quiet"]) == 0, "only what is written"
    assert Path("other.txt").read_text(encoding="utf-8") == "essays/a.txt\nessays/alone.txt\n"
    assert main(["dedupe", "essays", "--keep", "longest", "-o", output, "--removed", "gone.txt", "--quiet"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    escape = {"\n": r"\n", "\r": r"\r"}[line_end]
    assert f"essays/z{escape}etc{escape}passwd" in err
    assert "--null" in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in Path().iterdir()) == ["essays", "other.txt"]


@posix_only
def test_null_ends_each_name() -> None:
    folder("a.txt", "z\nsplit.txt")
    for option in ("--null", "-0"):
        written = ["-o", "kept.txt", "--removed", "gone.txt", "--force"]
        assert main(["dedupe", "essays", "--keep", "first", option, *written]) == 0
        assert Path("kept.txt").read_bytes() == b"essays/a.txt\0"
        assert Path("gone.txt").read_bytes() == b"essays/z\nsplit.txt\0"


def test_null_cannot_end_an_id_that_holds_one(capsys: pytest.CaptureFixture[str]) -> None:
    corpus("a\x00b", "c")
    assert main(["scan", "corpus.jsonl", "--save", "run.lookalike", "-o", "pairs.json"]) == 0
    assert main(["dedupe", "--result", "run.lookalike", "--keep", "first", "--null", "-o", "kept.txt"]) == 2
    assert ".jsonl" in capsys.readouterr().err
    assert not Path("kept.txt").exists()


@pytest.mark.parametrize("outputs", [[], ["-o", "kept.jsonl"], ["--plan", "plan.csv"]])
def test_null_without_a_list_is_refused(outputs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    corpus("a", "b")
    assert main(["dedupe", "corpus.jsonl", "--null", *outputs]) == 2
    assert "--null" in capsys.readouterr().err
