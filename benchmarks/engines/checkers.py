"""`python -m benchmarks.engines.checkers`: speed and depth of the search, and a match against npm's rapid-draughts.

The match needs Node and a folder with the package: `npm install --prefix DIR rapid-draughts`, then `--peer DIR`.
Openings are the 156 ballots of the American Checker Federation's three-move deck.
"""

from __future__ import annotations

import argparse
import subprocess
import time
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.report import heading, machine, row
from ludus.core.game import Game
from ludus.core.rules import Player, Turn
from ludus.engines import adapter, bench
from ludus.engines.checkers.player import CheckersPlayer
from ludus.engines.engine import Limit
from ludus.games.checkers.position import STANDARD, Move, bit_of
from ludus.games.checkers.rules import Checkers
from ludus.openings.checkers import ballots

DECK = 156
PEER = Path(__file__).with_name("draughts_peer.mjs")
PERFT = {7: 179_740, 8: 845_931}
MIDDLE_GAME = "W:W17,21,22,23,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,10,11,12,15"


class Ours:
    def __init__(self, seconds: float) -> None:
        self._player, self._limit, self._rng = CheckersPlayer(), Limit(seconds=seconds), Random(1)

    def choose(self, game: Game[Any, Any]) -> Any:
        return self._player.choose(game.rules, game.position, self._limit, self._rng, game.positions[:-1])


class RapidDraughts:
    """A Node process that gets every move of the game."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self._seconds, self._sent = seconds, 0
        self._process = subprocess.Popen(
            ["node", str(PEER)], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def _ask(self, line: str) -> str:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(line + "\n")
        answer = self._process.stdout.readline().strip()
        if not answer:
            raise RuntimeError(f"rapid-draughts fell silent at {line!r}")
        return answer

    def choose(self, game: Game[Any, Any]) -> Any:
        if len(game.moves) < self._sent or not self._sent:
            self._ask("new")
            self._sent = 0
        for move in game.moves[self._sent :]:
            self._ask(" ".join(map(str, ("play", move.origin, move.landing, *move.captures))))
        self._sent = len(game.moves)
        origin, landing, *captures = map(int, self._ask(f"go {self._seconds}").split())
        taken = sum(map(bit_of, captures))
        return next(
            move
            for move in game.legal_moves()
            if (move.origin, move.landing, sum(map(bit_of, move.captures))) == (origin, landing, taken)
        )

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()


def opened(rules: Any, opening: list[str]) -> Game[Any, Any]:
    game = Game(rules)
    for text in opening:
        game.play(rules.notation.read_move(game.position, text))
    return game


def play_out(game: Game[Any, Any], seats: tuple[Any, Any]) -> Player | None:
    while (turn := game.turn) is not Turn.OVER:
        move: Move = seats[turn.value].choose(game)
        game.play(move)
    outcome = game.outcome
    return outcome.winner if outcome else None


def match(peer: Path, games: int, seconds: float) -> tuple[int, int, int]:
    """Our wins, draws and losses; each ballot is played with both colours."""
    rules, rng = Checkers().compiled(), Random(3)
    deck = [ballot.split() for ballot in ballots()]
    assert len({opened(rules, ballot).position for ballot in deck}) == DECK
    openings = rng.sample(deck, games // 2)
    ours, theirs, counts = Ours(seconds), RapidDraughts(peer, seconds), [0, 0, 0]
    for number in range(games):
        player = Player(number % 2)
        seats = (ours, theirs) if player is Player.FIRST else (theirs, ours)
        winner = play_out(opened(rules, openings[number // 2]), seats)
        counts[1 if winner is None else 0 if winner is player else 2] += 1
    theirs.close()
    return counts[0], counts[1], counts[2]


def speed(rules: Checkers, seconds: float) -> None:
    for name, position in (("the start", STANDARD), ("a middle game", rules.notation.read_position(MIDDLE_GAME))):
        player, begin = CheckersPlayer(), time.process_time()
        line = player.analyse(rules, position, Limit(seconds=seconds), lines=1)[0]
        used = time.process_time() - begin
        row(f"depth from {name} in {seconds:g} s", line.depth, "≥ 19")
        row(f"positions a second from {name}, millions, per second of CPU", f"{line.nodes / used / 1e6:.2f}", "≥ 3")


def run(peer: Path | None, games: int, seconds: float) -> None:
    rules = Checkers().compiled()
    for depth, count in PERFT.items():
        assert rules.perft(STANDARD, depth) == count
    begin = time.perf_counter()
    CheckersPlayer().choose(rules, STANDARD, Limit(nodes=100), Random(1))
    heading("what", "ours", "aim")
    row("first move of a process, s (compiled code cached)", f"{time.perf_counter() - begin:.2f}", "< 1")
    row(
        f"signature (nodes at depth {adapter('checkers').bench_depth})",
        sum(found.nodes for found in bench.count("checkers")),
        "",
    )
    speed(rules, 2.0)
    if peer:
        wins, draws, losses = match(peer, games, seconds)
        points = (wins + draws / 2) / games
        spread = (wins * (1 - points) ** 2 + draws * (0.5 - points) ** 2 + losses * points**2) / games
        result = f"{100 * points:.1f} % ± {100 * (spread / games) ** 0.5:.1f} (+{wins} ={draws} -{losses})"
        row(f"against rapid-draughts, {games} games on ballots at {seconds:g} s a move", result, "≥ 98 %")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", type=Path, help="folder with rapid-draughts installed")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=0.1)
    options = parser.parse_args()
    print(f"Checkers engine, {machine()}\n")
    run(options.peer, options.games, options.seconds)
