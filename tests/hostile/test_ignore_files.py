"""Ignore files that would take hours, or half of whose rules would be read."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.documents.folder import MOST_RULES

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        ("a*b*c?.txt\n" * (MOST_RULES + 1), "more than 5,000 rules"),
        ("#" * (1 << 20) + "\n*.txt\n", "larger than 1 MiB"),
    ],
    ids=["rules", "bytes"],
)
def test_an_ignore_file_that_is_too_long_is_an_error(tmp_path: Path, rules: str, problem: str) -> None:
    (tmp_path / ".gitignore").write_text(rules)
    (tmp_path / "a.txt").write_text("one")
    with pytest.raises(la.DocumentError, match=rf"\.gitignore.*{problem}"):
        la.find(tmp_path)


def test_a_rule_with_a_million_blanks_takes_no_time(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("b.txt" + " " * 1_000_000 + "\nname\\ with blank\\  \n")
    for name in ("a.txt", "b.txt", "name with blank "):
        (tmp_path / name).write_text(name)
    started = time.process_time()
    found = la.find(tmp_path)
    assert list(found.id_of) == ["a.txt"]
    assert time.process_time() - started < 10  # it took minutes
