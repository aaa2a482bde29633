"""Many connections that ask a server at the same time: what fails, how long answers take, what memory is used."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import lookalike as la
from tests.server.served import Served

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["run_load"]

_WORDS: Final = [f"w{number}" for number in range(2_000)]
_DOCUMENTS: Final = 500
_SETTLED: Final = 10.0
"""Seconds after which all that is made once has been made, so that more memory is a leak."""


@dataclass(slots=True)
class _Seen:
    """What one connection saw."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)


def _texts(seed: int) -> dict[str, str]:
    rng = random.Random(seed)
    return {f"d{number}": " ".join(rng.choices(_WORDS, k=200)) for number in range(_DOCUMENTS)}


def _ask(port: int, texts: list[str], seed: int, end: float, seen: _Seen) -> None:
    rng = random.Random(seed)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": "application/json"}
    try:
        while time.monotonic() < end:
            text = rng.choice(texts)
            body = json.dumps({"text": text, "top": 3, "threshold": 0.8}).encode()
            began = time.monotonic()
            try:
                connection.request("POST", "/v1/check", body, headers)
                answer = connection.getresponse()
                content = answer.read()
            except (OSError, http.client.HTTPException) as error:
                seen.statuses[type(error).__name__] += 1
                connection.close()
                continue
            seen.seconds.append(time.monotonic() - began)
            right = answer.status == 200 and json.loads(content)["hits"][0]["jaccard"] == 1.0
            seen.statuses["right" if right else f"status {answer.status}"] += 1
    finally:
        connection.close()


def run_load(folder: Path, connections: int, seconds: float, seed: int) -> dict[str, Any]:
    """Ask a server on a new index over so many connections for so long; every document is its own nearest hit."""
    where, documents = folder / "load.db", _texts(seed)
    with la.Index.open(where, create=True) as index:
        index.add(documents)
    with Served(where, log=folder / "load.log") as served:
        end = time.monotonic() + seconds
        all_seen = [_Seen() for _ in range(connections)]
        texts = list(documents.values())
        threads = [
            threading.Thread(target=_ask, args=(served.port, texts, seed + number, end, seen), daemon=True)
            for number, seen in enumerate(all_seen)
        ]
        for thread in threads:
            thread.start()
        time.sleep(min(_SETTLED, seconds / 2))
        settled = served.memory()
        for thread in threads:
            thread.join(seconds + 120.0)
            assert not thread.is_alive(), "a connection hangs"
        at_the_end = served.memory()
        assert served.stop() == 0, served.logged()[-2000:]
    statuses = sum((seen.statuses for seen in all_seen), Counter())
    times = sorted(second for seen in all_seen for second in seen.seconds)
    return {
        "connections": connections,
        "seconds": seconds,
        "answers": dict(statuses),
        "requests per second": round(len(times) / seconds, 1),
        "p50 ms": round(1000 * times[len(times) // 2], 1),
        "p99 ms": round(1000 * times[len(times) * 99 // 100], 1),
        "memory MB": [round(settled / 1e6, 1), round(at_the_end / 1e6, 1)],
    }
