"""`lookalike scan` for a person: what it says, and what its options do."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.cli.commands import with_default
from tests.cli.conftest import COLLECTION, ROWS, words

if TYPE_CHECKING:
    from tests.cli.conftest import Run, Start

SAMPLE = """\
2 pairs
#  Jaccard  A in B  B in A  A                          B
──────────────────────────────────────────────────────────────────────────
1   100.0%  100.0%  100.0%  branch-news-saturday.txt   library-reopens.txt
2    92.8%   96.3%   96.3%  old-bridge-rearranged.txt  old-bridge.txt

2 clusters
#  Size  Representative             Other members
───────────────────────────────────────────────────────
1     2  branch-news-saturday.txt   library-reopens.txt
2     2  old-bridge-rearranged.txt  old-bridge.txt

17 documents (1 skipped: 1 empty) · 2 pairs ≥ 0.80 in 2 clusters · scores exact
· recall 1 of pairs at or above the threshold · TIME
4 more pairs share passages below this threshold; --preset essays finds such
pairs.
Next: lookalike compare sample/branch-news-saturday.txt \\
    sample/library-reopens.txt
"""


def write(folder: str, **texts: str) -> str:
    Path(folder).mkdir(exist_ok=True)
    for name, text in texts.items():
        Path(folder, f"{name}.txt").write_text(text, encoding="utf-8")
    return folder


def pairs(text: str) -> list[tuple[str, str]]:
    """The names in the list of pairs of a table."""
    found = re.findall(r"^ *\d+ +[\d.]+% +[\d.]+% +[\d.]+%  (\S.*?)  +(\S.*)$", text, re.MULTILINE)
    return [(a, b) for a, b in found]


# -- the sample collection ---------------------------------------------------------------------------------------------


def test_the_sample_collection_reads_as_a_person_would_want(start: Start) -> None:
    Path("sample").symlink_to(COLLECTION)
    done = start("scan", "sample")
    assert (done.code, done.err) == (0, "lookalike: note: 1 skipped: blank-page.txt (empty)\n")
    assert re.sub(r"[\d.]+ s$", "TIME", done.out, flags=re.MULTILINE) == SAMPLE


def test_a_path_alone_is_a_scan(run: Run) -> None:
    Path("sample").symlink_to(COLLECTION)
    as_command, alone = run("scan", "sample", "-t", "0.5"), run("sample", "-t", "0.5")
    assert alone.code == 0
    assert pairs(alone.out) == pairs(as_command.out)
    assert len(pairs(alone.out)) == 4


@pytest.mark.parametrize(
    ("args", "scanned"),
    [
        (["here"], True),
        (["./nowhere"], True),
        (["nowhere.txt"], True),
        (["a/b"], True),
        (["-"], True),
        (["nowhere"], False),
        (["scan", "here"], False),
        (["files"], False),
        (["--help"], False),
        (["-t", "here"], False),
        ([], False),
    ],
)
def test_what_counts_as_a_path(args: list[str], scanned: bool) -> None:
    Path("here").mkdir()
    assert with_default(args) == (["scan", *args] if scanned else args)


def test_a_file_that_does_not_exist_is_said_so(run: Run) -> None:
    Path("corpus.jsonl").touch()
    assert run("corpus.jsnl").complaint == "corpus.jsnl does not exist: did you mean 'corpus.jsonl'?"


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_fits_the_width(run: Run, essays: Path, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = run("scan", str(essays)).out.splitlines()
    assert max(map(len, lines)) <= columns
    assert all(line == line.rstrip() for line in lines)


def test_long_names_stand_one_above_the_other_and_are_cut_in_the_middle(run: Run) -> None:
    long = {f"{letter * 30}{'-part' * 10}-end": words(0, 50) for letter in "xy"}
    out = run("scan", write("long", **long)).out
    assert "A, and below it B" in out
    for letter in "xy":
        assert re.search(rf"{letter}{{10,}}…[-part]+-end\.txt$", out, re.MULTILINE)
    # The command has the real names, also where they are too long for a line.
    command = re.sub(r" \\\n +", " ", out[out.index("Next: ") :])
    assert command == f"Next: lookalike compare long/{min(long)}.txt long/{max(long)}.txt\n"


def test_a_folder_that_all_names_share_is_said_once(run: Run) -> None:
    write("one", x=words(0, 50), y=words(0, 50))
    Path("one/deep").mkdir()
    Path("one/deep/er").mkdir()
    for name in "pq":
        Path("one/deep/er", f"{name}.txt").write_text(words(100, 150), encoding="utf-8")
    out = run("scan", "one/deep", "--hidden").out
    assert out.startswith("1 pair in er/\n")
    assert pairs(out) == [("p.txt", "q.txt")]
    assert "Next: lookalike compare one/deep/er/p.txt one/deep/er/q.txt\n" in out


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_hostile_names_are_shown_as_escapes(run: Run) -> None:
    write("names", **{"a\x1b[31m": words(0, 50), "b\nc": words(0, 50)})
    out = run("scan", "names").out
    assert r"a\x1b[31m.txt" in out
    assert r"b\nc.txt" in out
    assert "\x1b" not in out
    assert "Next" not in out, "a command with such names could not be copied"


# -- what is said when there is little ---------------------------------------------------------------------------------


def test_nothing_found_reads_well(run: Run) -> None:
    out = run("scan", write("some", a=words(0, 50), b=words(100, 150), c=words(200, 250))).out
    lines = out.splitlines()
    assert lines[0] == "No two documents are at least 80.0% similar."
    assert lines[2].startswith("3 documents · 0 pairs ≥ 0.80 in 0 clusters · scores exact")
    assert lines[4] == "--preset essays finds partial copying too: a few sentences, or words replaced."
    assert lines[5] == "Next: lookalike scan some --preset essays"
    assert "Next" not in run("scan", "some", "--preset", "essays").out
    Path("rows.jsonl").write_text("".join(f'{{"text": "{words(n, n + 50)}"}}\n' for n in (0, 100)), encoding="utf-8")
    in_rows = run("scan", "rows.jsonl").out
    assert "Next: lookalike scan rows.jsonl -t 0.5" in in_rows
    assert "essays" not in in_rows
    nothing = run("scan", "rows.jsonl", "-t", "0.4").out
    assert "Next: lookalike scan rows.jsonl --threshold 0.4 --metric containment" in nothing
    assert "Next" not in run("scan", "rows.jsonl", "-t", "0.4", "--metric", "containment").out


def test_one_document_has_nothing_to_be_like(run: Run) -> None:
    done = run("scan", write("one", a=words(0, 50)))
    assert done.code == 0
    assert done.out.startswith("There is only one document, so there is nothing to compare it with.\n")
    assert "Next" not in done.out


def test_no_document_is_an_error(run: Run) -> None:
    Path("empty").mkdir()
    assert run("scan", "empty").complaint == "empty contains no readable document: it is empty"
    Path("empty/blank.txt").touch()
    message = "empty contains no readable document: blank.txt: the file has no bytes"
    assert run("scan", "empty").complaint == message


# -- options -----------------------------------------------------------------------------------------------------------


def test_threshold(run: Run, tables: None) -> None:
    def found(*options: str) -> int:
        return len(pairs(run("scan", "corpus.parquet", *options).out))

    assert found("-t", "0.5") == found("--threshold", "50%") == 4
    assert found("-t", "0.99") == found("-t", "100%") == 1


def test_top(run: Run) -> None:
    folder = write("many", **{f"n{number:02}": words(0, 50 + number) for number in range(14)})
    out = run("scan", folder, "-t", "0.5").out
    assert out.startswith("The 10 closest of 91 pairs\n")
    assert len(pairs(out)) == 10
    assert "… and 8 more" in out, "a group shows five members besides its principal"
    assert re.search(r"^1    14  n00\.txt         n01\.txt · n02\.txt · ", out, re.MULTILINE)
    out = run("scan", folder, "-t", "0.5", "--top", "3").out
    assert out.startswith("The 3 closest of 91 pairs\n")
    assert len(pairs(out)) == 3
    assert len(pairs(run("scan", folder, "-t", "0.5", "--top", "0").out)) == 91


def test_the_closest_come_first(run: Run) -> None:
    folder = write("some", a=words(0, 100), b=words(0, 95), c=words(0, 99), d=words(0, 80))
    shares = [
        float(share) for share in re.findall(r"^ *\d+ +([\d.]+)%", run("scan", folder, "-t", "0.5").out, re.MULTILINE)
    ]
    assert len(shares) == 6
    assert shares == sorted(shares, reverse=True)


def test_against_old_documents(run: Run) -> None:
    write("old", x=words(0, 50), x2=words(0, 50), y=words(100, 150))
    write("new", a=words(0, 50), b=words(200, 250))
    done = run("scan", "new", "--against", "old")
    assert pairs(done.out) == [("a.txt", "x.txt (old)"), ("a.txt", "x2.txt (old)")], "old ones not with each other"
    assert "2 documents against 3 old · 2 pairs ≥ 0.80" in done.out
    assert "Next: lookalike compare new/a.txt old/x.txt\n" in done.out


def test_old_and_new_documents_of_one_name(run: Run) -> None:
    write("old", a=words(0, 50))
    write("new", a=words(0, 50))
    out = run("scan", "new", "--against", "old").out
    assert pairs(out) == [("a.txt", "a.txt (old)")]
    assert "Next: lookalike compare new/a.txt old/a.txt\n" in out


def test_ignore_takes_a_template_out(run: Run) -> None:
    template = words(1000, 1100)
    folder = write("sheets", a=f"{template} {words(0, 30)}", b=f"{template} {words(50, 80)}", c=words(0, 9))
    Path("sheet.txt").write_text(template, encoding="utf-8")
    assert pairs(run("scan", folder, "-t", "0.5").out) == [("a.txt", "b.txt")]
    assert pairs(run("scan", folder, "-t", "0.5", "--ignore", "sheet.txt").out) == []
    write("sheets", d=f"{template} {words(0, 30)}")
    assert "100.0%" in run("scan", folder, "--ignore", "sheet.txt").out, "identical ones still read 100 %"


def test_common_leaves_frequent_shingles_out_and_says_so(run: Run) -> None:
    folder = write("forms", **{f"f{n}": f"{words(1000, 1100)} {words(n * 50, n * 50 + 30)}" for n in range(8)})
    assert pairs(run("scan", folder, "-t", "0.5").out)
    done = run("scan", folder, "-t", "0.5", "--common", "0.3")
    assert pairs(done.out) == []
    assert re.search(r"^lookalike: note: excluded \d+ shingles found in at least 5 ", done.err, re.MULTILINE)
    assert run("scan", folder, "-t", "0.5", "--common", "0.3", "--quiet").err == ""


@pytest.mark.parametrize("rule", ["dir", r"^(\w+)/"])
def test_group_by_author(run: Run, essays: Path, rule: str) -> None:
    assert len(pairs(run("scan", str(essays)).out)) == 3
    done = run("scan", str(essays), "--group-by", rule)
    assert re.findall(r"^1 .*%  +2  (\S+) +(\S+)$", done.out, re.MULTILINE) == [("ann/essay.txt", "bob/essay.txt")]
    every = run("scan", str(essays), "--group-by", rule, "--files").out
    assert re.findall(r"^ +[\d.% ]+  (ann/\S+) +(bob/\S+)$", every, re.MULTILINE) == [
        ("ann/draft.txt", "bob/essay.txt")
    ]
    assert "1 pair of submissions in essays" not in done.out
    assert done.out.startswith("1 pair of submissions\n")
    assert f"1 pair between documents of one author omitted (--group-by {rule})\n" in done.out
    assert re.search(r"^1     2  ann, bob  ann/draft.txt · bob/essay.txt$", done.out, re.MULTILINE)
    note = f"lookalike: note: 1 pair between documents of one author omitted (--group-by {rule})\n"
    as_json = run("scan", str(essays), "--group-by", rule, "--format", "json")
    assert as_json.err == note
    assert len(as_json.json["pairs"]) == 2


def test_group_by_a_pattern_that_some_names_do_not_have(run: Run, essays: Path) -> None:
    """A document without an author is on its own."""
    assert len(pairs(run("scan", str(essays), "--group-by", "^(bob)/").out)) == 3


def test_metric_containment_finds_a_short_document_in_a_long_one(run: Run) -> None:
    folder = write("books", page=words(5000, 5040), book=words(0, 10_000))
    assert pairs(run("scan", folder, "-t", "0.5").out) == []
    out = run("scan", folder, "--metric", "containment").out
    assert pairs(out) == [("book.txt", "page.txt")]
    assert re.search(r"1 +0\.4% +0\.4%  100\.0%", out)


def test_metric_bag_counts_repeats(run: Run) -> None:
    once = words(0, 30)
    folder = write("bags", a=once, b=f"{once} {once} {once}")
    assert len(pairs(run("scan", folder, "-t", "0.8", "-k", "1").out)) == 1
    assert pairs(run("scan", folder, "-t", "0.8", "-k", "1", "--metric", "bag").out) == []


@pytest.mark.parametrize("method", ["auto", "lsh", "exact", "signatures", "brute"])
def test_every_method_finds_the_same_here(run: Run, tables: None, method: str) -> None:
    result = run("scan", "corpus.parquet", "--method", method, "--format", "json").json
    assert len(result["pairs"]) == 4
    assert result["method"] == (method if method != "auto" else "exact")


def test_linkage(run: Run) -> None:
    folder = write("chain", a=words(0, 100), b=words(10, 110), c=words(20, 120))
    assert "in 1 cluster" in run("scan", folder, "-t", "0.75").out
    star = run("scan", folder, "-t", "0.75", "--format", "json").json["groups"]
    linked = run("scan", folder, "-t", "0.75", "--linkage", "linked", "--format", "json").json["groups"]
    assert [len(group["members"]) for group in (*star, *linked)] == [2, 3]


def test_recipe_options_reach_the_search(run: Run) -> None:
    folder = write("case", a=words(0, 30), b=words(0, 30).upper())
    assert len(pairs(run("scan", folder).out)) == 1
    assert pairs(run("scan", folder, "--no-lowercase").out) == []
    out = run("scan", folder, "-k", "3", "--accents", "strip").out
    assert "Next: lookalike compare case/a.txt case/b.txt -k 3 --accents strip\n" in out


def test_reading_options_reach_the_source(run: Run, tables: None) -> None:
    write("mixed", a=words(0, 50), b=words(0, 50))
    Path("mixed/c.md").write_text(words(0, 50), encoding="utf-8")
    Path("mixed/.d.txt").write_text(words(0, 50), encoding="utf-8")

    def count(*options: str) -> int:
        return int(run("scan", "mixed", *options, "--format", "json").json["documents"])

    assert [count(), count("--hidden"), count("--include", "*.md"), count("--exclude", "a*")] == [3, 4, 1, 2]
    assert count("--include", "*.md", "--include", "a*") == 2
    done = run("scan", "corpus.csv", "--text-column", "text", "--id-column", "id", "--format", "json")
    assert done.json["groups"][0]["members"] == ["a1", "a2", "a3"]
    assert "colum" in run("scan", "corpus.csv", "--text-column", "txt").complaint


def test_encoding(run: Run) -> None:
    Path("old").mkdir()
    for name in "ab":
        Path("old", f"{name}.txt").write_bytes(("größer als früher " * 9).encode("cp1252"))
    noted = run("scan", "old")
    assert noted.err.startswith("lookalike: note: ")
    assert "windows-1252" in noted.err
    assert run("scan", "old", "--quiet").err == ""
    assert run("scan", "old", "--encoding", "cp1252").err == ""
    assert run("scan", "old", "--encoding", "klingon").code == 2


def test_standard_input(run: Run) -> None:
    lines = "".join(f'{{"id": "{row["id"]}", "text": "{row["text"]}"}}\n' for row in ROWS)
    for args in (["scan", "-"], ["-"]):
        done = run(*args, "--format", "json", stdin=lines.encode())
        assert len(done.json["pairs"]) == 4, done.err


def test_bands_are_chosen_and_candidates_counted(run: Run, tables: None) -> None:
    found = run("scan", "corpus.jsonl", "--bands", "64", "--rows", "4", "--format", "json").json
    assert (found["method"], found["bands"]) == ("lsh", {"bands": 64, "rows": 4})
    assert found["candidates"] >= 1
    assert f" · {found['candidates']} candidate pair" in " ".join(
        run("scan", "corpus.jsonl", "--bands", "64").out.split()
    )
    assert run("scan", "corpus.jsonl", "--rows", "8", "--format", "json").json["bands"] == {"bands": 32, "rows": 8}
    assert run("scan", "corpus.jsonl", "--format", "json").json["bands"] is None
    assert "candidate" not in run("scan", "corpus.jsonl").out


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["--bands", "9", "--rows", "99"], "9 bands × 99 rows need 891 hashes, and the signature has 256; take fewer"),
        (["--bands", "0"], "--bands must be a whole number of at least 1, not 0"),
        (["--rows", "4", "--method", "exact"], "--rows cannot be used with --method exact; bands are for LSH"),
        (["--bands", "4", "--metric", "containment"], "--bands cannot be used with --metric containment"),
    ],
)
def test_bands_that_cannot_be(run: Run, tables: None, args: list[str], complaint: str) -> None:
    done = run("scan", "corpus.jsonl", *args)
    assert done.code == 2
    assert done.complaint.startswith(complaint)


def test_verbose_tells_settings_and_times(run: Run) -> None:
    done = run("scan", str(COLLECTION), "--verbose")
    for said in ("recipe: lookalike-recipe/2 ", "method: exact; ", "seconds: reading ", "skipped: blank-page.txt: "):
        assert f"lookalike: {said}" in done.err


def test_verbose_lists_the_first_of_many_skipped_rows(run: Run) -> None:
    rows = [{"text": None}] * 78 + [{"text": 7}] * 3 + [{"text": "one two three four five"}] * 2
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for command in (["scan"], ["dedupe"], ["dedupe", "--by", "line"], ["index", "build", "rows.db"]):
        lines = run(*command, "rows.jsonl", "-v").err.splitlines()
        skipped = [line for line in lines if line.startswith("lookalike: skipped: ")]
        assert len(skipped) == 10 + 1 + 3
        assert sum("68 more (null text)" in line for line in skipped) == 1
        if command in (["scan"], ["dedupe"]):
            assert lines.index(next(line for line in lines if "method:" in line)) < lines.index(skipped[0])


def test_quiet_gives_the_result_alone(run: Run) -> None:
    done = run("scan", str(COLLECTION), "--quiet")
    assert done.err == ""
    assert "Next" not in done.out
    assert "2 pairs" in done.out


@pytest.mark.parametrize("option", ["--audit", "--audit=5"])
def test_audit_measures_the_recall(run: Run, tables: None, option: str) -> None:
    done = run("scan", "corpus.parquet", option)
    assert "recall 1 of pairs at or above the threshold, measured 1" in " ".join(done.out.split())
    assert "pairs at or above the threshold found: recall 1.0000" in done.err
    assert re.search(r"· [\d.]+ s, [\d.]+ s of them the audit", " ".join(done.out.split()))
    assert run("scan", "corpus.parquet", option, "--format", "json").json["recall"]["measured"] == 1.0


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--min-words", "9"], "min_words"),
        (["--metric", "cosine"], "metric"),
        (["--text-column", "text"], "gone"),
    ],
)
def test_an_audit_that_cannot_be_done_is_a_note(
    run: Run, tables: None, options: list[str], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = run("scan", "corpus.parquet", *options, "--format", "json", "-q")
    if why == "gone":

        def gone(*_: object, **__: object) -> None:
            raise OSError(2, "gone")

        monkeypatch.setattr(la.Result, "audit", gone)
    done = run(
        "scan", "corpus.parquet", *options, "--audit", "-o", "p.json", "--save", "r.lookalike", "--report", "r.html"
    )
    assert done.code == usual.code == 0
    (said,) = [line for line in done.err.splitlines() if "the recall was not measured" in line]
    assert why in said
    found = json.loads(Path("p.json").read_bytes())
    assert found["pairs"] == usual.json["pairs"]
    assert found["recall"]["measured"] is None
    assert "the recall was not measured" in found["notes"][-1]
    assert la.Result.load("r.lookalike").notes == tuple(found["notes"])
    assert Path("r.html").exists()


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Give 1,500 versions of one page, which have more pairs than are listed."""
    path = tmp_path_factory.mktemp("versions") / "hot.jsonl"
    texts = (
        " ".join(f"x{n}y{at}" if at in (n % 37, n % 37 + 2) else f"w{at}" for at in range(40)) for n in range(1500)
    )
    path.write_text("".join(f'{{"text": "{text}"}}\n' for text in texts), encoding="utf-8")
    return str(path)


def test_a_scan_that_lists_not_all_pairs_says_so(run: Run, versions: str) -> None:
    asked = ["scan", versions, "-k", "1"]
    done = run(*asked, "-q", "--audit", "--format", "json", "--save", "run.lookalike")
    assert (done.code, done.err) == (0, "")
    result = done.json
    assert result["limited"] == 1500
    assert result["recall"] == {"of": "clusters", "promised": 1.0, "measured": None}
    assert any("--max-pairs" in note for note in result["notes"])
    assert any("saved result" in note for note in result["notes"])
    table = run(*asked)
    assert "recall 1 of clusters; pairs of 1,500 documents not all listed" in " ".join(table.out.split())
    assert "saved result" in table.err
    refused = run("dedupe", "--result", "run.lookalike", "-t", "0.9", "--plan", "plan.csv").complaint
    assert "--max-pairs" in refused


def test_max_pairs_lists_them_and_a_saved_result_can_be_raised(run: Run, versions: str) -> None:
    options = ["-k", "1", "--max-pairs", "1200000", "-q"]
    assert run("scan", versions, *options, "--save", "run.lookalike", "-o", "pairs.parquet").code == 0
    result = la.Result.load("run.lookalike")
    assert (result.limited, result.pair_count) == (0, 1500 * 1499 // 2)
    assert run("dedupe", "--result", "run.lookalike", "-t", "0.9", "--plan", "plan.csv", "-q").code == 0
    assert "--max-pairs" in run("scan", versions, "--max-pairs", "0").complaint


def test_audit_and_group_by_go_together(run: Run, essays: Path) -> None:
    done = run("scan", str(essays), "--audit", "--group-by", "dir", "--format", "json")
    assert done.json["recall"]["measured"] == 1.0
    assert len(done.json["pairs"]) == 2


def test_save_can_be_read_back(run: Run, tables: None) -> None:
    printed = run("scan", "corpus.parquet", "--save", "run.lookalike", "--format", "json").json
    assert la.Result.load("run.lookalike").to_dict() == printed


def test_a_search_in_files_finds_the_same(run: Run, tables: None) -> None:
    usual = run("scan", "corpus.parquet", "--format", "json").json
    filed = run("scan", "corpus.parquet", "--memory", "2GB", "--work", "work", "--format", "json").json
    assert filed["pairs"] == usual["pairs"]
    assert filed["groups"] == usual["groups"]


def test_compressed_files_can_be_compared_next(run: Run) -> None:
    import gzip

    Path("zipped").mkdir()
    for name in "ab":
        Path("zipped", f"{name}.txt.gz").write_bytes(gzip.compress(words(0, 50).encode()))
    out = run("scan", "zipped").out
    assert pairs(out) == [("a.txt.gz", "b.txt.gz")]
    assert "Next: lookalike compare zipped/a.txt.gz zipped/b.txt.gz" in out
    assert run("compare", "zipped/a.txt.gz", "zipped/b.txt.gz").code == 0


def test_threads_make_no_difference(run: Run, tables: None) -> None:
    one, two = (run("scan", "corpus.parquet", "--threads", n, "--format", "json").json for n in ("1", "2"))
    assert one == two
