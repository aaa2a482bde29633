"""The project's rules about itself."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lookalike
from lookalike.documents import kinds
from lookalike.opening import SERVERS

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "lookalike"
MODULES = sorted({"lookalike", *(module.name for module in pkgutil.walk_packages(lookalike.__path__, "lookalike."))})

# Each may import what stands before it, and never what stands after it. The package itself, as in `from lookalike
# import find`, is the public face of all up to `search`.
LAYERS = (
    {"_native", "errors", "hashing", "opening", "presets", "recipe", "reference", "remote", "vocabulary"},
    {"tables"},
    {"text"},
    {"engine"},
    {"documents"},
    {"report"},
    {"result"},
    {"search"},
    {"lookalike", "client", "experiments", "index"},
    {"server"},
    {"cli", "spark", "__main__"},
)


def project_files() -> list[Path]:
    """All files that git tracks or would track: right before the first commit too."""
    # A checkout that somebody else owns (a container, a mounted folder) is still ours to read.
    git = ["git", "-c", "safe.directory=*", "-C", str(ROOT)]
    listing = [*git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, check=True, capture_output=True, text=True).stdout
    return [path for name in names.split("\0") if name and (path := ROOT / name).is_file()]


def test_modules_of_the_core_import_one_another_in_one_direction() -> None:
    source = ROOT / "rust" / "core" / "src"
    uses: dict[str, set[str]] = {}
    for path in source.rglob("*.rs"):
        code = re.sub(r"//.*", "", path.read_text(encoding="utf-8")).partition("#[cfg(test)]")[0]
        module = path.relative_to(source).with_suffix("").parts[0]
        uses.setdefault(module, set()).update(re.findall(r"\bcrate::(\w+)", code))
    del uses["lib"]
    while uses:  # take away what uses nothing that is left
        free = {module for module, used in uses.items() if not (used & set(uses)) - {module}}
        assert free, f"these modules use one another: {sorted(uses)}"
        uses = {module: used for module, used in uses.items() if module not in free}


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def module_of(path: Path) -> str:
    parts = ("lookalike", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_of(path): path for path in PACKAGE.rglob("*.py")}
"""Every module of the package."""


def layer(module: str) -> int:
    top = module.removeprefix("lookalike.").split(".")[0]
    return next(height for height, names in enumerate(LAYERS) if top in names)


def imported(path: Path) -> set[str]:
    """The modules of lookalike that a file imports, at the top or inside a function, except for type checking only."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import hides the layer"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            modules = {name for name in names if name in FILES or name == "lookalike._native"}
            found |= modules | ({str(node.module)} if modules != names else set())
    return {name for name in found if name.split(".")[0] == "lookalike"}


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The groups of modules that import each other, directly or round a corner."""
    reach = {module: set(others) for module, others in graph.items()}
    for through in graph:
        for others in reach.values():
            if through in others:
                others.update(reach[through])
    groups = {frozenset(m for m in reach if m in reach[n] and n in reach[m]) for n in reach if n in reach[n]}
    return sorted(sorted(group) for group in groups)


def test_ci_calls_make_test_and_nothing_else() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    lines = [line for line in script.splitlines() if line and not line.startswith("#")]
    assert lines == ["set -euo pipefail", 'cd "$(dirname "$0")/.."', "CI=true exec make test"]
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111, ".ci/run must be executable"


def test_import_loads_nothing_heavy() -> None:
    program = """
import sys
import lookalike
from lookalike.documents import kinds
from lookalike.opening import SERVERS
print(*sorted({name.split('.')[0] for name in sys.modules} & {'numpy', 'pyarrow', 'rich', 'typer', 'click', 'pandas'}))
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.split() == []


def test_no_command_waits_for_pandas(tmp_path: Path) -> None:
    """pyarrow loads pandas as soon as it is given a Python number, and that takes longer than a search."""
    rows = [f'{{"id": "d{i}", "text": "{" ".join(f"w{j + i % 7}" for j in range(40))}"}}\n' for i in range(60)]
    (tmp_path / "pages.jsonl").write_text("".join([*rows, rows[0].replace("d0", "copy")]), encoding="utf-8")
    program = """
import sys
from lookalike.cli import main
for command in ("scan -t 0.5", "scan --format json", "scan --format csv", "dedupe -o kept.jsonl"):
    assert main([*command.split(), "pages.jsonl"]) == 0
    assert "pandas" not in sys.modules, command
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("name", lookalike.__all__)
def test_public_name_exists_and_is_documented(name: str) -> None:
    public = getattr(lookalike, name)
    if not callable(public):
        return  # a constant is documented where it is defined
    assert inspect.getdoc(public), f"lookalike.{name} has no docstring"


def test_public_names_are_listed_by_dir() -> None:
    assert len(set(lookalike.__all__)) == len(lookalike.__all__)
    assert set(lookalike.__all__) <= set(dir(lookalike))


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith(("_native", "__main__"))])
def test_examples_in_docstrings_are_right(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_imports_go_one_way() -> None:
    wrong = [
        f"{module} imports {other}"
        for module, path in FILES.items()
        for other in sorted(imported(path))
        if layer(other) > layer(module)
    ]
    assert wrong == []


@pytest.mark.parametrize("top", sorted({module.split(".")[1] for module in FILES if "." in module}))
def test_no_modules_import_each_other(top: str) -> None:
    found = cycles({module: imported(path) & set(FILES) for module, path in FILES.items()})
    assert [cycle for cycle in found if any(module.split(".")[1:2] == [top] for module in cycle)] == []


def test_cycles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": set(), "f": {"f"}}
    assert cycles(graph) == [["a", "b", "c"], ["f"]]


def test_no_file_names_this_machine_or_a_registry() -> None:
    machine = re.compile(r"(?<![\w.~])/(?:home|root|work|Users)/\w")
    registry = re.compile(r"(?:index|static)\.crates\.io|files\.pythonhosted\.org|pypi\.org/simple|index-url")
    wrong = []
    for path in project_files():
        text = path.read_text(encoding="utf-8", errors="replace")
        if path != Path(__file__) and (found := machine.search(text) or registry.search(text)):
            wrong.append(f"{path.relative_to(ROOT)}: {found.group()}")
    assert wrong == []


def test_cargo_locks_name_the_public_registry_only() -> None:
    locks = [path for path in project_files() if path.name == "Cargo.lock"]
    assert locks, "Cargo.lock belongs in the repository"
    sources = {source for lock in locks for source in re.findall(r'^source = "(.*)"', lock.read_text(), re.MULTILINE)}
    assert sources <= {"registry+https://github.com/rust-lang/crates.io-index"}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_make_targets_in_pages_exist(page: str) -> None:
    named = set(re.findall(r"\bmake ([a-z][a-z-]*)", "\n".join(code_in(ROOT / page))))
    assert named, f"{page} tells nobody how to start"
    assert named <= make_targets()


def code_in(page: Path) -> list[str]:
    """The fenced blocks and the `quoted` pieces of a page: prose may well say that bees make honey."""
    return re.findall(r"```.*?```|`[^`\n]+`", page.read_text(encoding="utf-8"), re.DOTALL)


def test_every_make_target_is_explained_by_help() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert set(re.findall(r"^([a-z-]+):.*## ", text, re.MULTILINE)) == make_targets()


def test_every_public_name_is_in_the_api_reference() -> None:
    page = (ROOT / "docs" / "api.rst").read_text(encoding="utf-8")
    listed = re.findall(r"^\.\. auto(?:function|class|data):: lookalike\.(\w+)$", page, re.MULTILINE)
    assert len(listed) == len(set(listed))
    errors = set(lookalike.errors.__all__)
    assert set(listed) == set(lookalike.__all__) - errors
    assert ".. automodule:: lookalike.errors" in page


def test_sample_collection_is_what_its_page_says() -> None:
    page = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    names = {path.name for path in (ROOT / "examples" / "collection").iterdir()}
    assert names == set(re.findall(r"`([\w-]+\.(?:txt|md))`", page))


def test_example_finds_the_four_copies() -> None:
    program = ROOT / "examples" / "find_copies.py"
    done = subprocess.run([sys.executable, program], check=True, capture_output=True, text=True)
    found = re.findall(r"^ *[\d.]+%  (\S+)  (\S+)$", done.stdout, re.MULTILINE)
    assert {frozenset(pair) for pair in found} == {
        frozenset({"library-reopens.txt", "branch-news-saturday.txt"}),
        frozenset({"why-tides-rise.txt", "tides-homework.txt"}),
        frozenset({"school-garden.md", "school-garden-revised.md"}),
        frozenset({"old-bridge.txt", "old-bridge-rearranged.txt"}),
    }
    assert len(found) == 4


def test_readers_and_stores_that_are_named_by_text_exist() -> None:
    """Neither a type checker nor the test of the layers sees a module that is imported by its name."""
    named = [f"documents.{one.reader}" for one in kinds.TABLES.values()]
    named += [f"documents.extract.{one.reader}" for one in kinds.DOCUMENTS.values()]
    named += [f"index.{store}" for store in SERVERS.values()]
    for name in named:
        module, _, attribute = name.rpartition(".")
        assert callable(getattr(importlib.import_module(f"lookalike.{module}"), attribute)), name
