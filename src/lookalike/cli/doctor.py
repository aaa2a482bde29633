"""`lookalike doctor`: what is installed, what it runs on, and whether it computes what it should.

A new check is a function in `CHECKS`: it returns what it saw, or raises what is wrong.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import typer

from lookalike.cli.commands import examples
from lookalike.cli.output import Color, ColorOption, Format, FormatOption, send, send_drawn, wants_color, wants_json
from lookalike.tables.json import to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import RenderableType

__all__ = ["CHECKS", "HELP", "Outcome", "doctor", "examine"]

_PACKAGES: Final = (
    *("pyarrow", "typer", "rich", "charset-normalizer"),
    *("pypdfium2", "lxml", "striprtf", "pylatexenc", "markdown-it-py"),
)
_EXTRAS: Final = {
    "client": ("urllib3",),
    "excel": ("XlsxWriter",),
    "experiments": ("matplotlib", "pillow"),
    "postgres": ("psycopg",),
    "remote": ("aiohttp", "fsspec", "s3fs"),
    "server": ("fastapi", "prometheus-client", "uvicorn"),
    "spark": ("pandas", "pyspark"),
}
"""What can be installed besides and makes a difference: the extra, and the packages that it needs."""
_SAMPLE: Final = "The quick brown fox jumps over the lazy dog — twice, naïvely."
_SAMPLE_SIGNATURE: Final = "87475be81458981d"

HELP = examples(
    "Show what is installed, and check that it works.",
    "lookalike doctor",
    "lookalike doctor --format json",
    last="Include its output in every bug report.",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One thing that was tried."""

    name: str
    passed: bool
    detail: str


def doctor(format: FormatOption = Format.TABLE, color: ColorOption = Color.AUTO) -> None:  # noqa: A002 — the option's name
    """Print what is installed, what it runs on, and the outcome of the checks."""
    as_json, in_color = wants_json(format), wants_color(color)
    facts = examine()
    if as_json:
        send(to_json(facts), None, encoding="utf-8")
    else:
        send_drawn(_to_table(facts), None, color=in_color)
    if not all(check["passed"] for check in facts["checks"]):
        raise typer.Exit(2)


def examine() -> dict[str, Any]:
    """Return all that doctor knows, as plain values."""
    import platform

    from lookalike._native import build_info
    from lookalike.recipe import Recipe

    build = build_info()
    return {
        "schema": "lookalike/1",
        "lookalike": build["version"],
        "python": f"{platform.python_version()} ({platform.python_implementation()})",
        "platform": platform.platform(),
        "core": {name: build[name] for name in ("profile", "target", "cpu", "threads", "unicode")},
        "packages": {name: _version(name) for name in _PACKAGES},
        "recipe": {"default": str(Recipe()), "digest": Recipe().digest},
        "checks": [asdict(_try(name, check)) for name, check in CHECKS.items()],
        "warnings": list(_warnings(build)),
        "extras": list(_extras()),
    }


def _warnings(build: dict[str, Any]) -> Iterator[str]:
    if build["profile"] != "release":
        yield f"this is a {build['profile']} build of the core, many times slower; use: maturin develop --release"


# -- checks ------------------------------------------------------------------------------------------------------------


def _check_hashes() -> str:
    from lookalike.hashing import hash_vec, jenkins_mix, murmur3_32

    _expect("murmur3", murmur3_32(b"Hello, world!", 2538058380), 612912314)
    _expect("jenkins", jenkins_mix(1, 2, 3), 3082062082)
    _expect("hash_vec", hash_vec([1, 2, 3]), 11093819480084)
    return "murmur3, jenkins and hash_vec give the published values"


def _check_signature() -> str:
    import hashlib

    from lookalike.search.intake import sign

    _expect("signature", hashlib.sha256(sign([_SAMPLE]).to_bytes()).hexdigest()[:16], _SAMPLE_SIGNATURE)
    return "a signature matches format 1"


def _check_tables() -> str:
    import pyarrow as pa

    _expect("rows", pa.table({"a": [1, 2]}).num_rows, 2)
    return "pyarrow loads"


def _check_readers() -> str:
    from lookalike.documents.extract.pool import extract

    _expect("text", extract(b"<nav>no</nav><p>yes</p>", "html").text, "yes")
    return "documents are read in a process of their own"


def _check_index() -> str:
    import sqlite3

    from lookalike.index import Index
    from lookalike.index.sqlite_schema import has_reset_bug

    with Index.open(":memory:") as index:
        index.add({"a": _SAMPLE})
        _expect("answer", index.query(_SAMPLE).ids, ["a"])
    if has_reset_bug():
        return f"SQLite {sqlite3.sqlite_version} has the WAL-reset bug; an index guards against it"
    return f"SQLite {sqlite3.sqlite_version}, without the WAL-reset bug"


CHECKS: Final[dict[str, Callable[[], str]]] = {
    "hash functions": _check_hashes,
    "signature": _check_signature,
    "tables": _check_tables,
    "readers": _check_readers,
    "index": _check_index,
}


def _expect(what: str, got: object, wanted: object) -> None:
    if got != wanted:
        raise ValueError(f"{what} is {got}, should be {wanted}")


def _try(name: str, check: Callable[[], str]) -> Outcome:
    try:
        return Outcome(name, True, check())
    except Exception as error:  # noqa: BLE001 — a check that breaks in any way has failed
        return Outcome(name, False, " ".join(str(error).split()) or type(error).__name__)


# -- what is installed -------------------------------------------------------------------------------------------------


def _version(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _extras() -> Iterator[dict[str, Any]]:
    """Give each extra, whether all that it needs is installed, and how to install it."""
    for extra, packages in _EXTRAS.items():
        installed = all(_version(package) is not None for package in packages)
        yield {"name": extra, "installed": installed, "install": f"pip install 'lookalike[{extra}]'"}


# -- for people --------------------------------------------------------------------------------------------------------


def _to_table(facts: dict[str, Any]) -> Iterator[RenderableType]:
    from rich.table import Table
    from rich.text import Text

    def grid(rows: list[tuple[str, str]]) -> Table:
        table = Table.grid(padding=(0, 2))
        table.add_column(style="bold", no_wrap=True, min_width=15)
        for row in rows:
            table.add_row(*row)
        return table

    core, packages = facts["core"], facts["packages"]
    yield grid(
        [
            ("lookalike", facts["lookalike"]),
            ("Python", f"{facts['python']}, {facts['platform']}"),
            ("Core", f"{core['profile']} build for {core['target']}"),
            ("Processor", f"{core['cpu']} in use, {core['threads']} threads"),
            ("Unicode", core["unicode"]),
            *((name, version or "not installed") for name, version in packages.items()),
            ("Default recipe", facts["recipe"]["digest"]),
        ]
    )
    yield Text("\nChecks", style="bold")
    yield grid([(("✓ " if c["passed"] else "✗ ") + c["name"], c["detail"]) for c in facts["checks"]])
    yield from (Text(f"! {warning}", style="yellow") for warning in facts["warnings"])
    yield Text("\nOptional parts", style="bold")
    missing = "not installed; "
    yield grid([(e["name"], "installed" if e["installed"] else missing + e["install"]) for e in facts["extras"]])
