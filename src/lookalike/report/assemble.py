"""One HTML file from the values and the parts in `page/`: data as data, and a policy that lets nothing else run."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
from typing import TYPE_CHECKING, Any, Final

from lookalike.report.parts import SCRIPTS, STYLES, joined, part
from lookalike.tables.visible import hidden

if TYPE_CHECKING:
    from lookalike.report.collect import Page

__all__ = ["assemble", "embedded", "policy", "shown_as_text"]

PACKED_FROM: Final = 1_500_000
"""A body of more characters than this is compressed; smaller ones stay readable."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def assemble(page: Page) -> str:
    """Return the whole file."""
    style = "\n".join(map(part, STYLES))
    script = joined(map(part, SCRIPTS))
    body = _json(page.body)
    packed = len(body) > PACKED_FROM
    values = {
        "policy": policy(script, style),
        "title": html.escape(f"{shown_as_text(str(page.head['title']))} · lookalike"),
        "version": html.escape(str(page.head["version"])),
        "style": style,
        "script": script,
        "head": embedded(page.head),
        "body": _packed(body) if packed else body.replace("<", "\\u003c"),
        "packing": "gzip" if packed else "none",
    }
    # In one pass: what a text of the data looks like is never read as a name of the template.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], part("page.html"))


def embedded(value: Any) -> str:
    r"""Return JSON that can stand inside a script element of a page: no text can end it.

    >>> embedded({"id": "</script><b>\udcff"})
    '{"id":"\\u003c/script>\\u003cb>\\udcff"}'
    """
    return _json(value).replace("<", "\\u003c")


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _packed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode("ascii")


def policy(script: str, style: str) -> str:
    """Return the Content-Security-Policy: this script, this style, and nothing from anywhere."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def shown_as_text(text: str) -> str:
    r"""Return the text with what is invisible or turns its direction as an escape.

    >>> shown_as_text("a\u202eb")
    'a⟨U+202E⟩b'
    """
    return hidden().sub(lambda found: f"⟨U+{ord(found.group()):04X}⟩", text)
