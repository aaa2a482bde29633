"""The recipe: all settings that decide a similarity, in one frozen value.

A signature means nothing without the settings that made it. So one `Recipe` decides every stage, travels with every
signature, result and index, and a mismatch is refused instead of giving a wrong number. What each setting does to a
text, exactly, is in `docs/format.md`; ready-made recipes are in `lookalike.presets`.

>>> recipe = Recipe(unit="char", k=9)
>>> str(recipe)[:36]
'lookalike-recipe/2 unit=char k=9 bag'
>>> Recipe.parse(str(recipe)) == recipe
True
>>> recipe.check_same(Recipe(unit="char", k=5))
Traceback (most recent call last):
    ...
lookalike.errors.MismatchError: this recipe and the other recipe differ: k is 9 and 5; compare only what one recipe made
"""

from __future__ import annotations

import dataclasses
import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from lookalike._native import Settings
from lookalike.errors import MismatchError, RecipeError, check_whole, suggest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["DEFAULT", "ENGLISH", "FAMILIES", "FORMAT", "IDLE", "UNIT_NAMES", "Family", "Recipe", "settings"]

FORMAT: Final = "lookalike-recipe/2"
"""The name and version of the canonical form; it changes whenever a number in docs/format.md does."""

Family = Literal["modular", "multiplicative", "murmur3", "jenkins"]
FAMILIES: Final[tuple[Family, ...]] = get_args(Family)
"""The hash families of a classic sketch; the core has them in `families.rs`, the reference in `sketches`."""
_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "unit": ("char", "word", "token"),
    "whitespace": ("keep", "collapse", "remove"),
    "punctuation": ("keep", "remove"),
    "accents": ("keep", "strip"),
    "digits": ("keep", "zero"),
    "invisible": ("drop", "keep"),
    "form": ("none", "nfc", "nfd", "nfkc", "nfkd"),
    "sketch": ("fast", "classic"),
    "family": FAMILIES,
}
UNIT_NAMES: Final = {"char": "character", "word": "word", "token": "token"}
"""What a unit is called."""
IDLE: Final[dict[str, tuple[str, ...]]] = {
    "word": ("whitespace",),
    "token": ("lowercase", "whitespace", "punctuation", "accents", "digits", "stop_words", "form"),
}
"""The settings that have no effect with a unit."""
_RANGES: Final[dict[str, tuple[int, int]]] = {"k": (1, 64), "hashes": (1, 65_535), "seed": (0, 2**64 - 1)}
_FLAGS: Final = ("bag", "lowercase")
_STOP_WORDS: Final = "'none', 'english' or a list of words"

# The English stop list: words that carry grammar rather than content. It is part of the recipe format, so a change is
# a new format; tests/test_recipe.py holds the list's digest. Contractions are written with the ASCII apostrophe;
# docs/format.md §2 says what becomes of it. Left out on purpose: i'd, i'll, he'll, she'd, she'll, we'd, we'll. With the
# apostrophe deleted they would take the words id, ill, hell, shed, shell, wed and well out of every text.
_WORDS: Final = """
    a an the this that these those such
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves who whom whose which what
    am is are was were be been being have has had having do does did doing can could may might must shall should will
    would cannot
    about above after against among around at before below between by down during for from in into of off on out over
    through to under until up upon with within without
    and or but nor so yet if then else than because while although though unless since as whether when where why how
    all any both each every either neither few more most much many no none not only other another same some
    again also here just never now once there too very
    i'm i've you're you've you'd you'll he's he'd she's it's it'll we're we've they're they've they'd they'll that's
    there's here's who's what's where's let's isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't
    can't couldn't mustn't shouldn't won't wouldn't
"""

ENGLISH: Final[tuple[str, ...]] = tuple(sorted(_WORDS.split()))
"""The stop words, sorted, each once."""


class _Remembered:
    """What is worked out once for a recipe: every call on two short texts asks for it."""

    __slots__ = ("_effective", "_hash")
    _effective: Mapping[str, Any]
    _hash: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Recipe(_Remembered):
    """All settings that decide a similarity.

    Two recipes are equal, and have the same canonical form, digest and hash, if they give the same numbers for every
    text. `family` is not looked at while `sketch` is ``"fast"``, nor `whitespace` while `unit` is ``"word"``, nor any
    setting of how text is normalised but `invisible` while `unit` is ``"token"``, because they change nothing there.

    >>> Recipe(family="murmur3") == Recipe()
    True
    >>> Recipe(family="murmur3", sketch="classic") == Recipe(sketch="classic")
    False
    >>> Recipe(k=0)
    Traceback (most recent call last):
        ...
    lookalike.errors.RecipeError: k must be a whole number from 1 to 64, not 0
    """

    unit: Literal["char", "word", "token"] = "word"
    """What a shingle is made of: code points, words by the Unicode word boundaries, or tokens of source code: without
    comments and imports, all names alike, and all numbers, and all strings."""
    k: int = 5
    """How many units make a shingle, 1 to 64."""
    bag: bool = False
    """Whether the second appearance of a shingle is an element of its own (min/max Jaccard of multisets)."""
    lowercase: bool = True
    """Whether case is ignored."""
    whitespace: Literal["keep", "collapse", "remove"] = "collapse"
    """What happens to runs of white space; only for `unit="char"`."""
    punctuation: Literal["keep", "remove"] = "remove"
    """Whether punctuation and the symbols of ASCII count."""
    accents: Literal["keep", "strip"] = "keep"
    """Whether é and e are different letters."""
    digits: Literal["keep", "zero"] = "keep"
    """Whether every digit becomes 0, so that texts that differ in numbers alone are equal."""
    stop_words: Literal["none", "english"] | Iterable[str] = "none"
    """Words to exclude: a named list, or your own words (kept as a sorted tuple)."""
    invisible: Literal["drop", "keep"] = "drop"
    """What happens to code points that nobody sees, before anything else: soft hyphens, zero-width spaces and joiners,
    marks of direction, variation selectors, the byte order mark (Unicode's Default_Ignorable_Code_Point)."""
    form: Literal["none", "nfc", "nfd", "nfkc", "nfkd"] = "nfc"
    """The Unicode normalisation form."""
    sketch: Literal["fast", "classic"] = "fast"
    """The kind of signature: fast similarity sketching, or MinHash with one hash function per slot."""
    family: Family = "multiplicative"
    """The hash functions of a classic sketch."""
    hashes: int = 256
    """How many numbers a signature has, 1 to 65535; the standard error of an estimate is at most √(J(1−J)/hashes)."""
    seed: int = 1
    """Keys every hash, 0 to 2⁶⁴−1; a secret one keeps strangers from constructing collisions."""

    def __post_init__(self) -> None:
        """Check every setting, and bring those with several spellings into one."""
        for name, choices in _CHOICES.items():
            self._put(name, _check_choice(name, getattr(self, name), choices))
        for name, (low, high) in _RANGES.items():
            self._put(name, check_whole(name, getattr(self, name), low, high))
        for name in _FLAGS:
            if not isinstance(getattr(self, name), bool):
                raise RecipeError(name, getattr(self, name), "True or False")
        self._put("stop_words", _check_stop_words(self.stop_words))
        effective = _effective(self)
        self._put("_effective", effective)
        self._put("_hash", hash(tuple(effective.items())))

    def _put(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)  # the way for a frozen class to finish its own construction

    # -- what it says ------------------------------------------------------------------------------------------------

    @property
    def stop_list(self) -> tuple[str, ...]:
        """The stop words themselves, sorted.

        >>> Recipe(stop_words=["the", "a", "the"]).stop_list
        ('a', 'the')
        >>> Recipe().stop_list
        ()
        """
        if self.stop_words == "none":
            return ()
        if self.stop_words == "english":
            return ENGLISH
        return tuple(self.stop_words)

    @property
    def digest(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of the canonical form.

        >>> Recipe().digest == Recipe(k=5).digest != Recipe(k=6).digest
        True
        """
        import hashlib  # it loads OpenSSL, which most searches never need

        return hashlib.sha256(str(self).encode("ascii")).hexdigest()[:16]

    def __str__(self) -> str:
        """Return the canonical form: one line of ASCII, the settings that have an effect, in a fixed order."""
        return " ".join((FORMAT, *(f"{name}={_write(value)}" for name, value in self._effective.items())))

    def __repr__(self) -> str:
        """Return the call that makes this recipe: the settings that are not the default."""
        given = (f"{f.name}={getattr(self, f.name)!r}" for f in _fields() if getattr(self, f.name) != f.default)
        return f"Recipe({', '.join(given)})"

    def __eq__(self, other: object) -> bool:
        """Return whether both give the same numbers for every text."""
        return self is other or self._effective == other._effective if isinstance(other, Recipe) else NotImplemented

    def __hash__(self) -> int:
        """Agree with `__eq__`."""
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        """Be pickled as the settings, which are checked again."""
        return _made_of, (_settings(self),)

    # -- two recipes -------------------------------------------------------------------------------------------------

    def differences(self, other: Recipe) -> dict[str, tuple[object, object]]:
        """Return the settings that make the numbers differ, each with both values; empty if the recipes are equal.

        >>> Recipe(k=9).differences(Recipe(seed=7))
        {'k': (9, 5), 'seed': (1, 7)}
        """
        mine, theirs = self._effective, other._effective
        # A setting that has an effect on one side only is a consequence of another difference, which is listed.
        return {name: (mine[name], theirs[name]) for name in mine if name in theirs and mine[name] != theirs[name]}

    def check_same(self, other: Recipe, *, this: str = "this recipe", that: str = "the other recipe") -> None:
        """Raise `MismatchError`, naming the settings that differ, unless the recipes are equal.

        `this` and `that` say, for the message, what the two recipes belong to.
        """
        found = self.differences(other)
        if found:
            raise MismatchError(this, that, found)

    def replace(self, **changes: Any) -> Recipe:
        """Return a copy with some settings changed.

        >>> Recipe().replace(k=9, unit="char")
        Recipe(unit='char', k=9)
        """
        return Recipe.from_dict(_settings(self) | changes)

    # -- to and from other forms -------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return all settings as JSON can hold them, with the format's name first.

        >>> Recipe.from_dict(Recipe(k=9).to_dict())
        Recipe(k=9)
        """
        words = self.stop_words if isinstance(self.stop_words, str) else list(self.stop_words)
        return {"format": FORMAT} | _settings(self) | {"stop_words": words}

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Recipe:
        """Read what `to_dict` gives; settings that are missing have their defaults, unknown ones are refused."""
        given = dict(settings)
        _check_format(given.pop("format", FORMAT))
        names = tuple(f.name for f in _fields())
        for name in given:
            if name not in names:
                raise RecipeError("a setting", name, "one of " + ", ".join(names), suggest(name, names))
        return cls(**given)

    @classmethod
    def parse(cls, text: str) -> Recipe:
        """Read the canonical form back.

        >>> Recipe.parse("lookalike-recipe/2 unit=word k=zero")
        Traceback (most recent call last):
            ...
        lookalike.errors.RecipeError: k must be a whole number from 1 to 64, not 'zero'
        """
        head, *parts = text.strip().split(" ")
        _check_format(head)
        given: dict[str, Any] = {}
        for part in parts:
            name, equals, value = part.partition("=")
            if not equals:
                raise RecipeError("a part of a recipe", part, "setting=value")
            if name in given:
                raise RecipeError(name, value, "given once", f"it was {given[name]!r} before")
            given[name] = _read(name, value)
        recipe = cls.from_dict(given)
        # A stored recipe is complete; filling a gap with today's default could make it mean something else.
        for part in str(recipe).split(" ")[1:]:
            if (name := part.partition("=")[0]) not in given:
                raise RecipeError(name, "", "given", "the recipe is not complete")
        return recipe

    @classmethod
    def preset(cls, name: str) -> Recipe:
        """Return the recipe of a preset: prose, edited, essays, code, cjk, fineweb, lee2022, slimpajama,
        redpajama2, stack or nemo. `find(preset=…)` takes its threshold, metric and shortest passage too.

        >>> Recipe.preset("slimpajama").k
        13
        """
        for known, recipe in NAMED.items():
            if known == name:
                return recipe
        raise RecipeError("preset", name, "one of " + ", ".join(NAMED), suggest(name, NAMED))


NAMED: dict[str, Recipe] = {}
"""The recipes of the presets; `lookalike.presets`, which is made of recipes and so comes later, puts them here."""


def _fields() -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(Recipe)


def _settings(recipe: Recipe) -> dict[str, Any]:
    return {f.name: getattr(recipe, f.name) for f in _fields()}


def _made_of(settings: dict[str, Any]) -> Recipe:
    return Recipe(**settings)


def _effective(recipe: Recipe) -> dict[str, Any]:
    """Return the settings that have an effect, in the order of the canonical form."""
    idle = set(IDLE.get(recipe.unit, ()))
    if recipe.sketch == "fast":
        idle.add("family")
    return {name: value for name, value in _settings(recipe).items() if name not in idle}


def _check_choice(name: str, given: object, choices: tuple[str, ...]) -> str:
    for choice in choices:
        if isinstance(given, str) and given == choice:
            return choice  # not `given`, which may be an enum member or another subclass of str
    *first, last = (repr(choice) for choice in choices)
    raise RecipeError(name, given, f"{', '.join(first)} or {last}", suggest(given, choices))


def _check_stop_words(given: Any) -> str | tuple[str, ...]:
    if isinstance(given, str):
        if given in ("none", "english"):
            return str(given)
        raise RecipeError("stop_words", given, _STOP_WORDS, suggest(given, ("none", "english")))
    try:
        words = list(given)
    except TypeError:
        raise RecipeError("stop_words", given, _STOP_WORDS) from None
    for word in words:
        if not isinstance(word, str) or not word.strip():
            raise RecipeError("each of stop_words", word, "a word")
    # One spelling for one meaning: lone surrogates are replaced as in every text (docs/format.md §1), and the named
    # lists have their names.
    distinct = tuple(sorted({re.sub("[\ud800-\udfff]", "\ufffd", word) for word in words}))
    return {(): "none", ENGLISH: "english"}.get(distinct, distinct)


def _check_format(given: object) -> None:
    if given != FORMAT:
        raise RecipeError("the format of a recipe", given, repr(FORMAT), "it was made by another version of lookalike")


def _write(value: object) -> str:
    """Write one value of the canonical form, without spaces."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        # A space can only be inside a word, where JSON may write it as \u0020; so the line splits at its spaces.
        return json.dumps(value, ensure_ascii=True, separators=(",", ":")).replace(" ", "\\u0020")
    return str(value)


def _read(name: str, text: str) -> object:
    """Read one value of the canonical form; what is not well-formed stays text, which the checks refuse."""
    if name in _FLAGS:
        if text not in ("yes", "no"):
            raise RecipeError(name, text, "yes or no")
        return text == "yes"
    if name in _RANGES and re.fullmatch("[0-9]{1,20}", text):
        return int(text)
    if name == "stop_words" and text.startswith("["):
        try:
            return json.loads(text)
        except ValueError:
            raise RecipeError(name, text, _STOP_WORDS) from None
    return text


DEFAULT: Final = Recipe()
"""The recipe of every function that is given none."""


def settings(recipe: Recipe) -> Settings:
    """Return the native settings of a recipe; equal recipes share them."""
    if not isinstance(recipe, Recipe):
        raise RecipeError("recipe", recipe, "a Recipe, for example Recipe(k=3) or Recipe.preset('code')")
    return _native_settings(recipe)


@lru_cache(maxsize=64)
def _native_settings(recipe: Recipe) -> Settings:
    return Settings(**_settings(recipe) | {"stop_words": list(recipe.stop_list)})
