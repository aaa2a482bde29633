"""`lookalike index build INDEX PATH…`: a new index from whatever `scan` reads."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from lookalike.cli.help import examples
from lookalike.cli.index_options import IndexArgument, ThreadsOption, counting, say_read, skipped_words
from lookalike.cli.output import QuietOption, VerboseOption, send
from lookalike.cli.progress import showing_progress
from lookalike.cli.reading import PathsArgument, Reading, with_reading
from lookalike.cli.recipe_options import with_recipe
from lookalike.cli.values import completion, share, threads_of
from lookalike.recipe import Recipe  # noqa: TC001 — the signature is read at run time
from lookalike.tables.wording import count, size, visible

__all__ = ["HELP", "index_build"]

HELP = examples(
    "Make a new index of documents.",
    "lookalike index build class.db essays/",
    "lookalike index build class.db essays/ -t 0.5 --keep shingles",
    "lookalike index build pages.db corpus.parquet --text-column text",
    last="It appears under its name when it is whole; what is interrupted leaves nothing. After kill -9, files "
    "INDEX.new-… are left, which the next build of INDEX removes. Its recipe and its threshold are fixed from then on.",
)

ThresholdOption = Annotated[
    str | None,
    typer.Option(
        "-t",
        "--threshold",
        metavar="T",
        help="Least similarity that is answered quickly; default 0.8.",
        show_default=False,
    ),
]
RecallOption = Annotated[
    str | None,
    typer.Option(
        "--recall", metavar="R", help="Share of the hits to find at least; default 0.999.", show_default=False
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
    bool, typer.Option("--secret", help="Draw a seed that nobody is shown, against texts made to collide.")
]


@with_recipe
@with_reading
def index_build(
    where: IndexArgument,
    paths: PathsArgument,
    *,
    reading: Reading,
    recipe: Recipe,
    threshold: ThresholdOption = None,
    recall: RecallOption = None,
    keep: KeepOption = None,
    secret: SecretOption = False,
    threads: ThreadsOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Read everything once, into an index."""
    from lookalike.index.building import build

    settings: dict[str, Any] = {
        "recipe": recipe,
        "threshold": None if threshold is None else share("--threshold", threshold),
        "recall": None if recall is None else share("--recall", recall),
        "keep": keep,
        "secret": secret,
        "threads": threads_of(threads),
    }
    source = reading.open(paths)

    def judge(read: int) -> None:
        say_read(source, read, quiet=quiet, verbose=verbose)

    with showing_progress(quiet=quiet) as report:
        made = build(where, source, progress=counting(report, source), judge=judge, **settings)
    about = f"{count(made.documents, 'document')}{skipped_words(source)} · {size(made.bytes)}"
    send(f"{visible(made.name)}: {about}\n", None)
