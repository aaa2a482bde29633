"""`lookalike compare A B`: how similar two documents are, and what they share; `lookalike sources`: one and many."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.commands import examples
from lookalike.cli.input import (
    PathsArgument,
    Reading,
    is_index,
    limits_of,
    nothing_read,
    say_flags,
    say_skipped,
    say_skipped_names,
    with_limits,
    with_reading,
    without_password,
)
from lookalike.cli.messages import complain, showing_progress
from lookalike.cli.options import command_line, whole_number
from lookalike.cli.output import (
    Color,
    ColorOption,
    FormatOption,
    OutputOption,
    QuietOption,
    check_ending,
    keep_sources,
    send,
    send_drawn,
    wants_color,
    wants_json,
)
from lookalike.cli.search_options import (
    LONGEST,
    ExcludedText,
    as_typed,
    template_texts,
    with_excluded,
    with_recipe,
)
from lookalike.documents.document_batches import NO_WORDS
from lookalike.documents.open import read_document
from lookalike.documents.raw_input import Limits  # noqa: TC001 — the signature is read at run time
from lookalike.errors import DocumentError, RecipeError
from lookalike.opening import is_url
from lookalike.recipe import (
    UNIT_NAMES,
    Recipe,
)
from lookalike.tables.output_files import check_output, check_place
from lookalike.tables.spelling import to_json, visible
from lookalike.text.comparison import SHORTEST, longest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from lookalike.documents.text_file import TextFile
    from lookalike.result import Result
    from lookalike.result.from_texts import Sources
    from lookalike.text.comparison import Comparison

__all__ = ["COMPARE_HELP", "SOURCES_HELP", "compare", "sources"]

SHOWN_PASSAGES = 5
SMALLEST_ERROR = 0.0001
"""Of four decimals: a smaller error than this is not shown as none."""

COMPARE_HELP = examples(
    "Measure how similar two documents are, and show what they share.",
    "lookalike compare essay.pdf source.docx",
    "lookalike compare essay.txt source.txt --skip quotes,references",
    "lookalike compare essay.txt source.txt --min-passage 5 --top 0",
    "lookalike compare a.txt b.txt --unit char -k 9",
    "lookalike compare essay.txt source.txt --html pair.html",
    "lookalike compare old.txt new.txt --format json -o result.json",
    last="Scores are exact. Similarity is not proof of copying: read the passages.",
)


@with_recipe
@with_excluded
@with_limits
def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="A document, or - for standard input.", show_default=False)],
    b: Annotated[str, typer.Argument(metavar="B", help="The document to compare it with.", show_default=False)],
    *,
    recipe: Recipe,
    excluded: ExcludedText,
    limits: Limits,
    min_passage: Annotated[
        str | None,
        typer.Option(metavar="N", help="Shortest passage to show (default: 8 words or 40 characters)."),
    ] = None,
    top: Annotated[
        str | None,
        typer.Option(
            metavar="N", help=f"Show the N longest passages; 0 for all (default: {SHOWN_PASSAGES}, in JSON all)."
        ),
    ] = None,
    format: FormatOption = None,  # noqa: A002 — the option's name
    color: ColorOption = Color.AUTO,
    output: OutputOption = None,
    html: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Write both documents side by side to an HTML file.")
    ] = None,
) -> None:
    """Read two documents, compare them and print what was found."""
    from lookalike.text.comparison import compare as compare_texts

    as_json = wants_json(format, output, page="--html")
    in_color = wants_color(color, to_file=output not in (None, "-"))
    shown = None if top is None else whole_number("--top", top, least=0)
    least = excluded.min_words
    if min_passage is not None:
        least = min(whole_number("--min-passage", min_passage, least=1), LONGEST)
    _keep_inputs(html, a, b)
    check_ending(html, "html")
    first, second = _read_both(a, b, output, limits)
    templates = template_texts(excluded.ignore, Reading(max_document=limits.document, max_expansion=limits.expansion))
    found = compare_texts(
        first.text,
        second.text,
        recipe,
        least=least,
        ignore=templates,
        skip=excluded.skip,
        min_words=excluded.min_words,
    )
    if html is not None:
        from lookalike.report import write_pair

        command = command_line("compare", [a, b], as_typed(excluded, recipe))
        write_pair(first, second, found, html, least=least, command=command)
    if as_json:
        from lookalike.text.comparison import to_values

        send(to_json(to_values(first, second, found, top=shown or 0)), output, encoding="utf-8")
    else:
        parts = _to_table(first, second, found, least=least, top=SHOWN_PASSAGES if shown is None else shown)
        send_drawn(parts, output, color=in_color)


def _read_both(a: str, b: str, output: str | None, limits: Limits) -> tuple[TextFile, TextFile]:
    if a == b == "-":
        raise RecipeError("B", b, "a file when A is standard input", "only one of them can be -")
    _keep_inputs(output, a, b)
    if "-" in (a, b) and sys.stdin is not None and sys.stdin.isatty():
        complain("reading standard input; end it with Ctrl-D")
    first, second = read_document(a, limits), read_document(b, limits)
    for document in (first, second):
        if not document.text.strip():
            raise DocumentError(document.name, "file", "is empty", "there is nothing to compare")
    for document in (first, second):
        if document.encoding != "UTF-8":
            how = "detected; save it as UTF-8 to be sure" if document.guessed else "as its first bytes say"
            complain(f"note: {document.name} is read as {document.encoding} ({how})")
        say_flags({document.name: document.flags} if document.flags else {})
    return first, second


def _keep_inputs(output: str | None, *inputs: str) -> None:
    """Refuse to write the result over one of the documents."""
    if output is None or output == "-":
        return
    check_output(output)
    if is_url(output) and output in inputs:
        raise DocumentError(output, "file", "is one of the documents", "write the result to another file")
    for name in inputs if os.path.isfile(output) else ():  # noqa: PTH113 — a name that is too long is none
        if Path(name).is_file() and Path(name).samefile(output):
            raise DocumentError(output, "file", "is one of the documents", "write the result to another file")
    check_place(output)


def _to_table(a: TextFile, b: TextFile, found: Comparison, *, least: int | None, top: int) -> Iterator[RenderableType]:
    """Give what is printed, part by part."""
    from rich.text import Text

    from lookalike.cli.drawing import verdict

    yield _names(a, b)
    yield Text()
    yield Text(verdict(a.text, b.text, found), style="bold")
    yield Text()
    yield _scores(found)
    yield Text()
    yield from _passages(a, b, found, SHORTEST[found.recipe.unit] if least is None else least, top)
    yield Text("Similarity is not proof of copying: read the passages.", style="italic")


def _names(a: TextFile, b: TextFile) -> Table:
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    for letter, document in (("A", a), ("B", b)):
        grid.add_row(Text(letter, style="bold"), Text(visible(document.name), overflow="fold"))
    return grid


def _scores(found: Comparison) -> Table:
    from rich.table import Table

    from lookalike.cli.drawing import count_of, fraction, percent

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(no_wrap=True, style="cyan")
    grid.add_column(no_wrap=True, style="cyan", justify="right")
    grid.add_column()

    def score(name: str, value: float, meaning: str) -> None:
        grid.add_row(name, fraction(value), percent(value), meaning)

    recipe = found.recipe
    sketch = "fast sketch" if recipe.sketch == "fast" else f"classic sketch, {recipe.family}"
    score("Jaccard", found.jaccard, "of all their distinct shingles are in both")
    score("A in B", found.containment_a, "of A's shingles are in B (containment)")
    score("B in A", found.containment_b, "of B's shingles are in A")
    if found.any_length is None:
        estimated = "Jaccard"
    else:
        loose, estimated = found.any_length, "Jaccard of any length"
        both = f"{percent(loose.containment_a)} of A in B, {percent(loose.containment_b)} of B in A"
        score("Any length", loose.jaccard, f"Jaccard if shorter passages count too; {both}")
    error = found.standard_error
    grid.add_row(
        "Estimate",
        fraction(found.estimate),
        f"± {error:.4f}" if error >= SMALLEST_ERROR or not error else f"< {SMALLEST_ERROR}",
        f"{estimated} estimated from {count_of(recipe.hashes, 'hash')}, {sketch}",
    )
    grid.add_row("Shingles", f"{found.shared:,}", "shared", _sizes(found))
    if found.min_words is not None:
        unit = f"{UNIT_NAMES[found.recipe.unit]}s"
        grid.add_row("Counted", f"≥ {found.min_words:,}", unit, "shorter shared passages do not count")
    if found.excluded_a or found.excluded_b:
        total = sum(found.excluded_a.values()) + sum(found.excluded_b.values())
        said = f"A: {_in_words(found.excluded_a)}; B: {_in_words(found.excluded_b)}"
        grid.add_row("Excluded", f"{total:,}", "words", said)
    return grid


def _in_words(counted: Mapping[str, int]) -> str:
    """Say how many words were excluded, and why.

    >>> _in_words({"quotes": 80, "template": 1200}), _in_words({})
    ('1,280 words (80 in quotes, 1,200 in the template)', 'nothing')
    """
    places = {"quotes": "quotes", "references": "references", "template": "the template", "common": "common text"}
    total = sum(counted.values())
    listed = ", ".join(f"{counted[reason]:,} in {place}" for reason, place in places.items() if counted.get(reason))
    return f"{total:,} word{'s' * (total != 1)} ({listed})" if total else "nothing"


def _sizes(found: Comparison) -> str:
    from lookalike.cli.drawing import count_of

    recipe = found.recipe
    length = count_of(recipe.k, UNIT_NAMES[recipe.unit]) + (", repeats count" if recipe.bag else "")
    return f"A has {found.shingles_a:,}, B has {found.shingles_b:,}; each is {length}"


def _how(recipe: Recipe) -> str:
    return "whatever the names, comments and layout" if recipe.unit == "token" else "word for word"


def _passages(a: TextFile, b: TextFile, found: Comparison, least: int, top: int) -> Iterator[RenderableType]:
    from rich.text import Text

    from lookalike.cli.drawing import Passages, count_of

    unit = UNIT_NAMES[found.recipe.unit]
    at_least = f"of at least {count_of(least, unit)}"
    if not found.passages:
        which = "shared" if found.recipe.unit == "token" else "exact"
        yield Text(f"No {which} passage {at_least} (--min-passage shows shorter ones).")
        yield Text()
        return
    shown = longest(found.passages, top)
    heading = f"{count_of(len(found.passages), 'shared passage')} {at_least}, {_how(found.recipe)}"
    if len(shown) < len(found.passages):
        heading += "; the longest" if len(shown) == 1 else f"; the {len(shown)} longest"
    yield Text(f"{heading}:", style="bold")
    yield Text()
    view = Passages(a.text, b.text, found.recipe)
    for number, passage in enumerate(shown, start=1):
        yield from view.show(passage, number)


SHOWN_SOURCES = 10
WITH_PASSAGE = 3
"""Sources whose longest passage is shown."""

SOURCES_HELP = examples(
    "Show how much of one document is found in others, and where.",
    "lookalike sources essay.pdf essays/",
    "lookalike sources essay.pdf essays/ moodle.zip --skip quotes,references",
    "lookalike sources essay.txt essays/ --html essay.html",
    "lookalike sources essay.txt corpus.parquet --format json",
    last="Passages from all documents count together, each word once. Similarity is not proof of copying: read the "
    "passages.",
)


@with_recipe
@with_reading
@with_excluded
def sources(
    essay: Annotated[
        str, typer.Argument(metavar="ESSAY", help="The document, or - for standard input.", show_default=False)
    ],
    paths: PathsArgument,
    *,
    recipe: Recipe,
    reading: Reading,
    excluded: ExcludedText,
    top: Annotated[
        str | None,
        typer.Option("--top", metavar="N", help=f"Show N sources; 0 for all (default: {SHOWN_SOURCES}, in JSON all)."),
    ] = None,
    format: FormatOption = None,  # noqa: A002 — the option's name
    color: ColorOption = Color.AUTO,
    output: OutputOption = None,
    html: Annotated[
        str | None,
        typer.Option("--html", metavar="FILE", help="Write the document with its sources in colour to an HTML file."),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Read a document, look for its text in others and print what was found."""
    from lookalike.search.derived import find_sources, sources_in

    as_json = wants_json(format, output, page="--html")
    in_color = wants_color(color, to_file=output not in (None, "-"))
    shown = None if top is None else whole_number("--top", top, least=0)
    for index in filter(is_index, paths):
        remedy = "give its documents; lookalike check ESSAY --index compares with an index"
        raise DocumentError(without_password(index), "file", "is an index, not a document", remedy)
    keep_sources([output, html], [essay, *paths, *excluded.ignore])
    check_ending(html, "html")
    own = read_document(essay, limits_of(reading.max_document, reading.max_expansion))
    if not quiet:
        say_flags({own.name: own.flags} if own.flags else {})
    least = None if excluded.min_words is None else min(excluded.min_words, LONGEST)
    templates, is_itself = template_texts(excluded.ignore, reading), _same_file(essay, paths)
    with showing_progress(quiet=quiet) as report:
        result = find_sources(
            own.text,
            reading.open(paths),
            name=own.name,
            recipe=recipe,
            least=least,
            ignore=templates,
            skip=excluded.skip,
            is_itself=is_itself,
            progress=report,
        )
        _check_others(result, paths, is_itself)
        found = sources_in(result, own.name, least, templates, is_itself)
    if not quiet:
        others = [one for one in result.skipped if one.reason != NO_WORDS]  # that is the document itself
        if not say_skipped_names(result, others, has_verbose=False):
            say_skipped(others)
    if html is not None:
        from lookalike.result.from_texts import write_report

        write_report(result, html, opens=own.name)
    if as_json:
        values = found.to_dict()
        values["sources"] = values["sources"][: shown or None]
        send(to_json(values), output, encoding="utf-8")
    else:
        send_drawn(_sources_table(found, SHOWN_SOURCES if shown is None else shown), output, color=in_color)


def _check_others(result: Result, paths: Sequence[str], is_itself: Callable[[str | int], bool] | None) -> None:
    """Refuse to say that a document has no sources if no other one was read."""
    name, others = " ".join(paths), range(result.old_from or 0, result.documents)
    if not others:
        raise nothing_read(name, (one for one in result.skipped if one.reason != NO_WORDS))
    if is_itself is not None and all(is_itself(result.id_of[number]) for number in others):
        raise DocumentError(name, "file", "contains no other document", "name those to compare it with")


def _same_file(essay: str, paths: Sequence[str]) -> Callable[[str | int], bool] | None:
    """Return what tells whether a document that was read from the paths is the essay itself."""
    from lookalike.search.row_files import listed_path

    if is_url(essay):
        return None
    place = Path(essay).resolve()  # also that of a member of an archive

    def is_itself(name: str | int) -> bool:
        if Path(str(name)).name != place.name:
            return False
        path = Path(listed_path(str(name), paths))
        return path.samefile(place) if path.is_file() and place.is_file() else path.resolve() == place

    return is_itself


def _sources_table(found: Sources, top: int) -> Iterator[RenderableType]:
    """Give what is printed, part by part."""
    from rich.text import Text

    from lookalike.cli.drawing import Passages, count_of, grid, percent, shorten
    from lookalike.cli.output import width
    from lookalike.recipe import UNIT_NAMES
    from lookalike.result.view import recall_of
    from lookalike.tables.spelling import visible

    unit = UNIT_NAMES[found.recipe.unit]
    yield Text(visible(str(found.id)), overflow="fold")
    yield Text()
    if not found.units:
        yield Text(f"Not compared: it has no {unit}s that count.", style="bold")
        return
    yield Text(f"{percent(found.share)} of its text is found elsewhere", style="bold")
    passages = f"in similar passages of at least {count_of(found.least, unit)}"
    said = f"{found.found:,} of {count_of(found.units, unit)}, {passages}"
    yield Text(f"{said}; {count_of(len(found.sources), 'source')}.")
    if found.recall is not None:
        yield Text(f"{recall_of(found.recall, of_what=False)} of documents that share a shingle", style="dim")
    yield Text()
    if found.short:
        first = found.short[0]
        said = f"{percent(first.share)} of its sequences of {count_of(first.k, unit)} are in {visible(str(first.id))}"
        more = f", and {len(found.short) - 1:,} more (--format json)" if len(found.short) > 1 else ""
        yield Text(f"Similar only in shorter passages: {said}{more}.", style="yellow")
        yield Text()
    listed = found.sources[: top or None]
    if listed:
        headers = ("#", "Share", f"{unit.capitalize()}s", "New", "Longest")
        table = grid(*((header, "right") for header in headers), ("Source", "left"))
        for rank, one in enumerate(listed, start=1):
            longest = max(passage.units for passage in one.passages)
            numbers = (percent(one.units / found.units), f"{one.units:,}", f"{one.adds:,}", f"{longest:,}")
            table.add_row(f"{rank}", *numbers, shorten(str(one.id), width() - 40))
        yield table
        yield Text(f"New: {unit}s not found in any source above.", style="dim")
        yield Text()
    for rank, one in enumerate(listed[:WITH_PASSAGE], start=1):
        longest_one = max(one.passages, key=lambda passage: passage.units)
        title = f"  in {visible(str(one.id))}"
        yield from Passages(found.text, one.text, found.recipe).show(longest_one, rank, title)
    yield Text("Similarity is not proof of copying: read the passages.", style="italic")
