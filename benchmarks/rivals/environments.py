"""One virtual environment for each engine, in .bench, which git does not see; made when its requirements change.

Versions are pinned, all of them, and installed without their own wishes (--no-deps): what an engine needs is listed.
So has lookalike one: what else the project's own environment holds would be loaded with it (pyarrow loads pandas).
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.measure import ROOT, usual_environment
from benchmarks.rivals.catalogue import OWN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.rivals.catalogue import Engine

__all__ = ["BENCH", "Ready", "environment", "make_ready"]

BENCH: Final = ROOT / ".bench"
STAMP: Final = "lookalike-requirements"
PATIENCE: Final = 600.0

Ready = dict[str, Path | str]
"""By the folder of an engine: the Python to run it with, or the reason why there is none."""


def make_ready(engines: Iterable[Engine]) -> Ready:
    """Make what is missing, two at a time: much of it is waiting."""
    by_folder = {engine.folder: engine for engine in engines}
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(by_folder, pool.map(_one, by_folder.values()), strict=True))


def _one(engine: Engine) -> Path | str:
    digest = hashlib.sha256(engine.requirements.read_bytes() + sys.version.encode()).hexdigest()
    # Compiled when first used: a third of the time.
    python = environment(BENCH / engine.folder, digest, "--no-deps", "--no-compile", "-r", str(engine.requirements))
    if engine.folder == OWN and isinstance(python, Path):
        site = next((BENCH / OWN / "lib").glob("python*/site-packages"))
        (site / "lookalike-sources.pth").write_text(f"{ROOT / 'src'}\n", encoding="utf-8")
    return python


def environment(folder: Path, digest: str, *arguments: str) -> Path | str:
    """Return the Python of an environment with what the arguments of `pip install` name, or why there is none.

    It is made again if the digest differs from that of last time.
    """
    python, stamp = folder / "bin" / "python", folder / STAMP
    if stamp.exists() and stamp.read_text(encoding="ascii") == digest:
        return python
    shutil.rmtree(folder, ignore_errors=True)
    make = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    try:
        for command in (make, [*install, "--disable-pip-version-check", *arguments]):
            subprocess.run(
                command, check=True, capture_output=True, text=True, timeout=PATIENCE, env=usual_environment()
            )
    except subprocess.CalledProcessError as error:
        return _last_line(error.stderr)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{type(error).__name__} while it was installed"
    stamp.write_text(digest, encoding="ascii")
    return python


def _last_line(text: str) -> str:
    """Return the last line of what pip says: the error."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "pip failed without a word"
