"""A tournament on two processes: made through one, started through the other, its agents connected to both."""

from __future__ import annotations

import asyncio
from collections import Counter
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from ludus.client import Arena, play_tournament, resigned
from ludus.client.keys import Keyring
from ludus.client.run import join

from ..server_pair import ServerPair
from ..server_process import PATIENCE

pytestmark = pytest.mark.slow

TERMS = {
    "name": "Both",
    "gameId": "checkers",
    "system": "round_robin",
    "timeControl": "10+5",
    "admits": ["agent", "bot"],
}
NAMES = ("On the first", "On the second")
MOVES = 2
"""That an agent makes in a match before it resigns."""


async def plays(url: str, keys: Keyring, name: str, tournament: str) -> list[tuple[str, str]]:
    """The matches of an agent on one process, and how they ended for it."""
    turns = count(1)

    def choose(view: Any) -> Any:
        return view["legalMoves"][0] if next(turns) % (MOVES + 1) else resigned()

    async with Arena(url) as arena:
        await join(arena, name, None, keys)
        return [(over.match, over.outcome) async for over in play_tournament(arena, tournament, choose)]


async def played(server: ServerPair, folder: Path) -> tuple[str, list[list[tuple[str, str]]]]:
    first, second = server.processes
    key = first.post("/api/agents", None, {"name": "The owner of both"})["apiKey"]
    made = first.post("/api/tournaments", key, TERMS)
    path, keys = f"/api/tournaments/{made['id']}", Keyring(folder)
    second.post(f"{path}/bots", key, {"bot": "house:beginner"})
    agents = [
        asyncio.create_task(plays(process.url, keys, name, made["id"]))
        for process, name in zip(server.processes, NAMES, strict=True)
    ]
    async with asyncio.timeout(PATIENCE):
        while (await asyncio.to_thread(second.get, path))["entrants"] < 3:
            await asyncio.sleep(0.05)
        await asyncio.to_thread(second.post, f"{path}/start", key, {})
        return path, await asyncio.gather(*agents)


def test_a_tournament_has_one_course_on_all_processes(
    server: ServerPair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("ludus.client.run"), "TOURNAMENT_SECONDS", 0.1)
    path, outcomes = asyncio.run(played(server, tmp_path))
    one, other = (process.get(path) for process in server.processes)
    assert one == other and one["status"] == "finished"
    matches = [match for row in one["pairings"] for match in row["matches"]]
    assert len(matches) == len(set(matches)) == 3, "everybody has met everybody, once"
    assert Counter(match for each in outcomes for match, _ in each).keys() == set(matches)
    points = {"win": 1.0, "draw": 0.5, "loss": 0.0}
    scores = {name: sum(points[end] for _, end in each) for name, each in zip(NAMES, outcomes, strict=True)}
    standings = {place["player"]["name"]: place["score"] for place in one["standings"]}
    byes = Counter(row["first"] for row in one["pairings"] if row["outcome"] == "bye")
    numbers = {place["player"]["name"]: place["number"] for place in one["standings"]}
    assert {name: standings[name] - byes[numbers[name]] for name in NAMES} == scores
    assert sum(standings.values()) == 6, "three games and three byes"
