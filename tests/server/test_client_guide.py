"""The examples of the guide that need a server."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import lookalike as la
from tests.docs.pages import ROOT, blocks, check_python
from tests.server.served import Served

if TYPE_CHECKING:
    from pathlib import Path


def test_the_client_of_the_guide(tmp_path: Path) -> None:
    la.Index.open(tmp_path / "index.db", create=True).close()
    found = [block for block in blocks(ROOT / "docs" / "guide.md") if block.language == "python server"]
    assert found
    with Served(tmp_path / "index.db", log=tmp_path / "log") as served:
        for block in found:
            here = replace(block, text=block.text.replace("http://127.0.0.1:8765", served.url))
            assert check_python(here, {}) == ""
