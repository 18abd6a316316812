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
from ludus.games.backgammon.board import NAMES, BackgammonBoard
from ludus.games.backgammon.notation import BackgammonNotation
from ludus.games.backgammon.position import BAR, OFF, VARIANTS, Men, Play, Position, Roll, Step

Move = Roll | Play

OPENING_ROLLS: Final = tuple((Roll(a, b), 1) for a in range(1, 7) for b in range(1, 7) if a != b)
ROLLS: Final = tuple((Roll(a, b), 1 if a == b else 2) for a in range(1, 7) for b in range(1, a + 1))


class After(NamedTuple):
    """Both sides' men after a play, as the kernel has them."""

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

    def turn(self, position: Position) -> Turn:
        if self.outcome(position):
            return Turn.OVER
        return Turn(position.mover.value) if position.dice and position.mover is not None else Turn.DICE

    def moves(self, position: Position) -> tuple[Move, ...]:
        match self.turn(position):
            case Turn.OVER:
                return ()
            case Turn.DICE:
                return tuple(roll for roll, _ in self.chances(position))
        return tuple(self._plays(position))

    def chances(self, position: Position) -> tuple[tuple[Roll, int], ...]:
        if self.turn(position) is not Turn.DICE:
            return ()
        return OPENING_ROLLS if position.mover is None else ROLLS

    def play(self, position: Position, move: Move) -> Position:
        if isinstance(move, Roll):
            return self._roll(position, move)
        if not isinstance(move, Play):
            raise IllegalMove(f"{str(move)[:40]!r} is neither a Roll nor a Play")
        after = self._plays(position).get(move) if self.turn(position).player is not None else None
        if after is None:
            raise IllegalMove("this play is not legal here")
        own, other = Men(after.low, after.high), Men(after.other_low, after.other_high)
        if position.mover is Player.SECOND:
            return Position(other, own, Player.FIRST)
        return Position(own, other, Player.SECOND)

    def _roll(self, position: Position, roll: Roll) -> Position:
        if roll not in self.moves(position):
            raise IllegalMove("this roll cannot fall here")
        mover = position.mover
        if mover is None:
            mover = Player.FIRST if roll.one > roll.two else Player.SECOND
        return position._replace(mover=mover, dice=(max(roll), min(roll)))

    def _list_plays(self, position: Position) -> dict[Play, After]:
        """The legal plays and their results."""
        _refuse_unsound(position)
        n = self._kernel.write_plays(self._list.words(), 0, *position.own, *position.other, *position.dice)
        words = self._list.read(n * plain.WORDS)
        return {_play(words[i + 4]): After(*words[i : i + 4]) for i in range(0, len(words), plain.WORDS)}

    def resolve(self, position: Position, hops: Sequence[Step]) -> list[Play]:
        """The legal plays that these hops, made in this order, can mean; a hop may use several dice at once."""
        if self.turn(position).player is None:
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
        if isinstance(move, Roll):
            return ()
        points = {point for step in move.steps for point in step} - {BAR, OFF}
        return tuple(sorted(25 - point if position.mover is Player.SECOND else point for point in points))

    def outcome(self, position: Position) -> Outcome | None:
        white, black = position.white, position.black
        if plain.is_off(*white):
            return Outcome(Player.FIRST, Reason.BORNE_OFF, plain.points_lost(*black))
        if plain.is_off(*black):
            return Outcome(Player.SECOND, Reason.BORNE_OFF, plain.points_lost(*white))
        return None

    def repeats(self, position: Position) -> Hashable | None:
        return None

    def perft(self, position: Position, depth: int, *, weighted: bool = False) -> int:
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
