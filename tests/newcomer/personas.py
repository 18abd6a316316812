"""The first ten minutes of each kind of user, from the README: each function does what one of them would do."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
from collections.abc import Callable
from typing import Any

import httpx2
import socketio

from .machine import PATIENCE, Machine, Server, readme_block

NOBODY = 65534
MAKE = """
import gymnasium
import ludus.envs.gym
env = gymnasium.make("ludus/Checkers-v0")
observation, info = env.reset(seed=1)
assert env.observation_space.contains(observation)
"""
REPLIES = 3
"""Of the bot, to which the app's player resigns."""
LOCAL_LINK = re.compile(r"""(?:href|src)=["'](/[^"'#]*)""")
CANNOT_BE_ANOTHER_USER = "" if os.getuid() == 0 and shutil.which("setpriv") else "needs root and setpriv"


def player(machine: Machine) -> None:
    """Plays in the terminal, then opens the page and everything it loads."""
    assert machine("ludus", "--version").startswith("ludus ")
    board = machine("ludus", "play", "checkers", "--bot", "easy", "--no-pause", stdin="11-15\nresign\ny\n")
    assert "white: 2" in board, board
    with machine.serving() as server:
        page = server.get("/")
        assert page.status_code == 200
        assert "<title>" in page.text
        addresses = set(LOCAL_LINK.findall(page.text))
        assert addresses, page.text
        for address in sorted(addresses):
            assert server.get(address).status_code == 200, address


def app(machine: Machine) -> None:
    """Creates a session with the key that the server printed, and plays a bot over Socket.IO."""
    with machine.serving() as server:
        over = asyncio.run(play_in_a_room(server))
    assert over["reason"] == "resignation", over


async def play_in_a_room(server: Server) -> dict[str, Any]:
    """Plays the first legal move there is, resigns once the bot has replied to three, and returns the end."""
    players = [{"id": "ann", "displayName": "Ann"}]
    bot = {"game": "checkers", "matchType": "bot", "botDifficulty": "easy", "players": players}
    session = server.post("/v1/sessions", bot)
    client, rooms, news = socketio.AsyncClient(), "/checkers", asyncio.Queue[tuple[str, Any]]()
    client.on("*", lambda event, data: news.put_nowait((event, data)), namespace=rooms)
    await client.connect(server.url, auth={"token": session["sessionToken"]}, namespaces=[rooms])
    await client.emit("matchmaking:join", {}, namespace=rooms)
    me, room, turns = "", "", 0
    while True:
        event, data = await asyncio.wait_for(news.get(), PATIENCE)
        if event == "game:over":
            await client.disconnect()
            over: dict[str, Any] = data
            return over
        if event == "game:started":
            me, room = data["color"], data["roomId"]
        if event in ("game:started", "game:move:made") and data["currentColor"] == me:
            turns += 1
            if turns > REPLIES:
                await client.emit("game:resign", {"roomId": room}, namespace=rooms)
            else:
                await play_first(client, rooms, room, data["board"], me)


async def play_first(client: Any, rooms: str, room: str, board: list[Any], color: str) -> None:
    for square, piece in enumerate(board):
        if piece and piece["player"] == color:
            request = {"roomId": room, "position": square}
            if moves := (await client.call("game:get_moves", request, namespace=rooms))["moves"]:
                await client.emit("game:move", {"roomId": room, "move": moves[0]}, namespace=rooms)
                return


def agent(machine: Machine) -> None:
    """The README's agent registers, is paired with a house bot and plays a rated game to the end."""
    with machine.serving() as server:
        code = readme_block("Ten lines for an agent", "py").replace("http://127.0.0.1:8000", server.url)
        script = machine.home / "agent.py"
        script.write_text(code)
        printed = machine("python", script)
        matches = server.get("/api/matches?gameId=backgammon&status=finished").text
    assert printed.splitlines()[-1].startswith(("win ", "loss ")), printed
    assert "Ten Lines" in matches, matches


def researcher(machine: Machine) -> None:
    """The README's learning code, then Gymnasium by name."""
    lines = readme_block("Ten lines for learning code", "python")
    (machine.home / "readme.txt").write_text(lines)
    machine("python", "-m", "doctest", "readme.txt")
    machine("python", "-c", MAKE)


def operator(machine: Machine) -> None:
    """Configures, creates a tenant, reads probes and metrics; kills the server and finds the game again."""
    data = machine.home / "data"
    assert "port" in machine("ludus", "config")
    players = [{"id": "ann", "displayName": "Ann"}]
    with machine.serving(data=data) as server:
        machine("ludus", "tenant", "create", "My app", "--data", data)
        assert "My app" in machine("ludus", "tenant", "list", "--data", data)
        session = server.post("/v1/sessions", {"game": "checkers", "matchType": "bot", "players": players})
        for address in ("/healthz", "/readyz", "/metrics"):
            assert server.get(address).status_code == 200, address
        server.process.send_signal(signal.SIGKILL)
    with machine.serving(data=data) as again:
        address = f"{again.url}/v1/sessions/{session['sessionId']}"
        headers = {"Authorization": f"Bearer {server.live_key}"}
        found = httpx2.get(address, params={"game": "checkers"}, headers=headers, timeout=PATIENCE)
        assert found.status_code == 200, found.text


def hardened(machine: Machine) -> None:
    """A user with no home, an install it cannot write to, and one folder of its own: bots still answer."""
    data = machine.folder / "data"
    data.mkdir()
    os.chown(data, NOBODY, NOBODY)
    user, empty = str(NOBODY), ("--clear-groups", "--inh-caps=-all", "--bounding-set=-all")
    machine.as_user = ["setpriv", "--reuid", user, "--regid", user, *empty]
    machine.home, machine.environment["HOME"] = data, "/nonexistent"
    assert "1,469 lines" in machine("ludus", "perft", "checkers", "4")
    with machine.serving("--host", "127.0.0.1", data=data) as server:
        assert server.get("/readyz").status_code == 200
        over = asyncio.run(play_in_a_room(server))
    assert over["reason"] == "resignation", over


Persona = Callable[[Machine], None]
PERSONAS: dict[str, tuple[Persona, str]] = {
    "player": (player, ""),
    "app": (app, ""),
    "agent": (agent, ""),
    "researcher": (researcher, "[envs]"),
    "operator": (operator, ""),
    "hardened": (hardened, ""),
}
"""Each with the extras it installs."""
