"""Source code as tokens: what is a comment, a string, a number, a word or a sign in any language (docs/format.md §2.2).

Written with regular expressions, one for each rule, and tried in the order of the rules at every place. It is not
quick: an end that is not there is looked for again and again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from lookalike._native import char_properties

__all__ = ["Token", "code_units", "tokens"]

KEYWORDS: Final = frozenset(
    """
    and assert async await bool boolean break byte case catch char class continue def default delete do double
    elif else elseif elsif enum except extends finally float for foreach function global goto if impl implements
    instanceof int interface lambda long namespace new not or procedure raise return short signed sizeof struct
    switch then throw throws trait try typedef typeof union unless unsigned until void while with xor yield
    """.split()  # noqa: SIM905 - one word after the other is easier to read
)
MODIFIERS: Final = frozenset(
    """
    auto const export extern final inline let mut override private protected pub public readonly register static
    var virtual volatile
    """.split()  # noqa: SIM905 - one word after the other is easier to read
)
IMPORTS: Final = frozenset(["from", "import", "include", "package", "require", "use", "using"])
BLOCKS: Final = frozenset(["async", "def", "elif", "else", "except", "finally", "for", "if", "try", "while", "with"])
LONGEST_IMPORT: Final = 256
EXCLUDED: Final = "\ufdd0"
"""Stands for each character of excluded text."""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of source code, with its place."""

    kind: str
    """comment, text, number, keyword, name or sign."""
    counts: bool
    start: int
    end: int


# -- characters ------------------------------------------------------------------------------------------------------


@cache
def _is_space(char: str) -> bool:
    return char_properties(ord(char)).white_space


def _is_name(char: str) -> bool:
    if char.isascii():
        return char.isalnum() or char in {"_", "$"}
    return not _is_space(char) and char != EXCLUDED


def _begins_name(char: str) -> bool:
    return char != "" and _is_name(char) and char not in "0123456789"


def _name_end(text: str, start: int) -> int:
    while start < len(text) and _is_name(text[start]):
        start += 1
    return start


def _line_end(text: str, start: int) -> int:
    while start < len(text) and text[start] not in "\n\r":
        start += 1
    return start


def _is_first(text: str, start: int) -> bool:
    """Return whether only white space precedes in the line."""
    while start > 0 and text[start - 1] not in "\n\r":
        start -= 1
        if not _is_space(text[start]):
            return False
    return True


def _divides(text: str) -> bool:
    """Return whether some line begins a block as in Python: there, `//` is a division."""
    for line in re.split(r"[\n\r]", text):
        bare = "".join(" " if _is_space(char) else char for char in line).strip(" ")
        if bare.endswith(":") and bare[: _name_end(bare, 0)] in BLOCKS:
            return True
    return False


# -- the rules -------------------------------------------------------------------------------------------------------

_TRIPLE: Final = re.compile(r'"""[\s\S]*?"""' + r"|'''[\s\S]*?'''")
_DOUBLE: Final = re.compile(r'"(?:[^"\\\n\r]|\\[^\n\r]|\\(?=[\n\r]|\Z))*"?')
_SINGLE: Final = re.compile(r"'(?:[^'\\\n\r]|\\[^\n\r]|\\(?=[\n\r]))*'")
_BACKTICK: Final = re.compile(r"`(?:[^`\\]|\\[\s\S])*`")
_RAW: Final = re.compile(r'(#{1,8})"[\s\S]*?"\1')
_PREFIX: Final = re.compile(r"(?:br|b|fr|f|l|rb|rf|r|ur|u8|u)(?=[\"'#])", re.IGNORECASE | re.ASCII)
_NUMBER: Final = re.compile(r"[0-9]")
_FAR_COMMENTS: Final = (("/*", "*/"), ("<!--", "-->"))
_BRACKETED: Final = (("--[[", "]]"),)


def _enclosed(text: str, start: int, marks: tuple[tuple[str, str], ...]) -> int | None:
    """Return where what begins here with an opening mark ends, after its closing mark; None if there is none."""
    for opening, closing in marks:
        if text.startswith(opening, start) and (end := text.find(closing, start + len(opening))) >= 0:
            return end + len(closing)
    return None


def _comment(text: str, start: int, divides: bool) -> int | None:
    before = text[start - 1] if start else ""
    spaced = before == "" or _is_space(before)
    end = _enclosed(text, start, (*_FAR_COMMENTS, *(_BRACKETED if spaced else ())))
    if end is not None:
        return end
    after = text[start + 1 : start + 2]
    rest = text[start : start + 4]
    if (
        (rest.startswith("//") and before != ":" and (not divides or _is_first(text, start)))
        or (rest[0] == "#" and (spaced or before in ")]};\"'"))
        or (
            rest.startswith("--")
            and rest != "--[["
            and spaced
            and (len(rest) == 2 or rest[2] == "-" or _is_space(rest[2]))
        )
        or (rest[0] == "%" and _is_first(text, start))
        or (rest[0] == ";" and after != "" and after in " \t;" and _is_first(text, start))
    ):
        return _line_end(text, start)
    return None


def _string(text: str, start: int, quote: int) -> tuple[str, int] | None:
    """Return the kind and the end of a string whose first quote is at `quote`, with a prefix from `start` on."""
    if found := _TRIPLE.match(text, quote):
        return "comment" if _is_first(text, start) else "text", found.end()
    if found := _RAW.match(text, quote) if start < quote else None:
        return "text", found.end()
    if text[quote] == "'":
        before = text[quote - 1] if quote else ""
        if start == quote and before != "" and _is_name(before):
            return None
        name_end = _name_end(text, quote + 1)
        lifetime = before in {"&", "<"} and _begins_name(text[quote + 1 : quote + 2])
        if lifetime and text[name_end : name_end + 1] != "'":
            return None
    found = _DOUBLE.match(text, quote) or _SINGLE.match(text, quote) or _BACKTICK.match(text, quote)
    return ("text", found.end()) if found else None


def _number_end(text: str, start: int) -> int:
    hexadecimal = text[start : start + 2] in {"0x", "0X"}
    end = start
    while end < len(text):
        char, digit_follows = text[end], _NUMBER.match(text, end + 1) is not None
        exponent = not hexadecimal and end > start and text[end - 1] in "eE" and digit_follows
        if not (_is_name(char) or (char == "." and digit_follows) or (char in "+-" and exponent)):
            break
        end += 1
    return end


def _is_one_of(words: frozenset[str], word: str) -> bool:
    upper = word.isascii() and word.isalpha() and word.isupper()
    return (word.lower() if upper else word) in words


def _next(text: str, start: int, divides: bool) -> Token:
    """Return the token that begins at a place, which is no white space."""
    prefix = _PREFIX.match(text, start)
    whole_prefix = prefix is not None and _name_end(text, start) == prefix.end()
    quote = prefix.end() if prefix and whole_prefix else start
    quoted = text[quote] in "\"'`" or (quote > start and text[quote] == "#")
    if quoted and (found := _string(text, start, quote)):
        return Token(found[0], found[0] == "text", start, found[1])
    if _NUMBER.match(text, start):
        return Token("number", True, start, _number_end(text, start))
    if _is_name(text[start]):
        word = text[start : _name_end(text, start)]
        modifier = _is_one_of(MODIFIERS, word)
        kind = "keyword" if modifier or _is_one_of(KEYWORDS, word) else "name"
        return Token(kind, not modifier, start, start + len(word))
    if (end := _comment(text, start, divides)) is not None:
        return Token("comment", False, start, end)
    return Token("sign", text[start] not in ";{}", start, start + 1)


# -- imports ---------------------------------------------------------------------------------------------------------


def _begins_import(text: str, token: Token) -> bool:
    word = text[token.start : token.end]
    if token.kind != "name" or word not in IMPORTS or not _is_first(text, token.start):
        return False
    line = text[token.end : _line_end(text, token.end)]
    if word == "from":
        return "import" in "".join(" " if _is_space(char) else char for char in line).split(" ")
    follows = line.lstrip(" \t")[:1]
    return _begins_name(follows) or (follows != "" and follows in "\"'{*<") or (word == "import" and follows == "(")


def tokens(text: str) -> list[Token]:
    """Return all tokens of a text, comments too.

    >>> [token.kind for token in tokens("x = 1  # one")]
    ['name', 'sign', 'number', 'comment']
    """
    divides = _divides(text)
    found: list[Token] = []
    at = before = depth = left = 0
    while at < len(text):
        if _is_space(text[at]):
            at += 1
            continue
        token = _next(text, at, divides)
        at = token.end
        if token.kind != "comment":
            if left and depth <= 0 and re.search(r"[\n\r]", text[before : token.start]):
                left = 0
            if not left and _begins_import(text, token):
                left, depth = LONGEST_IMPORT, 0
            if left:
                sign = text[token.start] if token.kind == "sign" else ""
                depth += (sign in {"(", "[", "{"}) - (sign in {")", "]", "}"})
                left = 0 if sign == ";" else left - 1
                token = Token(token.kind, False, token.start, token.end)
            before = token.end
        found.append(token)
    return found


def code_units(text: str) -> list[str]:
    """Return the units of source code: all names are equal, and all numbers, and all strings.

    >>> code_units("public int total(int[] a) { return a[0] + 1; }  // the first")
    ['int', 'x', '(', 'int', '[', ']', 'x', ')', 'return', 'x', '[', '0', ']', '+', '0']
    """
    text = "".join("\N{REPLACEMENT CHARACTER}" if "\ud800" <= char <= "\udfff" else char for char in text)
    return [_unit(token.kind, text[token.start : token.end]) for token in tokens(text) if token.counts]


def _unit(kind: str, word: str) -> str:
    match kind:
        case "name":
            return "x"
        case "number":
            return "0"
        case "text":
            return '"'
        case "keyword":
            return word.lower()
        case _:
            return word
