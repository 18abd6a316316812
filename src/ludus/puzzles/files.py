"""Files of puzzles: one JSON object per line, with the fields of `Puzzle`."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from ludus.core.errors import BadInput, LudusError, MalformedRecord
from ludus.core.notation import MOST_TEXT
from ludus.games import GAMES, layer
from ludus.puzzles.puzzle import Puzzle, id_of

NAME: Final = "puzzles.jsonl"
MOST_MOVES: Final = 9
"""The most moves of a solution: five of the solver, with four replies."""
MOST_THEMES: Final = 8
MOST_SOURCE: Final = 200
"""The most characters of a source."""
THEME: Final = re.compile("[a-z][a-z0-9_]{0,31}")
RATINGS: Final = range(100, 4001)
FIELDS: Final = frozenset(Puzzle._fields)


@cache
def puzzles(game: str) -> Sequence[Puzzle]:
    """The puzzles that come with a game, by id; none for a game without any.

    Their moves are not replayed here, only in the tests.
    """
    module = layer(game, "puzzles") if game in GAMES else None
    file = files(module) / NAME if module else None
    if file is None or not file.is_file():
        return ()
    return tuple(puzzle for _, puzzle in _each(file.read_text(encoding="utf-8")))


def read(text: str) -> list[Puzzle]:
    """The puzzles of a file; raises `MalformedRecord` for the first line that isn't a puzzle, or repeats one."""
    found: dict[str, Puzzle] = {}
    for line, puzzle in _each(text):
        if puzzle.id in found:
            raise MalformedRecord(f"{puzzle.id} is in the file twice", line)
        try:
            _check_moves(puzzle)
        except LudusError as error:
            raise MalformedRecord(str(error), line) from error
        found[puzzle.id] = puzzle
    return list(found.values())


def write(puzzles: Iterable[Puzzle]) -> str:
    return "".join(f"{json.dumps(puzzle._asdict(), ensure_ascii=False)}\n" for puzzle in puzzles)


def _each(text: str) -> Iterator[tuple[int, Puzzle]]:
    """The puzzles with the numbers of their lines."""
    if len(text) > MOST_TEXT:
        raise MalformedRecord(f"a file of more than {MOST_TEXT:,} characters is not read", 1)
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if line.strip():
            try:
                yield number, _from_json(json.loads(line))
            except (ValueError, RecursionError) as error:
                raise MalformedRecord(str(error), number) from error


def _from_json(data: Any) -> Puzzle:
    """Raises `ValueError` for anything that isn't a puzzle; doesn't check whether the moves are legal."""
    if not isinstance(data, dict) or data.keys() != FIELDS:
        raise ValueError(f"a puzzle is an object with the fields {', '.join(Puzzle._fields)}")
    puzzle = Puzzle(**data)
    if not isinstance(puzzle.game, str) or puzzle.game not in GAMES:
        raise ValueError(f"there is no game {str(puzzle.game)[:40]!r}")
    if not isinstance(puzzle.position, str) or puzzle.id != id_of(puzzle.game, puzzle.position):
        raise ValueError(f"{str(puzzle.id)[:40]!r} is not the id of a puzzle with this game and position")
    if not _is_texts(puzzle.moves, MOST_MOVES) or len(puzzle.moves) % 2 == 0:
        raise ValueError(f"a solution is an odd number of moves, {MOST_MOVES} at most")
    if type(puzzle.margin) is not float or not (math.isfinite(puzzle.margin) and puzzle.margin > 0):
        raise ValueError("the margin is a number above 0 with a decimal point")
    if type(puzzle.rating) is not int or puzzle.rating not in RATINGS:
        raise ValueError(f"a rating is a whole number from {RATINGS[0]} to {RATINGS[-1]}")
    if not _is_texts(puzzle.themes, MOST_THEMES) or not all(map(THEME.fullmatch, puzzle.themes)):
        raise ValueError(f"themes are words such as two_for_one, {MOST_THEMES} at most")
    if not isinstance(puzzle.source, str) or not 0 < len(puzzle.source) <= MOST_SOURCE:
        raise ValueError(f"the source of a puzzle is a text of up to {MOST_SOURCE} characters")
    return puzzle._replace(moves=tuple(puzzle.moves), themes=tuple(puzzle.themes))


def _is_texts(data: object, most: int) -> bool:
    return isinstance(data, list) and len(data) <= most and all(isinstance(text, str) for text in data)


def _check_moves(puzzle: Puzzle) -> None:
    """Raises if something is wrong with the position or a move of the solution."""
    rules = GAMES[puzzle.game]
    position = rules.notation.read_position(puzzle.position)
    solver = rules.turn(position).player
    for number, text in enumerate(puzzle.moves):
        player = rules.turn(position).player
        if solver is None or player is not (solver.other if number % 2 else solver):
            raise BadInput(f"the solver and the opponent do not take turns up to {text[:40]!r}")
        position = rules.play(position, rules.notation.read_move(position, text))
