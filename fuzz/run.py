"""Looks for inputs that a target does not pass: `python -m fuzz.run TARGET [options and folders of libFuzzer]`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Final

import atheris

SEEDS: Final = Path(__file__).parent / "seeds"


def main() -> None:
    """Run one target until it fails or the time is over."""
    name = sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as folder:
        # Most of lookalike is imported where it is used: by the seeds, before the fuzzer begins to measure.
        with atheris.instrument_imports(include=["lookalike"]):
            from fuzz.mutate import changed_json
            from fuzz.targets import TARGETS

            check = TARGETS[name](Path(folder))
            for path in sorted((SEEDS / name).iterdir()):
                check(path.read_bytes())
        head = 1 if name in ("saved_result", "work_folder") else 0  # a byte that says what the rest is

        def mutate(data: bytes, most: int, seed: int) -> bytes:
            rng = Random(seed)  # the fuzzer wants the same change for the same seed
            made = changed_json(data[head:], rng) if rng.random() < 0.8 else None
            if made is None or head + len(made) > most:
                return bytes(atheris.Mutate(data, most))
            return data[:head] + made

        atheris.Setup(sys.argv, check, custom_mutator=mutate)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
