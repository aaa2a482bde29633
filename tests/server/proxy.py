"""A real nginx with TLS, started for the tests with the configuration of examples/deployment."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["NAME", "Proxy", "free_port", "proxy"]

NAME: Final = "lookalike.example.org"
_CONFIGURATION: Final = Path(__file__).parents[2] / "examples" / "deployment" / "nginx.conf"
_PATIENCE: Final = 30.0


class Proxy(NamedTuple):
    """Where it is, and whom to trust."""

    plain: int
    """The port for HTTP."""
    safe: int
    """The port for HTTPS."""
    authority: Path
    """The certificate."""

    @property
    def url(self) -> str:
        """Where clients go: the certificate is for this name, too."""
        return f"https://localhost:{self.safe}"


def _nginx() -> str:
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/opt/homebrew/bin")
    if found is None:
        pytest.skip("nginx is not installed: apt install nginx-light")
    return found


def free_port() -> int:
    """Return a port that nobody uses now."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def _certificate(folder: Path) -> tuple[Path, Path]:
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
    names = f"subjectAltName=DNS:{NAME},DNS:localhost,IP:127.0.0.1"
    subprocess.run(
        [*command, "-addext", names, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True
    )
    return certificate, key


def _replaced(text: str, changes: dict[str, str]) -> str:
    """Return the configuration with the places of this test; one that is not in it is a mistake of the test."""
    for old, new in changes.items():
        assert old in text, f"nginx.conf has no {old!r}"
        text = text.replace(old, new)
    return text


@contextmanager
def proxy(folder: Path, *servers: int) -> Iterator[Proxy]:
    """Stand before servers on these ports of this machine."""
    nginx = _nginx()
    certificate, key = _certificate(folder)
    plain, safe = free_port(), free_port()
    site = _replaced(
        _CONFIGURATION.read_text(encoding="utf-8"),
        {
            "server 127.0.0.1:8765;": " ".join(f"server 127.0.0.1:{port};" for port in servers),
            "listen 80;": f"listen 127.0.0.1:{plain};",
            "listen 443 ssl;": f"listen 127.0.0.1:{safe} ssl;",
            f"server_name {NAME};": f"server_name {NAME} localhost;",
            "/etc/lookalike/certificate.pem": str(certificate),
            "/etc/lookalike/key.pem": str(key),
        },
    )
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole = (
        f"daemon off;\nmaster_process off;\npid {folder}/nginx.pid;\nerror_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{\naccess_log {folder}/access.log;\n{temporary}{site}\n}}\n"
    )
    (folder / "nginx.conf").write_text(whole, encoding="utf-8")
    command = [nginx, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
    checked = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    assert not re.search(r"\[(warn|error|emerg)\]", checked.stderr), checked.stderr
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            _wait_for(safe, process)
            yield Proxy(plain, safe, certificate)
        finally:
            process.terminate()
            process.communicate(timeout=_PATIENCE)


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        try:
            socket.create_connection(("127.0.0.1", port), 1.0).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("nginx does not listen")
