"""The parts in `page/`: which there are, which the page of the server shares, and how they make one script."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["SCRIPTS", "SHARED_SCRIPTS", "SHARED_STYLES", "STYLES", "joined", "part"]

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


def part(name: str) -> str:
    """Return one of the parts."""
    return (files("lookalike.report") / "page" / name).read_text(encoding="utf-8")


def joined(parts: Iterable[str]) -> str:
    r"""Return one script of several parts, which see each other and leave nothing behind in the browser.

    >>> joined(["const a = 1;", "alert(a);"])
    '"use strict";\n(() => {\nconst a = 1;\nalert(a);\n})();\n'
    """
    return '"use strict";\n(() => {\n' + "\n".join(parts) + "\n})();\n"
