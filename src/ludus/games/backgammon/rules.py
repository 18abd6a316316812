"""Backgammon: the kernel's bit planes as readable positions, rolls and plays."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ludus.core.errors import BadInput, IllegalMove, MalformedPosition
from ludus.core.kernel import Scratch, compiled, new_words
from ludus.core.rules import Outcome, Player, Reason, Turn
from ludus.games.backgammon import kernel as plain
from ludus.games.backgammon import match as matches
from ludus.games.backgammon import variants as names
from ludus.games.backgammon.board import NAMES, BackgammonBoard
from ludus.games.backgammon.notation import BackgammonNotation
from ludus.games.backgammon.position import (
    BAR,
    OFF,
    VARIANTS,
    CubeAction,
    Men,
    Play,
    Position,
    Resignation,
    Roll,
    Stage,
    Step,
)

Move = Roll | Play | CubeAction | Resignation

OPENING_ROLLS: Final = tuple((Roll(a, b), 1) for a in range(1, 7) for b in range(1, 7) if a != b)
ROLLS: Final = tuple((Roll(a, b), 1 if a == b else 2) for a in range(1, 7) for b in range(1, a + 1))
HIGHEST_CUBE: Final = 4096
KINDS_OF_WIN: Final = (1, 2, 3)
"""Single, gammon, backgammon."""


class After(NamedTuple):
    """Both sides' men after a play, in the kernel's form."""

    low: int
    high: int
    other_low: int
    other_high: int


class Backgammon:
    name: Final = "backgammon"
    players: Final = NAMES
    most_points: Final = 3
    has_draws: Final = False
    pass_move: Final = Play(())
    has_own_numbers: Final = True
    variants: Final[Mapping[str, Position]] = MappingProxyType(VARIANTS)
    options: Final = names.OPTIONS

    def __init__(self, kernel: Any = plain) -> None:
        self._kernel = kernel
        self._list = Scratch(kernel, plain.MOST_PLAYS * plain.WORDS)
        self._plays = lru_cache(maxsize=1024)(self._list_plays)
        self.notation = BackgammonNotation(self)

    def compiled(self) -> Backgammon:
        return Backgammon(compiled(plain))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and other processes create their own rules, compiled if these are."""
        return (Backgammon, ()) if self._kernel is plain else (Backgammon.compiled, (Backgammon(),))

    def variant_name(self, variant: str = "standard", **options: int | None) -> str:
        return names.variant_name(variant, **options)

    def start(self, variant: str) -> Position:
        return names.settings(variant).start

    def options_of(self, variant: str) -> dict[str, int]:
        return names.settings(variant).options

    def variant_of(self, start: Position) -> str | None:
        return names.name_of(start)

    def turn(self, position: Position) -> Turn:
        if self.outcome(position):
            return Turn.OVER
        mover = position.mover
        if mover is None:
            return Turn.DICE
        if position.dice:
            return Turn(mover.value)
        if position.cube is None or position.cube.stage is Stage.ROLLING:
            return Turn.DICE
        if position.cube.stage is Stage.ON_ROLL:
            return Turn(mover.value) if can_double(position) else Turn.DICE
        return Turn((mover if position.cube.stage is Stage.BEAVERED else mover.other).value)

    def moves(self, position: Position) -> tuple[Move, ...]:
        """Resignations are legal at any time and are not listed."""
        match self.turn(position):
            case Turn.OVER:
                return ()
            case Turn.DICE:
                return tuple(roll for roll, _ in self.chances(position))
        return tuple(self._plays(position)) if position.dice else _cube_actions(position)

    def chances(self, position: Position) -> tuple[tuple[Roll, int], ...]:
        if self.turn(position) is not Turn.DICE:
            return ()
        return OPENING_ROLLS if position.mover is None else ROLLS

    def play(self, position: Position, move: Move) -> Position:
        if isinstance(move, Roll):
            return self._roll(position, move)
        if isinstance(move, CubeAction):
            return self._decide(position, move)
        if isinstance(move, Resignation):
            return self._resign(position, move)
        if not isinstance(move, Play):
            raise IllegalMove(f"{str(move)[:40]!r} is not a move of backgammon")
        is_play_due = position.dice and self.turn(position).player is not None
        after = self._plays(position).get(move) if is_play_due else None
        if after is None:
            raise IllegalMove("this play is not legal here")
        own, other = Men(after.low, after.high), Men(after.other_low, after.other_high)
        if position.mover is Player.SECOND:
            next_ = Position(other, own, Player.FIRST, (), position.cube, position.match)
        else:
            next_ = Position(own, other, Player.SECOND, (), position.cube, position.match)
        if position.match is not None and (outcome := self.outcome(next_)):
            return ended(next_, outcome)
        return next_

    def _decide(self, position: Position, action: CubeAction) -> Position:
        if position.dice or action not in self.moves(position):
            raise IllegalMove(f"{action.value!r} is not possible here")
        cube, mover = position.cube, position.mover
        assert cube is not None and mover is not None
        match action:
            case CubeAction.NO_DOUBLE:
                return position._replace(cube=cube._replace(stage=Stage.ROLLING))
            case CubeAction.DOUBLE:
                return position._replace(cube=cube._replace(stage=Stage.DOUBLED))
            case CubeAction.BEAVER:
                return position._replace(cube=cube._replace(stage=Stage.BEAVERED))
            case CubeAction.TAKE:
                taken = cube._replace(value=cube.offered, owner=mover.other, stage=Stage.ROLLING)
                return position._replace(cube=taken)
        winner = mover if cube.stage is Stage.DOUBLED else mover.other
        return ended(position, Outcome(winner, Reason.DROPPED, position.stake, position.stake))

    def _resign(self, position: Position, move: Resignation) -> Position:
        if self.outcome(position):
            raise IllegalMove("the game is over")
        if move.win not in KINDS_OF_WIN:
            raise IllegalMove("you can't resign for that much here")
        if move.win > 1 and not _counts_gammons(position):
            reason = "by the Jacoby rule, gammons don't count before a double is taken"
            raise IllegalMove(f"you can't resign for that much here: {reason}")
        return ended(position, _outcome(position, move.player.other, Reason.RESIGNATION, move.win))

    def _roll(self, position: Position, roll: Roll) -> Position:
        if roll not in self.moves(position):
            raise IllegalMove("no such roll is possible here")
        mover = position.mover
        if mover is None:
            mover = Player.FIRST if roll.one > roll.two else Player.SECOND
        cube = position.cube and position.cube._replace(stage=Stage.ON_ROLL)
        return position._replace(mover=mover, dice=(max(roll), min(roll)), cube=cube)

    def _list_plays(self, position: Position) -> dict[Play, After]:
        """The legal plays and their results."""
        _refuse_unsound(position)
        n = self._kernel.write_plays(self._list.words(), 0, *position.own, *position.other, *position.dice)
        words = self._list.read(n * plain.WORDS)
        return {_play(words[i + 4]): After(*words[i : i + 4]) for i in range(0, len(words), plain.WORDS)}

    def resolve(self, position: Position, hops: Sequence[Step]) -> list[Play]:
        """The legal plays that these hops, made in this order, can mean; a hop may use several dice at once."""
        if not position.dice or self.turn(position).player is None:
            return []
        plays = {after: play for play, after in self._plays(position).items()}
        blocked = plain.blocked_by(*position.other)
        blots = plain.blots_of(*position.other)
        dice = position.dice if len(set(position.dice)) == 2 else position.dice * 2
        found: dict[After, Play] = {}
        for low, high, left in _walk(*position.own, blots, blocked, tuple(hops), dice):
            after = After(low, high, *plain.send_to_bar(*position.other, blots & ~left))
            if after in plays:
                found[after] = plays[after]
        return list(found.values())

    def touched(self, position: Position, move: Move) -> tuple[int, ...]:
        """The points of a play, as white counts them."""
        if not isinstance(move, Play):
            return ()
        points = {point for step in move.steps for point in step} - {BAR, OFF}
        return tuple(sorted(25 - point if position.mover is Player.SECOND else point for point in points))

    def outcome(self, position: Position) -> Outcome | None:
        if position.ended:
            return position.ended
        white, black = position.white, position.black
        if plain.is_off(*white):
            return _outcome(position, Player.FIRST, Reason.BORNE_OFF, plain.points_lost(*black))
        if plain.is_off(*black):
            return _outcome(position, Player.SECOND, Reason.BORNE_OFF, plain.points_lost(*white))
        return None

    def repeats(self, position: Position) -> Hashable | None:
        return None

    def maker(self, position: Position, move: Move) -> Player | None:
        return move.player if isinstance(move, Resignation) else self.turn(position).player

    def resignation(self, player: Player, win: int) -> Resignation:
        return Resignation(player, win)

    def stake(self, position: Position) -> int:
        """A match that the players end has a stake of 1: it is won or lost."""
        return 1 if position.match else position.stake

    def score(self, position: Position) -> tuple[int, int] | None:
        return (position.match.white, position.match.black) if position.match else None

    def game_ended(self, before: Position, move: Move, after: Position) -> Outcome | None:
        return matches.game_ended(before, move, after)

    def perft(self, position: Position, depth: int, *, weighted: bool = False) -> int:
        position = Position(*position[:4])  # the cube and the match don't matter
        _refuse_unsound(position)
        if depth < 0:
            raise BadInput(f"lines of {depth} moves cannot be counted")
        if depth == 0:
            return 1
        if position.dice:
            afters = (self.play(position, play) for play in self.moves(position))
            return sum(self.perft(after, depth - 1, weighted=weighted) for after in afters)
        if position.mover is None:
            return sum(self.perft(self.play(position, roll), depth, weighted=weighted) for roll, _ in OPENING_ROLLS)
        words = new_words(self._kernel, depth * plain.MOST_PLAYS * plain.WORDS)
        return int(self._kernel.perft(*position.own, *position.other, depth, weighted, words, 0))

    def board(self, position: Position, outcome: Outcome | None = None) -> BackgammonBoard:
        return BackgammonBoard(position, outcome=outcome or self.outcome(position))


def can_double(position: Position) -> bool:
    """Whether the player on roll may double; not if the cube is of no more use to them in the match."""
    cube, match, mover = position.cube, position.match, position.mover
    if cube is None or mover is None or position.dice or position.ended or cube.stage is not Stage.ON_ROLL:
        return False
    if cube.owner is mover.other or cube.value >= HIGHEST_CUBE:
        return False
    return match is None or (not match.is_crawford and not match.is_dead(cube.value, mover))


def ended(position: Position, outcome: Outcome) -> Position:
    """The position after a game ended this way: in a match that goes on, the start of its next game."""
    match, winner = position.match, outcome.winner
    if match is None or winner is None:
        return position._replace(ended=outcome)
    white, black = match.white, match.black
    if winner is Player.FIRST:
        white += outcome.points
    else:
        black += outcome.points
    is_crawford = max(white, black) == match.length - 1 and max(match.white, match.black) < match.length - 1
    scored = match._replace(white=white, black=black, is_crawford=is_crawford)
    if max(white, black) >= match.length:
        return position._replace(match=scored, ended=outcome)
    return names.next_game(scored, position.cube)


def _cube_actions(position: Position) -> tuple[CubeAction, ...]:
    cube = position.cube
    assert cube is not None
    if cube.stage is Stage.ON_ROLL:
        return CubeAction.NO_DOUBLE, CubeAction.DOUBLE
    if cube.stage is Stage.DOUBLED and cube.has_beavers and cube.offered < HIGHEST_CUBE:
        return CubeAction.TAKE, CubeAction.DROP, CubeAction.BEAVER
    return CubeAction.TAKE, CubeAction.DROP


def _counts_gammons(position: Position) -> bool:
    """Whether gammons count; under the Jacoby rule, only once a double was taken."""
    return position.cube is None or not position.cube.has_jacoby or position.stake > 1


def _outcome(position: Position, winner: Player, reason: Reason, win: int) -> Outcome:
    stake = position.stake
    return Outcome(winner, reason, stake * (win if _counts_gammons(position) else 1), stake)


def _refuse_unsound(position: Position) -> None:
    if not position.is_sound:
        raise MalformedPosition("a side has more than fifteen men or men on no point, or there is no such roll")


@lru_cache(maxsize=1 << 14)
def _play(steps: int) -> Play:
    found = []
    while steps:
        place, die = steps >> 3 & 31, steps & 7
        found.append(Step(25 - place, max(25 - place - die, 0)))
        steps >>= 8
    return Play(tuple(found))


def _walk(
    low: int, high: int, blots: int, blocked: int, hops: tuple[Step, ...], dice: tuple[int, ...]
) -> Iterator[tuple[int, int, int]]:
    """Where the hops can lead: the mover's men and the blots left."""
    if not hops:
        yield low, high, blots
        return
    (source, target), rest = hops[0], hops[1:]
    for i, die in enumerate(dice):
        if die in dice[:i] or not plain.sources(low, high, blocked, die) >> 25 - source & 1:
            continue
        landing = max(source - die, 0)
        if landing >= target:
            ahead = rest if landing == target else (Step(landing, target), *rest)
            left = dice[:i] + dice[i + 1 :]
            yield from _walk(*plain.step(low, high, blots, 25 - source, die), blocked, ahead, left)
