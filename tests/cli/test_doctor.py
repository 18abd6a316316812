"""`ludus doctor` says what is wrong with a deployment and what to do, and changes nothing."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.server_process import ServerProcess
from typer.testing import CliRunner

from ludus.cli.app import app
from ludus.cli.doctor import check_proxies
from ludus.engines import precompile
from ludus.server.settings import Settings, secret_of
from ludus.storage import FILE, store_for

GOOD = ("✓ the engines are compiled", "✓ the secret that signs tokens is there", "✓ the database can be read")


class Answer(NamedTuple):
    code: int
    printed: str


def diagnose(*words: str | Path) -> Answer:
    done = CliRunner().invoke(app, ["doctor", *map(str, words)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return Answer(done.exit_code, done.output)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of a server that has run."""
    monkeypatch.setattr(precompile, "is_precompiled", lambda: True)
    folder = tmp_path / "data"
    folder.mkdir(0o700)
    secret_of(Settings(data=str(folder)))

    async def create() -> None:
        store = store_for("", folder)
        await store.open()
        await store.close()

    asyncio.run(create())
    return folder


def test_a_sound_installation_gets_only_check_marks(data: Path) -> None:
    code, printed = diagnose("--data", data)
    assert code == 0
    for line in GOOD:
        assert line in printed
    assert "no server is running on it" in printed
    assert "✗" not in printed


def test_a_new_one_is_told_what_the_first_start_does_and_nothing_is_created(tmp_path: Path) -> None:
    code, printed = diagnose("--data", tmp_path / "data")
    assert code == 0
    assert printed.count("the first start creates") == 3
    assert not (tmp_path / "data").exists()


def test_a_damaged_database_is_named(data: Path) -> None:
    (data / FILE).write_bytes(b"not a database, but long enough to be read as one" * 100)
    code, printed = diagnose("--data", data)
    assert code == 1
    assert f"✗ {data / FILE} cannot be read" in printed


def test_a_database_of_a_newer_version_is_named(data: Path) -> None:
    with sqlite3.connect(data / FILE) as connection:
        connection.execute("INSERT INTO migrations VALUES (9999, 'later')")
    connection.close()
    code, printed = diagnose("--data", data)
    assert code == 1
    assert "newer Ludus" in printed


def test_missing_migrations_are_counted_and_not_applied(data: Path) -> None:
    with sqlite3.connect(data / FILE) as connection:
        connection.execute("DELETE FROM migrations WHERE number = (SELECT max(number) FROM migrations)")
    connection.close()
    for _ in range(2):
        assert "! 1 migrations of the database are missing" in diagnose("--data", data).printed


def test_open_folders_weak_secrets_and_full_disks_are_named(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data.chmod(0o755)
    (data / "secret").write_text("short")
    usage = shutil.disk_usage(data)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage._replace(free=50 << 20))
    code, printed = diagnose("--data", data)
    assert code == 1
    assert f"! other users can read {data}" in printed
    assert "✗ 0.1 GB free" in printed
    assert f"✗ {data / 'secret'} holds no secret" in printed


def test_an_absent_postgresql_is_named(data: Path) -> None:
    code, printed = diagnose("--data", data, "--database", f"postgresql:///ludus?host={data}")
    assert code == 1
    assert "✗ the database cannot be used" in printed


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path_factory.mktemp("doctor") / "data", log_level="warning")
    yield server
    server.close()


def test_a_running_server_is_checked_as_its_users_reach_it(server: ServerProcess) -> None:
    code, printed = diagnose("--url", f"{server.url}/", "--data", server.data)
    assert code == 0, printed
    assert "a server is running on it" in printed
    assert f"✓ {server.url} is ready" in printed
    assert "✓ rooms answer over HTTP" in printed
    assert "✓ WebSockets get through" in printed


class Proxy(BaseHTTPRequestHandler):
    """One that knows no WebSockets, in front of a server whose disk is full and whose clock is late."""

    def do_GET(self) -> None:
        is_ready = self.path.startswith("/readyz")
        body = json.dumps({"failed": ["not_storing"]}) if is_ready else '0{"sid":"1"}'
        self.send_response(503 if is_ready else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def date_time_string(self, timestamp: float | None = None) -> str:
        return "Mon, 01 Jan 2024 00:00:00 GMT"

    def log_message(self, *_: Any) -> None: ...


def test_what_a_proxy_and_a_bad_day_do_is_named_with_what_to_do(data: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        code, printed = diagnose("--data", data, "--url", f"http://127.0.0.1:{proxy.server_port}")
        proxy.shutdown()
    assert code == 1
    assert "is not ready: not_storing\n    see whether the disk is full" in printed
    assert "! the server's clock differs from this machine's by -" in printed
    assert "! WebSockets do not get through\n    the proxy must pass on the headers Upgrade and Connection" in printed


def test_an_address_without_a_server_is_named(data: Path) -> None:
    code, printed = diagnose("--data", data, "--url", "http://127.0.0.1:9")
    assert code == 1
    assert "✗ http://127.0.0.1:9 does not answer" in printed


@pytest.mark.parametrize(("url", "proxies", "problems"), [
    ("https://games.example", "", 1),
    ("https://games.example", "10.0.0.0/8", 0),
    ("http://127.0.0.1:8000", "", 0),
])  # fmt: skip
def test_a_proxy_that_is_not_in_the_settings_is_noticed(url: str, proxies: str, problems: int) -> None:
    assert len(list(check_proxies(url, Settings(proxies=proxies)))) == problems
