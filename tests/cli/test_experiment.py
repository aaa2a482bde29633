"""`lookalike experiment` and its commands."""

from __future__ import annotations

import csv
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.cli import experiment as menu
from lookalike.cli.experiment import SUBCOMMANDS
from lookalike.cli.experiment_figures import spoken_time
from lookalike.experiments import catalogue
from lookalike.experiments.catalogue import by_id, experiments
from tests.cli.conftest import SCRIPT
from tests.experiments.quick import IN_ONE_WORKER, REAL, remembered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.conftest import Run, Start

pytestmark = IN_ONE_WORKER
PARTS = ("csv", "png", "svg", "pdf")


@pytest.fixture(autouse=True)
def _tables_are_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    known = tuple((catalogue.module_of(name), remembered(name)) for name in REAL)
    monkeypatch.setattr(catalogue, "_loaded", lambda: known)


# -- list --------------------------------------------------------------------------------------------------------------


def test_without_a_command_and_a_terminal_it_is_the_help(run: Run) -> None:
    done = run("experiment")
    assert (done.code, done.err) == (0, "")
    assert done.out == run("experiment", "--help").out


def test_the_list_for_programs(run: Run) -> None:
    listed = run("experiment", "list", "--format", "json").json
    assert [set(each) for each in listed] == [{"id", "title", "items"}] * len(experiments())
    items = {item for each in listed for item in each["items"]}
    assert {*range(49, 53), *range(60, 63), *range(70, 87)} <= items


def test_the_list_for_people(run: Run) -> None:
    done = run("experiment", "list")
    assert [line.split()[0] for line in done.out.splitlines() if re.match(r"[a-z0-9-]+  ", line)] == [
        experiment.id for experiment in experiments()
    ]
    assert max(map(len, done.out.splitlines())) <= 80


# -- run ---------------------------------------------------------------------------------------------------------------


def test_run_writes_everything(run: Run) -> None:
    done = run("experiment", "run", "comparisons", "--quick", "--out", "made")
    assert (done.code, done.err) == (0, ""), "no bar without a terminal"
    assert re.fullmatch(r"comparisons: 2 hold, 1 does not hold · \d+\.\d s\nLook at made/index\.html\n", done.out), (
        done.out
    )
    assert {path.name for path in Path("made").iterdir()} == {
        *(f"comparisons.{part}" for part in PARTS),
        "verdicts.json",
        "index.html",
    }
    with Path("made/comparisons.csv").open(newline="") as stream:
        assert next(csv.reader(stream)) == [
            "documents [1]",
            "source [name]",
            "comparisons [1]",
            "doubled documents [1]",
        ]


def test_full_mode_says_how_long_it_takes_before_it_starts(run: Run) -> None:
    done = run("experiment", "run", "comparisons")
    assert done.err == f"lookalike: comparisons in full: about {spoken_time(2)}; less with --quick\n"
    assert Path("experiments/index.html").is_file(), "the folder if none is given"


def test_several_run_in_the_order_of_the_list(run: Run) -> None:
    done = run("experiment", "run", "comparisons", "similarity-by-k", "comparisons", "--quick")
    assert [line.partition(":")[0] for line in done.out.splitlines()[:-1]] == ["similarity-by-k", "comparisons"]


def test_a_text_and_a_seed_of_ones_own(run: Run) -> None:
    words = " ".join(f"{a}{b}{c}" for a in "bdgkl" for b in "aeiou" for c in ("n", "rt"))
    Path("my text.txt").write_text(words, encoding="utf-8")
    tables = []
    for options in ([], ["--seed", "2"], ["--text", "my text.txt"]):
        assert run("experiment", "run", "similarity-by-k", "--quick", *options).code == 0
        tables.append(Path("experiments/similarity-by-k.csv").read_text())
    assert len(set(tables)) == 3
    assert "--quick --text &#x27;my text.txt&#x27; --out experiments" in Path("experiments/index.html").read_text()


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        ([], "which experiment? Give an ID, or all; lookalike experiment list lists them"),
        (
            ["aproaches"],
            "ID must be an experiment (see: lookalike experiment list), not 'aproaches'; did you mean 'approaches'?",
        ),
        (["comparisons", "--seed", "x"], "--seed must be a whole number of at least 0, not 'x'"),
        (
            ["comparisons", "--text", "short.txt"],
            "--text short.txt must be a text of at least two different words, not 'one one'",
        ),
        (
            ["comparisons", "--text", "no.txt"],
            "no.txt does not exist: check the name, or take lorem, cicero, lincoln, cervantes, kafka, voltaire",
        ),
    ],
)
def test_what_cannot_be_run(run: Run, args: list[str], complaint: str) -> None:
    Path("short.txt").write_text("one one", encoding="utf-8")
    assert run("experiment", "run", *args).complaint == complaint
    assert not Path("experiments").exists()


def test_an_unknown_command_gets_near_ones(run: Run) -> None:
    assert "Did you mean 'run'?" in run("experiment", "runn").complaint


def test_without_matplotlib_there_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    line = "lookalike experiment run needs an optional part: in a clone of lookalike, pip install '.[experiments]'"
    assert run("experiment", "run", "comparisons").complaint == line
    assert not Path("experiments").exists()
    assert run("experiment", "list").code == run("experiment", "show").code == run("experiment", "data").code == 0


# -- show --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def made(run: Run) -> None:
    assert run("experiment", "run", "comparisons", "--quick").code == 0


def states(run: Run) -> dict[str, tuple[str, str]]:
    return {each["id"]: (each["state"], each["reason"]) for each in run("experiment", "show", "--format", "json").json}


def test_show_tells_what_is_made(run: Run, made: None) -> None:
    done = run("experiment", "show")
    assert re.search(r"^comparisons +made +2 hold, 1 does not hold$", done.out, re.MULTILINE)
    assert re.search(r"^precision +missing +never made$", done.out, re.MULTILINE)
    assert max(map(len, done.out.splitlines())) <= 80


def test_show_notices_what_is_deleted_or_changed(run: Run, made: None) -> None:
    table = Path("experiments/comparisons.csv")
    content = table.read_bytes()
    table.unlink()
    assert states(run)["comparisons"] == ("missing", "comparisons.csv is gone")
    table.write_bytes(content + b"1,2,3\n")
    assert states(run)["comparisons"] == ("stale", "comparisons.csv was changed")
    table.write_bytes(content)
    assert states(run)["comparisons"] == ("made", "")


def test_show_notices_other_code_and_settings(run: Run, made: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("experiment", "run", "similarity-by-k", "--quick", "--seed", "5").code == 0
    assert states(run)["comparisons"] == ("stale", "made with other settings: quick, seed 1")
    assert states(run)["similarity-by-k"] == ("made", "")
    monkeypatch.setattr("lookalike.experiments.store.code_digest", lambda _id: "0" * 16)
    assert states(run)["similarity-by-k"] == ("stale", "made by other code")


def test_show_of_one_tells_all(run: Run, made: None) -> None:
    out = run("experiment", "show", "comparisons").out
    assert out.startswith("comparisons: How many comparisons all pairs are\nmade\n")
    assert "✓ holds. Counted: 190 for 20 documents" in out
    assert "✗ does not hold. Twice as many" in out
    assert [line for line in out.splitlines() if line.startswith("experiments/")] == [
        f"experiments/comparisons.{part}" for part in PARTS
    ]
    assert "made by: lookalike experiment run comparisons --quick --out experiments\n" in out
    missing = run("experiment", "show", "precision").out
    assert "missing: never made" in missing
    assert "Make it: lookalike experiment run precision --out experiments" in missing


def test_a_folder_that_is_not_ours(run: Run) -> None:
    Path("verdicts.json").write_text("{}")
    complaint = "is not a lookalike-verdicts/2 file: move it away, or give another folder (--out)"
    assert run("experiment", "show", "--out", ".").complaint == f"verdicts.json {complaint}"
    assert run("experiment", "run", "comparisons", "--out", ".").complaint == f"verdicts.json {complaint}"


# -- data --------------------------------------------------------------------------------------------------------------


def test_data_writes_the_collections(run: Run) -> None:
    done = run("experiment", "data", "--seed", "7")
    assert done.code == 0
    folder = Path("experiments/data")
    counts = {path.name: len(list(path.iterdir())) for path in folder.iterdir() if path.is_dir()}
    assert counts == {"base": 1, "shuffles-20": 20, "shuffles-410": 410, "pair-60": 2, "pairs": 10, "books": 3}
    readme = (folder / "README.txt").read_text(encoding="utf-8")
    assert "seed 7" in readme
    assert all(name in readme for name in counts)
    a, b = ((folder / "pair-60" / name).read_text() for name in ("a.txt", "b.txt"))
    assert la.jaccard(a, b, recipe=la.Recipe(unit="char", k=9)) == 0.6
    sizes = sorted(path.stat().st_size for path in (folder / "books").iterdir())
    assert 430_000 <= sizes[0] < sizes[-1] <= 726_000
    first = (folder / "shuffles-410" / "shuffle-019.txt").read_bytes()
    assert first == (folder / "shuffles-20" / "shuffle-019.txt").read_bytes()


def test_data_of_several_texts_and_so_many_shuffles(run: Run) -> None:
    Path("novel.txt").write_text(
        "Title\n*** START OF THE PROJECT GUTENBERG EBOOK ***\n"
        + "It was late. " * 60_000
        + "\n*** END OF THE X\nLicence",
        encoding="utf-8",
    )
    done = run("experiment", "data", "--count", "30", "--text", "lorem", "--text", "novel.txt", "--out", "d")
    assert (done.code, done.err) == (0, "")
    assert len(list(Path("d/shuffles-30").iterdir())) == 30
    assert Path("d/base/base.txt").read_text().startswith("Lorem ipsum dolor sit amet, consectetur adipiscing elit")
    assert "It was late. It was late." in Path("d/books/430-kB.txt").read_text()
    assert run("experiment", "data", "--count", "0").complaint == "--count must be a whole number of at least 1, not 0"


def test_data_into_a_folder_of_ones_own(run: Run) -> None:
    assert run("experiment", "data", "--out", "texts").code == 0
    assert Path("texts/README.txt").is_file()
    assert not Path("experiments").exists()


# -- walk --------------------------------------------------------------------------------------------------------------


def test_walk_prints_every_step(run: Run) -> None:
    done = run("experiment", "walk", "Nadal", "Nadia", "-k", "2", "--hashes", "4")
    assert (done.code, done.err) == (0, "")
    for part in ("S1  nadal            4          4  na · ad · da · al", "1. Shingles", "7. Scores", "Work done"):
        assert part in done.out
    assert re.search(r"^2  da        1   0  ", done.out, re.MULTILINE)
    assert re.search(r"^S1, S2       2      6    0\.333 ", done.out, re.MULTILINE)
    assert max(map(len, done.out.splitlines())) <= 80


def test_walk_for_programs_and_as_a_page(run: Run) -> None:
    Path("one.txt").write_text("a d", encoding="utf-8")
    args = ("one.txt", "c", "b d e", "a c d", "--unit", "word", "--hashes", "2", "--rows", "1", "--sort")
    done = run("experiment", "walk", *args, "--function", "1,1", "--function", "3,1", "--format", "json")
    assert done.json["documents"] == ["one.txt", "S2", "S3", "S4"]
    assert done.json["signature"] == [[1, 3, 0, 1], [0, 2, 0, 0]]
    done = run("experiment", "walk", *args, "-o", "walk.html")
    assert "walk.html: the steps with sliders" in done.err
    assert "<title>MinHash and LSH, step by step" in Path("walk.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["one"], "a walk takes from 2 to 20 texts, not 1"),
        (["no.txt", "b"], "no.txt does not exist: check the name; a text of several words is put in quotes"),
        (["a", "b", "--function", "3"], "--function must be two whole numbers such as 3,1, not '3'"),
        (["a", "b", "--bands", "9"], None),
        (["a", "b", "--bands", "0"], "--bands must be a whole number of at least 1, not 0"),
    ],
)
def test_what_walk_refuses(run: Run, args: list[str], complaint: str | None) -> None:
    done = run("experiment", "walk", *args)
    assert done.code == (0 if complaint is None else 2)
    assert complaint is None or done.complaint == complaint


# -- menu --------------------------------------------------------------------------------------------------------------


def number_of(name: str) -> str:
    return str([experiment.id for experiment in experiments()].index(name) + 1)


def test_the_menu_makes_what_is_missing(run: Run) -> None:
    done = run("experiment", "menu", stdin=f"{number_of('comparisons')}\nq\n\n99\nnonsense\nq\n".encode())
    assert (done.code, done.err) == (0, "")
    first, *later = done.out.split("Figures in experiments:")[1:]
    line = rf"^ *{number_of('comparisons')}  missing  How many comparisons all pairs are$"
    assert re.search(line, first, re.MULTILINE)
    assert "comparisons is missing: never made." in first
    full = spoken_time(by_id("comparisons").seconds)
    assert f"Make it now? y or q quick, f in full (about {full}), Enter not: " in first
    assert "comparisons: 2 hold, 1 does not hold" in first
    assert "experiments/comparisons.png" in first
    assert re.search(r"made +How many comparisons", later[0])
    assert len(later) == 1, "the list is not shown again after a wrong number"
    assert later[0].count("That is no number of the list.") == 2


def test_the_menu_says_what_is_stale_and_shows_it_all_the_same(run: Run, made: None) -> None:
    with Path("experiments/comparisons.csv").open("a") as table:
        table.write("x\n")
    done = run("experiment", "menu", stdin=f"{number_of('comparisons')}\n\n\nq\n".encode())
    assert "comparisons is stale: comparisons.csv was changed." in done.out
    assert "made by: lookalike experiment run comparisons" in done.out


def test_the_menu_opens_a_picture_if_asked(run: Run, made: None, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("typer.launch", opened.append)
    run("experiment", "menu", stdin=f"{number_of('comparisons')}\n\nq\n".encode())
    assert opened == []
    run("experiment", "menu", stdin=f"{number_of('comparisons')}\no\nq\n".encode())
    assert opened == [str(Path("experiments/comparisons.png"))]


def test_the_menu_compares_documents_and_asks_for_k(run: Run) -> None:
    two_copies()
    asked = run("experiment", "menu", stdin=b"c\nessays\n5\n3\n2\n100\n20\n5\nc\nno.txt\n\n1\nq\n")
    assert (asked.code, asked.err) == (0, "")
    assert "k, characters in a shingle [9]: " in asked.out
    assert "k = 5 characters, 100 multiplicative hash functions, 20 bands × 5" in asked.out
    assert "b.txt is a copy of a.txt: Jaccard 1.000" in asked.out
    assert "no.txt': file does not exist" in asked.out


def two_copies() -> None:
    Path("essays").mkdir()
    for name, text in (("a", "The cat sat on the mat."), ("b", "the cat sat on the mat"), ("c", "Dogs run away.")):
        Path(f"essays/{name}.txt").write_text(text, encoding="utf-8")


def test_batch_tells_time_and_work_of_three_approaches(run: Run) -> None:
    two_copies()
    done = run("experiment", "batch", "essays", "-k", "3", "--hashes", "20", "--bands", "4")
    assert (done.code, done.err) == (0, "")
    assert re.search(r"^exact, all pairs +3 +0 +\d\.\d+ s +1$", done.out, re.MULTILINE)
    assert re.search(r"^signatures, all pairs +3 +(\d|,)+ +\d\.\d+ s +1$", done.out, re.MULTILINE)
    assert re.search(r"^signatures and LSH +1 ", done.out, re.MULTILINE)
    assert "b.txt is a copy of a.txt: Jaccard 1.000" in done.out
    assert "LSH found 1 of the 1 pair at or above 0.5 by jaccard." in done.out
    assert re.search(r"^Finished in \d\.\d+ s\.", done.out, re.MULTILINE)


@pytest.mark.parametrize(("measure", "score"), [("cosine", 1.0), ("euclidean", 1.0)])
def test_batch_scores_candidates_by_other_measures(run: Run, measure: str, score: float) -> None:
    two_copies()
    done = run("experiment", "batch", "essays", "--measure", measure, "--approach", "lsh", "--format", "json")
    [approach] = done.json["approaches"]
    assert [(pair["b"], pair["a"], pair["score"]) for pair in approach["pairs"]] == [("b.txt", "a.txt", score)]
    assert run("experiment", "batch", "essays", "--measure", "x").code == 2
    assert run("experiment", "batch", "essays", "--approach", "x").code == 2


def test_the_menu_ends_with_its_input(run: Run) -> None:
    assert run("experiment", "menu", stdin=b"").code == 0


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    ours, theirs = pty.openpty()
    yield ours, theirs
    os.close(ours)


def test_on_a_terminal_it_is_the_menu(terminal: tuple[int, int]) -> None:
    ours, theirs = terminal
    os.write(ours, b"q\n")
    process = subprocess.Popen([SCRIPT, "experiment"], stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    while b"q to quit:" not in seen:
        seen += os.read(ours, 4096)
    assert process.wait(timeout=60) == 0
    assert b"Figures in experiments:" in seen


def test_a_run_on_a_terminal_shows_how_far_it_is(terminal: tuple[int, int]) -> None:
    ours, theirs = terminal
    command = [SCRIPT, "experiment", "run", "precision", "--quick"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, env=os.environ | {"COLUMNS": "100"})
    os.close(theirs)
    seen = b""
    while True:
        try:
            seen += os.read(ours, 4096)
        except OSError:  # the other side is closed
            break
        if not seen:
            break
    assert process.wait(timeout=60) == 0
    assert b"precision (1 of 1)" in seen
    assert b" %" in seen


# -- help --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", SUBCOMMANDS)
def test_help_of_each_command(run: Run, command: str) -> None:
    done = run("experiment", command, "--help")
    assert (done.code, done.err) == (0, "")
    assert f"Examples:\n    lookalike experiment {command}" in done.out
    assert " ".join(done.out.split("\n\n")[1].split()) == SUBCOMMANDS[command]
    assert max(map(len, done.out.splitlines())) <= 80


def test_completion_knows_commands_and_ids(start: Start) -> None:
    for line, expected in (
        ("lookalike experiment s", {"show"}),
        ("lookalike experiment run simil", {"similarity-by-k"}),
        ("lookalike experiment run --q", {"--quick"}),
    ):
        words = line.split(" ")
        done = start(_LOOKALIKE_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
        assert set(done.out.split()) == expected


def test_the_menu_is_the_same_command_twice() -> None:
    assert menu.EXPERIMENT_MENU_HELP.partition("\n")[0] == SUBCOMMANDS["menu"]
