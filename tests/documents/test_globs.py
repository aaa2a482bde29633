from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from lookalike.documents.folder import Glob, IgnoreFile, ignored

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.txt", "a.txt", True),
        ("*.txt", "deep/er/a.txt", True),
        ("*.txt", "a.txt/b", False),
        ("/*.txt", "deep/a.txt", False),
        ("deep/*.txt", "deep/a.txt", True),
        ("deep/*.txt", "deep/er/a.txt", False),
        ("deep/**/*.txt", "deep/er/est/a.txt", True),
        ("deep/**/*.txt", "deep/a.txt", True),
        ("**/er/**", "deep/er/a.txt", True),
        ("**/er/**", "deep/er", False),
        ("deep/**", "deep/er/a.txt", True),
        ("**", "a", True),
        ("**/a.txt", "a.txt", True),
        ("?.txt", "a.txt", True),
        ("?.txt", "ab.txt", False),
        ("[a-c].txt", "b.txt", True),
        ("[!a-c].txt", "b.txt", False),
        (r"\*.txt", "*.txt", True),
        (r"\*.txt", "a.txt", False),
        ("./a.txt", "a.txt", True),
        ("drafts/", "drafts", True),
        ("a", "A", False),
        ("naïve*", "naïve.txt", True),
    ],
)
def test_globs(pattern: str, path: str, matches: bool) -> None:
    assert Glob(pattern).matches(path) is matches


def test_no_pattern_takes_for_ever() -> None:
    assert not Glob("*a" * 60 + "b").matches("a" * 250)
    assert not Glob("**/a/" * 200 + "b").matches("a/" * 200 + "c")


RULES = "\n".join(
    (
        *("# a comment", "", "*.log", "!important.log", "build/", "/only-here.txt  ", "docs/*.html", "**/generated/**"),
        *("trailing\\ ", "\\#hash", "\\!bang", "a[0-9]/"),
    )
)
PATHS = [
    *("a.log", "sub/b.log", "important.log", "sub/important.log", "build", "build/x", "sub/build/x", "only-here.txt"),
    *("sub/only-here.txt", "docs/a.html", "docs/sub/a.html", "sub/docs/a.html", "x/generated/y", "generated/y/z"),
    *("#hash", "!bang", "a1/x", "ax/y", "plain.txt", "trailing "),
]


def test_ignore_files_mean_what_git_says(tmp_path: Path) -> None:
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    (tmp_path / ".gitignore").write_text(RULES)
    files = [path for path in PATHS if path != "build"]
    for path in files:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
    asked = subprocess.run(
        [*git, "check-ignore", "-z", "--stdin", "--no-index"],
        input="\0".join(files).encode(),
        capture_output=True,
        check=True,
    )
    by_git = set(asked.stdout.decode().split("\0")) - {""}
    rules = [IgnoreFile(RULES, 0)]

    def by_us(path: str) -> bool:
        names = path.split("/")
        above = any(ignored(rules, names[:depth], True) for depth in range(1, len(names)))
        return above or ignored(rules, names, False)

    assert {path for path in files if by_us(path)} == by_git


def test_deeper_ignore_files_win() -> None:
    files = [IgnoreFile("*.txt", 0), IgnoreFile("!keep.txt\n/drop.md", 1)]
    assert not ignored(files, ["sub", "keep.txt"], False)
    assert ignored(files, ["sub", "other.txt"], False)
    assert ignored(files, ["sub", "drop.md"], False)
    assert not ignored(files, ["sub", "deeper", "drop.md"], False)
