"""The gallery: one HTML file with every figure, what it shows, the verdicts on it, and the command that made it.

It stands alone: the figures are inside, there is no script, and a strict content security policy lets nothing in.
"""

from __future__ import annotations

import base64
import hashlib
import shlex
from functools import cache
from html import escape
from importlib import resources
from string import Template
from typing import TYPE_CHECKING, Final

from lookalike.experiments.catalogue import experiments
from lookalike.experiments.corrections import CORRECTIONS
from lookalike.experiments.experiment import FINDINGS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lookalike.experiments.corrections import Correction
    from lookalike.experiments.experiment import Finding, Verdict
    from lookalike.experiments.store import Folder, Record, State

__all__ = ["GALLERY", "MARKS", "command_of", "gallery", "tally"]

GALLERY: Final = "index.html"
MARKS: Final[dict[Finding, str]] = {"holds": "✓", "holds in part": "≈", "does not hold": "✗"}
"""A sign for each finding; it never stands without its words."""
_LARGEST_SVG: Final = 250_000
"""A larger SVG (thousands of points) is shown as PNG, or the page would be slow to open."""


def gallery(folder: Folder) -> str:
    """Return the page for all that a folder holds."""
    shown = [
        (experiment, folder.records[experiment.id]) for experiment in experiments() if experiment.id in folder.records
    ]
    verdicts = [verdict for _, record in shown for verdict in record.verdicts]
    style = _template("gallery.css").template
    return _template("gallery.html").substitute(
        style=style,
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        counts=escape(_counts(len(shown), len(verdicts), tally(verdicts))),
        contents="\n".join(_link(record) for _, record in shown),
        sections="\n".join(_section(folder, record, folder.state(experiment)) for experiment, record in shown),
        corrections="\n".join(_correction(correction, set(folder.records)) for correction in CORRECTIONS),
    )


def tally(verdicts: Iterable[Verdict]) -> str:
    """Count the findings.

    >>> from lookalike.experiments.experiment import Verdict
    >>> tally([Verdict("more hashes, less error", "report A", (73,), "holds", "")] * 2)
    '2 hold'
    """
    found = [verdict.finding for verdict in verdicts]
    words: dict[Finding, tuple[str, str]] = {
        "holds": ("holds", "hold"),
        "holds in part": ("holds in part", "hold in part"),
        "does not hold": ("does not hold", "do not hold"),
    }
    counted = ((finding, found.count(finding)) for finding in FINDINGS)
    return ", ".join(f"{count} {words[finding][count > 1]}" for finding, count in counted if count) or "no verdict"


def command_of(record: Record, folder: Folder) -> str:
    """Return the command that made an experiment."""
    parts = ["lookalike", "experiment", "run", record.id, *record.settings.options(), "--out", str(folder.path)]
    return shlex.join(parts)


def _counts(made: int, judged: int, found: str) -> str:
    figures = f"{made} figure{'s' * (made != 1)}"
    return f"{figures}. Of {judged} conclusions, {found}." if judged else f"{figures}."


def _link(record: Record) -> str:
    found = tally(record.verdicts) if record.verdicts else ""
    return f'<li><a href="#{record.id}">{escape(record.title)}</a> <span class="found">{found}</span></li>'


def _section(folder: Folder, record: Record, state: State) -> str:
    warning = "" if state.mark == "made" else f"{state.mark.capitalize()}: {state.reason}."
    files = " · ".join(f'<a href="{record.id}.{part}">{part.upper()}</a>' for part in ("csv", "png", "svg"))
    return _template("gallery_section.html").substitute(
        id=record.id,
        title=escape(record.title),
        warning=f'<p class="warning">{escape(warning)}</p>' if warning else "",
        picture=_picture(folder, record),
        alt=escape(f"{record.title}. {record.caption}"),
        caption=escape(record.caption),
        verdicts="\n".join(_verdict(verdict) for verdict in record.verdicts),
        command=escape(command_of(record, folder)),
        settings=escape(f"{record.settings}; took {record.seconds:.1f} s"),
        items=", ".join(map(str, record.items)),
        files=files,
    )


def _picture(folder: Folder, record: Record) -> str:
    """Return the figure as an address that holds it."""
    svg, png = (folder.file(record.id, part) for part in ("svg", "png"))
    if svg.is_file() and svg.stat().st_size <= _LARGEST_SVG:
        return f"data:image/svg+xml;base64,{base64.b64encode(svg.read_bytes()).decode()}"
    return f"data:image/png;base64,{base64.b64encode(png.read_bytes()).decode()}" if png.is_file() else "data:,"


def _verdict(verdict: Verdict) -> str:
    kind = verdict.finding.replace(" ", "-")
    items = f"item{'s' * (len(verdict.items) != 1)} {', '.join(map(str, verdict.items))}"
    return (
        f'<li class="{kind}"><p class="claim"><b>{escape(verdict.claim.rstrip("."))}.</b> '
        f'<span class="source">{escape(verdict.source)}, {items}</span></p>'
        f'<p><strong class="finding">{MARKS[verdict.finding]} {verdict.finding}</strong> '
        f"{escape(verdict.evidence)}</p></li>"
    )


def _correction(correction: Correction, here: set[str]) -> str:
    shown = escape(correction.shown)
    if correction.shown in here:
        shown = f'<a href="#{shown}">{shown}</a>'
    return (
        f'<tr><th scope="row">{correction.item}</th><td>{escape(correction.said)}</td>'
        f"<td>{escape(correction.right)}</td><td>{shown}</td></tr>"
    )


@cache
def _template(name: str) -> Template:
    return Template(resources.files("lookalike.experiments").joinpath(name).read_text(encoding="utf-8"))
