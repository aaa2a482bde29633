"""Every example in README and docs runs and prints what it says, and nothing public is missing from the guide."""

from __future__ import annotations

import dataclasses
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

import pytest
from typer.main import get_command

import lookalike
from lookalike import hashing
from lookalike.cli.commands import app
from tests.docs.pages import (
    ROOT,
    Block,
    all_pages,
    blocks,
    check_console,
    check_python,
    code,
    files,
    links,
    run_pages,
    without_times,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES: Final = run_pages()
GUIDE: Final = ROOT / "docs" / "guide.md"
LANGUAGES: Final = {"python", "python server", "console", "sh", "text", "json", "toml", "rust"}
"""Blocks of "python server" need a server, and are run by tests/server."""


def name_of(value: object) -> str | None:
    return str(value.relative_to(ROOT)) if isinstance(value, Path) else None


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a copy of examples/, as at the top of a clone; commands and Python run in it."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_python_blocks_run(page: Path, clone: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    wrong = [check_python(block, names) for block in blocks(page) if block.language == "python"]
    assert not any(wrong), "\n".join(filter(None, wrong))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_console_blocks_print_what_they_say(page: Path, clone: Path) -> None:
    wrong = [check_console(block, clone) for block in blocks(page) if block.language == "console"]
    assert not any(wrong), "\n".join(filter(None, wrong))


@pytest.mark.parametrize("page", all_pages(), ids=name_of)
def test_every_block_has_a_language(page: Path) -> None:
    wrong = [f"{block}: {block.language or 'no language'}" for block in blocks(page) if block.language not in LANGUAGES]
    assert wrong == []


@pytest.mark.parametrize("page", all_pages(), ids=name_of)
def test_relative_links_resolve(page: Path) -> None:
    assert [link for link in links(page) if not resolves(page, link)] == []


def resolves(page: Path, link: str) -> bool:
    if re.match(r"[a-z]+:", link):  # another place: no test needs the network
        return True
    path, _, anchor = unquote(link).partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists():
        return False
    return not anchor or target.suffix != ".md" or anchor in anchors(target)


def anchors(page: Path) -> set[str]:
    """The names that GitHub gives to headings."""
    headings = re.findall(r"^#+ +(.+?) *$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


# -- the guide is complete -------------------------------------------------------------------------------------------


def options() -> Iterator[str]:
    """Every option of every command, as it is typed."""
    for _, command in all_commands():
        for parameter in command.params:
            if parameter.param_type_name == "option":
                yield from (*parameter.opts, *parameter.secondary_opts)
    yield from ("-h", "--help")


def all_commands() -> list[tuple[str, Any]]:
    """Every command with its whole name, those of commands with commands of their own too."""
    waiting: list[tuple[str, Any]] = [("lookalike", get_command(app))]
    found = []
    while waiting:
        name, command = waiting.pop()
        found.append((name, command))
        waiting += [(f"{name} {word}", command.get_command(None, word)) for word in getattr(command, "commands", {})]
    return found


def named_in_guide(name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", code(GUIDE)) is not None


@pytest.mark.parametrize("name", lookalike.__all__)
def test_public_name_is_in_the_guide(name: str) -> None:
    assert named_in_guide(name)


@pytest.mark.parametrize("name", hashing.__all__)
def test_hash_function_is_in_the_guide(name: str) -> None:
    assert named_in_guide(name)


@pytest.mark.parametrize("name", sorted(name for name, _ in all_commands()))
def test_command_is_in_the_guide(name: str) -> None:
    assert named_in_guide(name)


@pytest.mark.parametrize("name", sorted(set(options())))
def test_option_is_in_the_guide(name: str) -> None:
    assert named_in_guide(name)


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(lookalike.Recipe)])
def test_setting_is_in_the_guide(name: str) -> None:
    assert named_in_guide(name)


@pytest.mark.parametrize("name", list(lookalike.PRESETS))
def test_preset_is_in_the_guide(name: str) -> None:
    assert named_in_guide(name)


def test_files_named_in_the_design_exist() -> None:
    there = {
        path.name for folder in ("rust", "src", "tests", "scripts", "examples", "fuzz") for path in files(ROOT / folder)
    }
    named = set(re.findall(r"\b\w+\.(?:rs|pyi?|sh)\b", code(ROOT / "docs" / "design.md")))
    assert len(named) > 40
    assert named - there == set()


# -- the tests above would notice ------------------------------------------------------------------------------------


def made(text: str, language: str) -> Block:
    return Block(ROOT / "README.md", 1, language, text)


def test_a_wrong_output_is_noticed(clone: Path) -> None:
    assert "Expected:\n    3" in check_python(made(">>> 1 + 1\n3\n", "python"), {})
    assert "Got:\nyes\n" in check_console(made("$ echo yes\nno\n", "console"), clone)
    assert check_console(made("$ echo yes\nyes\n$ false; echo $?\n1\n", "console"), clone) == ""


def test_times_and_nothing_else_may_differ(clone: Path) -> None:
    assert check_console(made("$ echo '4 pairs · 0.52 s'\n4 pairs · 1.3 s\n", "console"), clone) == ""
    assert "Got:\n5 pairs" in check_console(made("$ echo '5 pairs · 0.5 s'\n4 pairs · 0.5 s\n", "console"), clone)
    for kept in ("recall 1 · 2 s more", "4 pairs · 0.5", "it took 2 s", "· 3 skipped"):
        assert without_times(kept) == kept
    for time in ("0.05 s", "42 s", "2 min 5 s", "2 h 3 min"):
        assert without_times(f"recall 1 ·\n{time}\nNext: · {time}") == "recall 1 ·\n… s\nNext: · … s"


def test_a_plain_block_that_fails_is_noticed_and_names_stay() -> None:
    names: dict[str, Any] = {}
    check_python(made("x = 2\n", "python"), names)
    assert check_python(made(">>> x\n2\n>>> y = x\n", "python"), names) == ""
    with pytest.raises(NameError):
        check_python(made("z\n", "python"), names)
    assert names["y"] == 2


def test_a_command_may_span_lines(clone: Path) -> None:
    assert check_console(made("$ echo a \\\n  b\na b\n", "console"), clone) == ""


def test_links_and_blocks_are_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("[a](b.md) `[c](d.md)`\n```text\n[e](f.md)\n```\n# One *two*: three\n[g](#one-two-three)\n")
    assert links(page) == ["b.md", "#one-two-three"]
    assert resolves(page, "#one-two-three")
    assert not resolves(page, "b.md")
    assert [(block.language, block.line, block.text) for block in blocks(page)] == [("text", 3, "[e](f.md)\n")]
