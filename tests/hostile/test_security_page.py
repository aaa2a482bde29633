"""The limits in SECURITY.md are those of the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from lookalike import opening
from lookalike.documents import extract, folder, remote_files, text_file
from lookalike.documents.raw_input import HARMLESS, LIMITS, MOST_COLUMNS
from lookalike.index import contract
from lookalike.search import workdir
from lookalike.server import ServerLimits, guard
from lookalike.server.lanes import ENDING

PAGE = (Path(__file__).parents[2] / "SECURITY.md").read_text(encoding="utf-8")
ROWS = {
    cells[0].strip(): cells[1].strip()
    for line in PAGE.splitlines()
    if line.startswith("| ") and len(cells := line.strip("|").split("|")) == 3
}
MIB, GIB = 1 << 20, 1 << 30
TIMES = f"{extract.seconds_for(0):g} s plus {extract.seconds_for(MIB) - extract.seconds_for(0):g} s per MiB"
SERVER = ServerLimits()
EXPECTED = {
    "one document, line, cell or value": f"{LIMITS.document // MIB} MiB",
    "text extracted from one document": f"{extract.LARGEST_TEXT // MIB} MiB",
    "growth of a compressed or dictionary-encoded file": (
        f"{LIMITS.expansion} times its size, once it exceeds {HARMLESS // MIB} MiB"
    ),
    "columns of a table": f"{MOST_COLUMNS:,}",
    "standard input, or another pipe": f"{opening.LARGEST_PIPE // GIB} GiB",
    "a remote file of unknown size": f"{remote_files.LARGEST_UNKNOWN // GIB} GiB",
    "all remote files": "what is free in `TMPDIR`",  # tests/remote fills it
    "a file that is read in a separate process": f"{extract.LARGEST_FILE // MIB} MiB",
    "memory of such a process": f"{extract.MEMORY // MIB} MiB",
    "processor time for one document there": f"{TIMES}, at most {extract.seconds_for(1 << 40):g} s",
    "members of an archive": f"{extract.MOST_MEMBERS:,}",
    "nested archives": f"{extract.NESTED} levels",
    "name of a member": f"{extract.LONGEST_NAME:,} characters",
    "marks, `--meta` and stop-word files": f"{text_file.LARGEST_SMALL_FILE // 10**6} MB",
    "ignore file (`.gitignore`)": f"{folder.MOST_RULES:,} rules",
    "id of a document in an index": f"{contract.LONGEST_ID // MIB} MiB",
    "text or shingles of a document in an index": f"{contract.LARGEST_BODY // MIB} MiB",
    "documents ever added to one index": f"{contract.LAST_NUMBER + 1:,}",
    "manifest of a work folder": f"{workdir._LARGEST_MANIFEST // MIB} MiB",
    "a request to the server, a line of NDJSON": f"{SERVER.body // 10**6} MB",
    "headers of a request": (
        f"{guard.LONGEST_HEADER // 1024} KiB, {guard.MOST_HEADERS} of them, {SERVER.header_seconds:g} s"
    ),
    "documents of a request": f"{SERVER.batch:,}",
    "pause within a body": f"{SERVER.body_seconds:g} s",
    "connections of a server": f"{SERVER.connections}",
    "requests in progress, and waiting": f"{SERVER.in_work} and {SERVER.waiting}",
    "of these, from one other machine (IPv6: one /64 network) with incomplete headers": f"{SERVER.beginning}",
    "of these in progress, with several documents or more than 64 kB": f"{SERVER.in_work // 2}, half of them",
    "work on a request, its wait included": f"{SERVER.seconds:g} s",
    "work on requests in progress at SIGTERM": f"{ENDING:g} s",
}


@pytest.mark.parametrize("what", EXPECTED)
def test_a_limit_is_that_of_the_code(what: str) -> None:
    assert ROWS[what] == EXPECTED[what]


def test_no_limit_is_unchecked() -> None:
    assert set(ROWS) - {"what"} == set(EXPECTED)
