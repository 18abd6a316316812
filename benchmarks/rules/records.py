"""`python -m benchmarks.rules.records`: GNU Backgammon's own matches, read, replayed, written, and read by it again.

Needs GNU Backgammon itself, `apt-get install gnubg`. With `--files FOLDER` the matches are kept, or, if they are there,
not played again.
"""

from __future__ import annotations

import argparse
import itertools
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from ludus import GAMES
from ludus.core.errors import LudusError
from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.games.backgammon.match import match_games
from ludus.games.backgammon.position import CubeAction, Play, Position, Stage
from ludus.games.backgammon.position_text import read_position, undecided, write_xgid
from ludus.games.backgammon.rules import Move

GNUBG: Final = "/usr/games/gnubg"
NOTATION: Final = GAMES["backgammon"].notation
LENGTHS: Final = (1, 3, 5, 7, 9, 11, 0)
SESSION: Final = 6
"""Games of a money session."""
QUIET: Final = (
    "set display off",
    "set confirm new off",
    "set confirm save off",
    "set automatic game on",
    "set beavers 3",
    *(f"set player {side} gnubg" for side in (0, 1)),
    *(f"set player {side} {part} evaluation plies 0" for side in (0, 1) for part in ("chequerplay", "cubedecision")),
)
PEOPLE: Final = (*QUIET[:3], "set player 0 human", "set player 1 human", "set automatic roll off")
SHOWN: Final = re.compile(r"Position ID: (\S+)\s+Match ID *: (\S+)")
MARK: Final = "show jacoby"
MARKED: Final = "Jacoby rule"
"""What GNU Backgammon says to `MARK`."""


def gnubg(commands: Iterable[str]) -> str:
    run = subprocess.run(
        [GNUBG, "-t", "-q"], input="\n".join(commands) + "\n", capture_output=True, text=True, check=False
    )
    return run.stdout


def play(folder: Path, matches: int, seed: int) -> None:
    """Has GNU Backgammon play against itself at 0-ply, matches of all lengths in turn, and export them."""
    for number, length in zip(range(matches), itertools.cycle(LENGTHS), strict=False):
        file = folder / f"{number:05}_{length}.mat"
        games = ["set automatic game off", "new session", *["new game"] * (SESSION - 1)]
        begin = [f"new match {length}"] if length else games
        gnubg([*QUIET, f"set seed {seed + number}", *begin, f"export match mat {file}"])


def essence(text: str) -> list[object]:
    """What was played in a file, whatever its layout and the order of a play's steps."""
    return [(record.start, record.moves) for record in NOTATION.read_games(text)]


def reread(files: Sequence[Path], folder: Path) -> Iterator[str]:
    """What GNU Backgammon exports after it has imported our version of each file."""
    commands = [*PEOPLE]
    for file in files:
        commands += [f"import mat {folder / file.name}", f"export match mat {folder / file.stem}.back"]
    gnubg(commands)
    for file in files:
        back = folder / f"{file.stem}.back"
        yield back.read_text() if back.exists() else ""


def shown(file: Path, match: Game[Position, Move]) -> list[str]:
    """The IDs that GNU Backgammon shows while it steps through a match."""
    commands = [*PEOPLE, f"import mat {file}", "first game"]
    for part in match_games(match):
        moves = [match.move_at(ply) for ply in range(part.first, part.end)]
        steps = sum(isinstance(move, Play | CubeAction) and move is not CubeAction.NO_DOUBLE for move in moves)
        commands += ["show board", *["next", "show board"] * (steps - 1), "next game"]
    found = SHOWN.findall(gnubg(commands))
    return [":".join(pair) for pair in found]


def compare_ids(match: Game[Position, Move], ids: Sequence[str]) -> tuple[int, list[str]]:
    """How many IDs read as positions of the match, and which do not."""
    known = {undecided(position) for position in match.positions}
    outcomes = [part.outcome for part in match_games(match)]
    ends = {(outcome.winner, outcome.reason, outcome.points) for outcome in outcomes if outcome}
    wrong = []
    for text in ids:
        try:
            position = mirrored(read_position(text))  # the left player of a file is the upper one of an ID
        except LudusError:
            wrong.append(text)
            continue
        is_end = position.ended is not None and tuple(position.ended[:3]) in ends
        if undecided(position) not in known and not is_end:
            wrong.append(text)
    return len(ids) - len(wrong), wrong


def mirrored(position: Position) -> Position:
    """Seen from the other side; GNU Backgammon puts the player on roll of an XGID at the bottom."""
    cube, match, mover, ended = position.cube, position.match, position.mover, position.ended
    return position._replace(
        white=position.black,
        black=position.white,
        mover=None if mover is None else mover.other,
        cube=cube and cube._replace(owner=None if cube.owner is None else cube.owner.other),
        match=match and match._replace(white=match.black, black=match.white),
        ended=ended and ended._replace(winner=None if ended.winner is None else ended.winner.other),
    )


def compare_xgids(positions: Sequence[Position]) -> tuple[int, list[str]]:
    """How many of our XGIDs GNU Backgammon reads as the same position; it can't take ones with a double offered."""
    texts = [write_xgid(position) for position in positions]
    commands = (command for text in texts for command in (f"set xgid {text}", "show board", MARK))
    chunks = gnubg([*PEOPLE, "new match 5", MARK, *commands]).split(MARKED)[1:]
    same, wrong = 0, []
    for position, text, chunk in zip(positions, texts, chunks, strict=False):
        ids = SHOWN.findall(chunk)[-1]
        theirs = undecided(read_position(":".join(ids)))
        ours = undecided(position if position.mover is Player.FIRST else mirrored(position))
        if theirs == ours:
            same += 1
        else:
            wrong.append(text)
    return same, wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=70)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=Path)
    parser.add_argument("--ids", type=int, default=20, help="matches whose IDs are compared")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.files or Path(scratch)
        if not list(folder.glob("*.mat")):
            folder.mkdir(parents=True, exist_ok=True)
            play(folder, options.matches, options.seed)
        check(sorted(folder.glob("*.mat"))[: options.matches], Path(scratch), options.ids)


def check(files: Sequence[Path], scratch: Path, ids: int) -> None:
    counts: Counter[str] = Counter()
    matches: list[tuple[Path, Game[Position, Move]]] = []
    for file in files:
        try:
            records = NOTATION.read_games(file.read_text())
        except LudusError as error:
            print(f"{file}: {error}")
            continue
        counts.update(read=1, records=len(records), moves=sum(record.length for record in records))
        counts["games"] += sum(len(match_games(record)) for record in records)
        text = NOTATION.write_games(records)
        counts["written and read again"] += NOTATION.read_games(text) == records
        (scratch / file.name).write_text(text)
        if len(records) == 1 and records[0].start.match:
            matches.append((file, records[0]))
    for file, back in zip(files, reread(files, scratch), strict=True):
        is_same = essence(back) == essence(file.read_text())
        counts["the same after GNU Backgammon has read ours"] += is_same
        if not is_same:
            print(f"{file}: not the same after GNU Backgammon has read ours")
    for file, match in matches[:ids]:
        same, wrong = compare_ids(match, shown(file, match))
        counts.update({"GNU IDs of our positions": same, "other GNU IDs": len(wrong)})
        for text in wrong[:3]:
            print(f"{file}: {text}")
    positions = [position for _, match in matches[:ids] for position in match.positions[:: max(1, match.length // 30)]]
    simple = [position for position in positions if position.mover is not None and is_quiet(position)]
    same, wrong_xgids = compare_xgids(simple)
    counts.update({"XGIDs that GNU Backgammon reads": same, "other XGIDs": len(wrong_xgids)})
    for text in wrong_xgids[:3]:
        print(text)
    print(f"{len(files)} files")
    for name, number in counts.items():
        print(f"{number:>9,} {name}")


def is_quiet(position: Position) -> bool:
    """Whether the game goes on and no double is to be answered."""
    is_answered = position.cube is None or position.cube.stage not in (Stage.DOUBLED, Stage.BEAVERED)
    return is_answered and position.ended is None


if __name__ == "__main__":
    main()
