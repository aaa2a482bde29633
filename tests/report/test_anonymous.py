"""A report without names: no byte of it tells who wrote what, and the key does."""

from __future__ import annotations

import csv
import stat
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.documents import Flag
from lookalike.report.side_files import Mark, Marks
from lookalike.search.derived import search_lower
from tests.report.essays import NAMES, TASK, essays, metadata, name_of, old_essays
from tests.report.page_data import Parts, parts_of

if TYPE_CHECKING:
    from pathlib import Path


def signed() -> dict[str, str]:
    """Return essays that begin with the name of their author, as many do."""
    texts = essays()
    known = metadata()
    return {name: f"{known[name].author}\n{text}" for name, text in texts.items()}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same report with names and without."""
    folder = tmp_path_factory.mktemp("anonymous")
    result = search_lower(la.find(signed(), 0.3, ignore=[TASK], against=old_essays()))
    result = result.with_origin({"command": "lookalike scan /srv/teacher/essays", "paths": ["/srv/teacher/essays"]})
    result.flags = {name_of(3): [Flag("hidden text", "‘Diaz was here’", 1)]}
    result = result.with_note("essay-03-diaz.txt is read as CP1252")
    marks = Marks({(name_of(3), name_of(7)): Mark("checked", "talked to Haddad")})
    for name, anonymise in (("named.html", False), ("report.html", True)):
        result.report(folder / name, metadata=metadata(), marks=marks, anonymise=anonymise)
    return folder / "named.html", folder / "report.html"


def test_no_name_is_left_in_any_byte(both: tuple[Path, Path]) -> None:
    named, anonymous = (path.read_bytes().decode().casefold() for path in both)
    secret = [*NAMES, *essays(), *old_essays(), "/srv/teacher", "essays/", "2025/", "2026-03", "cp1252"]
    secret += [values.author for values in metadata().values()] + [values.name for values in metadata().values()]
    secret += ["was here", "talked to", "class a", "class b"]
    assert all(name.casefold() in named for name in ("Diaz", "essay-03-diaz.txt", "/srv/teacher", "class b"))
    assert [name for name in secret if name.casefold() in anonymous] == []


def test_the_key_tells_who_is_who_to_its_owner_alone(both: tuple[Path, Path]) -> None:
    path = both[1].with_name("report.key.csv")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(both[1].stat().st_mode) == 0o600
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [row["document"] for row in rows] == [f"Document {number:02}" for number in range(1, 23)]
    assert {row["id"] for row in rows} == {*essays(), *old_essays()}
    assert {row["id"]: row["author"] for row in rows if row["author"]} == {
        name: values.author for name, values in metadata().items()
    }
    assert [row["id"] for row in rows] != sorted(row["id"] for row in rows)


def test_all_else_is_the_same_report(both: tuple[Path, Path]) -> None:
    named, anonymous = map(parts_of, both)
    rows = csv.DictReader(both[1].with_name("report.key.csv").read_text().splitlines())
    who = {row["document"]: row["id"] for row in rows}

    def pairs(parts: Parts) -> dict[frozenset[str], Any]:
        ids = [who.get(name, name) for name in parts.head["documents"]["id"]]
        made = {}
        columns = parts.head["pairs"]
        for i, (a, b) in enumerate(zip(columns["a"], columns["b"], strict=True)):
            shares = {ids[a]: columns["containment_a"][i], ids[b]: columns["containment_b"][i]}
            places = {ids[a]: [], ids[b]: []}  # type: ignore[var-annotated]
            for (_, flat, *_), runs in zip(parts.body["blocks"][i], parts.body["runs"][i], strict=True):
                places[ids[a]] += [*zip(flat[::4], flat[1::4], strict=True), *runs[::3]]
                places[ids[b]] += [*zip(flat[2::4], flat[3::4], strict=True), *runs[1::3]]
            made[frozenset(shares)] = (columns["jaccard"][i], shares, places)
        return made

    assert pairs(named) == pairs(anonymous)
    for number, text in anonymous.body["texts"].items():
        own = named.body["texts"][str(named.head["documents"]["id"].index(who[f"Document {int(number) + 1:02}"]))]
        assert len(own) == len(text)
        assert "█" in text or own.startswith("Essay task")  # the old ones are not signed
    assert [(mark["mark"], mark["note"]) for mark in anonymous.head["marks"]] == [("checked", "")]
    ends = enumerate(zip(anonymous.head["pairs"]["a"], anonymous.head["pairs"]["b"], strict=True))
    assert all(a < b or str(place) in anonymous.body["back"] for place, (a, b) in ends)


def test_the_numbers_stay_and_a_key_that_others_could_read_is_closed(both: tuple[Path, Path], tmp_path: Path) -> None:
    texts = dict(reversed(essays().items()))
    (tmp_path / "r.key.csv").write_text("old")
    (tmp_path / "r.key.csv").chmod(0o644)
    keys = []
    for documents in (texts, essays()):
        la.find(documents, 0.3).report(tmp_path / "r.html", anonymise=True)
        keys.append((tmp_path / "r.key.csv").read_text())
    assert keys[0] == keys[1]
    assert stat.S_IMODE((tmp_path / "r.key.csv").stat().st_mode) == 0o600
