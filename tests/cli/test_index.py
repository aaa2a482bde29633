"""`lookalike index` and its commands, and `scan --against` an index."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.cli.index import SUBCOMMANDS
from lookalike.documents.document_batches import Batch
from lookalike.index.index_documents import Portion, portions
from lookalike.tables.packed import Ids, Texts
from tests.cli.conftest import words
from tests.index.postgres import server

if TYPE_CHECKING:
    from tests.cli.conftest import Run, Start

SECRET = "geheim"


@pytest.fixture(params=["file", "postgres"])
def where(request: pytest.FixtureRequest) -> str:
    """Where a new index can be: each command does the same in both places."""
    return "class.db" if request.param == "file" else server().new_schema()


def files() -> set[str]:
    return {path.name for path in Path().iterdir()}


# -- help --------------------------------------------------------------------------------------------------------------


def test_without_a_command_it_is_the_help(run: Run) -> None:
    done = run("index")
    assert (done.code, done.err) == (0, "")
    assert done.out == run("index", "--help").out


@pytest.mark.parametrize("command", SUBCOMMANDS)
def test_help_of_each_command(run: Run, command: str, essays: Path) -> None:
    done = run("index", command, "--help")
    assert " ".join(done.out.split("\n\n")[1].split()) == SUBCOMMANDS[command]
    assert max(map(len, done.out.splitlines())) <= 80
    examples = re.findall(r"^    (?:.*\| )?lookalike (.+)$", done.out, re.MULTILINE)
    assert examples
    for example in examples:
        for old in (*Path().glob("class.db*"), *Path().glob("pages.db*"), *Path().glob("copy.db*")):
            old.unlink()
        for name in ("new/one.txt", "new.txt", "essays/one.txt", "essays/two.txt", "corpus.parquet"):
            Path(name).parent.mkdir(exist_ok=True)
            Path(name).write_text(words(300, 380), encoding="utf-8")
        if "parquet" in example:
            import pyarrow as pa
            from pyarrow import parquet

            parquet.write_table(pa.table({"text": [words(0, 9)]}), "corpus.parquet")
        if command != "build":
            assert run("index", "build", "class.db", "essays", "--exclude", "one.txt").code == 0
        done = run(*shlex.split(example), stdin=b"one.txt\n")
        assert done.code == 0, (example, done.err)


def test_the_shell_completes_the_commands(start: Start) -> None:
    done = start(_LOOKALIKE_COMPLETE="complete_bash", COMP_WORDS="lookalike index re", COMP_CWORD="2")
    assert set(done.out.split()) == {"remove", "repair"}
    done = start(_LOOKALIKE_COMPLETE="complete_bash", COMP_WORDS="lookalike index build --keep s", COMP_CWORD="4")
    assert set(done.out.split()) == {"shingles", "signature"}


# -- build -------------------------------------------------------------------------------------------------------------


def test_build_says_what_it_made(run: Run, where: str, essays: Path) -> None:
    Path("essays/empty.txt").touch()
    done = run("index", "build", where, "essays")
    assert (done.code, done.err) == (0, "")
    assert re.search(r": 4 documents \(1 skipped: 1 empty\) · \d[\d.]* k?B\n$", done.out), done.out
    with la.Index.open(where, create=False) as index:
        assert list(index) == ["ann/draft.txt", "ann/essay.txt", "bob/essay.txt", "cleo/essay.txt"]
        assert index.get("cleo/essay.txt") == words(500, 600)
    complaint = run("index", "build", where, "essays").complaint
    assert "exists already; give another name, or add to it: lookalike index add" in complaint


def test_documents_without_words_are_counted(run: Run, where: str, essays: Path) -> None:
    Path("essays/marks.txt").write_text("... !!!", encoding="utf-8")
    assert "note: 1 document without words: no check finds it\n" in run("index", "build", where, "essays").err
    assert run("index", "add", where, "essays", "--replace", "-q").err == ""
    assert "note: 1 document without words" in run("index", "add", where, "essays", "--replace").err
    assert run("index", "add", where, "essays", "--skip-existing").err == ""


def test_build_leaves_one_file(run: Run, essays: Path) -> None:
    assert run("index", "build", "class.db", "essays").code == 0
    assert files() == {"class.db", "essays"}


def test_settings_of_an_index(run: Run, where: str, essays: Path) -> None:
    options = ["-t", "50%", "--recall", "0.99", "--keep", "shingles", "--secret", "-k", "3", "--seed", "77"]
    assert run("index", "build", where, "essays", *options).code == 0
    info = run("index", "info", where, "--format", "json").json
    assert info["schema"] == "lookalike/1"
    assert (info["documents"], info["threshold"], info["keep"], info["secret"]) == (4, 0.5, "shingles", True)
    assert info["recall"] >= 0.99
    assert "k=3" in info["recipe"]
    assert "seed=0" in info["recipe"], "a secret seed is shown to nobody"
    told = run("index", "info", where)
    assert (told.code, told.err) == (0, "")
    assert re.search(r"^Documents  4$", told.out, re.MULTILINE)
    assert "its seed is secret" in " ".join(told.out.split())


def test_a_check_finds_what_a_scan_with_the_preset_lists(run: Run, where: str) -> None:
    Path("old.txt").write_text(words(0, 100), encoding="utf-8")
    Path("new.txt").write_text(words(0, 80) + " " + words(200, 220), encoding="utf-8")
    pairs = run("scan", "new.txt", "old.txt", "--preset", "edited", "--format", "json").json["pairs"]
    run("index", "build", where, "old.txt", "--preset", "edited")
    (document,) = run("check", "new.txt", "--index", where, "--format", "json").json["documents"]
    assert [hit["jaccard"] for hit in document["hits"]] == [pair["jaccard"] for pair in pairs]
    assert 0.5 <= pairs[0]["jaccard"] < 0.8


@pytest.mark.parametrize("fault", ["twice", "interrupt", "empty"])
def test_a_build_that_fails_leaves_nothing(
    run: Run, where: str, fault: str, monkeypatch: pytest.MonkeyPatch, essays: Path
) -> None:
    given = "essays"
    if fault == "twice":
        given = "rows.jsonl"
        rows = [{"id": "a", "text": words(0, 9)}, {"id": "a", "text": words(0, 8)}]
        Path(given).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    elif fault == "interrupt":

        def interrupted(self: la.Index) -> None:
            assert len(self) == 4
            raise KeyboardInterrupt

        monkeypatch.setattr(la.Index, "compact", interrupted)
    else:
        given = "blank"
        Path(given).mkdir()
        Path(given, "a.txt").touch()
    before = files()
    done = run("index", "build", where, given)
    assert done.code == (130 if fault == "interrupt" else 2), done.err
    assert done.out == ""
    assert files() == before
    monkeypatch.undo()
    with pytest.raises(la.StoreError, match="does not exist"):
        la.Index.open(where, create=False)
    if where.startswith("postgres"):
        import psycopg

        with psycopg.connect(where.partition("#")[0]) as connection:
            asked = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'lookalike_new%'"
            assert connection.execute(asked).fetchall() == []


def test_documents_are_committed_in_portions() -> None:
    batches = [Batch(Ids.of([name]), Texts.of([name])) for name in "abcde"]
    cut = portions(Portion("letters", iter(batches)), size=2)
    found = [[name for batch in portion.batches() for name in batch.ids] for portion in cut]
    assert found == [["a", "b"], ["c", "d"], ["e"]]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["-t", "80"], "--threshold must be a number above 0 and at most 1, not '80'; did you mean 80%?"),
        (["--keep", "texts"], "keep must be 'text', 'shingles' or 'signature', not 'texts'; did you mean 'text'?"),
        (["--threads", "x"], "--threads must be a whole number of at least 0, not 'x'"),
    ],
)
def test_bad_options_of_build(run: Run, essays: Path, options: list[str], problem: str) -> None:
    assert run("index", "build", "class.db", "essays", *options).complaint == problem
    assert files() == {"essays"}


def test_a_place_that_cannot_be_written(run: Run, essays: Path) -> None:
    complaint = run("index", "build", "nowhere/class.db", "essays").complaint
    assert complaint == "nowhere/class.db cannot be created (No such file or directory); check the folder"


def test_memory_is_no_place_for_a_command(run: Run, essays: Path) -> None:
    assert "give the name of a file" in run("index", "build", ":memory:", "essays").complaint
    assert "give the name of a file" in run("index", "info", ":memory:").complaint
    assert files() == {"essays"}


# -- add and remove ----------------------------------------------------------------------------------------------------


def test_add_and_remove(run: Run, where: str, essays: Path) -> None:
    run("index", "build", where, "essays", "--include", "ann/*")
    complaint = run("index", "add", where, "essays").complaint
    assert complaint.startswith("document 'ann/draft.txt': id is in ")
    assert complaint.endswith(" already; give --replace, or --skip-existing")
    with la.Index.open(where) as index:
        assert len(index) == 2, "all or nothing"
    done = run("index", "add", where, "essays", "--skip-existing")
    assert done.out.endswith(": 2 documents added, 2 already there · 4 in all\n")
    Path("one/bob").mkdir(parents=True)
    Path("one/bob/essay.txt").write_text(words(0, 50), encoding="utf-8")
    done = run("index", "add", where, "one", "--replace")
    assert done.out.endswith(": 1 document added, 1 of them replacing others · 4 in all\n"), done.out
    with la.Index.open(where) as index:
        assert index.get("bob/essay.txt") == words(0, 50)
    done = run(
        "index", "remove", where, "bob/essay.txt", "nobody.txt", "-", stdin=b"ann/draft.txt\r\n\nann/essay.txt\n"
    )
    assert done.out.endswith(": 3 documents removed · 1 left\n")
    assert re.fullmatch(r"lookalike: note: not in \S+: 'nobody.txt'\n", done.err)
    assert (
        "--replace cannot be used with --skip-existing"
        in run("index", "add", where, "essays", "--replace", "--skip-existing").complaint
    )


def test_nothing_to_add_is_an_error(run: Run, essays: Path) -> None:
    run("index", "build", "class.db", "essays")
    Path("blank").mkdir()
    assert run("index", "add", "class.db", "blank").complaint == "blank contains no readable document: it is empty"
    assert run("index", "add", "class.db", "essays", "--skip-existing").code == 0


def test_ids_that_end_with_nul(run: Run, where: str) -> None:
    Path("texts").mkdir()
    Path("texts", "two\nlines.txt").write_text(words(0, 20), encoding="utf-8")
    Path("texts", "other.txt").write_text(words(30, 50), encoding="utf-8")
    run("index", "build", where, "texts")
    done = run("index", "remove", where, "-", "--null", stdin=b"two\nlines.txt\0")
    assert done.out.endswith(": 1 document removed · 1 left\n")
    assert run("index", "remove", where, "other.txt", "--null").complaint.startswith(
        "--null cannot be used unless the ids come from"
    )


def test_whole_numbers_are_ids(run: Run, where: str) -> None:
    rows = [{"id": number, "text": words(number, number + 40)} for number in (7, 100, 200)]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    run("index", "build", where, "rows.jsonl")
    done = run("index", "remove", where, "7", "seven")
    assert done.out.endswith(": 1 document removed · 2 left\n")
    assert done.err.endswith(": 'seven'\n")
    with la.Index.open(where) as index:
        assert list(index) == [100, 200]


# -- verify, repair, compact, backup -----------------------------------------------------------------------------------


def test_damage_is_found_and_mended(run: Run, essays: Path) -> None:
    run("index", "build", "class.db", "essays")
    assert run("index", "verify", "class.db").out == "class.db: 4 documents, all is well\n"
    with closing(sqlite3.connect("class.db")) as connection:
        connection.execute("UPDATE document SET body = x'00' WHERE id = 'cleo/essay.txt'")
        connection.commit()
    done = run("index", "verify", "class.db")
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("class.db is damaged:\n  ")
    assert "cleo/essay.txt" in done.out
    assert done.out.endswith("Next: lookalike index repair class.db\n")
    found = run("index", "verify", "class.db", "--format", "json")
    assert (found.code, found.json["ok"], found.json["documents"]) == (1, False, 4)
    assert found.json["problems"]
    done = run("index", "repair", "class.db", "--format", "json")
    assert (done.code, done.json["lost"]) == (1, ["cleo/essay.txt"])
    assert run("index", "verify", "class.db").code == 0
    assert run("index", "repair", "class.db").out == "class.db: 3 documents whole, 0 lost\n"
    assert run("index", "add", "class.db", "essays", "--skip-existing").code == 0
    assert run("index", "verify", "class.db").out == "class.db: 4 documents, all is well\n"


def test_repair_names_what_is_lost(run: Run, essays: Path) -> None:
    run("index", "build", "class.db", "essays")
    with closing(sqlite3.connect("class.db")) as connection:
        connection.execute("UPDATE document SET body = x'00' WHERE id = 'cleo/essay.txt'")
        connection.commit()
    done = run("index", "repair", "class.db")
    assert done.code == 1
    assert done.out.startswith("class.db: 3 documents whole, 1 lost\n")
    assert "\n  lost: 'cleo/essay.txt'\nAdd lost documents again: lookalike index add\n" in done.out


def test_compact_and_backup(run: Run, where: str, essays: Path) -> None:
    run("index", "build", where, "essays")
    assert re.search(r": \d.* before, \d.* now\n$", run("index", "compact", where).out)
    assert run("index", "backup", where, "copy.db").out == "copy.db: 4 documents\n"
    assert run("index", "verify", "copy.db").code == 0
    assert run("index", "backup", where, "copy.db").complaint.startswith("copy.db exists already; give another name")
    for command in ("verify", "repair"):
        assert run("index", command, where, "--format", "json").json["problems"] == []


@pytest.mark.parametrize("command", ["add", "remove", "query", "info", "verify", "repair", "compact", "backup"])
def test_an_index_that_is_not_there(run: Run, command: str, where: str, essays: Path) -> None:
    more = {"add": ["essays"], "query": ["essays"], "remove": ["a"], "backup": ["copy.db"]}
    complaint = run("index", command, where, *more.get(command, [])).complaint
    assert complaint.endswith(" does not exist; check the name, or make it: lookalike index build")
    assert files() == {"essays"}


def test_a_file_that_is_no_index(run: Run) -> None:
    Path("notes.txt").write_text("a note", encoding="utf-8")
    assert run("index", "info", "notes.txt").complaint.startswith("notes.txt is not an index; ")


# -- scan --against ----------------------------------------------------------------------------------------------------


@pytest.fixture
def new() -> str:
    Path("new").mkdir()
    Path("new/mine.txt").write_text(words(0, 98), encoding="utf-8")
    return "new"


def test_scan_against_an_index(run: Run, where: str, essays: Path, new: str) -> None:
    run("index", "build", where, "essays")
    done = run("scan", new, "--against", where, "--format", "json")
    assert (done.code, done.err) == (0, "")
    same = run("scan", new, "--against", "essays", "--format", "json").json
    assert done.json["pairs"] == same["pairs"]
    assert len(same["pairs"]) == 3
    told = run("scan", new, "--against", where)
    assert re.search(r"Next: lookalike check new/mine.txt\s.*--index", told.out, re.DOTALL)


def test_the_recipe_of_the_scan_is_that_of_the_index(run: Run, essays: Path, new: str) -> None:
    run("index", "build", "class.db", "essays", "-k", "3", "--unit", "char", "--secret")
    complaint = run("scan", new, "--against", "class.db").complaint
    assert complaint.startswith("class.db and this scan (give it --unit char -k 3) differ: ")
    assert run("scan", new, "--against", "class.db", "--unit", "char", "-k", "3").code == 0
    complaint = run("scan", new, "--against", "class.db", "--against", "essays").complaint
    assert complaint.startswith("--against can be given only once if it is an index")


def test_an_index_without_texts_is_nothing_to_scan_against(run: Run, essays: Path, new: str) -> None:
    run("index", "build", "class.db", "essays", "--keep", "signature")
    complaint = run("scan", new, "--against", "class.db").complaint
    assert complaint == "class.db keeps no texts to compare with; use lookalike check, or build it with --keep text"


def test_a_report_does_not_read_an_index_again(run: Run, essays: Path, new: str) -> None:
    run("index", "build", "class.db", "essays")
    assert run("scan", new, "--against", "class.db", "--save", "run.lookalike", "--report", "now.html").code == 0
    complaint = run("report", "run.lookalike", "-o", "later.html", "--trust").complaint
    assert "was compared with the index class.db, which is not read again" in complaint


# -- passwords ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://me:{SECRET}@127.0.0.1:1/db",
        f"postgresql://me:{SECRET}@127.0.0.1:1/db#Bad-Name",
        f"postgresql://127.0.0.1:1/db?password={SECRET}&user=me",
        f"postgresql://me:{SECRET}%zz@127.0.0.1:1/db",
        f"postgresql://me:{SECRET}@[bad/db",
        f"postgresql://me:1#{SECRET}@host/db",
        f"postgresql://me:{SECRET}/1@host/db",
        f"postgresql://me:1?{SECRET}@host/db",
        f"postgresql://me:{SECRET}",
    ],
)
def test_a_password_is_never_shown(run: Run, address: str, essays: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = [
        ["index", "info", address],
        ["index", "build", address, "essays"],
        ["check", "essays", "--index", address],
        ["scan", "essays", "--against", address],
        ["scan", "essays", "--against", "essays", "--against", address],
        ["scan", address],
        ["files", address],
        ["dedupe", "essays", "--by", "line", "--against", address],
    ]
    for command in commands:
        assert SECRET not in run(*command).complaint, command
    monkeypatch.setenv("LOOKALIKE_DEBUG", "1")
    assert SECRET not in run("index", "info", address).err


def test_a_password_is_not_saved(run: Run, essays: Path, new: str) -> None:
    where = server().new_schema()
    run("index", "build", where, "essays")
    typed = where.replace("postgresql://tests@", f"postgresql://tests:{SECRET}@")  # the server trusts everybody
    done = run("scan", new, "--against", typed, "--save", "run.lookalike", "--report", "report.html")
    assert done.code == 0, done.err
    assert SECRET not in done.out + done.err
    assert SECRET not in json.dumps(la.Result.load("run.lookalike").origin)
    assert SECRET not in Path("report.html").read_text(encoding="utf-8")
    assert SECRET not in run("dedupe", new, "--against", typed).out
