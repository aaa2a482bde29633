"""An index behind a server, in each kind of store."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.index.store_opening import open_existing, open_store
from tests.index.stores import KINDS, places
from tests.server.live import Site, in_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path


def serving(kind: str, folder: Path) -> Callable[..., AbstractContextManager[Site]]:
    """Return what serves a new index of a kind."""
    new = places(kind, folder)

    @contextmanager
    def serve(keep: str | None = None, threshold: float = 0.5, **settings: Any) -> Iterator[Site]:
        place = new()
        store = open_store(place.where, None, threshold, None, keep, False, None)
        again = partial(open_existing, place.where) if place.lasts else None
        with in_thread(store, again, **settings) as site:
            yield site

    return serve


@pytest.fixture(params=KINDS)
def serve(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., AbstractContextManager[Site]]:
    """Give what serves a new index, in each kind of store."""
    return serving(request.param, tmp_path)


@pytest.fixture
def serve_memory(tmp_path: Path) -> Callable[..., AbstractContextManager[Site]]:
    """Give what serves a new index in memory."""
    return serving("memory", tmp_path)


@pytest.fixture
def site(serve_memory: Callable[..., AbstractContextManager[Site]]) -> Iterator[Site]:
    """Give a server with an empty index in memory."""
    with serve_memory() as site:
        yield site


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """Give an index in a file, with two documents."""
    path = tmp_path / "built.db"
    with la.Index.open(path, threshold=0.5) as index:
        index.add({"fox": "the quick brown fox jumps over the lazy dog", "sea": "the moon pulls at the sea all day"})
    return path


_SEEN: list[tuple[str, str]] = []
_WATCHING = False


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if _WATCHING and event in ("open", "socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system"):
        _SEEN.append((event, str(arguments[1] if event == "socket.connect" else arguments[0])))


@pytest.fixture
def watched() -> Iterator[list[tuple[str, str]]]:
    """Note what this process opens, connects to and starts; a hook cannot be removed, but it can be deaf."""
    global _WATCHING  # noqa: PLW0603
    if _watch not in _HOOKS:
        sys.addaudithook(_watch)
        _HOOKS.append(_watch)
    _SEEN.clear()
    _WATCHING = True
    yield _SEEN
    _WATCHING = False


_HOOKS: list[object] = []


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Give a server that refuses all that is sent to it, and so stays empty."""
    with serving("memory", tmp_path_factory.mktemp("empty"))() as site:
        yield site
