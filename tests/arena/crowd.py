"""Agents of a soak: they play whole matches, badly and unreliably, in every way there is."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx2
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from .boards import check_view, choose

if TYPE_CHECKING:
    from ..chaos.victim import Victim

Json = dict[str, Any]
GAMES = ("checkers", "backgammon")
LOST = (OSError, ConnectionClosed, InvalidHandshake, TimeoutError, httpx2.TransportError, EOFError)
"""What it looks like when the connection or the whole server is gone."""
BLUNDER: Json = {"type": "move", "from": 1, "to": 1, "moves": [{"from": 1, "to": 1}]}
"""Well-formed in both games, and never legal."""
LONG_ENOUGH = 25
"""Turns after which an agent begins to think of resigning, so that many matches end."""


class Habits(NamedTuple):
    """How often, of one."""

    vanish: float = 0.04
    """For the rest of a match."""
    drop: float = 0.08
    """A connection, after a turn."""
    repeat: float = 0.06
    """An action that was sent already."""
    blunder: float = 0.04
    """An action that cannot be taken."""
    resign: float = 0.1
    leave: float = 0.1
    """A queue."""
    bot: float = 0.1
    """Ask for a bot of the house."""
    pause: float = 0.5
    """Most seconds until a dropped connection is opened again."""


class World:
    """What all agents of a run share."""

    def __init__(self, victim: Victim, http: httpx2.AsyncClient, habits: Habits) -> None:
        self.victim = victim
        self.http = http
        self.habits = habits
        self.is_closing = False
        self.matches: dict[str, str] = {}
        """The game of every match that somebody has known."""
        self.count: Counter[str] = Counter()
        self.problems: list[str] = []


class Wanderer:
    def __init__(self, world: World, number: int, rng: Random) -> None:
        self._world = world
        self._rng = rng
        self._habits = world.habits
        self.name = f"wanderer {number}"
        self.id = ""
        self._key = ""

    async def live(self) -> None:
        new = await self.ask("POST", "/api/agents", {"name": self.name})
        self.id, self._key = new["id"], new["apiKey"]
        while not self._world.is_closing:
            try:
                await self._play_once()
            except Exception as error:
                self._world.problems.append(f"{self.name}: {type(error).__name__}: {error}")
                await asyncio.sleep(1)
        for game in GAMES:
            await self.ask("DELETE", f"/api/matchmaking/queue?gameId={game}")
            status = await self.ask("GET", f"/api/matchmaking/status?gameId={game}")
            if status["status"] == "matched":
                await self._play(game, status["matchId"])

    async def ask(self, method: str, path: str, body: Json | None = None, *allowed: int) -> Json:
        """Tried until the server answers; every request of an agent may be repeated."""
        while True:
            await self._world.victim.up.wait()
            headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
            try:
                answer = await self._world.http.request(
                    method, self._world.victim.url + path, json=body, headers=headers
                )
            except LOST:
                self._world.count["requests lost"] += 1
                await asyncio.sleep(0.1)
                continue
            if answer.status_code == 409 and path == "/api/agents":
                body = {"name": f"{self.name} again"}  # it was registered, but the answer was lost
                continue
            assert answer.status_code in (200, 201, *allowed), f"{method} {path}: {answer.status_code} {answer.text}"
            found: Json = answer.json()
            return found

    async def _play_once(self) -> None:
        game, lane = self._rng.choice(GAMES), self._rng.choice(("fast", "standard"))
        wish: Json = {"gameId": game, "lane": lane}
        if self._rng.random() < self._habits.bot:
            wish["opponent"] = "house:easy"
        found = await self.ask("POST", "/api/matchmaking/queue", wish)
        match = found.get("matchId") or await self._wait(game)
        if match:
            await self._leave_lines(game)
            await self._play(game, match)

    async def _leave_lines(self, game: str) -> None:
        """It may have found a match of one lane while it waits in the other, where a bot would take its silence."""
        await self.ask("DELETE", f"/api/matchmaking/queue?gameId={game}")
        for each in (await self.ask("GET", f"/api/agents/{self.id}/matches?limit=10"))["matches"]:
            if each["status"] == "active":
                self._world.matches[each["id"]] = each["gameId"]

    async def _wait(self, game: str) -> str | None:
        """For a match, on a socket or by asking; not all have the patience."""
        if self._rng.random() < self._habits.leave:
            await asyncio.sleep(self._rng.random())
            await self.ask("DELETE", f"/api/matchmaking/queue?gameId={game}")
            self._world.count["queues left"] += 1
        elif self._rng.random() < 0.5:
            await self._listen(self._rng.uniform(0.1, 5))
        while not self._world.is_closing:
            status = await self.ask("GET", f"/api/matchmaking/status?gameId={game}")
            if status["status"] != "queued":
                return status.get("matchId")
            await asyncio.sleep(self._rng.uniform(0.05, 0.4))
        return None

    async def _listen(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds), self._socket("/ws/agent") as socket:
                while True:
                    frame = json.loads(await socket.recv())
                    assert frame["type"] in ("connected", "match_found"), frame
                    assert frame.get("agentId", self.id) == self.id
                    if frame["type"] == "match_found":
                        self._world.count["matches told"] += 1
                        return
        except LOST:
            return

    async def _play(self, game: str, match: str) -> None:
        self._world.matches[match] = game
        is_there = self._rng.random() >= self._habits.vanish
        if not is_there:
            self._world.count["vanished"] += 1
        turns = 0
        while True:
            way = self._over_socket if is_there and self._rng.random() < 0.5 else self._over_http
            try:
                turns, is_over = await way(game, match, turns, is_there)
            except LOST:
                self._world.count["connections lost"] += 1
                is_over = False
            if is_over:
                return
            self._world.count["connections dropped"] += 1
            await asyncio.sleep(self._rng.uniform(0, self._habits.pause))

    async def _over_http(self, game: str, match: str, turns: int, is_there: bool) -> tuple[int, bool]:
        path = f"/api/matches/{match}"
        state = await self.ask("GET", f"{path}/state?wait=false")
        while state["status"] != "game_over":
            self._check(game, state)
            if state["status"] == "waiting" or not is_there:
                query = f"wait=true&afterSequence={state['sequence']}"
                state = await self.ask("GET", f"{path}/state?{query}")
                continue
            for action in self._actions(state["view"], turns):
                answer = await self.ask(
                    "POST", f"{path}/action", {"sequence": state["sequence"], "action": action}, 400, 409
                )
            turns += 1
            self._world.count["turns over HTTP"] += 1
            if self._rng.random() < self._habits.drop:
                return turns, False
            state = answer.get("state") or await self.ask("GET", f"{path}/state")
        return turns, True

    async def _over_socket(self, game: str, match: str, turns: int, is_there: bool) -> tuple[int, bool]:
        async with self._socket(f"/ws/game/{match}") as socket:
            sequence = -1
            while True:
                frame = json.loads(await socket.recv())
                if frame["type"] == "game_over":
                    return turns, True
                assert frame["type"] in ("connected", "your_turn", "error"), frame
                if frame["type"] != "your_turn" or frame["sequence"] == sequence:
                    continue
                assert frame["sequence"] > sequence
                sequence = frame["sequence"]
                self._check(game, frame)
                for action in self._actions(frame["view"], turns):
                    await socket.send(json.dumps({"type": "action", "sequence": sequence, "payload": action}))
                turns += 1
                self._world.count["turns over sockets"] += 1
                if self._rng.random() < self._habits.drop:
                    socket.transport.abort()
                    return turns, False

    def _actions(self, view: Json, turns: int) -> list[Json]:
        """What the agent sends in a turn: an action, perhaps something wrong before it, perhaps the same once more."""
        roll = self._rng.random
        action = choose(view, self._rng)
        if (turns >= LONG_ENOUGH and roll() < self._habits.resign) or self._world.is_closing:
            action = {"type": "resign"}
        wrong = [{"type": "move", "from": 1, "to": 1, "moves": [{"from": 1, "to": 1}]}] * (
            roll() < self._habits.blunder
        )
        return [*wrong, action, *[action] * (roll() < self._habits.repeat)]

    def _check(self, game: str, told: Json) -> None:
        view = told["view"]
        check_view(game, view, self.id, [view["currentPlayer"]])

    @asynccontextmanager
    async def _socket(self, path: str) -> AsyncIterator[ClientConnection]:
        await self._world.victim.up.wait()
        where = "ws" + self._world.victim.url.removeprefix("http") + path
        headers = {"Authorization": f"Bearer {self._key}"}
        async with connect(where, additional_headers=headers, compression=None, close_timeout=1) as socket:
            yield socket
