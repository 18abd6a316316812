"""A puzzle, and whether a move solves it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from ludus.core.errors import BadInput, IllegalMove
from ludus.games import GAMES

ID_LENGTH = 10


class Puzzle(NamedTuple):
    id: str
    """A digest of the game and the position."""
    game: str
    position: str
    """The position in the game's notation; the solver is to move."""
    moves: tuple[str, ...]
    """The solution: the solver's move, the best reply, the solver's next move…, ending with a move of the solver."""
    margin: float
    """By how many of the engine's points the solver's best move beats the second best, at the closest decision."""
    rating: int
    """An estimate of the difficulty on the players' scale, based on which levels solve it."""
    themes: tuple[str, ...]
    source: str
    """The game it comes from."""


class Answer(NamedTuple):
    is_right: bool
    is_solved: bool
    """Whether this was the last move."""
    reply: str | None = None
    """The reply to a right move, as long as the puzzle is not solved."""


def id_of(game: str, position: str) -> str:
    return hashlib.sha256(f"{game} {position}".encode()).hexdigest()[:ID_LENGTH]


def replay(puzzle: Puzzle, number: int) -> Any:
    """The position after this many moves of the solution."""
    rules = GAMES[puzzle.game]
    position = rules.notation.read_position(puzzle.position)
    for move in puzzle.moves[:number]:
        position = rules.play(position, rules.notation.read_move(position, move))
    return position


def answer(puzzle: Puzzle, number: int, move: str) -> Answer:
    """Judges the solver's move after this many moves of the solution; raises `BadMove` for one that is not legal.

    Another way to write or make the move is right if it leads to the same position.
    """
    if number % 2 or not 0 <= number < len(puzzle.moves):
        raise BadInput(f"the solver of this puzzle does not move after {number} moves")
    rules, position = GAMES[puzzle.game], replay(puzzle, number)
    given, right = (rules.notation.read_move(position, text) for text in (move, puzzle.moves[number]))
    if given not in rules.moves(position):
        raise IllegalMove(f"{move.strip()[:40]!r} doesn't solve a puzzle")  # a resignation
    if rules.play(position, given) != rules.play(position, right):
        return Answer(is_right=False, is_solved=False)
    replies = puzzle.moves[number + 1 : number + 2]
    return Answer(is_right=True, is_solved=not replies, reply=replies[0] if replies else None)


def solver_moves(puzzle: Puzzle) -> Sequence[tuple[Any, Any]]:
    """The positions in which the solver moves, each with the right move."""
    rules = GAMES[puzzle.game]
    position = rules.notation.read_position(puzzle.position)
    found = []
    for number, text in enumerate(puzzle.moves):
        move = rules.notation.read_move(position, text)
        if number % 2 == 0:
            found.append((position, move))
        position = rules.play(position, move)
    return found
