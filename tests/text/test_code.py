"""Source code by the preset `code`: what a copier changes without changing the program does not count."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

CODE = la.Recipe.preset("code")

PYTHON = '''\
# Copyright 2024 Anna. Licensed under the MIT licence.
"""Grades of a class."""

import csv
from statistics import (
    mean,
    median,
)


def read_grades(path):
    """Read the grades of all students."""
    grades = {}
    with open(path) as file:
        for row in csv.DictReader(file):
            # one row for each student
            grades[row["name"]] = float(row["grade"]) // 1
    return grades


def report(grades, limit=5.0):
    passed = [name for name, grade in grades.items() if grade >= limit]
    if not passed:
        print("nobody passed")
    return mean(grades.values()), len(passed) / max(1, len(grades))
'''
PYTHON_RENAMED = """\
import csv, statistics


def load(f):
    marks = {}
    with open(f) as handle:
        for line in csv.DictReader(handle):
            marks[line["student"]] = float(line["points"]) // 10   # round down
    return marks


def summary(m, threshold=4.5):
    ok = [who for who, mark in m.items() if mark >= threshold]

    if not ok:
        print('no one made it')
    return average(m.values()), len(ok) / max(1, len(m))
"""
OTHER_PYTHON = """\
import heapq

class Graph:
    def __init__(self, edges):
        self.edges = edges

    def shortest(self, start, goal):
        queue, seen = [(0, start)], set()
        while queue:
            cost, node = heapq.heappop(queue)
            if node == goal:
                return cost
            seen.add(node)
            for other, weight in self.edges[node]:
                if other not in seen:
                    heapq.heappush(queue, (cost + weight, other))
        raise KeyError(goal)
"""
JAVA = """\
package school;

import java.util.Scanner;

/** Adds up to ten numbers. */
public class Sum {
    private static final int MOST = 10;

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int total = 0;
        for (int i = 0; i < MOST; i++) {
            int n = in.nextInt(); // may be negative
            if (n == 0) {
                break;
            }
            total += n;
        }
        System.out.println("The sum is " + total);
    }
}
"""
JAVA_RENAMED = """\
import java.util.*;
class Addition
{
    static int LIMIT = 12;
    public static void main(final String[] a)
    {
        Scanner s = new Scanner(System.in);
        int result = 0;
        for (int k = 0; k < LIMIT; k++)
        {
            int number = s.nextInt();
            if (number == 0) break;
            /* add it */
            result += number;
        }
        System.out.println("Sum: " + result);
    }
}
"""


@pytest.mark.parametrize(("original", "renamed"), [(PYTHON, PYTHON_RENAMED), (JAVA, JAVA_RENAMED)], ids=["py", "java"])
def test_other_names_comments_literals_and_layout_change_nothing(original: str, renamed: str) -> None:
    assert la.compare(original, renamed, recipe=CODE).jaccard == 1.0
    assert la.compare(original, renamed).jaccard < 0.3
    assert la.compare(original, OTHER_PYTHON, recipe=CODE).jaccard < 0.2


def test_a_search_finds_the_renamed_programs() -> None:
    programs = {
        "anna.py": PYTHON,
        "ben.py": PYTHON_RENAMED,
        "cem.py": OTHER_PYTHON,
        "A.java": JAVA,
        "B.java": JAVA_RENAMED,
    }
    for method in ("exact", "lsh", "signatures"):
        found = la.find(programs, la.PRESETS["code"].threshold, recipe=CODE, method=method)
        pairs = {(row["a"], row["b"]) for row in found.to_dict()["pairs"]}
        assert pairs == {("anna.py", "ben.py"), ("A.java", "B.java")}


def test_passages_have_their_places_in_the_original() -> None:
    head = "é 😀 // a comment\n"
    shared = "while (first < last) { swap(list, first++, last--); }"
    a, b = f"{head}x = 1;\n{shared}\n", shared.replace("first", "i").replace("last", "j")
    (passage,) = la.passages(a, b, recipe=CODE)
    assert a[passage.a_start : passage.a_end] == shared.removesuffix(" }")[: passage.a_end - passage.a_start]
    assert a[passage.a_start :].startswith("while (first")
    assert b[passage.b_start : passage.b_end].startswith("while (i < j")


# Each line: two programs that are one to a reader who looks at what they do.
ALIKE = {
    "licence": (
        "// Copyright A\n/*\n * All rights reserved.\n */\nint f(int a) { return a; }",
        "int g(int b) { return b; }",
    ),
    "shell": ("#!/bin/sh\nset -e # stop\nfor f in *; do echo $f; done", "set -e\nfor g in *; do echo $g; done"),
    "c": ('#include <stdio.h>\nint main(void) { printf("%d\\n", 1); }', 'int main(void) { printf("no", 22); }'),
    "go": ('package a\nimport (\n\t"fmt"\n)\nfunc f() { fmt.Println(`x\ny`) }', 'func g() { log.Print("z") }'),
    "rust": ("use std::{\n  io,\n};\npub fn f(mut x: u8) -> u8 { x }  // é", "fn g(y: u8) -> u8 { y }"),
    "javascript": ("import { a } from 'b';\nconst f = (x) => { return x };", "let g = (y) => { return y }"),
    "typescript": ("import a from 'a'\nexport class A { private x = 1 }", "class B { y = 2; }"),
    "sql": ("SELECT a FROM t -- the rows\nWHERE a IN (1)", "select b from u where b in (2)"),
    "lua": ("--[[ two\nlines ]]\nfor i = 1, 2 do f(i) end", "for j = 3, 4 do g(j) end"),
    "ruby": ("require 'set'\ndef f(a)\n  a + 1 # more\nend", "def g(b)\n  b + 2\nend"),
    "php": ("use App\\A;\nif ($a === 'b') { f($a); }", 'if ($c === "d") g($c);'),
    "c++": ("using namespace std;\nauto f() -> int { return 1'000; }", "inline f() -> int { return 2'000; }"),
    "html": ("<!-- note --><p class='a'>", '<p class="b">'),
}


@pytest.mark.parametrize("language", ALIKE)
def test_languages(language: str) -> None:
    a, b = ALIKE[language]
    assert [unit.text for unit in la.units(a, CODE)] == [unit.text for unit in la.units(b, CODE)]


def units(text: str) -> list[str]:
    return [unit.text for unit in la.units(text, CODE)]


def test_what_looks_like_a_comment_and_is_none() -> None:
    assert units("while n > 0:\n    n = n // 2") == ["while", "x", ">", "0", ":", "x", "=", "x", "/", "/", "0"]
    assert units("i--; --j; a -- b") == ["x", "-", "-", "-", "-", "x", "x"]
    assert units("$# ${#a} x.#y") == ["x", "#", "x", "#", "x", "x", ".", "#", "x"]
    assert units("wget http://a.b") == ["x", "x", ":", "/", "/", "x", ".", "x"]
    assert units("from = use + 1\nimport_it(x)") == ["x", "=", "x", "+", "0", "x", "(", "x", ")"]


# Nothing here may take long, or end in anything but an answer: the lexer is linear whatever comes.
HOSTILE = {
    "brackets": "(" * 100_000 + "{" * 100_000,
    "quotes": "'\"`" * 100_000,
    "escaped quotes": "'" + "\\'" * 100_000,
    "escaped backticks": "`" + "\\`" * 100_000,
    "open comments": "/* <!-- --[[ " * 100_000,
    "open raw strings": 'r#"r##"r###"' * 100_000,
    "open docstrings": "x = '''\"\"\" " * 1 + '"""\'' * 20_001,
    "open imports": "import (\n" * 100_000,
    "lifetimes": "<'a &'b" * 100_000,
    "one line": "int a = b + 1; /* c " + "f(x, 'y'); " * 450_000,
    "one name": "é" * 1_000_000,
    "one number": "1e+" * 300_000,
    "from": "from x\n" * 100_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_code(name: str) -> None:
    assert la.jaccard(HOSTILE[name], HOSTILE[name], recipe=CODE) == 1.0


@pytest.mark.parametrize("end", ['"', "'", "`", "/*", '"""', "(", "import (", "#", "<!--", 'r#"'])
def test_broken_code_loses_little(end: str) -> None:
    assert la.compare(PYTHON, PYTHON.replace("return mean", f"return {end} mean"), recipe=CODE).containment_a > 0.75


# -- the recipe ------------------------------------------------------------------------------------------------------


def test_settings_of_the_text_have_no_effect() -> None:
    recipe = la.Recipe(unit="token", k=8)
    assert recipe == CODE == la.Recipe(unit="token", k=8, lowercase=False, form="none", stop_words=["int"])
    assert str(recipe) == "lookalike-recipe/2 unit=token k=8 bag=no invisible=drop sketch=fast hashes=256 seed=1"
    assert la.Recipe.parse(str(recipe)) == recipe == la.Recipe.from_dict(recipe.to_dict())
    with pytest.raises(la.errors.MismatchError, match="unit is 'token' and 'word'"):
        recipe.check_same(la.Recipe(k=8))


def test_plain_words_stay_possible() -> None:
    words = la.Recipe(lowercase=False, punctuation="keep")
    assert la.compare("a = b", "a = c", recipe=words).jaccard == 0.0
    assert la.compare("a = b", "a = c", recipe=CODE).jaccard == 1.0


# -- notebooks -------------------------------------------------------------------------------------------------------


def notebook(cells: Iterable[tuple[str, str]], *, outputs: bool) -> str:
    made: list[dict[str, Any]] = []
    for number, (kind, source) in enumerate(cells):
        cell: dict[str, Any] = {"cell_type": kind, "metadata": {"id": number} if outputs else {}}
        cell["source"] = source.splitlines(keepends=True) if outputs else source
        if kind == "code":
            picture = {
                "output_type": "display_data",
                "data": {"image/png": "iVBORw0KGgo" * 500, "text/plain": "<Figure>"},
            }
            cell |= {"execution_count": number if outputs else None, "outputs": [picture] if outputs else []}
        made.append(cell)
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=outputs)


CELLS = [
    ("markdown", "# Homework\nGrades of a *class*."),
    ("code", "%matplotlib inline\n" + PYTHON),
    ("code", "report({})"),
]


def test_a_notebook_without_outputs_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "run.ipynb").write_text(notebook(CELLS, outputs=True), encoding="utf-8")
    (tmp_path / "cleared.ipynb").write_text(notebook(CELLS, outputs=False), encoding="utf-8")
    (tmp_path / "homework.py").write_text(PYTHON_RENAMED + "summary({})", encoding="utf-8")
    (tmp_path / "damaged.ipynb").write_text('{"cells": [', encoding="utf-8")
    (tmp_path / "other.ipynb").write_text('{"rows": []}', encoding="utf-8")
    by_words, by_tokens = (la.find(tmp_path, 0.9, recipe=recipe) for recipe in (la.Recipe(), CODE))
    assert by_words.to_dict()["pairs"][0]["jaccard"] == 1.0
    assert (by_words.pairs.num_rows, by_tokens.pairs.num_rows) == (1, 3)
    assert {(skipped.id.rpartition("/")[2], skipped.reason) for skipped in by_words.skipped} == {
        ("damaged.ipynb", "damaged"),
        ("other.ipynb", "damaged"),
    }


def test_cells_of_old_notebooks(tmp_path: Path) -> None:
    cells = [{"cell_type": "code", "input": ["x = 1\n", "y = 2"]}, {"cell_type": "heading", "source": "End"}, 5]
    path = tmp_path / "old.ipynb"
    path.write_text(json.dumps({"worksheets": [{"cells": cells}], "nbformat": 3}), encoding="utf-8")
    from lookalike.documents.extract.worker import read_as

    with path.open("rb") as file:
        assert read_as("notebook", file, "auto").text == "x = 1\ny = 2\n\n# End"
