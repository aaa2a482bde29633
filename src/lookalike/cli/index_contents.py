"""`lookalike index build`, `add`, `remove` and `query`: what goes into an index, out of it, and what is like it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from lookalike.cli.check import CheckOptions, in_index, run_checks, with_asked
from lookalike.cli.commands import examples
from lookalike.cli.index import IndexArgument, ThreadsOption  # noqa: TC001 — the signatures are read at run time
from lookalike.cli.input import (
    PathsArgument,
    Reading,
    nothing_read,
    opened,
    say_flags,
    say_notes,
    skipped_lines,
    with_reading,
)
from lookalike.cli.messages import complain, showing_progress
from lookalike.cli.options import completion, number, share, threads_of
from lookalike.cli.output import QuietOption, VerboseOption, send
from lookalike.cli.search_options import with_recipe
from lookalike.documents.document_batches import skipped_words as words_of
from lookalike.errors import DocumentError, DuplicateIdError, RecipeError
from lookalike.recipe import Recipe  # noqa: TC001 — the signature is read at run time
from lookalike.tables.spelling import count, size, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lookalike.cli.messages import Report
    from lookalike.documents import Source
    from lookalike.index import Index
    from lookalike.index.contract import Store
    from lookalike.tables.packed import Id

__all__ = [
    "INDEX_ADD_HELP",
    "INDEX_BUILD_HELP",
    "INDEX_QUERY_HELP",
    "INDEX_REMOVE_HELP",
    "index_add",
    "index_build",
    "index_query",
    "index_remove",
]


INDEX_BUILD_HELP = examples(
    "Build a new index.",
    "lookalike index build class.db essays/",
    "lookalike index build class.db essays/ -t 0.5 --keep shingles",
    "lookalike index build pages.db corpus.parquet --text-column text",
    last="The index appears under its name when it is complete; an interrupted build leaves nothing. After kill -9, "
    "files INDEX.new-… remain until the next build of INDEX removes them. The recipe and the threshold cannot "
    "be changed later.",
)

ThresholdOption = Annotated[
    str | None,
    typer.Option(
        "-t",
        "--threshold",
        metavar="T",
        help="Minimum similarity that is answered quickly (default: that of the preset, or 0.8).",
        show_default=False,
    ),
]
RecallOption = Annotated[
    str | None,
    typer.Option(
        "--recall", metavar="R", help="Minimum share of the hits to find (default: 0.999).", show_default=False
    ),
]
KeepOption = Annotated[
    str | None,
    typer.Option(
        "--keep",
        metavar="WHAT",
        help="text (default), shingles (no passages), or signature (scores are estimates).",
        show_default=False,
        autocompletion=completion("text", "shingles", "signature"),
    ),
]
SecretOption = Annotated[
    bool, typer.Option("--secret", help="Use a random seed that is never shown, against texts made to collide.")
]


@with_recipe
@with_reading
def index_build(
    where: IndexArgument,
    paths: PathsArgument,
    *,
    reading: Reading,
    recipe: Recipe,
    preset: str | None,
    threshold: ThresholdOption = None,
    recall: RecallOption = None,
    keep: KeepOption = None,
    secret: SecretOption = False,
    threads: ThreadsOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Read everything once, into an index."""
    from lookalike.cli.check_output import NOT_SEARCHED
    from lookalike.index.index_setup import is_for_passages
    from lookalike.index.new_documents import build

    settings: dict[str, Any] = {
        "recipe": recipe,
        "threshold": None if threshold is None else share("--threshold", threshold),
        "recall": None if recall is None else share("--recall", recall),
        "keep": keep,
        "secret": secret,
        "preset": preset,
        "threads": threads_of(threads),
    }
    source = reading.open(paths)

    def judge(read: int) -> None:
        say_read(source, read, quiet=quiet, verbose=verbose)

    with showing_progress(quiet=quiet) as report:
        made = build(where, source, progress=counting(report, source), judge=judge, **settings)
    about = f"{count(made.documents, 'document')}{skipped_words(source)} · {size(made.bytes)}"
    send(f"{visible(made.name)}: {about}\n", None)
    if not quiet:
        _say_without_words(made.without_words)
    if is_for_passages(preset) and not quiet:
        say_notes([f"a check compares whole documents, and lists the five nearest; {NOT_SEARCHED}"])


INDEX_ADD_HELP = examples(
    "Add documents: all or none.",
    "lookalike index add class.db new/",
    "lookalike index add class.db essays/ --skip-existing",
    "lookalike index add class.db essays/ --replace",
    last="An id that is already in the index is an error, unless an option says what to do about it.",
)

ReplaceOption = Annotated[bool, typer.Option("--replace", help="Replace documents that have the same ids.")]
SkipOption = Annotated[bool, typer.Option("--skip-existing", help="Skip documents whose ids are already there.")]


@with_reading
def index_add(
    where: IndexArgument,
    paths: PathsArgument,
    *,
    reading: Reading,
    replace: ReplaceOption = False,
    skip_existing: SkipOption = False,
    threads: ThreadsOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Read documents and add them in one transaction."""
    from lookalike.index import Index
    from lookalike.index.index_documents import OnlyNew

    if replace and skip_existing:
        raise RecipeError("--replace", "given", "left out with --skip-existing")
    many = threads_of(threads)
    source = reading.open(paths)
    with opened(where) as store:
        index = Index(store)
        before = len(index)
        new = OnlyNew(source, store)
        try:
            with showing_progress(quiet=quiet) as report:
                write = index.replace if replace else index.add
                written = write(new if skip_existing else source, threads=many, progress=counting(report, source))
        except DuplicateIdError as error:
            raise _there(error, store) from error
        say_read(source, written + new.already_stored, quiet=quiet, verbose=verbose)
        said = f"{count(written, 'document')} added"
        if replace and (replaced := before + written - len(index)) > 0:
            said += f", {replaced:,} of them replacing others"
        if new.already_stored:
            said += f", {new.already_stored:,} already there"
        send(f"{visible(store.name)}: {said}{skipped_words(source)} · {len(index):,} in all\n", None)
        if not quiet:
            _say_without_words(index.without_words)


def _say_without_words(number: int) -> None:
    if number:
        say_notes([f"{count(number, 'document')} without words: no check finds {'it' if number == 1 else 'them'}"])


def _there(error: DuplicateIdError, store: Store) -> DocumentError:
    """Say what to do about an id that the index has already."""
    from lookalike.index import Index

    if error.document not in Index(store):
        return error
    remedy = "give --replace, or --skip-existing"
    return DocumentError(error.document, "id", f"is in {store.name} already", remedy)


INDEX_REMOVE_HELP = examples(
    "Remove documents by id.",
    "lookalike index remove class.db one.txt two.txt",
    "cat ids.txt | lookalike index remove class.db -",
    last="With - the ids come from standard input, one per line. All are removed or none; missing ids are named. If "
    "an id begins with -, put -- before the ids. lookalike index compact frees the space on disk.",
)

_NAMED: Final = 5
"""Ids that a message names, at most."""
IdsArgument = Annotated[
    list[str], typer.Argument(metavar="ID", help="Ids of documents, - for standard input.", show_default=False)
]
NullOption = Annotated[bool, typer.Option("--null", "-0", help="Ids on standard input end with NUL (find -print0).")]


def index_remove(
    where: IndexArgument, ids: IdsArgument, *, null: NullOption = False, quiet: QuietOption = False
) -> None:
    """Remove documents in one transaction."""
    from lookalike.index import Index

    if null and "-" not in ids:
        raise RecipeError("--null", "given", "left out unless the ids come from standard input")
    with opened(where) as store:
        index = Index(store)
        wanted = list(dict.fromkeys(_as_stored(_given(ids, null=null), index)))
        missing = [one for one in wanted if one not in index]
        removed = index.remove(wanted)
        if missing and not quiet:
            complain(f"note: not in {store.name}: {_listed(missing)}")
        send(f"{visible(store.name)}: {count(removed, 'document')} removed · {len(index):,} left\n", None)


def _given(ids: Iterable[str], *, null: bool) -> Iterable[str]:
    for one in ids:
        if one == "-":
            yield from _read(null=null)
        else:
            yield one


def _read(*, null: bool) -> list[str]:
    from lookalike.opening import STDIN, pipe_blocks, stdin

    text = b"".join(pipe_blocks(stdin(), STDIN, most=1 << 30)).decode("utf-8", "replace")
    lines = text.split("\0") if null else [line.removesuffix("\r") for line in text.split("\n")]
    return [line for line in lines if line]


def _as_stored(ids: Iterable[str], index: Index) -> Iterable[Id]:
    """Return ids as the index has them: whole numbers, where its ids are that."""
    first = next(index.ids(), None)
    return map(number, ids) if isinstance(first, int) else ids


def _listed(ids: list[Id]) -> str:
    more = f" and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
    return ", ".join(repr(one) for one in ids[:_NAMED]) + more


INDEX_QUERY_HELP = examples(
    "Find stored documents that are similar to others.",
    "lookalike index query class.db new.txt",
    "lookalike index query class.db new/ -t 0.5 --top 3 --format csv",
    last="The same as lookalike check, with the index first. Below the threshold of the index every signature is "
    "compared, which takes longer.",
)


@with_reading
@with_asked
def index_query(where: IndexArgument, paths: PathsArgument, *, reading: Reading, asked: CheckOptions) -> None:
    """Check documents, and print what they are like."""
    run_checks(in_index(where, asked), paths, reading, asked, where)


def counting(report: Report | None, source: Source) -> Callable[[int], None] | None:
    """Return what shows how many documents are added; None if no progress is shown."""
    if report is None:
        return None
    total = source.size().documents
    return lambda done: report("adding", done, total)


def say_read(source: Source, read: int, *, quiet: bool, verbose: bool) -> None:
    """Tell what was decided while a source was read; one without any document is an error."""
    skipped = source.skipped()
    if not read:
        raise nothing_read(source.name, skipped)
    if not quiet:
        say_notes(source.notes())
        say_flags(source.flags())
    if verbose:
        for line in skipped_lines(skipped):
            complain(line)


def skipped_words(source: Source) -> str:
    """Return how much of a source was skipped, and why.

    >>> from lookalike.documents import open_documents
    >>> skipped_words(open_documents(["one"]))
    ''
    """
    words = words_of(source.skipped())
    return f" ({words})" if words else ""
