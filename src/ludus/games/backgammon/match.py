"""A match is one record: this finds the games in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ludus.core.rules import Outcome, Player, Reason
from ludus.games.backgammon.position import CubeAction, Position, Resignation

if TYPE_CHECKING:
    from ludus.core.game import Game
    from ludus.games.backgammon.rules import Move


class Part(NamedTuple):
    """One game of a match: its moves are those from `first` up to, but not including, `end`."""

    first: int
    end: int
    outcome: Outcome | None
    """None while the game goes on, or if the match was broken off in it."""


def match_games(game: Game[Position, Move]) -> list[Part]:
    """The games of a match; a record outside a match is one game."""
    starts = [ply for ply in range(game.length + 1) if ply == 0 or _is_next_game(game, ply)]
    ends = [*starts[1:], game.length]
    return [Part(first, end, _outcome(game, first, end)) for first, end in zip(starts, ends, strict=True)]


def _is_next_game(game: Game[Position, Move], ply: int) -> bool:
    before, after = game.position_at(ply - 1), game.position_at(ply)
    return after.match is not None and after.match != before.match and after.ended is None


def _outcome(game: Game[Position, Move], first: int, end: int) -> Outcome | None:
    """How the game between these moves ended, whether or not the match goes on."""
    is_last = end == game.length and (end == first or not _is_next_game(game, end))
    if is_last and game.outcome:
        return game.outcome
    if end == first:
        return None
    return game_ended(game.position_at(end - 1), game.move_at(end - 1), game.position_at(end))


def game_ended(before: Position, move: Move, after: Position) -> Outcome | None:
    """How a game of a match ended with a move, whether or not the match goes on; None if it goes on."""
    if before.match is None or after.match is None or before.match == after.match:
        return None
    won = after.match.white - before.match.white
    winner, points = (Player.FIRST, won) if won else (Player.SECOND, after.match.black - before.match.black)
    if isinstance(move, Resignation):
        reason = Reason.RESIGNATION
    else:
        reason = Reason.DROPPED if move is CubeAction.DROP else Reason.BORNE_OFF
    return Outcome(winner, reason, points, before.stake)
