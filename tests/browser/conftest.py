"""A real browser, and a report opened in it from the file system, as a person would."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, expect, sync_playwright

import lookalike as la
from tests.browser.serving import built, served
from tests.report.essays import TASK, essays, metadata, old_essays

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)

# How long a machine that is busy with other tests may take; a page that is right answers in milliseconds.
expect.set_options(timeout=20_000)

Open = Callable[..., Page]
Visit = Callable[..., Page]


def find_browser() -> str:
    """Return the path of a Chromium; without one the tests fail, since the page is what people judge us by."""
    given = os.environ.get("LOOKALIKE_BROWSER")
    found = [given] if given else [path for name in NAMES if (path := shutil.which(name))]
    found += [place for place in PLACES if Path(place).exists()]
    if not found:
        pytest.fail("no Chromium found: install it (Debian: apt-get install chromium), or set LOOKALIKE_BROWSER")
    return found[0]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # Containers have no user namespaces for the sandbox, and the only page that is opened is our own.
        made = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Open a report; whatever it says to the console or asks of the network fails the test."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def open_report(path: Path, at: str = "", *, width: int = 1280, height: int = 900, **settings: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, accept_downloads=True, **settings)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: wrong.append(f"console {message.type}: {message.text}"))
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("request", lambda request: wrong.append(f"request: {request.url}") if _outside(request.url) else None)
        page.goto(f"{path.as_uri()}{at}")
        page.wait_for_selector("html[data-ready]")
        return page

    yield open_report
    for context in contexts:
        context.close()
    assert wrong == []


def _outside(url: str) -> bool:
    return not url.startswith(("file:", "data:", "blob:"))


@pytest.fixture(scope="session")
def class_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a class, with names and dates, last year's essays, and the task as a template."""
    path = tmp_path_factory.mktemp("class") / "report.html"
    result = la.find(essays(), 0.2, ignore=[TASK], against=old_essays())
    result = result.with_origin({"command": "lookalike scan essays/", "paths": ["essays/"]})
    result.report(path, metadata=metadata())
    return path


@pytest.fixture(scope="session")
def plain_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a class of which nothing else is known."""
    path = tmp_path_factory.mktemp("plain") / "report.html"
    la.find(essays(), 0.2).report(path)
    return path


# -- the page of a server ----------------------------------------------------------------------------------------------


@pytest.fixture
def contexts() -> list[BrowserContext]:
    """The contexts of the pages that a test has opened."""
    return []


@pytest.fixture
def visit(browser: Browser, contexts: list[BrowserContext]) -> Iterator[Visit]:
    """Open the page of a server; what it says to the console or asks of others, or a dialog, fails the test.

    The browser itself notes answers such as 404 in the console: `refused` are those that a test provokes.
    """
    wrong: list[str] = []

    def visit_page(
        url: str, at: str = "", *, refused: tuple[int, ...] = (), width: int = 1280, height: int = 900, **settings: Any
    ) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **settings)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)

        def hear(text: str) -> None:
            status = re.match(r"Failed to load resource: the server responded with a status of (\d+)", text)
            if status is None or int(status[1]) not in refused:
                wrong.append(f"console: {text}")

        def dismiss(dialog: Dialog) -> None:
            wrong.append(f"dialog: {dialog.message}")
            dialog.dismiss()

        page.on("console", lambda message: hear(message.text))
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("dialog", dismiss)
        page.on("request", lambda request: None if _own(request.url, url) else wrong.append(f"request: {request.url}"))
        page.goto(f"{url}/{at}")
        return page

    yield visit_page
    for context in contexts:
        context.close()
    assert wrong == []


def _own(url: str, server: str) -> bool:
    return url.startswith((f"{server}/", "data:", "blob:"))


@pytest.fixture(scope="session")
def essays_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of the essays that tests only read from."""
    with served(built(tmp_path_factory.mktemp("server") / "essays.db", essays())) as url:
        yield url


@pytest.fixture
def own_server(tmp_path: Path, contexts: list[BrowserContext]) -> Iterator[str]:
    """A server of the essays that a test may change."""
    with served(built(tmp_path / "essays.db", essays())) as url:
        yield url
        for context in contexts:  # before the server ends: a page that was changed last may still ask for something
            context.close()
