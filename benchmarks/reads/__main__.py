"""`python -m benchmarks.reads`: the server's CPU time for each public address, and for joining a long finished game.

The figures are CPU time of the server's process, so other work on the machine hardly changes them. `--quick` asks a few
times only, to see that everything works.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.envs.peers import CACHE
from benchmarks.reads.asking import Http, Spectator
from benchmarks.reads.games import Stored, store_games
from benchmarks.report import heading, machine, row
from benchmarks.rooms.ours import ENV, LUDUS
from benchmarks.rooms.process import Server, serve

TIMES, QUICK = 1500, 50
WARM = 5
"""Requests before the measurement; the first ones fill caches."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.reads", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    times = QUICK if parser.parse_args().quick else TIMES
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as name:
        folder = Path(name)
        stored = store_games(folder / "data")
        command = [*LUDUS, "serve", "--host", "127.0.0.1", "--port", "0", "--data", str(folder / "data")]
        limits = {"LUDUS_AGENT_RATE_LIMIT": "1000000", "LUDUS_BOT_WARMUP": "false"}
        with serve(command, {**ENV, **limits}, folder / "log") as server:
            print(f"Reads, {machine()}, load {os.getloadavg()[0]:.1f} at the start; {stored.plays} plays in the game\n")
            heading("what", "bytes", "CPU µs", "not modified, CPU µs")
            for cells in figures(server, stored, times):
                row(*cells)


def figures(server: Server, stored: Stored, times: int) -> Iterator[tuple[str, str, str, str]]:
    with Http(server.port) as http:
        for what, path in addresses(http, stored).items():
            first = http.get(path)
            assert first.status == 200, f"{path}: {first.status}; run `make docs` first"
            cost = _microseconds(server, times, partial(http.expect, path, 200))
            unchanged = "–"
            if first.etag is not None:
                again = partial(http.expect, path, 304, first.etag)
                unchanged = f"{_microseconds(server, times, again):.0f}"
            yield what, f"{first.size:,}", f"{cost:.0f}", unchanged
    with Spectator(server.port, stored.game) as spectator:
        cost = _microseconds(server, max(times // 10, 10), partial(spectator.join, stored.finished))
        yield "`game:spectate`, finished game", f"{spectator.size:,}", f"{cost:.0f}", "–"


def addresses(http: Http, stored: Stored) -> dict[str, str]:
    game, match = stored.game, stored.finished
    return {
        "the start page": "/",
        "a script": http.script(),
        "a game's page": f"/games/{game}",
        "the documentation": "/docs/index.html",
        "a picture": f"/web/tables/{match}/board.svg",
        "the page's record": f"/web/tables/{match}",
        "the page's list of live games": "/web/live",
        "a match": f"/api/matches/{match}",
        "a match as a file": f"/web/tables/{match}/file",
        "a match as Markdown": f"/api/matches/{match}/replay.md",
        "finished matches": f"/api/matches?gameId={game}&status=finished",
        "the games": "/api/games",
        "a game": f"/api/games/{game}",
        "the leaderboard": f"/api/leaderboard?gameId={game}",
        "statistics": "/api/stats",
        "an agent": f"/api/agents/{stored.agent}",
        "open rooms": f"/v1/rooms?game={game}",
        "the arena's OpenAPI document": "/api/docs/json",
        "the rooms' OpenAPI document": "/v1/openapi.json",
        "the AsyncAPI document": "/asyncapi.json",
        "metrics": "/metrics",
        "health": "/healthz",
    }


def _microseconds(server: Server, times: int, ask: Callable[[], None]) -> float:
    for _ in range(WARM):
        ask()
    before = server.cpu_seconds()
    for _ in range(times):
        ask()
    return (server.cpu_seconds() - before) / times * 1e6


if __name__ == "__main__":
    main()
