"""The modules of `documents` import each other in one direction, and only other people's libraries late."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import lookalike.documents

ROOT = Path(lookalike.documents.__file__).parent
PACKAGE = "lookalike.documents"


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


def test_no_module_of_ours_is_imported_late() -> None:
    late = {
        (module, function.name): sorted(found)
        for module, tree in MODULES.items()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef) and (found := imports(function))
    }
    assert late == {}
