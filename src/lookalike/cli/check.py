"""`lookalike check FILE… --index INDEX`: which stored documents are like these?"""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli.checking import Asked, run_checks, with_asked
from lookalike.cli.help import examples
from lookalike.cli.reading import PathsArgument, Reading, with_reading

__all__ = ["HELP", "check"]

HELP = examples(
    "Tell which documents of an index are like a new one.",
    "lookalike check new.txt --index class.db",
    "lookalike check essay.pdf --index class.db --format json",
    "lookalike check new/ --index class.db -t 0.5 --top 3",
    "lookalike check new/ --index class.db --add",
    "cat new.jsonl | lookalike check - --index class.db --jsonl",
    last="lookalike index build makes an index. A document that is in the index under its own id is not its own hit. "
    "Similarity is not proof of copying: read the passages with lookalike compare.",
)

IndexOption = Annotated[
    str,
    typer.Option("--index", metavar="INDEX", help="A file, or postgresql://host/database#schema.", show_default=False),
]


@with_reading
@with_asked
def check(paths: PathsArgument, *, index: IndexOption, reading: Reading, asked: Asked) -> None:
    """Check documents, and print what they are like."""
    run_checks(index, paths, reading, asked)
