"""What a killed build has left: files NAME.new-…, whose lock nobody holds any more."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Final

from lookalike.errors import StoreError
from lookalike.index.lock import is_free, locked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["being_built", "remove_abandoned"]

_BUILD: Final = "-build"
"""The index locks its own file only while it is written; this lock is held until the build has ended."""


@contextmanager
def being_built(unfinished: Path) -> Iterator[None]:
    """Hold a lock that says that a file is being built."""
    mark = unfinished.with_name(unfinished.name + _BUILD)
    with ExitStack() as held:
        with suppress(StoreError):  # where no lock can be made, no index can, which says it better
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
