"""The two wheels, each in an environment of its own in .bench; both with the dependencies of this one's versions."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.measure import ROOT, usual_environment
from benchmarks.rivals.environments import BENCH, environment

__all__ = ["Wheel", "install", "tree_wheel", "wheel_of"]


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel, and the commit that it was built from; a + after it means that files differed from the commit."""

    path: Path
    commit: str | None = None

    @property
    def digest(self) -> str:
        """The SHA-256 of the file."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()

    @property
    def shown(self) -> str:
        """What tables call it."""
        return self.commit or f"{self.path.name} ({self.digest[:12]})"

    def record(self) -> dict[str, Any]:
        """Return what is recorded of it."""
        return {"commit": self.commit, "wheel": self.path.name, "sha256": self.digest}


def wheel_of(name: str) -> Wheel:
    """Return the wheel that a path names, or that of a revision: built at the first time, then kept in .bench."""
    path = Path(name)
    if path.suffix == ".whl":
        if not path.is_file():
            raise ValueError(f"{name} does not exist")
        return Wheel(path.resolve())
    commit = _git("rev-parse", "--short=12", "--verify", "--quiet", f"{name}^{{commit}}").decode().strip()
    if not commit:
        raise ValueError(f"{name} is neither a wheel nor a revision")
    folder = BENCH / "wheels" / commit
    if not folder.exists():
        # An archive, not a worktree: nothing of it stays in the repository if the build is interrupted. Its files are
        # as old as the commit, so Cargo would take what it built at another commit in this folder for up to date: each
        # commit has a folder of its own.
        tree = BENCH / f"tree-{commit}"
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir(parents=True)
        subprocess.run([shutil.which("tar") or "tar", "-x", "-C", str(tree)], input=_git("archive", commit), check=True)
        _build(tree, folder, {"CARGO_TARGET_DIR": str(BENCH / "target")})
        shutil.rmtree(tree)
    return Wheel(_only_wheel(folder), commit)


def tree_wheel(commit: str) -> Wheel:
    """Return the wheel of the working tree, which differs from the commit; it is built each time."""
    folder = BENCH / "wheels" / "tree"
    shutil.rmtree(folder, ignore_errors=True)
    _build(ROOT, folder, {})
    return Wheel(_only_wheel(folder), commit)


def install(wheel: Wheel, folder: Path) -> Path:
    """Return the folder of programs of an environment with a wheel, made again if anything in it would differ."""
    versions = sorted(f"{each.name}=={each.version}" for each in metadata.distributions() if each.name != "lookalike")
    pinned = folder.with_suffix(".txt")
    pinned.parent.mkdir(exist_ok=True)
    pinned.write_text("\n".join(versions) + "\n", encoding="utf-8")
    digest = hashlib.sha256(" ".join([wheel.digest, sys.version, *versions]).encode()).hexdigest()
    # Compiled when installed, or the first to be measured would compile for both.
    python = environment(folder, digest, "--constraint", str(pinned), str(wheel.path))
    if isinstance(python, str):
        raise ValueError(f"{wheel.shown} cannot be installed: {python}")  # noqa: TRY004 - not a wrong type
    return python.parent


def _build(tree: Path, folder: Path, variables: dict[str, str]) -> None:
    """Build a wheel; the folder appears when it is complete."""
    unfinished = folder.with_name(f"{folder.name}.{os.getpid()}.tmp")
    maturin = str(Path(sys.executable).with_name("maturin"))
    command = [maturin, "build", "--release", "--quiet", "--interpreter", sys.executable, "--out", str(unfinished)]
    print(f"building {folder.name} …", flush=True)
    done = subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        cwd=tree,
        env=usual_environment() | {"PYO3_PYTHON": sys.executable} | variables,
    )
    if done.returncode:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise ValueError(f"{folder.name} cannot be built: {done.stderr.strip()[-1000:]}")
    unfinished.rename(folder)


def _only_wheel(folder: Path) -> Path:
    (wheel,) = folder.glob("*.whl")
    return wheel


def _git(*words: str) -> bytes:
    command = ["git", "-c", "safe.directory=*", "-C", str(ROOT), *words]
    return subprocess.run(command, check=False, capture_output=True).stdout
