"""Reviews a game with an engine: what each move was worth, and what the best one would have been.

A review starts at the end of the game: where the move played is not among the engine's lines, the position after it,
reviewed by then, gives its value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from ludus.core.game import Game
from ludus.core.rules import Outcome, Player
from ludus.engines.adapters import adapter
from ludus.engines.engine import Line

GLYPHS: Final = ("", "?!", "?", "??")
"""For a good move, a doubtful one, a mistake and a blunder."""


class MoveReview(NamedTuple):
    """`value` is what the move is worth to the player who made it, in points; `ply` counts the moves before it."""

    ply: int
    player: Player
    played: Any
    best: Line[Any]
    value: float
    is_forced: bool

    @property
    def cost(self) -> float:
        """The points given away compared with the best move."""
        return max(0.0, self.best.value - self.value)


class Summary(NamedTuple):
    """One player's decisions; `rate` is the average loss per decision, in points."""

    decisions: int
    rate: float
    doubtful: int
    mistakes: int
    blunders: int


def turns(game: Game[Any, Any]) -> list[int]:
    """The plies at which players made a move; rolls and passes don't count."""
    rules = game.rules
    plies = [ply for ply in range(game.length) if not rules.chances(game.position_at(ply))]
    return [ply for ply in plies if game.move_at(ply) != rules.pass_move]


def review(
    game: Game[Any, Any], analyse: Callable[[Any, Sequence[Any], int], Sequence[Line[Any]]]
) -> Iterator[MoveReview]:
    """Reviews every move, the last one first. `analyse` takes a position, its past and a number of lines."""
    later: MoveReview | None = None
    lines = adapter(game.rules.name).review_lines
    for ply in reversed(turns(game)):
        later = review_move(game, ply, analyse(game.position_at(ply), game.positions[:ply], lines), later)
        yield later


def review_move(game: Game[Any, Any], ply: int, lines: Sequence[Line[Any]], later: MoveReview | None) -> MoveReview:
    """`lines` are the best of the position before the move; `later` is the review of the game's next move."""
    position = game.position_at(ply)
    player = game.rules.turn(position).player
    assert player is not None
    value = _value(game, ply, player, lines, later)
    is_forced = len(game.rules.moves(position)) == 1
    return MoveReview(ply, player, game.move_at(ply), lines[0], min(value, lines[0].value), is_forced)


def _value(
    game: Game[Any, Any], ply: int, player: Player, lines: Sequence[Line[Any]], later: MoveReview | None
) -> float:
    line = next((line for line in lines if line.move == game.move_at(ply)), None)
    if line is not None:
        return line.value
    if ply + 1 == game.length and game.ending is None and game.outcome:
        return _points(game.outcome, player)
    if later is not None and later.ply == ply + 1:
        return later.best.value if later.player is player else -later.best.value
    return lines[-1].value  # worse than every line compared


def _points(outcome: Outcome, player: Player) -> float:
    if outcome.winner is None:
        return 0.0
    return float(outcome.points if outcome.winner is player else -outcome.points)


def glyph(game: str, cost: float) -> str:
    """`?!`, `?` or `??` for a move that gave this much away; empty for a good one."""
    return GLYPHS[sum(cost >= least for least in adapter(game).thresholds)]


def summary(game: str, reviews: Sequence[MoveReview], player: Player) -> Summary:
    """Forced moves are no decisions."""
    costs = [review.cost for review in reviews if review.player is player and not review.is_forced]
    glyphs = [glyph(game, cost) for cost in costs]
    rate = sum(costs) / len(costs) if costs else 0.0
    return Summary(len(costs), rate, *(glyphs.count(each) for each in GLYPHS[1:]))
