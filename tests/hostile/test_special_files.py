"""Named pipes, devices and sockets where a file belongs are refused at once: nothing waits for them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.documents import open_paths
from lookalike.documents.text_file import read_text
from lookalike.report.side_files import read_marks
from tests.faults.child import HANG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")

TEXT = "one two three four five six seven eight nine ten eleven twelve"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        Path(f"{name}.txt").write_text(f"{TEXT} {name}", encoding="utf-8")


@pytest.fixture
def _alarm() -> Iterator[None]:
    """Fail a test that waits in this process."""

    def ring(number: int, frame: object) -> None:
        raise TimeoutError(f"still waiting after {HANG:g} s: signal {number} in {frame}")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(int(HANG))
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def saved(_here: None) -> str:
    la.find([TEXT, TEXT], 0.5).save("run.lookalike")
    return "run.lookalike"


def lookalike(*args: str, stdin: int | None = subprocess.DEVNULL, data: bytes | None = None) -> tuple[int, str, str]:
    """Run a command that ends soon, or fail; standard input is empty, not missing."""
    # Too little memory for what never ends, so that a test that fails does not take the machine with it.
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30)); "
    program = limited + "from lookalike.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, *args]
    if data is None:
        done = subprocess.run(command, stdin=stdin, capture_output=True, timeout=HANG, check=False)
    else:
        done = subprocess.run(command, input=data, capture_output=True, timeout=HANG, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def refused(*args: str) -> str:
    """Run a command that must refuse a file, and return its one line."""
    code, out, err = lookalike(*args)
    assert (code, out) == (2, ""), err
    assert err.count("\n") == 1, err
    return err


# -- what is read ------------------------------------------------------------------------------------------------------

READS: dict[str, list[str]] = {
    "scan": ["scan", "{}"],
    "scan with a file": ["scan", "a.txt", "{}"],
    "against": ["scan", "a.txt", "--against", "{}"],
    "ignore": ["scan", "a.txt", "b.txt", "--ignore", "{}"],
    "meta": ["scan", "a.txt", "b.txt", "--meta", "{}"],
    "marks": ["scan", "a.txt", "b.txt", "--marks", "{}"],
    "compare": ["compare", "{}", "b.txt"],
    "compare with": ["compare", "a.txt", "{}"],
    "compare, ignore": ["compare", "a.txt", "b.txt", "--ignore", "{}"],
    "stop words": ["compare", "a.txt", "b.txt", "--unit", "word", "--stop-words", "{}"],
    "dedupe": ["dedupe", "{}"],
    "dedupe a result": ["dedupe", "--result", "{}"],
    "files": ["files", "{}"],
    "plan": ["plan", "{}"],
    "report": ["report", "{}", "-o", "out.html"],
    "report, meta": ["report", "run.lookalike", "-o", "out.html", "--meta", "{}"],
    "report, marks": ["report", "run.lookalike", "-o", "out.html", "--marks", "{}"],
    "report, texts": ["report", "run.lookalike", "{}", "-o", "out.html"],
    "work": ["scan", "a.txt", "b.txt", "--method", "lsh", "--work", "{}"],
}


@pytest.mark.usefixtures("saved")
@pytest.mark.parametrize("name", READS)
def test_a_named_pipe_is_refused(name: str) -> None:
    os.mkfifo("pipe")
    assert "pipe is " in (said := refused(*(arg.format("pipe") for arg in READS[name])))
    assert ("not a folder" if name == "work" else "a named pipe, not a file") in said


@pytest.mark.usefixtures("saved")
@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no /dev/zero here")
@pytest.mark.parametrize("name", ["scan", "ignore", "meta", "compare", "report", "work"])
def test_a_device_without_end_is_refused(name: str) -> None:
    said = refused(*(arg.format("/dev/zero") for arg in READS[name]))
    assert "/dev/zero is not a folder" in said if name == "work" else "/dev/zero is a device, not a file" in said


@pytest.mark.parametrize(
    "name", ["x.txt", "x.jsonl", "x.jsonl.gz", "x.json", "x.csv", "x.parquet", "x.arrow", "x.pdf", "x.zip", "x.md"]
)
def test_a_named_pipe_is_refused_whatever_its_name(name: str) -> None:
    os.mkfifo(name)
    assert refused("scan", name) == f"lookalike: {name} is a named pipe, not a file: use - < NAME\n"


def test_a_socket_is_refused() -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        for args in (["scan", "socket"], ["compare", "a.txt", "socket"], ["report", "socket"]):
            assert "socket is a socket, not a file" in refused(*args)


def test_a_link_to_a_pipe_is_refused() -> None:
    os.mkfifo("pipe")
    Path("link").symlink_to("pipe")
    assert "link is a named pipe, not a file" in refused("scan", "link")


CALLS: dict[str, Callable[[Path], object]] = {
    "open_paths": lambda path: open_paths([path]),
    "find": lambda path: la.find(path, 0.5),
    "read_text": read_text,
    "read_marks": read_marks,
    "load": la.Result.load,
    "against": lambda path: la.find([TEXT], 0.5, against=path),
}


@pytest.mark.usefixtures("_alarm")
@pytest.mark.parametrize("name", CALLS)
def test_calls_refuse_a_named_pipe(name: str) -> None:
    os.mkfifo("pipe")
    with pytest.raises(la.DocumentError, match="is a named pipe, not a file"):
        CALLS[name](Path("pipe"))


@pytest.mark.usefixtures("_alarm")
@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet", "a.arrow", "a.csv", "a.json", "a.txt"])
def test_a_table_that_becomes_a_pipe_is_not_waited_for(name: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"text": [TEXT, TEXT]})
    if name.endswith("parquet"):
        pq.write_table(table, name)
    elif name.endswith("arrow"):
        with pa.ipc.new_file(name, table.schema) as writer:
            writer.write_table(table)
    else:
        Path(name).write_text(f'{{"text": "{TEXT}"}}\n' if "json" in name else f"text\n{TEXT}\n", encoding="utf-8")
    source = open_paths([name])
    Path(name).unlink()
    os.mkfifo(name)
    if name == "a.txt":
        assert list(source.batches()) == []
        assert [skipped.detail for skipped in source.skipped()] == ["is a named pipe, not a file"]
    else:
        with pytest.raises(la.DocumentError, match="is a named pipe, not a file"):
            la.find(source, 0.5)


# -- what the shell opens ----------------------------------------------------------------------------------------------


@pytest.fixture
def piped(_here: None) -> Iterator[tuple[str, int]]:
    """The name of a pipe as a shell makes it of <(command), and its descriptor."""
    reading, writing = os.pipe()
    os.write(writing, f"{TEXT} b".encode())
    os.close(writing)
    yield f"/dev/fd/{reading}", reading
    os.close(reading)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd here")
def test_process_substitution_is_read(piped: tuple[str, int]) -> None:
    name, _ = piped
    source = open_paths(["a.txt", name])
    for _ in range(2):
        assert [text for batch in source.batches() for text in batch.texts] == [f"{TEXT} a", f"{TEXT} b"]


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd here")
def test_process_substitution_is_compared(piped: tuple[str, int]) -> None:
    assert read_text(piped[0]).text == f"{TEXT} b"


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd here")
def test_a_saved_result_through_a_pipe(saved: str) -> None:
    reading, writing = os.pipe()
    data = Path(saved).read_bytes()
    assert len(data) < 60_000, "it must fit into a pipe"
    os.write(writing, data)
    os.close(writing)
    assert la.Result.load(f"/dev/fd/{reading}").pair_count == 1
    os.close(reading)


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_standard_input_is_read(name: str) -> None:
    for args in (["compare", "a.txt", name], ["scan", "a.txt", name, "-t", "0.5"]):
        code, out, err = lookalike(*args, data=f"{TEXT} a".encode())
        assert code == 0, err
        assert "a.txt" in out
    code, out, err = lookalike("files", name, "--format", "csv", data=TEXT.encode())
    assert f",true,{len(TEXT)}," in out.lower(), err


def test_a_named_pipe_through_standard_input() -> None:
    os.mkfifo("pipe")
    reading = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reading, True)
    writing = os.open("pipe", os.O_WRONLY)
    os.write(writing, f"{TEXT} a".encode())
    os.close(writing)
    code, _, err = lookalike("compare", "a.txt", "-", stdin=reading)
    os.close(reading)
    assert code == 0, err


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no /dev/zero here")
@pytest.mark.parametrize("args", [["scan", "-"], ["scan", "/dev/stdin"], ["compare", "a.txt", "-"], ["files", "-"]])
def test_what_comes_through_a_pipe_has_a_limit(args: list[str]) -> None:
    program = """
import sys
from lookalike import opening
from lookalike.documents import text_file
blocks = opening.pipe_blocks
def limited(stream, name, most=0, *kind):
    return blocks(stream, name, 3 << 20, *kind)
opening.pipe_blocks = text_file.pipe_blocks = limited
from lookalike.cli import main
sys.exit(main(sys.argv[1:]))
"""
    with Path("/dev/zero").open("rb") as zero:
        done = subprocess.run(
            [sys.executable, "-c", program, *args], stdin=zero, capture_output=True, timeout=HANG, check=False
        )
    said = done.stderr.decode()
    assert (done.returncode, said.count("\n")) == (2, 1)
    assert "has more than 3 MiB, the most that is read from a pipe: write it to a file and name that" in said


@pytest.mark.parametrize("args", [["scan", "/dev/null", "a.txt"], ["compare", "a.txt", "/dev/null"]])
def test_the_null_device_is_an_empty_file(args: list[str]) -> None:
    _, _, err = lookalike(*args)
    assert "device" not in err
    assert lookalike("scan", "a.txt", "b.txt", "--ignore", "/dev/null")[0] == 0


# -- what is written ---------------------------------------------------------------------------------------------------

WRITES: dict[str, list[str]] = {
    "scan": ["scan", "a.txt", "b.txt", "-o", "{}"],
    "scan csv": ["scan", "a.txt", "b.txt", "--format", "csv", "-o", "{}"],
    "save": ["scan", "a.txt", "b.txt", "--save", "{}"],
    "scan report": ["scan", "a.txt", "b.txt", "--report", "{}"],
    "report": ["report", "run.lookalike", "-o", "{}"],
    "compare": ["compare", "a.txt", "b.txt", "-o", "{}"],
    "compare html": ["compare", "a.txt", "b.txt", "--html", "{}"],
    "files": ["files", "a.txt", "-o", "{}"],
    "dedupe": ["dedupe", "a.txt", "b.txt", "-o", "{}.txt"],
    "dedupe plan": ["dedupe", "a.txt", "b.txt", "--plan", "{}.csv", "--force"],
}


@pytest.mark.usefixtures("saved")
@pytest.mark.parametrize("name", WRITES)
def test_writing_to_a_named_pipe_is_refused(name: str) -> None:
    for pipe in ("pipe", "pipe.txt", "pipe.csv"):
        os.mkfifo(pipe)
    said = refused(*(arg.format("pipe") for arg in WRITES[name]))
    assert "is a named pipe, not a file: write to standard output, and redirect that: > NAME" in said


def test_writing_to_a_device_is_refused() -> None:
    assert "/dev/zero is a device, not a file" in refused("scan", "a.txt", "b.txt", "-o", "/dev/zero")
    with pytest.raises(la.DocumentError, match="is a device, not a file"):
        la.find([TEXT, TEXT], 0.5).save("/dev/zero")


@pytest.mark.parametrize("name", ["scan", "scan csv", "save", "scan report", "compare", "files"])
def test_the_null_device_takes_any_output(name: str) -> None:
    code, _, err = lookalike(*(arg.format("/dev/null") for arg in WRITES[name]))
    assert code == 0, err
    assert Path("/dev/null").is_char_device()


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd here")
@pytest.mark.parametrize("args", [["scan", "a.txt", "b.txt", "--format", "csv"], ["compare", "a.txt", "b.txt"]])
def test_writing_to_what_the_shell_has_opened(args: list[str]) -> None:
    code, plain, _ = lookalike(*args)
    assert (code, lookalike(*args, "-o", "/dev/stdout")[1]) == (0, plain)


# -- folders -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["lock", "manifest.new", "manifest.json", "rows.bin"])
def test_a_pipe_in_an_empty_work_folder_is_refused(name: str) -> None:
    Path("work").mkdir()
    os.mkfifo(Path("work", name))
    code, _, err = lookalike("scan", "a.txt", "b.txt", "--method", "lsh", "--work", "work")
    assert code == 2
    assert "give an empty or new folder" in err


def test_links_in_a_circle_end() -> None:
    Path("folder/sub").mkdir(parents=True)
    Path("folder/sub/up").symlink_to("..")
    Path("folder/self").symlink_to("self")
    Path("folder/a.txt").write_text(TEXT, encoding="utf-8")
    code, out, err = lookalike("files", "folder")
    assert code == 0, err
    assert "1 document " in out
    assert "2 link loop" in out


def test_a_work_folder_in_use_is_not_waited_for() -> None:
    import fcntl

    Path("work").mkdir()
    with Path("work/lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = refused("scan", "a.txt", "b.txt", "--method", "lsh", "--work", "work")
    assert "in use by another search" in said
