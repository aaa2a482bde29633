"""LaTeX: the text of a paper, without commands."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, BinaryIO, Final

from lookalike.documents.extract.plain import read_marked
from lookalike.documents.extract.writing import finished

if TYPE_CHECKING:
    from lookalike.documents.extract.model import Extracted

__all__ = ["latex_to_text", "read_latex"]

_BODY: Final = re.compile(r"\\begin\s*\{document\}")
_END: Final = re.compile(r"\\end\s*\{document\}")
_DEAD: Final = re.compile(r"\\iffalse\b.*?\\fi\b|\\begin\{comment\}.*?\\end\{comment\}", re.DOTALL)
_HIDDEN: Final = re.compile(r"\\(?:phantom|hphantom|vphantom)\{([^{}]*)\}|\\textcolor\{white\}\{([^{}]*)\}")
_REFERENCES: Final = re.compile(
    r"\\(?:cite|citep|citet|autocite|parencite|ref|eqref|label|includegraphics|vspace|hspace)\*?"
    r"(?:\[[^\[\]]*\]){0,2}\{[^{}]*\}"
)
_BLANK_LINES: Final = re.compile(r"[ \t]*\n(?:[ \t]*\n)+")
_LINE_END: Final = re.compile(r"[ \t]*\n[ \t]*")
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
    source = _DEAD.sub(" ", source)
    hidden = " ".join(one or other for one, other in _HIDDEN.findall(source))
    source = _REFERENCES.sub("", _HIDDEN.sub(" ", source))
    text = LatexNodes2Text(math_mode="verbatim", strict_latex_spaces="based-on-source").latex_to_text(source)
    paragraphs = (_LINE_END.sub(" ", part).strip() for part in _BLANK_LINES.split(text))
    return finished("\n\n".join(part for part in paragraphs if part), hidden)
