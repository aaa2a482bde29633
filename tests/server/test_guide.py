"""The examples in the guide's section about the server, run with curl against a server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.docs.pages import ROOT, Block, blocks
from tests.server.live import child

GUIDE = ROOT / "docs" / "guide.md"
ADDRESS = "http://127.0.0.1:8765"


def section() -> list[Block]:
    """Return the blocks of the section."""
    lines = GUIDE.read_text(encoding="utf-8").splitlines()
    first = lines.index("## A server") + 1
    end = next(number for number, line in enumerate(lines[first:], first + 1) if line.startswith("## "))
    return [block for block in blocks(GUIDE) if first < block.line < end]


def shell(command: str, folder: Path) -> str:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    return done.stdout


def test_the_examples_of_the_guide(tmp_path: Path) -> None:
    found = section()
    build = f"{sys.executable} -m lookalike index build demo.db {ROOT / 'examples' / 'collection'} --threshold 0.5"
    shell(build, tmp_path)
    seen = 0
    with child(tmp_path / "demo.db") as site:
        for block, following in pairwise(found):
            if block.language != "sh" or ADDRESS not in block.text:
                continue
            assert following.language == "json", str(block)
            printed = shell(block.text.replace(ADDRESS, site.url), tmp_path)
            expected: Any = json.loads(following.text)
            assert json.loads(printed) == expected, f"{block}: {printed}"
            seen += 1
    assert seen >= 7


def test_the_commands_of_the_guide_are_those_that_are_tested() -> None:
    text = "".join(block.text for block in section())
    assert "lookalike index build demo.db examples/collection --threshold 0.5" in text
    assert "lookalike serve demo.db\n" in text
    assert "Serving at http://127.0.0.1:8765/" in text
