"""A real PostgreSQL, started for the tests on a private socket, with one database."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import tempfile
import uuid
from pathlib import Path

import pytest

__all__ = ["Server", "server"]


def _binaries() -> Path:
    found = [path.parent for path in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)]
    if (on_path := shutil.which("initdb")) is not None:
        found.append(Path(on_path).parent)
    for folder in found:
        if (folder / "postgres").exists():
            return folder
    pytest.skip("PostgreSQL is not installed: apt install postgresql")


class Server:
    """A server in a folder of its own, which ends with the tests."""

    def __init__(self, *, safe: bool = False) -> None:
        """Make a database cluster and start it; unless it is to be safe, nothing is forced to the disk."""
        self.folder = Path(tempfile.mkdtemp(prefix="lookalike-pg-"))
        self._binaries = _binaries()
        # PostgreSQL refuses to run as root.
        self._user = "postgres" if os.geteuid() == 0 else None
        if self._user is not None:
            shutil.chown(self.folder, self._user)
        self._run("initdb", "-D", str(self.folder / "data"), "-A", "trust", "-U", "tests", "--no-sync", "-E", "UTF8")
        self._fsync = "on" if safe else "off"
        self.start()
        atexit.register(self.stop)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = f"-k {self.folder} -c listen_addresses='' -c max_connections=60 -c fsync={self._fsync}"
        data, log = str(self.folder / "data"), str(self.folder / "log")
        self._run("pg_ctl", "-D", data, "-o", options, "-w", "-l", log, "start")

    def stop_at_once(self) -> None:
        """End it as a crash would."""
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "-w", "stop")

    def _run(self, name: str, *arguments: str) -> None:
        command = [str(self._binaries / name), *arguments]
        done = subprocess.run(command, user=self._user, cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"

    def new_schema(self) -> str:
        """Return the place of an index that is not there yet."""
        return f"{self.url}#t{uuid.uuid4().hex}"

    @property
    def url(self) -> str:
        """Where the database is."""
        return f"postgresql://tests@/postgres?host={self.folder}"

    def stop(self) -> None:
        """End the server, and remove its folder."""
        subprocess.run(
            [str(self._binaries / "pg_ctl"), "-D", str(self.folder / "data"), "-m", "immediate", "stop"],
            user=self._user,
            cwd="/",
            capture_output=True,
            check=False,
        )
        shutil.rmtree(self.folder, ignore_errors=True)


@functools.cache
def server() -> Server:
    """Return the server of this process, started when it is first needed."""
    return Server()
