"""`lookalike check FILE… --index INDEX`, or `--server URL`: which stored documents are like these?"""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli.checking import Asked, in_index, run_checks, with_asked
from lookalike.cli.help import examples
from lookalike.cli.reading import PathsArgument, Reading, with_reading
from lookalike.errors import LookalikeError

__all__ = ["HELP", "check"]

HELP = examples(
    "Tell which documents of an index are like a new one.",
    "lookalike check new.txt --index class.db",
    "lookalike check essay.pdf --index class.db --format json",
    "lookalike check new/ --index class.db -t 0.5 --top 3",
    "lookalike check new/ --index class.db --add",
    "cat new.jsonl | lookalike check - --index class.db --jsonl",
    "lookalike check new.txt --server http://localhost:8765",
    last="lookalike index build makes an index, and lookalike serve puts it on a server. A document that is in the "
    "index under its own id is not its own hit. Similarity is not proof of copying: read the passages with lookalike "
    "compare.",
)

IndexOption = Annotated[
    str | None,
    typer.Option("--index", metavar="INDEX", help="A file, or postgresql://host/database#schema.", show_default=False),
]
ServerOption = Annotated[
    str | None,
    typer.Option("--server", metavar="URL", help="The address of lookalike serve.", show_default=False),
]
TokenOption = Annotated[
    str | None,
    typer.Option(
        "--token-file",
        metavar="FILE",
        help="The token of the server, in a file; default: LOOKALIKE_TOKEN in the environment.",
        show_default=False,
    ),
]


@with_reading
@with_asked
def check(
    paths: PathsArgument,
    *,
    index: IndexOption = None,
    server: ServerOption = None,
    token_file: TokenOption = None,
    reading: Reading,
    asked: Asked,
) -> None:
    """Check documents, and print what they are like."""
    if index is not None and server is not None:
        raise LookalikeError("give --index or --server, not both")
    if index is not None:
        if token_file is not None:
            raise LookalikeError("--token-file is for --server: an index needs none")
        run_checks(in_index(index, asked), paths, reading, asked, index)
    elif server is not None:
        from lookalike.cli.check_server import on_server

        run_checks(on_server(server, token_file, writes=asked.add), paths, reading, asked)
    else:
        raise LookalikeError("give the index with --index INDEX, or a server with --server URL")
