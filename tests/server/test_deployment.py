"""docs/deployment.md: its files are those of examples/deployment, and they work."""

from __future__ import annotations

import configparser
import http.client
import json
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from typer.main import get_command

import lookalike as la
from lookalike.cli.commands import app
from tests.index.postgres import server
from tests.server.proxy import NAME, proxy
from tests.server.served import Served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.server.proxy import Proxy

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "deployment.md"
FILES: Final = ROOT / "examples" / "deployment"


def quoted() -> dict[str, str]:
    """Each file that the page shows, with what it shows."""
    page = PAGE.read_text(encoding="utf-8")
    return dict(re.findall(r"<!-- file: (\S+) -->\n```text\n(.*?)```\n", page, re.DOTALL))


def test_the_page_shows_the_files_as_they_are() -> None:
    shown = quoted()
    assert set(shown) == {path.relative_to(ROOT).as_posix() for path in FILES.iterdir()}
    for name, text in shown.items():
        assert text == (ROOT / name).read_text(encoding="utf-8"), name


def options_of(command: str) -> set[str]:
    """The options that a command has."""
    given: Any = get_command(app)
    for word in command.split():
        given = given.get_command(None, word)
    return {spelling for parameter in given.params for spelling in parameter.opts}


def check_command(words: list[str]) -> None:
    """Fail on a command line of lookalike with options that there are not."""
    name = words[0]
    if name == "index":
        name = " ".join(words[:2])
    given = {word.partition("=")[0] for word in words if word.startswith("--")}
    assert given <= options_of(name), f"{name}: {given - options_of(name)}"


def test_the_commands_of_the_page_have_the_options_that_it_gives_them() -> None:
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    commands = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    seen = 0
    for command in commands:
        words = shlex.split(command)
        for place, word in enumerate(words):
            if word.endswith("bin/lookalike") or (
                word == "lookalike" and words[place + 1 :][:1] in (["index"], ["serve"])
            ):
                check_command(words[place + 1 :])
                seen += 1
    assert seen >= 9


# -- systemd -----------------------------------------------------------------------------------------------------------


def unit() -> configparser.RawConfigParser:
    """The unit; a setting that is given twice has its last value here."""
    found = configparser.RawConfigParser(strict=False, delimiters=("=",))
    found.optionxform = str  # type: ignore[assignment,method-assign]
    found.read_string((FILES / "lookalike.service").read_text(encoding="utf-8").replace("\\\n", " "))
    return found


def test_the_unit_starts_the_server_and_holds_it() -> None:
    service = unit()["Service"]
    program, *words = shlex.split(service["ExecStart"])
    assert program == "/opt/lookalike/bin/lookalike"
    check_command(words)
    for setting in ("NoNewPrivileges", "PrivateTmp", "PrivateDevices", "ProtectHome", "RestrictNamespaces"):
        assert service[setting] == "yes", setting
    assert (service["ProtectSystem"], service["CapabilityBoundingSet"]) == ("strict", "")
    assert service["User"] != "root"


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    """Where systemd is: elsewhere the test above has to do."""
    if (analyze := shutil.which("systemd-analyze")) is None:
        return
    text = (FILES / "lookalike.service").read_text(encoding="utf-8")
    path = tmp_path / "lookalike.service"
    path.write_text(text.replace("/opt/lookalike/bin/lookalike", str(Path(sys.executable).with_name("lookalike"))))
    verified = subprocess.run([analyze, "verify", "--man=no", str(path)], capture_output=True, text=True, check=False)
    about = [line for line in verified.stderr.splitlines() if "lookalike.service" in line]
    assert about == [], verified.stderr
    path.write_text(text + "\n[Service]\nProtectSytem=strict\n")
    wrong = subprocess.run([analyze, "verify", "--man=no", str(path)], capture_output=True, text=True, check=False)
    assert "ProtectSytem" in wrong.stderr, "a mistake would be seen"


# -- the container -----------------------------------------------------------------------------------------------------


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Containerfile, with what they are given."""
    text = (FILES / "Containerfile").read_text(encoding="utf-8")
    lines = [line for line in text.replace("\\\n", " ").splitlines() if line.strip() and not line.startswith("#")]
    return [(name, rest.strip()) for name, _, rest in (line.partition(" ") for line in lines)]


def test_the_container_file_can_be_read() -> None:
    known = {"FROM", "RUN", "COPY", "ENV", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD"}
    found = instructions()
    assert {name for name, _ in found} <= known
    last = found[max(place for place, (name, _) in enumerate(found) if name == "FROM") :]
    stages = [rest.partition(" AS ")[2] for name, rest in found if name == "FROM"]
    for name, rest in found:
        if name == "COPY" and (stage := re.match(r"--from=(\S+)", rest)):
            assert stage[1] in stages
        elif name == "COPY":
            for source in rest.split()[:-1]:
                assert (ROOT / source).exists(), source
    single = dict(last)
    assert single["USER"] == "10001:10001"
    (program,) = json.loads(single["ENTRYPOINT"])
    words = json.loads(single["CMD"])
    assert program == "/opt/lookalike/bin/lookalike"
    check_command(words)
    assert words[words.index("--port") + 1] == single["EXPOSE"]
    assert "--token-file" in words, "it is open to others, so it needs tokens"
    probe = json.loads(single["HEALTHCHECK"].partition(" CMD ")[2])
    compile(probe[2], "the probe", "exec")


# -- the proxy ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[tuple[Proxy, Served]]:
    """A server with tokens behind nginx."""
    with la.Index.open(tmp_path / "index.db", create=True) as index:
        index.add({"first": "one two three four five six seven"})
    tokens = tmp_path / "tokens"
    tokens.write_text(f"read {'r' * 40}\nwrite {'w' * 40}\n", encoding="ascii")
    tokens.chmod(0o600)
    options = ("--token-file", str(tokens), "--allow-host", NAME)
    (tmp_path / "nginx").mkdir()
    with (
        Served(tmp_path / "index.db", *options, log=tmp_path / "log") as served,
        proxy(tmp_path / "nginx", served.port) as before,
    ):
        yield before, served


def test_a_client_over_tls(behind: tuple[Proxy, Served], monkeypatch: pytest.MonkeyPatch) -> None:
    before, _ = behind
    with (
        la.Client(before.url, "w" * 40) as client,
        pytest.raises(la.ServerError, match="untrusted certificate"),
    ):
        client.info()
    monkeypatch.setenv("SSL_CERT_FILE", str(before.authority))
    with la.Client(before.url, "w" * 40) as client:
        ids = ["", ".", "..", "a/../b", "a%2Fb", "a//b", "😀 ?&#", "%00"]
        assert client.add({name: f"text of {name!r} number {place}" for place, name in enumerate(ids)}) == len(ids)
        assert list(client) == ["first", *ids]
        for name in ids:
            assert client.get(name).startswith(f"text of {name!r}")
            assert client.remove([name]) == 1
        assert client.query("one two three four five six seven").ids == ["first"]
        assert client.add({f"n{number}": "word " * 2000 + str(number) for number in range(1500)}) == 1500
    with la.Client(before.url) as client, pytest.raises(la.ServerError, match="answers 401"):
        client.info()


def test_what_the_proxy_keeps_to_itself(behind: tuple[Proxy, Served]) -> None:
    before, served = behind

    def ask(port: int, path: str, method: str = "GET") -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request(method, path, headers={"Host": NAME, "Authorization": f"Bearer {'r' * 40}"})
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer

    assert (ask(before.plain, "/").status, ask(before.plain, "/").getheader("Location")) == (301, f"https://{NAME}/")
    assert ask(before.plain, "/v1/info").status == 403
    assert ask(before.plain, "/v1/check", "POST").status == 403
    import ssl

    context = ssl.create_default_context(cafile=str(before.authority))
    connection = http.client.HTTPSConnection("localhost", before.safe, timeout=30, context=context)
    for path, status in (("/v1/metrics", 404), ("/v1/health", 200), ("/v1/info", 200)):
        connection.request("GET", path, headers={"Host": NAME, "Authorization": f"Bearer {'r' * 40}"})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == status, path
        assert answer.getheader("Strict-Transport-Security") or path == "/v1/metrics"
    connection.close()
    assert ask(served.port, "/v1/metrics").status == 200


def test_one_address_has_so_many_requests_in_progress(behind: tuple[Proxy, Served]) -> None:
    """Bodies that do not come fill the connections of one address, not those of the server."""
    import ssl

    before, _ = behind
    context = ssl.create_default_context(cafile=str(before.authority))

    def begin(address: str) -> http.client.HTTPSConnection:
        connection = http.client.HTTPSConnection(
            "localhost", before.safe, timeout=30, context=context, source_address=(address, 0)
        )
        connection.putrequest("POST", "/v1/check", skip_host=True)
        for name, said in (
            ("Host", NAME),
            ("Authorization", f"Bearer {'r' * 40}"),
            ("Content-Type", "application/json"),
            ("Content-Length", "13"),
        ):
            connection.putheader(name, said)
        connection.endheaders()
        return connection

    with ExitStack() as stack:
        connections = [stack.enter_context(closing(begin("127.0.0.2"))) for _ in range(40)]
        others = stack.enter_context(closing(begin("127.0.0.1")))
        others.send(b'{"text": "a"}')
        assert others.getresponse().status == 200
        for connection in connections[16:]:
            assert connection.getresponse().status == 503
        for connection in connections[:16]:
            connection.send(b'{"text": "a"}')
            assert connection.getresponse().status == 200


def test_lines_are_passed_on_as_they_come(behind: tuple[Proxy, Served]) -> None:
    """The first answer is there before the last line is sent: neither side is held back."""
    import ssl

    before, _ = behind
    context = ssl.create_default_context(cafile=str(before.authority))
    connection = http.client.HTTPSConnection("localhost", before.safe, timeout=30, context=context)
    connection.putrequest("POST", "/v1/check?threshold=0.8", skip_host=True)
    for name, said in (
        ("Host", NAME),
        ("Authorization", f"Bearer {'r' * 40}"),
        ("Content-Type", "application/x-ndjson"),
        ("Transfer-Encoding", "chunked"),
    ):
        connection.putheader(name, said)
    connection.endheaders()
    line = json.dumps({"id": "new", "text": "one two three four five six seven"}).encode() + b"\n"
    connection.send(b"%x\r\n%b\r\n" % (len(line), line))
    answer = connection.getresponse()
    assert json.loads(answer.readline())["hits"][0]["id"] == "first"
    connection.send(b"%x\r\n%b\r\n" % (len(line), line) + b"0\r\n\r\n")
    assert json.loads(answer.readline())["query"] == "new"
    assert answer.readline() == b""
    connection.close()


# -- several processes -------------------------------------------------------------------------------------------------


def test_two_processes_on_one_database(tmp_path: Path) -> None:
    where = server().new_schema()
    la.Index.open(where, create=True).close()
    with (
        Served(where, log=tmp_path / "a") as first,
        Served(where, log=tmp_path / "b") as second,
        la.Client(first.url) as one,
        la.Client(second.url) as other,
    ):
        for number in range(20):
            text = f"document number {number} " + " ".join(f"w{number}x{place}" for place in range(30))
            assert one.add({f"d{number}": text}) == 1
            assert other.query(text).ids == [f"d{number}"], "what is acknowledged is seen by all"
        assert other.remove(["d3"]) == 1
        assert "d3" not in one
        assert len(one) == len(other) == 19


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_workers_share_an_index(tmp_path: Path, kind: str) -> None:
    where = str(tmp_path / "index.db") if kind == "sqlite" else server().new_schema()
    la.Index.open(where, create=True).close()
    with Served(where, "--workers", "2", log=tmp_path / "log") as served:
        for number in range(10):
            with la.Client(served.url) as client:  # each has a connection of its own, and so some worker
                text = " ".join(f"w{number}x{place}" for place in range(30))
                assert client.add({f"d{number}": text}) == 1
            with la.Client(served.url) as client:
                assert client.query(text).ids == [f"d{number}"]
        assert served.stop() == 0


def test_two_servers_on_one_file_restart_one_after_the_other(tmp_path: Path) -> None:
    """And commands read and write beside them: nothing that was acknowledged is lost."""
    where = tmp_path / "index.db"
    la.Index.open(where, create=True).close()
    more = tmp_path / "more"
    more.mkdir()
    with Served(where, log=tmp_path / "a") as first, Served(where, log=tmp_path / "b") as second:
        ids: list[str] = []

        def add(server: Served) -> None:
            with la.Client(server.url, retries=20) as client:
                for _ in range(20):
                    ids.append(f"d{len(ids)}")
                    client.add({ids[-1]: " ".join(f"{ids[-1]}x{place}" for place in range(30))})

        for round_ in range(2):
            (more / f"{round_}.txt").write_text(f"what a command adds in round {round_}, {'word ' * round_}")
            for server in (first, second):
                add(server)
                for words in (
                    ["add", where, more / f"{round_}.txt", "--skip-existing"],
                    ["verify", where],
                    ["compact", where],
                ):
                    command = [sys.executable, "-m", "lookalike", "index", *map(str, words)]
                    done = subprocess.run(command, capture_output=True, text=True, check=False)
                    assert done.returncode == 0, done.stderr
                add(server)
                assert server.stop() == 0
                add(second if server is first else first)
                server.start()
                add(server)
        for server in (first, second):
            with la.Client(server.url) as client:
                assert set(ids) <= set(client)
                assert len(client) == len(ids) + 2
    with la.Index.open(where) as index:
        assert set(ids) <= set(index)
        assert index.verify().ok


def test_a_client_waits_for_a_server_that_restarts(tmp_path: Path) -> None:
    la.Index.open(tmp_path / "index.db", create=True).close()
    with Served(tmp_path / "index.db", log=tmp_path / "log") as served, la.Client(served.url, retries=20) as client:
        assert client.add({"a": "one two three"}) == 1
        assert served.stop() == 0
        import threading

        later = threading.Timer(0.5, served.start)
        later.start()
        try:
            assert client.query("one two three").ids == ["a"]
        finally:
            later.join()
