"""Results that are written to a store: whole or not at all, and never over a source."""

from __future__ import annotations

import gc
import io
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.errors import DocumentError, RecipeError
from lookalike.remote import RemoteStore, new_remote_file, new_remote_folder
from tests.remote.bucket import jsonl_of, parquet_of, rows, text

if TYPE_CHECKING:
    from tests.cli.conftest import Run
    from tests.remote.bucket import Bucket
    from tests.remote.server import Site


def test_scan_saves_reports_and_lists_in_a_store(bucket: Bucket, run: Run) -> None:
    url = bucket.put("in/a.jsonl", jsonl_of(rows(20)))
    out = f"{bucket.url}/out"
    done = run("scan", url, "-o", f"{out}/pairs.csv", "--save", f"{out}/run.lookalike", "--report", f"{out}/r.html")
    assert done.code == 0, done.err
    assert bucket.get("out/pairs.csv").count(b"\n") == 1 + 4 * 3 // 2
    assert bucket.get("out/r.html").startswith(b"<!")
    saved = la.Result.load(f"{out}/run.lookalike")
    assert saved.documents == 20
    assert run("report", f"{out}/run.lookalike", url, "-o", f"{out}/again.html").code == 0
    planned = run("dedupe", "--result", f"{out}/run.lookalike", "--plan", f"{out}/plan.jsonl")
    assert planned.code == 0
    assert len(bucket.get("out/plan.jsonl").splitlines()) == 3
    gc.collect()
    assert list(Path(tempfile.gettempdir()).iterdir()) == []


def test_results_are_written_from_python(bucket: Bucket) -> None:
    found = la.find(bucket.put("a.jsonl", jsonl_of(rows(10))))
    found.save(f"{bucket.url}/run.lookalike")
    found.write_pairs(f"{bucket.url}/pairs.parquet", "parquet")
    assert pq.read_table(io.BytesIO(bucket.get("pairs.parquet"))).num_rows == 1
    assert la.Result.load(f"{bucket.url}/run.lookalike").documents == 10


def test_dedupe_writes_rows_to_a_file_and_to_a_folder(bucket: Bucket, run: Run) -> None:
    bucket.put("in/year=2024/a.parquet", parquet_of(rows(10)))
    bucket.put("in/year=2025/a.parquet", parquet_of(rows(10, 10)))
    kept, removed = f"{bucket.url}/kept/", f"{bucket.url}/removed.jsonl.gz"
    done = run("dedupe", f"{bucket.url}/in/", "-o", kept, "--removed", removed, "--rows-per-file", "5")
    assert done.code == 0, done.err
    parts = [key for key in bucket.listed() if key.startswith("kept/")]
    assert parts[0] == "kept/year=2024/part-00000.parquet"
    assert sum(pq.ParquetFile(io.BytesIO(bucket.get(key))).metadata.num_rows for key in parts) == 17
    assert "removed.jsonl.gz" in bucket.listed()
    again = run("dedupe", f"{bucket.url}/in/", "-o", kept)
    assert "is a folder that is not empty" in again.complaint


def test_kept_texts_are_listed_by_their_urls(bucket: Bucket, run: Run) -> None:
    for name in ("a", "b"):
        bucket.put(f"e/{name}.txt", text(1))
    assert run("dedupe", f"{bucket.url}/e/", "-o", f"{bucket.url}/kept.txt").code == 0
    assert bucket.get("kept.txt") == f"{bucket.url}/e/a.txt\n".encode()


def test_no_source_is_written_over(bucket: Bucket, run: Run) -> None:
    url = bucket.put("in/a.jsonl", jsonl_of(rows(5)))
    before = bucket.get("in/a.jsonl")
    for source in (url, f"{bucket.url}/in/", f"{bucket.url}/in/*.jsonl"):
        assert "is among the documents" in run("dedupe", source, "-o", url, "--force").complaint
    assert "is among the documents" in run("dedupe", f"{bucket.url}/in", "-o", f"{bucket.url}/in/kept/").complaint
    note = bucket.put("note.txt", text(1))
    assert "is one of the documents" in run("compare", note, note, "-o", note).complaint
    kept = bucket.put("kept.jsonl", "there")
    assert "exists: give another name, or --force" in run("dedupe", url, "-o", kept).complaint
    assert bucket.get("kept.jsonl") == b"there"
    assert run("dedupe", url, "-o", kept, "--force").code == 0
    assert bucket.get("in/a.jsonl") == before
    assert json.loads(bucket.get("kept.jsonl").splitlines()[0])["id"] == "r0"


def test_outputs_appear_when_they_are_whole(bucket: Bucket) -> None:
    def broken_off() -> None:
        with new_remote_file(f"{bucket.url}/a.txt") as stream:
            stream.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken_off()
    assert bucket.listed() == []
    assert list(Path(tempfile.gettempdir()).iterdir()) == []


def test_a_folder_that_cannot_be_uploaded_leaves_no_part(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = RemoteStore.upload

    def fails(self: RemoteStore, path: Path, url: str) -> None:
        if url.endswith("b.txt"):
            raise DocumentError(url, "file", "cannot be written", "try again")
        upload(self, path, url)

    def written() -> None:
        with new_remote_folder(f"{bucket.url}/out/") as folder:
            (folder / "a.txt").write_text("one", encoding="utf-8")
            (folder / "b.txt").write_text("two", encoding="utf-8")

    monkeypatch.setattr(RemoteStore, "upload", fails)
    with pytest.raises(DocumentError):
        written()
    assert bucket.listed() == []
    monkeypatch.undo()


def test_the_web_is_only_read_and_a_work_folder_is_local(site: Site, run: Run) -> None:
    site.files["/a.txt"] = text(1).encode()
    url = f"{site.address}/a.txt"
    assert "is on the web, where files are only read" in run("scan", url, "-o", f"{site.address}/p.csv").complaint
    with pytest.raises(RecipeError, match="work must be a local folder"):
        la.find(url, work="s3://bucket/work")
    assert not any(asked.startswith("PUT") for asked in site.asked)
    assert not Path("s3:").exists()
