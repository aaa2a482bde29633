"""Ctrl-C ends a long native call in a KeyboardInterrupt, and soon."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from tests.faults.child import start

LIMIT = 20.0
"""Seconds; each of the calls below would take a minute or more to its end."""

CALLS = {
    "find, all pairs": (
        "texts = [' '.join([f'{i}a{j}' for j in range(100)]) for i in range(20_000)]",
        "la.find(texts, 0.05, method='brute', threads=1)",
    ),
    "find, threads": (
        "texts = [' '.join([f'{i}a{j}' for j in range(100)]) for i in range(30_000)]",
        "la.find(texts, 0.05, method='brute', threads=2)",
    ),
    "sign": (
        "texts = [' '.join([f'{i}a{j}' for j in range(8_000)]) for i in range(300)]",
        "la.sign(texts, la.Recipe(sketch='classic', family='jenkins', hashes=65_535), threads=1)",
    ),
    "sign_sets": (
        "sets = [list(range(i, i + 8_000)) for i in range(300)]",
        "la.sign_sets(sets, la.Recipe(sketch='classic', family='jenkins', hashes=65_535), threads=1)",
    ),
    "passages": (
        "a = ' '.join(f'w{i * 7919 % 5_000_011}' for i in range(5_000_000))",
        "la.passages(a, a[1:], least=3)",
    ),
}

PROGRAM = """
import lookalike as la
{preparation}
print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt as interrupt:
    # The traceback must lead to the line of the caller.
    print("interrupted", interrupt.__traceback__.tb_lineno > 0, flush=True)
else:
    print("finished", flush=True)
# The process is as good as before.
print(la.jaccard("one two three", "one two three"), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT for one process on Windows")
@pytest.mark.parametrize("name", CALLS)
def test_control_c(name: str) -> None:
    preparation, call = CALLS[name]
    with start(PROGRAM.format(preparation=preparation, call=call)) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n", child.stderr.read() if child.stderr else ""
        time.sleep(0.5)  # so that the call is under way
        child.send_signal(signal.SIGINT)
        try:
            out, error = child.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            child.kill()
            pytest.fail(f"{name}: still running {LIMIT:g} s after Ctrl-C")
    assert out.splitlines() == ["interrupted True", "1.0"], error
    assert child.returncode == 0
