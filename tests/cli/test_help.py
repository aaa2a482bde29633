"""Help, version and completion: what a person meets first, and must not wait for."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lookalike as la

if TYPE_CHECKING:
    from tests.cli.conftest import Run, Start

COMMANDS = ("compare", "doctor")


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


@pytest.mark.parametrize("args", [[], ["compare"], ["doctor"]])
def test_help_fits_80_columns(run: Run, args: list[str]) -> None:
    assert max(map(len, run(*args, "--help").out.splitlines())) <= 80


def test_the_recipe_has_a_section_of_its_own(run: Run) -> None:
    options, recipe = run("compare", "--help").out.split("\nRecipe:\n")
    assert "--min-passage N" in options
    assert "--preset" not in options
    assert "--preset NAME" in recipe
    assert "-k N" in recipe


@pytest.mark.parametrize("page", [[], *([command] for command in COMMANDS)])
def test_every_example_in_the_help_is_a_command_line_that_works(run: Run, page: list[str]) -> None:
    text = "one two three four five six seven eight nine"
    for name in ("essay.txt", "source.txt", "a.txt", "b.txt", "old.txt", "new.txt", "a.py", "b.py"):
        Path(name).write_text(text, encoding="utf-8")
    shown = run(*page, "--help").out
    examples = re.findall(r"^    (?:.*\| )?lookalike (.+?)(?:   .*)?$", shown, re.MULTILINE)
    assert examples
    for example in examples:
        assert run(*example.split(), stdin=text.encode()).code == 0, example


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
        ("lookalike co", {"compare"}),
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
