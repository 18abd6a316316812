"""One match of a soak agent: played to the end, but badly and unreliably, over HTTP and WebSockets by turns."""

from __future__ import annotations

import asyncio
import json

from ..boards import check_view, choose
from .client import LOST, Accepted, Json, SoakClient

BLUNDER: Json = {"type": "move", "from": 1, "to": 1, "moves": [{"from": 1, "to": 1}]}
"""Well-formed in both games, and never legal."""
LONG_ENOUGH = 25
"""Turns after which an agent may resign, so that many matches end."""


class SoakMatch:
    def __init__(self, agent: SoakClient, game: str, match: str) -> None:
        self._agent = agent
        self._run = agent.run
        self._game = game
        self._match = match
        self._is_there = not agent.chance(self._run.habits.vanish)
        self._turns = 0
        self._heard = 0
        """The latest turn of its own that it heard of."""
        self._blunders = 0
        """In that turn; each is part of the record."""
        self._is_at_table = False
        """Whether it was there, on this connection, before the current turn."""

    async def play(self) -> None:
        if not self._is_there:
            self._run.count["vanished"] += 1
        while True:
            self._is_at_table = False
            way = self._over_socket if self._is_there and self._agent.chance(0.5) else self._over_http
            try:
                end = await way()
            except LOST:
                self._run.count["connections lost"] += 1
                end = None
            if end is not None:
                return self._check_end(end)
            self._run.count["connections dropped"] += 1
            await asyncio.sleep(self._agent.rng.uniform(0, self._run.habits.pause))

    async def _over_http(self) -> Json | None:
        """The end of the match, or None if the agent has left meanwhile."""
        path = f"/api/matches/{self._match}"
        state = await self._agent.ask("GET", f"{path}/state?wait=false")
        while state["status"] != "game_over":
            self._check(state)
            if state["status"] == "waiting" or not self._is_there:
                self._is_at_table = True
                query = f"wait=true&afterSequence={state['sequence']}"
                state = await self._agent.ask("GET", f"{path}/state?{query}")
                continue
            self._hear_of(state["sequence"])
            await self._agent.think()
            for action in self._actions(state["view"]):
                body = {"sequence": state["sequence"], "action": action}
                answer = await self._agent.ask("POST", f"{path}/action", body, 400, 409)
                if "success" in answer:
                    self._run.accepted.append(Accepted(self._match, self._agent.id, state["sequence"]))
            self._run.count["turns over HTTP"] += 1
            if self._agent.chance(self._run.habits.drop):
                return None
            state = answer.get("state") or await self._agent.ask("GET", f"{path}/state")
        return state

    async def _over_socket(self) -> Json | None:
        """The same."""
        async with self._agent.socket(f"/ws/game/{self._match}") as socket:
            sequence = -1
            while True:
                frame: Json = json.loads(await socket.recv())
                if frame["type"] == "game_over":
                    return frame
                assert frame["type"] in ("connected", "your_turn", "error"), frame
                if frame.get("error") == "unavailable":
                    return None
                if frame["type"] != "your_turn" or frame["sequence"] == sequence:
                    continue
                assert frame["sequence"] > sequence
                sequence = frame["sequence"]
                self._hear_of(sequence)
                self._is_at_table = True
                self._check(frame)
                await self._agent.think()
                for action in self._actions(frame["view"]):
                    await socket.send(json.dumps({"type": "action", "sequence": sequence, "payload": action}))
                self._run.count["turns over sockets"] += 1
                if self._agent.chance(self._run.habits.drop):
                    socket.transport.abort()
                    return None

    def _actions(self, view: Json) -> list[Json]:
        """What the agent sends in a turn: an action, perhaps an illegal one before it, perhaps the same again."""
        chance, habits = self._agent.chance, self._run.habits
        action = choose(view, self._agent.rng)
        if (self._turns >= LONG_ENOUGH and chance(habits.resign)) or self._run.is_closing:
            action = {"type": "resign"}
        self._turns += 1
        wrong = [BLUNDER] * chance(habits.blunder)
        self._blunders += len(wrong)
        return [*wrong, action, *[action] * chance(habits.repeat)]

    def _hear_of(self, turn: int) -> None:
        if turn != self._heard:
            self._heard, self._blunders = turn, 0

    def _check(self, state: Json) -> None:
        view = state["view"]
        check_view(self._game, view, self._agent.id, [view["currentPlayer"]])

    def _check_end(self, end: Json) -> None:
        """An agent that was there and ran out of time knew of that turn: only blunders lie between it and the end."""
        outcome = next(each["outcome"] for each in end["results"] if each["agentId"] == self._agent.id)
        if end["reason"] != "timeout" or outcome != "loss" or not self._is_there:
            return
        self._run.count["turns that took too long"] += 1
        if self._is_at_table and end["sequence"] > self._heard + self._blunders + 1:
            self._agent.report_problem(f"lost {self._match} by a turn it never heard of (the last was {self._heard})")
