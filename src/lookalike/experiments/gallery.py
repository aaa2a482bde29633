"""Run experiments into a folder, and show them in a gallery, with the errors of the reports and what is right.

For each, its table, its figure in three forms and its verdicts are written. The gallery is one HTML file with every
figure, what it shows, the verdicts on it, and the command that made it. It stands alone: the figures are inside, there
is no script, and a strict content security policy lets nothing in.
"""

from __future__ import annotations

import base64
import hashlib
import shlex
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import resources
from string import Template
from time import perf_counter
from typing import TYPE_CHECKING, Final, TypeAlias

from lookalike.experiments import CLAIMS, FINDINGS, OURS, REPORTS, figures
from lookalike.experiments.catalogue import GROUPS, by_id, code_digest, experiments
from lookalike.experiments.store import PARTS, Folder, Record, Settings, digest, to_csv

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lookalike.experiments import Experiment, Finding, Setup, Verdict
    from lookalike.experiments.store import State

__all__ = ["CORRECTIONS", "GALLERY", "MARKS", "Correction", "Watch", "command_of", "gallery", "run", "tally"]


@dataclass(frozen=True, slots=True)
class Correction:
    """One error of a report beside what is right."""

    item: int
    """Its number in the checklist."""
    said: str
    """What the report says or its program does."""
    right: str
    """What is right, and what lookalike does."""
    shown: str
    """The id of the experiment that shows it, or the name of the test that proves it."""


CORRECTIONS: Final[tuple[Correction, ...]] = tuple(
    Correction(**given)
    for given in tomllib.loads(
        resources.files("lookalike.experiments").joinpath("corrections.toml").read_text(encoding="utf-8")
    )["correction"]
)
"""The errors and gaps of the source reports, and what is right."""


GALLERY: Final = "index.html"
MARKS: Final[dict[Finding, str]] = {"holds": "✓", "holds in part": "≈", "does not hold": "✗", "undecided": "?"}
"""A sign for each finding; it is never shown without its words."""
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
        counts=escape(_counts(len(shown), verdicts)),
        contents="\n".join(_contents(folder)),
        conclusions="\n".join(_conclusions(verdicts, set(folder.records))),
        sections="\n".join(_section(folder, record, folder.state(experiment)) for experiment, record in shown),
        corrections="\n".join(_correction(correction, set(folder.records)) for correction in CORRECTIONS),
    )


def tally(verdicts: Iterable[Verdict]) -> str:
    """Count the findings.

    >>> from lookalike.experiments import Verdict
    >>> tally([Verdict("more hashes, less error", "report A", (73,), "holds", "")] * 2)
    '2 hold'
    """
    found = [verdict.finding for verdict in verdicts]
    words: dict[Finding, tuple[str, str]] = {
        "holds": ("holds", "hold"),
        "holds in part": ("holds in part", "hold in part"),
        "does not hold": ("does not hold", "do not hold"),
        "undecided": ("is undecided", "are undecided"),
    }
    counted = ((finding, found.count(finding)) for finding in FINDINGS)
    return ", ".join(f"{count} {words[finding][count > 1]}" for finding, count in counted if count) or "no verdict"


def command_of(record: Record, folder: Folder) -> str:
    """Return the command that made an experiment."""
    parts = ["lookalike", "experiment", "run", record.id, *record.settings.options(), "--out", str(folder.path)]
    return shlex.join(parts)


def _counts(made: int, verdicts: list[Verdict]) -> str:
    """Say how many figures there are, and what was found: of the reports' conclusions, and of ours."""
    told = [f"{made} figure{'s' * (made != 1)}."]
    for whose, part in (
        ("conclusions of the reports", [verdict for verdict in verdicts if verdict.report != OURS]),
        ("of ours", [verdict for verdict in verdicts if verdict.report == OURS]),
    ):
        if part:
            told.append(f"Of {len(part)} {whose}, {tally(part)}.")
    return " ".join(told)


# -- the contents: small pictures, by report and question --------------------------------------------------------------


def _contents(folder: Folder) -> Iterator[str]:
    report = ""
    for group in GROUPS:
        here = [folder.records[name] for name in group.ids if name in folder.records]
        if not here:
            continue
        if group.report != report:
            report = group.report
            yield f"<h2>{escape(report)}</h2>"
        yield f'<h3>{escape(group.question)}</h3>\n<ul class="thumbs">'
        yield from (_thumb(folder, record) for record in here)
        yield "</ul>"


def _thumb(folder: Folder, record: Record) -> str:
    png = folder.file(record.id, "png")
    small = base64.b64encode(figures.thumbnail(png)).decode() if png.is_file() else ""
    found = tally(record.verdicts) if record.verdicts else ""
    figure = by_id(record.id).figure
    told = "".join(f'<span class="found">{escape(text)}</span>' for text in (figure, found) if text)
    picture = f'<img src="data:image/png;base64,{small}" alt="">' if small else ""
    return f'<li><a href="#{record.id}">{picture}<span>{escape(record.title)}</span></a>{told}</li>'


# -- the conclusions: one table for each report ------------------------------------------------------------------------


def _conclusions(verdicts: list[Verdict], here: set[str]) -> Iterator[str]:
    found = {verdict.conclusion: verdict for verdict in verdicts}
    for report, title in REPORTS.items():
        claims = [claim for claim in CLAIMS.values() if claim.report == report and claim.id in found]
        if not claims:
            continue
        missing = sum(claim.report == report for claim in CLAIMS.values()) - len(claims)
        yield f"<h3>{escape(title)}</h3>"
        if missing:
            yield f'<p class="found">{missing} more are judged by experiments that are not made here.</p>'
        yield (
            '<table class="conclusions"><thead><tr><th scope="col">Conclusion</th><th scope="col">Finding</th>'
            '<th scope="col">Experiments</th></tr></thead><tbody>'
        )
        for claim in claims:
            verdict = found[claim.id]
            words = f"<i>{escape(claim.text)}</i>" if report == OURS else f"<q>{escape(claim.text)}</q>"
            shown = ", ".join(_reference(name, here) for name in claim.experiments)
            yield (
                f'<tr class="{_kind(verdict)}"><td>{words} <span class="source">{escape(claim.source)}</span></td>'
                f"<td>{_finding(verdict)}</td><td>{shown}</td></tr>"
            )
        yield "</tbody></table>"


def _reference(name: str, here: set[str]) -> str:
    """Return the name of an experiment, or of a test; a link if the experiment is on the page."""
    broken = escape(name).replace("_", "_<wbr>").replace("-", "-<wbr>")
    return f'<a href="#{escape(name)}">{broken}</a>' if name in here else broken


def _kind(verdict: Verdict) -> str:
    return verdict.finding.replace(" ", "-")


def _finding(verdict: Verdict) -> str:
    return f'<strong class="finding">{MARKS[verdict.finding]} {verdict.finding}</strong>'


# -- the figures -------------------------------------------------------------------------------------------------------


def _section(folder: Folder, record: Record, state: State) -> str:
    warning = "" if state.mark == "made" else f"{state.mark.capitalize()}: {state.reason}."
    files = " · ".join(f'<a href="{record.id}.{part}">{part.upper()}</a>' for part in PARTS)
    figure = by_id(record.id).figure
    return _template("gallery_section.html").substitute(
        id=record.id,
        title=escape(record.title),
        warning=f'<p class="warning">{escape(warning)}</p>' if warning else "",
        picture=_picture(folder, record),
        alt=escape(f"{record.title}. {record.caption}"),
        caption=escape(f"{_capital(figure)}. {record.caption}" if figure else record.caption),
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


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _verdict(verdict: Verdict) -> str:
    items = f"item{'s' * (len(verdict.items) != 1)} {', '.join(map(str, verdict.items))}"
    words = f"<q>{escape(verdict.claim)}</q>" if verdict.report not in ("", OURS) else escape(verdict.claim)
    return (
        f'<li class="{_kind(verdict)}"><p class="claim"><b>{words}</b> '
        f'<span class="source">{escape(verdict.source)}, {items}</span></p>'
        f"<p>{_finding(verdict)} {escape(verdict.evidence)}</p></li>"
    )


def _correction(correction: Correction, here: set[str]) -> str:
    return (
        f'<tr><th scope="row">{correction.item}</th><td>{escape(correction.said)}</td>'
        f"<td>{escape(correction.right)}</td><td>{_reference(correction.shown, here)}</td></tr>"
    )


@cache
def _template(name: str) -> Template:
    return Template(resources.files("lookalike.experiments").joinpath(name).read_text(encoding="utf-8"))


# -- a run -------------------------------------------------------------------------------------------------------------


Watch: TypeAlias = Callable[["Experiment", float], None]
"""Told which experiment is being made, and which share of it is done."""


def run(
    chosen: Sequence[Experiment],
    setup: Setup,
    folder: Folder,
    *,
    files: Sequence[str] = (),
    watch: Watch | None = None,
) -> Iterator[Record]:
    """Make experiments one after the other, and give the record of each when all its files are written.

    `files` are the names of the texts as they were typed, for the commands that the gallery shows. Verdicts on other
    experiments in the folder are kept. What an interrupted run has made so far is whole, and in the gallery.
    """
    figures.require()
    try:
        for experiment in chosen:
            yield _make(experiment, setup, folder, files, watch or (lambda _experiment, _share: None))
    finally:
        if folder.records:
            folder.write(GALLERY, gallery(folder).encode())


def _make(experiment: Experiment, setup: Setup, folder: Folder, files: Sequence[str], watch: Watch) -> Record:
    started = perf_counter()
    code = code_digest(experiment.id)
    table = experiment.measure(setup, lambda share: watch(experiment, share))
    verdicts = tuple(experiment.judge(table, setup))
    figure = figures.new_figure(lambda empty: experiment.draw(table, setup, empty))
    written = to_csv(table).encode()
    drawn = {"png": figures.to_png(figure), "svg": figures.to_svg(figure), "pdf": figures.to_pdf(figure)}
    parts = {"csv": written, **drawn}
    for part, content in parts.items():
        folder.write(f"{experiment.id}.{part}", content)
    record = Record(
        id=experiment.id,
        title=experiment.title,
        items=experiment.items,
        caption=experiment.caption,
        settings=Settings.of(setup, files),
        code=code,
        csv=digest(written),
        seconds=round(perf_counter() - started, 3),
        verdicts=verdicts,
    )
    folder.keep(record)
    return record
