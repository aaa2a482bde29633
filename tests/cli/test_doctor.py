"""`lookalike doctor`: what it knows, and what it does when something is wrong."""

from __future__ import annotations

import platform
import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike import _native, reference
from lookalike.cli import about
from lookalike.opening import SCHEMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.conftest import Run, Start


def test_says_what_is_installed_and_that_it_works(start: Start) -> None:
    done = start("doctor")
    assert (done.code, done.err) == (0, "")
    build = _native.build_info()
    for expected in (
        la.__version__,
        platform.python_version(),
        f"{build['profile']} build for {build['target']}",
        f"{build['cpu']} in use, {build['threads']} threads",
        build["unicode"],
        la.Recipe().digest,
        "✓ hash functions",
        "✓ signature",
        *(metadata.version(name) for name in ("pyarrow", "typer", "rich", "charset-normalizer")),
    ):
        assert expected in done.out
    assert "✗" not in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_json(run: Run) -> None:
    facts = run("doctor", "--format", "json").json
    assert facts["schema"] == "lookalike/1"
    assert facts["lookalike"] == la.__version__
    assert facts["core"] == {key: value for key, value in _native.build_info().items() if key != "version"}
    assert la.Recipe.parse(facts["recipe"]["default"]) == la.Recipe()
    assert [check["name"] for check in facts["checks"]] == list(about.CHECKS)
    assert all(check["passed"] for check in facts["checks"])
    names = {"client", "excel", "experiments", "postgres", "remote", "server", "spark"}
    assert {extra["name"] for extra in facts["extras"]} == names


def test_the_signature_it_expects_is_that_of_the_specification() -> None:
    import hashlib

    slots = reference.signature(about._SAMPLE, la.Recipe())
    data = b"".join(slot.to_bytes(4, "little") for slot in slots)
    assert hashlib.sha256(data).hexdigest()[:16] == about._SAMPLE_SIGNATURE


@pytest.mark.parametrize("error", [ValueError("murmur3 is 1,\nshould be 2"), ImportError("no pyarrow"), RuntimeError()])
def test_a_check_that_fails_is_shown_and_the_exit_code_is_2(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def check() -> str:
        raise error

    monkeypatch.setitem(about.CHECKS, "sums", check)
    done = run("doctor")
    assert (done.code, done.err) == (2, "")
    assert "✗ sums" in done.out
    assert (" ".join(str(error).split()) or "RuntimeError") in done.out
    assert "✓ signature" in done.out, "the others are still made"
    as_json = run("doctor", "--format", "json")
    assert as_json.code == 2
    assert [check["name"] for check in as_json.json["checks"] if not check["passed"]] == ["sums"]


def test_a_wrong_hash_is_noticed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(about, "_SAMPLE_SIGNATURE", "0000000000000000")
    done = run("doctor")
    assert done.code == 2
    assert "✗ signature" in done.out
    assert "should be 0000000000000000" in done.out


def test_a_debug_build_is_a_warning(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    build: dict[str, Any] = _native.build_info() | {"profile": "debug"}
    monkeypatch.setattr(_native, "build_info", lambda: build)
    done = run("doctor")
    assert done.code == 0
    assert "! this is a debug build of the core, many times slower" in done.out
    assert len(run("doctor", "--format", "json").json["warnings"]) == 1


def test_what_is_missing_comes_with_the_line_that_installs_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        if name not in there:
            raise metadata.PackageNotFoundError(name)
        return there[name]

    monkeypatch.setattr(metadata, "version", version)
    there = {"matplotlib": "3.9", "pillow": "11.0"}
    facts = run("doctor", "--format", "json").json
    assert [(extra["name"], extra["installed"]) for extra in facts["extras"]] == [
        ("client", False),
        ("excel", False),
        ("experiments", True),
        ("postgres", False),
        ("remote", False),
        ("server", False),
        ("spark", False),
    ]
    assert facts["packages"]["pyarrow"] is None
    words = " ".join(run("doctor").out.split())
    assert "experiments installed" in words
    assert "pyarrow not installed" in words
    there = {}
    words = " ".join(run("doctor").out.split())
    assert "experiments not installed; in a clone of lookalike, pip install '.[experiments]'" in words


def test_every_extra_is_one_that_is_declared_and_needed() -> None:
    with (Path(__file__).parents[2] / "pyproject.toml").open("rb") as file:
        declared = tomllib.load(file)["project"]["optional-dependencies"]
    packages = {extra: tuple(re.split(r"[<>=\[]", need)[0] for need in needs) for extra, needs in declared.items()}
    installed = about.declared_extras()  # which a build backend may spell in lower case
    assert {extra: [name.lower() for name in names] for extra, names in packages.items()} == {
        extra: [name.lower() for name in names] for extra, names in installed.items()
    }
    sources = Path(la.__file__).parent.rglob("*.py")
    imported = {line.split()[1].split(".")[0] for path in sources for line in _imports(path)}
    imported |= set(SCHEMES.values())  # each is loaded with its scheme
    modules = {"pillow": "PIL"}  # packages whose modules have another name
    needed = {modules.get(name, name.replace("-", "_").lower()) for names in packages.values() for name in names}
    assert needed <= imported, "an extra that does nothing"


def _imports(path: Path) -> Iterator[str]:
    return (line for line in path.read_text("utf-8").splitlines() if re.match(r"\s*(import|from) ", line))
