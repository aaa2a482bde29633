"""The report: one HTML file to read, print and hand on, made from a result and the texts that were searched.

`collect.py` reads the texts again and gathers what the page shows, as plain values; this module puts it into one file
with the style and the script in `page/`. `pair_passages.py` finds the passages of each pair and the excluded text in
them, `shared.py` lists each shared passage once, `side_files.py` reads what a person decided and takes all
names out.

Data stays data in the page, and a policy lets nothing else run. The page of one pair, for
`lookalike compare A B --html pair.html`, is the same page, opened at its only pair.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from lookalike.report.collect import PageLimits, ReportPage, made_now, recipe_values, short
from lookalike.report.pair_passages import REASONS, MarkedSpan, MarkedText, blocks_of
from lookalike.tables.output_files import new_file
from lookalike.tables.spelling import hidden

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from lookalike.documents.text_file import TextFile
    from lookalike.text.comparison import Comparison

__all__ = [
    "SCRIPTS",
    "SHARED_SCRIPTS",
    "SHARED_STYLES",
    "STYLES",
    "assemble",
    "collect_pair",
    "embedded",
    "joined",
    "part",
    "policy",
    "shown_as_text",
    "write_page",
    "write_pair",
]


SHARED_STYLES: Final = ("base.css", "overview.css", "views.css", "pair.css")
STYLES: Final = (*SHARED_STYLES, "sources.css", "print.css")
SHARED_SCRIPTS: Final = (
    *("dom.js", "theme.js", "table.js", "chart.js"),
    *("pair_code.js", "pair_text.js", "pair_strip.js", "pair_view.js"),
)
"""The parts that know nothing of the data of a report."""
SCRIPTS: Final = (
    *SHARED_SCRIPTS,
    *("model.js", "groups_of.js", "marks.js", "histogram.js", "filters.js", "facts.js"),
    *("pairs.js", "shares.js", "sources_text.js", "sources.js", "documents.js", "groups.js", "passages.js", "lists.js"),
    *("pair.js", "proof.js", "main.js"),
)
"""The parts of the script, in the order in which they are put together."""

PACKED_FROM: Final = 1_500_000
"""A body of more characters than this is compressed; smaller ones stay readable."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def part(name: str) -> str:
    """Return one of the parts."""
    return (files("lookalike.report") / "page" / name).read_text(encoding="utf-8")


def joined(parts: Iterable[str]) -> str:
    r"""Return one script of several parts, which see each other and leave nothing behind in the browser.

    >>> joined(["const a = 1;", "alert(a);"])
    '"use strict";\n(() => {\nconst a = 1;\nalert(a);\n})();\n'
    """
    return '"use strict";\n(() => {\n' + "\n".join(parts) + "\n})();\n"


def assemble(page: ReportPage) -> str:
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


def write_page(page: ReportPage, path: str | os.PathLike[str]) -> None:
    """Write a page as one file."""
    with new_file(path, private=True) as stream:
        stream.write(assemble(page).encode())


def write_pair(
    a: TextFile,
    b: TextFile,
    found: Comparison,
    path: str | os.PathLike[str],
    *,
    least: int | None = None,
    command: str = "",
) -> None:
    """Write the page of one pair."""
    write_page(collect_pair(a, b, found, least=least, command=command), path)


def collect_pair(
    a: TextFile, b: TextFile, found: Comparison, *, least: int | None = None, command: str = ""
) -> ReportPage:
    """Gather what the page of one pair shows."""
    documents = [
        MarkedText.of(
            file.text, found.recipe, [MarkedSpan(span.start, span.end, REASONS[span.reason]) for span in spans]
        )
        for file, spans in ((a, found.spans_a), (b, found.spans_b))
    ]
    blocks = blocks_of(documents[0], documents[1], found.recipe, least)
    digests = [hashlib.sha256(document.text.encode()).hexdigest() for document in documents]
    reasons = {span.reason for span in (*found.spans_a, *found.spans_b)}
    head = {
        **_run(a, b, command),
        **recipe_values(found.recipe, least),
        "leftOutOfScores": [reason for reason in REASONS if reason in reasons],
        "documents": {
            "id": [a.name, b.name] if a.name != b.name else [f"{a.name} (A)", f"{b.name} (B)"],
            "length": [len(document.text) for document in documents],
            "units": [document.counts() for document in documents],
            "sha256": digests,
            "flags": [[[flag.kind, flag.detail] for flag in file.flags] for file in (a, b)],
        },
        "pairs": {
            "a": [0],
            "b": [1],
            "jaccard": [short(found.jaccard)],
            "containment_a": [short(found.containment_a)],
            "containment_b": [short(found.containment_b)],
        },
        "digest": hashlib.sha256("".join(digests).encode()).hexdigest(),
    }
    body = {
        "texts": {number: document.text for number, document in enumerate(documents)},
        "spans": {number: document.span_values() for number, document in enumerate(documents) if document.spans},
        "letters": {n: letters for n, file in enumerate((a, b)) if (letters := documents[n].letter_values(file.flags))},
        "blocks": [[block.values(documents[0], documents[1]) for block in blocks]],
        "runs": [[block.unit_runs(documents[0], documents[1]) for block in blocks]],
        "back": {},
        "masked": {number: masked for number, document in enumerate(documents) if (masked := document.masked())},
        "shared": [],
    }
    return ReportPage(head, body)


def _run(a: TextFile, b: TextFile, command: str) -> dict[str, Any]:
    """Return what a search would have told."""
    return {
        **made_now("pair"),
        "title": f"{a.name} and {b.name}",
        "command": command,
        "summary": "",
        "threshold": 0.0,
        "low": 0.0,
        "searched": 0.0,
        "metric": "jaccard",
        "method": "compare",
        "linkage": "star",
        "order": None,
        "recall": "recall 1",
        "oldFrom": None,
        "pairCount": 1,
        "limited": 0,
        "copies": "all",
        "groupCount": 1,
        "skipped": [],
        "notes": [],
        "pairsLeftOut": [],
        "reasons": dict(REASONS),
        "minWords": None,
        "limits": {"pairs": 1, "text": PageLimits().text, "shared": PageLimits().shared},
        "leftOut": {"pairs": 0, "texts": 0, "shared": 0},
        "problem": "",
        "marks": [],
    }
