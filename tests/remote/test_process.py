"""Copying remote files: how much memory it takes, and how it ends. Each in a process of its own."""

from __future__ import annotations

import signal
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.faults.child import HANG, PEAK, run, start

if TYPE_CHECKING:
    from tests.remote.bucket import Bucket
    from tests.remote.server import Site

_SIZE = 96 << 20


@pytest.mark.parametrize("where", ["s3", "http"])
def test_a_large_file_takes_little_memory(where: str, bucket: Bucket, site: Site) -> None:
    if where == "s3":
        url = bucket.put("large.txt", b"x" * _SIZE)
        small = bucket.put("small.txt", b"one two three")
    else:
        site.sizes["/large.txt"] = _SIZE
        site.files["/small.txt"] = b"one two three"
        url, small = f"{site.address}/large.txt", f"{site.address}/small.txt"
    program = f"""
{PEAK}
import sys, warnings
warnings.simplefilter("default")  # what the libraries of the stores warn of is not ours
import lookalike as la
from lookalike.documents.raw_input import Limits
la.open_paths([sys.argv[2]]).size()  # loads all that there is to load
before = peak()
print(la.open_paths([sys.argv[1]], limits=Limits(document={_SIZE})).size().bytes, peak() - before)
"""
    size, grown = map(int, run(program, url, small).split())
    assert size == _SIZE
    assert grown < _SIZE / 2


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_server_that_falls_silent_can_be_left(site: Site, sent: signal.Signals, code: int) -> None:
    site.files["/a.txt"] = b"one two three"
    program = """
import signal, sys, warnings
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has its background jobs ignore it
warnings.simplefilter("default")
from lookalike.cli import main
sys.exit(main(["scan", *sys.argv[1:]]))
"""
    with start(program, f"{site.address}/a.txt", f"{site.address}/stuck") as child:
        assert site.stuck.wait(HANG)
        child.send_signal(sent)
        _, said = child.communicate(timeout=HANG)
    assert child.returncode == code, said
    assert list(Path(tempfile.gettempdir()).iterdir()) == []
