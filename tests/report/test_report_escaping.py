"""Nothing in a report can act: every text is data, and the policy lets only the report's own script run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import lookalike as la
from lookalike.documents import Skipped
from lookalike.documents.metadata import Metadata
from lookalike.report import PACKED_FROM, SCRIPTS, STYLES, assemble, embedded
from lookalike.report.collect import ReportPage
from lookalike.report.side_files import Mark, Marks
from lookalike.result.from_texts import collect
from tests.report.essays import essays
from tests.report.page_data import inline_handlers, parts_of, report_of, sha256

PAYLOADS = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]><img src=x onerror=alert(1)>",
    "{{script}} {{body}}",
    "\u2028\u2029</ScRiPt >",
    "\"'`><svg/onload=alert(1)>",
    "\u202egnp.exe\u2066 \u0000\u0007",
]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_text_cannot_leave_its_place(payload: str, tmp_path: Path) -> None:
    text = f"{payload} and a long text that both of the documents share, word for word. {payload}"
    name = f"a {payload}"
    documents = {name: text, "b": text}
    known = {name: Metadata(name=payload, author=payload, label=payload)}
    marks = Marks({(name, "b"): Mark("checked", payload)})
    result = la.find(documents, 0.3).with_metadata(known)
    result.skipped = (Skipped(payload, payload, payload),)
    result = result.with_note(payload)
    result = result.with_origin({"command": payload, "paths": [payload]})
    result.report(tmp_path / "report.html", marks=marks)
    parts = parts_of(tmp_path / "report.html")
    plain = report_of(essays(), tmp_path)
    shape = [(tag, sorted(attributes)) for tag, attributes in parts.elements]
    assert shape == [(tag, sorted(attributes)) for tag, attributes in plain.elements]
    assert parts.script == plain.script
    assert parts.style == plain.style
    assert parts.head["documents"]["id"] == [name, "b"]
    assert parts.head["skipped"] == [[payload, payload, payload]]
    assert parts.head["documents"]["name"][0] == payload
    assert parts.head["marks"][0]["note"] == payload
    assert parts.body["texts"] == {"0": text, "1": text}


def test_the_policy_allows_this_script_and_style_and_nothing_else(tmp_path: Path) -> None:
    parts = report_of(essays(), tmp_path)
    assert parts.policy == (
        f"default-src 'none'; script-src 'sha256-{sha256(parts.script)}'; style-src 'sha256-{sha256(parts.style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    scripts = [attributes for tag, attributes in parts.elements if tag == "script"]
    assert [attributes.get("type") for attributes in scripts] == ["application/json", "text/plain", None]
    assert not any("src" in attributes for attributes in scripts)
    assert inline_handlers(parts) == []


def test_the_page_names_no_other_place(tmp_path: Path) -> None:
    parts = report_of(essays(), tmp_path)
    links = [attributes["href"] for _, attributes in parts.elements if "href" in attributes]
    assert links == ["data:,", "#results"]
    outside = re.findall(r"(?:https?:)?//[\w.-]+\.\w+|@import|url\(", parts.style + parts.script.replace("w3.org", ""))
    assert outside == []
    names = ("fetch(", "XMLHttpRequest", "WebSocket", "EventSource", "sendBeacon", "importScripts", "innerHTML")
    more = ("outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", 'setAttribute("style"')
    assert [name for name in (*names, *more) if name in parts.script] == []


def test_invisible_characters_of_a_name_are_escapes_in_the_title(tmp_path: Path) -> None:
    result = la.find(essays(), 0.3).with_origin({"paths": ["a\u202eb\x07 <i>"]})
    result.report(tmp_path / "report.html")
    assert "<title>a⟨U+202E⟩b⟨U+0007⟩ &lt;i&gt; · lookalike</title>" in (tmp_path / "report.html").read_text("utf-8")


def test_ids_that_are_no_unicode_survive() -> None:
    assert json.loads(embedded({"id": "a\udcff<"})) == {"id": "a\udcff<"}
    embedded({"id": "a\udcff"}).encode()


def test_a_large_body_is_packed_and_a_small_one_is_not(tmp_path: Path) -> None:
    page = collect(la.find(essays(), 0.3))
    assert 'data-packing="none"' in assemble(page)
    big = ReportPage(page.head, page.body | {"texts": {0: "word " * (PACKED_FROM // 4)}})
    (tmp_path / "big.html").write_text(assemble(big), encoding="utf-8")
    assert parts_of(tmp_path / "big.html").body["texts"] == {"0": "word " * (PACKED_FROM // 4)}
    assert (tmp_path / "big.html").stat().st_size < PACKED_FROM // 2


def test_every_file_of_the_page_is_used_and_short() -> None:
    import lookalike.report

    folder = Path(lookalike.report.__file__).parent / "page"
    assert {path.name for path in folder.iterdir()} == {"page.html", *STYLES, *SCRIPTS}
    assert [path.name for path in folder.iterdir() if len(path.read_text("utf-8").splitlines()) >= 400] == []


def test_equal_results_make_equal_pages_but_for_the_time(tmp_path: Path) -> None:
    first, second = (collect(la.find(essays(), 0.3)) for _ in range(2))
    for page in (first, second):
        page.head["made"] = page.head["summary"] = ""
    assert assemble(first) == assemble(second)
