"""The gallery: one file that stands alone, lets nothing in, and can be read by everybody."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

import lookalike.experiments.gallery as module
from lookalike.experiments import CLAIMS, FINDINGS, Experiment, Verdict, judged_by
from lookalike.experiments.catalogue import GROUPS, by_id
from lookalike.experiments.gallery import CORRECTIONS, MARKS, command_of, gallery, run, tally
from lookalike.experiments.store import Folder
from tests.experiments.quick import IN_ONE_WORKER, QUICK, remembered

pytestmark = IN_ONE_WORKER
SHOWN = {"comparisons", "similarity-by-k"}
HOSTILE = 'a <script>alert(1)</script> & "quotes"'


class Page(HTMLParser):
    """The elements of a page, and whether they are closed in order."""

    EMPTY = frozenset({"meta", "img", "br", "wbr", "link"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def judged() -> Experiment:
    verdicts = [Verdict(HOSTILE, "report A, §1", (52,), finding, "evidence of it") for finding in FINDINGS]
    return replace(remembered("comparisons"), judge=lambda _table, _setup: verdicts)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gallery")
    list(run([judged(), remembered("similarity-by-k")], QUICK, Folder.open(path)))
    return path


@pytest.fixture(scope="module")
def text(folder: Path) -> str:
    return (folder / "index.html").read_text(encoding="utf-8")


def test_it_is_well_formed(text: str) -> None:
    assert Page(text).open == []
    assert text.count('<section id="comparisons">') == 1
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(ids)


def test_it_stands_alone(text: str, folder: Path) -> None:
    page = Page(text)
    assert all(str(image["src"]).startswith("data:image/") for image in page.all("img"))
    assert not page.all("script")
    assert not page.all("link")
    assert not re.search(r"https?:|//[a-z]|url\(|@import", re.sub(r'src="data:[^"]*"', "", text))
    for link in page.all("a"):
        target = str(link["href"])
        assert target.startswith("#") or (folder / target).is_file()


def test_the_policy_lets_in_its_own_style_and_pictures_only(text: str) -> None:
    policies = [meta["content"] for meta in Page(text).all("meta") if meta.get("http-equiv")]
    style = text.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policies == [
        f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    ]
    assert 'style="' not in text, "the policy would drop it"


def test_what_texts_say_is_no_markup(text: str) -> None:
    assert "<script>" not in text
    assert "a &lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quotes&quot;" in text


def test_every_finding_has_a_sign_and_words(text: str) -> None:
    for finding in FINDINGS:
        assert f'<strong class="finding">{MARKS[finding]} {finding}</strong>' in text


def test_every_picture_says_what_it_shows(text: str) -> None:
    alts = [str(image["alt"]) for image in Page(text).all("img") if image["alt"]]  # small ones stand beside the title
    assert [alt.partition(".")[0] for alt in alts] == [by_id(i).title for i in ("similarity-by-k", "comparisons")]


def test_it_shows_the_command_and_the_items(text: str, folder: Path) -> None:
    assert f"<code>lookalike experiment run comparisons --quick --out {folder}</code>" in text
    assert "checklist items 51, 52, 101" in text


def test_all_corrections_are_in_it(text: str) -> None:
    rows = re.findall(r'<tr><th scope="row">(\d+)</th>', text)
    assert list(map(int, rows)) == [correction.item for correction in CORRECTIONS]
    assert '<a href="#comparisons">comparisons</a></td></tr>' in text
    assert "test_<wbr>item_<wbr>105_<wbr>both_<wbr>units" in text, "a long name breaks at its joints"


def test_small_pictures_stand_by_report_and_question(text: str) -> None:
    contents = text.partition("<nav")[2].partition("</nav>")[0]
    assert re.findall("<h2>(.*?)</h2>", contents) == ["Report A"]
    assert re.findall("<h3>(.*?)</h3>", contents) == [group.question for group in GROUPS if SHOWN & set(group.ids)]
    assert contents.count('<img src="data:image/png;base64,iVBOR') == 2
    assert "report A, figure 2" in contents


def test_each_conclusion_stands_once_in_the_table_of_its_report(text: str) -> None:
    tables = text.partition('<section id="conclusions">')[2].partition("</section>")[0]
    quoted = re.findall(r"<q>(.*?)</q>", tables)
    assert len(quoted) == len(set(quoted)) == len(judged_by(["similarity-by-k"]))
    assert html.escape(CLAIMS["A-9.1"].text) in quoted
    assert "report A, §9, conclusion 1" in tables
    assert 'href="#similarity-by-k"' in tables
    assert "pair-<wbr>jaccard" in tables, "an experiment that is not here has no link"


def test_a_stale_figure_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "by other code" not in gallery(Folder.open(folder))
    monkeypatch.setattr("lookalike.experiments.store.code_digest", lambda _id: "0" * 16)
    assert '<p class="warning">Stale: made by other code.</p>' in gallery(Folder.open(folder))


def test_a_large_drawing_is_shown_as_pixels(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "data:image/svg+xml" in gallery(Folder.open(folder))
    monkeypatch.setattr(module, "_LARGEST_SVG", 100)
    page = gallery(Folder.open(folder))
    assert "data:image/svg+xml" not in page
    assert page.count("data:image/png;base64,iVBOR") == 4  # and two small ones


def test_the_command_quotes_what_a_shell_would_split(folder: Path) -> None:
    record = Folder.open(folder).records["comparisons"]
    settings = replace(record.settings, text="0", file="my text.txt", seed=7)
    assert command_of(replace(record, settings=settings), Folder(Path("a b"))) == (
        "lookalike experiment run comparisons --quick --seed 7 --text 'my text.txt' --out 'a b'"
    )


def test_findings_are_counted_in_words() -> None:
    verdict = Verdict("x", "y", (1,), "holds", "")
    part, no = replace(verdict, finding="holds in part"), replace(verdict, finding="does not hold")
    assert tally([]) == "no verdict"
    assert tally([no, verdict]) == "1 holds, 1 does not hold"
    assert tally([no, no, part, part, verdict, verdict]) == "2 hold, 2 hold in part, 2 do not hold"
    assert tally([replace(verdict, finding="undecided")]) == "1 is undecided"


# -- colours -----------------------------------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    darker, lighter = sorted((luminance(a), luminance(b)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", [0, 1])
def test_both_themes_can_be_read(text: str, theme: int) -> None:
    blocks = re.findall(r":root \{(.*?)\}", text, re.DOTALL)
    assert len(blocks) == 2
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", blocks[theme]))
    for name in ("text", "soft", "link", "yes", "part", "no"):
        for ground in ("page", "card"):
            assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)
