"""Texts that make a careless program go back again and again, and the patterns to try them on."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import lookalike
from lookalike.text import excluded

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LONG", "SHAPES", "Use", "built_in_patterns", "repeated"]

LONG: Final = 1_000_000

_CUT_OFF: Final = {"_HIDING": 10_000, "_WHITE": 10_000, "_BACKGROUND": 10_000, "_CHARSET": 4096, "_PAGE_NUMBER": 80}
"""Patterns that are given no more characters than this: the code sees to it."""
_AT_START: Final = ("_BLANK", "_formula")
"""Patterns that are tried at one place only."""

PACKAGE: Final = Path(lookalike.__file__).parent

# What stands before, what is repeated, what stands behind.
_SHAPES: Final[dict[str, tuple[str, str, str]]] = {
    "blanks": ("", " ", "x"),
    "tabs behind a word": ("x", "\t", "x"),
    "newlines": ("", "\n", "x"),
    "carriage returns": ("\n", "\r", "x"),
    "blank lines": ("x", "\n \t", "x"),
    "quotation marks": ("", '"', ""),
    "opening marks": ("", ' "a', ""),
    "curly marks": ("", "“", ""),
    "curly marks in paragraphs": ("", "“\n\n", ""),
    "marks of all kinds": ("", "“„«「", ""),
    "backticks": ("", "``a ", ""),
    "block quotes": ("", "> ", ""),
    "lines of quotes": ("", ">\n", "x"),
    "headings": ("", "References\n", ""),
    "heading, then blanks": ("References\n", " ", "x"),
    "heading with blanks": ("References", " ", "x"),
    "heading with stars": ("**References", " *", "x"),
    "number, then blanks": ("12.", " ", "x"),
    "hash, then blanks": ("#", " ", "x"),
    "many headings with blanks": ("", "References" + " " * 500 + "x\n", ""),
    "appendix with blanks": ("References\nAppendix", " ", "x" * 100),
    "appendix with dots": ("References\nAppendix", ".", "x" * 100),
    "appendix, a word, blanks": ("References\nAppendix x", " ", "y"),
    "years": ("References\n", "1900 ", ""),
    "numbers": ("References\n", "[1", ""),
    "pages": ("References\n", "pp. ", ""),
    "digits": ("", "1", "x"),
    "zeros": ("opacity:", "0", "x"),
    "hexadecimal": ("", "0a" * 199 + "x", ""),
    "roman numbers": ("", "iv", "_"),
    "letters": ("", "a", ""),
    "words": ("", "word ", ""),
    "invisible characters": ("a", "\u200b", " "),
    "two alphabets": ("", "aа", ""),
    "overrides": ("", "\u202ea\u202c ", ""),
    "overrides and marks of direction": ("", "\u202ea\u202c\u200e", ""),
    "overrides and numbers": ("", "\u202ea\u202c1 ", "x"),
    "overrides and isolates": ("", "\u202ea\u202c\u2066 \u2069\u202d1\u202c", ""),
    "marks under an override": ("\u202ea", "\u0301", ""),
    "open overrides": ("", "\u202e\u202d", "a"),
    "marked vowels": ("", "a\u0323", "x"),
    "brackets": ("", "[", ""),
    "closed brackets": ("", "[]", ""),
    "links": ("", "[a](", ""),
    "braces": ("", "{", ""),
    "closing braces": ("", "}", ""),
    "rules": ("", "a{", ""),
    "long selectors": ("", "a" * 300 + "{" + "b" * 1000, ""),
    "at rules": ("", "@a;", ""),
    "media": ("", "@media {", ""),
    "backslashes": ("", "\\", "x"),
    "dollar signs": ("", "$", ""),
    "asterisks": ("", "*", "x"),
    "emphasis": ("", "*a_ ", ""),
    "hash marks": ("", "#", "x"),
    "pipes": ("a", "|", ""),
    "declarations": ("", "<!", ""),
    "comments": ("", "<!--", ""),
    "tags": ("x ", "<a ", ""),
    "meta tags": ("", "<meta ", ""),
    "ampersands": ("", "&#", ""),
    "sections": ("", "\\section{", ""),
    "subsections": ("\\", "sub", "x"),
    "unclosed environments": ("", "\\begin{a}", ""),
    "unclosed comments": ("", "\\begin{comment}", ""),
    "dead code": ("", "\\iffalse ", ""),
    "begin with blanks": ("", "\\begin" + " " * 500, ""),
    "citations": ("", "\\cite[", ""),
    "phantoms": ("", "\\phantom{", ""),
    "front matter": ("---\n", "\n---x", ""),
    "front matter with blanks": ("---\n\n---", " ", "x"),
    "objects": ("", "} ", "x"),
    "percent signs": ("", "%", ""),
}
SHAPES: Final = tuple(_SHAPES)


def repeated(shape: str, size: int = LONG) -> str:
    """Return about `size` characters of a shape."""
    before, unit, behind = _SHAPES[shape]
    return before + unit * (size // len(unit)) + behind


class Use(NamedTuple):
    """A pattern, how it is used, and the most that it is used on."""

    pattern: re.Pattern[str] | re.Pattern[bytes]
    how: str = "finditer"
    most: int = LONG

    def __call__(self, text: str) -> None:
        """Try the pattern."""
        given: Any = text[: self.most]
        if isinstance(self.pattern.pattern, bytes):
            given = given.encode()
        if self.how == "finditer":
            for _ in self.pattern.finditer(given):
                pass
        else:
            getattr(self.pattern, self.how)(given)


def built_in_patterns() -> dict[str, Use]:
    """Return every pattern of the package by its place."""
    found: dict[str, Use] = {}
    for pattern in (excluded._MARKS, excluded._PARAGRAPH, excluded._BLOCK, excluded._IN_REFERENCES):
        found[pattern] = Use(re.compile(pattern))
    found[excluded._NEXT_OPENS] = Use(re.compile(excluded._NEXT_OPENS), "match")
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(("lookalike", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
        source = path.read_text(encoding="utf-8")
        if "re." in source and not module.startswith(("lookalike.experiments", "lookalike.__main__")):
            found |= _of_module(module) | _of_calls(module, source)
    return found


def _of_module(name: str) -> dict[str, Use]:
    """Patterns that a module compiles when it is loaded, or when a function without arguments asks for one."""
    found: dict[str, Use] = {}
    for own, value in vars(import_module(name)).items():
        for one in _flat(value):
            if isinstance(one, re.Pattern):
                how = "match" if own in _AT_START else "finditer"
                found[f"{name}.{own} {one.pattern[:40]!r}"] = Use(one, how, _CUT_OFF.get(own, LONG))
    return found


def _flat(value: object) -> Iterator[object]:
    if isinstance(value, tuple):
        for one in value:
            yield from _flat(one)
    elif callable(value) and getattr(value, "__annotations__", None) == {"return": "re.Pattern[str]"}:
        yield value()
    else:
        yield value


def _of_calls(name: str, source: str) -> dict[str, Use]:
    """Patterns that are written out in a call such as ``re.sub("a+", …)``."""
    found: dict[str, Use] = {}
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and isinstance(first := node.args[0], ast.Constant)
            and node.func.attr != "compile"
        ):
            how = node.func.attr if node.func.attr in ("match", "fullmatch") else "finditer"
            found[f"{name} {first.value!r}"] = Use(re.compile(str(first.value)), how)
    return found
