"""Changes of JSON that leave it JSON: hardly any change of its bytes would get past the parser."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.hostile.saved import WRONG, changed, places

if TYPE_CHECKING:
    from random import Random

__all__ = ["changed_json"]


def changed_json(content: bytes, rng: Random) -> bytes | None:
    """Return JSON with one or a few values changed, taken away or repeated; None for what is not JSON."""
    try:
        value = json.loads(content)
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            value = _changed(value, rng)
        return json.dumps(value).encode()
    except (ValueError, RecursionError):
        return None


def _changed(value: Any, rng: Random) -> Any:
    every = list(places(value))
    if not every:
        return rng.choice(WRONG)
    place = rng.choice(every)
    match rng.randrange(5):
        case 0:
            return _without(value, place)
        case 1:
            return changed(value, place, _at(value, rng.choice(every)))
        case 2:
            return changed(value, place, [_at(value, place)] * rng.choice((1, 2, 50)))
        case 3:
            return changed(value, place, _near(_at(value, place), rng))
        case _:
            return changed(value, place, rng.choice(WRONG))


def _at(value: Any, place: tuple[Any, ...]) -> Any:
    for name in place:
        value = value[name]
    return value


def _without(value: Any, place: tuple[Any, ...]) -> Any:
    made = changed(value, place, None)
    del _at(made, place[:-1])[place[-1]]
    return made


def _near(value: Any, rng: Random) -> Any:
    """Return a value of the same type that is a little off."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + rng.choice((-1, 1, 0.5, 2**32, -(2**63)))
        case str() if value:
            cut = rng.randrange(len(value))
            return value[:cut] + chr(rng.randrange(0x3000)) + value[cut + rng.randrange(2) :]
        case list():
            return [*value, *value[-1:]]
        case dict():
            return value | {"more": None}
        case _:
            return ""
