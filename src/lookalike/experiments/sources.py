"""Which code an experiment depends on: a digest of it tells whether a table is older than the code."""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lookalike.experiments.catalogue import module_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["code_digest", "files_of"]

_HERE: Final = Path(__file__).parent
_ABOVE: Final = frozenset({"cli", "experiments", "report", "server", "spark"})
"""Parts of the package that no number of an experiment comes from; of this folder, only what is imported counts."""


@cache
def code_digest(id: str) -> str:  # noqa: A002 — what it is called everywhere
    """Return a digest of the code of an experiment: its file, what it imports of this folder, the library, the core."""
    digest = hashlib.sha256(_library_digest())
    for path in files_of(module_of(id)):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def files_of(module: str) -> list[Path]:
    """Return the files of this folder that a module needs, itself included.

    >>> [path.name for path in files_of("timing")]
    ['experiment.py', 'timing.py']
    """
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found and (_HERE / f"{name}.py").is_file():
            found.add(name)
            waiting += _imported(_HERE / f"{name}.py")
    return [_HERE / f"{name}.py" for name in sorted(found)]


def _imported(path: Path) -> Iterator[str]:
    """Give the modules of this folder that a file imports, at the top or inside a function."""
    package = "lookalike.experiments"
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module == package:
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(f"{package}."):
            yield node.module.removeprefix(f"{package}.")
        elif isinstance(node, ast.Import):
            yield from (a.name.removeprefix(f"{package}.") for a in node.names if a.name.startswith(f"{package}."))


@cache
def _library_digest() -> bytes:
    from lookalike import _native

    package = _HERE.parent
    sources = (path for path in sorted(package.rglob("*.py")) if path.relative_to(package).parts[0] not in _ABOVE)
    digest = hashlib.sha256(Path(_native.__file__).read_bytes())
    for path in sources:
        digest.update(path.read_bytes())
    return digest.digest()
