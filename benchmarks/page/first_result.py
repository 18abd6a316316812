"""`python -m benchmarks.page.first_result`: how soon an engine says something, as the page asks for it.

Milliseconds from the request for the analysis of a finished game to the first analyzed move, polled as the page does,
and from the request for an opinion on the analysis board to its first and its last stage. Each is a new one.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

import httpx2

from benchmarks.page.serving import served
from benchmarks.report import heading, machine, row
from ludus.core.game import Game
from ludus.engines import adapter
from ludus.engines.engine import roll
from ludus.games import GAMES

POLL_SECONDS = 0.2
"""As in the page's replay/analysis.js, before the first result."""
MOVES = 24
AIM = "< 1000 ms"
AHEAD = {1: "one roll ahead", 2: "two rolls ahead", 3: "three rolls ahead"}


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.page.first_result", description=__doc__)
    parser.add_argument("--games", type=int, default=10)
    number = parser.parse_args().games
    with tempfile.TemporaryDirectory() as name, served(Path(name)) as url, httpx2.Client(base_url=url) as client:
        print(f"First results, {machine()}, load {os.getloadavg()[0]:.1f} at the start\n")
        heading("what", "p50", "worst", "aim")
        for game in GAMES:
            opinion(client, game, 0)  # loads the engine
            asked = [analysis(client, game, seed) for seed in range(number)]
            show(f"{game}: analysis of a finished game, first move", asked)
            stages = [opinion(client, game, seed) for seed in range(1, number + 1)]
            show(f"{game}: opinion on the analysis board, first stage", [first for first, _ in stages])
            show(f"{game}: the same, last stage ({last_stage(game)})", [last for _, last in stages])


def analysis(client: httpx2.Client, game: str, seed: int) -> float:
    table = finished(client, game, seed)
    began = time.perf_counter()
    answer = client.post(f"/web/tables/{table}/analysis", json={}).json()
    while not answer["moves"]:
        assert answer["state"] in ("waiting", "running"), answer
        time.sleep(POLL_SECONDS)
        answer = client.get(f"/web/tables/{table}/analysis").json()
    found = time.perf_counter() - began
    while answer["state"] != "done":
        time.sleep(POLL_SECONDS)
        answer = client.get(f"/web/tables/{table}/analysis").json()
    assert answer["done"] == answer["total"]
    return 1000 * found


def opinion(client: httpx2.Client, game: str, seed: int) -> tuple[float, float]:
    position = GAMES[game].notation.write_position(middle(game, seed))
    began = time.perf_counter()
    times = []
    with client.stream("GET", f"/web/analysis/{game}/opinion", params={"position": position}, timeout=120) as answer:
        times = [1000 * (time.perf_counter() - began) for line in answer.iter_lines() if line]
    assert 1 <= len(times) <= len(adapter(game).deepening)
    return times[0], times[-1]


def middle(game: str, seed: int) -> Any:
    """A position in which a player has a choice."""
    rules, rng = GAMES[game], Random(seed)
    played = Game(rules)
    while played.length < MOVES or rules.chances(played.position) or len(rules.moves(played.position)) < 2:
        here = played.position
        played.play(roll(rules, here, rng) if rules.chances(here) else rng.choice(rules.moves(here)))
        if played.outcome:
            played = Game(rules)
    return played.position


def finished(client: httpx2.Client, game: str, seed: int) -> str:
    """The id of a game between two agents who move at random, until one resigns."""
    rng = Random(seed)
    keys = [
        client.post("/api/agents", json={"name": f"{game} {seed} {side}", "model": "m"}).json()["apiKey"]
        for side in "ab"
    ]
    agents = [{"Authorization": f"Bearer {key}"} for key in keys]
    queued = [
        client.post("/api/matchmaking/queue", json={"gameId": game, "lane": "fast"}, headers=each) for each in agents
    ]
    match: str = queued[1].json()["matchId"]
    for _ in range(MOVES // 2):
        for headers in agents:
            state = client.get(f"/api/matches/{match}/state", headers=headers).json()
            if state["status"] == "your_turn":
                action = state["view"]["legalMoves"] and rng.choice(state["view"]["legalMoves"])
                move = action if isinstance(action, dict) else {"moves": action}
                act(client, match, headers, state, {"type": "move", **move})
    state = client.get(f"/api/matches/{match}/state", headers=agents[0]).json()
    act(client, match, agents[0], state, {"type": "resign"})
    return match


def act(client: httpx2.Client, match: str, headers: dict[str, str], state: Any, action: dict[str, Any]) -> None:
    body = {"sequence": state["sequence"], "action": action}
    client.post(f"/api/matches/{match}/action", json=body, headers=headers).raise_for_status()


def last_stage(game: str) -> str:
    """How much an opinion is based on in the end."""
    seconds, nodes, depth = adapter(game).deepening[-1]
    return AHEAD[depth] if depth else f"{nodes:,} positions" if nodes else f"{seconds} s"


def show(what: str, found: list[float]) -> None:
    row(what, f"{statistics.median(found):.0f} ms", f"{max(found):.0f} ms", AIM if "last" not in what else "–")


if __name__ == "__main__":
    main()
