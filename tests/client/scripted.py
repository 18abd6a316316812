"""Responses written out from the contract, and an arena that sends what a test scripts."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import httpx2
from tests.wire.views import BACKGAMMON

from ludus.client import Arena
from ludus.client.http import RetryPolicy

URL = "http://arena.example"
OVER = {
    "results": [{"agentId": "me", "outcome": "win"}, {"agentId": "you", "outcome": "loss"}],
    "rating": {"before": 1500.0, "after": 1662.2},
    "newBadges": [{"badgeId": "first_win", "name": "First win", "description": "Won a rated game."}],
    "suggestions": ["checkers"],
    "shareText": "Me won.",
    "reason": "borne_off",
    "replayUrl": f"{URL}/api/matches/m1",
    "replayMarkdownUrl": f"{URL}/api/matches/m1/replay.md",
}


def state(status: str, sequence: int, **more: Any) -> dict[str, Any]:
    body = {"matchId": "m1", "gameId": "backgammon", "gameType": "sequential", "status": status, "sequence": sequence}
    return {**body, "view": {**BACKGAMMON, "isYourTurn": status == "your_turn"}, **more}


def over(sequence: int) -> dict[str, Any]:
    return state("game_over", sequence, **OVER)


class Scripted:
    """Answers each request with the next line of the script, and records the requests."""

    def __init__(self, *lines: Any) -> None:
        self._lines = list(lines)
        self.asked: list[tuple[str, str, Any]] = []
        self.headers: list[Any] = []
        self.pauses: list[float] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.raw_path.decode()
        self.asked.append((request.method, path, json.loads(request.content) if request.content else None))
        self.headers.append(request.headers)
        line = self._lines.pop(0)
        if isinstance(line, Exception):
            raise line
        return line if isinstance(line, httpx2.Response) else httpx2.Response(200, json=line)

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def arena(self, key: str | None = "key", tries: int = 4) -> Arena:
        transport, retry = httpx2.MockTransport(self), RetryPolicy(tries, first=1.0, longest=3.0)
        return Arena(URL, key, transport=transport, retry=retry, sleep=self.sleep, rng=Random(1))

    @property
    def is_done(self) -> bool:
        return not self._lines


def refusal(status: int, error: str, headers: dict[str, str] | None = None, **more: Any) -> httpx2.Response:
    return httpx2.Response(status, json={"error": error, **more}, headers=headers or {})


def lost(kind: Callable[[str], Exception] = httpx2.ReadError) -> Exception:
    return kind("connection lost")
