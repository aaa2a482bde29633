"""The modules of `documents` import each other in one direction; only those that choose a reader import it late."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import lookalike.documents

ROOT = Path(lookalike.documents.__file__).parent
PACKAGE = "lookalike.documents"
CHOOSERS = {"open", "paths", "text_file", "extract.worker", "metadata", "combined_source"}
"""They decide which reader a document needs, whether a name is a URL, whether a table of metadata is read at all, or
whether files may be the export of a learning platform.

A scan of Parquet must not wait for the readers of others.
"""


def name_of(path: Path) -> str:
    parts = [PACKAGE, *path.relative_to(ROOT).with_suffix("").parts]
    return ".".join(parts).removesuffix(".__init__")


MODULES = {name_of(path): ast.parse(path.read_text(encoding="utf-8")) for path in ROOT.rglob("*.py")}


def imports(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("lookalike"):
            found |= {
                inner if (inner := f"{node.module}.{name.name}") in MODULES else node.module for name in node.names
            }
    return found


def test_no_cycles_not_even_for_types() -> None:
    graph = {name: imports(tree) & set(MODULES) for name, tree in MODULES.items()}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise AssertionError(" ← ".join(error.args[1])) from None


def test_a_module_of_ours_is_imported_late_only_by_what_chooses_a_reader() -> None:
    late = {
        (module, function.name): sorted(found)
        for module, tree in MODULES.items()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef) and (found := imports(function))
        if module.removeprefix(f"{PACKAGE}.") not in CHOOSERS
    }
    assert late == {}
