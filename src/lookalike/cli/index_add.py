"""`lookalike index add INDEX PATH…`: more documents, all of them or none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.help import examples
from lookalike.cli.index_options import IndexArgument, ThreadsOption, counting, opened, say_read, skipped_words
from lookalike.cli.output import QuietOption, VerboseOption, send
from lookalike.cli.progress import showing_progress
from lookalike.cli.reading import PathsArgument, Reading, with_reading
from lookalike.cli.values import threads_of
from lookalike.errors import DocumentError, DuplicateIdError, RecipeError
from lookalike.tables.visible import visible
from lookalike.tables.wording import count

if TYPE_CHECKING:
    from lookalike.index.contract import Store

__all__ = ["HELP", "index_add"]

HELP = examples(
    "Add documents: all of them, or none.",
    "lookalike index add class.db new/",
    "lookalike index add class.db essays/ --skip-existing",
    "lookalike index add class.db essays/ --replace",
    last="An id that is in the index already is an error, unless an option says what to do about it.",
)

ReplaceOption = Annotated[
    bool, typer.Option("--replace", help="Put documents in the place of those with the same ids.")
]
SkipOption = Annotated[bool, typer.Option("--skip-existing", help="Leave out documents whose ids are there already.")]


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
        say_read(source, written + new.left_out, quiet=quiet, verbose=verbose)
        said = f"{count(written, 'document')} added"
        if replace and (replaced := before + written - len(index)) > 0:
            said += f", {replaced:,} of them in the place of others"
        if new.left_out:
            said += f", {new.left_out:,} already there"
        send(f"{visible(store.name)}: {said}{skipped_words(source)} · {len(index):,} in all\n", None)


def _there(error: DuplicateIdError, store: Store) -> DocumentError:
    """Say what to do about an id that the index has already."""
    from lookalike.index import Index

    if error.document not in Index(store):
        return error
    remedy = "give --replace, or --skip-existing"
    return DocumentError(error.document, "id", f"is in {store.name} already", remedy)
