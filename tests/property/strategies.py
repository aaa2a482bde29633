"""Texts, recipes and collections that hypothesis draws from."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import settings
from hypothesis import strategies as st

from lookalike import reference as ref
from lookalike.recipe import FAMILIES, Recipe

if TYPE_CHECKING:
    from collections.abc import Callable

SKETCHES: tuple[dict[str, Any], ...] = (
    {"sketch": "fast"},
    *({"sketch": "classic", "family": family} for family in FAMILIES),
)

u64 = st.integers(0, 2**64 - 1)


def tries(factor: float) -> settings:
    """So many times the examples of the profile: more where a bug would hide, fewer where the reference is slow."""
    return settings(max_examples=max(1, round(settings().max_examples * factor)))


# -- texts -----------------------------------------------------------------------------------------------------------

# Pieces that rules of Unicode treat in a way of their own. Drawn often and side by side, because the rules are about
# neighbours; single random code points would hardly ever meet.
PIECES = (
    *("a", "b", "the", "The", "of", "don't", "well-known", "snake_case", "3.14", "1,000", "a.b", "a:b", "x"),
    *(" ", "  ", "\t", "\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x85", "\xa0", "\u1680", "\u2028", "\u3000", "\u200b"),
    *(".", ",", "-", "_", "'", '"', "’", "“", "…", "$", "+", "^", "`", "€", "©", "«", "·", "‿"),
    *("é", "e\u0301", "ñ", "Å", "A\u030a", "\u212b", "ß", "ẞ", "İ", "ı", "Σ", "ς", "ﬁ", "ǆ", "½", "²", "Ⅷ", "´"),
    *("\u0301", "\u0327", "\u0345", "\u034f", "\u20dd", "\ufe0f", "\u200d", "\u200c", "\u00ad"),  # join what is before
    *("\u115f", "\u1160", "\u3164", "\u17b4", "\u180b", "\u2062", "\ufff0", "\U000e0061", "\U000e01ef"),  # not seen
    *("Ж", "й", "и\u0306", "Ё", "α", "ά", "ἄ"),
    *("שלום", "שָׁלוֹם", 'צה"ל', "ג׳", "א'", "السلام", "السَّلَام", "ـ", "٣٤", "۵"),
    *("\u202e", "\u200f", "\u2066", "\u2069", "\u061c"),  # bidi controls
    *("漢字", "日本語", "中", "か", "が", "か\u3099", "カタカナ", "ｶﾞ", "ﾊﾟ", "ー", "。", "、", "Ａ", "１", "𠀀", "豈"),
    *("한국", "\u1112\u1161\u11ab", "\u1100", "\u1161", "\u11a8", "가", "ㄱ"),  # syllables, jamo
    *("สวัสดี", "กำ", "ລາວ", "नमस्ते", "क़", "क\u093c", "\u09c7\u09be", "\u0b95\u0bcb"),
    *("😀", "👨\u200d👩\u200d👧", "👍🏽", "🇪🇸", "🇪", "🇸🇫", "1\ufe0f\u20e3", "❤\ufe0f", "☃", "𝒜", "🅰"),
    *("\x00", "\x01", "\x1f", "\x7f", "\ufffd", "\ufeff", "\ue000"),
    *("\ud800", "\udfff", "\ud83d", "\udc00"),  # lone surrogates: a Python string can hold them, UTF-8 cannot
)

# The same for the tokens of source code.
CODE = (
    *(
        " ",
        "\n",
        "\r",
        "\t",
        ";",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ",",
        ".",
        ":",
        "=",
        "<",
        ">",
        "&",
        "!",
        "\\",
        "$",
        "é",
        "\u3000",
    ),
    *("/", "//", "/*", "*/", "#", "#!", "-", "--", "--[[", "]]", "%", ";;", "<!--", "-->", "'", '"', "`", '"""', "'''"),
    *("x", "_a1", "r", "b", "f", "u8", "RB", 'r#"', '"#', "0", "1.5", "0x1e+3", "2e-7", "1..2", "3.x"),
    *("if", "IF", "If", "def", "def f():", "for", "class", "static", "PUBLIC", "var", "\ufdd0", "\ud800", "😀"),
    *("\u200b", "\ufeff", "\u00ad", "\ufe0f", "\U000e0061"),
    *("import", "\nimport a", "\nimport (", "\nfrom a import", "from", "\nusing ", "\nuse a::", "package", "include"),
)


def is_known(text: str) -> bool:
    """Tell whether this Python's Unicode tables know every code point.

    The normalisation forms of the reference are those of `unicodedata`, whose version is that of the interpreter; the
    core has its own tables. Unicode promises that both agree on every code point that both know, and on no other.
    """
    return all(unicodedata.category(char) != "Cn" for char in text)


_any_char = st.characters(exclude_categories=())
_known_char = st.characters(exclude_categories=["Cn"])


def _texts(char: st.SearchStrategy[str], size: int) -> st.SearchStrategy[str]:
    pieces = st.lists(st.sampled_from(PIECES), max_size=size)
    return st.one_of(
        pieces.map("".join),
        pieces.map(" ".join),
        st.lists(st.sampled_from(("a", "b", "c", "the")), max_size=2 * size).map(" ".join),
        st.lists(st.one_of(st.sampled_from(PIECES), char), max_size=size).map("".join),
        st.text(st.characters(max_codepoint=127), max_size=3 * size),
        st.text(char, max_size=size),
    )


def any_texts(size: int = 25) -> st.SearchStrategy[str]:
    """Texts of any code points, also such as Unicode has not assigned yet."""
    return _texts(_any_char, size)


def known_texts(size: int = 25) -> st.SearchStrategy[str]:
    """Texts of code points that this Python knows (see `is_known`)."""
    return _texts(_known_char, size)


def texts_for(recipe: Recipe, size: int = 25) -> st.SearchStrategy[str]:
    """Texts on which the core and the reference must agree for this recipe."""
    if recipe.unit == "token":
        return st.one_of(st.lists(st.sampled_from(CODE), max_size=2 * size).map("".join), any_texts(size))
    plain = recipe.form == "none" and recipe.accents == "keep"
    return any_texts(size) if plain else known_texts(size)


# -- recipes ---------------------------------------------------------------------------------------------------------

_stop_words = st.one_of(
    st.sampled_from(("none", "none", "english")),
    st.lists(st.sampled_from(PIECES).filter(lambda piece: bool(piece.strip())), min_size=1, max_size=4),
)
_SETTINGS: dict[str, st.SearchStrategy[Any]] = {
    "unit": st.sampled_from(("char", "word", "token")),
    "k": st.one_of(st.integers(1, 6), st.sampled_from((1, 5, 9, 64))),
    "bag": st.booleans(),
    "lowercase": st.booleans(),
    "whitespace": st.sampled_from(("keep", "collapse", "remove")),
    "punctuation": st.sampled_from(("keep", "remove")),
    "accents": st.sampled_from(("keep", "strip")),
    "digits": st.sampled_from(("keep", "zero")),
    "stop_words": _stop_words,
    "invisible": st.sampled_from(("drop", "keep")),
    "form": st.sampled_from(("none", "nfc", "nfd", "nfkc", "nfkd")),
    "sketch": st.sampled_from(("fast", "classic")),
    "family": st.sampled_from(FAMILIES),
    "hashes": st.one_of(st.integers(1, 40), st.sampled_from((64, 100))),
    "seed": st.one_of(st.sampled_from((0, 1, 2**64 - 1)), u64),
}


def recipes(**fixed: Any) -> st.SearchStrategy[Recipe]:
    """Recipes over all settings, but for those that are fixed."""
    drawn = {name: strategy for name, strategy in _SETTINGS.items() if name not in fixed}
    return st.fixed_dictionaries(drawn).map(lambda settings: Recipe(**settings, **fixed))


class Case(NamedTuple):
    """A recipe and texts for it."""

    recipe: Recipe
    texts: list[str]

    @property
    def text(self) -> str:
        """The first text."""
        return self.texts[0]

    @property
    def empty(self) -> set[int]:
        """The numbers of the texts without units, which no search compares: their pairs are all among themselves."""
        return {number for number, text in enumerate(self.texts) if not ref.units(text, self.recipe)}


def _related(texts: list[str], copies: list[tuple[int, int, int]]) -> list[str]:
    """Put near copies beside some texts: without one code point, or with it twice."""
    made = list(texts)
    for which, place, kind in copies:
        text = texts[which % len(texts)]
        at = place % (len(text) + 1)
        made.append((text, text[:at] + text[at + 1 :], text[:at] + text[max(at - 3, 0) :])[kind])
    return made


def cases(texts: int = 1, *, size: int = 25, **fixed: Any) -> st.SearchStrategy[Case]:
    """A recipe with so many texts."""
    return _cases(lambda recipe: st.lists(texts_for(recipe, size), min_size=texts, max_size=texts), fixed)


def collections(most: int = 8, *, size: int = 12, **fixed: Any) -> st.SearchStrategy[Case]:
    """A recipe with a small collection in which some texts are copies or near copies of others."""
    changes = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(0, 2)), max_size=most)

    def drawn(recipe: Recipe) -> st.SearchStrategy[list[str]]:
        originals = st.lists(texts_for(recipe, size), min_size=1, max_size=most)
        return st.builds(_related, originals, changes).flatmap(lambda made: st.permutations(made).map(list))

    return _cases(drawn, fixed)


def _cases(
    draw_texts: Callable[[Recipe], st.SearchStrategy[list[str]]], fixed: dict[str, Any]
) -> st.SearchStrategy[Case]:
    return recipes(**fixed).flatmap(lambda recipe: draw_texts(recipe).map(lambda drawn: Case(recipe, drawn)))


# -- sets of numbers -------------------------------------------------------------------------------------------------

# Equal high bits share a slot of the fast sketch, equal halves share a 32-bit key; the ends are where rounding is.
_numbers = st.one_of(u64, st.integers(0, 40), st.sampled_from((2**32 - 1, 2**32, 2**63, 2**64 - 1, 4_294_967_291)))
sets = st.sets(_numbers, max_size=40)
