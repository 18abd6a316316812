"""Reviews a game with an engine: what each move was worth, and what the best move would have been.

A review starts at the end of the game: where the move played is not among the engine's lines, the position after it,
reviewed by then, gives its value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import compress
from math import exp
from typing import Any, Final, NamedTuple

from ludus.core.game import Game
from ludus.core.rules import Outcome, Player, Rules
from ludus.engines import resignation
from ludus.engines.adapters import adapter, analyst
from ludus.engines.engine import Limit, Line
from ludus.engines.study import CUBE_ERRORS, MISSED_BEAVER, CubeEquities, CubeWindow, MoveKind

GLYPHS: Final = ("", "?!", "?", "??")
"""The signs for a good move, a doubtful one, a mistake and a blunder."""
MARKS: Final = (None, "doubtful", "mistake", "blunder")
"""The same in words."""
CANDIDATES: Final = 5
"""How many lines of a decision are kept in full, besides that of the move played."""
DIGITS: Final = 4
"""Decimal places of all equities and chances in a review."""
LEAST_ERROR: Final = 0.001
"""In points; a cube decision that costs less is not called an error."""
OBVIOUS: Final = 0.16
"""The points that doubling must lose for a roll without a double not to count as a decision."""


class Assessment(NamedTuple):
    """What an engine says about a decision and the roll before it."""

    lines: Sequence[Line[Any]]
    cube: CubeEquities | None = None
    luck: float | None = None
    stake: float = 1.0
    window: CubeWindow | None = None
    effective_pips: tuple[float | None, ...] = ()


class MoveReview(NamedTuple):
    """`value` is what the move is worth to the player who made it, in points; `ply` counts the moves before it.

    If a player resigned in the other's turn, the only line is that of the other player's best move, for the player who
    resigned; `luck` is that of the player who rolled.

    After the last roll of a game that ended before it was played, `played` is None. `luck` is that of the roll before.
    """

    ply: int
    player: Player
    played: Any
    lines: tuple[Line[Any], ...]
    """The best lines, best first, and that of the move played."""
    value: float
    is_forced: bool
    kind: MoveKind = MoveKind.MOVE
    cube: CubeEquities | None = None
    luck: float | None = None
    stake: float = 1.0
    """What a normalized point is worth in the game's result."""
    is_indifferent: bool = False
    """Whether all moves were worth the same."""
    others: tuple[tuple[Any, float], ...] = ()
    """All other moves compared and their values, if the move played was doubtful or worse."""
    best_kind: MoveKind = MoveKind.MOVE

    @property
    def best(self) -> Line[Any]:
        return self.lines[0]

    @property
    def cost(self) -> float:
        """The points given away compared with the best move."""
        return max(0.0, self.best.value - self.value)

    @property
    def is_decision(self) -> bool:
        """Whether it counts for the rates: not if a double would be a blunder, and it wasn't made.

        Resignations have a cost, but don't count.
        """
        is_open = not self.is_forced and not self.is_indifferent and self.kind is not MoveKind.RESIGNATION
        is_obvious = self.kind is MoveKind.NO_DOUBLE and self.cube is not None and self.cube.margin > OBVIOUS
        return is_open and not is_obvious

    @property
    def cube_error(self) -> str | None:
        """What the mistake is called, if it was one about the cube."""
        if self.cost < LEAST_ERROR:
            return None
        is_missed_beaver = self.kind is MoveKind.TAKE and self.best_kind is MoveKind.BEAVER
        return MISSED_BEAVER if is_missed_beaver else CUBE_ERRORS.get(self.kind)

    def value_of(self, move: Any) -> float | None:
        """What a move is worth; None if it was not compared."""
        known = {self.played: self.value} | {line.move: line.value for line in self.lines} | dict(self.others)
        return known.get(move)


class Summary(NamedTuple):
    """One player's decisions of some kind; `error` is the total that the player gave away, in points."""

    decisions: int
    error: float
    doubtful: int
    mistakes: int
    blunders: int

    @property
    def rate(self) -> float:
        """The average loss per decision."""
        return self.error / self.decisions if self.decisions else 0.0


def turns(game: Game[Any, Any]) -> list[int]:
    """The plies at which players made a move.

    Passes count if the luck of the dice is reviewed too; then the end counts as well if a roll was not played.
    """
    rules, length = game.rules, game.length
    plies = [ply for ply in range(length) if not rules.chances(game.position_at(ply))]
    if adapter(rules.name).luck is None:
        return [ply for ply in plies if game.move_at(ply) != rules.pass_move]
    return [*plies, length] if length and _is_roll(game, length - 1) else plies


def _is_roll(game: Game[Any, Any], ply: int) -> bool:
    """Whether the move is a roll; the game may be resigned instead, and a tuple of another type can equal a roll."""
    if ply < 0:
        return False
    chances, move = game.rules.chances(game.position_at(ply)), game.move_at(ply)
    return bool(chances) and type(move) is type(chances[0][0])


def rolled(game: Game[Any, Any], ply: int) -> tuple[Any, Any] | None:
    """The roll before a move, preceded by the position in which it was made."""
    return (game.position_at(ply - 1), game.move_at(ply - 1)) if _is_roll(game, ply - 1) else None


Assess = Callable[[Any, Sequence[Any], int, tuple[Any, Any] | None], Assessment]
"""Takes a position, its past, a number of lines, and the roll before it with the position in which it was made."""


def assess(
    rules: Rules[Any, Any],
    position: Any,
    limit: Limit,
    past: Sequence[Any],
    lines: int,
    roll: tuple[Any, Any] | None = None,
) -> Assessment:
    """The strongest engine's assessment."""
    own = adapter(rules.name)
    found = analyst(rules.name).analyse(rules, position, limit, past, lines)
    luck = None if roll is None or own.luck is None else own.luck(*roll)
    if own.study is None:
        return Assessment(found, luck=luck)
    return Assessment(found, own.study.cube(position, limit), luck, own.study.stake(position))


def review(game: Game[Any, Any], ask: Assess) -> Iterator[MoveReview]:
    """Reviews every move, the last one first."""
    later: MoveReview | None = None
    lines = adapter(game.rules.name).review_lines
    for ply in reversed(turns(game)):
        assessment = ask(game.position_at(ply), game.positions[:ply], lines, rolled(game, ply))
        later = review_move(game, ply, assessment, later)
        yield later


def review_move(game: Game[Any, Any], ply: int, assessment: Assessment, later: MoveReview | None) -> MoveReview:
    """`assessment` is of the position before the move; `later` is the review of the game's next move."""
    player = player_at(game, ply)
    lines = [_rounded(line) for line in assessment.lines]
    if player is not game.rules.turn(game.position_at(ply)).player:
        lines = [_flipped(lines[0])]
    played = game.move_at(ply) if ply < game.length else None
    kind, is_forced = kind_of(game, ply), is_forced_at(game, ply)
    value = lines[0].value if played is None else min(_value(game, ply, player, lines, later), lines[0].value)
    is_doubtful = not is_forced and bool(glyph(game.rules.name, lines[0].value - value))
    kept = [i < CANDIDATES or line.move == played for i, line in enumerate(lines)]
    others = [line for line, is_kept in zip(lines, kept, strict=True) if is_doubtful and not is_kept]
    return MoveReview(
        ply,
        player,
        played,
        tuple(compress(lines, kept)),
        value,
        is_forced,
        kind,
        None if assessment.cube is None else assessment.cube.rounded(DIGITS),
        None if assessment.luck is None else _round(assessment.luck),
        float(assessment.stake),
        not is_forced and lines[0].value == min(line.value for line in lines),
        tuple((line.move, line.value) for line in others),
        kind_at(game, ply, lines[0].move),
    )


def player_at(game: Game[Any, Any], ply: int) -> Player:
    """The player who made the move, or was to make one; a game may be resigned in the other player's turn."""
    rules, position = game.rules, game.position_at(ply)
    player = rules.turn(position).player if ply == game.length else rules.maker(position, game.move_at(ply))
    assert player is not None
    return player


def _flipped(line: Line[Any]) -> Line[Any]:
    """The line for the other player."""
    if not line.chances:
        return line._replace(value=-line.value)
    win, *rest = line.chances
    half = len(rest) // 2
    return line._replace(value=-line.value, chances=_all_rounded((1 - win, *rest[half:], *rest[:half])))


def _rounded(line: Line[Any]) -> Line[Any]:
    return line._replace(value=_round(line.value), is_exact=bool(line.is_exact), chances=_all_rounded(line.chances))


def _all_rounded(values: Sequence[float]) -> tuple[float, ...]:
    return tuple(map(_round, values))


def _round(value: float) -> float:
    """Returns a Python number, since engines may use number types that JSON can't represent."""
    return round(float(value), DIGITS)


def kind_of(game: Game[Any, Any], ply: int) -> MoveKind:
    return MoveKind.MOVE if ply == game.length else kind_at(game, ply, game.move_at(ply))


def kind_at(game: Game[Any, Any], ply: int, move: Any) -> MoveKind:
    """The kind of a move that could have been made at this ply."""
    study = adapter(game.rules.name).study
    return MoveKind.MOVE if study is None else study.kind(game.position_at(ply), move)


def is_forced_at(game: Game[Any, Any], ply: int) -> bool:
    """Whether the player had no choice, or did not make one; no one has to resign."""
    if ply == game.length:
        return True
    return len(game.rules.moves(game.position_at(ply))) == 1 and kind_of(game, ply) is not MoveKind.RESIGNATION


def _value(
    game: Game[Any, Any], ply: int, player: Player, lines: Sequence[Line[Any]], later: MoveReview | None
) -> float:
    line = next((line for line in lines if line.move == game.move_at(ply)), None)
    if line is not None:
        return line.value
    if kind_of(game, ply) is MoveKind.RESIGNATION:
        return _round(resignation.value_of(game, ply, player))
    if ply + 1 == game.length and game.ending is None and game.outcome:
        return points_for(player, game.outcome)
    if later is not None and later.ply == ply + 1:
        return later.best.value if later.player is player else -later.best.value
    return lines[-1].value  # worse than every line compared


def points_for(player: Player, outcome: Outcome) -> float:
    if outcome.winner is None:
        return 0.0
    return float(outcome.points if outcome.winner is player else -outcome.points)


def glyph(game: str, cost: float) -> str:
    """`?!`, `?` or `??` for a move that gave this much away; empty for a good one."""
    return GLYPHS[sum(cost >= least for least in adapter(game).thresholds)]


def mark_of(game: str, cost: float) -> str | None:
    """The same as a word."""
    return MARKS[GLYPHS.index(glyph(game, cost))]


def summary(game: str, reviews: Sequence[MoveReview], player: Player, kinds: Sequence[MoveKind] = ()) -> Summary:
    """A summary of the player's decisions of these kinds, or of all."""
    own = [each for each in reviews if each.player is player and each.is_decision]
    costs = [each.cost for each in own if not kinds or each.kind in kinds]
    glyphs = [glyph(game, cost) for cost in costs]
    return Summary(len(costs), sum(costs), *(glyphs.count(each) for each in GLYPHS[1:]))


def accuracy(game: str, reviews: Sequence[MoveReview], player: Player) -> float | None:
    """How close a player's decisions were to the best ones, from 0 to 1; None without a decision.

    A decision counts 1 if it gave nothing away, and 1/e (37 %) if it gave away as much as a blunder does at least.
    """
    blunder = adapter(game).thresholds[-1]
    counts = [exp(-each.cost / blunder) for each in reviews if each.player is player and each.is_decision]
    return sum(counts) / len(counts) if counts else None
