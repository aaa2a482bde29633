"""Documents in a store and on the web: the same results as from local files."""

from __future__ import annotations

import gc
import gzip
import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.errors import DocumentError, MissingExtraError
from tests.remote.bucket import jsonl_of, parquet_of, rows, text

if TYPE_CHECKING:
    from tests.cli.conftest import Run
    from tests.remote.bucket import Bucket
    from tests.remote.server import Site


def pairs(result: la.Result) -> list[tuple[Any, Any]]:
    return sorted((row["a"], row["b"]) for row in result.pairs.to_pylist())


def ids(source: la.Source) -> list[Any]:
    return [one for batch in source.batches() for one in batch.ids]


def copies() -> list[Path]:
    return list(Path(tempfile.gettempdir()).iterdir())


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.parquet", parquet_of(rows(40))),
        ("a.jsonl", jsonl_of(rows(40))),
        ("a.jsonl.gz", gzip.compress(jsonl_of(rows(40)))),
        ("a.csv", "id,text\n" + "".join(f"{row['id']},{row['text']}\n" for row in rows(40))),
    ],
)
@pytest.mark.parametrize("where", ["s3", "http"])
def test_a_table_gives_the_pairs_of_the_local_file(
    where: str, name: str, data: bytes | str, bucket: Bucket, site: Site
) -> None:
    stored = data.encode() if isinstance(data, str) else data
    Path(name).write_bytes(stored)
    site.files[f"/{name}"] = stored
    url = bucket.put(name, data) if where == "s3" else f"{site.address}/{name}"
    found = la.find(url, method="lsh")  # the second read fetches texts by their places
    assert pairs(found) == pairs(la.find(Path(name), method="lsh"))
    assert len(pairs(found)) == 8 * 7 // 2


def test_a_folder_is_read_like_a_local_one(bucket: Bucket) -> None:
    for name in ("a.txt", "in/b.txt", "in/c.md", ".hidden.txt", "in/node_modules/x.txt", "table.csv", "empty.txt"):
        data = "" if name == "empty.txt" else text(1)
        bucket.put(f"essays/{name}", data)
        path = Path("essays", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(data, encoding="utf-8")
    remote, local = la.open_paths([f"{bucket.url}/essays/"]), la.open_paths(["essays"])
    assert ids(remote) == ids(local) == ["a.txt", "in/b.txt", "in/c.md"]
    assert {(one.id, one.reason) for one in remote.skipped()} == {(one.id, one.reason) for one in local.skipped()}
    chosen = la.open_paths([f"{bucket.url}/essays"], include=["*.md"], hidden=True)
    assert ids(chosen) == ["in/c.md"]


def test_a_folder_of_tables_is_one_table_with_the_columns_of_its_folders(bucket: Bucket) -> None:
    bucket.put("data/year=2024/a.parquet", parquet_of(rows(5)))
    bucket.put("data/year=2025/a.parquet", parquet_of(rows(5, 5)))
    source = la.open_paths([f"{bucket.url}/data/"])
    assert ids(source) == [f"r{number}" for number in range(10)]
    assert source.schema is not None
    assert source.schema.names == ["id", "text", "n", "year"]


def test_a_glob_names_files_unless_a_file_has_that_very_name(bucket: Bucket) -> None:
    for number in range(3):
        bucket.put(f"data/part-{number}.parquet", parquet_of(rows(2, 2 * number)))
    bucket.put("data/other.csv", "text\none\n")
    assert len(ids(la.open_paths([f"{bucket.url}/data/part-?.parquet"]))) == 6
    assert len(ids(la.open_paths([f"{bucket.url}/data/part-[01].parquet"]))) == 4
    twice = la.open_paths([f"{bucket.url}/data/part-*.parquet", f"{bucket.url}/data/part-0.parquet"])
    assert len(ids(twice)) == 6
    assert [one.reason for one in twice.skipped()] == ["given twice"]
    with pytest.raises(DocumentError, match="matches nothing"):
        la.open_paths([f"{bucket.url}/data/*.jsonl"])
    exact = bucket.put("data/odd[1].txt", text(1))
    assert ids(la.open_paths([exact])) == [exact]


def test_archives_and_documents_are_read(bucket: Bucket) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("anna.txt", text(1))
        archive.writestr("ben.html", f"<p>{text(1)}</p>")
    url = bucket.put("essays.zip", packed.getvalue())
    page = bucket.put("page.html", f"<html><body><p>{text(1)}</p></body></html>")
    found = la.find(la.open_paths([url, page]))
    assert set(found.ids.to_pylist()) == {f"{url}/anna.txt", f"{url}/ben.html", page}
    assert len(pairs(found)) == 3


def test_keys_that_are_no_names_of_files_stay_in_their_folder(bucket: Bucket) -> None:
    bucket.put("odd/../../../escaped.txt", text(1))
    bucket.put("odd/" + "n" * 300 + ".txt", text(2))
    bucket.put("odd/é % # ?.txt", text(3))
    source = la.open_paths([f"{bucket.url}/odd"], hidden=True)
    assert len(ids(source)) == 3
    (folder,) = copies()
    assert len(list(folder.iterdir())) == 3


def test_copies_last_as_long_as_the_source(bucket: Bucket) -> None:
    source = la.open_paths([bucket.put("a.jsonl", jsonl_of(rows(5)))])
    assert len(copies()) == 1
    assert ids(source) == ids(source)
    del source
    gc.collect()
    assert copies() == []


def test_an_error_while_copying_leaves_nothing(site: Site) -> None:
    site.files |= {"/a.txt": b"one " * 100, "/b.txt": b"two " * 100}
    site.broken.add("/b.txt")
    with pytest.raises(DocumentError, match=r"b\.txt"):
        la.open_paths([f"{site.address}/a.txt", f"{site.address}/b.txt"])
    gc.collect()
    assert copies() == []


def test_a_search_goes_on_with_the_same_object_and_not_with_another(bucket: Bucket) -> None:
    url = bucket.put("a.jsonl", jsonl_of(rows(40)))
    first = la.open_paths([url]).identity()
    assert la.open_paths([url]).identity() == first
    changed = jsonl_of(rows(40)).replace(b'"n": 20', b'"n": 21')
    bucket.put("a.jsonl", changed)
    assert la.open_paths([url]).identity() != first


@pytest.mark.parametrize("name", ["a.jsonl", "a.txt"])
def test_another_etag_is_another_file(name: str, site: Site) -> None:
    """Also with the same size and date, and where only a part has changed that no sample shows."""
    data = jsonl_of(rows(1000))
    site.files[f"/{name}"] = data
    first = la.open_paths([f"{site.address}/{name}"]).identity()
    assert la.open_paths([f"{site.address}/{name}"]).identity() == first
    quarter = len(data) // 4
    assert data[quarter : quarter + 4] != b"wXrd"
    site.files[f"/{name}"] = data[:quarter] + b"wXrd" + data[quarter + 4 :]
    assert la.open_paths([f"{site.address}/{name}"]).identity() != first


def test_what_does_not_fit_on_the_disk_is_refused_before_it_is_copied(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = bucket.put("a.txt", text(1))
    full = type("Usage", (), {"free": 10})
    monkeypatch.setattr("shutil.disk_usage", lambda _: full)
    with pytest.raises(DocumentError, match=r"do not fit .* which has 10 B left; set TMPDIR"):
        la.open_paths([url])


def test_a_page_of_unknown_length_is_copied_up_to_a_limit(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.files["/a.txt"] = text(1).encode()
    site.silent.add("/a.txt")
    assert ids(la.open_paths([f"{site.address}/a.txt"])) == [f"{site.address}/a.txt"]
    monkeypatch.setattr("lookalike.documents.remote_files.LARGEST_UNKNOWN", 100)
    with pytest.raises(DocumentError, match="has more than 100 B, and the server does not say"):
        la.open_paths([f"{site.address}/a.txt"])


def test_pages_that_differ_in_their_queries_are_two_documents(site: Site) -> None:
    site.files["/get"] = text(1).encode()
    source = la.open_paths([f"{site.address}/get?id=1", f"{site.address}/get?id=2"])
    assert ids(source) == [f"{site.address}/get", f"{site.address}/get#2"]
    assert "GET /get?id=2" in site.asked


def test_commands_take_urls(bucket: Bucket, run: Run) -> None:
    a, b = bucket.put("e/a.txt", text(1)), bucket.put("e/b.txt", text(1) + " more")
    assert run("compare", a, b, "--format", "json").json["a"] == a
    listed = run("files", f"{bucket.url}/e/", "--format", "json")
    assert listed.code == 0
    sheet = bucket.put("sheet.txt", text(1))
    shown = run("scan", f"{bucket.url}/e/", "--ignore", sheet, "--format", "json")
    assert shown.json["pairs"] == []
    against = run("scan", a, "--against", b, "--format", "json")
    assert len(against.json["pairs"]) == 1
    assert run("estimate", f"{bucket.url}/e/").code == 0


def test_a_string_is_a_url_alone_and_a_text_in_a_list(bucket: Bucket) -> None:
    url = bucket.put("a.jsonl", jsonl_of(rows(5)))
    assert la.find(url).documents == 5
    assert la.find([url, url]).documents == 2
    with pytest.raises(DocumentError, match="a Path loses a slash of a URL"):
        la.find(Path(url))


def test_only_known_schemes_are_opened(run: Run) -> None:
    Path("a.txt").write_text("one", encoding="utf-8")
    for url in (f"file://{Path('a.txt').absolute()}", "memory://a.txt", "ftp://127.0.0.1/a", "zip://a::s3://b/c.zip"):
        assert "URLs may begin with s3://" in run("scan", url).complaint


def test_a_local_file_with_such_a_name_is_read_by_its_path(run: Run) -> None:
    Path("s3:/bucket").mkdir(parents=True)
    Path("s3:/bucket/a.txt").write_text(text(1), encoding="utf-8")
    assert run("files", "./s3://bucket/a.txt").code == 0


@pytest.mark.parametrize(
    ("url", "missing", "install"),
    [
        ("gs://bucket/a.parquet", "gcsfs", "'.[remote]' gcsfs"),
        ("hf://datasets/a/b/c.csv", "huggingface_hub", "'.[remote]' huggingface_hub"),
        ("s3://bucket/a.parquet", "s3fs", "'.[remote]'"),
        ("https://127.0.0.1/a", "fsspec", "'.[remote]'"),
    ],
)
def test_what_is_missing_is_named(url: str, missing: str, install: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtraError) as error:
        la.open_paths([url])
    assert str(error.value).endswith(f"in a clone of lookalike, pip install {install}")


def test_nothing_is_loaded_for_local_files() -> None:
    Path("a.txt").write_text(text(1), encoding="utf-8")
    program = """
import sys
from lookalike.cli import main
assert main(["scan", "a.txt", "--save", "run.lookalike", "-o", "pairs.csv"]) == 0
print(*sorted({name.split(".")[0] for name in sys.modules} & {"fsspec", "s3fs", "aiohttp", "ssl"}))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, []), done.stderr


def test_a_text_that_begins_with_a_url_is_no_url() -> None:
    with pytest.raises(DocumentError, match="are one str, not a collection"):
        la.find("https://127.0.0.1/ is where it began, and this is the rest of the text")


def test_authors_are_told_by_the_folders_of_a_url(bucket: Bucket, run: Run) -> None:
    for name in ("ann/one.txt", "ann/two.txt", "ben/one.txt"):
        bucket.put(f"e/{name}", text(1))
    found = run("scan", f"{bucket.url}/e/", "--group-by", "dir", "--format", "json").json
    assert len(found["pairs"]) == 2  # not those of one author
