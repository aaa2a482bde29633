"""`lookalike sign PATH… -o FILE` and `lookalike find PART…`: shards, signed apart and searched together."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.commands import examples
from lookalike.cli.input import PathsArgument, Reading, check_read, say_notes, say_skipped, with_reading
from lookalike.cli.messages import complain
from lookalike.cli.options import completion, share, whole_number
from lookalike.cli.output import Color, ColorOption, OutputOption, QuietOption, RawCsvOption, check_ending, keep_sources
from lookalike.cli.running import Attempts, keep_search
from lookalike.cli.scan import (
    FormatOption,  # noqa: TC001 — the signature is read at run time
    SaveOption,  # noqa: TC001 — the signature is read at run time
    TopOption,  # noqa: TC001 — the signature is read at run time
)
from lookalike.cli.scan_output import Display, Hint, show
from lookalike.cli.search_options import with_recipe
from lookalike.errors import DocumentError
from lookalike.recipe import Recipe  # noqa: TC001 — the signature is read at run time
from lookalike.search.shards import KEEPS, find_shards, sign_shard
from lookalike.tables.spelling import count

__all__ = ["FIND_HELP", "SIGN_HELP", "find", "sign"]

SIGN_HELP = examples(
    "Write the signatures of a shard, to search it elsewhere with find.",
    "lookalike sign corpus.parquet -o part-1.sig",
    "lookalike sign corpus.parquet -o small.sig --keep signature",
    last="Give every shard the same options. Shingles are kept as hashes of 8 bytes each; with --keep signature the "
    "files are small, and find needs the texts (--texts).",
)

SignaturesOption = Annotated[
    str, typer.Option("-o", "--output", metavar="FILE", help="The file to write.", show_default=False)
]
LeastOption = Annotated[
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
    output: SignaturesOption,
    reading: Reading,
    recipe: Recipe,
    threshold: LeastOption = "0.8",
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


FIND_HELP = examples(
    "Find near-duplicate documents across signed shards.",
    "lookalike find part-1.sig part-2.sig",
    "lookalike find part-1.sig part-2.sig --save run.lookalike",
    "lookalike find small.sig --texts corpus.parquet --format json",
    last="The pairs, their exact scores and the clusters are those of one scan of all shards. lookalike dedupe "
    "--result run.lookalike writes what is kept.",
)

PartsArgument = Annotated[
    list[str], typer.Argument(metavar="PART", help="Files written by lookalike sign.", show_default=False)
]
ThresholdOption = Annotated[
    str | None,
    typer.Option(
        "-t", "--threshold", metavar="T", help="Minimum similarity, not below that of the shards (the default)."
    ),
]
TextsOption = Annotated[
    list[str] | None,
    typer.Option("--texts", metavar="PATH", help="The documents of the shards, in their order; repeatable."),
]
NamesOption = Annotated[bool, typer.Option("--names", help="Prefix each id with the name of its part: part-1:7.")]


def _check_part(path: str) -> None:
    """Refuse a folder: who searches one means `scan`."""
    if Path(path).is_dir():
        remedy = "give files that lookalike sign wrote, or search the folder with lookalike scan"
        raise DocumentError(path, "file", "is a directory", remedy)


@with_reading
def find(
    parts: PartsArgument,
    *,
    reading: Reading,
    threshold: ThresholdOption = None,
    texts: TextsOption = None,
    names: NamesOption = False,
    threads: ThreadsOption = "0",
    top: TopOption = None,
    format: FormatOption = None,  # noqa: A002 — the option's name
    output: OutputOption = None,
    raw_csv: RawCsvOption = False,
    save: SaveOption = None,
    color: ColorOption = Color.AUTO,
    quiet: QuietOption = False,
) -> None:
    """Combine shards and print what was found."""
    shown = Display.chosen(format, output, top, color, False, raw_csv)
    check_read(reading, "--texts", reads=bool(texts))
    for part in parts:
        _check_part(part)
    keep_sources([output, save], [*parts, *(texts or ())])
    check_ending(save, "saved")
    result = find_shards(
        parts,
        None if threshold is None else share("--threshold", threshold),
        texts=reading.open(texts) if texts else None,
        names=names,
        threads=whole_number("--threads", threads, least=0),
    )
    if not quiet:
        say_notes(result.notes)
    attempts = Attempts()
    saved = attempts.each({} if save is None else {save: partial(result.save, save)})
    attempts.each({output or "-": partial(show, result, shown, Hint(), quiet=quiet)})
    attempts.finish(partial(keep_search, result, work=None, saved=next(iter(saved), None)))
