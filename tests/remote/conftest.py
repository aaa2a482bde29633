"""A store and a web site for each test; nothing of the person's own credentials and settings."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import run
from tests.remote.bucket import Bucket
from tests.remote.server import Site, object_store, web_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["run"]


@pytest.fixture(scope="session")
def endpoint() -> Iterator[str]:
    with object_store() as address:
        yield address


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run in an empty folder, with no settings of anybody, and leave no copy behind."""
    import fsspec

    here, temporary = tmp_path / "here", tmp_path / "temporary"
    here.mkdir()
    temporary.mkdir()
    monkeypatch.chdir(here)
    for name in [name for name in os.environ if name.startswith(("AWS_", "FSSPEC_", "HF_"))]:
        monkeypatch.delenv(name)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")  # which would be asked over the network
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)
    fsspec.AbstractFileSystem.clear_instance_cache()
    yield
    for kind in ("s3", "s3a", "http", "https"):
        fsspec.get_filesystem_class(kind).clear_instance_cache()


@pytest.fixture
def bucket(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    """A bucket that is empty, in a store that needs a key."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not-a-real-key")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    made = Bucket("documents")
    made.empty()
    yield made
    made.empty()


@pytest.fixture
def site() -> Iterator[Site]:
    with web_site() as found:
        yield found
