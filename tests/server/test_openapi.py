"""Schemathesis over the OpenAPI document: whatever it allows is answered as it says, and the rest is refused."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from lookalike.index.store_opening import open_store
from lookalike.server import ServerSettings, Tokens
from lookalike.server.application import create_app
from lookalike.server.server_state import ServerState

TOKENS = Tokens("r" * 43, "w" * 43)
STATE = ServerState(
    open_store(":memory:", None, 0.5, None, None, False, None),
    ServerSettings(tokens=TOKENS, allowed=frozenset({"testserver"})),
)
schema = schemathesis.openapi.from_asgi(
    "/v1/openapi.json", create_app(STATE), headers={"Authorization": f"Bearer {TOKENS.write}"}
)


@schemathesis.serializer("application/x-ndjson")
def lines(context: object, value: object) -> bytes:
    """Lines are tested elsewhere: here they are bytes."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@schema.parametrize()
@settings(
    max_examples=40,
    derandomize=True,
    deadline=None,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
def test_the_api_is_what_it_says(case: schemathesis.Case[Any]) -> None:
    # Which bytes are a document cannot be described: those that are none are refused.
    excluded: list[Any] = [positive_data_acceptance] if case.path == "/v1/extract" else []
    case.call_and_validate(headers={"Authorization": f"Bearer {TOKENS.write}"}, excluded_checks=excluded)


def test_every_route_says_what_may_go_wrong() -> None:
    document = create_app(STATE).openapi()
    assert len(document["paths"]) >= 12
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            there = set(operation["responses"])
            assert {"400", "401", "403", "500", "503", "504"} <= there, (method, path)
            if "requestBody" in operation:
                assert {"408", "413", "415", "422"} <= there, (method, path)


@pytest.fixture(scope="module", autouse=True)
def _closed() -> object:
    yield
    STATE.close()
