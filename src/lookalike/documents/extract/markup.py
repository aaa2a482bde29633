"""Markdown, LaTeX, Rich Text, Jupyter notebooks and electronic books: their text, without mark-up."""

from __future__ import annotations

import json
import logging
import posixpath
import re
from bisect import bisect_left, bisect_right
from io import BytesIO
from itertools import groupby
from typing import TYPE_CHECKING, Any, BinaryIO, Final
from urllib.parse import unquote

from lookalike.documents.document_batches import HIDDEN, Extracted, Flag, RefusedError
from lookalike.documents.extract import LARGEST_TEXT
from lookalike.documents.extract.clean_text import TextWriter, finished, read_marked
from lookalike.documents.extract.html_mail import html_pieces, read_html
from lookalike.documents.extract.packages import Handler, Package, parse_xml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from markdown_it.token import Token

__all__ = [
    "latex_pieces",
    "latex_to_text",
    "markdown_to_text",
    "notebook_to_text",
    "read_epub",
    "read_latex",
    "read_markdown",
    "read_notebook",
    "read_rtf",
]


# -- Markdown ----------------------------------------------------------------------------------------------------------

_FRONT: Final = re.compile(r"\A---[ \t]*\r?\n.*?\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_LONGEST_MARKDOWN: Final = 1 << 21
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
    if len(source) > _LONGEST_MARKDOWN:
        return finished(source)
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table").enable("strikethrough")
    hidden: list[str] = []
    pieces = list(_block_pieces(parser.parse(_FRONT.sub("", source, count=1)), hidden))
    text = re.sub(r"\n{3,}", "\n\n", "".join(pieces)).strip()
    return finished(text, " ".join(hidden))


def _block_pieces(tokens: Sequence[Token], hidden: list[str]) -> Iterator[str]:
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
            seen, unseen = html_pieces(token.content)
            hidden += [unseen] if unseen else []
            yield seen + "\n\n"
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


# -- LaTeX -------------------------------------------------------------------------------------------------------------

_BODY: Final = re.compile(r"\\begin\s*\{document\}")
_END: Final = re.compile(r"\\end\s*\{document\}")
_DEAD: Final = (
    (re.compile(r"\\iffalse\b"), re.compile(r"\\fi\b")),
    (re.compile(r"\\begin\{comment\}"), re.compile(r"\\end\{comment\}")),
)
_HIDDEN: Final = re.compile(r"\\(?:phantom|hphantom|vphantom)\{([^{}]*)\}|\\textcolor\{white\}\{([^{}]*)\}")
_REFERENCES: Final = re.compile(
    r"\\(?:cite|citep|citet|autocite|parencite|ref|eqref|label|includegraphics|vspace|hspace)\*?"
    r"(?:\[[^\[\]]*\]){0,2}\{[^{}]*\}"
)
_LONGEST_LATEX: Final = 1 << 21


def read_latex(file: BinaryIO, encoding: str) -> Extracted:
    """Read a LaTeX source."""
    return read_marked(file, encoding, latex_to_text)


def latex_to_text(source: str) -> Extracted:
    r"""Return the text of a LaTeX document; formulas stay as they are written, files that it includes are not read.

    >>> latex_to_text(r"\documentclass{article}\begin{document}One \emph{two}~\cite{x} % three\end{document}").text
    'One two'
    """
    if len(source) > _LONGEST_LATEX:
        return finished(source)
    from pylatexenc.latex2text import LatexNodes2Text

    logging.getLogger("pylatexenc").setLevel(logging.CRITICAL)
    if (begin := _BODY.search(source)) is not None:
        source = source[begin.end() :]
        if (end := _END.search(source)) is not None:
            source = source[: end.start()]
    for opening, closing in _DEAD:
        source = _without(source, opening, closing)
    hidden = " ".join(one or other for one, other in _HIDDEN.findall(source))
    source = _REFERENCES.sub("", _HIDDEN.sub(" ", source))
    reader = LatexNodes2Text(math_mode="verbatim", strict_latex_spaces="based-on-source")
    # The parser drops white space at the end.
    text = "".join(reader.latex_to_text(piece) + piece[len(piece.rstrip()) :] for piece in latex_pieces(source))
    return finished("\n\n".join(_paragraphs(text)), hidden)


def _without(source: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> str:
    """Remove what is between two marks; an opening one that is never closed stays, with all after it."""
    kept: list[str] = []
    start = 0
    while (first := opening.search(source, start)) and (last := closing.search(source, first.end())):
        kept += [source[start : first.start()], " "]
        start = last.end()
    return "".join([*kept, source[start:]])


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs, which blank lines part, each on one line."""
    lines = (line.strip(" \t") for line in text.split("\n"))
    for blank, group in groupby(lines, key=lambda line: not line):
        if not blank and (paragraph := " ".join(group).strip()):
            yield paragraph


# -- a long LaTeX source in pieces -------------------------------------------------------------------------------------

LEAST_PIECE: Final = 1 << 14
"""Characters after which a source is cut at the next good place: between paragraphs, outside all braces."""
MOST_PIECE: Final = 1 << 16
"""Characters after which it is cut anywhere."""

_MARK: Final = re.compile(r"\\(?:begin|end)(?![a-zA-Z])|\\.|%[^\n]*+|[{}]|\n[ \t\r]*+\n", re.DOTALL)


def latex_pieces(source: str, least: int = LEAST_PIECE, most: int = MOST_PIECE) -> Iterator[str]:
    r"""Cut a source between paragraphs where no group or environment is open, if there is such a place.

    >>> list(latex_pieces("one {\n\n two}\n\nthree\n\nfour", 6, 20))
    ['one {\n\n two}\n\n', 'three\n\n', 'four']
    """
    good, blank = _places(source) if len(source) > least else ([], [])
    start = 0
    while len(source) - start > least:
        end = _end(source, start, good, blank, least, most)
        yield source[start:end]
        start = end
    yield source[start:]


def _end(source: str, start: int, good: list[int], blank: list[int], least: int, most: int) -> int:
    """Return where to cut: at a good place, else after a blank line, a line, a blank, or anywhere."""
    last = start + most
    if (at := bisect_left(good, start + least)) < len(good) and good[at] <= last:
        return good[at]
    if last >= len(source):
        return len(source)
    if (at := bisect_right(blank, last)) and blank[at - 1] > start:
        return blank[at - 1]
    return source.rfind("\n", start, last) + 1 or source.rfind(" ", start, last) + 1 or last


def _places(source: str) -> tuple[list[int], list[int]]:
    """Return the ends of blank lines that are outside all braces and environments, and of all of them."""
    good: list[int] = []
    blank: list[int] = []
    depth = environments = 0
    for found in _MARK.finditer(source):
        mark = found[0]
        if mark[0] == "\n":
            blank.append(found.end())
            if not depth and not environments:
                good.append(found.end())
        elif mark == "{":
            depth += 1
        elif mark == "}":
            depth = max(0, depth - 1)
        elif mark == r"\begin":
            environments += 1
        elif mark == r"\end":
            environments = max(0, environments - 1)
    return good, blank


# -- Jupyter notebooks -------------------------------------------------------------------------------------------------


def read_notebook(file: BinaryIO, encoding: str) -> Extracted:
    """Read a notebook."""
    return read_marked(file, encoding, notebook_to_text)


def notebook_to_text(source: str) -> Extracted:
    r"""Return the cells of a notebook, with an empty line between two; what is not code is a comment, as in a script.

    >>> cells = [{"cell_type": "markdown", "source": ["# Title\n", "text"]}, {"cell_type": "code", "source": "x = 1"}]
    >>> notebook_to_text(json.dumps({"nbformat": 4, "cells": cells})).text
    '# # Title\n# text\n\nx = 1'
    """
    try:
        notebook = json.loads(source)
    except json.JSONDecodeError as error:
        raise RefusedError("damaged", f"it is not a notebook: line {error.lineno} is not JSON") from None
    texts = (text for cell in _cells(notebook) if (text := _text(cell).strip("\n")).strip())
    return finished("\n\n".join(texts))


def _cells(notebook: Any) -> Iterator[dict[str, Any]]:
    """Yield the cells; before version 4 they were in worksheets."""
    if not isinstance(notebook, dict) or not ({"cells", "worksheets"} & notebook.keys()):
        raise RefusedError("damaged", "it is not a notebook: it has no cells")
    for sheet in [notebook, *_list(notebook.get("worksheets"))]:
        if isinstance(sheet, dict):
            yield from (cell for cell in _list(sheet.get("cells")) if isinstance(cell, dict))


def _text(cell: dict[str, Any]) -> str:
    source = cell.get("source", cell.get("input", ""))
    text = source if isinstance(source, str) else "".join(line for line in _list(source) if isinstance(line, str))
    if cell.get("cell_type") == "code":
        return text
    return "\n".join(f"# {line}".rstrip() for line in text.strip().splitlines())


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


# -- Rich Text ---------------------------------------------------------------------------------------------------------

# Pictures are long runs of hex digits: they are not text, and would be read letter by letter.
_HEX: Final = re.compile(r"[0-9a-fA-F\r\n]{400,}")
_TOKEN: Final = re.compile(r"\\([a-z]{1,32})(-?\d{1,10})?[ ]?|\\'[0-9a-fA-F]{2}|\\.|[{}]|[^\\{}]+", re.DOTALL)
_TABLE_ROW: Final = re.compile(r"(?<=\S)\|+")


def read_rtf(file: BinaryIO, encoding: str) -> Extracted:
    """Read a document in Rich Text Format; it says itself which code page it uses."""
    data = file.read()
    if not data.lstrip().startswith(b"{\\rtf"):
        raise RefusedError("damaged", "it is not an RTF document, despite its name")
    codec = "cp1252" if encoding == "auto" else encoding
    visible, hidden = _parted(_HEX.sub("", data.decode("latin-1")))
    writer = TextWriter()
    writer.add(_TABLE_ROW.sub(" ", _to_text(visible, codec)))
    if hidden:
        writer.add(_to_text("{\\rtf1 " + hidden + "}", codec), hidden=True)
    return writer.extracted()


def _to_text(source: str, codec: str) -> str:
    from striprtf.striprtf import rtf_to_text

    return str(rtf_to_text(source, encoding=codec, errors="replace"))  # type: ignore[no-untyped-call]


def _parted(source: str) -> tuple[str, str]:
    r"""Cut out what is hidden (``\v`` until ``\v0``, ``\plain`` or the end of the group)."""
    if "\\v" not in source:
        return source, ""
    seen: list[str] = []
    hidden: list[str] = []
    stack: list[bool] = []
    hiding = False
    for token in _TOKEN.finditer(source):
        text, word = token[0], token[1]
        if text == "{":
            stack.append(hiding)
        elif text == "}":
            hiding = stack.pop() if stack else False
        elif word in ("v", "plain"):
            hiding = word == "v" and token[2] != "0"
        control = word is not None or text in "{}"
        if hiding and (not control or word == "u"):
            hidden.append(text)
        else:
            seen.append(text)
    return "".join(seen), "".join(hidden)


# -- electronic books --------------------------------------------------------------------------------------------------

_PAGES: Final = ("application/xhtml+xml", "text/html")


class _Container(Handler):
    def __init__(self) -> None:
        self.book = ""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "rootfile" and not self.book:
            self.book = attributes.get("full-path", "")


class _Book(Handler):
    """The files of a book, and the order in which they are read."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.order: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "item" and attributes.get("media-type") in _PAGES and attributes.get("properties") != "nav":
            self.files[attributes.get("id", "")] = unquote(attributes.get("href", ""))
        elif name == "itemref":
            self.order.append(attributes.get("idref", ""))


class _Locked(Handler):
    def __init__(self) -> None:
        self.names: set[str] = set()

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "CipherReference":
            self.names.add(unquote(attributes.get("URI", "")))


def read_epub(file: BinaryIO, encoding: str) -> Extracted:
    """Read a book without its table of contents."""
    package = Package(file)
    container = _Container()
    parse_xml(package.blocks("META-INF/container.xml"), container, "META-INF/container.xml")
    book = _Book()
    parse_xml(package.blocks(container.book), book, container.book)
    locked = _Locked()
    if "META-INF/encryption.xml" in package:
        parse_xml(package.blocks("META-INF/encryption.xml"), locked, "META-INF/encryption.xml")
    texts: list[str] = []
    flags: list[Flag] = []
    size = 0
    for reference in dict.fromkeys(book.order):
        name = posixpath.normpath(posixpath.join(posixpath.dirname(container.book), book.files.get(reference, "")))
        if reference not in book.files or name not in package:
            continue
        if name in locked.names:
            raise RefusedError("encrypted", "the book is protected against copying")
        chapter = read_html(BytesIO(package.part(name)), encoding)
        size += len(chapter.text)
        if size > LARGEST_TEXT:
            raise RefusedError("too large", f"its text is longer than {LARGEST_TEXT >> 20} MiB")
        texts.append(chapter.text)
        flags += chapter.flags
    return Extracted("\n\n".join(text for text in texts if text), _together(flags))


def _together(flags: list[Flag]) -> tuple[Flag, ...]:
    """Return the flags of all chapters, one of each kind."""
    kinds: dict[str, list[Flag]] = {}
    for flag in flags:
        kinds.setdefault(flag.kind, []).append(flag)
    found: list[Flag] = []
    for kind, same in kinds.items():
        count = sum(flag.count for flag in same)
        what = "words are hidden" if kind == HIDDEN else f"words with {kind}"
        detail = same[0].detail if len(same) == 1 else f"{count} {what}; the first: {same[0].detail}"
        found.append(Flag(kind, detail, count))
    return tuple(found)
