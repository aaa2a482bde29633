"""What the page of a server is made of: its own files and shared ones, nothing inline, nothing from elsewhere."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

import lookalike.server
from lookalike.report import SCRIPTS as REPORT_SCRIPTS
from lookalike.report import SHARED_SCRIPTS, SHARED_STYLES, part
from lookalike.server.application import SCRIPTS, STYLES, asset, page
from lookalike.server.problems import Problem
from tests.browser.serving import built, served
from tests.faults.child import HANG

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from starlette.responses import Response

FOLDER = Path(lookalike.server.__file__).parent / "page"


def given(route: Coroutine[Any, Any, Response]) -> str:
    """Return what a route gives, from a thread of its own: that of a browser test has a loop that runs already."""
    with ThreadPoolExecutor(1) as pool:
        return bytes(pool.submit(asyncio.run, route).result().body).decode()


def content(name: str) -> str:
    return given(asset(name))


def test_every_file_is_used_and_short() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {"index.html", "icon.svg", *STYLES, *SCRIPTS}
    assert [path.name for path in FOLDER.iterdir() if len(path.read_text("utf-8").splitlines()) >= 400] == []


def test_what_is_shared_with_the_report_is_not_copied() -> None:
    for name in SHARED_SCRIPTS:
        assert part(name) in content("page.js")
    for name in SHARED_STYLES:
        assert part(name) in content("page.css")
    assert set(SHARED_SCRIPTS) < set(REPORT_SCRIPTS)
    made = re.compile(r"^(?:async )?(?:function|const|let|class) (\w+)", re.MULTILINE)
    names = made.findall(content("page.js"))
    assert len(names) == len(set(names)), "two parts have one name for two things"


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


def test_nothing_is_inline_and_nothing_comes_from_elsewhere() -> None:
    found = _Page()
    found.feed(given(page()))
    assert [attributes for tag, attributes in found.elements if tag == "style"] == []
    scripts = [attributes for tag, attributes in found.elements if tag == "script"]
    assert scripts == [{"src": "/assets/page.js", "defer": None}]
    links = {attributes[name] for _, attributes in found.elements for name in ("href", "src") if name in attributes}
    assert links == {"/assets/icon.svg", "/assets/page.css", "/assets/page.js", "#main"}
    assert not [name for _, attributes in found.elements for name in attributes if re.match(r"on|style$", name)]
    script = content("page.js")
    outside = re.findall(
        r"(?:https?:)?//[\w.-]+\.\w+|@import|url\(", content("page.css") + script.replace("w3.org", "")
    )
    assert outside == []
    names = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "XMLHttpRequest")
    more = ("WebSocket", "EventSource", "sendBeacon", "importScripts", "document.cookie", "sessionStorage")
    assert [name for name in (*names, *more, 'setAttribute("style"', "import(") if name in script] == []


@pytest.mark.parametrize("name", ["", "index.html", "api.js", "dom.js", "../page.js", "..", "page.js/", "__init__.py"])
def test_nothing_else_is_given(name: str) -> None:
    with pytest.raises(Problem) as problem:
        content(name)
    assert problem.value.status == 404


def test_the_page_as_a_browser_gets_it(tmp_path: Path) -> None:
    with served(built(tmp_path / "x.db", {"a": "text"})) as url:
        for path, kind in (
            ("/", "text/html; charset=utf-8"),
            ("/assets/page.js", "text/javascript; charset=utf-8"),
            ("/assets/page.css", "text/css; charset=utf-8"),
            ("/assets/icon.svg", "image/svg+xml"),
        ):
            with urlopen(f"{url}{path}", timeout=HANG) as answer:
                assert answer.headers["Content-Type"] == kind
                policy = answer.headers["Content-Security-Policy"]
                assert "default-src 'none'" in policy
                assert "unsafe" not in policy
                assert answer.headers["X-Content-Type-Options"] == "nosniff"
        for path in (
            "/assets/",
            "/assets/..%2f..%2findex.html",
            "/assets/%2e%2e/page.js",
            "/index.html",
            "/page/api.js",
        ):
            with pytest.raises(HTTPError) as error:
                urlopen(f"{url}{path}", timeout=HANG)
            with error.value:
                assert error.value.code == 404
