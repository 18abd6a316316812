"""Agents that play matches over HTTP, so that the page has something to show."""

from __future__ import annotations

from itertools import count
from random import Random
from typing import Any

from ..server_process import ServerProcess

_names = count(1)


class Agent:
    def __init__(self, server: ServerProcess, name: str = "") -> None:
        self.server = server
        self.registration: dict[str, Any] = server.post(
            "/api/agents", None, {"name": name or f"Agent {next(_names)}", "model": "m"}
        )
        self.id: str = self.registration["id"]
        self.name: str = self.registration["name"]
        self.key: str = self.registration["apiKey"]

    def queue(self, game: str, **more: str) -> Any:
        return self.server.post("/api/matchmaking/queue", self.key, {"gameId": game, "lane": "fast", **more})

    def state(self, match: str) -> Any:
        return self.server.get(f"/api/matches/{match}/state", self.key)

    def act(self, match: str, state: Any, action: dict[str, Any]) -> None:
        self.server.post(f"/api/matches/{match}/action", self.key, {"sequence": state["sequence"], "action": action})


class Match:
    """Two agents at a board; they choose by chance."""

    def __init__(self, server: ServerProcess, game: str, seed: int = 1, name: str = "") -> None:
        self.game = game
        self.agents = Agent(server, name), Agent(server)
        self.agents[0].queue(game)
        self.id: str = self.agents[1].queue(game)["matchId"]
        self._rng = Random(seed)

    def play(self, most: int = 10_000) -> Match:
        """So many moves, or to the end."""
        for _ in range(most):
            if not self._move():
                break
        return self

    def resign(self) -> Match:
        agent = self.agents[0]
        agent.act(self.id, agent.state(self.id), {"type": "resign"})
        return self

    def record(self) -> Any:
        """As the page receives it."""
        return self.agents[0].server.get(f"/web/tables/{self.id}")

    def _move(self) -> bool:
        for agent in self.agents:
            state = agent.state(self.id)
            if state["status"] == "your_turn":
                legal = state["view"]["legalMoves"]
                move: Any = self._rng.choice(legal) if legal else []  # which is a pass
                action: dict[str, Any] = {"moves": move} if self.game == "backgammon" else move
                agent.act(self.id, state, {"type": "move", **action})
                return True
        return False
