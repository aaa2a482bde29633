"""How a command ends: exit codes, one line on standard error, and how it treats pipes, terminals and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lookalike.text.comparison
from lookalike.cli import main
from lookalike.cli.messages import describe
from lookalike.errors import InternalError
from lookalike.tables.spelling import visible

if TYPE_CHECKING:
    from tests.cli.conftest import Run, Start

SCRIPT = str(Path(sys.executable).with_name("lookalike"))
posix_only = pytest.mark.skipif(os.name == "nt", reason="POSIX")


@pytest.fixture(autouse=True)
def _files(_here: None) -> None:
    Path("a.txt").write_text("one two three four five six seven eight nine ten", encoding="utf-8")
    Path("b.txt").write_text("one two three four five six seven eight nine eleven", encoding="utf-8")
    Path("empty.txt").touch()
    Path("blank.txt").write_text(" \n\t\u3000\n", encoding="utf-8")
    Path("binary").write_bytes(bytes(range(256)))
    Path("folder").mkdir()


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["a.txt", "missing.txt"], "missing.txt does not exist: check the name"),
        (["missing.txt", "b.txt"], "missing.txt does not exist: check the name"),
        (["a.txt", "folder"], "folder is a directory: give one file"),
        (["a.txt", "binary"], "binary is not text (it has NUL bytes): convert it to plain text first"),
        (["a.txt", "empty.txt"], "empty.txt is empty: there is nothing to compare"),
        (["blank.txt", "b.txt"], "blank.txt is empty: there is nothing to compare"),
        (["a.txt", "b.txt", "-k", "0"], "k must be a whole number from 1 to 64, not 0"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(start: Start, args: list[str], message: str) -> None:
    assert start("compare", *args).complaint == message


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (["compere", "a.txt", "b.txt"], ["No such command 'compere'", "Did you mean 'compare'?", "lookalike --help"]),
        (["frobnicate"], ["No such command 'frobnicate'"]),
        (["--nope"], ["No such option", "--nope"]),
        (["compare", "a.txt", "b.txt", "--formt", "json"], ["--formt", "--format", "lookalike compare --help"]),
        (["compare", "a.txt"], ["Missing argument 'B'", "lookalike compare --help"]),
        (["compare"], ["Missing argument 'A'"]),
        (["compare", "a.txt", "b.txt", "c.txt"], ["unexpected extra argument", "c.txt"]),
        (["compare", "a.txt", "b.txt", "--form"], ["--form", "requires an argument"]),
        (["compare", "a.txt", "b.txt", "--format", "xml"], ["--format must be table or json, not 'xml'"]),
        (["compare", "a.txt", "b.txt", "--format", "jsn"], ["did you mean 'json'?"]),
        (["compare", "a.txt", "b.txt", "--color", "x"], ["--color must be auto, always or never, not 'x'"]),
        (["compare", "a.txt", "b.txt", "--top", "-1"], ["--top must be a whole number of at least 0, not -1"]),
        (["compare", "a.txt", "b.txt", "--top", "few"], ["--top must be a whole number of at least 0, not 'few'"]),
        (["compare", "a.txt", "b.txt", "--min-passage", "0"], ["--min-passage must be a whole number of at least 1"]),
        (["compare", "-", "-"], ["B must be a file when A is standard input"]),
        (["compare", "-", "b.txt"], ["standard input is empty: there is nothing to compare"]),
        (["compare", "", "b.txt"], ["'' is not the name of a file"]),
        (["compare", "a.txt", "b.txt", "-o", "no/such/file"], ["no/such/file cannot be written (No such file"]),
        (["compare", "a.txt", "b.txt", "-o", "folder"], ["folder cannot be written (Is a directory)"]),
        (["doctor", "--format", "yaml"], ["--format must be table or json, not 'yaml'"]),
        (["doctor", "extra"], ["unexpected extra argument"]),
    ],
)
def test_bad_usage_is_one_line_and_exit_code_2(run: Run, args: list[str], parts: list[str]) -> None:
    complaint = run(*args).complaint
    assert all(part in complaint for part in parts), complaint


def test_a_name_cannot_forge_a_line(run: Run) -> None:
    assert run("compare", "x\nlookalike: all is well\x1b[2K", "b.txt").complaint == (
        r"x\nlookalike: all is well\x1b[2K does not exist: check the name"
    )


def test_an_error_comes_before_any_note(run: Run) -> None:
    Path("latin.txt").write_bytes("Der Müller und die größere Brücke".encode("cp1252"))
    assert run("compare", "latin.txt", "empty.txt").complaint.startswith("empty.txt is empty")


def test_visible_leaves_what_people_write() -> None:
    text = "naïve 雨 🐝 👩‍👧 می‌خواهم שלום a\u0301 \\n"
    assert visible(text) == text
    assert visible("\t\n\r\x00\ud800") == r"\t\n\r\x00\ud800"


# -- our own faults ----------------------------------------------------------------------------------------------------


def fail(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def compare(*args: object, **options: object) -> None:
        raise error

    monkeypatch.setattr(lookalike.text.comparison, "compare", compare)


def test_a_bug_is_one_line_that_says_whose_fault_it_is(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    fail(monkeypatch, ZeroDivisionError("division by zero\nat line 7"))
    complaint = run("compare", "a.txt", "b.txt").complaint
    assert complaint.startswith(r"internal error: ZeroDivisionError: division by zero\nat line 7; ")
    assert "this is a bug in lookalike" in complaint
    assert "LOOKALIKE_DEBUG=1" in complaint


def test_a_panic_of_the_core_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    fail(monkeypatch, InternalError("index out of bounds"))
    assert run("compare", "a.txt", "b.txt").complaint == str(InternalError("index out of bounds"))


def test_debug_adds_the_traceback(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOKALIKE_DEBUG", "1")
    done = run("compare", "a.txt", "missing.txt")
    assert done.code == 2
    assert "Traceback (most recent call last)" in done.err
    assert done.err.endswith("lookalike: missing.txt does not exist: check the name\n")


@pytest.mark.parametrize("value", ["", "0", "false", "No"])
def test_debug_can_be_switched_off(run: Run, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("LOOKALIKE_DEBUG", value)
    assert run("compare", "a.txt", "missing.txt").err == "lookalike: missing.txt does not exist: check the name\n"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "not enough memory"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (OSError(5, "Input/output error", "/a/b"), "/a/b: Input/output error"),
    ],
)
def test_the_fault_of_the_machine_is_not_called_a_bug(error: Exception, message: str) -> None:
    assert describe(error) == message


def test_ctrl_c_in_the_core_ends_with_130(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    fail(monkeypatch, KeyboardInterrupt())
    done = run("compare", "a.txt", "b.txt")
    assert (done.code, done.out, done.err) == (130, "", "")


@posix_only
def test_ctrl_c_while_reading_ends_with_130() -> None:
    with subprocess.Popen(
        [SCRIPT, "compare", "-", "b.txt"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"x" * 200_000)  # more than a pipe holds: all taken means that it is reading
        process.stdin.flush()
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert process.stderr is not None
        assert process.stderr.read() == b""


# -- where the output goes ---------------------------------------------------------------------------------------------


@posix_only
@pytest.mark.parametrize(
    "args", [["compare", "a.txt", "b.txt"], ["compare", "a.txt", "b.txt", "--format", "json"], ["--help"], ["doctor"]]
)
def test_a_reader_that_went_away_is_no_error(args: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([SCRIPT, *args], stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("args", [["compare", "a.txt", "b.txt"], ["--help"], ["--version"]])
def test_a_full_disk_is_one_line(args: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([SCRIPT, *args], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr.decode().count("\n") == 1
    assert b"No space left on device" in done.stderr


@posix_only
def test_a_closed_standard_output_is_one_line() -> None:
    done = subprocess.run([f"'{SCRIPT}' compare a.txt b.txt >&-"], shell=True, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (
        2,
        b"lookalike: standard output is closed: write to a file with -o FILE\n",
    )


def test_output_can_be_caught_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()) as caught:
        assert main(["compare", "a.txt", "b.txt"]) == 0
    assert caught.getvalue().startswith("A  a.txt\n")


def test_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lookalike", "compare", "a.txt", "a.txt"], capture_output=True, check=True
    )
    assert b"Identical" in done.stdout


# -- colours -----------------------------------------------------------------------------------------------------------


def on_a_terminal(*args: str, **env: str) -> str:
    """Run a command on a pseudo-terminal and return what it shows."""
    import pty

    master, slave = pty.openpty()
    with subprocess.Popen([SCRIPT, *args], stdin=slave, stdout=slave, stderr=slave, env=os.environ | env) as process:
        os.close(slave)
        shown = b""
        while chunk := _read(master):
            shown += chunk
        assert process.wait(timeout=30) == 0
    os.close(master)
    return shown.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other side has been closed
        return b""


@posix_only
@pytest.mark.parametrize(
    ("env", "options", "colored"),
    [
        ({}, [], True),
        ({"NO_COLOR": "1"}, [], False),
        ({"NO_COLOR": ""}, [], True),
        ({"TERM": "dumb"}, [], False),
        ({}, ["--color", "never"], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
        ({"TERM": "dumb"}, ["--color", "always"], True),
    ],
)
def test_colours_on_a_terminal(env: dict[str, str], options: list[str], colored: bool) -> None:
    assert ("\x1b[" in on_a_terminal("compare", "a.txt", "b.txt", *options, **env)) is colored


@pytest.mark.parametrize(
    ("env", "options", "colored"),
    [
        ({}, [], False),
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": "0"}, [], False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({"FORCE_COLOR": "1"}, ["-o", "out.txt"], False),
        ({"FORCE_COLOR": "1"}, ["--format", "json"], False),
        ({}, ["--color", "always"], True),
        ({}, ["--color", "always", "-o", "out.txt"], True),
        ({"FORCE_COLOR": "1"}, ["--color", "never"], False),
    ],
)
def test_colours_elsewhere(
    run: Run, monkeypatch: pytest.MonkeyPatch, env: dict[str, str], options: list[str], colored: bool
) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    done = run("compare", "a.txt", "b.txt", *options)
    shown = Path("out.txt").read_text(encoding="utf-8") if "-o" in options else done.out
    assert ("\x1b[" in shown) is colored


@posix_only
def test_doctor_has_colours_too() -> None:
    assert "\x1b[" in on_a_terminal("doctor")


@posix_only
def test_waiting_for_a_person_is_said() -> None:
    import pty

    master, slave = pty.openpty()
    with subprocess.Popen(
        [SCRIPT, "compare", "-", "b.txt"], stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"lookalike: reading standard input; end it with Ctrl-D\n"
        os.write(master, b"one two three\n\x04")
        assert process.wait(timeout=30) == 0
    os.close(slave)
    os.close(master)
