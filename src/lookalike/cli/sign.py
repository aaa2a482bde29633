"""`lookalike sign PATH… -o FILE`: the signatures of a shard."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli.commands import examples
from lookalike.cli.input import PathsArgument, Reading, say_skipped, with_reading
from lookalike.cli.messages import complain
from lookalike.cli.options import completion, share, whole_number
from lookalike.cli.output import (
    QuietOption,
    keep_sources,
)
from lookalike.cli.search_options import with_recipe
from lookalike.recipe import Recipe  # noqa: TC001 — the signature is read at run time
from lookalike.search.shards import KEEPS, sign_shard
from lookalike.tables.wording import count

__all__ = ["HELP", "sign"]

HELP = examples(
    "Write the signatures of a shard, to search it elsewhere with find.",
    "lookalike sign corpus.parquet -o part-1.sig",
    "lookalike sign corpus.parquet -o small.sig --keep signature",
    last="Give every shard the same options. Shingles are kept as hashes of 8 bytes each; with --keep signature the "
    "files are small, and find needs the texts (--texts).",
)

OutputOption = Annotated[
    str, typer.Option("-o", "--output", metavar="FILE", help="The file to write.", show_default=False)
]
ThresholdOption = Annotated[
    str, typer.Option("-t", "--threshold", metavar="T", help="Minimum similarity to find (default: 0.8).")
]
RecallOption = Annotated[
    str, typer.Option("--recall", metavar="R", help="Minimum share of the pairs ≥ T to find (default: 0.99).")
]
KeepOption = Annotated[
    str,
    typer.Option("--keep", metavar="WHAT", help="shingles (default) or signature.", autocompletion=completion(*KEEPS)),
]
ThreadsOption = Annotated[str, typer.Option("--threads", metavar="N", help="Threads (default: one per processor).")]


@with_recipe
@with_reading
def sign(
    paths: PathsArgument,
    *,
    output: OutputOption,
    reading: Reading,
    recipe: Recipe,
    threshold: ThresholdOption = "0.8",
    recall: RecallOption = "0.99",
    keep: KeepOption = "shingles",
    threads: ThreadsOption = "0",
    quiet: QuietOption = False,
) -> None:
    """Sign all documents and write the file."""
    keep_sources([output], paths)
    source = reading.open(paths)
    documents = sign_shard(
        source,
        output,
        threshold=share("--threshold", threshold),
        recall=share("--recall", recall),
        recipe=recipe,
        keep=keep,
        threads=whole_number("--threads", threads, least=0),
    )
    if not quiet:
        say_skipped(source.skipped())
        complain(f"{output}: {count(documents, 'document')} signed")
