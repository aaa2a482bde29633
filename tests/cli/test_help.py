"""Help, version and completion: what a person meets first, and must not wait for."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.cli import commands
from lookalike.index.new_documents import StoredHere
from tests.cli.conftest import ROWS, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.conftest import Run, Start

COMMANDS = tuple(commands.COMMANDS)
CLASS = Path(__file__).parents[2] / "examples" / "class" / "essays"


@pytest.mark.parametrize("spelling", [[], ["--help"], ["-h"]])
def test_help_leads_with_examples_and_lists_the_commands(run: Run, spelling: list[str]) -> None:
    done = run(*spelling)
    assert (done.code, done.err) == (0, "")
    order = [done.out.index(part) for part in ("Usage: lookalike", "Examples:", "Commands:", "Options:")]
    assert order == sorted(order)
    for command in COMMANDS:
        assert re.search(rf"^  {command} +\S", done.out, re.MULTILINE)
    assert "..." not in done.out.split("Commands:")[1], "no summary is cut off"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_leads_with_examples(run: Run, command: str) -> None:
    done = run(command, "--help")
    assert (done.code, done.err) == (0, "")
    assert f"Examples:\n    lookalike {command}" in done.out
    assert done.out.index("Examples:") < done.out.index("Options:")


@pytest.mark.parametrize("args", [[], *([command] for command in COMMANDS)])
def test_help_fits_80_columns(run: Run, args: list[str]) -> None:
    assert max(map(len, run(*args, "--help").out.splitlines())) <= 80


def test_the_recipe_has_a_section_of_its_own(run: Run) -> None:
    options, recipe = run("compare", "--help").out.split("\nRecipe:\n")
    assert "--min-passage N" in options
    assert "--preset" not in options
    assert "--preset NAME" in recipe
    assert "-k N" in recipe


def test_the_list_says_what_the_help_of_each_command_says_first(run: Run) -> None:
    for command, summary in commands.COMMANDS.items():
        said = run(command, "--help").out.split("\n\n")[1]
        assert " ".join(said.split()) == summary, command


@pytest.fixture
def everything(tables: None, essays: Path) -> None:
    """All files that the examples in the help name."""
    for name in ("essay.txt", "source.txt", "a.txt", "b.txt", "old.txt", "new.txt", "a.py", "b.py", "sheet.txt"):
        Path(name).write_text(words(0, 9), encoding="utf-8")
    for name, essay in (("essay.pdf", "berg.pdf"), ("source.docx", "castle.docx")):
        shutil.copyfile(CLASS / essay, name)
    for folder in ("new", "old"):
        Path(folder).mkdir()
        Path(folder, "one.txt").write_text(words(0, 50), encoding="utf-8")
    with zipfile.ZipFile("moodle.zip", "w") as archive:
        for number, name in enumerate(("Al Li", "Bo Li")):
            archive.writestr(f"{name}_{number}_assignsubmission_file_/essay.txt", words(0, 50))
    texts = {row["id"]: row["text"] for row in ROWS}
    la.find(texts).save("run.lookalike")
    la.sign_shard(texts, "part-1.sig")
    la.sign_shard({f"other {name}": text for name, text in texts.items()}, "part-2.sig")
    la.sign_shard(la.open_paths(["corpus.parquet"]), "small.sig", keep="signature")


@contextmanager
def stored_here(url: str, token_file: str | None, *, writes: bool) -> Iterator[StoredHere]:
    """Ask the index in the place of a server, which nobody runs."""
    with la.Index.open("class.db", create=False) as index:
        yield StoredHere(index._store)


@pytest.mark.parametrize("page", [[], *([command] for command in COMMANDS)])
def test_every_example_in_the_help_is_a_command_line_that_works(
    run: Run, everything: None, page: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A server would run for ever; all that comes before it is tried.
    monkeypatch.setattr("lookalike.server.serving.serve", lambda where, settings, started: None)
    monkeypatch.setattr("lookalike.cli.check.on_server", stored_here)
    shown = run(*page, "--help").out
    examples = re.findall(r"^    (?:.*\| )?lookalike (.+?)(?:  .*| >.*)?$", shown, re.MULTILINE)
    assert examples
    if page != ["index"]:  # whose examples make it
        with la.Index.open("class.db") as index:
            index.add({row["id"]: row["text"] for row in ROWS})
    for example in examples:
        for output in (*Path().glob("kept.*"), *Path().glob("plan.*"), *Path().glob("removed.*")):
            output.unlink()
        done = run(*shlex.split(example), stdin=words(0, 9).encode())
        assert done.code == (1 if "--fail-over" in example else 0), (example, done.err)


@pytest.mark.parametrize("args", [["--version"], ["-V"], ["--version", "compare"]])
def test_version(run: Run, args: list[str]) -> None:
    done = run(*args)
    assert (done.code, done.out, done.err) == (0, f"lookalike {la.__version__}\n", "")


@pytest.mark.parametrize("args", [["--help"], ["--version"]])
def test_help_and_version_load_nothing_heavy(args: list[str]) -> None:
    program = """
import sys
from lookalike.cli import main
main(sys.argv[1:])
heavy = {"rich", "pyarrow", "numpy", "pydantic", "charset_normalizer", "importlib.metadata", "asyncio"}
print(*sorted(heavy & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program, *args], capture_output=True, text=True, check=True)
    assert done.stderr.split() == []


def test_comparing_loads_no_tables() -> None:
    program = """
import sys
from lookalike.cli import main
main(["compare", sys.argv[1], sys.argv[1]])
print(*sorted({"pyarrow", "numpy", "charset_normalizer"} & set(sys.modules)), file=sys.stderr)
"""
    Path("a.txt").write_text("one two three", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", program, "a.txt"], capture_output=True, text=True, check=True)
    assert done.stderr.split() == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("lookalike co", {"compare", "completion"}),
        ("lookalike scan --met", {"--meta", "--method", "--metric"}),
        ("lookalike scan --metric c", {"containment", "cosine"}),
        ("lookalike explain s", {"s-curve", "shingle", "signature", "stale", "star", "submission"}),
        ("lookalike completion f", {"fish"}),
        ("lookalike compare --pre", {"--preset"}),
        ("lookalike compare --preset s", {"slimpajama", "stack"}),
        ("lookalike compare --family m", {"modular", "multiplicative", "murmur3"}),
        ("lookalike compare --format ", {"table", "json"}),
    ],
)
def test_shell_completion(start: Start, line: str, expected: set[str]) -> None:
    words = line.split(" ")
    done = start(_LOOKALIKE_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
    assert set(done.out.split()) == expected


def test_shell_completion_can_be_installed(run: Run) -> None:
    shown = run("--help").out
    assert "--install-completion" in shown
    assert "--show-completion" in shown
