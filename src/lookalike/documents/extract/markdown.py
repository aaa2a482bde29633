"""Markdown: the text, without its marks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO, Final

from lookalike.documents.extract.html import html_to_text
from lookalike.documents.extract.plain import read_marked
from lookalike.documents.extract.writing import finished

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it.token import Token

    from lookalike.documents.extract.model import Extracted

__all__ = ["markdown_to_text", "read_markdown"]

_FRONT: Final = re.compile(r"\A---[ \t]*\r?\n.*?\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_LONGEST: Final = 1 << 21
"""Longer ones are generated, and are read with their marks: parsing them would take minutes."""
_CELLS: Final = ("td_close", "th_close")


def read_markdown(file: BinaryIO, encoding: str) -> Extracted:
    """Read a text in Markdown."""
    return read_marked(file, encoding, markdown_to_text)


def markdown_to_text(source: str) -> Extracted:
    r"""Return the text of a Markdown document.

    >>> markdown_to_text("# One *two*\n\n- [three](https://example.org) `four`\n").text
    'One two\n\nthree four'
    """
    if len(source) > _LONGEST:
        return finished(source)
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table").enable("strikethrough")
    hidden: list[str] = []
    pieces = list(_pieces(parser.parse(_FRONT.sub("", source, count=1)), hidden))
    text = re.sub(r"\n{3,}", "\n\n", "".join(pieces)).strip()
    return finished(text, " ".join(hidden))


def _pieces(tokens: Sequence[Token], hidden: list[str]) -> Iterator[str]:
    quotes = 0
    for token in tokens:
        if token.type == "inline":
            text = "".join(_inline(token.children or []))
            yield "> " + text.replace("\n", "\n> ") if quotes else text  # a block quote is still seen to be one
        elif token.type == "blockquote_open":
            quotes += 1
        elif token.type in ("fence", "code_block"):
            yield token.content + "\n"
        elif token.type == "html_block":
            page = html_to_text(token.content)
            hidden += [flag.detail.rpartition(": ")[2] for flag in page.flags if flag.kind == "hidden text"]
            yield page.text + "\n\n"
        elif token.type in _CELLS:
            yield " "
        elif token.type == "tr_close":
            yield "\n"
        elif token.block and token.nesting == -1:
            quotes -= token.type == "blockquote_close"
            yield "\n\n"


def _inline(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            yield "\n"
        elif token.type == "image":
            yield from _inline(token.children or [])
        elif token.type != "html_inline":
            yield token.content
