"""Text whose direction is overridden, as a reader sees it.

A file can hold ``olleh`` between U+202E and U+202C: the screen shows ``hello``. Such a span is read as it is seen. The
controls nest as in the Unicode Bidirectional Algorithm (UAX #9, X1 to X8); of its other rules only two matter here:
what stands under an override has the direction of the override, and signs and numbers between two spans of one
direction belong to both (N1), unless a mark of the other direction is among them. Embeddings and isolates inside a span
are read as they are stored, and every span ends with its line.

A reader follows the letters: Latin from left to right, Hebrew from right to left, wherever the line begins. So a span
is turned around if most of its letters run against its direction: Latin under U+202E, Hebrew under U+202D.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["OVERRIDE_END", "OVERRIDE_LEFT", "OVERRIDE_RIGHT", "in_visual_order"]

OVERRIDE_RIGHT: Final = "\u202d"
OVERRIDE_LEFT: Final = "\u202e"
OVERRIDE_END: Final = "\u202c"

_OVERRIDES: Final = frozenset(OVERRIDE_RIGHT + OVERRIDE_LEFT)
_ISOLATES: Final = frozenset("\u2066\u2067\u2068")
_OPENING: Final = _OVERRIDES | _ISOLATES | frozenset("\u202a\u202b")
_LEFTWARD: Final = frozenset(("\u202b", OVERRIDE_LEFT, "\u2067"))
"""Controls that open a span from right to left; the others open one from left to right."""
_ISOLATE_END: Final = "\u2069"
_DEEPEST: Final = 125
"""Levels of nesting, as the algorithm has them: what is deeper is ignored."""

_OVERRIDE: Final = re.compile(f"[{OVERRIDE_RIGHT}{OVERRIDE_LEFT}]")
_LINE: Final = re.compile("[^\n\r\x1c-\x1e\x85\u2029]+")
_CONTROL: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")

_PAIRS: Final = "()[]{}<>«»‹›≤≥≪≫⟨⟩⟪⟫❨❩❪❫⦅⦆﹙﹚（）［］｛｝＜＞〈〉《》「」『』【】〔〕〖〗〘〙⁅⁆⁽⁾₍₎⌈⌉⌊⌋"
_MIRRORED: Final = {sign: _PAIRS[at ^ 1] for at, sign in enumerate(_PAIRS)}
"""A bracket is drawn the other way round where the text runs leftward, so that it opens what it opened."""

_JOINER: Final = "\u200d"
_NUMBER: Final = re.compile(r"(\d+(?:[.,:/+-]\d+)*)")
"""What runs from left to right even between two spans that run leftward."""
_WORD: Final = 2
"""Letters that can be read backwards."""


@dataclass(slots=True)
class _Span:
    """What stands between two controls, or in a whole line."""

    control: str = ""
    level: int = 0
    parts: list[_Part] = field(default_factory=list)

    @property
    def is_override(self) -> bool:
        return self.control in _OVERRIDES

    @property
    def is_isolate(self) -> bool:
        return self.control in _ISOLATES


_Part: TypeAlias = "str | _Span"
"""In an override: a character with its marks, or a span. Elsewhere: a piece of text, or an override."""


def in_visual_order(text: str) -> tuple[str, list[str]]:
    r"""Return a text with all spans under an override as they are seen, and those that would read backwards as stored.

    The controls of a line in which something is turned around go with it. Hebrew stored from left to right, as some old
    systems have it, is turned around too, but is no secret.

    >>> in_visual_order("He says \u202edlrow (olleh\u202c, 12 times")
    ('He says hello) world, 12 times', ['hello) world'])
    >>> in_visual_order("Call \u202d+49 30 1234\u202c")[1]
    []
    """
    if OVERRIDE_LEFT not in text and OVERRIDE_RIGHT not in text:
        return text, []
    made: list[str] = []
    backwards: list[str] = []
    end = 0
    for line in _LINE.finditer(text):
        if _OVERRIDE.search(line[0]):
            seen, changed = _natural(_nested(line[0]).parts, backwards)
            if changed:
                made += text[end : line.start()], seen
                end = line.end()
    return "".join((*made, text[end:])), backwards


# -- which text is under which control ---------------------------------------------------------------------------------


def _nested(line: str) -> _Span:
    """Return the spans of a line, in one another."""
    spans = [_Span()]
    too_deep_isolates = too_deep = 0
    for piece in _pieces(line):
        here = spans[-1]
        if piece in _OPENING:
            leftward = piece in _LEFTWARD
            level = here.level + (2 if bool(here.level % 2) == leftward else 1)
            if level <= _DEEPEST and not too_deep and not too_deep_isolates:
                spans.append(_Span(piece, level))
                if piece not in _OVERRIDES:
                    spans[-1].parts.append(piece)
            elif piece in _ISOLATES:
                too_deep_isolates += 1
            elif not too_deep_isolates:
                too_deep += 1
        elif piece == OVERRIDE_END:
            if too_deep_isolates:
                continue
            if too_deep:
                too_deep -= 1
            elif here.control and not here.is_isolate:
                if not here.is_override:
                    here.parts.append(piece)
                _close(spans)
        elif piece == _ISOLATE_END:
            if too_deep_isolates:
                too_deep_isolates -= 1
            elif any(span.is_isolate for span in spans):
                too_deep = 0
                while not spans[-1].is_isolate:
                    _close(spans)
                spans[-1].parts.append(piece)
                _close(spans)
        elif here.is_override:
            here.parts += _characters(piece)
        else:
            here.parts.append(piece)
    while len(spans) > 1:
        _close(spans)
    return spans[0]


def _pieces(line: str) -> Iterator[str]:
    """Yield the controls, and the text between them."""
    end = 0
    for control in _CONTROL.finditer(line):
        if control.start() > end:
            yield line[end : control.start()]
        yield control[0]
        end = control.end()
    if end < len(line):
        yield line[end:]


def _close(spans: list[_Span]) -> None:
    span = spans.pop()
    spans[-1].parts.append(span)


def _characters(text: str) -> list[str]:
    """Return the characters of a text as a reader counts them: with their marks, and joined emoji as one."""
    starts = [0] if text else []
    for at in range(1, len(text)):
        letter = text[at]
        if not (
            unicodedata.category(letter)[0] == "M"
            or letter == _JOINER
            or "\U0001f3fb" <= letter <= "\U0001f3ff"
            or (text[at - 1] == _JOINER and not letter.isalnum())
        ):
            starts.append(at)
    return [text[start:end] for start, end in pairwise((*starts, len(text)))]


# -- as it is seen -----------------------------------------------------------------------------------------------------


def _natural(parts: Sequence[_Part], backwards: list[str]) -> tuple[str, bool]:
    """Return text that is under no override, with the overrides in it as they are seen, and whether that changes it."""
    made: list[str] = []
    changed = False
    at = 0
    while at < len(parts):
        part = parts[at]
        if isinstance(part, str):
            made.append(part)
            at += 1
            continue
        if part.is_override:
            whole, at = _joined(parts, at)
            seen, differs = _seen(whole, backwards)
        else:
            # A pair of controls around nothing but an override only says where it ends.
            only = part.parts[1:-1]
            is_pair = len(only) == 1 and isinstance(only[0], _Span) and only[0].is_override
            seen, differs = _natural(only if is_pair else part.parts, backwards)
            at += 1
        made.append(seen)
        changed |= differs
    return "".join(made), changed


def _joined(parts: Sequence[_Part], at: int) -> tuple[_Span, int]:
    """Return the override at a place with those of its kind after it, if no letter or mark against it is between."""
    whole = _Span(getattr(parts[at], "control", ""))
    against = ("L",) if whole.control == OVERRIDE_LEFT else ("R", "AL")
    between: list[_Part] = []
    end = at
    for place in range(at, len(parts)):
        part = parts[place]
        if isinstance(part, str):
            if any(sign.isalpha() or unicodedata.bidirectional(sign) in against for sign in part):
                break
            for piece in _NUMBER.split(part):
                between += [piece] if piece[:1].isdecimal() else _characters(piece)
        elif part.control == whole.control:
            whole.parts += between
            whole.parts += part.parts
            between, end = [], place + 1
        elif part.is_isolate:  # it counts as a sign
            between.append(part)
        else:
            break
    return whole, end


def _seen(span: _Span, backwards: list[str]) -> tuple[str, bool]:
    """Return what a reader sees of an override, and whether it is stored in another order."""
    shown: list[tuple[str, bool]] = []  # from the left to the right edge: characters, and whether brackets are mirrored
    left = right = stored_backwards = 0
    nested = False
    waiting: list[tuple[_Part, bool]] = [(span, False)]
    while waiting:
        part, leftward = waiting.pop()
        if isinstance(part, str):
            shown.append((_MIRRORED.get(part, part) if leftward else part, True))
            kind = unicodedata.bidirectional(part[0])
            right += kind in ("R", "AL")
            left += kind == "L"
            stored_backwards += kind == "L" and leftward
        elif part.is_override:
            nested |= part is not span
            leftward = part.control == OVERRIDE_LEFT
            waiting += ((inner, leftward) for inner in (part.parts if leftward else reversed(part.parts)))
        else:
            inner, differs = _natural(part.parts, backwards)
            shown.append((inner, False))
            nested |= differs
    if right > left:
        seen = "".join(_MIRRORED.get(piece, piece) if mirrors else piece for piece, mirrors in reversed(shown))
    else:
        seen = "".join(piece for piece, _ in shown)
        if stored_backwards >= _WORD:
            backwards.append(seen)
    return seen, bool(shown) and (nested or (right > left) != (span.control == OVERRIDE_LEFT))
