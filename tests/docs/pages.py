"""Markdown pages as the tests see them: fenced blocks, code and links, and how to run the blocks."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

__all__ = [
    "ROOT",
    "Block",
    "all_pages",
    "blocks",
    "check_console",
    "check_python",
    "code",
    "files",
    "links",
    "run_pages",
    "without_times",
]

ROOT: Final = Path(__file__).parents[2]
_FENCE: Final = re.compile(r" {0,3}(`{3,})(.*)")
_LINK: Final = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
_CODE_SPAN: Final = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_TIME: Final = re.compile(r"(?:(?<=· )|^)(?:\d+ h \d+ min|\d+ min \d+ s|\d+(?:\.\d+)? s)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    """Number of its first line between the fences, counted from 1."""
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def run_pages() -> list[Path]:
    """The pages whose blocks are run."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def all_pages() -> list[Path]:
    """Every Markdown page of the project."""
    return [path for path in files(ROOT) if path.suffix == ".md"]


def files(top: Path) -> list[Path]:
    """All files below a folder, except what was installed or built and the sample documents."""
    left_out = {"collection", "target", "build", "dist", "__pycache__"}
    found = []
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if name not in left_out and not name.startswith("."))
        found += [Path(folder) / name for name in sorted(names)]
    return found


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    return _split(page)[0]


def code(page: Path) -> str:
    """All that stands in fenced blocks or between backquotes."""
    found, prose = _split(page)
    return "\n".join([*(block.text for block in found), *(text for _, text in _CODE_SPAN.findall(prose))])


def links(page: Path) -> list[str]:
    """The targets of the links of a page, outside code."""
    return _LINK.findall(_CODE_SPAN.sub("", _split(page)[1]))


def _split(page: Path) -> tuple[list[Block], str]:
    found: list[Block] = []
    prose: list[str] = []
    inside: list[str] = []
    fence, language, first = "", "", 0
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        mark = _FENCE.match(line)
        if not fence and mark:
            fence, language, first, inside = mark[1], mark[2].strip(), number + 1, []
        elif fence and mark and mark[1].startswith(fence) and not mark[2].strip():
            found.append(Block(page, first, language, "".join(f"{kept}\n" for kept in inside)))
            fence = ""
        else:
            (inside if fence else prose).append(line)
    assert not fence, f"{page.relative_to(ROOT)}: the block at line {first} has no end"
    return found, "\n".join(prose)


# -- running ---------------------------------------------------------------------------------------------------------


def check_python(block: Block, names: dict[str, Any]) -> str:
    """Run a block with the names that the page has so far; return what is wrong, or nothing."""
    name = str(block.page.relative_to(ROOT))
    if not re.search(r"^>>> ", block.text, re.MULTILINE):
        source = "\n" * (block.line - 1) + block.text  # so that a traceback shows the line of the page
        exec(compile(source, name, "exec"), names)
        return ""
    examples = doctest.DocTestParser().get_examples(block.text, name)
    test = doctest.DocTest(examples, names, name, name, block.line - 1, block.text)
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    return "".join(report)


def check_console(block: Block, folder: Path) -> str:
    """Run the `$` lines of a block in a folder and compare what they print; return what is wrong, or nothing."""
    wrong = []
    for line, command, expected in _commands(block):
        printed = _shell(command, folder)
        if without_times(printed) != without_times(expected):
            place = f"{block.page.relative_to(ROOT)}:{line}"
            wrong.append(f"{place}: $ {command}\nExpected:\n{expected}Got:\n{printed}")
    return "\n".join(wrong)


def without_times(text: str) -> str:
    """Return what a command printed with the one thing replaced that differs from run to run: how long it took.

    That is the end of the line that closes a run, "… · recall 1 · 0.5 s", also where the line was folded before it. It
    is the only part of an output that a page need not show as it is printed.

    >>> without_times("2 pairs · recall 1 · 0.5 s")
    '2 pairs · recall 1 · … s'
    """
    return _TIME.sub("… s", text)


def _commands(block: Block) -> list[tuple[int, str, str]]:
    """Each command with the number of its line and what it should print; a line that ends in \\ goes on."""
    found: list[tuple[int, str, str]] = []
    goes_on = False
    for number, text in enumerate(block.text.splitlines(), start=block.line):
        if text.startswith("$ "):
            found.append((number, text[2:], ""))
        else:
            assert found, f"{block}: a console block begins with '$ '"
            line, command, output = found[-1]
            found[-1] = (line, f"{command}\n{text}", output) if goes_on else (line, command, f"{output}{text}\n")
        goes_on = text.endswith("\\") and not found[-1][2]
    return found


def _shell(command: str, folder: Path) -> str:
    """What a command prints on both outputs, on a terminal of 80 columns without colours."""
    here = str(Path(sys.executable).parent)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LOOKALIKE_")}
    environment |= {
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "PATH": os.pathsep.join((here, os.environ.get("PATH", os.defpath))),
        "PYTHONIOENCODING": "utf-8",
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
    )
    return done.stdout.decode("utf-8")
