"""Every error that lookalike raises on purpose, in one tree, and the checks of arguments that many functions take.

::

    LookalikeError
    ├── RecipeError          a setting has a value that is not allowed      (also a ValueError)
    ├── BandsError           bands and rows that cannot do what was asked   (also a ValueError)
    ├── DocumentError        a document that cannot be used                 (also a ValueError)
    │   ├── DuplicateIdError   two documents with the same id
    │   └── ConflictError      ids that an index has with another content
    ├── MismatchError        two things made with different recipes
    ├── MissingExtraError    an optional part is not installed              (also an ImportError)
    ├── StoreError           an index that cannot be opened, read or written
    │   └── DamagedError       an index with damage, which `repair` may fix
    ├── ServerError          a server that does not answer, or refuses
    └── InternalError        a bug of lookalike itself

Catch `LookalikeError` for all of them. Each message says what was required, what was given and, where there is one, the
way out. Each error keeps its facts as attributes and survives pickling, because worker processes send them back.

>>> raise RecipeError("k", 0, "a whole number from 1 to 64")
Traceback (most recent call last):
    ...
lookalike.errors.RecipeError: k must be a whole number from 1 to 64, not 0
"""

from __future__ import annotations

import math
import operator
import os
import reprlib
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, SupportsIndex

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "BandsError",
    "ConflictError",
    "DamagedError",
    "DocumentError",
    "DuplicateIdError",
    "InternalError",
    "LookalikeError",
    "MismatchError",
    "MissingExtraError",
    "RecipeError",
    "ServerError",
    "StoreError",
    "all_errors",
    "check_number",
    "check_text",
    "check_threads",
    "check_whole",
    "earlier_format",
    "how_to_install",
    "shows_tracebacks",
    "suggest",
    "text_remedy",
]

# A whole book given by mistake where a setting belongs must not fill the terminal.
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 60


def _show(value: object) -> str:
    """Return `repr(value)`, cut in the middle if it is long."""
    try:
        return _SHORT.repr(value)
    except ValueError:  # Python refuses to print an int of more than 4300 digits
        return "a number too long to print"


class LookalikeError(Exception):
    """The root: `except LookalikeError` catches everything that lookalike raises on purpose."""

    # The names of the arguments of __init__, in order; each is also an attribute.
    _facts: ClassVar[tuple[str, ...]] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        # BaseException rebuilds from `args`, the message alone, which the subclasses' constructors do not take.
        facts = tuple(getattr(self, name) for name in self._facts)
        return type(self), facts or self.args


class RecipeError(LookalikeError, ValueError):
    """A setting has a value that is not allowed.

    >>> error = RecipeError("unit", "words", "'char', 'word' or 'token'", "did you mean 'word'?")
    >>> str(error)
    "unit must be 'char', 'word' or 'token', not 'words'; did you mean 'word'?"
    >>> error.field, error.given, error.allowed
    ('unit', 'words', "'char', 'word' or 'token'")
    >>> str(RecipeError("skip", ("quotes",), "not supported with tokens"))
    'skip is not supported with tokens'
    >>> str(RecipeError("--rows", 4, "left out with --method exact", "bands are for LSH"))
    '--rows cannot be used with --method exact; bands are for LSH'
    >>> str(RecipeError("--keep", "newest", "given with --date-column"))
    "--keep 'newest' requires --date-column"
    """

    _facts: ClassVar[tuple[str, ...]] = ("field", "given", "allowed", "hint")

    def __init__(self, field: str, given: object, allowed: str, hint: str = "") -> None:
        """Say that `field` must be `allowed` and was `given`; `hint` may suggest a fix.

        `allowed` may also begin with "not supported", "left out", "given with" or "given once", where no other value
        would do; True, or "given", is the value of a flag.
        """
        self.field = field
        self.given = given
        self.allowed = allowed
        self.hint = hint
        super().__init__(f"{field} {self._said()}" + (f"; {hint}" if hint else ""))

    def _said(self) -> str:
        """Return what is wrong with the field; the value is shown where another one would do."""
        allowed, is_flag = self.allowed, self.given is True or (isinstance(self.given, str) and self.given == "given")
        if allowed.startswith("not supported"):
            return f"is {allowed}"
        if allowed.startswith("left out "):
            return f"cannot be used {allowed.removeprefix('left out ')}"
        if allowed.startswith("given once"):
            return f"can be given only once{allowed.removeprefix('given once')}"
        if allowed.startswith("given") and self.given is None:
            return f"must be {allowed}"
        if allowed.startswith("given with "):
            needed = f"requires {allowed.removeprefix('given with ')}"
            return needed if is_flag else f"{_show(self.given)} {needed}"
        return f"must be {allowed}, not {_show(self.given)}"


class BandsError(LookalikeError, ValueError):
    """Bands and rows that do not fit the signature, or a recall that no bands can give.

    >>> str(BandsError("20 bands × 10 rows need 200 hashes, and the signature has 128"))
    '20 bands × 10 rows need 200 hashes, and the signature has 128'
    """


class DocumentError(LookalikeError, ValueError):
    """A document that cannot be used: which one, what is wrong with which field, and what to do about it.

    >>> error = DocumentError("essay-7", "text", "is bytes, not str", "decode it first")
    >>> str(error)
    "document 'essay-7': text is bytes, not str; decode it first"
    >>> error.document, error.field
    ('essay-7', 'text')

    Where it is not about one document, `document` is None.

    >>> str(DocumentError(None, "documents", "are one str, not a collection", "give a list of texts"))
    'documents are one str, not a collection; give a list of texts'
    """

    _facts: ClassVar[tuple[str, ...]] = ("document", "field", "problem", "remedy")

    def __init__(self, document: object, field: str, problem: str, remedy: str) -> None:
        """Say that `field` of `document` has a `problem`, and the `remedy`."""
        self.document = document
        self.field = field
        self.problem = problem
        self.remedy = remedy
        which = "" if document is None else f"document {_show(document)}: "
        super().__init__(f"{which}{field} {problem}; {remedy}")


class DuplicateIdError(DocumentError):
    """Two documents with the same id; results could not say which one they mean.

    >>> str(DuplicateIdError("essay-7"))
    "document 'essay-7': id is used by more than one document; give every document its own id"
    """

    _facts: ClassVar[tuple[str, ...]] = ("document", "first", "second", "index")

    def __init__(self, document: object, first: str = "", second: str = "", index: str = "") -> None:
        """Say that more than one document has the id `document`.

        `first` and `second` say where two of them are, and `index` which index has one already, if that is known.
        """
        self.first = first
        self.second = second
        self.index = index
        problem, remedy = "is used by more than one document", "give every document its own id"
        if first and second:
            problem = f"{problem}: {first} and {second}"
            remedy = f"{remedy}, or name another column with --id-column ('' numbers the rows)"
        elif index:
            problem, remedy = f"is in {index} already", "use replace(), or give it another id"
        super().__init__(document, "id", problem, remedy)


class ConflictError(DocumentError):
    """Documents whose ids an index has with another content.

    >>> error = ConflictError(("essay-7", "essay-9"), 2, "essays.db")
    >>> print(error)
    document 'essay-7': id is in essays.db with another text, and so are 1 more; use replace(), or give other ids
    >>> error.documents
    ('essay-7', 'essay-9')
    """

    _facts: ClassVar[tuple[str, ...]] = ("documents", "count", "index")

    def __init__(self, documents: tuple[str | int, ...], count: int, index: str) -> None:
        """Name the first of `count` such documents, and the index."""
        self.documents = documents
        self.count = count
        self.index = index
        more = f", and so are {count - 1:,} more" if count > 1 else ""
        remedy = "use replace(), or give other ids"
        super().__init__(documents[0], "id", f"is in {index} with another text{more}", remedy)


class MismatchError(LookalikeError):
    """Two things made with different recipes: their numbers cannot be compared.

    >>> error = MismatchError("the index", "the query", {"k": (5, 9), "unit": ("word", "char")})
    >>> print(error)
    the index and the query differ: k is 5 and 9, unit is 'word' and 'char'; compare only what one recipe made
    >>> error.fields
    ('k', 'unit')
    """

    _facts: ClassVar[tuple[str, ...]] = ("left", "right", "differences", "remedy")

    def __init__(
        self,
        left: str,
        right: str,
        differences: dict[str, tuple[object, object]],
        remedy: str = "compare only what one recipe made",
    ) -> None:
        """Say that `left` and `right` differ: `differences` gives, per setting, the value of each."""
        self.left = left
        self.right = right
        self.differences = differences
        self.remedy = remedy
        listed = ", ".join(f"{name} is {_show(a)} and {_show(b)}" for name, (a, b) in differences.items())
        super().__init__(f"{left} and {right} differ: {listed}; {remedy}")

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the settings that differ."""
        return tuple(self.differences)


class MissingExtraError(LookalikeError, ImportError):
    """An optional part is not installed; the message is the one line that installs it.

    >>> print(MissingExtraError("lookalike serve", "server"))
    lookalike serve needs an optional part: in a clone of lookalike, pip install '.[server]'
    >>> print(MissingExtraError("gs://", "remote", "gcsfs"))
    gs:// needs an optional part: in a clone of lookalike, pip install '.[remote]' gcsfs
    """

    _facts: ClassVar[tuple[str, ...]] = ("feature", "extra", "package")

    def __init__(self, feature: str, extra: str, package: str = "") -> None:
        """Say that `feature` needs the extra `extra` and, if the extra does not bring it, `package`."""
        self.feature = feature
        self.extra = extra
        self.package = package
        super().__init__(f"{feature} needs an optional part: {how_to_install(extra, package)}")


def how_to_install(extra: str, package: str = "") -> str:
    """Return how to install an extra, and a package beside it; lookalike itself is not published yet.

    >>> how_to_install("excel")
    "in a clone of lookalike, pip install '.[excel]'"
    """
    return f"in a clone of lookalike, pip install '.[{extra}]' {package}".rstrip()


class StoreError(LookalikeError):
    """An index that cannot be opened, read or written: which one, what is wrong, and what to do about it.

    >>> print(StoreError("essays.db", "could not be written: the disk is full", "make room"))
    essays.db could not be written: the disk is full; make room
    """

    _facts: ClassVar[tuple[str, ...]] = ("store", "problem", "remedy")

    def __init__(self, store: str, problem: str, remedy: str) -> None:
        """Say that `store` has a `problem`, and the `remedy`."""
        self.store = store
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{store} {problem}; {remedy}")


class DamagedError(StoreError):
    """An index with damage: a checksum is wrong, or something is missing.

    >>> print(DamagedError("essays.db", "is damaged: document 'a'", "run: lookalike index repair"))
    essays.db is damaged: document 'a'; run: lookalike index repair
    """


class ServerError(LookalikeError):
    """A server that could not be asked, or that refused: which one, what happened, and what to do about it.

    >>> error = ServerError("http://127.0.0.1:8000", "refuses the token", "give the write token", 403)
    >>> print(error)
    http://127.0.0.1:8000 refuses the token; give the write token
    >>> error.status
    403
    """

    _facts: ClassVar[tuple[str, ...]] = ("server", "problem", "remedy", "status")

    def __init__(self, server: str, problem: str, remedy: str, status: int | None = None) -> None:
        """Say that `server` has a `problem`, and the `remedy`; `status` is its answer, None if there was none."""
        self.server = server
        self.problem = problem
        self.remedy = remedy
        self.status = status
        super().__init__(f"{server} {problem}; {remedy}")


_AGAIN: Final = {
    "index": "build it again, from its documents, or from the texts that the version which wrote it reads out of it: "
    "{id: index.get(id) for id in index}",
    "result": "search again",
    "shard": "sign its documents again",
    "work": "give an empty or new folder",
}


def earlier_format(what: Literal["index", "result", "shard", "work"]) -> tuple[str, str]:
    """Return the problem and the remedy of stored data whose numbers those of this version cannot be compared with.

    >>> print(StoreError("essays.db", *earlier_format("result")))
    essays.db was written by an earlier version of lookalike, with hash format 1; search again
    """
    return "was written by an earlier version of lookalike, with hash format 1", _AGAIN[what]


class InternalError(LookalikeError):
    """A bug of lookalike: the native core panicked, or something impossible happened.

    >>> print(InternalError("index out of bounds"))
    internal error: index out of bounds; a bug of lookalike: please report it with what lookalike doctor prints
    """

    _facts: ClassVar[tuple[str, ...]] = ("problem",)

    def __init__(self, problem: str) -> None:
        """Say what happened, and that it is our fault."""
        self.problem = problem
        super().__init__(
            f"internal error: {problem}; a bug of lookalike: please report it with what lookalike doctor prints"
        )


def all_errors() -> tuple[type[LookalikeError], ...]:
    """List every error class, in the order of the tree at the top of this file.

    >>> [error.__name__ for error in all_errors()][:3]
    ['LookalikeError', 'RecipeError', 'BandsError']
    """
    return (
        LookalikeError,
        RecipeError,
        BandsError,
        DocumentError,
        DuplicateIdError,
        ConflictError,
        MismatchError,
        MissingExtraError,
        StoreError,
        DamagedError,
        ServerError,
        InternalError,
    )


# -- checks of arguments -----------------------------------------------------------------------------------------------


def check_text(name: object, value: Any) -> str:
    """Return a text; anything else is an error that names the document.

    >>> check_text("a", b"bytes")
    Traceback (most recent call last):
        ...
    lookalike.errors.DocumentError: document 'a': text is bytes, not str; decode it first, for example with \
.decode('utf-8')
    """
    if not isinstance(value, str):
        raise DocumentError(name, "text", f"is {type(value).__name__}, not str", text_remedy(value))
    return value


def text_remedy(value: object) -> str:
    """Return what to do about something that is not a text."""
    if isinstance(value, bytes | bytearray):
        return "decode it first, for example with .decode('utf-8')"
    if value is None:
        return "leave the document out or give it an empty text"
    return "give its text as str"


def check_whole(name: str, value: SupportsIndex, low: int, high: int | None = None) -> int:
    """Return a whole number within its range.

    >>> check_whole("threads", -1, 0)
    Traceback (most recent call last):
        ...
    lookalike.errors.RecipeError: threads must be a whole number of at least 0, not -1
    """
    try:
        found = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        found = None
    if found is None or found < low or (high is not None and found > high):
        allowed = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise RecipeError(name, value, f"a whole number {allowed}")
    return found


def check_number(name: str, value: Any, allowed: str) -> float:
    """Return a number as a float; `allowed` says in words what it may be. Ranges are the caller's to check."""
    try:
        found = math.nan if isinstance(value, bool | str | bytes) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if math.isnan(found):
        raise RecipeError(name, value, allowed)
    return found


def check_threads(value: SupportsIndex) -> int:
    """Return a number of threads; 0 takes all cores."""
    return check_whole("threads", value, 0, 1024)


def suggest(given: object, choices: Iterable[str]) -> str:
    """Return "did you mean …?" for a misspelt choice, or nothing.

    >>> suggest("Colapse", ("keep", "collapse", "remove"))
    "did you mean 'collapse'?"
    >>> suggest("xyzzy", ("keep", "collapse", "remove"))
    ''
    """
    if not isinstance(given, str):
        return ""
    import difflib  # needed on the way to an error only

    close = difflib.get_close_matches(given[:100].lower(), list(choices), n=1)
    return f"did you mean {close[0]!r}?" if close else ""


def shows_tracebacks() -> bool:
    """Tell whether LOOKALIKE_DEBUG asks for the traceback of an error: any value but an empty one, 0, false or no."""
    return os.environ.get("LOOKALIKE_DEBUG", "").strip().lower() not in ("", "0", "false", "no")
