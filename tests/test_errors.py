from __future__ import annotations

import inspect
import pickle
import re

import pytest

from lookalike import errors
from lookalike.errors import (
    BandsError,
    ConflictError,
    DamagedError,
    DocumentError,
    DuplicateIdError,
    InternalError,
    LookalikeError,
    MismatchError,
    MissingExtraError,
    RecipeError,
    ServerError,
    StoreError,
    all_errors,
)

# One of each, as the package raises them; the test below fails for an error class that is missing here.
EXAMPLES: list[LookalikeError] = [
    LookalikeError("something"),
    RecipeError("unit", "words", "'char', 'word' or 'token'", "did you mean 'word'?"),
    BandsError("20 bands × 10 rows need 200 hashes, and the signature has 128"),
    DocumentError(7, "text", "is None", "give a text"),
    DuplicateIdError("essay"),
    ConflictError(("essay", "letter"), 2, "essays.db"),
    MismatchError("the index", "the query", {"k": (5, 9)}),
    MissingExtraError("lookalike serve", "server"),
    StoreError("essays.db", "is closed", "open it again"),
    DamagedError("essays.db", "is damaged", "run: lookalike index repair"),
    ServerError("http://127.0.0.1:8000", "refuses the token", "give another", 401),
    InternalError("index out of bounds"),
]


def test_all_errors_lists_every_class_of_the_module() -> None:
    defined = {value for _, value in inspect.getmembers(errors, inspect.isclass) if issubclass(value, LookalikeError)}
    assert set(all_errors()) == defined
    assert len(all_errors()) == len(defined)


def test_every_error_has_an_example() -> None:
    assert [type(example) for example in EXAMPLES] == list(all_errors())


def test_the_drawn_tree_is_the_real_tree() -> None:
    drawn: list[tuple[str, str]] = []  # (class, base), read from the picture by its indentation
    parents: dict[int, str] = {}
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"^    ([│├└─ ]*)(\w+Error)\b", line)
        if found:
            depth = len(found[1].rstrip()) and found[1].index("─") // 4 + 1
            parents[depth] = found[2]
            drawn.append((found[2], parents[depth - 1] if depth else "Exception"))
    real = [
        (error.__name__, next(b.__name__ for b in error.__bases__ if issubclass(b, LookalikeError) or b is Exception))
        for error in all_errors()
    ]
    assert drawn == real


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_every_error_survives_pickling(error: LookalikeError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_every_message_is_one_short_line(error: LookalikeError) -> None:
    assert "\n" not in str(error)
    assert 0 < len(str(error)) < 200


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (RecipeError, ValueError),
        (BandsError, ValueError),
        (DocumentError, ValueError),
        (DuplicateIdError, ValueError),
        (MissingExtraError, ImportError),
    ],
)
def test_errors_are_also_what_python_would_raise(error: type[Exception], builtin: type[Exception]) -> None:
    assert issubclass(error, builtin)


def test_a_recipe_error_says_what_was_given_and_what_is_allowed() -> None:
    error = RecipeError("k", 0, "a whole number from 1 to 64")
    assert str(error) == "k must be a whole number from 1 to 64, not 0"
    assert (error.field, error.given, error.allowed) == ("k", 0, "a whole number from 1 to 64")


@pytest.mark.parametrize("given", ["x" * 10_000_000, 10**5000, list(range(10_000))], ids=["text", "number", "list"])
def test_a_huge_value_does_not_fill_the_terminal(given: object) -> None:
    assert len(str(RecipeError("k", given, "small"))) < 200


def test_a_document_error_names_the_document_the_field_and_the_remedy() -> None:
    error = DocumentError("a.txt", "text", "is bytes, not str", "decode it first")
    assert str(error) == "document 'a.txt': text is bytes, not str; decode it first"


def test_a_mismatch_names_both_sides_and_the_fields() -> None:
    error = MismatchError("the index", "the query", {"k": (5, 9), "seed": (1, 2)})
    assert error.fields == ("k", "seed")
    for part in ("the index", "the query", "k is 5 and 9", "seed is 1 and 2"):
        assert part in str(error)


def test_a_missing_extra_says_what_to_install() -> None:
    assert "pip install '.[server]'" in str(MissingExtraError("lookalike serve", "server"))
