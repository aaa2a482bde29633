"""What is inside a report, for tests: its parts, and its data as a browser would read them."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import lookalike as la

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Parts", "parts_of", "report_of"]


class _Elements(HTMLParser):
    """Notes every element, and the text of scripts and styles."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[tuple[str, dict[str, str | None], str]] = []
        self.text = ""
        self._inside: tuple[str, dict[str, str | None]] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = (tag, dict(attrs)) if tag in ("script", "style") else None

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside is None:
            self.text += data
        else:
            self.raw.append((*self._inside, data))


@dataclass
class Parts:
    """A report, taken apart."""

    html: str
    elements: list[tuple[str, dict[str, str | None]]]
    script: str
    style: str
    policy: str
    head: dict[str, Any]
    body: dict[str, Any]


def parts_of(path: Path) -> Parts:
    """Read a report."""
    html = path.read_text(encoding="utf-8")
    found = _Elements()
    found.feed(html)
    raw = {(attributes.get("id") or tag): text for tag, attributes, text in found.raw}
    packing = next(attributes["data-packing"] for tag, attributes in found.elements if "data-packing" in attributes)
    body = raw["data-body"]
    if packing == "gzip":
        body = gzip.decompress(base64.b64decode(body)).decode()
    policy = next(
        attributes["content"] or ""
        for tag, attributes in found.elements
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    return Parts(
        html, found.elements, raw["script"], raw["style"], policy, json.loads(raw["data-head"]), json.loads(body)
    )


def sha256(text: str) -> str:
    """Return a hash as a policy writes it."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def report_of(documents: Any, path: Path, threshold: float = 0.3, **options: Any) -> Parts:
    """Search, write the report and take it apart."""
    asked = {name: options.pop(name) for name in ("metadata", "marks", "texts") if name in options}
    la.find(documents, threshold, **options).report(path / "report.html", **asked)
    return parts_of(path / "report.html")


def inline_handlers(parts: Parts) -> list[str]:
    """Return attributes that a strict policy would refuse: there should be none."""
    return [
        f"{tag} {name}"
        for tag, attributes in parts.elements
        for name in attributes
        if re.match(r"on|style$", name) or (attributes[name] or "").startswith("javascript:")
    ]
