"""An agent of a soak: looks for matches in every way there is, and notices what it doesn't hear of."""

from __future__ import annotations

import asyncio
import json
from random import Random

from ...load import GAMES
from .client import LOST, Json, SoakClient, SoakRun
from .match import SoakMatch

LANES = ("fast", "standard")
LISTED = 100
PATIENCE = 60.0
"""Seconds on a socket after which an agent should have heard of a match, since it gets a bot long before."""


class SoakAgent(SoakClient):
    def __init__(self, run: SoakRun, number: int, rng: Random) -> None:
        super().__init__(run, f"soak agent {number}", rng)
        self.known: set[str] = set()
        """The matches it knows of."""
        self._news: set[str] = set()
        """Those it has heard of since it joined the queue."""

    async def play(self) -> None:
        await self.register()
        while not self.run.is_closing:
            try:
                await self._play_once()
            except Exception as error:
                self.report_problem(f"{type(error).__name__}: {error}")
                await asyncio.sleep(1)
        for game in GAMES:
            await self._play_all(game)

    async def _play_once(self) -> None:
        game, lanes = self.rng.choice(GAMES), self.rng.sample(LANES, 2)
        habits = self.run.habits
        request: Json = {"gameId": game, "lane": lanes[0]}
        if self.chance(habits.bot):
            request["opponent"] = "house:easy"
        found = await self._queue(request)
        if self.chance(habits.both):
            await self._queue({"gameId": game, "lane": lanes[1]})
            self.run.count["waits in both lanes"] += 1
        response = found if found["status"] == "matched" else await self._wait(game, request)
        await self._play_all(game, response)

    async def _queue(self, request: Json) -> Json:
        found = await self.ask("POST", "/api/matchmaking/queue", request)
        if found["status"] == "matched":
            self._know(found["matchId"])
        return found

    async def _wait(self, game: str, request: Json) -> Json:
        """For a match, on a socket or by polling, unless it runs out of patience; returns the last status."""
        habits = self.run.habits
        if self.chance(habits.leave):
            await asyncio.sleep(self.rng.random())
            await self.ask("DELETE", f"/api/matchmaking/queue?gameId={game}")
            self.run.count["queues left"] += 1
        elif self.chance(0.5):
            await self._listen(PATIENCE if self.chance(0.5) else self.rng.uniform(0.1, 5))
        while (status := await self._status(game))["status"] == "queued" and not self.run.is_closing:
            await asyncio.sleep(self.rng.uniform(0.05, 0.4))
            if self.chance(habits.repeat):
                await self._queue(request)
        return status

    async def _listen(self, seconds: float) -> None:
        limit = asyncio.timeout(seconds)
        try:
            async with limit, self.socket("/ws/agent") as socket:
                while True:
                    frame = json.loads(await socket.recv())
                    assert frame["type"] in ("connected", "match_found"), frame
                    assert frame.get("agentId", self.id) == self.id
                    if frame["type"] == "match_found":
                        self._know(frame["matchId"])
                        self.run.count["matches announced"] += 1
                        return
        except LOST:
            if limit.expired() and seconds == PATIENCE:
                self.report_problem(f"heard of no match on its socket for {PATIENCE:.0f} s")

    async def _play_all(self, game: str, *responses: Json) -> None:
        """All its matches by now. An agent that is in no queue can't have got another since."""
        await self.ask("DELETE", f"/api/matchmaking/queue?gameId={game}")
        responses = (*responses, await self._status(game))
        listed = (await self.ask("GET", f"/api/agents/{self.id}/matches?limit={LISTED}"))["matches"]
        active = [each["id"] for each in listed if each["status"] == "active" and each["gameId"] == game]
        said = [each["status"] for each in responses]
        if said[-1] == "queued" or ("not_queued" in said and active):
            self.report_problem(f"got {responses}, has left the queue, and is in {active}")
        if any(each.get("matchId") not in (None, *(one["id"] for one in listed)) for each in responses):
            self.report_problem(f"got {responses}, which is not a match of its own")
        for each in listed:
            if each["id"] not in self.known and each["id"] not in active:
                self.run.count["matches over before they were looked for"] += 1
            self._know(each["id"])
        self._news.clear()
        await asyncio.gather(*(SoakMatch(self, game, match).play() for match in active))

    async def _status(self, game: str) -> Json:
        status = await self.ask("GET", f"/api/matchmaking/status?gameId={game}")
        if status["status"] == "matched":
            self._know(status["matchId"])
        for match in self._news if status["status"] == "queued" else ():
            state = await self.ask("GET", f"/api/matches/{match}/state")
            if state["status"] != "game_over":
                self.report_problem(f"got {status}, although it had been notified of {match}")
        return status

    def _know(self, match: str) -> None:
        if match not in self.known:
            self._news.add(match)
        self.known.add(match)
