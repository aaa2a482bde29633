"""Exports of learning platforms, as a teacher scans them: names, submissions, short texts, hints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from tests.documents.exports import BLACKBOARD, CANVAS, MOODLE, TYPED, essay, packed, receipt, unpacked

if TYPE_CHECKING:
    from tests.cli.conftest import Run

SKIPPED = ("Uma Noble: broken.docx (damaged)", "Amelia Abbott (too short)", "Ben Baker (too short)")
SCAN = ("-t", "0.3", "--metric", "containment")


def next_command(out: str) -> list[str]:
    """The arguments of the command that a scan proposes, which may take several lines."""
    return shlex.split(out[out.index("Next: ") + 6 :].replace("\\\n", " "))[1:]


def test_a_moodle_zip_reads_as_a_teacher_would_want(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    packed(MOODLE, Path("moodle.zip"))
    done = run("scan", "moodle.zip", *SCAN, "--min-length", "40", "--files")
    assert done.err.splitlines() == [
        "lookalike: note: recognised as an export of Moodle: 8 files by 6 students",
        "lookalike: note: the files of each student count as one submission (--group-by none: each file on its own)",
        f"lookalike: note: 3 skipped: {', '.join(SKIPPED)}",
    ]
    rows = re.findall(r"^ *(\d*) +[\d.]+% +[\d.]+% +[\d.]+% +(\d*)  (\S.*?)  +(\S.*)$", done.out, re.MULTILINE)
    assert rows == [
        ("1", "2", "Ben Baker (notes.txt)", "Zoë Čapek-Ríos (draft.txt)"),
        ("", "", "Ben Baker (notes.txt)", "Zoë Čapek-Ríos (essay.txt)"),
        ("2", "1", "Ann Lee [105] (essay.txt)", "Ann Lee [106] (essay.txt)"),
        ("3", "1", "Amelia Abbott (essay.txt)", "Ben Baker (drafts/final.txt)"),
    ]
    assert done.out.startswith("3 pairs of submissions in moodle.zip/\n")
    assert "8 documents (3 skipped: 2 too short, 1 damaged)" in done.out
    assert "1 pair between documents of one student omitted (--group-by lms)" in done.out
    alone = run("scan", "moodle.zip", *SCAN, "--group-by", "none", "--quiet")
    assert alone.out.startswith("5 pairs in moodle.zip/\n")


def test_skipped_texts_have_the_names_of_the_table(run: Run) -> None:
    declared = {"Essay_1_aabbott_attempt_2026-01-30-12-00-00.txt": receipt("Amelia Abbott", "aabbott", TYPED)}
    unpacked(BLACKBOARD | declared, Path("blackboard"))
    done = run("scan", "blackboard", *SCAN)
    assert "note: 1 skipped: Amelia Abbott (short online text)\n" in done.err
    assert "Amelia Abbott (essay.txt)" in done.out


def test_short_texts_are_told(run: Run) -> None:
    packed(MOODLE, Path("moodle.zip"))
    note = "note: 2 documents of fewer than 200 characters; --min-length 40 skips short ones\n"
    assert note not in run("scan", "moodle.zip", *SCAN).err
    files = {name: text for name, text in MOODLE.items() if "_file_" not in name or "Lee" in name}
    packed(files, Path("typed.zip"))
    assert note in run("scan", "typed.zip", *SCAN).err


def test_a_declaration_that_everybody_types_in_hides_no_copy(run: Run) -> None:
    files: dict[str, str] = {}
    for number in range(12):
        student = f"Student {chr(65 + number)}_{200 + number}_assignsubmission_"
        own = f"{essay(90, 40)} {essay(3, 120)}" if number == 7 else essay(number, 160)
        files |= {f"{student}file_/essay.txt": own, f"{student}onlinetext_/onlinetext.html": TYPED}
    packed(files, Path("moodle.zip"))
    done = run("scan", "moodle.zip", "--preset", "essays")
    assert done.out.startswith("1 pair in moodle.zip/\n")
    assert "Student D (essay.txt)  Student H (essay.txt)" in done.out
    assert "12 online texts of fewer than 40 words skipped" in done.err
    assert "12 skipped: Student A (short online text), " in done.err
    everything = run("scan", "moodle.zip", "--preset", "essays", "--min-length", "0", "--format", "json").json
    assert (everything["documents"], len(everything["submissions"])) == (24, 66)
    assert run("scan", "moodle.zip", "--preset", "essays", "--strict").code == 0


@pytest.mark.parametrize("least", [[], ["--min-length", "0"], ["--min-length", "40"]])
def test_a_saved_scan_of_an_export_is_deduplicated(run: Run, least: list[str]) -> None:
    alone, both = "Al Ash_1_assignsubmission_", "Bo Bay_2_assignsubmission_"
    files = {
        f"{alone}onlinetext_/onlinetext.html": "<p>This is all that I have to say about it.</p>",  # no essay: searched
        f"{both}file_/essay.txt": essay(1),
        f"{both}onlinetext_/onlinetext.html": TYPED,
        f"{both.replace('Bo Bay_2', 'Cy Cox_3')}file_/essay.txt": essay(1),
        "blank.txt": "",
    }
    unpacked(files, Path("export"))
    assert run("scan", "export", *least, "--save", "run.lookalike").code == 0
    for paths in ([], ["export"]):
        done = run("dedupe", *paths, "--result", "run.lookalike", "-o", "kept.txt", "--keep", "first", "--force")
        assert done.code == 0, done.err
        assert "kept.txt: 4 of 5 documents kept" in done.err
        kept = Path("kept.txt").read_text(encoding="utf-8").splitlines()
        assert len(kept) == 4
        assert not any("Cy Cox" in name for name in kept)
        assert all(Path(name).is_file() for name in kept if paths)
    assert run("dedupe", "export", "--result", "run.lookalike", "--keep", "newest", "-o", "new.txt").code == 0
    Path(f"export/{both}file_/essay.txt").unlink()
    done = run("dedupe", "export", "--result", "run.lookalike", "-o", "other.txt")
    assert (done.code, Path("other.txt").exists()) == (2, False)
    assert "export does not hold the documents that were searched" in done.err


@pytest.mark.parametrize("where", ["x.zip", "class", "class/x.zip"])
def test_the_next_command_works_inside_archives(run: Run, where: str) -> None:
    Path("class").mkdir()
    for folder in (".", "class"):
        packed(MOODLE, Path(folder, "x.zip"))
    out = run("scan", where, *SCAN, "--min-length", "40").out
    done = run(*next_command(out))
    assert done.code == 0, done.err
    assert "100.0%" in done.out


@pytest.mark.parametrize("files", [CANVAS, BLACKBOARD], ids=["Canvas", "Blackboard"])
def test_the_next_command_works_in_a_folder(run: Run, files: dict[str, str]) -> None:
    unpacked(files, Path("class"))
    done = run("scan", "class", *SCAN, "--top", "0")
    amelia = "abbottamelia" if files is CANVAS else "Amelia Abbott"
    assert f"{amelia} (essay.txt)" in done.out
    assert "First: the older of the two, by the date of the submission." in done.out or files is CANVAS
    assert run(*next_command(done.out)).code == 0


def test_programs_get_authors(run: Run) -> None:
    packed(MOODLE, Path("moodle.zip"))
    scan = ("scan", "moodle.zip", *SCAN, "--min-length", "40")
    made = run(*scan, "--format", "json").json
    assert [(one["a"], one["b"], one["pairs"]) for one in made["submissions"]] == [
        ("Ben Baker", "Zoë Čapek-Ríos", 2),
        ("Ann Lee [105]", "Ann Lee [106]", 1),
        ("Amelia Abbott", "Ben Baker", 1),
    ]
    assert {(one["author_a"], one["author_b"]) for one in made["pairs"]} == {
        (one["a"], one["b"]) for one in made["submissions"]
    }
    assert run(*scan, "--format", "csv").out.splitlines()[0].endswith(",author_a,author_b")
    assert "| 1 | 100.0% | 100.0% | 100.0% | 2 | Ben Baker (notes.txt)" in run(*scan, "--format", "md").out
    assert run(*scan, "-o", "pairs.parquet").code == 0
    import pyarrow.parquet as pq

    assert "author_b" in pq.read_table("pairs.parquet").column_names
    assert run(*scan, "--save", "run.lookalike").code == 0
    assert len(la.Result.load("run.lookalike").submission_pairs) == 3


def test_metadata_can_rename_students(run: Run) -> None:
    unpacked(CANVAS, Path("class"))
    Path("info.csv").write_text("id,author\nabbottamelia_5101_90001_essay.txt,Amelia Abbott\n", encoding="utf-8")
    out = run("scan", "class", *SCAN, "--meta", "info.csv").out
    assert "Amelia Abbott (essay.txt)" in out


def test_clutter_is_not_listed(run: Run) -> None:
    unpacked(MOODLE, Path("class"))
    out = run("files", "class").out
    assert "1 skipped: 1 damaged" in out
    assert "DS_Store" not in out
    assert "MACOSX" not in out
