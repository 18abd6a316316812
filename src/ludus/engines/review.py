"""A game in an engine's eyes: what each move was worth, and what a better one would have been.

A game is looked at from its end: where the move that was made is not among an engine's lines, what follows it, known
by then, tells its worth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ludus.core.game import Game
from ludus.core.rules import Outcome, Player
from ludus.engines.engine import Line

LINES: Final[Mapping[str, int]] = MappingProxyType({"checkers": 3, "backgammon": 40})
"""Moves that are compared, equally far ahead. At backgammon all that matter: what was played is among them."""
MARKS: Final[Mapping[str, tuple[float, float, float]]] = MappingProxyType(
    {"checkers": (0.1, 0.25, 0.5), "backgammon": (0.04, 0.08, 0.16)}
)
"""From which cost in points on a move is doubtful, a mistake, a blunder."""
SIGNS: Final = ("", "?!", "?", "??")


class Verdict(NamedTuple):
    """On one move: `value` is what it is worth to whoever made it, in points; `ply` counts the moves made before."""

    ply: int
    player: Player
    played: Any
    best: Line[Any]
    value: float
    is_forced: bool

    @property
    def cost(self) -> float:
        """What a better move would have kept."""
        return max(0.0, self.best.value - self.value)


class Summary(NamedTuple):
    """Of one player's decisions; `rate` is what each gave away on average, in points."""

    decisions: int
    rate: float
    doubtful: int
    mistakes: int
    blunders: int


def turns(game: Game[Any, Any]) -> list[int]:
    """Where players made a move, as the number of moves before; rolls are none, and a pass is no move."""
    rules = game.rules
    plies = [ply for ply in range(game.length) if not rules.chances(game.position_at(ply))]
    return [ply for ply in plies if game.move_at(ply) != rules.pass_move]


def review(game: Game[Any, Any], ask: Callable[[Any, Sequence[Any], int], Sequence[Line[Any]]]) -> Iterator[Verdict]:
    """A verdict on each move, the last first; `ask` gives the best lines of a position with a past, so many at most."""
    later: Verdict | None = None
    for ply in reversed(turns(game)):
        lines = ask(game.position_at(ply), game.positions[:ply], LINES[game.rules.name])
        later = judge(game, ply, lines, later)
        yield later


def judge(game: Game[Any, Any], ply: int, lines: Sequence[Line[Any]], later: Verdict | None) -> Verdict:
    """`lines` are the best of the position before the move, `later` is the verdict on the next move of the game."""
    position = game.position_at(ply)
    player = game.rules.turn(position).player
    assert player is not None
    value = _value(game, ply, player, lines, later)
    is_forced = len(game.rules.moves(position)) == 1
    return Verdict(ply, player, game.move_at(ply), lines[0], min(value, lines[0].value), is_forced)


def _value(game: Game[Any, Any], ply: int, player: Player, lines: Sequence[Line[Any]], later: Verdict | None) -> float:
    line = next((line for line in lines if line.move == game.move_at(ply)), None)
    if line is not None:
        return line.value
    if ply + 1 == game.length and game.ending is None and game.outcome:
        return _worth(game.outcome, player)
    if later is not None and later.ply == ply + 1:
        return later.best.value if later.player is player else -later.best.value
    return lines[-1].value  # worse than all that were compared


def _worth(outcome: Outcome, player: Player) -> float:
    if outcome.winner is None:
        return 0.0
    return float(outcome.points if outcome.winner is player else -outcome.points)


def sign(game: str, cost: float) -> str:
    """`?!`, `?` or `??` for a move that gave this much away, or nothing."""
    return SIGNS[sum(cost >= least for least in MARKS[game])]


def summary(game: str, verdicts: Sequence[Verdict], player: Player) -> Summary:
    """Forced moves are no decisions."""
    costs = [verdict.cost for verdict in verdicts if verdict.player is player and not verdict.is_forced]
    marks = [sign(game, cost) for cost in costs]
    rate = sum(costs) / len(costs) if costs else 0.0
    return Summary(len(costs), rate, *(marks.count(mark) for mark in SIGNS[1:]))
