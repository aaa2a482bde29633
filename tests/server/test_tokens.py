"""Tokens: who may do what, and the file that they are in."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.server import Tokens, make_tokens, read_tokens

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from tests.server.live import Site

    Serve = Callable[..., AbstractContextManager[Site]]

READ, WRITE = "r" * 43, "w" * 43
TOKENS = Tokens(READ, WRITE)
TEXT = {"text": "one two three"}
READING: list[tuple[str, str, Any]] = [
    ("GET", "/v1/info", None),
    ("GET", "/v1/documents", None),
    ("GET", "/v1/documents/a", None),
    ("GET", "/v1/document?id=a", None),
    ("GET", "/v1/groups", None),
    ("GET", "/v1/pairs", None),
    ("GET", "/v1/histogram", None),
    ("GET", "/v1/metrics", None),
    ("GET", "/v1/openapi.json", None),
    ("POST", "/v1/check", TEXT),
    ("POST", "/v1/compare", {"a": TEXT, "b": TEXT}),
]
WRITING: list[tuple[str, str, Any]] = [
    ("POST", "/v1/documents", {"id": "a", **TEXT}),
    ("PUT", "/v1/documents/a", TEXT),
    ("PUT", "/v1/document?id=a", TEXT),
    ("DELETE", "/v1/documents/a", None),
    ("DELETE", "/v1/document?id=a", None),
]


def ask(site: Site, method: str, path: str, value: Any, **headers: str) -> int:
    if method == "POST":
        return site.post(path, value, headers).status
    if value is not None:
        return site.ask(method, path, b'{"text": "one"}', {"Content-Type": "application/json", **headers}).status
    return site.ask(method, path, None, headers).status


def test_the_table_of_rights(serve_memory: Serve) -> None:
    with serve_memory(tokens=TOKENS) as site:
        for method, path, value in READING + WRITING:
            for wrong in ("", "x" * 43, READ[:-1], READ + "r", WRITE.upper(), READ + WRITE):
                site.token = wrong
                assert ask(site, method, path, value) == 401, (method, path, wrong)
        site.token = READ
        for method, path, value in WRITING:
            assert ask(site, method, path, value) == 403, (method, path)
        assert site.get("/v1/info").json["documents"] == 0
        site.token = WRITE
        for method, path, value in READING + WRITING:
            assert ask(site, method, path, value) not in (401, 403), (method, path)
        site.post("/v1/documents", {"id": "a", **TEXT})
        site.token = READ
        for method, path, value in READING:
            assert ask(site, method, path, value) == 200, (method, path)
        assert site.get("/v1/info").json["may"] == ["read"]


def test_what_needs_no_token(serve_memory: Serve) -> None:
    with serve_memory(tokens=TOKENS) as site:
        for path in ("/v1/health", "/v1/ready"):
            assert site.get(path).status == 200
        assert site.get("/").status not in (401, 403)
        answer = site.get("/v1/info")
        assert answer.status == 401
        assert answer.headers["www-authenticate"] == 'Bearer realm="lookalike"'


@pytest.mark.parametrize(
    "header",
    [f"Basic {WRITE}", WRITE, "Bearer", f"Bearer {WRITE} {WRITE}", f"Bearer,{WRITE}", f"Token {WRITE}"],
)
def test_other_ways_to_give_a_token(serve_memory: Serve, header: str) -> None:
    with serve_memory(tokens=TOKENS) as site:
        assert site.ask("GET", "/v1/info", headers={"Authorization": header}).status == 401
        assert site.get("/v1/info", token=WRITE, access_token=WRITE).status == 401
        assert site.ask("GET", "/v1/info", headers={"Cookie": f"token={WRITE}"}).status == 401


def test_a_server_that_is_read_only(serve_memory: Serve) -> None:
    for tokens in (None, TOKENS):
        with serve_memory(tokens=tokens, read_only=True) as site:
            site.token = WRITE if tokens else ""
            for method, path, value in WRITING:
                assert ask(site, method, path, value) == 403
            assert site.get("/v1/info").json["may"] == ["read"]
            assert site.post("/v1/check", TEXT).status == 200


# -- the file ----------------------------------------------------------------------------------------------------------


def test_a_new_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        made = make_tokens(tmp_path / "tokens")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "tokens").stat().st_mode) == 0o600
    assert read_tokens(tmp_path / "tokens") == made
    assert len(made.read) >= 43
    assert made.read != made.write
    assert make_tokens(tmp_path / "others") != made
    assert made.read not in repr(made)
    with pytest.raises(la.DocumentError, match="exists already"):
        make_tokens(tmp_path / "tokens")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o620, 0o644, 0o601])
def test_a_file_that_others_can_use_is_refused(tmp_path: Path, mode: int) -> None:
    make_tokens(tmp_path / "tokens")
    (tmp_path / "tokens").chmod(mode)
    with pytest.raises(la.DocumentError, match="chmod 600"):
        read_tokens(tmp_path / "tokens")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "read " + READ,
        f"read {READ}\nwrite {READ}",
        f"read {READ}\nwrite short",
        f"read {READ}\nwrite {WRITE}\nread {READ}",
        f"read {READ}\nwrite {WRITE}\nadmin {READ}",
        f"{READ}\n{WRITE}",
        "read " + "ä" * 40 + f"\nwrite {WRITE}",
        "x" * 10_000,
    ],
)
def test_a_file_with_something_else(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tokens"
    path.write_text(content, encoding="utf-8")
    path.chmod(0o600)
    with pytest.raises(la.DocumentError, match="write two lines") as caught:
        read_tokens(path)
    assert READ not in str(caught.value)


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(la.DocumentError, match="is not a file"):
        read_tokens(tmp_path / "pipe")
    with pytest.raises(la.DocumentError, match="cannot be opened"):
        read_tokens(tmp_path / "nowhere")


def test_the_command_makes_the_file_and_ends(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lookalike", "serve", "--make-tokens", "tokens.txt"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "tokens.txt: a token for reading and one for writing\n"
    tokens = read_tokens(tmp_path / "tokens.txt")
    assert tokens.write not in done.stdout
