"""The examples for apps, against one real server: back ends, receivers of webhooks, a chat bot."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import httpx2
import pytest
from tests import npm
from tests.clients.app_folder import AppFolder
from tests.ports import free_port
from tests.server_process import PATIENCE, ServerProcess, Tenant

FOLDER = Path(__file__).parents[2] / "examples"
OPEN = "open at "
numbers = count(1)
pytestmark = pytest.mark.slow
Process = subprocess.Popen[str]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    settings = {"bot_pause": 0, "webhook_private": 1, "webhook_pause_seconds": 0.2, "log_level": "warning"}
    server = ServerProcess(tmp_path_factory.mktemp("server") / "data", **settings)
    yield server
    server.close()


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> AppFolder:
    return AppFolder(tmp_path_factory.mktemp("app"))


@contextmanager
def started(*command: str | Path, **environment: str) -> Iterator[Process]:
    """A program that runs until the end of the block."""
    process = subprocess.Popen(
        [str(word) for word in command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    )
    watchdog = threading.Timer(PATIENCE, process.kill)
    watchdog.start()
    with process:
        try:
            yield process
        finally:
            watchdog.cancel()
            process.kill()


def lines(process: Process) -> Iterator[str]:
    assert process.stdout
    return (line.rstrip("\n") for line in process.stdout)


def until(process: Process, start: str) -> list[str]:
    """All lines to the first that starts like this."""
    found = []
    for line in lines(process):
        found.append(line)
        if line.startswith(start):
            return found
    raise AssertionError(f"no {start!r} in {found}")


def listening(process: Process) -> str:
    """The address that the program prints."""
    return until(process, OPEN)[-1].removeprefix(OPEN)


def tenant_at(server: ServerProcess, url: str) -> Tenant:
    """A tenant whose webhooks go there."""
    return server.tenant(f"App {next(numbers)}", webhook=url)


def resign_a_game(app: AppFolder, server: ServerProcess, tenant: Tenant) -> str:
    """Plays a live game of the tenant; returns the session's id."""
    wanted = {"game": "checkers", "matchType": "bot", "players": [{"id": "ann", "displayName": "Ann"}]}
    made = server.post("/v1/sessions", tenant.live, wanted)
    app.run(Path(__file__).parent / "resign.mjs", server.url, made["sessionToken"])
    return str(made["sessionId"])


def forged(url: str, **headers: str) -> int:
    body = {"event": "game.ended", "deliveryId": "1", "sessionId": "forged", "data": {}}
    return httpx2.post(url, json=body, headers=headers, timeout=60).status_code


@pytest.mark.parametrize("language", ["python", "node"])
def test_a_webhook_receiver_believes_only_signed_deliveries(
    app: AppFolder, server: ServerProcess, language: str
) -> None:
    port = str(free_port())
    tenant = tenant_at(server, url := f"http://127.0.0.1:{port}/hooks")
    in_python: list[str | Path] = [sys.executable, FOLDER / "webhook_receiver.py", "--port", port]
    command = in_python if language == "python" else [npm.NODE, FOLDER / "webhook_receiver.mjs"]
    with started(*command, WEBHOOK_SECRET=tenant.secret, PORT=port) as receiver:
        assert listening(receiver) == url.removesuffix("/hooks")
        assert forged(url) == 401
        assert forged(url, **{"X-Ludus-Signature": "sha256=00", "webhook-id": "1"}) == 401
        session = resign_a_game(app, server, tenant)
        received = until(receiver, f"game.ended {session}")
    assert [line.split()[0] for line in received] == ["session.created", "session.started", "game.ended"]
    assert "resignation" in received[-1]


def test_the_express_back_end_creates_games_and_learns_results(app: AppFolder, server: ServerProcess) -> None:
    port = str(free_port())
    tenant = tenant_at(server, f"http://127.0.0.1:{port}/hooks")
    own = {"LUDUS_URL": server.url, "LUDUS_LIVE_KEY": tenant.live, "WEBHOOK_SECRET": tenant.secret, "PORT": port}
    with started(npm.NODE, app.add(FOLDER / "express") / "server.mjs", **own) as back_end:
        url = listening(back_end)
        assert "<form>" in httpx2.get(url, timeout=60).text
        made = httpx2.post(f"{url}/games", json={"name": "Ann"}, timeout=60).json()
        assert (made["server"], made["game"]) == (server.url, "checkers")
        assert httpx2.post(f"{url}/games", json={"game": "chess"}, timeout=60).status_code == 502
        assert forged(f"{url}/hooks") == 401
        app.run(Path(__file__).parent / "resign.mjs", server.url, made["token"])
        results = wait_for(lambda: httpx2.get(f"{url}/results", timeout=60).json())
    assert [(result["game"], result["reason"]) for result in results] == [("checkers", "resignation")]
    assert results[0]["winner"] != "user-Ann"


def wait_for(ask: Callable[[], list[dict[str, str]]]) -> list[dict[str, str]]:
    """The first answer that isn't empty."""
    until = time.monotonic() + PATIENCE
    while not (found := ask()):
        assert time.monotonic() < until
        time.sleep(0.05)
    return found


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
def test_people_play_through_the_chat_bot(server: ServerProcess, game: str) -> None:
    with started(sys.executable, FOLDER / "chat_bot.py", "--url", server.url) as bot:

        def say(text: str, answer: str) -> str:
            """The last line of the bot's answer."""
            assert bot.stdin
            bot.stdin.write(f"{text}\n")
            bot.stdin.flush()
            return until(bot, answer)[-1]

        assert "!play" in say("ann: !what", "@ann !play")
        say("ben: !move 1", "@ben you have no game")
        say(f"ann: !play {game} easy", "@ann your turn")
        for _ in range(3):
            say("ann: !moves", "@ann 1 ")
            say("ann: !move 1", "@ann your turn")
        say("ann: !move 99", "@ann a number from 1 to")
        say("ann: !play", "@ann you have a game already")
        say("ann: !board", "@ann")
        assert say("ann: !resign", "@ann you do not win") == "@ann you do not win: resignation"
        assert bot.stdin
        bot.stdin.close()
        assert bot.wait(timeout=PATIENCE) == 0
