"""Commands about lookalike itself: `explain`, `demo`, `doctor` and `completion`.

A new check of the doctor is a function in `CHECKS`: it returns what it saw, or raises what is wrong.
"""

from __future__ import annotations

from contextlib import chdir
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from lookalike.cli.commands import examples
from lookalike.cli.options import completion as completion_of
from lookalike.cli.options import one_of
from lookalike.cli.output import Color, ColorOption, Format, FormatOption, send, send_drawn, wants_color, wants_json
from lookalike.errors import how_to_install
from lookalike.tables.spelling import to_json
from lookalike.vocabulary import TERMS, Term, look_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import RenderableType

__all__ = [
    "CHECKS",
    "COMPLETION_HELP",
    "DEMO_HELP",
    "DOCTOR_HELP",
    "EXPLAIN_HELP",
    "Outcome",
    "Shell",
    "completion",
    "declared_extras",
    "demo",
    "doctor",
    "examine",
    "explain",
]

EXPLAIN_HELP = examples(
    "Explain a term, such as recall, in three sentences.",
    "lookalike explain             list all terms",
    "lookalike explain recall",
    "lookalike explain s-curve",
)


def explain(
    term: Annotated[
        str | None,
        typer.Argument(
            metavar="TERM", help="The term; without it, all terms are listed.", autocompletion=completion_of(*TERMS)
        ),
    ] = None,
    format: FormatOption = Format.TABLE,  # noqa: A002 — the option's name
    color: ColorOption = Color.AUTO,
) -> None:
    """Print what a word means, or the list of words."""
    as_json, in_color = wants_json(format), wants_color(color)
    terms = list(TERMS.values()) if term is None else [look_up(term)]
    if as_json:
        values = [asdict(each) for each in terms]
        send(to_json(values if term is None else values[0]), None, encoding="utf-8")
    else:
        send_drawn(_list(terms) if term is None else _one(terms[0]), None, color=in_color)


def _one(term: Term) -> Iterator[RenderableType]:
    from rich.text import Text

    yield Text(term.name, style="bold")
    yield Text(term.text)
    yield Text()
    yield Text(f"See also: {', '.join(term.see)}.", style="dim")


def _list(terms: list[Term]) -> Iterator[RenderableType]:
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold cyan", no_wrap=True)
    for term in terms:
        grid.add_row(term.name, term.short)
    yield grid
    yield Text()
    yield Text("lookalike explain TERM explains a term.")


_LIGHTHOUSE: Final = """
The lighthouse on Gull Point was lit for the first time in the autumn of 1871. Before that, fishermen found their way
home by the bell of the chapel, which in a storm nobody could hear. The tower is built of granite from the quarry
behind the village, and every block was drawn up the cliff by two oxen whose names, Bishop and Duke, are cut into the
lowest step. For ninety years a keeper and his family lived at its foot. Since 1961 the lamp has turned by itself, and
the keeper's house is a museum that opens on Sundays, when the weather allows it.
"""

_BREAD: Final = """
Good bread needs four things: flour, water, salt and time. Mix the flour with most of the water and let it rest for
half an hour before you add the salt. Fold the dough every thirty minutes, three or four times, and then leave it in a
cool place overnight. In the morning shape it, wait until a finger leaves a mark that fills only slowly, and bake it in
a very hot oven with a cup of water on the floor of it for steam. Let it cool before you cut it, however hard that is.
"""

_CLOCK: Final = """
Nobody knows who carries the key of the town hall clock. It is wound every Friday, and it has not stopped since the
flood, but the mayor says that it is not her, and the caretaker only shrugs.
"""

_MARKET: Final = """
The market begins at six, when the first vans come down the hill with their lights still on. By seven the fish is laid
out on ice, by eight the queue for the cheese reaches the fountain, and at nine the band begins to play whether anybody
listens or not.
"""

TEXTS: Final = {
    "lighthouse.txt": _LIGHTHOUSE,
    "lighthouse-essay.txt": _LIGHTHOUSE.replace("fishermen found", "the fishermen of the bay found").replace(
        "opens on Sundays, when", "is open on Sundays if"
    ),
    "bread.txt": _BREAD,
    "grandmothers-bread.txt": _BREAD.replace("half an hour", "a full hour")
    .replace("three or four times", "at least four times")
    .replace("however hard that is", "or it will be heavy"),
    "clock.txt": _CLOCK,
    "clock-copy.txt": _CLOCK,
    "market-and-clock.txt": _MARKET + _CLOCK,
    "ferry.txt": """
The last ferry leaves at half past ten. Whoever misses it can wait for the first one, at five, in the room behind the
ticket office, where there is a stove, a shelf of old magazines and a cat that belongs to nobody.
""",
}
"""File name → text."""

DEMO_HELP = examples(
    "Try lookalike on a few short texts.",
    "lookalike demo",
    last="The texts are written to a temporary folder, which is removed afterwards.",
)

STEPS = (
    ("Which texts in a folder are at least 50% similar?", ["scan", "sample", "--threshold", "0.5"]),
    (
        "What do two of them share?",
        ["compare", "sample/clock.txt", "sample/market-and-clock.txt"],
    ),
)


def demo(context: typer.Context) -> None:
    """Write the texts, run two commands on them, and say what to try next."""
    from tempfile import TemporaryDirectory

    from lookalike.cli.options import command_line

    with TemporaryDirectory(prefix="lookalike-demo-") as folder, chdir(folder):
        Path("sample").mkdir()
        for name, text in TEXTS.items():
            (Path("sample") / name).write_text(text.lstrip("\n"), encoding="utf-8")
        for question, args in STEPS:
            send(f"{question}\n\n$ {command_line(args[0], args[1:])}\n\n", None)
            context.find_root().command(args, prog_name="lookalike", standalone_mode=False)
            send("\n", None)
    send("Now try your own texts: lookalike PATH. What a term means: lookalike explain.\n", None)


_PACKAGES: Final = (
    *("pyarrow", "typer", "rich", "charset-normalizer"),
    *("pypdfium2", "lxml", "striprtf", "pylatexenc", "markdown-it-py"),
)
_SAMPLE: Final = "The quick brown fox jumps over the lazy dog — twice, naïvely."
_SAMPLE_SIGNATURE: Final = "87475be81458981d"

DOCTOR_HELP = examples(
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


def declared_extras() -> dict[str, tuple[str, ...]]:
    """Return the extras and the packages that each needs, as pyproject.toml declares them."""
    import re
    from importlib import metadata

    try:
        needs = metadata.requires("lookalike") or []
    except metadata.PackageNotFoundError:  # the sources are used without being installed
        needs = []
    extras: dict[str, tuple[str, ...]] = {}
    for need in needs:
        package, _, condition = need.partition(";")
        name, extra = re.match(r"[\w.-]+", package), re.search(r"extra == ['\"](\w+)", condition)
        if name and extra:
            extras[extra[1]] = (*extras.get(extra[1], ()), name[0])
    return extras


def _extras() -> Iterator[dict[str, Any]]:
    """Give each extra, whether all that it needs is installed, and how to install it."""
    for extra, packages in sorted(declared_extras().items()):
        installed = all(_version(package) is not None for package in packages)
        yield {"name": extra, "installed": installed, "install": how_to_install(extra)}


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


class Shell(StrEnum):
    """The shells that there is a script for."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = "powershell"


COMPLETION_HELP = examples(
    "Print the completion script for your shell.",
    "lookalike completion bash >> ~/.bashrc",
    "lookalike completion zsh > ~/.zfunc/_lookalike",
    "lookalike completion fish > ~/.config/fish/completions/lookalike.fish",
    last="lookalike --install-completion installs it for the current shell.",
)


def completion(
    shell: Annotated[
        str,
        typer.Argument(
            metavar="SHELL",
            help="bash, zsh, fish or powershell.",
            show_default=False,
            autocompletion=completion_of(*Shell),
        ),
    ],
) -> None:
    """Print the completion script of a shell."""
    from typer._completion_shared import get_completion_script

    chosen = one_of("SHELL", shell, Shell)
    script = get_completion_script(prog_name="lookalike", complete_var="_LOOKALIKE_COMPLETE", shell=chosen)
    send(script.rstrip("\n") + "\n", None)
