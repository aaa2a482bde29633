"""`explain`, `completion` and `demo`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lookalike.vocabulary import TERMS

if TYPE_CHECKING:
    from tests.cli.conftest import Run, Start

SENTENCE_END = re.compile(r"(?<=\.) (?=[A-Z0-9-]|lookalike )")


# -- explain -----------------------------------------------------------------------------------------------------------


def test_explain_lists_every_word_on_a_line(run: Run) -> None:
    done = run("explain")
    assert (done.code, done.err) == (0, "")
    assert [line.split()[0] for line in done.out.split("\n\n")[0].splitlines()] == list(TERMS)
    assert done.out.endswith("lookalike explain TERM explains a term.\n")
    assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.parametrize("name", TERMS)
def test_every_word_is_three_sentences_and_leads_on(run: Run, name: str) -> None:
    done = run("explain", name)
    head, tail = done.out.split("\n\n")
    assert head.startswith(f"{name}\n")
    text = " ".join(head.split("\n")[1:])
    assert text == TERMS[name].text
    assert len(SENTENCE_END.split(text)) == 3, SENTENCE_END.split(text)
    assert tail.startswith("See also: ")
    assert max(map(len, done.out.splitlines())) <= 80


def test_words_are_sorted_and_lead_to_words_that_exist() -> None:
    assert list(TERMS) == sorted(TERMS)
    also = [name for term in TERMS.values() for name in (term.name, *term.also)]
    assert len(also) == len(set(also))
    for term in TERMS.values():
        assert term.see
        assert set(term.see) <= set(TERMS) - {term.name}


def test_the_vocabulary_of_the_design_is_there() -> None:
    assert {
        *("document", "shingle", "recipe", "signature", "family", "band", "candidate", "pair", "cluster", "passage"),
        *("recall", "plan", "index", "jaccard", "containment", "threshold", "minhash", "lsh", "star", "linked"),
        *("s-curve", "preset"),
    } <= set(TERMS)


@pytest.mark.parametrize(
    ("asked", "term"),
    [
        ("Jaccard", "jaccard"),
        ("n-gram", "shingle"),
        ("S_curve", "s-curve"),
        ("bands", "band"),
        ("principal", "representative"),
    ],
)
def test_explain_knows_other_names(run: Run, asked: str, term: str) -> None:
    assert run("explain", asked).out.startswith(f"{term}\n")


def test_explain_suggests(run: Run) -> None:
    message = "TERM must be a word of the vocabulary, not 'shingel'; did you mean 'shingle'?"
    assert run("explain", "shingel").complaint == message
    assert run("explain", "xyzzy").complaint.endswith("not 'xyzzy'; lookalike explain lists them")


def test_explain_as_json(run: Run) -> None:
    assert [term["name"] for term in run("explain", "--format", "json").json] == list(TERMS)
    one = run("explain", "recall", "--format", "json").json
    assert one["text"] == TERMS["recall"].text
    assert one["see"] == list(TERMS["recall"].see)


# -- completion --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_completion_prints_a_script(run: Run, shell: str) -> None:
    done = run("completion", shell)
    assert (done.code, done.err) == (0, "")
    assert "_LOOKALIKE_COMPLETE" in done.out
    assert "lookalike" in done.out


def test_completion_of_an_unknown_shell(run: Run) -> None:
    assert run("completion", "tcsh").complaint == "SHELL must be bash, zsh, fish or powershell, not 'tcsh'"
    assert "did you mean 'zsh'?" in run("completion", "zhs").complaint


# -- demo --------------------------------------------------------------------------------------------------------------


def test_demo_shows_a_scan_and_a_comparison(start: Start, tmp_path: Path) -> None:
    done = start("demo")
    assert (done.code, done.err) == (0, "")
    order = [
        done.out.index(part)
        for part in (
            "$ lookalike scan sample --threshold 0.5\n",
            "3 pairs",
            "clock-copy.txt        clock.txt",
            "8 documents · 3 pairs ≥ 0.50 in 3 clusters",
            "Next: lookalike compare sample/clock-copy.txt sample/clock.txt",
            "$ lookalike compare sample/clock.txt sample/market-and-clock.txt\n",
            "Large parts shared: B contains all of A.",
            "Now try your own texts: lookalike PATH.",
        )
    ]
    assert order == sorted(order)
    assert max(map(len, done.out.splitlines())) <= 80
    assert list(tmp_path.iterdir()) == [], "it leaves nothing behind"


def test_demo_returns_to_where_it_was(run: Run) -> None:
    here = Path.cwd()
    assert run("demo").code == 0
    assert Path.cwd() == here
