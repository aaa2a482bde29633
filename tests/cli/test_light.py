"""A scan that prints a table or JSON loads none of what takes longer to import than most searches last."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

TEXTS = [" ".join(f"w{word + page % 3}" for word in range(30)) for page in range(9)]
PROGRAM = """
import sys
from lookalike.cli import main
for options in sys.argv[1].split(","):
    assert main(["scan", sys.argv[2], *options.split()]) == 0
    heavy = {"numpy", "pandas", "pyarrow", "pydantic", "ssl"} & {name.split(".")[0] for name in sys.modules}
    assert not heavy, f"scan {options} loads {', '.join(sorted(heavy))}"
"""
ANY = ["-t 0.5", "--format json", "--format jsonl", "--format csv", "--format md", "--linkage linked", "--method lsh"]
ANY += ["--min-words 9", "--metric containment", "--against more.txt", "--group-by (.)", "--passages -t 0.5"]
OF_FILES = ["--audit -t 0.5", "--report report.html", "--skip quotes"]
"""What reads all texts again."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "essays").mkdir()
    for number, text in enumerate(TEXTS):
        (tmp_path / "essays" / f"{number}.txt").write_text(text, encoding="utf-8")
    (tmp_path / "more.txt").write_text(TEXTS[0], encoding="utf-8")
    rows = [{"id": f"d{number}", "text": text} for number, text in enumerate(TEXTS)]
    (tmp_path / "pages.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "pages.parquet")
    return tmp_path


@pytest.mark.parametrize(
    ("documents", "options"), [("essays", ANY + OF_FILES), ("pages.jsonl", ANY), ("pages.parquet", ANY)]
)
def test_a_scan_loads_nothing_heavy(documents: str, options: list[str], place: Path) -> None:
    arguments = [sys.executable, "-c", PROGRAM, ",".join(options), documents]
    done = subprocess.run(arguments, cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
