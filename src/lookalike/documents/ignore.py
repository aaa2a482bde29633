r"""Which names ``.gitignore`` and ``.ignore`` files leave out.

Supported: comments, blank lines, ``!`` to take back, a slash at the end for folders only, a slash elsewhere to anchor
at the folder of the file, ``*``, ``?``, ``[…]``, ``**`` and ``\`` before a special character. A file holds for its own
folder and all below; deeper files win over higher ones, later lines over earlier ones, ``.ignore`` over
``.gitignore``. Not looked at: ignore files above the folder that was named, and git's own settings
(``.git/info/exclude``, ``core.excludesFile``). As in git, what is in an ignored folder cannot be taken back.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from lookalike.documents.globs import Glob

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["IGNORED_FOLDERS", "IGNORE_FILES", "MOST_RULES", "IgnoreFile", "ignored", "is_clutter"]

IGNORE_FILES: Final = (".gitignore", ".ignore")

MOST_RULES: Final = 5_000
"""Every rule is tried on every file of the folder; real ignore files have a few hundred."""

IGNORED_FOLDERS: Final = frozenset(
    (
        *(".git", ".hg", ".svn", ".bzr", "CVS", "_darcs", "node_modules", "__pycache__"),
        *(".cache", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pytest_cache", ".ruff_cache", ".tox", ".venv"),
    )
)
"""Folders of version control and of caches: never read, not even with hidden files."""

_CLUTTER: Final = frozenset(
    ("__macosx", ".ds_store", "thumbs.db", "ehthumbs.db", "desktop.ini", ".spotlight-v100", ".trashes")
)


def is_clutter(names: Sequence[str]) -> bool:
    """Say whether a path is what a system adds to every folder or archive: nobody has put it there, or would miss it.

    >>> [is_clutter(path.split("/")) for path in ("__MACOSX/a/._essay.docx", "a/.DS_Store", "a/._essay.docx", "a/b.db")]
    [True, True, True, False]
    """
    return names[-1].startswith("._") or any(name.lower() in _CLUTTER for name in names)


@dataclass(frozen=True, slots=True)
class _Rule:
    glob: Glob
    folders_only: bool
    takes_back: bool


class IgnoreFile:
    """The rules of one file, for paths relative to its folder."""

    __slots__ = ("_depth", "_rules")

    def __init__(self, text: str, depth: int) -> None:
        """Read the lines of a file whose folder is `depth` names below the folder that is walked."""
        self._depth = depth
        rules = (rule for line in text.splitlines() if (rule := _rule(line)) is not None)
        self._rules = list(islice(rules, MOST_RULES + 1))
        if len(self._rules) > MOST_RULES:
            raise ValueError(f"has more than {MOST_RULES:,} rules")
        self._rules.reverse()  # the last one that matches decides

    def verdict(self, names: Sequence[str], folder: bool) -> bool | None:
        """Say whether the path is ignored (True), taken back (False), or not spoken of (None)."""
        below = names[self._depth :]
        for rule in self._rules:
            if (folder or not rule.folders_only) and rule.glob.matches_names(below):
                return not rule.takes_back
        return None


def ignored(files: Sequence[IgnoreFile], names: Sequence[str], folder: bool) -> bool:
    r"""Say whether a path is ignored by files that are given from the highest folder to the deepest.

    >>> files = [IgnoreFile("*.log\n!keep.log\nbuild/", 0)]
    >>> [ignored(files, name.split("/"), False) for name in ("a.log", "keep.log", "sub/b.log", "build")]
    [True, False, True, False]
    >>> ignored(files, ["build"], True)
    True
    """
    for file in reversed(files):
        verdict = file.verdict(names, folder)
        if verdict is not None:
            return verdict
    return False


def _rule(line: str) -> _Rule | None:
    whole = line.rstrip("\r\n")
    stripped = whole.rstrip(" ")
    if stripped.endswith("\\") and len(stripped) < len(whole):
        stripped += " "  # the one behind the backslash belongs to the name
    if not stripped or stripped.startswith("#"):
        return None
    takes_back = stripped.startswith("!")
    pattern = stripped.removeprefix("!")
    if not pattern.strip("/"):
        return None
    return _Rule(Glob(pattern), pattern.endswith("/"), takes_back)
