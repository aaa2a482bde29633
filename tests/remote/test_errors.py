"""What goes wrong with a URL is one clear line that names it, and never a secret."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.errors import DocumentError
from tests.remote.bucket import jsonl_of, rows, text

if TYPE_CHECKING:
    from tests.cli.conftest import Run
    from tests.remote.bucket import Bucket
    from tests.remote.server import Site


@pytest.fixture
def nobody() -> str:
    """An address on this machine where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{taken.getsockname()[1]}"


def test_what_is_not_in_the_store(bucket: Bucket, run: Run) -> None:
    bucket.put("a.txt", text(1))
    url = f"{bucket.url}/none.txt"
    assert run("scan", url).complaint == f"{url} does not exist: check the URL"
    assert run("compare", f"{bucket.url}/a.txt", url).complaint == f"{url} does not exist: check the URL"
    assert run("report", url).complaint == f"{url} does not exist: check the URL"
    for name in ("a.txt", "folder/", "*.txt", ""):
        said = run("scan", f"s3://no-such-bucket/{name}").complaint
        assert said.startswith(f"s3://no-such-bucket/{name}")
        assert "no such bucket" in said or "does not exist" in said
    said = run("scan", f"{bucket.url}/a.txt", "-o", "s3://no-such-bucket/pairs.csv").complaint
    assert said.startswith("s3://no-such-bucket/pairs.csv cannot be")
    assert "there is no such bucket" in said


def test_no_credentials(bucket: Bucket, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    bucket.put("a.txt", text(1))
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    said = run("scan", f"{bucket.url}/a.txt").complaint
    assert said.startswith(f"{bucket.url}/a.txt needs credentials, and there are none: set AWS_PROFILE or")


def test_connection_refused(run: Run, nobody: str, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"http://{nobody}/a.txt"
    assert run("scan", url).complaint == f"{url} cannot be read (connection refused): check the URL and the network"
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{nobody}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not-a-real-key")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    said = run("scan", "s3://documents/a.txt").complaint
    assert said.startswith("s3://documents/a.txt cannot be read (")
    assert said.endswith("check the endpoint (for S3, AWS_ENDPOINT_URL) and the network")


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (404, "does not exist: check the URL"),
        (403, "cannot be read (access denied): check the URL"),
        (500, "cannot be read (the server answers with HTTP status 500): try again later"),
    ],
)
def test_answers_of_a_web_server(site: Site, run: Run, status: int, said: str) -> None:
    site.status["/a.txt"] = status
    assert run("scan", f"{site.address}/a.txt").complaint == f"{site.address}/a.txt {said}"


def test_a_page_that_comes_in_part(site: Site, run: Run) -> None:
    site.files["/a.txt"] = text(1).encode()
    site.broken.add("/a.txt")
    assert run("scan", f"{site.address}/a.txt").complaint.startswith(f"{site.address}/a.txt ")


def test_secrets_are_never_shown_or_saved(site: Site, run: Run) -> None:
    site.files["/a.jsonl"] = jsonl_of(rows(10))
    plain = site.address.removeprefix("http://")
    url = f"http://anna:hunter2@{plain}/a.jsonl?signature=hunter2"
    done = run("scan", url, "--save", "run.lookalike", "--report", "r.html", "-v")
    assert done.code == 0, done.err
    saved = la.Result.load("run.lookalike")
    shown = [
        done.out,
        done.err,
        str(saved.origin),
        run("scan", url, "--format", "json").out,
        repr(la.open_paths([url])),
    ]
    shown += [Path(name).read_bytes().decode("utf-8", "replace") for name in ("run.lookalike", "r.html")]
    for wrong in ("none.jsonl", "../%2e"):
        bad = f"http://anna:hunter2@{plain}/{wrong}?signature=hunter2"
        shown += [run("scan", bad).err, run("compare", bad, bad).err, run("scan", url, "--meta", bad).err]
        shown.append(run("scan", url, "-o", bad).err)
        with pytest.raises(DocumentError) as error:
            la.open_paths([bad])
        shown.append(str(error.value))
    assert [one for one in shown if "hunter2" in one] == []


def test_keys_in_the_url_of_a_store_are_refused(bucket: Bucket, run: Run) -> None:
    said = run("scan", "s3://AKID:hunter2@documents/a.txt").complaint
    assert said.startswith("s3://documents/a.txt has a key or a password in it")
    assert "hunter2" not in said
