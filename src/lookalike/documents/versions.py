"""The oldest versions of other libraries whose data is read."""

from __future__ import annotations

import re
import sys
from typing import Final

from lookalike.errors import DocumentError

__all__ = ["LEAST", "check_version"]

LEAST: Final = {
    "pandas": "2.0",
    "polars": "1.0",
    "duckdb": "1.0",
    "datasets": "3.0",
    "dask": "2024.3",
    "daft": "0.5",
    "ray": "2.10",
}
"""What is older may lack a method that is called here."""


def check_version(library: str, kind: str) -> None:
    """Refuse data of a library that is too old; `kind` is the type of the data.

    A library that is not loaded, or does not tell its version, is not judged.
    """
    own = getattr(sys.modules.get(library), "__version__", None)
    least = LEAST[library]
    if isinstance(own, str) and (numbers := _numbers(own)) and numbers < _numbers(least):
        problem = f"are {kind} of {library} {own}, which is too old: {least} or newer is needed"
        raise DocumentError(None, "documents", problem, f"upgrade it: pip install --upgrade '{library}>={least}'")


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers that a version begins with.

    >>> _numbers("2.1.4rc1"), _numbers("dev")
    ((2, 1, 4), ())
    """
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(part) for part in found[0].split(".")) if found else ()
