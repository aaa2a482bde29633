"""Exports of Moodle, Canvas and Blackboard: who handed in what, packed or not, and what is none."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.documents import Batch, Size, Skipped, Source, WithoutShortOnlineTexts
from lookalike.documents.lms import receipt_of, recognise
from lookalike.tables.packed import Ids, Texts
from tests.documents.exports import BLACKBOARD, CANVAS, MOODLE, TEAMS, TYPED, essay, packed, receipt, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

AUTHORS = {
    "Moodle": {
        "Amelia Abbott": 2,
        "Ben Baker": 3,
        "Zoë Čapek-Ríos": 2,
        "李小龍": 1,
        "Ann Lee [105]": 1,
        "Ann Lee [106]": 1,
    },
    "Canvas": {
        "abbottamelia": 2,
        "bakerben": 2,
        "de_la_čapek_zoë": 1,
        "leeann [5105]": 1,
        "leeann [5106]": 1,
        "anon_x7kd2": 1,
        "anon_q1w2e": 1,
    },
    "Blackboard": {"Amelia Abbott": 1, "Ben Baker": 2, "Zoë Čapek": 1, "nobody": 1},
}
EXPORTS = {"Moodle": MOODLE, "Canvas": CANVAS, "Blackboard": BLACKBOARD}


@pytest.mark.parametrize("form", ["zip", "folder", "zip in a folder"])
@pytest.mark.parametrize("platform", list(EXPORTS))
def test_files_of_a_student_are_one_submission(platform: str, form: str, tmp_path: Path) -> None:
    files = EXPORTS[platform]
    folder = tmp_path / "class"
    folder.mkdir()
    path = unpacked(files, folder) if form == "folder" else packed(files, folder / "export.zip")
    result = la.find(folder if form == "zip in a folder" else path, 0.3, metric="containment", min_length=5)
    assert result.platforms == (platform,)
    found = result.group_by("lms")
    assert {one.name: len(one.documents) for one in found.submissions} == AUTHORS[platform]
    closest = {frozenset((pair.a, pair.b)) for pair in found.submission_pairs}
    amelia, ben, zoe = list(AUTHORS[platform])[:3]
    assert {frozenset((amelia, ben)), frozenset((ben, zoe))} <= closest
    assert all(len(names) == 2 for names in closest)
    assert not any("MACOSX" in skipped.id or "DS_Store" in skipped.id for skipped in result.skipped)


def test_names_of_files_and_dates(tmp_path: Path) -> None:
    result = la.find(packed(BLACKBOARD, tmp_path / "b.zip"), 0.3)
    files = {name.rpartition("/")[2]: known for name, known in result.metadata.items()}
    known = files["Essay_1_b_baker_attempt_2026-01-31-09-30-00_notes_2.txt"]
    assert known == la.Metadata(author="Ben Baker", date=datetime(2026, 1, 31, 9, 30, tzinfo=UTC), file="notes_2.txt")
    typed = files["Essay_1_zc_attempt_2026-02-01-09-30-00.txt"]
    assert (typed.author, typed.file) == ("Zoë Čapek", "online text")
    assert sorted(skipped.reason for skipped in result.skipped) == ["receipt", "receipt"]


def test_what_was_typed_in_is_read_without_the_receipt(tmp_path: Path) -> None:
    folder = unpacked(BLACKBOARD, tmp_path)
    name = "Essay_1_zc_attempt_2026-02-01-09-30-00.txt"
    texts = {
        str(key): text
        for batch in la.open_paths([folder]).batches()
        for key, text in zip(batch.ids, batch.texts, strict=True)
    }
    assert texts[name] == f"{essay(2)} & more"
    source = la.open_paths([folder])
    names = [str(key) for batch in source.batches() for key in batch.ids]
    again = [text for _, found in source.fetch([names.index(name)]) for text in found]
    assert again == [texts[name]]
    assert source.students()["zc"] == "Zoë Čapek"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Essay_aabbott_attempt_2026-01-31-12-00-00_notes.txt", receipt("Amelia Abbott", "aabbott")),
        ("Essay_aabbott_attempt_2026-01-31-12-00-00.txt", essay(1)),
        ("Essay_aabbott_attempt_2026-01-31-12-00-00.txt", receipt("Amelia Abbott", "somebody")),
        ("Essay_aabbott_attempt_2026-01-31-12-00-00.txt", ""),
    ],
)
def test_an_essay_is_no_receipt(name: str, text: str) -> None:
    assert receipt_of(name, text) is None


def test_receipts_in_other_languages_name_the_student() -> None:
    placeholder = receipt("Zoë Č.", "zc").replace("Name:", "Nom :").replace("Submission Field", "Champ de soumission")
    text = placeholder.replace("There is no student submission text data", "Aucune donnée textuelle de soumission")
    found = receipt_of("Essai_zc_attempt_2026-01-31-12-00-00.txt", text)
    assert found is not None
    assert (found.user, found.student, found.text) == ("zc", "Zoë Č.", "")


def test_a_team_that_old_moodle_exports_for_each_member_is_one(tmp_path: Path) -> None:
    result = la.find(packed(TEAMS, tmp_path / "teams.zip"), 0.3).group_by("lms")
    names = {one.name: len(one.documents) for one in result.submissions}
    assert names == {"Team 1: Al Li, Jo-Ann Ray": 2, "Team 1-b: Cy, Di": 2, "Team 3-Ed": 1}
    assert [(pair.a, pair.b) for pair in result.submission_pairs] == [("Team 1: Al Li, Jo-Ann Ray", "Team 3-Ed")]


def test_names_with_hyphens_are_no_teams(tmp_path: Path) -> None:
    """Two with a first name in common who handed in the same text: that is what a teacher looks for."""
    names = ("Jean-Luc Roy_1", "Jean-Marie Noir_2", "Al Li_3")
    files = {f"{name}_assignsubmission_file_/essay.txt": essay(1) for name in names}
    result = la.find(packed(files, tmp_path / "x.zip"), 0.8).group_by("lms")
    assert len(result.submission_pairs) == 3


def test_members_of_a_group_in_canvas_share_the_number_of_a_file(tmp_path: Path) -> None:
    files = {"liall_11_777_plan.txt": essay(1), "rayjo_12_777_plan.txt": essay(1), "ed_13_778_plan.txt": essay(1)}
    result = la.find(packed(files, tmp_path / "x.zip"), 0.8).group_by("lms")
    assert {one.name for one in result.submissions} == {"liall + rayjo", "ed"}


@pytest.mark.parametrize(
    "names",
    [
        ["report_2024_01_draft.txt", "report_2024_02_draft.txt", "plan_2024_03_x.txt"],
        ["chapter_001_002_intro.txt", "chapter_002_003_end.txt"],
        ["smith_11_22_essay.txt", "readme.txt", "plan.txt"],
        ["sample_10_20_a.txt", "sample_11_21_a.txt", "sample_12_22_a.txt"],
        ["a/essay.txt", "_assignsubmission_", "x_attempt_2026-01-31.txt", "12_34_56_x.txt"],
    ],
)
def test_other_names_are_no_export(names: list[str]) -> None:
    assert recognise(names) is None


def test_a_student_in_two_exports_of_canvas_is_one_and_of_moodle_two() -> None:
    canvas = recognise([f"{name}.zip/lial_11_{name}_a.txt" for name in ("21", "22")], certain=True)
    assert canvas is not None
    assert {known.author for known in canvas.metadata.values()} == {"lial"}
    moodle = recognise([f"{name}.zip/Al Li_{name}_assignsubmission_file_/a.txt" for name in ("one", "two")])
    assert moodle is not None
    assert {known.author for known in moodle.metadata.values()} == {"Al Li one", "Al Li two"}
    moodle = recognise([f"{name}.zip/Al Li_{name}_assignsubmission_file_/a.txt" for name in ("1", "2")])
    assert moodle is not None
    assert {known.author for known in moodle.metadata.values()} == {"Al Li [1.zip]", "Al Li [2.zip]"}


def test_a_grouped_result_is_saved_and_loaded(tmp_path: Path) -> None:
    result = la.find(packed(MOODLE, tmp_path / "m.zip"), 0.3, metric="containment", min_length=40).group_by("lms")
    result.save(tmp_path / "run.lookalike")
    loaded = la.Result.load(tmp_path / "run.lookalike")
    assert loaded.submission_pairs == result.submission_pairs
    assert loaded.to_dict() == result.to_dict()
    assert loaded.to_dict()["submissions"][0]["pairs"] == 2
    assert (loaded.platforms, loaded.authors) == (result.platforms, result.authors)


def test_metadata_goes_before_what_names_tell(tmp_path: Path) -> None:
    result = la.find(packed(MOODLE, tmp_path / "m.zip"), 0.3)
    told = result.with_metadata({"Amelia Abbott_101_assignsubmission_file_/essay.txt": la.Metadata(name="Tides")})
    known = {values.name: values for values in told.metadata.values()}
    assert (known["Tides"].author, known["Tides"].file) == ("Amelia Abbott", "essay.txt")


# -- short documents ---------------------------------------------------------------------------------------------------


def test_short_documents_are_skipped_with_the_reason(tmp_path: Path) -> None:
    texts = {"long": essay(1, 30), "short": "only three words", "copy": f"{essay(1, 30)} changed", "雨": "雨の日" * 5}
    result = la.find(texts, 0.5, min_length=15)
    assert [(one.id, one.reason, one.detail) for one in result.skipped] == [
        ("short", "too short", "it has 3 words; at least 15 are required")
    ]
    assert result.pairs.to_pylist()[0]["b"] == "copy"
    assert result.audit().recall.measured == 1.0
    (tmp_path / "old.jsonl").write_text('{"id": "x", "text": "too short"}\n', encoding="utf-8")
    against = la.find(texts, 0.5, min_length=4, against=tmp_path / "old.jsonl")
    assert {one.id for one in against.skipped} == {"short", "x"}


@pytest.mark.parametrize("form", ["zip", "folder"])
@pytest.mark.parametrize(
    ("platform", "left_out"),
    [
        ("Moodle", {"Amelia Abbott_101_assignsubmission_onlinetext_", "Ben Baker_102_assignsubmission_onlinetext_"}),
        ("Canvas", {"abbottamelia_5101_text.html"}),
        ("Blackboard", {"Essay_1_aabbott_attempt_2026-01-30-12-00-00.txt"}),
    ],
)
def test_short_online_texts_beside_an_essay_are_left_out(
    platform: str, left_out: set[str], form: str, tmp_path: Path
) -> None:
    files = dict(EXPORTS[platform])
    if platform == "Blackboard":
        files |= {name: receipt("Amelia Abbott", "aabbott", TYPED) for name in left_out}
    path = unpacked(files, tmp_path / "x") if form == "folder" else packed(files, tmp_path / "export.zip")
    result = la.find(path, 0.3)
    short = [one for one in result.skipped if one.reason == "short online text"]
    assert {part for one in short for part in one.id.split("/")} >= left_out
    assert len(short) == len(left_out)
    assert all(one.detail.startswith("it has 14 words, ") for one in short)
    assert result.audit().recall.measured == 1.0  # the texts are read again by their numbers
    whole = la.find(path, 0.3, min_length=0)
    assert whole.documents == result.documents + len(left_out)
    assert not [one for one in whole.skipped if one.reason == "short online text"]
    old = la.find({"own": essay(1)}, 0.3, against=path)
    assert len(old.skipped) == len(result.skipped)


@pytest.mark.parametrize(("reason", "stays"), [("damaged", False), ("encrypted", False), ("hidden", True)])
def test_a_declaration_beside_an_unreadable_essay_is_no_submission(reason: str, stays: bool) -> None:
    folder = "Al Li_1_assignsubmission_"
    texts = {f"{folder}onlinetext_/onlinetext.html": TYPED, "Bo Ma_2_assignsubmission_file_/essay.txt": essay(1)}
    files = Files(texts, 3, [Skipped(f"{folder}file_/essay.docx", reason)])
    source = WithoutShortOnlineTexts(files)
    read = [name for batch in source.batches() for name in batch.ids]
    assert len(read) == 1 + stays
    assert [one.reason for one in source.skipped()] == [reason, *(() if stays else ("short online text",))]


def test_an_online_text_that_is_all_of_a_submission_stays() -> None:
    short = "Sorry, my essay is late, and I know it."
    long = essay(1)
    names = {
        "Al Li_1_assignsubmission_onlinetext_/onlinetext.html": (short, True),
        "Bo Ma_2_assignsubmission_onlinetext_/onlinetext.html": (short, True),
        "Bo Ma_2_assignsubmission_file_/remark.txt": ("see above", True),
        "Cy Po_3_assignsubmission_file_/essay.txt": (long, True),
        "Cy Po_3_assignsubmission_onlinetext_/onlinetext.html": (short, False),
        "Di Qu_4_assignsubmission_onlinetext_/onlinetext.html": (long, True),
        "Di Qu_4_assignsubmission_file_/remark.txt": ("see above", True),
        "Zo Ro_5_assignsubmission_file_/essay.txt": (long, True),
    }
    texts = {name: text for name, (text, _) in names.items()}
    source = WithoutShortOnlineTexts(Files(texts, 3))
    read = {str(name): text for batch in source.batches() for name, text in zip(batch.ids, batch.texts, strict=True)}
    assert read == {name: text for name, (text, stays) in names.items() if stays}
    again = {
        list(read)[n]: text for numbers, texts in source.fetch(range(7)) for n, text in zip(numbers, texts, strict=True)
    }
    assert again == read
    assert [one.id for one in source.skipped()] == [name for name, (_, stays) in names.items() if not stays]
    assert "1 online text of fewer than 40 words skipped" in source.notes()[0]


class Files(Source):
    """Texts that come as files do, some at a time."""

    has_files = True
    name = "files"

    def __init__(self, texts: dict[str, str], size: int, skipped: Sequence[Skipped] = ()) -> None:
        self._texts, self._size, self._skipped = list(texts.items()), size, skipped

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        for start in range(0, len(self._texts), self._size):
            names, texts = zip(*self._texts[start : start + self._size], strict=True)
            yield Batch(Ids.of(names), Texts.of(texts))

    def size(self) -> Size:
        return Size(len(self._texts), sum(len(text) for _, text in self._texts))

    def skipped(self) -> list[Skipped]:
        return list(self._skipped)

    def notes(self) -> list[str]:
        return []


@pytest.mark.parametrize("given", [-1, 1.5, "ten"])
def test_a_length_is_a_whole_number(given: object) -> None:
    with pytest.raises(la.RecipeError, match="min_length must be a whole number of at least 0"):
        la.find(["one"], min_length=given)  # type: ignore[arg-type]


# -- other rules -------------------------------------------------------------------------------------------------------


def test_authors_by_a_function_or_a_pattern() -> None:
    texts = {"ann-1": essay(1), "ann-2": essay(1), "bo-1": essay(1), "lonely": essay(1)}
    found = la.find(texts, 0.5)
    by_function = found.group_by(lambda name: name.partition("-")[0] if "-" in name else None)
    by_pattern = found.group_by(r"^(\w+)-")
    assert by_function.submissions == by_pattern.submissions
    assert [(one.a, one.b, len(one.pairs)) for one in by_pattern.submission_pairs] == [
        ("ann", "bo", 2),
        ("ann", "lonely", 2),
        ("bo", "lonely", 1),
    ]
    assert by_pattern.authors is not None
    assert by_pattern.authors.omitted == 1
    with pytest.raises(la.RecipeError, match="a name is 'ann-1'"):
        found.group_by("(nobody)")
    assert len(found.submissions) == 4
    assert len(found.submission_pairs) == found.pair_count
