"""`lookalike index query INDEX FILE…`: the same as `lookalike check`, with the index first."""

from __future__ import annotations

from lookalike.cli.checking import Asked, in_index, run_checks, with_asked
from lookalike.cli.help import examples
from lookalike.cli.index_options import IndexArgument  # noqa: TC001 — the signature is read at run time
from lookalike.cli.reading import PathsArgument, Reading, with_reading

__all__ = ["HELP", "index_query"]

HELP = examples(
    "Tell which stored documents are like others.",
    "lookalike index query class.db new.txt",
    "lookalike index query class.db new/ -t 0.5 --top 3 --format csv",
    last="The same as lookalike check, with the index first. Below the threshold of the index every signature is "
    "looked at, which takes longer.",
)


@with_reading
@with_asked
def index_query(where: IndexArgument, paths: PathsArgument, *, reading: Reading, asked: Asked) -> None:
    """Check documents, and print what they are like."""
    run_checks(in_index(where, asked), paths, reading, asked, where)
