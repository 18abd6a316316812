"""Backgammon in OpenSpiel, which has no cube and plays a double as two turns of two steps.

It lists every order of the steps, so plays are matched by the board they lead to.
"""

from __future__ import annotations

import re
from typing import Any

from ludus.core.errors import UnknownVariant
from ludus.core.game import Game
from ludus.games.backgammon.position import Position, Roll
from ludus.games.backgammon.rules import Move

BAR = 100
POINTS = ((0, [*range(23, -1, -1), BAR]), (1, [*range(24), BAR]))
"""OpenSpiel's players, and its numbers for their points 1 to 24 and the bar."""
VARIANTS = {"standard": False, "hypergammon": True}
"""Whether OpenSpiel's `hyper_backgammon` is set."""
SCORINGS = {"win": "winloss_scoring", "points": "full_scoring"}
ROLL = re.compile(r"roll: (\d)(\d)")

Record = Game[Position, Move]
Board = tuple[int, ...]
"""Each side's men on the points 1 to 24 and on the bar."""


def write_game(record: Record, scoring: str) -> str:
    if record.variant not in VARIANTS:
        raise UnknownVariant(f"OpenSpiel's backgammon has no {record.variant}; it has {' and '.join(VARIANTS)}")
    return f"backgammon(hyper_backgammon={VARIANTS[record.variant]},scoring_type={SCORINGS[scoring]})"


def read_variant(game: Any) -> str:
    is_hyper = game.get_parameters()["hyper_backgammon"]
    return next(name for name, value in VARIANTS.items() if value == is_hyper)


def apply_move(state: Any, record: Record, number: int) -> None:
    position, move = record.position_at(number), record.move_at(number)
    if isinstance(move, Roll):
        state.apply_action(_roll(state, position, move))
        return
    for action in _find(state, board_of(record.position_at(number + 1))):
        state.apply_action(action)


def read_move(record: Record, turn: Any) -> Move:
    rules, position = record.rules, record.position
    if turn.player < 0:
        return _read_roll(position, turn.texts[0])
    seen = _board(turn.after)
    return next(play for play in record.legal_moves() if board_of(rules.play(position, play)) == seen)


def board_of(position: Position) -> Board:
    return *position.white.counts[1:], *position.black.counts[1:]


def _board(state: Any) -> Board:
    return tuple(state.board(player, point) for player, points in POINTS for point in points)


def _roll(state: Any, position: Position, roll: Roll) -> int:
    wanted = roll if position.mover is None else Roll(max(roll), min(roll))
    for action, _ in state.chance_outcomes():
        if _read_roll(position, state.action_to_string(action)) == wanted:
            return int(action)
    raise AssertionError("every roll is one of OpenSpiel's")


def _read_roll(position: Position, text: str) -> Roll:
    """Reads a roll; in our opening rolls, the first die is the first player's."""
    dice = ROLL.findall(text)[0]
    high, low = sorted(map(int, dice), reverse=True)
    return Roll(low, high) if position.mover is None and "O starts" in text else Roll(high, low)


def _find(state: Any, target: Board) -> list[int]:
    """The actions of this turn that lead to a board."""
    player = state.current_player()
    for action in state.legal_actions():
        after = state.child(action)
        if after.is_terminal() or after.current_player() != player:
            if _board(after) == target:
                return [action]
        elif rest := _find(after, target):
            return [action, *rest]
    return []
