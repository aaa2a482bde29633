"""`lookalike compare A B`: how alike two documents are, and which passages they share."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.help import examples
from lookalike.cli.hints import command_line
from lookalike.cli.left_out import LONGEST, LeftOut, template_texts, with_left_out
from lookalike.cli.messages import complain
from lookalike.cli.output import (
    Color,
    ColorOption,
    Format,
    FormatOption,
    OutputOption,
    send,
    send_drawn,
    wants_color,
    wants_json,
)
from lookalike.cli.reading import Reading, say_flags, with_limits
from lookalike.cli.recipe_options import as_typed, with_recipe
from lookalike.cli.values import whole_number
from lookalike.documents.limits import Limits  # noqa: TC001 — the signature is read at run time
from lookalike.documents.one import read_document
from lookalike.errors import DocumentError, RecipeError
from lookalike.recipe import Recipe  # noqa: TC001 — the signature is read at run time
from lookalike.tables.json import to_json
from lookalike.tables.output_files import check_output, check_place
from lookalike.urls import is_url

if TYPE_CHECKING:
    from lookalike.documents.text_file import TextFile

__all__ = ["HELP", "compare"]

SHOWN = 5

HELP = examples(
    "Tell how alike two documents are, and what they share.",
    "lookalike compare essay.pdf source.docx",
    "lookalike compare essay.txt source.txt --skip quotes,references",
    "lookalike compare essay.txt source.txt --min-passage 5 --top 0",
    "lookalike compare a.txt b.txt --unit char -k 9",
    "lookalike compare essay.txt source.txt --html pair.html",
    "lookalike compare old.txt new.txt --format json -o result.json",
    last="Scores are exact. Similarity is not proof of copying: read the passages.",
)


@with_recipe
@with_left_out
@with_limits
def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="A document, or - for standard input.", show_default=False)],
    b: Annotated[str, typer.Argument(metavar="B", help="The one to compare it with.", show_default=False)],
    *,
    recipe: Recipe,
    left_out: LeftOut,
    limits: Limits,
    min_passage: Annotated[
        str | None,
        typer.Option(metavar="N", help="Shortest passage to show; default 8 words or 40 characters."),
    ] = None,
    top: Annotated[
        str | None,
        typer.Option(metavar="N", help=f"Show the N longest passages, 0: all; default {SHOWN}, in json all."),
    ] = None,
    format: FormatOption = Format.TABLE,  # noqa: A002 — the option's name
    color: ColorOption = Color.AUTO,
    output: OutputOption = None,
    html: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Write both side by side, as one HTML file.")
    ] = None,
) -> None:
    """Read two documents, compare them and print what was found."""
    from lookalike.text.compare import compare as compare_texts

    as_json, in_color = wants_json(format), wants_color(color, to_file=output not in (None, "-"))
    shown = None if top is None else whole_number("--top", top, least=0)
    least = left_out.min_words
    if min_passage is not None:
        least = min(whole_number("--min-passage", min_passage, least=1), LONGEST)
    _keep_inputs(html, a, b)
    first, second = _read_both(a, b, output, limits)
    templates = template_texts(left_out.ignore, Reading(max_document=limits.document, max_expansion=limits.expansion))
    found = compare_texts(
        first.text,
        second.text,
        recipe,
        least=least,
        ignore=templates,
        skip=left_out.skip,
        min_words=left_out.min_words,
    )
    if html is not None:
        from lookalike.report.assemble import write_pair

        command = command_line("compare", [a, b], as_typed(left_out, recipe))
        write_pair(first, second, found, html, least=least, command=command)
    if as_json:
        from lookalike.text.compare_json import to_values

        send(to_json(to_values(first, second, found, top=shown or 0)), output, encoding="utf-8")
    else:
        from lookalike.cli.compare_table import to_table

        parts = to_table(first, second, found, least=least, top=SHOWN if shown is None else shown)
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
