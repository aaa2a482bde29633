"""What the report says is what the search found."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.report.collect import PageLimits
from lookalike.report.side_files import Mark, Marks
from lookalike.result.from_texts import collect
from tests.report.essays import TASK, essays, metadata, name_of, old_essays
from tests.report.page_data import parts_of, report_of

if TYPE_CHECKING:
    from pathlib import Path


def test_pairs_are_those_of_the_result_closest_first(tmp_path: Path) -> None:
    result = la.find(essays(), 0.3)
    result.report(tmp_path / "report.html")
    head = parts_of(tmp_path / "report.html").head
    ids = head["documents"]["id"]
    listed = [
        {"a": ids[a], "b": ids[b], "jaccard": jaccard, "containment_a": in_b, "containment_b": in_a}
        for a, b, jaccard, in_b, in_a in zip(*head["pairs"].values(), strict=True)
    ]
    expected = result.top(10_000).to_pylist()
    assert [(one["a"], one["b"]) for one in listed] == [(one["a"], one["b"]) for one in expected]
    for one, other in zip(listed, expected, strict=True):
        for name in ("jaccard", "containment_a", "containment_b"):
            assert one[name] == pytest.approx(other[name], abs=1e-6)
    assert head["pairCount"] == result.pair_count == len(listed)
    assert head["groupCount"] == len(result.groups)


def test_texts_and_digests_are_of_the_documents_that_were_read(tmp_path: Path) -> None:
    texts = essays()
    parts = report_of(texts, tmp_path)
    ids = parts.head["documents"]["id"]
    assert {ids[int(number)]: text for number, text in parts.body["texts"].items()} == {
        name_of(i): texts[name_of(i)] for i in (3, 7, 12, 15, 17, 18)
    }
    digests = [hashlib.sha256(text.encode()).hexdigest() for text in texts.values()]
    assert parts.head["documents"]["sha256"] == digests
    assert parts.head["digest"] == hashlib.sha256("".join(digests).encode()).hexdigest()
    assert parts.head["problem"] == ""


def test_passages_have_the_same_words_in_both_documents(tmp_path: Path) -> None:
    parts = report_of(essays(), tmp_path)
    seen = 0
    for a, b, blocks in zip(parts.head["pairs"]["a"], parts.head["pairs"]["b"], parts.body["blocks"], strict=True):
        in_a, in_b = parts.body["texts"][str(a)], parts.body["texts"][str(b)]
        for units, places, *_ in blocks:
            runs = [places[i : i + 4] for i in range(0, len(places), 4)]
            words = [la.normalize(in_a[start:end]) for start, end, _, _ in runs]
            assert words == [la.normalize(in_b[start:end]) for _, _, start, end in runs]
            assert units == sum(len(run.split()) for run in words) >= 8
            seen += 1
    assert seen > 10


def test_places_are_counted_as_javascript_does(tmp_path: Path) -> None:
    same = "the same twelve words stand in both of these two documents today 😀 indeed"
    parts = report_of({"a": f"😀😀 first {same}", "b": f"{same} last"}, tmp_path)
    units, places = parts.body["blocks"][0][0]
    as_javascript = parts.body["texts"]["0"].encode("utf-16-le")
    assert as_javascript[2 * places[0] : 2 * places[1]].decode("utf-16-le") == same
    assert units == len(la.normalize(same).split())


def test_a_changed_word_is_inside_a_passage_not_its_end(tmp_path: Path) -> None:
    parts = report_of(essays(), tmp_path)
    pairs = list(zip(parts.head["pairs"]["a"], parts.head["pairs"]["b"], strict=True))
    blocks = parts.body["blocks"][pairs.index((3, 12))]
    assert max(len(places) // 4 for _, places, *_ in blocks) > 1


def test_each_passage_is_listed_once_with_every_document(tmp_path: Path) -> None:
    parts = report_of(essays(), tmp_path)
    having = [{place[0] for place in places} | set(others) for places, _, others in parts.body["shared"]]
    assert [len(documents) for documents in having] == sorted(len(documents) for documents in having)
    assert {17, 18} in having
    pairs = list(zip(parts.head["pairs"]["a"], parts.head["pairs"]["b"], strict=True))
    for places, blocks, _ in parts.body["shared"]:  # the numbers of a passage are those of the pairs
        listed = {place[0] for place in places}
        assert all(set(pairs[pair]) <= listed and parts.body["blocks"][pair][number] for pair, number in blocks)


def test_a_passage_that_every_document_has_is_not_rare(tmp_path: Path) -> None:
    task = "please write about a place that you know well and tell us how it has changed since then"
    parts = report_of(
        {
            "a": f"{task} one two three four",
            "b": f"{task} five six seven eight",
            "c": f"x {task} nine ten y z q w e r t",
        },
        tmp_path,
        0.6,
    )
    (places, blocks, others), *more = parts.body["shared"]
    assert not more
    assert [{place[0] for place in places}, blocks, others] == [{0, 1}, [[0, 0]], [2]]


def test_excluded_text_is_named_and_marked(tmp_path: Path) -> None:
    parts = report_of(essays(), tmp_path, ignore=[TASK], skip=["quotes"])
    assert parts.head["leftOutOfScores"] == ["quotes", "template"]
    bits = parts.head["reasons"]
    text, flat = parts.body["texts"]["3"], parts.body["spans"]["3"]
    spans = {(text[flat[i] : flat[i + 1]][:10], flat[i + 2]) for i in range(0, len(flat), 3)}
    assert {("Essay task", bits["template"]), ("“the bells", bits["quotes"])} <= spans
    assert ("References", bits["references"]) in spans  # known, so that the page can leave them out
    masks = parts.head["documents"]["units"][3]
    assert dict(zip(masks[::2], masks[1::2], strict=True))[bits["template"]] == len(la.normalize(TASK).split())


def test_names_dates_and_labels_come_from_the_metadata(tmp_path: Path) -> None:
    columns = report_of(essays(), tmp_path, metadata=metadata()).head["documents"]
    assert columns["name"][3] == "Diaz, essay 3"
    assert columns["author"][3] == "Diaz A."
    assert columns["date"][3] == "2026-03-06 07:00"
    assert columns["label"][3] == "class b"
    without = report_of(essays(), tmp_path).head["documents"]
    assert not {"name", "author", "date", "label"} & set(without)


def test_old_documents_are_known_by_their_number(tmp_path: Path) -> None:
    head = report_of(essays(), tmp_path, against=old_essays()).head
    assert head["oldFrom"] == 20
    assert [name for name in head["documents"]["id"] if name.startswith("2025/")] == ["2025/lind.txt", "2025/moe.txt"]
    assert (5, 20) in zip(head["pairs"]["a"], head["pairs"]["b"], strict=True)
    assert head["problem"] == ""


def test_marks_go_on(tmp_path: Path) -> None:
    marks = Marks({(name_of(3), name_of(7)): Mark("checked", "talked to both")})
    head = report_of(essays(), tmp_path, marks=marks).head
    assert head["marks"] == [{"a": name_of(3), "b": name_of(7), "mark": "checked", "note": "talked to both"}]


def test_a_loaded_result_takes_the_texts_and_says_if_they_changed(tmp_path: Path) -> None:
    texts = essays()
    la.find(texts, 0.3).save(tmp_path / "run")
    loaded = la.Result.load(tmp_path / "run")
    page = collect(loaded)
    assert "not given" in page.head["problem"]
    assert page.body["blocks"] == [[] for _ in range(page.head["pairCount"])]
    assert collect(loaded, texts=texts).head["problem"] == ""
    changed = {**texts, name_of(3): "something else"}
    del changed[name_of(4)]
    page = collect(loaded, texts=changed)
    assert "1 document of the documents changed" in page.head["problem"]
    assert "1 document of the documents cannot be found any more" in page.head["problem"]
    assert 3 not in page.body["texts"]
    assert page.head["digest"] == ""


def test_a_source_that_is_gone_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "essays").mkdir()
    for name, text in essays().items():
        (tmp_path / "essays" / name).write_text(text)
    source = la.open_paths([str(tmp_path / "essays")])
    result = la.find(source, 0.3)
    result.source = source  # as it is for a collection that is too large to be kept
    (tmp_path / "essays" / name_of(3)).unlink()
    problem = collect(result).head["problem"]
    assert problem
    assert "\n" not in problem


def test_what_does_not_fit_is_counted() -> None:
    result = la.find(essays(), 0.3)
    page = collect(result, limits=PageLimits(pairs=2, text=3000, shared=1))
    assert len(page.head["pairs"]["a"]) == 2
    assert page.head["leftOut"]["pairs"] == result.pair_count - 2
    assert sum(map(len, page.body["texts"].values())) <= 3000
    assert page.head["leftOut"]["texts"] > 0
    assert len(page.body["shared"]) == 1
    assert page.head["leftOut"]["shared"] > 0
    whole = collect(result)
    assert whole.head["leftOut"] == {"pairs": 0, "texts": 0, "shared": 0}


def test_results_without_pairs_and_with_numbers_for_ids(tmp_path: Path) -> None:
    parts = report_of(["one two three four five six", "seven eight nine ten eleven"], tmp_path)
    assert parts.head["pairs"]["a"] == []
    assert parts.head["documents"]["id"] == [0, 1]
    assert parts.head["title"] == "2 documents"
    assert report_of([], tmp_path).head["documents"] == {"id": []}


def test_the_page_of_two_texts_that_are_char_shingled(tmp_path: Path) -> None:
    recipe = la.Recipe(unit="char", k=9)
    text = "雨の日は家で本を読むのが好きです。" * 6
    parts = report_of({"a": text, "b": f"{text}終わり"}, tmp_path, recipe=recipe)
    assert parts.head["unit"] == "char"
    assert parts.head["least"] == 40
    assert parts.body["blocks"][0][0][0] >= 90
