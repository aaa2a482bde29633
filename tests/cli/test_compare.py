"""`lookalike compare`: what it says."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lookalike as la

if TYPE_CHECKING:
    from tests.cli.conftest import Run, Start

COLLECTION = Path(__file__).parents[2] / "examples" / "collection"
CAUTION = "Similarity is not proof of copying: read the passages."


def collection(*names: str) -> tuple[str, ...]:
    return tuple(str(COLLECTION / name) for name in names)


def write(**texts: str) -> tuple[str, ...]:
    for name, text in texts.items():
        Path(f"{name}.txt").write_bytes(text.encode("utf-8"))
    return tuple(f"{name}.txt" for name in texts)


def compared(names: tuple[str, str]) -> la.Comparison:
    return la.compare(_text(names[0]), _text(names[1]))


def _text(name: str) -> str:
    return Path(name).read_text(encoding="utf-8")


# -- for a person ------------------------------------------------------------------------------------------------------


def test_shows_names_scores_and_passages(start: Start, tides: tuple[str, str]) -> None:
    done = start("compare", *tides)
    assert (done.code, done.err) == (0, "")
    found = compared(tides)
    for expected in (
        *tides,
        f"{found.jaccard:.4f}",
        f"{found.containment_a:.1%}",
        f"{found.containment_b:.1%}",
        f"{found.estimate:.4f}  ± {found.standard_error:.4f}",
        "256 hashes, fast sketch",
        f"A has {found.shingles_a}, B has {found.shingles_b}; each is 5 words",
        f"{len(found.passages)} shared passages of at least 8 words, word for word; the 5 longest:",
        "learn that early",
        CAUTION,
    ):
        assert expected in done.out


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("library-reopens.txt", "branch-news-saturday.txt"), "Identical: the two texts are the same"),
        (("why-tides-rise.txt", "tides-homework.txt"), "Near-duplicate: "),
        (("waggle-dance.txt", "year-of-the-hive.md"), "Large parts shared: B contains all of A."),
        (("year-of-the-hive.md", "waggle-dance.txt"), "Large parts shared: A contains all of B."),
        (("river-cleanup.txt", "angling-club-newsletter.md"), "Some passages shared; "),
        (("chess-final.txt", "letter-bicycle-lane.txt"), "Little in common."),
        (("chess-final.txt", "shopping-note.txt"), "Little in common."),
    ],
)
def test_verdict(run: Run, names: tuple[str, str], words: str) -> None:
    assert f"\n\n{words}" in run("compare", *collection(*names)).out


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ("One, two — THREE!", "one two three", "Identical after normalising: "),
        ("a b a b a b a b", "a b a b a b a b a b", "The same shingles, in a different order or number."),
        ("!!!", "???", "Nothing is left of either text after normalising"),
        ("!!!", "something else", "Little in common."),
    ],
)
def test_verdict_where_shingles_are_few(run: Run, a: str, b: str, words: str) -> None:
    assert f"\n\n{words}" in run("compare", *write(a=a, b=b)).out


def test_a_verdict_does_not_depend_on_the_passages_that_are_asked_for(run: Run) -> None:
    names = collection("chess-final.txt", "letter-bicycle-lane.txt")
    assert "\n\nLittle in common." in run("compare", *names, "--min-passage", "1").out
    names = collection("river-cleanup.txt", "angling-club-newsletter.md")
    assert "\n\nSome passages shared; " in run("compare", *names, "--min-passage", "1000").out


def test_nearly_equal_is_not_shown_as_equal(run: Run) -> None:
    text = " ".join(f"w{i}" for i in range(30_000))
    done = run("compare", *write(a=text, b=text + " more"))
    assert "0.9999     99.9%" in done.out
    assert "Identical" not in done.out


def test_no_passage_is_said_with_the_length(run: Run) -> None:
    done = run("compare", *write(a="one two three four", b="one two three five"))
    assert "No exact passage of at least 8 words (--min-passage shows shorter ones)." in done.out
    done = run("compare", "a.txt", "b.txt", "--unit", "char")
    assert "No exact passage of at least 40 characters" in done.out


def test_one_word_files(run: Run) -> None:
    done = run("compare", *write(a="word", b="Word."))
    assert done.code == 0
    assert "Identical after normalising" in done.out
    assert "1.0000    100.0%" in done.out


def test_passages_come_longest_first_with_their_lines(run: Run) -> None:
    long, short = " ".join(f"l{i}" for i in range(20)), " ".join(f"s{i}" for i in range(10))
    a, b = f"{short}\n\nother\r\n{long}", f"new\n{long}\nx y z\r{short}"
    done = run("compare", *write(a=a, b=b))
    assert re.findall(r"^(\d)  (\d+) words$", done.out, re.MULTILINE) == [("1", "20"), ("2", "10")]
    assert re.findall(r"A, line (\d) +│ B, line (\d)$", done.out, re.MULTILINE) == [("4", "2"), ("1", "4")]


def test_a_passage_over_several_lines_says_so(run: Run) -> None:
    text = "one two three\nfour five six\nseven eight nine"
    assert re.search(r"A, lines 1–3 +│ B, lines 2–4", run("compare", *write(a=text, b="\n" + text)).out)


def test_a_long_passage_is_shortened_in_the_middle_with_the_count(run: Run) -> None:
    text = " ".join(f"word{i}" for i in range(1000))
    out = run("compare", *write(a=text, b=text.upper())).out
    cut = re.findall(r"\[… (\d+)", out)
    assert len(cut) == 2
    assert cut[0] == cut[1], "both sides are cut at the same words"
    left = set(re.findall(r"\bword\d+\b", out))
    assert len(left) + int(cut[0]) == 1000
    assert {"word0", "word999"} <= left
    assert re.findall(r"\bWORD0\b", out), "B is shown as B has it"


def test_marks_between_two_words_can_be_long_too(run: Run) -> None:
    text = "one two three four " + "." * 2000 + " five six seven eight"
    out = run("compare", *write(a=text, b=text)).out
    assert out.count("[…]") == 2
    assert len(out) < 4000


@pytest.mark.parametrize("text", ["x" * 1_000_000, "ab " * 300_000, "雨の日" * 50_000], ids=["word", "words", "cjk"])
def test_a_huge_line_gives_a_short_answer(run: Run, text: str) -> None:
    for options in ([], ["--preset", "cjk"]):
        done = run("compare", *write(a=text, b=text), *options)
        assert done.code == 0
        assert len(done.out) < 5000


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_fits_the_width(run: Run, tides: tuple[str, str], monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = run("compare", *tides).out.splitlines()
    assert max(map(len, lines)) <= columns
    assert max(map(len, lines)) > columns - 8, "and uses it"
    assert all(line == line.rstrip() for line in lines)


def test_is_80_wide_where_there_is_no_terminal(start: Start, tides: tuple[str, str]) -> None:
    assert max(map(len, start("compare", *tides).out.splitlines())) <= 80


HOSTILE = "\x1b[31m \x07 \x9b \u202e \u2066 \u200b \ufeff \u2028 \U000e0041"


def test_hostile_characters_are_shown_as_escapes(run: Run) -> None:
    text = f"one two three four {HOSTILE} five six seven eight"
    done = run("compare", *write(a=text, b=text), "--color", "never")
    shown = " ".join(line.split("│")[0].strip() for line in done.out.splitlines() if "│" in line)
    for escape in (r"\x1b[31m", r"\x07", r"\x9b", r"\u2066", r"\u200b", r"\ufeff", r"\u2028", r"\U000e0041"):
        assert escape in shown
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2066-\u2069\ufeff]", done.out)


def test_joiners_and_emoji_stay(run: Run) -> None:
    text = "one two three four 👩‍👩‍👧 می‌خواهم five six seven eight"
    out = run("compare", *write(a=text, b=text)).out
    assert "👩‍👩‍👧" in out
    assert "می‌خواهم" in out


def test_markup_and_emoji_codes_in_a_text_mean_nothing(run: Run) -> None:
    text = "one [bold]two[/bold] :smile: three four [link=http://x] five six seven eight nine"
    out = run("compare", *write(a=text, b=text)).out
    assert "[bold]two[/bold] :smile:" in out


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_a_file_name_that_is_not_utf8(start: Start) -> None:
    name = os.fsdecode(b"caf\xe9\n.txt")
    Path(name).write_text("one two three", encoding="utf-8")
    table, as_json = start("compare", name, name), start("compare", name, name, "--format", "json")
    assert table.out.startswith("A  caf\\udce9\\n.txt\n")
    assert as_json.json["a"] == name


# -- for a program -----------------------------------------------------------------------------------------------------


def test_json_is_one_object_with_the_promised_keys(start: Start, tides: tuple[str, str]) -> None:
    done = start("compare", *tides, "--format", "json")
    assert (done.code, done.err) == (0, "")
    texts = [_text(name) for name in tides]
    found = compared(tides)
    result = done.json
    assert {key: value for key, value in result.items() if key not in ("a", "b", "passages")} == {
        key: value for key, value in found.to_dict().items() if key != "passages"
    }
    assert list(result)[:3] == ["schema", "a", "b"]
    assert (result["schema"], result["a"], result["b"]) == ("lookalike/1", *tides)
    assert la.Recipe.from_dict(result["recipe"]) == la.Recipe()
    for shown, passage in zip(result["passages"], found.passages, strict=True):
        assert shown["text"] == texts[0][passage.a_start : passage.a_end] == texts[0][shown["a_start"] : shown["a_end"]]
        assert (shown["b_start"], shown["b_end"], shown["units"]) == (passage.b_start, passage.b_end, passage.units)
        assert shown["a_line"] == texts[0].count("\n", 0, passage.a_start) + 1
        assert shown["b_line"] == texts[1].count("\n", 0, passage.b_start) + 1


def test_json_is_utf8_in_any_locale_and_keeps_letters(start: Start) -> None:
    text = "eins zwei drei vier fünf sechs sieben größe 雨 🐝"
    done = start("compare", *write(a=text, b=text), "--format", "json", PYTHONIOENCODING="latin-1", COLUMNS="20")
    assert "fünf" in done.out
    assert done.json["passages"][0]["text"] == text


def test_a_table_survives_a_terminal_without_unicode(start: Start) -> None:
    text = "eins zwei drei vier fünf sechs sieben größe 雨"
    done = start("compare", *write(a=text, b=text), PYTHONIOENCODING="ascii")
    assert (done.code, done.err) == (0, "")
    assert r"f\xfcnf" in done.out


def test_offsets_hold_for_the_file_with_its_line_ends(run: Run) -> None:
    text = "one two\r\nthree\rfour five\n\nsix seven eight nine"
    result = run("compare", *write(a=text, b=text), "--format", "json").json
    assert result["passages"][0]["text"] == text


# -- options -----------------------------------------------------------------------------------------------------------


def test_top(run: Run, tides: tuple[str, str]) -> None:
    def shown(*options: str) -> list[int]:
        return [int(n) for n in re.findall(r"^\d+  (\d+) words$", run("compare", *tides, *options).out, re.MULTILINE)]

    everything = shown("--top", "0")
    assert len(everything) == 7
    assert everything == sorted(everything, reverse=True)
    assert shown() == everything[:5]
    assert shown("--top", "1") == everything[:1]
    assert shown("--top", "99") == everything


def test_top_in_json_keeps_the_order_of_the_text(run: Run, tides: tuple[str, str]) -> None:
    everything = run("compare", *tides, "--format", "json").json["passages"]
    three = run("compare", *tides, "--format", "json", "--top", "3").json["passages"]
    assert [p["units"] for p in everything] == [p.units for p in compared(tides).passages]
    assert three == [p for p in everything if p["units"] in sorted((p["units"] for p in everything), reverse=True)[:3]]


def test_min_passage(run: Run, tides: tuple[str, str]) -> None:
    for least, some in (("1", True), ("60", True), ("500", False), ("9" * 30, False)):
        found = run("compare", *tides, "--min-passage", least, "--format", "json").json["passages"]
        assert bool(found) is some
        assert all(p["units"] >= int(least) for p in found)
    assert "of at least 60 words" in run("compare", *tides, "--min-passage", "60").out


def test_output_goes_to_a_file(run: Run, tides: tuple[str, str]) -> None:
    printed = run("compare", *tides, "--format", "json").out
    for spelling in ("-o", "--output"):
        done = run("compare", *tides, "--format", "json", spelling, "result.json")
        assert (done.code, done.out, done.err) == (0, "", "")
        assert Path("result.json").read_text(encoding="utf-8") == printed
    assert json.loads(printed)
    assert run("compare", *tides, "--format", "json", "-o", "-").out == printed


def test_output_never_overwrites_a_document(run: Run) -> None:
    a, b = write(a="one two three", b="one two four")
    Path("link.txt").hardlink_to(b)
    for target in (a, b, "link.txt", "./a.txt"):
        assert "is one of the documents" in run("compare", a, b, "-o", target).complaint
    assert (_text(a), _text(b)) == ("one two three", "one two four")


@pytest.mark.parametrize("place", [0, 1])
def test_reads_standard_input(start: Start, tides: tuple[str, str], place: int) -> None:
    names = list(tides)
    stdin = Path(names[place]).read_bytes()
    names[place] = "-"
    done = start("compare", *names, "--format", "json", stdin=stdin)
    assert done.json["ab"[place]] == "standard input"
    assert done.json["jaccard"] == compared(tides).jaccard


def test_standard_input_may_have_any_encoding(start: Start) -> None:
    Path("b.txt").write_text("größer als früher, sagte der Müller", encoding="utf-8")
    done = start("compare", "-", "b.txt", stdin="größer als früher, sagte der Müller".encode("utf-16"))
    assert done.out.startswith("A  standard input\n")
    assert "Identical: " in done.out
    assert done.err == "lookalike: note: standard input is read as UTF-16 (as its first bytes say)\n"


def test_an_encoding_other_than_utf8_is_said(run: Run) -> None:
    text = "Der Müller und die größere Brücke über den Fluß, früher und später."
    Path("a.txt").write_bytes(text.encode("cp1252"))
    Path("b.txt").write_bytes(b"\xef\xbb\xbf" + text.encode("utf-8"))
    done = run("compare", "a.txt", "b.txt", "--format", "json")
    assert done.json["jaccard"] == 1.0
    assert done.err == "lookalike: note: a.txt is read as windows-1252 (detected; save it as UTF-8 to be sure)\n"
