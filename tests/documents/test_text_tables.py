"""Another text in a line of JSON Lines: nothing else in the line changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.documents.text_tables import with_json_text

values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), values, max_size=5), st.text(), st.text(), st.booleans(), st.booleans())
def test_only_the_text_changes(row: dict[str, Any], old: str, new: str, spaced: bool, escaped: bool) -> None:
    row = {**row, "text": old}
    line = json.dumps(row, indent=1 if spaced else None, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    assert json.loads(with_json_text(line, "text", new)) == {**row, "text": new}
    assert with_json_text(line, "other", new) == line or "other" in row


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"text":"a"}', b'{"text":"b"}'),
        (b' { "n" : 1.50e3 , "text" : "a\\u00e9" , "x" : [ ] } \r', b' { "n" : 1.50e3 , "text" : "b" , "x" : [ ] } \r'),
        (b'{"text":"a","text":"c"}', b'{"text":"b","text":"b"}'),
        (b'{"t\\u0065xt":"a","in":{"text":"a"}}', b'{"t\\u0065xt":"b","in":{"text":"a"}}'),
    ],
)
def test_spelling_stays(line: bytes, expected: bytes) -> None:
    assert with_json_text(line, "text", "b") == expected
