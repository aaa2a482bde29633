"""LaTeX: the text of a paper, without commands."""

from __future__ import annotations

import logging
import re
from itertools import groupby
from typing import TYPE_CHECKING, BinaryIO, Final

from lookalike.documents.extract.latex_pieces import pieces
from lookalike.documents.extract.plain import read_marked
from lookalike.documents.extract.writing import finished

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.documents.extract.model import Extracted

__all__ = ["latex_to_text", "read_latex"]

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
_LONGEST: Final = 1 << 21


def read_latex(file: BinaryIO, encoding: str) -> Extracted:
    """Read a LaTeX source."""
    return read_marked(file, encoding, latex_to_text)


def latex_to_text(source: str) -> Extracted:
    r"""Return the text of a LaTeX document; formulas stay as they are written, files that it includes are not read.

    >>> latex_to_text(r"\documentclass{article}\begin{document}One \emph{two}~\cite{x} % three\end{document}").text
    'One two'
    """
    if len(source) > _LONGEST:
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
    text = "".join(reader.latex_to_text(piece) + piece[len(piece.rstrip()) :] for piece in pieces(source))
    return finished("\n\n".join(_paragraphs(text)), hidden)


def _without(source: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> str:
    """Take out what stands between two marks; an opening one that is never closed is left, and all behind it."""
    kept: list[str] = []
    start = 0
    while (first := opening.search(source, start)) and (last := closing.search(source, first.end())):
        kept += [source[start : first.start()], " "]
        start = last.end()
    return "".join([*kept, source[start:]])


def _paragraphs(text: str) -> Iterator[str]:
    """Give the paragraphs, which blank lines part, each on one line."""
    lines = (line.strip(" \t") for line in text.split("\n"))
    for blank, group in groupby(lines, key=lambda line: not line):
        if not blank and (paragraph := " ".join(group).strip()):
            yield paragraph
