"""Mining of puzzles, and GNU Backgammon's opinion of those shipped: `python -m benchmarks.engines.puzzles [--gnubg N]`.

Mining and checking run on one process and are measured in CPU time. With `--gnubg`, which needs the program `gnubg`
(`apt-get install gnubg`), its decisions at so many plies are compared with the solutions of the shipped puzzles.
"""

from __future__ import annotations

import argparse
from collections import Counter
from time import process_time

from benchmarks.engines.gnubg_program import GnubgProgram
from benchmarks.report import heading, machine, row
from ludus.engines import precompile
from ludus.games import GAMES
from ludus.games.backgammon.position import CubeAction, Position
from ludus.puzzles import Puzzle, puzzles, read, write
from ludus.puzzles.backgammon.themes import is_doubled
from ludus.puzzles.checking import check
from ludus.puzzles.mining import mine
from ludus.puzzles.puzzle import replay
from ludus.puzzles.sources import SelfPlay

TIMES = 10


def measure(game: str, number: int, seed: int) -> None:
    precompile.load(game)
    found, games, positions, start = list[Puzzle](), 0, 0, process_time()
    for each in mine(game, SelfPlay(game, seed), 1):
        found += each.puzzles
        games, positions = games + 1, positions + each.positions
        if len(found) >= number:
            break
    mined = process_time() - start
    assert read(write(found)) == found
    start = process_time()
    passed = sum(each.problem is None for each in check(found, TIMES, 1))
    checked = process_time() - start
    each_one = f"{1000 * mined / len(found):.0f}, {1000 * checked / len(found):.0f}"
    row(game, len(found), games, f"{positions:,}", each_one, f"{1000 * mined / len(found) / 60:.1f}", passed)


def compare(plies: int) -> None:
    shipped, agreed, total = puzzles("backgammon"), Counter[str](), Counter[str]()
    with GnubgProgram() as gnubg:
        for puzzle in shipped:
            kind, theirs = puzzle.themes[0], decision(gnubg, replay(puzzle, 0), plies)
            total[kind] += 1
            agreed[kind] += theirs == puzzle.moves[0]
            if theirs != puzzle.moves[0]:
                print(f"{puzzle.id} {puzzle.position}: {puzzle.moves[0]} by {puzzle.margin}, theirs {theirs}")
    for kind, number in total.items():
        row(kind, number, agreed[kind])


def decision(gnubg: GnubgProgram, position: Position, plies: int) -> str:
    """Theirs, in notation."""
    if position.dice:
        return GAMES["backgammon"].notation.write_move(position, gnubg.play(position, plies))
    found = gnubg.decision(position, plies)
    if is_doubled(position):
        return CubeAction.DROP.value if found["double_take"] > 1 else CubeAction.TAKE.value
    is_double = min(found["double_take"], 1.0) > found["no_double"]
    return CubeAction.DOUBLE.value if is_double else CubeAction.NO_DOUBLE.value


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--number", type=int, default=100, help="puzzles of each game to mine")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gnubg", type=int, metavar="PLIES", help="compare the shipped ones with GNU Backgammon")
    options = parser.parse_args()
    print(machine())
    if options.gnubg is not None:
        heading("puzzles of", "number", f"GNU Backgammon agrees at {options.gnubg} plies")
        compare(options.gnubg)
        return
    heading(
        "game",
        "puzzles",
        "games",
        "positions",
        f"CPU ms each to mine, and to check at {TIMES} times the search",
        "CPU minutes for 1,000",
        "passed the check",
    )
    for game in GAMES:
        measure(game, options.number, options.seed)


if __name__ == "__main__":
    main()
