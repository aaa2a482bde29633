"""How an index is set up: the settings that are fixed when it is created, and its files on disk.

Settings are stored with the index and checked when it is opened. Beside its files is a lock; a new index is built under
another name and renamed when it is complete.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal

from lookalike.engine import Asked, Strategy, choose_strategy, least_agreeing
from lookalike.engine.bands import Bands
from lookalike.errors import MismatchError, RecipeError, StoreError, suggest
from lookalike.presets import PRESETS, find_preset
from lookalike.recipe import DEFAULT, Recipe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = [
    "FORMAT",
    "KEEPS",
    "IndexSettings",
    "Keep",
    "being_built",
    "file_errors",
    "give_name",
    "is_for_passages",
    "is_free",
    "locked",
    "remove_abandoned",
    "remove_files",
    "sync_folder",
    "unfinished_file",
]

FORMAT: Final = "lookalike-index/2"
Keep = Literal["text", "shingles", "signature"]
KEEPS: Final = ("text", "shingles", "signature")
RECALL: Final = 0.999
THRESHOLD: Final = 0.8
_NEAREST: Final = 5


def is_for_passages(preset: str | None) -> bool:
    """Tell whether a preset is meant for copied passages: an index compares whole documents, so no hit says little."""
    known = PRESETS.get(preset or "")
    return known is not None and known.metric == "containment"


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """What decides the answers of an index.

    >>> settings = IndexSettings.chosen()
    >>> settings.threshold, settings.bands, settings.keep
    (0.8, Bands(bands=30, rows=7), 'text')
    """

    recipe: Recipe
    threshold: float
    """Queries at or above it are answered from the bands; others examine every signature."""
    recall: float
    """The share of the documents at the threshold that the bands find, at least."""
    bands: Bands
    keep: Keep = "text"
    """What is kept of a document besides its signature: with text or shingles, scores are exact."""
    secret: bool = False
    """Whether the seed was drawn at random, and is never shown."""
    preset: str | None = None
    """The preset that it was created with."""

    @property
    def lost(self) -> float:
        """The share of the documents at the threshold that the filter on signatures may lose."""
        return (1.0 - self.recall) / 50

    @property
    def nearest(self) -> int:
        """How many of the nearest documents an answer lists besides its hits.

        >>> IndexSettings.chosen(preset="essays").nearest, IndexSettings.chosen(preset="code").nearest
        (5, 0)
        """
        return _NEAREST if is_for_passages(self.preset) else 0

    @classmethod
    def chosen(
        cls,
        recipe: Recipe | None = None,
        threshold: float | None = None,
        recall: float | None = None,
        keep: str | None = None,
        secret: bool = False,
        preset: str | None = None,
    ) -> IndexSettings:
        """Return the settings of a new index.

        >>> [IndexSettings.chosen(preset=name).threshold for name in ("edited", "essays")]
        [0.5, 0.8]
        """
        if preset is not None:
            known = find_preset(preset)
            recipe = recipe or known.recipe
            if threshold is None and known.metric == "jaccard":  # an index finds, and removes nothing
                threshold = known.threshold
        recipe = recipe or DEFAULT
        keep = keep or "text"
        if keep not in KEEPS:
            raise RecipeError("keep", keep, "'text', 'shingles' or 'signature'", suggest(keep, KEEPS))
        if secret:
            recipe = recipe.replace(seed=secrets.randbits(64))
        asked = Asked(
            recipe, THRESHOLD if threshold is None else threshold, RECALL if recall is None else recall, "lsh"
        )
        strategy = choose_strategy(asked, size=0)
        bands = strategy.bands or Bands(1, 1)
        recall = float(asked.recall)
        return cls(recipe, strategy.threshold, recall, bands, keep, secret, preset)  # type: ignore[arg-type]

    def check_asked(
        self,
        recipe: Recipe | None,
        threshold: float | None,
        recall: float | None,
        keep: str | None,
        secret: bool,
        preset: str | None,
        index: str,
    ) -> None:
        """Refuse what this index is not; None was not asked for."""
        if secret and not self.secret:
            raise StoreError(index, "was created without a secret seed", "make a new index with secret=True")
        if recipe is not None:
            own = self.recipe.replace(seed=recipe.seed) if self.secret else self.recipe
            own.check_same(recipe, this=index, that="the recipe that was given")
        asked = {"threshold": threshold, "recall": recall, "keep": keep, "preset": preset}
        differ: dict[str, tuple[object, object]] = {
            name: (getattr(self, name), given)
            for name, given in asked.items()
            if given is not None and given != getattr(self, name)
        }
        if differ:
            out = "leave it out" if len(differ) == 1 else "leave them out"
            raise MismatchError(index, "what was asked for", differ, f"{out}, or make another index")

    def strategy(self, threshold: float | None = None) -> Strategy:
        """Return how rows are signed and, at a threshold, which pairs are verified."""
        return _strategy(self, self.threshold if threshold is None else threshold)

    def to_json(self) -> str:
        """Return them as text, to be kept with the index: the seed is in it."""
        return json.dumps(
            {
                "format": FORMAT,
                "recipe": str(self.recipe),
                "threshold": self.threshold,
                "recall": self.recall,
                "bands": self.bands.bands,
                "rows": self.bands.rows,
                "keep": self.keep,
                "secret": self.secret,
                "preset": self.preset,
            }
        )

    @classmethod
    def of_json(cls, text: str) -> IndexSettings:
        """Read them back; `ValueError` if they are not what this version writes."""
        given: Any = json.loads(text)
        if not isinstance(given, dict) or given.get("format") != FORMAT:
            raise ValueError("the settings have a different format")
        _check_types(given)
        bands = Bands(given["bands"], given["rows"])
        recipe = Recipe.parse(given["recipe"])
        if not 0.0 < given["threshold"] <= 1.0 or not 0.0 < given["recall"] <= 1.0 or given["keep"] not in KEEPS:
            raise ValueError("the settings are out of range")
        if not 1 <= bands.bands * bands.rows <= recipe.hashes:
            raise ValueError("the bands do not fit the signature")
        kept = (given["keep"], given["secret"], given["preset"])
        return cls(recipe, given["threshold"], given["recall"], bands, *kept)

    def shown(self) -> IndexSettings:
        """Return them as anybody may see them: without a secret seed."""
        return replace(self, recipe=self.recipe.replace(seed=0)) if self.secret else self


_TYPES: Final[Mapping[str, type]] = {
    "format": str,
    "recipe": str,
    "threshold": float,
    "recall": float,
    "bands": int,
    "rows": int,
    "keep": str,
    "secret": bool,
}


def _check_types(given: Mapping[str, Any]) -> None:
    fits = set(given) == {*_TYPES, "preset"} and isinstance(given["preset"], str | None)
    if not fits or any(type(given[name]) is not kind for name, kind in _TYPES.items()):
        raise ValueError("the settings have different fields from those of this version")


@lru_cache(maxsize=64)  # each query needs it, and to sum up the probabilities takes longer than the rest of a query
def _strategy(settings: IndexSettings, threshold: float) -> Strategy:
    lost = settings.lost
    return Strategy(
        recipe=settings.recipe,
        method="lsh",
        metric="bag" if settings.recipe.bag else "jaccard",
        threshold=threshold,
        bands=settings.bands,
        least=least_agreeing(threshold, settings.recipe.hashes, lost),
        promised=max(0.0, settings.bands.recall(threshold) - lost),
    )


# -- one process at a time ---------------------------------------------------------------------------------------------

PATIENCE: Final = 60.0
"""Seconds to wait for another process."""
_PAUSE: Final = 0.002
_LONGEST_PAUSE: Final = 0.05


_HELD: Final[set[int]] = set()
"""Handles of locks that this process holds."""


def _let_go_after_fork() -> None:
    """Close the parent's locks in a child: a lock is held until every copy of its handle is closed."""
    for handle in list(_HELD):
        os.close(handle)
    _HELD.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_after_fork)


@contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold the lock of a file; wait for another process to release it, or fail at once."""
    try:
        import fcntl
    except ImportError:  # Windows: SQLite's own locks have to suffice
        yield
        return
    handle = _open(path)
    _HELD.add(handle)
    pid = os.getpid()
    try:
        pause, until = _PAUSE, time.monotonic() + (PATIENCE if wait else 0.0)
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.EACCES):
                    problem = f"cannot be locked ({error.strerror})"
                    raise StoreError(str(path), problem, "keep it on a local disk") from None
                if time.monotonic() > until:
                    problem = "is being written by another process"
                    raise StoreError(str(path), problem, "try again when it has finished") from None
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
        yield
    finally:
        if os.getpid() == pid:  # else it was closed after the fork
            _HELD.discard(handle)
            os.close(handle)  # which releases the lock


def is_free(path: Path) -> bool:
    """Tell whether no process holds the lock of a file; without such locks it is unknown, so False."""
    try:
        import fcntl
    except ImportError:
        return False
    handle = _open(path)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        handle = os.open(path.with_name(path.name + "-lock"), flags, 0o600)
    except OSError as error:
        raise StoreError(str(path), f"cannot be locked ({error.strerror})", "check the permissions") from None
    with suppress(OSError):  # not ours: then it is as its owner wants it
        os.fchmod(handle, 0o600)
        if os.geteuid() == 0:  # the owner of the index must be able to lock it after root did
            owner = path.stat()
            os.fchown(handle, owner.st_uid, owner.st_gid)
    return handle


# -- new files ---------------------------------------------------------------------------------------------------------


def unfinished_file(path: Path) -> Path:
    """Make an empty file beside a name that is not there yet, for us alone; `give_name` ends what begins here."""
    unfinished = path.with_name(f"{path.name}.new-{os.getpid()}-{os.urandom(4).hex()}")
    with file_errors(path, "cannot be created", "check the folder"):
        handle = os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            if os.name != "nt":
                os.fchmod(handle, 0o600)  # whatever the umask
        finally:
            os.close(handle)
    return unfinished


def give_name(unfinished: Path, path: Path) -> None:
    """Sync a file, and give it a name that is not taken."""
    with file_errors(path, "cannot be created", "check the disk and the folder"):
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        try:
            os.link(unfinished, path)
        except FileExistsError:
            raise StoreError(str(path), "exists already", "give another name, or open it") from None
        except OSError:  # a file system without links
            with locked(path):
                if os.path.lexists(path):
                    raise StoreError(str(path), "exists already", "give another name, or open it") from None
                unfinished.rename(path)
        sync_folder(path.parent)


def remove_files(path: Path) -> None:
    """Remove a file and what SQLite made beside it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        with suppress(OSError):
            path.with_name(path.name + suffix).unlink(missing_ok=True)


@contextmanager
def file_errors(path: Path, problem: str, remedy: str) -> Iterator[None]:
    """Translate the errors of the system into ours."""
    try:
        yield
    except OSError as error:
        raise StoreError(str(path), f"{problem} ({error.strerror or error})", remedy) from error


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# -- what a killed build leaves ----------------------------------------------------------------------------------------

_BUILD: Final = "-build"
"""The index locks its own file only while it is written; this lock is held until the build has ended."""


@contextmanager
def being_built(unfinished: Path) -> Iterator[None]:
    """Hold a lock that says that a file is being built."""
    mark = unfinished.with_name(unfinished.name + _BUILD)
    with ExitStack() as held:
        with suppress(StoreError):  # where no lock can be made, no index can be either, and its error says more
            held.enter_context(locked(mark))
        try:
            yield
        finally:
            with suppress(OSError):
                mark.with_name(mark.name + "-lock").unlink(missing_ok=True)


def remove_abandoned(path: Path) -> None:
    """Remove what builds of the same name have left that were killed."""
    ending = f"{_BUILD}-lock"
    with suppress(OSError, StoreError):  # a folder that cannot be read is reported when the file is made
        names = [one.name for one in path.absolute().parent.iterdir() if one.name.startswith(f"{path.name}.new-")]
        for mark in [name for name in names if name.endswith(ending)]:
            unfinished = mark.removesuffix(ending)
            if is_free(path.with_name(unfinished + _BUILD)):
                for name in [name for name in names if name.startswith(unfinished) and name != mark] + [mark]:
                    path.with_name(name).unlink(missing_ok=True)
