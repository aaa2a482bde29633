r"""A folder and all folders in it: which files are documents, and why the others are not.

Skipped silently: what systems add to every folder, such as ``.DS_Store``. Skipped, each with its reason: hidden files,
what ``.gitignore`` and ``.ignore`` files name, folders of version control and caches, what the globs exclude, empty
files, tables (which are read when named directly) and spreadsheets. Links are not followed: in a folder that somebody
else has packed they may lead anywhere.

Ignore files follow git's rules: comments, blank lines, ``!`` to include again, a slash at the end for folders only, a
slash elsewhere to anchor at the folder of the file, ``*``, ``?``, ``[…]``, ``**`` and ``\`` before a special character.
A file holds for its own folder and all below; deeper files win over higher ones, later lines over earlier ones,
``.ignore`` over ``.gitignore``. Ignore files above the folder that was named are not read, nor are git's own settings
(``.git/info/exclude``, ``core.excludesFile``). As in git, what is in an ignored folder cannot be included again.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from fnmatch import translate
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from lookalike.documents.kinds import Kind, kind_of
from lookalike.documents.raw_input import COMPRESSED_FACTOR
from lookalike.documents.table_errors import empty_file
from lookalike.errors import DocumentError
from lookalike.opening import open_error, open_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lookalike.documents.document_batches import Log

__all__ = [
    "IGNORED_FOLDERS",
    "IGNORE_FILES",
    "MOST_RULES",
    "FoundFile",
    "Glob",
    "IgnoreFile",
    "Listing",
    "Selection",
    "ignored",
    "is_clutter",
    "shown",
    "walk",
]


# -- globs -------------------------------------------------------------------------------------------------------------

# fnmatch puts each "*" with what follows it into an atomic group, so that matching never goes back.
_ANYTHING: Final = "**"


class Glob:
    """One pattern for POSIX paths that are relative to a folder.

    A pattern without a slash is for the last name of a path, in any folder; one with a slash, for the whole path.

    >>> Glob("*.txt").matches("notes/a.txt"), Glob("/*.txt").matches("notes/a.txt")
    (True, False)
    >>> Glob("drafts/**/*.txt").matches("drafts/a.txt"), Glob("drafts/**").matches("drafts")
    (True, False)
    """

    __slots__ = ("_parts", "pattern")

    def __init__(self, pattern: str) -> None:
        """Compile a pattern; a slash at the end is taken off."""
        self.pattern = pattern
        body = pattern.rstrip("/")
        anchored = "/" in body
        parts = [part for part in body.split("/") if part not in ("", ".")]
        if not anchored:
            parts = [_ANYTHING, *parts]
        self._parts: list[Callable[[str], object] | None] = [
            None if part == _ANYTHING else re.compile(translate(_without_escapes(part))).match for part in parts
        ]

    def matches(self, path: str) -> bool:
        """Return whether the whole of a path matches."""
        return self.matches_names(path.split("/"))

    def matches_names(self, names: Sequence[str]) -> bool:
        """Return whether the whole of a path, given as its names, matches."""
        # reached[i]: the parts so far can stand for the first i names.
        reached = [True] + [False] * len(names)
        last = len(self._parts) - 1
        for number, part in enumerate(self._parts):
            if part is None:
                first = reached.index(True) if True in reached else len(reached)
                if number == last:
                    first += 1  # "a/**" is what is in a, not a itself
                reached = [i >= first for i in range(len(reached))]
            else:
                reached = [False] + [bool(before and part(name)) for before, name in zip(reached, names, strict=False)]
        return reached[-1]


def _without_escapes(part: str) -> str:
    r"""Turn ``\*``, as in .gitignore, into ``[*]``."""
    return re.sub(r"\\(.)", lambda found: f"[{found[1]}]" if found[1] in "*?[" else found[1], part)


# -- ignore files ------------------------------------------------------------------------------------------------------

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
    """Return whether a path is what a system adds to every folder or archive: nobody put it there, or would miss it.

    >>> [is_clutter(path.split("/")) for path in ("__MACOSX/a/._essay.docx", "a/.DS_Store", "a/._essay.docx", "a/b.db")]
    [True, True, True, False]
    """
    return names[-1].startswith("._") or any(name.lower() in _CLUTTER for name in names)


class _Rule(NamedTuple):
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
        """Return whether the path is ignored (True), taken back (False), or not spoken of (None)."""
        below = names[self._depth :]
        for rule in self._rules:
            if (folder or not rule.folders_only) and rule.glob.matches_names(below):
                return not rule.takes_back
        return None


def ignored(files: Sequence[IgnoreFile], names: Sequence[str], folder: bool) -> bool:
    r"""Return whether a path is ignored by files that are given from the highest folder to the deepest.

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
        stripped += " "  # the one after the backslash belongs to the name
    if not stripped or stripped.startswith("#"):
        return None
    takes_back = stripped.startswith("!")
    pattern = stripped.removeprefix("!")
    if not pattern.strip("/"):
        return None
    return _Rule(Glob(pattern), pattern.endswith("/"), takes_back)


# -- folders -----------------------------------------------------------------------------------------------------------

_LONGEST_IGNORE_FILE = 1 << 20
_OF_WINDOWS = frozenset({"thumbs.db", "ehthumbs.db", "desktop.ini"})


class FoundFile(NamedTuple):
    """A file in a folder."""

    id: str
    path: str
    size: int
    kind: Kind


class Listing:
    """What a walk found, sorted by path."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.texts: list[FoundFile] = []
        self.tables: list[FoundFile] = []


class Selection:
    """What to read of a folder, by name."""

    def __init__(self, include: Sequence[str] = (), exclude: Sequence[str] = (), hidden: bool = False) -> None:
        """Compile the globs."""
        self._include = [Glob(pattern) for pattern in include]
        self._exclude = [Glob(pattern) for pattern in exclude]
        self._hidden = hidden

    def refusal(self, names: Sequence[str], folder: bool, ignore: Sequence[IgnoreFile]) -> tuple[str, str] | None:
        """Return reason and detail if a file of this name is not to be read."""
        if folder and names[-1] in IGNORED_FOLDERS:
            return "ignored", "a folder of version control or of a cache"
        if not folder and names[-1].lower() in _OF_WINDOWS:
            return "ignored", "a system file of Windows"
        if names[-1].startswith(".") and not self._hidden:
            return "hidden", "the name begins with a dot"
        if ignore and ignored(ignore, names, folder):
            return "ignored", "named in a .gitignore or .ignore file"
        for glob in self._exclude:
            if glob.matches_names(names):
                return "excluded", f"matches {glob.pattern!r}"
        # What is in an archive is asked for by its own name.
        container = folder or kind_of(names[-1]).is_archive
        if self._include and not container and not any(glob.matches_names(names) for glob in self._include):
            return "excluded", "matches no pattern to include"
        return None


class _Folder(NamedTuple):
    path: str
    names: tuple[str, ...]
    ignore: tuple[IgnoreFile, ...]


def walk(folder: str, selection: Selection, log: Log) -> Listing:
    """List the files of a folder; a folder that cannot be opened is an error, one inside it is skipped."""
    walker = _Walker(folder, selection, log)
    walker.run()
    return walker.listing


class _Walker:
    def __init__(self, folder: str, selection: Selection, log: Log) -> None:
        self.listing = Listing()
        self._root = folder
        self._selection = selection
        self._log = log
        self._links: list[tuple[tuple[str, ...], str]] = []

    def run(self) -> None:
        first = len(self._log.skipped)
        folders = [_Folder(self._root, (), ())]
        while folders:
            folders += self._one(folders.pop())
        for names, path in sorted(self._links):
            self._link(names, path)
        self.listing.texts.sort(key=lambda found: found.id)
        self.listing.tables.sort(key=lambda found: found.id)
        self._log.skipped[first:] = sorted(self._log.skipped[first:], key=lambda skipped: skipped.id)

    def _one(self, folder: _Folder) -> list[_Folder]:
        """Sort the entries of one folder; return the folders in it."""
        try:
            with os.scandir(folder.path) as scan:
                entries = list(scan)
        except OSError as error:
            if not folder.names:
                raise _folder_error(folder.path, error) from None
            self._log.skip(_id(folder.names) + "/", *_reason(error))
            return []
        ignore = (*folder.ignore, *_ignore_files(entries, len(folder.names)))
        inner: list[_Folder] = []
        for entry in entries:
            if is_clutter((entry.name,)):
                continue
            names = (*folder.names, entry.name)
            try:
                is_folder = entry.is_dir(follow_symlinks=False)
                refusal = self._selection.refusal(names, is_folder, ignore)
                if refusal is not None:
                    self._log.skip(_id(names) + ("/" if is_folder else ""), *refusal)
                elif is_folder:
                    inner.append(_Folder(entry.path, names, ignore))
                elif entry.is_symlink():
                    self._links.append((names, entry.path))
                else:
                    self._file(names, entry.path, entry.stat(follow_symlinks=False))
            except OSError as error:
                self._log.skip(_id(names), *_reason(error))
        return inner

    def _file(self, names: tuple[str, ...], path: str, status: os.stat_result) -> None:
        name = _id(names)
        kind = kind_of(names[-1])
        if not stat.S_ISREG(status.st_mode):
            self._log.skip(name, "not a file", "a pipe, socket or device")
        elif not status.st_size:
            self._log.skipped.append(empty_file(name, is_table=kind.is_table))
        elif kind.format == "office":
            self._log.skip(name, "not text", kind.office)
        else:
            size = status.st_size * (COMPRESSED_FACTOR if kind.compression else 1)
            found = FoundFile(name, path, size, kind)
            (self.listing.tables if kind.is_table else self.listing.texts).append(found)

    def _link(self, names: tuple[str, ...], path: str) -> None:
        """Log where a link leads: in a folder that somebody else has packed, it may lead anywhere."""
        try:
            status = Path(path).stat()
        except OSError as error:
            nowhere = isinstance(error, FileNotFoundError)
            self._log.skip(_id(names), *(("unreadable", "a link to nothing") if nowhere else _reason(error)))
            return
        if stat.S_ISDIR(status.st_mode):
            loop = any(os.path.samestat(status, Path(above).stat()) for above in _folders_above(self._root, names))
            reason, detail = ("link loop", "a link to a folder that contains it") if loop else ("link", _NOT_FOLLOWED)
            self._log.skip(_id(names), reason, detail)
        else:
            self._log.skip(_id(names), "link", _NOT_FOLLOWED)


_NOT_FOLLOWED = "links are not followed; name its target to read it"


def _folders_above(root: str, names: tuple[str, ...]) -> Iterable[str]:
    return (str(Path(root, *names[:depth])) for depth in range(len(names)))


def _ignore_files(entries: list[os.DirEntry[str]], depth: int) -> list[IgnoreFile]:
    present = {entry.name: entry for entry in entries if entry.name in IGNORE_FILES}
    files: list[IgnoreFile] = []
    for name in IGNORE_FILES:
        entry = present.get(name)
        try:
            if entry is not None and entry.is_file(follow_symlinks=False):
                files.append(_ignore_file(entry.path, depth))
        except OSError:
            continue
    return files


def _ignore_file(path: str, depth: int) -> IgnoreFile:
    """Read an ignore file; one that is too long is an error, since half of its rules would be wrong."""
    with open_file(path) as file:
        data = file.read(_LONGEST_IGNORE_FILE + 1)
    try:
        if len(data) <= _LONGEST_IGNORE_FILE:
            return IgnoreFile(data.decode("utf-8", "replace"), depth)
        problem = "is larger than 1 MiB"
    except ValueError as error:
        problem = str(error)
    raise DocumentError(shown(path), "file", problem, "shorten it, or name the files instead of the folder")


def _reason(error: OSError) -> tuple[str, str]:
    """Return a short reason, to be counted, and a sentence why something in a folder cannot be read."""
    if isinstance(error, PermissionError):
        return "no permission", "permission denied"
    if isinstance(error, FileNotFoundError):
        return "vanished", "it disappeared after the folder was listed"
    if error.errno == errno.ELOOP:
        return "link loop", "a link that leads back to itself"
    return "unreadable", error.strerror or str(error)


def _folder_error(path: str, error: OSError) -> Exception:
    return open_error(shown(path), error)


def _id(names: Sequence[str]) -> str:
    return shown("/".join(names))


def shown(name: str) -> str:
    r"""Return a name as valid Unicode: bytes that are not UTF-8 are shown as ``\xff``."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(name).decode("utf-8", "backslashreplace")
    return name
