"""Documents that need no table are read without the libraries of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.documents.making import docx, lines_at, pdf
from tests.faults.child import run

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import os, sys
os.chdir(sys.argv[1])
from pathlib import Path
from lookalike.documents import open_documents
given = {"list": ["one", "two"], "dict": {"a": "one", "b": "two"}}.get(sys.argv[2], Path(sys.argv[2]))
source = open_documents(given)
print(sum(len(batch.texts[0]) > 0 for batch in source.batches()))
print([list(texts) for _, texts in source.fetch([0])] != [])
print(sorted({"numpy", "pandas", "pyarrow", "pydantic", "ssl"} & set(sys.modules)))
"""


@pytest.mark.parametrize("given", ["list", "dict", "folder", "folder/a.txt", "folder/e.txt.gz", "a.zip"])
def test_no_library_of_tables_is_imported(tmp_path: Path, given: str) -> None:
    import gzip
    import zipfile

    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").write_text("one")
    (folder / "b.html").write_text("<p>two</p>")
    (folder / "c.pdf").write_bytes(pdf([lines_at(700, "three")]))
    (folder / "d.docx").write_bytes(docx(["four"]))
    (folder / "e.txt.gz").write_bytes(gzip.compress(b"five"))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("one.txt", "one")
    assert run(PROGRAM, str(tmp_path), given).splitlines() == ["1", "True", "[]"]
